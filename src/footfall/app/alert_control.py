"""What is asked about alerts, by an operator or over HTTP: who may be told, what there is, and what was told."""

from collections.abc import Callable, Mapping
from typing import Any, Final, TypedDict, cast

from footfall.accounts.alert_outbox import document_of_event
from footfall.accounts.alert_store import AlertStore
from footfall.accounts.alerts import RequireWebhook, document_of_alert, shown_place
from footfall.accounts.brands import UnknownBrand
from footfall.accounts.register import Register
from footfall.app.alert_places import webhook_rule
from footfall.app.alert_sending import senders_from, tried_out
from footfall.app.settings import Settings
from footfall.values.clock import SystemClock
from footfall.values.errors import Refused

PAGE_DEFAULT, PAGE_MAX = 50, 500
TEST = "alerts-test"

Request = Mapping[str, Any]
Answer = dict[str, Any]


class MayBeTold(TypedDict):
    """Where this instance can send messages to."""

    require_webhook: RequireWebhook
    has_mail: bool


def may_be_told(settings: Settings) -> MayBeTold:
    """Return where alerts may be sent to, as the settings have it."""
    return {"require_webhook": webhook_rule(settings), "has_mail": bool(settings.smtp_host)}


def history_of(store: AlertStore, brand: str, *, limit: int, after: str, is_admin: bool) -> Answer:
    """Return a page of what was told of a brand, the newest first."""
    items, next_after = store.outbox.page(brand, limit=limit, after=after)
    events = [document_of_event(one, shown=lambda place: shown_place(place, is_admin=is_admin)) for one in items]
    page: Answer = {"brand": brand, "items": events}
    return {**page, "after": next_after} if next_after else page


def list_alerts(register: Register, request: Request, _settings: Settings) -> Answer:
    """Return a brand's alerts."""
    brand = str(request["brand"])
    return {"brand": brand, "alerts": [document_of_alert(one, is_admin=True) for one in register.alerts.of(brand)]}


def add_alert(register: Register, request: Request, settings: Settings) -> Answer:
    """Make an alert, and tell its secret this once."""
    brand, document = str(request["brand"]), request.get("alert")
    if register.brand(brand) is None:
        raise UnknownBrand("brand", f"{brand!r} is not a stored brand; footfall brands add {brand} makes it one")
    if not isinstance(document, Mapping):
        raise Refused("alert", "is not an object")
    made = register.alerts.add(brand, cast("Mapping[str, Any]", document), **may_be_told(settings))
    return {**document_of_alert(made, is_admin=True), "secret": made.secret}


def remove_alert(register: Register, request: Request, _settings: Settings) -> Answer:
    """Forget an alert."""
    gone = register.alerts.remove(str(request["brand"]), str(request.get("id")))
    return document_of_alert(gone, is_admin=True)


def try_alert(register: Register, request: Request, settings: Settings) -> Answer:
    """Send a test message to every place of an alert, from here."""
    found = register.alerts.one(str(request["brand"]), str(request.get("id")))
    return {"id": found.id, "deliveries": tried_out(found, senders_from(settings, SystemClock()))}


def show_history(register: Register, request: Request, _settings: Settings) -> Answer:
    """Return what was told of a brand."""
    after = str(request.get("after") or "")
    return history_of(register.alerts, str(request["brand"]), limit=PAGE_MAX, after=after, is_admin=True)


ABOUT_ALERTS: Final[Mapping[str, Callable[[Register, Request, Settings], Answer]]] = {
    "alerts-list": list_alerts,
    "alerts-add": add_alert,
    "alerts-remove": remove_alert,
    TEST: try_alert,
    "alerts-history-show": show_history,
}
