"""The route that tells where readers came from."""

from http import HTTPStatus

from footfall.flow.serve.referrers import LIMIT_DEFAULT, LIMIT_MAX, PERIOD_DEFAULT, REFERRERS, SPAN_DAYS_MAX
from footfall.shells.http.described.lists import BRAND, GROUP, MOMENT
from footfall.shells.http.described.operation import (
    JSON,
    Answer,
    Operation,
    Parameter,
    listed,
    problem,
    record,
    text,
    whole,
)

_SHARE = {"type": "number", "minimum": 0, "maximum": 1}
_MOMENT_OR_NONE = {"type": ["string", "null"]}

REFERRERS_OF = record(
    {
        "brand": text(),
        "asset": text("only when it was asked for"),
        "section": text("only when it was asked for"),
        "period": text("only when it was asked for, or nothing was"),
        "from": text("where the first hour of the span begins"),
        "to": text("where its last hour ends"),
        "hits": whole(0, says="of persons in the span"),
        "sources": listed(
            record(
                {
                    "source": text("a host, or `direct`, `internal` or `unknown`"),
                    "hits": whole(1),
                    "share": {**_SHARE, "description": "of `hits`"},
                }
            ),
            maxItems=LIMIT_MAX,
            description="those with the most hits first",
        ),
        "other": whole(0, says="hits of sources that are not listed"),
        "since": {**_MOMENT_OR_NONE, "description": "hits that arrived before are not counted; null: none are yet"},
        "until": {**_MOMENT_OR_NONE, "description": "hits that arrived before are all counted; null: none are yet"},
        "exact": {
            "type": "boolean",
            "description": "every count is all there is until `until`; else some hits of the listed may be in `other`, "
            "or the span begins before `since`",
        },
    },
    required=("brand", "from", "to", "hits", "sources", "other", "since", "until", "exact"),
)
REFERRERS_READ = Operation(
    "GET",
    REFERRERS,
    "referrers",
    "Where the readers of a brand, a section or an asset came from.",
    GROUP,
    "read",
    more="Sources are hosts of referrers, those of one service under one name; nothing else of a referrer is kept. "
    "Hours are the finest there are: a span is made longer to whole hours of the brand.",
    parameters=(
        BRAND,
        Parameter(
            "asset", "The id of an asset; without it and `section`, the whole brand.", text(), example="132141398"
        ),
        Parameter("section", "Instead of an asset: a section.", text()),
        Parameter("period", "A period of the brand.", text(default=PERIOD_DEFAULT), example="day"),
        Parameter("from", f"Instead of a period: where a span of at most {SPAN_DAYS_MAX} days begins.", MOMENT),
        Parameter("to", "Where it ends; with this hour unless given.", MOMENT),
        Parameter("limit", "How many sources.", {**whole(1, LIMIT_MAX), "default": LIMIT_DEFAULT}),
    ),
    answers=(
        Answer(
            HTTPStatus.OK,
            "The sources.",
            JSON,
            {"$ref": "#/components/schemas/Referrers"},
            {
                "brand": "abc",
                "asset": "132141398",
                "period": "day",
                "from": "2026-11-14T14:00Z",
                "to": "2026-11-15T15:00Z",
                "hits": 1_000,
                "sources": [
                    {"source": "google.com", "hits": 410, "share": 0.41},
                    {"source": "direct", "hits": 220, "share": 0.22},
                    {"source": "internal", "hits": 180, "share": 0.18},
                    {"source": "x.com", "hits": 90, "share": 0.09},
                ],
                "other": 100,
                "since": "2026-11-01T09:12:30Z",
                "until": "2026-11-15T14:41:02Z",
                "exact": True,
            },
        ),
        problem(HTTPStatus.BAD_REQUEST, "A parameter cannot be.", field_name="period"),
        problem(HTTPStatus.NOT_FOUND, "There is no such brand.", field_name="brand"),
    ),
)

OPERATIONS = (REFERRERS_READ,)
SCHEMAS = {"Referrers": REFERRERS_OF}
