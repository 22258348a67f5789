"""The past under changed verdicts: which hours are to be counted again, and how far that has come.

What is to do follows from two numbers: the version of a brand's verdicts, and the one up to which its past has been put
right, which lies in the store. So nothing is queued and nothing can be lost: whoever starts after a crash finds what is
left, and an hour that is counted twice gives the same. An operator's decision is acted on at once. What a judge finds
is gathered for some minutes, since a case that goes on gets a later end with every minute.
"""

import logging
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Final, Protocol

from footfall.flow.count.recount import Asked, Done
from footfall.flow.count.verdicts_applied import Verdicts
from footfall.flow.store import keys
from footfall.flow.stream.raw import RawHits
from footfall.ports.errors import PortError
from footfall.ports.items import Item
from footfall.ports.table import Put, Table
from footfall.screening.verdicts import JUDGE, Change, united_ranges
from footfall.values.clock import Clock
from footfall.values.errors import Refused
from footfall.values.window import HOUR_MS, Grain, instant_text, window_of

JUDGED_EVERY_MS: Final = 5 * 60_000
PIECE_HOURS: Final = 31 * 24  # Where it stands is written down after each.

Range = tuple[int, int]
Recounted = Callable[[Asked], Iterator[float | Done]]

_log = logging.getLogger(__name__)


class Changes(Protocol):
    """Where the changes of verdicts lie."""

    def changes(self, brand: str, *, after_version: int = 0) -> list[Change]:
        """Return the changes after a version, in their order."""
        ...


@dataclass(frozen=True, slots=True)
class Righted:
    """How far the past of a brand has been put right."""

    version: int = 0  # of the verdicts, for all of the past
    at_ms: int = 0  # when that was done
    target: int = 0  # the version that is being worked on; 0: none
    done_ms: int = 0  # of that, the event time before which all is done


@dataclass(slots=True)
class _Work:
    """What is being counted again."""

    brand: str
    target: int
    pieces: list[Range]
    running: Iterator[float | Done] | None = None


class VerdictRecounts:
    """Counts again what changed verdicts speak of, in small steps, one brand after the other."""

    def __init__(  # noqa: PLR0913 - the ground, what is known, and how to count
        self,
        table: Table,
        verdicts: Verdicts,
        changes: Callable[[], Changes | None],
        raw: RawHits,
        *,
        recounted: Recounted,
        zone_of: Callable[[str], str],
        clock: Clock,
        ahead_ms: int,
        piece_hours: int = PIECE_HOURS,
    ) -> None:
        self._table = table
        self._verdicts = verdicts
        self._changes = changes
        self._raw = raw
        self._recounted = recounted
        self._zone_of = zone_of
        self._clock = clock
        self._ahead_ms = ahead_ms  # how far ahead of its arrival a hit may be
        self._piece_ms = piece_hours * HOUR_MS
        self._righted: dict[str, Righted] = {}
        self._not_before_ms: dict[tuple[str, int], int] = {}
        self._work: _Work | None = None

    @property
    def is_running(self) -> bool:
        """Tell whether something is being counted again, so that nothing may be finished meanwhile."""
        return self._work is not None and self._work.running is not None

    def give_way(self) -> None:
        """Leave what is in hand, for somebody who counts again the same shards; it is begun anew later."""
        self._work = None

    def step(self) -> bool:
        """Do a little of what is due; return whether there may be more to do at once."""
        self._work = self._work or self._next()
        if self._work is None:
            return False
        try:
            self._go_on(self._work)
        except PortError:
            self._work = None  # What the store did not take is done again.
            raise
        except Refused as error:
            _log.warning("the past of %s under its verdicts stays as it is: %s", self._work.brand, error)
            self._note_piece(self._work)
        return True

    def _go_on(self, work: _Work) -> None:
        if not work.pieces:
            self._note(work.brand, Righted(work.target, self._clock.now_ms()))
            self._work = None
            return
        if work.running is None:
            from_ms, to_ms = work.pieces[0]
            work.running = self._recounted(Asked(work.brand, from_ms, to_ms, is_sparing=True))
        if isinstance(next(work.running), Done):
            self._note_piece(work)

    def _note_piece(self, work: _Work) -> None:
        """Write down that a piece is done."""
        _, to_ms = work.pieces.pop(0)
        work.running = None
        righted = self._righted_of(work.brand)
        self._note(work.brand, replace(righted, target=work.target, done_ms=to_ms))

    def _next(self) -> _Work | None:
        """Return what is due first: brands in the order of their names."""
        now_ms = self._clock.now_ms()
        for brand, version in sorted(self._verdicts.versions().items()):
            righted = self._righted_of(brand)
            if version <= righted.version or now_ms < self._not_before_ms.get((brand, version), 0):
                continue
            work = self._due(brand, version, righted)
            if work is not None:
                return work
        return None

    def _due(self, brand: str, version: int, righted: Righted) -> _Work | None:
        store = self._changes()
        if store is None:
            return None
        found = [one for one in store.changes(brand, after_version=righted.version) if one.version <= version]
        due_ms = righted.at_ms + JUDGED_EVERY_MS
        is_asked = righted.target or any(one.by != JUDGE and one.ranges for one in found)
        if not is_asked and self._clock.now_ms() < due_ms:
            self._not_before_ms = {key: at for key, at in self._not_before_ms.items() if key[0] != brand}
            self._not_before_ms[brand, version] = due_ms
            return None
        # What was begun is brought to its end, so that it has one; then comes what has changed meanwhile.
        target = righted.target or version
        ranges = united_ranges(one for change in found if change.version <= target for one in change.ranges)
        pieces = [piece for one in ranges for piece in self._pieces(brand, one) if piece[1] > righted.done_ms]
        return _Work(brand, target, pieces)

    def _pieces(self, brand: str, span: Range) -> list[Range]:
        """Return a range in some hours each, without what has not come yet and what no raw hits are kept of."""
        from_ms, to_ms = span[0], min(span[1], self._clock.now_ms() + self._ahead_ms)
        kept_ms = raw_hours_since_ms(self._raw, brand, zone=self._zone_of(brand), ahead_ms=self._ahead_ms)
        if from_ms < kept_ms:
            _log.warning("%s before %s is not counted again: no raw hits are kept", brand, instant_text(kept_ms))
            from_ms = kept_ms
        pieces: list[Range] = []
        while from_ms < to_ms:
            start = window_of(from_ms, Grain.HOUR, self._zone_of(brand)).from_ms
            end_ms = window_of(start + self._piece_ms - 1, Grain.HOUR, self._zone_of(brand)).to_ms
            pieces.append((from_ms, min(to_ms, end_ms)))
            from_ms = end_ms
        return pieces

    def _righted_of(self, brand: str) -> Righted:
        known = self._righted.get(brand)
        if known is None:
            item = self._table.get(keys.righted(brand))
            known = self._righted[brand] = Righted() if item is None else _righted_from_item(item)
        return known

    def _note(self, brand: str, righted: Righted) -> None:
        self._table.put(Put(keys.righted(brand), _item_of(righted)))
        self._righted[brand] = righted


def raw_hours_since_ms(raw: RawHits, brand: str, *, zone: str, ahead_ms: int) -> int:
    """Return the start of the first hour all of whose raw hits are kept; 0 when all are."""
    since_ms = raw.kept_since_ms(brand)
    if not since_ms:
        return 0
    hour = window_of(since_ms + ahead_ms, Grain.HOUR, zone)
    return hour.from_ms if hour.from_ms - ahead_ms >= since_ms else hour.to_ms


def _item_of(righted: Righted) -> Item:
    return {
        "version": righted.version,
        "at_ms": righted.at_ms,
        "target": righted.target,
        "done_ms": righted.done_ms,
    }


def _righted_from_item(item: Item) -> Righted:
    numbers: Sequence[object] = [item["version"], item["at_ms"], item["target"], item["done_ms"]]
    version, at_ms, target, done_ms = (number if isinstance(number, int) else 0 for number in numbers)
    return Righted(version, at_ms, target, done_ms)
