"""The routes of the instance itself: its health, its gauges, its pages and this description."""

from http import HTTPStatus
from typing import Any

from footfall.shells.http.described.operation import (
    JSON,
    Answer,
    Operation,
    Parameter,
    Schema,
    listed,
    maybe,
    problem,
    record,
    text,
    whole,
)

GROUP = "The instance"

_HTML = "text/html"
_KEPT = Parameter("If-None-Match", "The `ETag` of the one that is there.", text(), "header")
_SAME = Answer(HTTPStatus.NOT_MODIFIED, "It has not changed.")

_AMOUNT: Schema = {"type": "number", "minimum": 0}
_COSTS = record(
    {
        "hitsPerDay": {**_AMOUNT, "description": "of a mean day"},
        "busiestMinute": {**_AMOUNT, "description": "hits of it"},
        "usd": text("dollars of a month on AWS, with cents"),
        "kinesisShards": whole(1),
        "firstToBreak": text("the limit that is reached first"),
        "reachedAt": {**_AMOUNT, "description": "how many times the traffic reaches it"},
    },
    says="What traffic comes to on AWS.",
)
_PLAN = record(
    {
        "hours": whole(0, says="that were counted, of the last 14 days"),
        "actual": maybe(_COSTS),
        "planned": maybe(_COSTS),
        "says": listed(text(), maxItems=20, description="what to do, or why there is no plan"),
        "isBeingMade": {"type": "boolean", "description": "ask again in some seconds"},
    },
    says="What was counted, as a plan.",
)
_OF = {"usd": "886.33", "kinesisShards": 1, "firstToBreak": "records a second of a Kinesis shard", "reachedAt": 4.8}
_PLANNED: dict[str, Any] = {
    "hours": 336,
    "actual": {"hitsPerDay": 10_200_000.0, "busiestMinute": 12_100.0, **_OF},
    "planned": {"hitsPerDay": 10_000_000.0, "busiestMinute": 12_000.0, **_OF},
    "says": [
        "Nothing to scale: functions at once: 1 % used in the busiest minute, reached at 100.0 times the traffic."
    ],
    "isBeingMade": False,
}

OPERATIONS = (
    Operation(
        "GET",
        "/healthz",
        "health",
        "Whether the process answers.",
        GROUP,
        answers=(Answer(HTTPStatus.OK, "It does.", JSON, record({"status": text(enum=["ok"])}), {"status": "ok"}),),
    ),
    Operation(
        "GET",
        "/readyz",
        "readiness",
        "Whether hits are taken and lists are served.",
        GROUP,
        answers=(
            Answer(HTTPStatus.OK, "They are.", JSON, record({"status": text(enum=["ready"])}), {"status": "ready"}),
            problem(HTTPStatus.SERVICE_UNAVAILABLE, "They are not; `detail` names all the reasons."),
        ),
    ),
    Operation(
        "GET",
        "/metrics",
        "gauges",
        "Gauges for Prometheus, to addresses of `http_metrics_networks` and to owners who are signed in.",
        GROUP,
        answers=(
            Answer(HTTPStatus.OK, "The gauges.", "text/plain", text()),
            problem(HTTPStatus.FORBIDDEN, "The address may not read the gauges, and no owner asks."),
        ),
    ),
    Operation(
        "GET",
        "/v1/plan",
        "plan",
        "What the hits of the last 14 days would cost on AWS, and what to do, beside what was planned.",
        GROUP,
        more="For addresses of `http_metrics_networks` and owners who are signed in. It is made by a process of "
        "its own at the lowest "
        "priority and kept for an hour. `footfall plan --actual` says all of it. An instance has it; a stack "
        "on AWS does not.",
        answers=(
            Answer(HTTPStatus.OK, "The plan; `actual` is null while too little was counted.", JSON, _PLAN, _PLANNED),
            problem(HTTPStatus.BAD_REQUEST, "There are no parameters.", field_name="q"),
            problem(HTTPStatus.FORBIDDEN, "The address may not read it, and no owner asks."),
        ),
    ),
    Operation(
        "GET",
        "/openapi.json",
        "description",
        "This description, for programs.",
        GROUP,
        parameters=(_KEPT,),
        answers=(Answer(HTTPStatus.OK, "An OpenAPI 3.1 document.", JSON, {"type": "object"}), _SAME),
    ),
    Operation(
        "GET",
        "/docs",
        "descriptionPage",
        "This description, for people.",
        GROUP,
        parameters=(_KEPT,),
        answers=(Answer(HTTPStatus.OK, "The page.", _HTML, text()), _SAME),
    ),
    *(
        Operation(
            "GET",
            f"/static/{name}",
            f"file{number}",
            says,
            GROUP,
            parameters=(_KEPT,),
            answers=(Answer(HTTPStatus.OK, "The file.", kind, text()), _SAME),
        )
        for number, (name, kind, says) in enumerate(
            (
                ("page.css", "text/css", "The style of the page of all routes."),
                ("docs.css", "text/css", "More style of that page."),
            )
        )
    ),
)
