"""Alerts on AWS: a round each minute, in the function that keeps house, from the same answers that readers get."""

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor

from footfall.accounts.alert_evaluation import AssetHits, ListAsked
from footfall.accounts.alert_outbox import Delivery
from footfall.accounts.alert_retrying import Outcome
from footfall.accounts.alert_store import AlertStore
from footfall.accounts.alerts import Alert
from footfall.app import wiring
from footfall.app.alert_sending import Senders, senders_from
from footfall.app.alerting import (
    ALERTING,
    Evaluation,
    assets_from_answer,
    claimed_deliveries,
    plan_of,
    question_of,
    settle_try,
    totals_of,
)
from footfall.app.answering import Answering
from footfall.app.settings import Settings
from footfall.flow.store import keys
from footfall.flow.store.checkpoints import checkpoint_from_item
from footfall.ports.table import Table, everything
from footfall.values.clock import Clock

TRIES_AT_ONCE = 8

Until = Callable[[], bool]


class AlertsOnAws:
    """Looks at alerts and sends what they tell; several copies of it do no harm to each other."""

    def __init__(self, settings: Settings, store: Table, clock: Clock, *, senders: Senders | None = None) -> None:
        self._settings = settings
        self._store = store
        self._clock = clock
        self._alerts: AlertStore = wiring.open_accounts(settings, clock).register.acting(ALERTING).alerts
        self._senders = senders or senders_from(settings, clock)
        self._brands = wiring.brand_lookup(settings, clock)

    def run(self, until: Until) -> int:
        """Do a round, as long as there is time; return how much there was to tell."""
        plan = plan_of(self._alerts, zone_of=self._brands.zone_of, now_ms=self._clock.now_ms())
        raised = 0
        if plan.alerts:
            lists = self._lists(plan.lists, until)
            totals = totals_of(checkpoint_from_item(one.item) for one in everything(self._store, keys.SHARDS))
            # What is remembered is read anew: another copy of the function may have looked in between.
            raised = Evaluation().run(self._alerts, plan, lists, totals)
        self._send(until)
        return raised

    def _send(self, until: Until) -> None:
        with ThreadPoolExecutor(max_workers=TRIES_AT_ONCE) as threads:
            while not until() and (claimed := claimed_deliveries(self._alerts)):
                outcomes = threads.map(self._tried, claimed)
                for (delivery, alert), outcome in zip(claimed, outcomes, strict=True):
                    settle_try(self._alerts, delivery, alert, outcome, chance=self._senders.chance.random())

    def _tried(self, claimed: tuple[Delivery, Alert]) -> Outcome:
        delivery, alert = claimed
        return self._senders.tried(alert, delivery.place, delivery.message)

    def _lists(self, asked: frozenset[ListAsked], until: Until) -> dict[ListAsked, list[AssetHits]]:
        """Return the lists that could be had; the others wait for the next round."""
        found: dict[ListAsked, list[AssetHits]] = {}
        if not asked:
            return found
        settings, clock = self._settings, self._clock
        catalogue = wiring.open_catalogue(settings, clock, read_only=True)
        # Made anew for each round, so that it holds nothing in between.
        answering = Answering(settings, self._store, clock=clock, catalogue=lambda: catalogue, brands=self._brands)
        for one in sorted(asked, key=lambda one: (one.brand, one.section, one.from_ms, one.to_ms)):
            told = answering.answer(question_of(one))
            while told is None and not until():
                told = next(iter(answering.read_some()), None)
            if told is not None and not told[2]:
                body = told[5]
                assert isinstance(body, bytes)
                found[one] = assets_from_answer(body)
        return found
