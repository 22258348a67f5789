"""The outbox of alerts: every delivery waits in the table until it was taken; the history tells what became of it."""

import re
from collections.abc import Callable, Sequence
from typing import Any

import msgspec
from msgspec import Struct, convert, structs, to_builtins

from footfall.accounts import alert_keys as keys
from footfall.accounts.alert_evaluation import Raised
from footfall.accounts.alerts import Alert
from footfall.ports.errors import Changed
from footfall.ports.items import Item
from footfall.ports.table import Action, Delete, Key, Present, Put, Table, Update
from footfall.values.clock import Clock
from footfall.values.errors import Refused
from footfall.values.window import DAY_MS, instant_text

KEEP_MS = 30 * DAY_MS  # of the history
CLAIM_MS = 45_000  # for which nobody else takes up a delivery; a try takes ten seconds at most
SAID_CHARACTERS_MAX = 200
WAITING, DELIVERED, RETRYING, FAILED, WITHDRAWN = "waiting", "delivered", "retrying", "failed", "withdrawn"
TURNED_OFF = "turned-off"

_CURSOR = re.compile(r"[0-9]{15}-evt_[a-z2-7]{32}")


class Delivery(Struct, frozen=True, kw_only=True):
    """One message to one place."""

    brand: str
    alert: str
    event: str
    at_ms: int  # when it was raised
    place: str
    number: int  # of the place among the event's
    message: str
    due_ms: int
    attempts: int = 0

    @property
    def key(self) -> Key:
        """Return where it waits."""
        return keys.delivery(self.due_ms, self.event, self.number)


class AlertOutbox:
    """What is on its way, and the history of what was."""

    def __init__(self, table: Table, *, clock: Clock) -> None:
        self._table = table
        self._clock = clock

    def due(self, *, limit: int) -> Sequence[Delivery]:
        """Return some of the deliveries that are due, those that wait longest first."""
        page = self._table.query(keys.OUTBOX, at_most=keys.due_until(self._clock.now_ms()), limit=limit)
        return [convert(dict(one.item), type=Delivery) for one in page.items]

    def claimed(self, delivery: Delivery) -> Delivery | None:
        """Return a delivery as ours to try, for a while; None when somebody else has it."""
        ours = structs.replace(delivery, due_ms=self._clock.now_ms() + CLAIM_MS, attempts=delivery.attempts + 1)
        try:
            self._table.transact([Delete(delivery.key, expects=(Present(),)), _waiting(ours)])
        except Changed:
            return None
        return ours

    def retry(self, delivery: Delivery, *, due_ms: int, said: str) -> None:
        """Try a delivery again later."""
        again = structs.replace(delivery, due_ms=due_ms)
        self._settle(delivery, RETRYING, said, [_waiting(again)], next_ms=due_ms)

    def settle(self, delivery: Delivery, state: str, *, said: str) -> None:
        """Take a delivery out: it was taken, given up, or nobody wants it any more."""
        self._settle(delivery, state, said, [])

    def page(self, brand: str, *, limit: int, after: str = "") -> tuple[Sequence[Item], str]:
        """Return what was told of a brand, the newest first, and where to go on; empty when that is all."""
        if after and _CURSOR.fullmatch(after) is None:
            raise Refused("after", f"{after[:40]!r} is not what an answer said; send it as it was")
        place = Key(keys.events(brand), after) if after else None
        found = self._table.query(keys.events(brand), backwards=True, limit=limit, after=place)
        return [one.item for one in found.items], found.after.sort if found.after is not None else ""

    def _settle(
        self, delivery: Delivery, state: str, said: str, more: list[Action], *, next_ms: int | None = None
    ) -> None:
        told: dict[str, Any] = {
            "state": state, "attempts": delivery.attempts, "at_ms": self._clock.now_ms(),
            "said": said[:SAID_CHARACTERS_MAX], "next_ms": next_ms,
        }  # fmt: skip
        gone = Delete(delivery.key, expects=(Present(),))
        event = keys.event(delivery.brand, keys.event_sort(delivery.at_ms, delivery.event))
        history = Update(event, set={f"d{delivery.number}": told}, expects=(Present(),))
        try:
            self._table.transact([gone, *more, history])
        except Changed:  # The event is forgotten by now, or somebody else has settled it.
            self._table.transact([Delete(delivery.key), *more])


def message_of(alert: Alert, raised: Raised, *, event_id: str, at_ms: int) -> bytes:
    """Return what webhooks get, as it travels: the same bytes at every try."""
    return msgspec.json.encode(
        {
            "id": event_id,
            "type": raised.type,
            "brand": alert.brand,
            "alert": {"id": alert.id, "name": alert.name},
            "at": instant_text(at_ms),
            "text": raised.text,
            "about": raised.about,
        }
    )


def event_put(alert: Alert, raised: Raised, *, now_ms: int) -> Put:
    """Return what writes an event into the history."""
    event_id = raised.id_for(alert)
    item: dict[str, Any] = {
        "id": event_id, "type": raised.type, "alert": alert.id, "name": alert.name, "at_ms": now_ms,
        "text": raised.text, "about": msgspec.json.encode(raised.about).decode(), "places": list(alert.places),
    }  # fmt: skip
    sort = keys.event_sort(now_ms, event_id)
    return Put(keys.event(alert.brand, sort), item, expires_at_ms=now_ms + KEEP_MS)


def deliveries_of(alert: Alert, raised: Raised, *, now_ms: int) -> list[Put]:
    """Return what puts an event into the outbox, once for each place."""
    event_id = raised.id_for(alert)
    message = message_of(alert, raised, event_id=event_id, at_ms=now_ms).decode()
    return [
        _waiting(
            Delivery(
                brand=alert.brand, alert=alert.id, event=event_id, at_ms=now_ms, place=place, number=number,
                message=message, due_ms=now_ms,
            )
        )
        for number, place in enumerate(alert.places)
    ]  # fmt: skip


def turned_off_put(alert: Alert, place: str, why: str, *, now_ms: int) -> Put:
    """Return what writes into the history that nothing is sent to a place any more."""
    text = f"Nothing is sent there any more: {why}."
    return event_put(alert, Raised(TURNED_OFF, place, now_ms, text, {"place": place}), now_ms=now_ms)


def document_of_event(item: Item, *, shown: Callable[[str], str]) -> dict[str, Any]:
    """Return an event of the history as people read it."""
    places = convert(item["places"], list[str]) if item["type"] != TURNED_OFF else []
    about: dict[str, Any] = msgspec.json.decode(str(item["about"]))
    if "place" in about:
        about["place"] = shown(str(about["place"]))
    return {
        "id": item["id"],
        "type": item["type"],
        "alert": {"id": item["alert"], "name": item["name"]},
        "at": instant_text(convert(item["at_ms"], int)),
        "text": item["text"],
        "about": about,
        "deliveries": [_delivered(item, number, shown(place)) for number, place in enumerate(places)],
    }


def _delivered(item: Item, number: int, place: str) -> dict[str, Any]:
    told: dict[str, Any] = convert(item.get(f"d{number}", {"state": WAITING, "attempts": 0}), dict[str, Any])
    at_ms, next_ms = told.get("at_ms"), told.get("next_ms")
    return {
        "to": place,
        "state": told["state"],
        "attempts": told["attempts"],
        "at": None if at_ms is None else instant_text(at_ms),
        "said": told.get("said", ""),
        "next": None if next_ms is None else instant_text(next_ms),
    }


def _waiting(delivery: Delivery) -> Put:
    # Nothing stays for ever: a delivery that nobody tries for days is of no use to anybody.
    return Put(delivery.key, to_builtins(delivery), expires_at_ms=delivery.at_ms + 3 * DAY_MS)
