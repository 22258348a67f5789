"""The rounds of the watch list in an instance: beside everything else, from lists that are ready anyway.

They run here and not in the archive's worker: the lists are made for this process, and alerts are written by it alone.
Without any watch a round is one small read.
"""

import asyncio
import logging
import secrets

from footfall.accounts.alert_evaluation import AssetHits
from footfall.app import archive_watching as watching
from footfall.app.alerting import assets_from_answer
from footfall.app.archive_opening import has_archive, watching_means
from footfall.shells.http.alerting import answer_to
from footfall.shells.http.rounds import Rounds
from footfall.shells.http.state import FrontState

ASKED_AT_ONCE = 4  # lists; the answering process has readers to serve as well
ROUNDS = "watches"  # in whose name the archive is asked, among those who wait for it

_log = logging.getLogger(__name__)


class WatchRounds:
    """Takes the turns of watches and tells what came of them, until it is stopped."""

    def __init__(self, state: FrontState) -> None:
        self._state = state
        self._every_s = float(state.settings.alerts_every_s)  # A rule's own minutes are five at least.
        self._means = watching_means(state.settings, random_bytes=secrets.token_bytes)
        self._asking = asyncio.Semaphore(ASKED_AT_ONCE)
        self._rounds = Rounds("watches", self._one, every_s=self._every_s)

    def start(self) -> None:
        """Begin with the rounds."""
        self._rounds.start()

    async def stop(self) -> None:
        """End the rounds; whatever one had not finished is done by the next."""
        await self._rounds.stop()

    async def round(self) -> int:
        """Do one round, and return how many pages were asked for."""
        state, means, now_ms = self._state, self._means, self._state.clock.now_ms()
        if not has_archive(state.settings):
            return 0
        due = await state.archive.asked(
            ROUNDS, lambda archive: watching.due_watches(archive, now_ms=now_ms, is_brand=self._is_brand)
        )
        asked = 0
        if due:
            answers = await asyncio.gather(*(self._list(one) for one in watching.questions_of(due)))
            lists = {question: found for question, found in answers if found is not None}
            asked = await state.archive.asked(
                ROUNDS, lambda archive: watching.take_turns(archive, due, lists, means, now_ms=now_ms)
            )
        await self._tell()
        return asked

    async def _one(self) -> float:
        await self.round()
        return self._every_s

    async def _tell(self) -> None:
        state, means = self._state, self._means
        # Texts are compared here, which may take a moment, so it is done where nobody waits for a list.
        news = await state.archive.made(ROUNDS, lambda archive: watching.news_of(archive, means))
        if not news:
            return
        told = await state.desk.look(lambda register: watching.tell(register.acting(watching.WATCHING).alerts, news))
        if told:
            _log.info("watches have %d things to tell", told)
        await state.archive.asked(ROUNDS, lambda archive: watching.settle(archive, news))

    def _is_brand(self, name: str) -> bool:
        return self._state.settings.dev or self._state.brands.named(name) is not None

    async def _list(self, question: str) -> tuple[str, list[AssetHits] | None]:
        async with self._asking:
            body = await answer_to(self._state.answers, question)
        return question, None if body is None else assets_from_answer(body)
