"""The routes of the instance itself: its health, its gauges, its pages and this description."""

from http import HTTPStatus

from footfall.shells.http.described.operation import JSON, Answer, Operation, Parameter, problem, record, text

GROUP = "The instance"

_HTML = "text/html"
_KEPT = Parameter("If-None-Match", "The `ETag` of the one that is there.", text(), "header")
_SAME = Answer(HTTPStatus.NOT_MODIFIED, "It has not changed.")

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
