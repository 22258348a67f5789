"""Alerts as they lie in the table, and what they told: each step with its event and its deliveries is one write."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from msgspec import convert, structs, to_builtins

from footfall.accounts import alert_keys as keys
from footfall.accounts.alert_evaluation import Raised, State, Step
from footfall.accounts.alert_memory import Memory, memory_from_plain, plain_from_memory
from footfall.accounts.alert_outbox import AlertOutbox, deliveries_of, event_put, turned_off_put
from footfall.accounts.alerts import (
    ALERTS_MAX,
    GRACE_MS,
    Alert,
    RequireWebhook,
    UnknownAlert,
    alert_with,
    new_alert_id,
    new_alert_secret,
)
from footfall.accounts.audit import Act, Detail, Note, Trail
from footfall.accounts.keys import RandomBytes
from footfall.ports.errors import Changed
from footfall.ports.items import Item
from footfall.ports.table import BATCH_ITEMS_MAX, Absent, Action, Check, Delete, Equals, Present, Put, Table, everything
from footfall.values.clock import Clock
from footfall.values.errors import Refused


class AlertStore:
    """The alerts of all brands in one table. Every change that somebody makes is in the audit trail."""

    def __init__(self, table: Table, trail: Trail, *, clock: Clock, random_bytes: RandomBytes, by: str) -> None:
        self._table = table
        self._trail = trail
        self._clock = clock
        self._random_bytes = random_bytes
        self._by = by

    @property
    def outbox(self) -> AlertOutbox:
        """Return what is on its way, and the history of it."""
        return AlertOutbox(self._table, clock=self._clock)

    def now_ms(self) -> int:
        """Return the moment."""
        return self._clock.now_ms()

    def all(self) -> dict[str, list[Alert]]:
        """Return the alerts of every brand that has any."""
        found: dict[str, list[Alert]] = {}
        for one in everything(self._table, keys.ALERTS):
            alert = _alert(one.item)
            found.setdefault(alert.brand, []).append(alert)
        return found

    def of(self, brand: str) -> Sequence[Alert]:
        """Return a brand's alerts, the oldest first."""
        found = everything(self._table, keys.ALERTS, at_least=f"{brand}#", at_most=f"{brand}#~")
        return sorted((_alert(one.item) for one in found), key=lambda one: (one.created_at_ms, one.id))

    def one(self, brand: str, alert_id: str) -> Alert:
        """Return an alert of a brand, or raise UnknownAlert."""
        item = self._table.get(keys.alert(brand, alert_id[:64]))
        if item is None:
            raise UnknownAlert("id", f"{alert_id[:40]!r} is not an alert of {brand!r}")
        return _alert(item)

    def add(self, brand: str, document: Mapping[str, Any], *, require_webhook: RequireWebhook, has_mail: bool) -> Alert:
        """Make an alert, with a secret that its messages are signed with."""
        if len(self.of(brand)) >= ALERTS_MAX:
            raise Refused("alerts", f"of {brand!r} are {ALERTS_MAX} already; remove those that nobody needs")
        now_ms = self._clock.now_ms()
        new = Alert(
            id=new_alert_id(self._random_bytes), brand=brand, name="", kind="", by=self._by,
            secret=new_alert_secret(self._random_bytes), created_at_ms=now_ms, since_ms=now_ms,
        )  # fmt: skip
        made = alert_with(new, document, require_webhook=require_webhook, has_mail=has_mail)
        put = Put(keys.alert(brand, made.id), _item(made), expects=(Absent(),))
        self._table.transact([put, self._noted(made, Act.ALERT_ADDED)])
        return made

    def change(
        self,
        brand: str,
        alert_id: str,
        document: Mapping[str, Any],
        *,
        require_webhook: RequireWebhook,
        has_mail: bool,
    ) -> Alert:
        """Put another definition in the place of an alert's; its id, its secret and what it has told stay."""
        before = self.one(brand, alert_id)
        after = alert_with(before, document, require_webhook=require_webhook, has_mail=has_mail)
        if after.is_on and not before.is_on:
            after = structs.replace(after, since_ms=self._clock.now_ms())
        actions: list[Action] = [self._changed(before, after), self._noted(after, Act.ALERT_CHANGED)]
        if after.kind != before.kind:
            actions.append(Delete(keys.state(brand, alert_id)))
        self._table.transact(actions)
        return after

    def remove(self, brand: str, alert_id: str) -> Alert:
        """Forget an alert; what is on its way is not sent any more."""
        gone = self.one(brand, alert_id)
        expects = (Equals("version", gone.version),)
        self._table.transact(
            [
                Delete(keys.alert(brand, alert_id), expects=expects),
                Delete(keys.state(brand, alert_id)),
                self._noted(gone, Act.ALERT_REMOVED),
            ]
        )
        return gone

    def forget_brand(self, brand: str) -> None:
        """Forget all alerts of a brand that goes."""
        for alert in self.of(brand):
            self._table.delete(Delete(keys.alert(brand, alert.id)))
            self._table.delete(Delete(keys.state(brand, alert.id)))
        self._table.delete(Delete(keys.memory(brand)))
        events = [Delete(one.key) for one in everything(self._table, keys.events(brand))]
        for start in range(0, len(events), BATCH_ITEMS_MAX):
            self._table.write(events[start : start + BATCH_ITEMS_MAX])

    def rotate(self, brand: str, alert_id: str) -> Alert:
        """Give an alert another secret; for a day messages are signed with the one before as well."""
        before = self.one(brand, alert_id)
        after = structs.replace(
            before,
            secret=new_alert_secret(self._random_bytes),
            secret_before=before.secret,
            before_until_ms=self._clock.now_ms() + GRACE_MS,
        )
        self._table.transact([self._changed(before, after), self._noted(after, Act.ALERT_ROTATED)])
        return after

    def turn_off(self, alert: Alert, place: str, *, why: str) -> None:
        """Send nothing to a place any more, and say so in the history; without any place left, the alert is off."""
        before = self.one(alert.brand, alert.id)
        if place not in before.places:
            return
        after = structs.replace(before, off={**before.off, place: why})
        after = structs.replace(after, is_on=bool(after.places))
        now_ms = self._clock.now_ms()
        told = turned_off_put(after, place, why, now_ms=now_ms)
        self._table.transact([self._changed(before, after), self._noted(after, Act.ALERT_TURNED_OFF, why=why), told])

    def state_of(self, alert: Alert) -> tuple[State, int]:
        """Return what an alert has told, and the version of that."""
        item = self._table.get(keys.state(alert.brand, alert.id))
        if item is None:
            return State(), 0
        plain: dict[str, Any] = {name: value for name, value in item.items() if name not in ("n", "names", "until")}
        told = zip(convert(item["names"], list[str]), convert(item["until"], list[int]), strict=True)
        return convert({**plain, "told": tuple(told)}, State), convert(item["n"], int)

    def take(self, alert: Alert, step: Step, *, version: int) -> bool:
        """Store a step: its state, and what it tells with every delivery, or nothing of it when a rival was faster."""
        now_ms = self._clock.now_ms()
        expects = (Equals("n", version),) if version else (Absent(),)
        state = Put(keys.state(alert.brand, alert.id), _state_item(step.state, version + 1), expects=expects)
        is_there = Check(keys.alert(alert.brand, alert.id), (Present(),))
        actions: list[Action] = [state, is_there]
        if step.raised is not None:
            actions += [event_put(alert, step.raised, now_ms=now_ms), *deliveries_of(alert, step.raised, now_ms=now_ms)]
        try:
            self._table.transact(actions)
        except Changed:
            return False
        return True

    def tell(self, alert: Alert, raised: Raised, *, at_ms: int) -> bool:
        """Store what somebody else found out, with every delivery; tell whether it was not told before."""
        if not alert.is_on:
            return False
        # Its place in the history is the moment of what happened, so that the same is there once.
        event = replace(event_put(alert, raised, now_ms=at_ms), expects=(Absent(),))
        is_there = Check(keys.alert(alert.brand, alert.id), (Present(),))
        try:
            self._table.transact([is_there, event, *deliveries_of(alert, raised, now_ms=at_ms)])
        except Changed:
            return False
        return True

    def memory_of(self, brand: str) -> Memory:
        """Return what is remembered of a brand."""
        item = self._table.get(keys.memory(brand))
        return Memory() if item is None else memory_from_plain(convert(dict(item), dict[str, list[int]]))

    def keep_memory(self, brand: str, memory: Memory) -> None:
        """Remember a brand as it is."""
        self._table.put(Put(keys.memory(brand), dict(to_builtins(plain_from_memory(memory)))))

    def _changed(self, before: Alert, after: Alert) -> Put:
        expects = (Equals("version", before.version),)
        after = structs.replace(after, version=before.version + 1)
        return Put(keys.alert(after.brand, after.id), _item(after), expects=expects)

    def _noted(self, alert: Alert, act: Act, **more: Detail) -> Put:
        details: dict[str, Detail] = {"name": alert.name, "kind": alert.kind, "isOn": alert.is_on, **more}
        return self._trail.put_of(Note(alert.brand, self._by, act, alert.id, details))


def _state_item(state: State, version: int) -> Item:
    return {
        "n": version,
        "names": [name for name, _ in state.told],
        "until": [until_ms for _, until_ms in state.told],
        "settled_ms": state.settled_ms,
        "silent": state.silent,
        "spiking": state.spiking,
    }


def _item(alert: Alert) -> Item:
    return to_builtins(alert)


def _alert(item: Item) -> Alert:
    return convert(dict(item), type=Alert)
