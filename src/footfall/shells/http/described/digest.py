"""The route that tells what a day of screening came to."""

from http import HTTPStatus

from footfall.shells.http.described.lists import BRAND, GROUP
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
from footfall.shells.http.described.screening import SCREENED
from footfall.shells.http.digest import DIGEST, FORMATS

_CHANGE = {"type": "integer"}
_VERDICT = record(
    {
        "id": text(),
        "kind": text(enum=["visitor", "asset"]),
        "subject": text("an asset's id, or a visitor's hash"),
        "cause": text(),
        "state": text(),
        "by": text("`judge`, the id of a key, or `command line` with its user"),
        "from": text(),
        "to": text(),
        "words": text(),
    }
)
_LABELLED = record(
    {
        **SCREENED["properties"]["labels"]["items"]["properties"],
        "hitsBefore": whole(0, says="on the day before"),
        "change": _CHANGE,
    }
)
DIGEST_OF_DAY = record(
    {
        "brand": text(),
        "day": text("the date, where the brand is"),
        "from": text(),
        "to": text(),
        "exact": {"type": "boolean", "description": "every count is proven"},
        "hits": whole(0),
        "hitsBefore": whole(0, says="on the day before"),
        "suspectedAreShown": {"type": "boolean"},
        "labels": listed(_LABELLED),
        **{
            name: SCREENED["properties"][name]
            for name in ("reasons", "reasonsSince", "reasonsUntil", "refused", "items")
        },
        "found": whole(0, says="verdicts that were found on the day"),
        "settled": whole(0, says="verdicts that people confirmed or released"),
        "foundVerdicts": listed(_VERDICT, maxItems=50),
        "settledVerdicts": listed(_VERDICT, maxItems=50),
        "acts": listed({"type": "object"}, description="of the audit trail; only for keys that may administer"),
    },
    required=(
        *("brand", "day", "from", "to", "exact", "hits", "hitsBefore", "suspectedAreShown", "labels", "items"),
        *("found", "settled", "foundVerdicts", "settledVerdicts"),
    ),
)
DIGEST_READ = Operation(
    "GET",
    DIGEST,
    "screeningDigest",
    "What a day of screening came to: labels with their change, reasons, suspects, verdicts and acts.",
    GROUP,
    "read",
    more="It is put together once, ten minutes after the day has ended where the brand is, and kept for "
    "`screening_keep_days`.",
    parameters=(
        BRAND,
        Parameter("day", "Which day; the last one that has a digest unless given.", text(), example="2026-11-15"),
        Parameter("format", "As JSON, or as Markdown to be mailed.", text(enum=list(FORMATS), default=FORMATS[0])),
    ),
    answers=(
        Answer(
            HTTPStatus.OK,
            "The digest.",
            JSON,
            {"$ref": "#/components/schemas/Digest"},
            {
                "brand": "abc",
                "day": "2026-11-15",
                "from": "2026-11-14T22:00Z",
                "to": "2026-11-15T22:00Z",
                "exact": True,
                "hits": 100_000,
                "hitsBefore": 98_000,
                "suspectedAreShown": False,
                "labels": [{"label": "person", "hits": 80_000, "share": 0.8, "hitsBefore": 81_000, "change": -1_000}],
                "reasons": {"bot-agent": 15_000},
                "reasonsSince": "2026-11-14T22:00:31Z",
                "reasonsUntil": "2026-11-15T22:00:31Z",
                "refused": {"signature-forged": 12},
                "items": [],
                "found": 0,
                "settled": 0,
                "foundVerdicts": [],
                "settledVerdicts": [],
                "acts": [],
            },
            also=("text/markdown",),
        ),
        problem(HTTPStatus.BAD_REQUEST, "`day` or `format` cannot be.", field_name="day"),
        problem(HTTPStatus.NOT_FOUND, "There is no such brand, or no digest of the day.", field_name="day"),
    ),
)

OPERATIONS = (DIGEST_READ,)
SCHEMAS = {"Digest": DIGEST_OF_DAY}
