"""Alerts as they are looked at and sent, round by round, wherever that is: what is due is planned and stored.

Nothing here waits for a network. Whoever runs the rounds asks for the lists that a plan names, and tries deliveries.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

import msgspec
from msgspec import Struct

from footfall.accounts.alert_evaluation import AssetHits, Facts, ListAsked, State, Step, evaluated, lists_for
from footfall.accounts.alert_memory import Memory, Totals, is_worth_keeping, remembered
from footfall.accounts.alert_outbox import WITHDRAWN, Delivery
from footfall.accounts.alert_retrying import Outcome, decided
from footfall.accounts.alert_store import AlertStore
from footfall.accounts.alerts import ASSET_PASSES, Alert, UnknownAlert
from footfall.flow.serve.query import LIMIT_MAX, PopularQuery, canonical
from footfall.flow.store.checkpoints import Checkpoint

ALERTING = "alerting"  # who acts when an alert turns a place off
DUE_MAX = 24  # deliveries that are taken up at once: eight at a time, all are tried before their claim ends
STEPS_MAX = 50  # of one alert in a round; each is a write, and others wait for the writer of accounts

ZoneOf = Callable[[str], str]
Lists = Mapping[ListAsked, Sequence[AssetHits]]


class Planned(Struct, frozen=True):
    """An alert that is to be looked at."""

    alert: Alert
    state: State
    version: int


class Plan(Struct, frozen=True):
    """What is to be looked at in a round."""

    now_ms: int
    alerts: Sequence[Planned]
    zones: Mapping[str, str]
    lists: frozenset[ListAsked]


def plan_of(store: AlertStore, *, zone_of: ZoneOf, now_ms: int) -> Plan:
    """Return what is to be looked at now: all alerts that are on, and the lists that they need."""
    alerts: list[Planned] = []
    zones: dict[str, str] = {}
    lists: set[ListAsked] = set()
    for brand, found in sorted(store.all().items()):
        zones[brand] = zone_of(brand)
        for alert in found:
            if alert.is_on:
                state, version = store.state_of(alert)
                alerts.append(Planned(alert, state, version))
                lists.update(lists_for(alert, state, zone=zones[brand], now_ms=now_ms))
    return Plan(now_ms, alerts, zones, frozenset(lists))


def question_of(asked: ListAsked) -> str:
    """Return the question whose answer is a list that alerts look at: as it was counted, whatever editors did."""
    sections = (asked.section,) if asked.section else ()
    return canonical(
        PopularQuery(asked.brand, "", sections, limit=LIMIT_MAX, from_ms=asked.from_ms, to_ms=asked.to_ms, edited=False)
    )


def assets_from_answer(body: bytes) -> list[AssetHits]:
    """Return the assets of a list's answer."""
    items: list[dict[str, Any]] = msgspec.json.decode(body)["items"]
    return [AssetHits(one["assetId"], one["hits"], one.get("title") or "", one.get("address") or "") for one in items]


def totals_of(checkpoints: Iterable[Checkpoint]) -> Callable[[str], Totals]:
    """Return the function that tells how a brand's ledger stands; duplicates are retries, which nobody misses."""
    every = list(checkpoints)

    def totals(brand: str) -> Totals:
        lines = [one.lines[brand] for one in every if brand in one.lines]
        lost = sum(one.late + one.future + one.unlabelled + one.dead + sum(one.screened.values()) for one in lines)
        last_ms = max((one.last_hit_ms for one in lines), default=0)
        return Totals(sum(one.counted for one in lines), lost, last_ms)

    return totals


class Evaluation:
    """Evaluates plan after plan; what it remembers of brands is stored once a minute, so it is no rival of others."""

    def __init__(self) -> None:
        self._memories: dict[str, tuple[Memory, Memory]] = {}  # as it is, and as it is stored

    def run(self, store: AlertStore, plan: Plan, lists: Lists, totals: Callable[[str], Totals]) -> int:
        """Store what there is to tell; return how much."""
        raised = 0
        watched = {one.alert.brand for one in plan.alerts if one.alert.kind != ASSET_PASSES}
        memories = {brand: self._looked(store, brand, totals(brand), plan.now_ms) for brand in sorted(watched)}
        for one in plan.alerts:
            brand = one.alert.brand
            facts = Facts(plan.now_ms, plan.zones[brand], memories.get(brand, Memory()), lists)
            raised += _taken(store, one, evaluated(one.alert, one.state, facts))
        self._memories = {brand: kept for brand, kept in self._memories.items() if brand in watched}
        return raised

    def _looked(self, store: AlertStore, brand: str, totals: Totals, now_ms: int) -> Memory:
        if brand not in self._memories:
            stored = store.memory_of(brand)
            self._memories[brand] = (stored, stored)
        before, stored = self._memories[brand]
        memory = remembered(before, totals, now_ms=now_ms)
        if is_worth_keeping(stored, memory):
            store.keep_memory(brand, memory)
            stored = memory
        self._memories[brand] = (memory, stored)
        return memory


def _taken(store: AlertStore, planned: Planned, steps: Sequence[Step]) -> int:
    version, raised = planned.version, 0
    for step in steps[:STEPS_MAX]:
        if not store.take(planned.alert, step, version=version):
            break  # Somebody else looks at it as well, or it is gone; the next round sees what is true by then.
        version, raised = version + 1, raised + (step.raised is not None)
    return raised


def claimed_deliveries(store: AlertStore) -> list[tuple[Delivery, Alert]]:
    """Return deliveries that are ours to try now; those that nobody wants any more are taken out."""
    ours: list[tuple[Delivery, Alert]] = []
    for delivery in store.outbox.due(limit=DUE_MAX):
        claimed = store.outbox.claimed(delivery)
        if claimed is None:
            continue
        try:
            alert = store.one(claimed.brand, claimed.alert)
        except UnknownAlert:
            store.outbox.settle(claimed, WITHDRAWN, said="the alert was removed")
            continue
        if claimed.place not in alert.places:
            store.outbox.settle(claimed, WITHDRAWN, said="nothing is sent there any more")
            continue
        ours.append((claimed, alert))
    return ours


def settle_try(store: AlertStore, delivery: Delivery, alert: Alert, outcome: Outcome, *, chance: float) -> None:
    """Store what a try came to."""
    decision = decided(delivery, outcome, now_ms=store.now_ms(), chance=chance)
    if decision.state:
        store.outbox.settle(delivery, decision.state, said=outcome.said)
    else:
        store.outbox.retry(delivery, due_ms=decision.due_ms, said=outcome.said)
    if decision.turns_off:
        store.turn_off(alert, delivery.place, why=decision.turns_off)
