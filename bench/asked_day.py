"""Ten thousand questions over the same day, asked of the thesis' API and of ours: what they read, and who is right."""

import json
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

import numpy as np

from bench.counted_day import CountedDay
from bench.day import BRANDS, HOUR_S, HOURS, SHARES, Day
from bench.queries import SHARES as QUERY_SHARES
from bench.thesis_rows import Counts, Filter, ThesisApi, ThesisTable, is_right, listed
from bench.traffic import FIRST_ASSET, FIRST_SECTION, PAID, SECTIONS, TYPES
from footfall.accounts.brands import Brand
from footfall.app.answering import Answering
from footfall.app.settings import Settings
from footfall.flow.store.checkpoints import load_checkpoint
from footfall.flow.store.summaries import Summaries
from footfall.values.window import Grain, instant_text, window_of

PERIODS = {"justnow": ("F", 1), "day": ("H", 24), "week": ("D", 7)}  # the thesis' windows, and how many of them


@dataclass(frozen=True, slots=True)
class Question:
    """One call of the API."""

    second: int
    brand: int
    period: str
    asked: Filter

    @property
    def canonical(self) -> str:
        """The question as the answering side takes it."""
        asked = self.asked
        parts = [f"brand={BRANDS[self.brand]}", f"limit={asked.limit}"]
        if asked.pays is not None:
            parts.append(f"paidType={PAID[asked.pays]}")
        parts.append(f"period={self.period}")
        if asked.kind is not None:
            parts.append(f"resourceType={TYPES[asked.kind]}")
        if asked.sections:
            parts.append(f"section={','.join(str(FIRST_SECTION + one) for one in sorted(asked.sections))}")
        return "&".join(parts)


@dataclass(slots=True)
class Reads:
    """Read units of the same questions on both sides, and what the open window alone costs."""

    questions: int = 0
    thesis: float = 0.0
    ours: float = 0.0
    open_window: float = 0.0


@dataclass(slots=True)
class Right:
    """Of so many filters, how many lists are right, and how many of ours say that they are."""

    filters: int = 0
    thesis: int = 0
    ours: int = 0
    ours_exact: int = 0


def questions(day: Day, count: int, *, seed: int = 41, only_filters: bool = False) -> list[Question]:
    """Return calls in the thesis' mix (its table 4.1), over the day as the hits are, in their order.

    With filters only, none is about a day that has not ended when the hits do.
    """
    chance = np.random.default_rng(seed)
    kinds = [kind for kind in QUERY_SHARES if kind or not only_filters]
    shares = np.array([QUERY_SHARES[kind] for kind in kinds])
    periods = [period for period in PERIODS if day.hours >= HOURS or period != "week" or not only_filters]
    seconds = np.sort(chance.choice(day.hours * HOUR_S, count, p=day.rhythm))
    made: list[Question] = []
    for second in seconds.tolist():
        kind = kinds[int(chance.choice(len(kinds), p=shares / shares.sum()))]
        asked = Filter(
            sections=_sections(chance) if "section" in kind else frozenset(),
            kind=int(chance.integers(len(TYPES))) if "resourceType" in kind else None,
            pays=int(chance.integers(len(PAID))) if "paidType" in kind else None,
            limit=int(chance.integers(5, 101)),
        )
        period = periods[int(chance.integers(len(periods)))]
        made.append(Question(second, int(chance.choice(len(BRANDS), p=SHARES)), period, asked))
    return made


def _sections(chance: np.random.Generator) -> frozenset[int]:
    """Half ask for one section; the others for 25 on average, which makes 13 in all."""
    count = 1 if chance.random() < 0.5 else int(chance.integers(2, SECTIONS - 1))
    return frozenset(chance.choice(SECTIONS, count, replace=False).tolist())


class Reader:
    """Both sides, asked as the day goes on; ours over the table that counts units."""

    def __init__(self, counted: CountedDay, thesis: ThesisTable, asked: Iterable[Question]) -> None:
        self._counted = counted
        self._api = ThesisApi(thesis)
        self._left = sorted(asked, key=lambda one: -one.second)
        self._summaries = Summaries(counted.table, counted.clock)
        self.reads = Reads(questions=len(self._left))
        brands = {brand: Brand(brand) for brand in BRANDS}
        settings = Settings(brands=brands, dev=True, stream_shards=len(counted.workers))
        self._answering = Answering(settings, counted.table, clock=counted.clock)

    def on_second(self, second: int) -> None:
        """Ask what is due, of both sides."""
        while self._left and self._left[-1].second <= second:
            one = self._left.pop()
            grain, count = PERIODS[one.period]
            self._api.ask(one.brand, grain, count=count, before_minute=second // 60)
            self.reads.thesis = self._api.read
            self.reads.ours += self._spent(lambda one=one: self.answer(one.canonical))
            self.reads.open_window += self._spent(lambda one=one: self._open_window(BRANDS[one.brand]))

    def answer(self, canonical: str) -> bytes:
        """Return the answer to a question, from what the store holds now."""
        self._answering.refresh()
        told = self._answering.answer(canonical)
        assert told is not None, "nobody asks for the past here"
        body = told[5]
        assert isinstance(body, bytes)
        assert body, told[2]
        return body

    def compare(self, asked: Sequence[Question], truths: "Truths") -> Right:
        """Return who is right about the closed windows at the end of the day."""
        right = Right(filters=len(asked))
        day = self._counted.day
        last_minute = day.hours * 60
        for one in asked:
            grain, count = PERIODS[one.period]
            windows = self._api.ask(one.brand, grain, count=count, before_minute=last_minute)
            truth = truths(one.brand, one.period)
            right.thesis += is_right(day, listed(day, windows, one.asked), truth, one.asked)
            answer = json.loads(self.answer(f"{one.canonical}&closed=true"))
            assert answer["to"] == instant_text(day.ends_at_ms), "both are asked about the same windows"
            made = [(int(item["assetId"]) - FIRST_ASSET, int(item["hits"])) for item in answer["items"]]
            right.ours += is_right(day, made, truth, one.asked)
            right.ours_exact += answer["exact"]
        return right

    def _open_window(self, brand: str) -> None:
        """Read how far counting is, and the minute that is open."""
        for worker in self._counted.workers:
            load_checkpoint(self._counted.table, worker.shard)
        self._summaries.heads(brand, window_of(self._counted.clock.now_ms(), Grain.MINUTE, "UTC"))

    def _spent(self, call: Callable[[], object]) -> float:
        before = self._counted.table.units.read
        call()
        return self._counted.table.units.read - before


class Truths:
    """The true counts of a brand's closed windows at the end of the day, from the hits themselves."""

    def __init__(self, day: Day, minutes: Sequence[Counts]) -> None:
        self._day = day
        self._spans = {"justnow": sum(minutes[-5:]), "day": sum(minutes), "week": sum(minutes)}

    def __call__(self, brand: int, period: str) -> Counts:
        """Return the hits of every asset, of this brand only."""
        size = self._day.assets_per_brand
        truth = np.zeros(len(self._day.section), np.int64)
        own = slice(brand * size, (brand + 1) * size)
        counts = self._spans[period]
        assert isinstance(counts, np.ndarray), "a day has minutes"
        truth[own] = counts[own]
        return truth
