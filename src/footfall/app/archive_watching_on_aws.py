"""The watch list on AWS: a round each minute, in the function that keeps house, from the lists that readers get."""

import secrets
from collections.abc import Callable, Sequence

from footfall.accounts.alert_evaluation import AssetHits
from footfall.app import archive_watching as watching
from footfall.app import wiring
from footfall.app.alerting import assets_from_answer
from footfall.app.answering import Answering
from footfall.app.archive_control import Archive
from footfall.app.archive_opening import watching_means
from footfall.app.settings import Settings
from footfall.ports.table import Table
from footfall.values.clock import Clock

Until = Callable[[], bool]


class WatchesOnAws:
    """Takes the turns of watches; several copies of it do no harm to each other."""

    def __init__(self, settings: Settings, store: Table, archive: Archive, clock: Clock) -> None:
        self._settings = settings
        self._store = store
        self._archive = archive
        self._clock = clock
        self._alerts = wiring.open_accounts(settings, clock).register.acting(watching.WATCHING).alerts
        self._brands = wiring.brand_lookup(settings, clock)
        self._means = watching_means(settings, random_bytes=secrets.token_bytes)

    def run(self, until: Until) -> int:
        """Do a round, as long as there is time; return how many pages were asked for."""
        now_ms, archive = self._clock.now_ms(), self._archive
        due = watching.due_watches(archive, now_ms=now_ms, is_brand=self._brands.is_known)
        lists = self._lists(sorted(watching.questions_of(due)), until)
        asked = watching.take_turns(archive, due, lists, self._means, now_ms=now_ms)
        if not until():
            news = watching.news_of(archive, self._means)
            watching.tell(self._alerts, news)
            watching.settle(archive, news)
        return asked

    def _lists(self, questions: Sequence[str], until: Until) -> dict[str, list[AssetHits]]:
        """Return the lists that could be had; the others wait for the next round."""
        found: dict[str, list[AssetHits]] = {}
        if not questions:
            return found
        settings, clock = self._settings, self._clock
        catalogue = wiring.open_catalogue(settings, clock, read_only=True)
        # Made anew for each round, so that it holds nothing in between.
        answering = Answering(settings, self._store, clock=clock, catalogue=lambda: catalogue, brands=self._brands)
        for question in questions:
            told = answering.answer(question)
            while told is None and not until():
                told = next(iter(answering.read_some()), None)
            if told is not None and not told[2]:
                body = told[5]
                assert isinstance(body, bytes)
                found[question] = assets_from_answer(body)
        return found
