"""The route that tells what screening found."""

from http import HTTPStatus

from footfall.flow.serve.parameters import FORMATS
from footfall.flow.serve.query import LIMIT_DEFAULT, LIMIT_MAX, PERIOD_DEFAULT, SCREENING
from footfall.flow.serve.screening import PERSON
from footfall.flow.serve.shown import OTHERS
from footfall.shells.http.described.lists import BRAND, GROUP, LIST, LISTED_ASSET, MOMENT, TABLES
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
_ASSET = LISTED_ASSET["properties"]

SUSPECTED_ASSET = record(
    {
        "rank": whole(1, LIMIT_MAX),
        "assetId": text(),
        "suspected": whole(1, says="suspected hits in the span; at least so many unless `exact`"),
        "suspectedAtMost": whole(1, says="only unless they are proven: not more than so many"),
        "persons": whole(0, says="hits of persons in the span"),
        "share": {**_SHARE, "description": "of the suspected among both"},
        **{
            name: _ASSET[name]
            for name in ("sectionId", "resourceType", "paidType", "title", "address", "image", "published")
        },
    },
    required=("rank", "assetId", "suspected", "persons", "share", "sectionId", "resourceType", "paidType"),
)
SCREENED = record(
    {
        **{name: LIST["properties"][name] for name in ("brand", "period", "from", "to")},
        "exact": {"type": "boolean", "description": "every count is proven"},
        "keptSince": LIST["properties"]["keptSince"],
        "suspectedAreShown": {
            "type": "boolean",
            "description": "lists show suspected hits with those of persons: the mode of screening is `observe`",
        },
        "hits": whole(0, says="of all labels in the span"),
        "withoutRow": whole(
            1, says="only when there are some: hits whose label nobody knows, because a minute was full"
        ),
        "labels": listed(
            record({"label": text(enum=[PERSON, *OTHERS]), "hits": whole(0), "share": _SHARE}),
            maxItems=len(OTHERS) + 1,
        ),
        "reasons": {
            "type": "object",
            "additionalProperties": {"type": "integer"},
            "description": "hits for each reason, most first: those of the whole days that hold the span, where "
            "`reasonsSince` is there, else since the beginning, as the ledger has them",
        },
        "reasonsSince": text(
            "only where the reasons were noted when the span's first day began, where the brand is: the moment of that"
        ),
        "reasonsUntil": text("the same of the end of its last day; missing where that has not ended"),
        "refused": {
            "type": "object",
            "additionalProperties": {"type": "integer"},
            "description": "requests that were refused because a signature or a token proved nothing, by kind, on the "
            "days of UTC that the span touches; they are no hits",
        },
        "waiting": whole(0, says="verdicts that wait for an operator now"),
        "items": listed({"$ref": "#/components/schemas/SuspectedAsset"}, maxItems=LIMIT_MAX),
    },
    required=(
        "brand",
        "from",
        "to",
        "exact",
        "suspectedAreShown",
        "hits",
        "labels",
        "reasons",
        "refused",
        "waiting",
        "items",
    ),
)
SCREENING_OF = Operation(
    "GET",
    SCREENING,
    "screening",
    "What screening found in a span: hits by label, reasons, and the assets with the most suspected hits.",
    GROUP,
    "read",
    more="A brand that has keys needs one that may read, however public its lists are. As a table it is the assets.",
    parameters=(
        BRAND,
        Parameter("period", "A period of the brand.", text(default=PERIOD_DEFAULT), example="day"),
        Parameter("from", "Instead of a period, with `to`: where a span begins.", MOMENT),
        Parameter("to", "Where it ends. Whole days, hours or minutes of the brand.", MOMENT),
        Parameter("limit", "How many assets.", {**whole(1, LIMIT_MAX), "default": LIMIT_DEFAULT}),
        Parameter("closed", "`true`: only windows that are closed.", {"type": "boolean", "default": False}),
        Parameter("format", "As a table: one row a line.", text(enum=list(FORMATS), default=FORMATS[0])),
        Parameter("If-None-Match", "The `ETag` of the answer that is there.", text(), "header"),
    ),
    answers=(
        Answer(
            HTTPStatus.OK,
            "What was found.",
            JSON,
            {"$ref": "#/components/schemas/Screened"},
            {
                "brand": "abc",
                "period": "day",
                "from": "2026-11-14T14:00Z",
                "to": "2026-11-15T15:00Z",
                "exact": True,
                "suspectedAreShown": True,
                "hits": 100_000,
                "labels": [
                    {"label": "person", "hits": 80_000, "share": 0.8},
                    {"label": "bot", "hits": 15_000, "share": 0.15},
                    {"label": "ai", "hits": 3_000, "share": 0.03},
                    {"label": "prefetch", "hits": 0, "share": 0.0},
                    {"label": "suspected", "hits": 2_000, "share": 0.02},
                    {"label": "blocked", "hits": 0, "share": 0.0},
                ],
                "reasons": {"bot-agent": 26_000, "ai-agent": 5_100, "reload": 3_100},
                "reasonsSince": "2026-11-14T00:00:31Z",
                "refused": {"signature-forged": 12},
                "waiting": 3,
                "items": [
                    {
                        "rank": 1,
                        "assetId": "132141398",
                        "suspected": 1_900,
                        "persons": 258,
                        "share": 0.8804,
                        "sectionId": 563,
                        "resourceType": "article",
                        "paidType": "free",
                    }
                ],
            },
            also=TABLES,
        ),
        Answer(HTTPStatus.NOT_MODIFIED, "The answer is the one that `If-None-Match` names."),
        problem(
            HTTPStatus.BAD_REQUEST,
            "A parameter is missing, unknown, given twice, or has a value that it may not have.",
            field_name="limit",
        ),
        problem(HTTPStatus.NOT_FOUND, "There is no such brand.", field_name="brand"),
        problem(HTTPStatus.SERVICE_UNAVAILABLE, "It is not ready; ask again in a moment."),
    ),
)
MAY_I_READ = Operation(
    "OPTIONS",
    SCREENING,
    "mayIReadScreening",
    "Ask, as browsers do, whether a page may read with a key.",
    GROUP,
    answers=(Answer(HTTPStatus.NO_CONTENT, "A browser's preflight: which origins, methods and headers are allowed."),),
)

OPERATIONS = (SCREENING_OF, MAY_I_READ)
SCHEMAS = {"Screened": SCREENED, "SuspectedAsset": SUSPECTED_ASSET}
