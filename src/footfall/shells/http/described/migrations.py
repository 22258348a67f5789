"""The route of migrations."""

from http import HTTPStatus
from typing import Any

from footfall.shells.http.described.lists import BRAND
from footfall.shells.http.described.operation import (
    JSON,
    Answer,
    Operation,
    Schema,
    listed,
    maybe,
    problem,
    record,
    text,
    whole,
)

GROUP = "Metrics"
MIGRATIONS_MAX = 100
BLOCKED_BOUNDS_MS = (1, 2, 5, 10, 20, 50, 100, 1_000)

_MOMENT = text(format="date-time")
_RATE: Schema = {"type": "number", "minimum": 0}
_SHARE: Schema = {"type": "number", "minimum": 0, "maximum": 1, "description": "how much of all is moved"}

MIGRATION = record(
    {
        "entity": text("what is moved, as the mapping calls it"),
        "startedAt": _MOMENT,
        "heardAt": {**_MOMENT, "description": "when the mover last said how far it is"},
        "ageMs": whole(0, says="how long ago that was; a mover that runs says it every second"),
        "endedAt": maybe(_MOMENT),
        "all": whole(0),
        "migrated": whole(0),
        "moving": whole(0),
        "left": whole(0),
        "setAside": whole(0, says="what could not be moved"),
        "share": _SHARE,
        "perSecond": {**_RATE, "description": "how many were moved a second of late"},
        "timeLeftMs": maybe(whole(0, says="at that pace; null where nothing moves")),
        "lag": whole(0, says="changes of the old side that wait to be carried over"),
        "lagMs": whole(0, says="how long the oldest of them waits"),
        "differences": maybe(whole(0, says="that the last verification found; null before any")),
        "behind": whole(0, says="what had changed during that, and was still to be carried over"),
        "blocked": listed(
            record({"upToMs": maybe(whole(1)), "count": whole(0)}, required=("upToMs", "count")),
            description="how long handovers held writers up: how many up to each bound; null: longer than all",
        ),
    },
    says="How far a migration was when it was last heard of.",
)
SCHEMAS: dict[str, Schema] = {"Migration": MIGRATION}

_COUNTS = (300, 90, 11, 2, 0, 0, 0, 0, 0)
_EXAMPLE: dict[str, Any] = {
    "entity": "metric",
    "startedAt": "2026-11-15T14:30Z",
    "heardAt": "2026-11-15T14:31:02.500Z",
    "ageMs": 640,
    "endedAt": None,
    "all": 20_000,
    "migrated": 12_400,
    "moving": 200,
    "left": 7_397,
    "setAside": 3,
    "share": 0.62,
    "perSecond": 410.5,
    "timeLeftMs": 18_506,
    "lag": 4,
    "lagMs": 35,
    "differences": 0,
    "behind": 1,
    "blocked": [
        {"upToMs": bound, "count": count} for bound, count in zip((*BLOCKED_BOUNDS_MS, None), _COUNTS, strict=True)
    ],
}

OPERATIONS = (
    Operation(
        "GET",
        "/v1/migrations",
        "migrations",
        "How far moves of databases into a brand's metric catalogue are.",
        GROUP,
        "read",
        more="What `footfall migrate` says while it runs, for whoever may read the catalogue; it stays when it has "
        "ended. Moves of rows that become no brand's metrics are told by `footfall migrate status` alone.",
        parameters=(BRAND,),
        answers=(
            Answer(
                HTTPStatus.OK,
                "The migrations; none, as a rule.",
                JSON,
                record(
                    {
                        "brand": text(),
                        "items": listed({"$ref": "#/components/schemas/Migration"}, maxItems=MIGRATIONS_MAX),
                    }
                ),
                {"brand": "abc", "items": [_EXAMPLE]},
            ),
            problem(HTTPStatus.BAD_REQUEST, "A parameter is unknown.", field_name="q"),
        ),
    ),
)
