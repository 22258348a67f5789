"""An HTTP API of AWS for tests: requests become events of payload format 2.0 and go to the function of their route."""

import base64
import itertools
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Any
from urllib.parse import unquote

from footfall.adapters.aws.sessions import Ground, client_of
from footfall.app.settings import Settings
from tests.engines.dynamodb import ACCESS_KEY, REGION, SECRET_KEY, DynamoDbEngine
from tests.engines.kinesis import KinesisEngine, require_active
from tests.engines.lambda_runtime import Function, RunHandler

SOURCES = Path(__file__).resolve().parents[3] / "src"
TABLES = ("store", "accounts", "catalog", "metrics", "salts")
COLLECTED = {
    ("POST", "/v1/hits"), ("OPTIONS", "/v1/hits"), ("POST", "/v1/pagehits"), ("OPTIONS", "/v1/pagehits"),
    ("POST", "/v1/pings"), ("OPTIONS", "/v1/pings"),
    ("GET", "/v1/pixel.gif"), ("PUT", "/v1/assets"), ("GET", "/v1/brand"), ("PATCH", "/v1/brand"),
    ("GET", "/v1/rules"), ("PUT", "/v1/rules"),
    ("GET", "/v1/keys"), ("POST", "/v1/keys"), ("POST", "/v1/tokens"),
    ("GET", "/v1/session"), ("POST", "/v1/session"), ("DELETE", "/v1/session"),
    ("GET", "/v1/sessions"), ("DELETE", "/v1/sessions"), ("POST", "/v1/setup"), ("POST", "/v1/register"),
    ("GET", "/v1/invitations"), ("POST", "/v1/invitations"), ("GET", "/v1/members"),
    ("POST", "/v1/invitations/offer"), ("POST", "/v1/invitations/accept"), ("POST", "/v1/password"),
    ("POST", "/v1/password/reset"), ("POST", "/v1/password/reset/accept"),
    ("POST", "/v1/screening/verdicts"), ("POST", "/v1/screening/try"), ("POST", "/v1/brands"),
    ("GET", "/v1/alerts"), ("POST", "/v1/alerts"), ("GET", "/v1/alerts/history"), ("POST", "/v1/metrics"),
}  # fmt: skip
COLLECTED_BELOW = (
    ("DELETE", "/v1/assets/"), ("DELETE", "/v1/keys/"), ("POST", "/v1/keys/"), ("POST", "/v1/uniques/"),
    ("PUT", "/v1/uniques/"), ("DELETE", "/v1/uniques/"), ("POST", "/hyperloglog/"),
    ("POST", "/v1/screening/verdicts/"),
    ("PUT", "/v1/metrics/"), ("POST", "/v1/metrics/"), ("DELETE", "/v1/metrics/"),
    ("DELETE", "/v1/invitations/"), ("PUT", "/v1/members/"), ("DELETE", "/v1/members/"),
    ("PUT", "/v1/alerts/"), ("DELETE", "/v1/alerts/"), ("POST", "/v1/alerts/"),
)  # fmt: skip

_names = itertools.count(1)


@dataclass(frozen=True, slots=True)
class Reply:
    """What the API would send."""

    status: int
    headers: Mapping[str, str]
    body: bytes


@dataclass(frozen=True, slots=True)
class Place:
    """Tables and a stream on the engines, as settings and as variables of a function."""

    settings: Settings
    variables: Mapping[str, str]


@dataclass(slots=True)
class Api:
    """Both functions behind one API."""

    collect: Function
    serve: Function
    stage: str = "$default"
    source_ip: str = "127.0.0.1"
    events: list[dict[str, Any]] = field(default_factory=list[dict[str, Any]])

    def call(
        self, method: str, target: str, body: bytes | None = None, headers: Mapping[str, str] | None = None
    ) -> Reply:
        """Ask the function that the route belongs to."""
        event = event_of(
            method, target, body=body or b"", headers=headers or {}, stage=self.stage, source_ip=self.source_ip
        )
        self.events.append(event)
        function = self.collect if is_collected(method, target.partition("?")[0]) else self.serve
        return reply_from(function.invoke(event))


def is_collected(method: str, path: str) -> bool:
    """Tell whether the template sends the route to collect; everything else goes to serve."""
    below = any(method == one and path.startswith(start) for one, start in COLLECTED_BELOW)
    return (method, path) in COLLECTED or below


def event_of(
    method: str,
    target: str,
    *,
    body: bytes = b"",
    headers: Mapping[str, str] | None = None,
    stage: str = "$default",
    source_ip: str = "127.0.0.1",
) -> dict[str, Any]:
    """Return the event that an HTTP API makes of a request."""
    path, _, query = target.partition("?")
    sent = {name.lower(): value for name, value in (headers or {}).items()}
    cookies = sent.pop("cookie", "")
    path = unquote(path) if stage == "$default" else f"/{stage}{unquote(path)}"
    event: dict[str, Any] = {
        "version": "2.0",
        "routeKey": "$default",
        "rawPath": path,
        "rawQueryString": query,
        "headers": {"host": "example.execute-api.eu-north-1.amazonaws.com", **sent},
        "requestContext": {
            "stage": stage,
            "http": {"method": method, "path": path, "protocol": "HTTP/1.1", "sourceIp": source_ip, "userAgent": ""},
            "requestId": "JKJaXmPLvHcESHA=",
        },
        "isBase64Encoded": False,
    }
    if cookies:
        event["cookies"] = cookies.split("; ")
    if body:
        try:
            event["body"] = body.decode()
        except UnicodeDecodeError:
            event |= {"body": base64.b64encode(body).decode(), "isBase64Encoded": True}
    return event


def reply_from(answer: Mapping[str, Any]) -> Reply:
    """Return what the API makes of a function's answer."""
    body: str = answer["body"]
    whole = base64.b64decode(body) if answer["isBase64Encoded"] else body.encode()
    return Reply(answer["statusCode"], answer["headers"], whole)


def place_on(dynamodb: DynamoDbEngine, kinesis: KinesisEngine, **settings: Any) -> Place:
    """Make tables and a stream on the engines."""
    client = dynamodb.shared()
    chosen: dict[str, Any] = {f"aws_{one}_table": dynamodb.names(client).table for one in TABLES}
    chosen |= {
        "ground": "aws",
        "aws_region": REGION,
        "aws_dynamodb_endpoint": dynamodb.endpoint,
        "aws_kinesis_endpoint": kinesis.endpoint,
        "aws_stream": new_stream(kinesis),
        "aws_stack": "under-test",
        **settings,
    }
    variables = {f"FOOTFALL_{name.upper()}": str(value) for name, value in chosen.items() if name != "brands"}
    if "brands" in chosen:
        variables["FOOTFALL_BRANDS"] = ",".join(f"{name}:{one.zone}" for name, one in chosen["brands"].items())
    # The engine has a database for each key and region.
    variables |= {"AWS_ACCESS_KEY_ID": ACCESS_KEY, "AWS_SECRET_ACCESS_KEY": SECRET_KEY}
    return Place(Settings(**chosen), variables)


def new_stream(kinesis: KinesisEngine) -> str:
    """Make a stream in the tables' region."""
    client = _client(Ground(region=REGION, endpoint=kinesis.endpoint, access_key=ACCESS_KEY, secret_key=SECRET_KEY))
    name = f"http-{next(_names)}"
    client.create_stream(StreamName=name, ShardCount=1)
    require_active(client, name)
    return name


@cache
def _client(ground: Ground) -> Any:
    return client_of("kinesis", ground)


def api_on(run_handler: RunHandler, place: Place) -> Api:
    """Return both functions, which start with their first event."""

    def function(name: str) -> Function:
        return run_handler(SOURCES, f"footfall.shells.lambdas.{name}.handler", place.variables)

    return Api(function("collect"), function("serve"))


Make = Callable[[], Api]
