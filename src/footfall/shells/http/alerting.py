"""The rounds of alerts in an instance: some times a minute, beside everything else, from answers that are ready anyway.

Without any alert a round is one small read. Tries run in threads of their own, and several at a time.
"""

import asyncio
import logging
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import TypeVar

from footfall.accounts.alert_evaluation import AssetHits, ListAsked
from footfall.accounts.alert_outbox import Delivery
from footfall.accounts.alert_store import AlertStore
from footfall.accounts.alerts import Alert
from footfall.app.alert_sending import Senders
from footfall.app.alerting import (
    ALERTING,
    DUE_MAX,
    Evaluation,
    assets_from_answer,
    claimed_deliveries,
    plan_of,
    question_of,
    settle_try,
    totals_of,
)
from footfall.shells.http.answers import SPAN_WAIT_S_MAX, Answers, Ready
from footfall.shells.http.rounds import Rounds
from footfall.shells.http.state import FrontState

SOON_S = 1.0  # after which deliveries are looked for again when there was something to do
TRIES_AT_ONCE = 8
ASKED_AT_ONCE = 4  # lists; the answering process has readers to serve as well

_T = TypeVar("_T")
_log = logging.getLogger(__name__)


class AlertRounds:
    """Looks at alerts and sends what they tell, until it is stopped."""

    def __init__(self, state: FrontState, senders: Senders) -> None:
        self._state = state
        self._senders = senders
        self._every_s = float(state.settings.alerts_every_s)
        self._evaluation = Evaluation()
        self._threads = ThreadPoolExecutor(max_workers=TRIES_AT_ONCE, thread_name_prefix="alerts")
        self._asking = asyncio.Semaphore(ASKED_AT_ONCE)
        self._rounds = Rounds("alerts", self._round, every_s=self._every_s)

    def start(self) -> None:
        """Begin with the rounds."""
        self._rounds.start()

    async def stop(self) -> None:
        """End the rounds; a try that is on its way is tried again by whoever comes next."""
        await self._rounds.stop()
        self._threads.shutdown(wait=False, cancel_futures=True)

    async def _round(self) -> float:
        await self._look()
        return SOON_S if await self._send() else self._every_s

    async def _look(self) -> None:
        """Evaluate all alerts."""
        state, now_ms = self._state, self._state.clock.now_ms()
        plan = await self._stored(lambda store: plan_of(store, zone_of=self._zone_of, now_ms=now_ms))
        if not plan.alerts:
            return
        answers = await asyncio.gather(*(self._asked(one) for one in plan.lists))
        lists = {asked: found for asked, found in answers if found is not None}
        totals = totals_of(state.checkpoints().values())
        raised = await self._stored(lambda store: self._evaluation.run(store, plan, lists, totals))
        if raised:
            _log.info("alerts have %d things to tell", raised)

    async def _send(self) -> bool:
        """Try what is due; tell whether there may be more of it."""
        claimed = await self._stored(claimed_deliveries)
        await asyncio.gather(*(self._try(delivery, alert) for delivery, alert in claimed))
        return len(claimed) >= DUE_MAX

    async def _try(self, delivery: Delivery, alert: Alert) -> None:
        loop = asyncio.get_running_loop()
        outcome = await loop.run_in_executor(
            self._threads, self._senders.tried, alert, delivery.place, delivery.message
        )
        chance = self._senders.chance.random()
        await self._stored(lambda store: settle_try(store, delivery, alert, outcome, chance=chance))

    async def _asked(self, asked: ListAsked) -> tuple[ListAsked, list[AssetHits] | None]:
        async with self._asking:
            body = await answer_to(self._state.answers, question_of(asked))
        return asked, None if body is None else assets_from_answer(body)

    async def _stored(self, do: Callable[[AlertStore], _T]) -> _T:
        return await self._state.desk.look(lambda register: do(register.acting(ALERTING).alerts))

    def _zone_of(self, brand: str) -> str:
        found = self._state.brands.named(brand)
        return "UTC" if found is None else found.zone


async def answer_to(answers: Answers, question: str) -> bytes | None:
    """Return the body of an answer, made if it has to be; None when it cannot be had now."""
    ready: Ready | bytes | None = answers.find(question)
    if ready is None:
        made: asyncio.Future[Ready | bytes] = asyncio.get_running_loop().create_future()
        answers.wait_for(
            question, lambda found: None if made.done() else made.set_result(found), wait_s=SPAN_WAIT_S_MAX
        )
        ready = await made
    return ready.whole.partition(b"\r\n\r\n")[2] if isinstance(ready, Ready) else None
