"""The routes of alerts: what a brand wants to be told of, tests of it, and the history of what was told."""

from http import HTTPStatus

from footfall.accounts.alert_outbox import DELIVERED, FAILED, RETRYING, WAITING, WITHDRAWN
from footfall.accounts.alerts import (
    EMAILS_MAX,
    HITS_MAX,
    KINDS,
    NAME_BYTES_MAX,
    TIMES_MAX,
    URL_BYTES_MAX,
    WEBHOOKS_MAX,
    WINDOWS,
)
from footfall.app.alert_control import PAGE_DEFAULT, PAGE_MAX
from footfall.shells.http.described.operation import (
    JSON,
    Answer,
    Body,
    Operation,
    Parameter,
    listed,
    maybe,
    problem,
    record,
    text,
    whole,
)
from footfall.values.hit import LABEL_BYTES_MAX

GROUP = "Alerts"

_SHARE = {"type": "number", "minimum": 0, "maximum": 1}
_OF_KINDS = {
    "hits": whole(1, HITS_MAX, "asset-passes: how many hits an asset has to have"),
    "window": text("asset-passes: in the brand's hour or day, or in the last `minutes`", enum=list(WINDOWS)),
    "minutes": whole(1, 1_440, "of the window minutes; of silence; of what is looked at for lost hits (at most 60)"),
    "section": maybe(text("asset-passes: only hits in this section", bytes_max=LABEL_BYTES_MAX)),
    "hours": maybe(text("brand-silent: only in these hours of the brand's zone, such as `07:00-23:00`")),
    "share": {**_SHARE, "description": "drops-spike: the share of hits that are not counted, from which it is told"},
    "atLeast": whole(1, HITS_MAX, "drops-spike: how many hits must be lost at least"),
    "times": {
        "type": "number",
        "minimum": 0,
        "maximum": TIMES_MAX,
        "description": "drops-spike: how often the usual share, that of the day before",
    },
}
_COMMON = {
    "name": text(bytes_max=NAME_BYTES_MAX),
    "kind": text(enum=list(KINDS)),
    "isOn": {"type": "boolean"},
    "webhooks": listed(text("by https", bytes_max=URL_BYTES_MAX), maxItems=WEBHOOKS_MAX),
    "emails": listed(text(), maxItems=EMAILS_MAX),
}
NEW_ALERT = {
    **record({**_COMMON, **_OF_KINDS}, required=("name", "kind")),
    "additionalProperties": False,
}
_MADE_OF = {
    "id": text(),
    **_COMMON,
    "turnedOff": {
        "type": "object",
        "additionalProperties": text(),
        "description": "places that nothing is sent to any more, and why; a change begins anew with them",
    },
    "created": text(),
    "by": text(),
}
ALERT = record(
    {**_MADE_OF, **_OF_KINDS, "secret": text("what signs its messages; told when it is made and when it is rotated")},
    required=tuple(_MADE_OF),
)
_DELIVERY = record(
    {
        "to": text(),
        "state": text(enum=[WAITING, RETRYING, DELIVERED, FAILED, WITHDRAWN]),
        "attempts": whole(0),
        "at": maybe(text("of the last try")),
        "said": text("what came back"),
        "next": maybe(text("when it is tried again")),
    }
)
EVENT = record(
    {
        "id": text("the same at every delivery"),
        "type": text(
            "`asset-passes`, `brand-silent`, `brand-heard-again`, `drops-spike`, `page-changed` or `turned-off`"
        ),
        "alert": record({"id": text(), "name": text()}),
        "at": text(),
        "text": text("a sentence for people"),
        "about": {"type": "object", "description": "the figures; docs/how-to/alerts.md names them for each type"},
        "deliveries": listed(_DELIVERY),
    }
)

_WANTED = {
    "name": "Front page material",
    "kind": "asset-passes",
    "hits": 1_000,
    "window": "hour",
    "webhooks": ["https://hooks.example.com/footfall"],
}
_SILENCE = {
    "name": "Nobody reads us",
    "kind": "brand-silent",
    "minutes": 15,
    "hours": "07:00-23:00",
    "emails": ["desk@example.com"],
}
_ALERT = {
    "id": "al_3k7mqz2v9xw4t6ra",
    "name": "Front page material",
    "kind": "asset-passes",
    "isOn": True,
    "hits": 1_000,
    "window": "hour",
    "section": None,
    "webhooks": ["https://hooks.example.com/footfall"],
    "emails": [],
    "turnedOff": dict[str, str](),
    "created": "2026-11-15T14:30Z",
    "by": "3k7mqz2v9xw4t6ra",
}
_EVENT = {
    "id": "evt_2gq6jz5xk3c4v7ra2gq6jz5xk3c4v7ra",
    "type": "asset-passes",
    "alert": {"id": "al_3k7mqz2v9xw4t6ra", "name": "Front page material"},
    "at": "2026-11-15T14:41:07.512Z",
    "text": "132141398 has 1,004 hits in its hour.",
    "about": {
        "asset": "132141398",
        "title": None,
        "address": None,
        "section": None,
        "hits": 1_004,
        "threshold": 1_000,
        "from": "2026-11-15T14:00Z",
        "to": "2026-11-15T15:00Z",
    },
    "deliveries": [
        {
            "to": "https://hooks.example.com/footfall",
            "state": "delivered",
            "attempts": 1,
            "at": "2026-11-15T14:41:08Z",
            "said": "200 OK",
            "next": None,
        }
    ],
}
_REF = {"$ref": "#/components/schemas/Alert"}
_ID = Parameter(
    "id", "The alert's id.", text(bytes_max=64, minLength=1), "path", is_required=True, example="al_3k7mqz2v9xw4t6ra"
)
_WRONG = problem(
    HTTPStatus.BAD_REQUEST, "A field is unknown or has a value that it may not have.", field_name="webhooks"
)
_UNKNOWN = problem(HTTPStatus.NOT_FOUND, "The brand has no such alert.", field_name="id")
_OPEN = problem(HTTPStatus.NOT_FOUND, "The brand is open: it is not stored, so it has no alerts.", field_name="brand")
_MADE = Answer(HTTPStatus.CREATED, "The alert, with its secret.", JSON, _REF, {**_ALERT, "secret": "ffhook_…"})
_BODY = Body(JSON, {"$ref": "#/components/schemas/NewAlert"}, {"an asset": _WANTED, "silence": _SILENCE})
_TOLD = record({"to": text(), "isTaken": {"type": "boolean"}, "said": text("what came back")})

LIST = Operation(
    "GET",
    "/v1/alerts",
    "alerts",
    "A brand's alerts.",
    GROUP,
    "read",
    more="Whoever may not administer the brand sees of a webhook where it leads, without its path.",
    answers=(
        Answer(
            HTTPStatus.OK,
            "The alerts.",
            JSON,
            record({"brand": text(), "alerts": listed(_REF)}),
            {"brand": "abc", "alerts": [_ALERT]},
        ),
    ),
)
ADD = Operation(
    "POST",
    "/v1/alerts",
    "addAlert",
    "Make an alert.",
    GROUP,
    "admin",
    more="Messages to webhooks are signed with its secret, which is told this once (docs/how-to/alerts.md).",
    bodies=(_BODY,),
    answers=(_MADE, _WRONG, _OPEN),
)
CHANGE = Operation(
    "PUT",
    "/v1/alerts/{id}",
    "changeAlert",
    "Put another definition in the place of an alert's.",
    GROUP,
    "admin",
    more="Its id, its secret and what it has told stay. Places that were turned off are tried again.",
    parameters=(_ID,),
    bodies=(_BODY,),
    answers=(Answer(HTTPStatus.OK, "The alert.", JSON, _REF, _ALERT), _WRONG, _UNKNOWN),
)
REMOVE = Operation(
    "DELETE",
    "/v1/alerts/{id}",
    "removeAlert",
    "Remove an alert.",
    GROUP,
    "admin",
    more="What is on its way is not sent any more.",
    parameters=(_ID,),
    answers=(
        Answer(HTTPStatus.OK, "What it was.", JSON, record({"removed": _REF}), {"removed": _ALERT}),
        _UNKNOWN,
    ),
)
TEST = Operation(
    "POST",
    "/v1/alerts/{id}/test",
    "testAlert",
    "Send a test message to every place of an alert, now and once, and tell what came back.",
    GROUP,
    "admin",
    parameters=(_ID,),
    answers=(
        Answer(
            HTTPStatus.OK,
            "What came back from each place.",
            JSON,
            record({"id": text(), "deliveries": listed(_TOLD)}),
            {
                "id": "al_3k7mqz2v9xw4t6ra",
                "deliveries": [{"to": "https://hooks.example.com/footfall", "isTaken": True, "said": "200 OK"}],
            },
        ),
        _UNKNOWN,
    ),
)
ROTATE = Operation(
    "POST",
    "/v1/alerts/{id}/rotate",
    "rotateAlert",
    "Give an alert another secret.",
    GROUP,
    "admin",
    more="For a day messages are signed with the secret before as well.",
    parameters=(_ID,),
    answers=(_MADE, _UNKNOWN),
)
HISTORY = Operation(
    "GET",
    "/v1/alerts/history",
    "alertHistory",
    "What was told of a brand in the last 30 days, the newest first, and what became of each delivery.",
    GROUP,
    "read",
    parameters=(
        Parameter("limit", f"How many; {PAGE_DEFAULT} unless told.", whole(1, PAGE_MAX), example=20),
        Parameter("after", "What the last answer said, to go on behind it.", text(bytes_max=100)),
    ),
    answers=(
        Answer(
            HTTPStatus.OK,
            "The events; `after` is there when there are more.",
            JSON,
            record(
                {"brand": text(), "items": listed({"$ref": "#/components/schemas/AlertEvent"}), "after": text()},
                required=("brand", "items"),
            ),
            {"brand": "abc", "items": [_EVENT]},
        ),
        problem(HTTPStatus.BAD_REQUEST, "A parameter is unknown or cannot be.", field_name="limit"),
    ),
)

OPERATIONS = (LIST, ADD, HISTORY, CHANGE, REMOVE, TEST, ROTATE)
SCHEMAS = {"Alert": ALERT, "NewAlert": NEW_ALERT, "AlertEvent": EVENT}
