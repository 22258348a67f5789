"""Where each hit of a record goes: to a minute's counts, or to a line of the ledger.

Pure: records in, counts and lines out. A hit's place follows from its record alone, so that reading the same
records again gives the same counts.
"""

from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass

from footfall.flow.store.checkpoints import Lines
from footfall.flow.stream.records import Counted, HitKey, Unreadable, counted_from_record
from footfall.ports.stream import Record
from footfall.values.window import MINUTE_MS

UNLABELLED = "unlabelled"
LISTED_TOGETHER_MAX = 5_000  # Set-aside hits in one item: at most some 25 bytes each.

MinuteKey = tuple[str, int]  # brand, start of the minute
AsideKey = tuple[str, str, str]  # brand, line of the ledger, and a sentence if there is one
Counts = Counter[HitKey]


@dataclass(frozen=True, slots=True)
class Rules:
    """How old and how far ahead a hit may be when it arrives."""

    lateness_ms: int = 86_400_000
    future_ms: int = 300_000


@dataclass(slots=True)
class AsideRecord:
    """A record whose hits at these places were set aside; no places: all of it was."""

    sequence: int
    places: list[int]
    hits: int


@dataclass(frozen=True, slots=True)
class Replay:
    """A set-aside record that came again and is to be counted now, unless it was already."""

    sequence: int  # of the record that was set aside
    by: int  # of the record in which it came again
    brand: str
    line: str  # where its hits have waited
    counts: dict[int, Counts]  # by minute
    moves: Counter[str]  # how many go to which line


class Tally:
    """What a run of records amounts to."""

    def __init__(self, rules: Rules, *, through_of: Callable[[MinuteKey], int]) -> None:
        self._rules = rules
        self._through_of = through_of  # the last record that the store has, of the minute or a window around it
        self._throughs: dict[MinuteKey, int] = {}
        self._counts: dict[MinuteKey, Counts] = {}
        # Records that one of the minute's windows may have already and another may lack: a write was cut short.
        self._again: dict[MinuteKey, list[tuple[int, Counts]]] = {}
        self.lines: dict[str, Lines] = {}
        self.aside: dict[AsideKey, list[AsideRecord]] = {}
        self.replays: list[Replay] = []
        self.through = 0
        self.arrived_at_ms = 0
        self._listed = 0  # places of set-aside hits, and records that came again

    def add(self, record: Record) -> None:
        """Take one record in."""
        self.through = record.sequence
        self.arrived_at_ms = max(self.arrived_at_ms, record.arrived_at_ms)
        lines = self.lines.get(record.group)
        if lines is None:
            lines = self.lines[record.group] = Lines()
        if record.repeated:
            lines.duplicate += record.weight
        else:
            self._add_new(record, lines)

    @property
    def rows(self) -> int:
        """Return how much is in hand: distinct keys of every minute, and what is listed besides."""
        return self._listed + sum(len(counts) for counts in self._counts.values())

    def minutes(self) -> list[MinuteKey]:
        """Return every minute that has hits, in the order in which they came."""
        return list(dict.fromkeys((*self._counts, *self._again)))

    def counts_after(self, minute: MinuteKey, through: int) -> Counts:
        """Return the minute's counts from the records after one that the store has."""
        counts = Counts()
        for sequence, again in self._again.get(minute, ()):
            if sequence > through:
                counts.update(again)
        # The minute's own are handed out as they are while nothing comes again: that is nearly always.
        counted = self._counts.get(minute, Counts())
        return counts + counted if counts else counted

    def count_replay(self, replay: Replay) -> None:
        """Count a record that came again, for the first time."""
        for start_ms, counts in replay.counts.items():
            self._count((replay.brand, start_ms), counts, replay.by)

    def _add_new(self, record: Record, lines: Lines) -> None:
        try:
            pack = counted_from_record(record.data)
        except Unreadable as error:
            lines.dead += record.weight
            self._set_aside(record, "dead", None, record.weight, reason=str(error))
            return
        if pack.replays is not None:
            self._replay(record, pack)
            return
        lines.last_hit_ms = max(lines.last_hit_ms, record.arrived_at_ms)
        if pack.at_ms or pack.weights or pack.screened or record.repeats:
            self._sort(record, pack, lines)
        else:
            self._count((record.group, pack.arrived_at_ms // MINUTE_MS * MINUTE_MS), pack.keys, record.sequence)
            lines.counted += len(pack.keys)

    def _count(self, minute: MinuteKey, hits: list[HitKey] | Counts, sequence: int) -> None:
        through = self._throughs.get(minute)
        if through is None:
            through = self._throughs[minute] = self._through_of(minute)
        if sequence <= through:
            self._listed += len(hits)
            self._again.setdefault(minute, []).append((sequence, Counter(hits)))
            return
        counts = self._counts.get(minute)
        if counts is None:
            counts = self._counts[minute] = Counter()
        counts.update(hits)

    def _sort(self, record: Record, pack: Counted, lines: Lines) -> None:
        """Look at each hit by itself."""
        repeats = frozenset(record.repeats)
        minutes: dict[int, Counts] = {}
        for place, key in enumerate(pack.keys):
            weight = 1 if pack.weights is None else pack.weights[place]
            line = "duplicate" if place in repeats else self._line(pack, place)
            lines.move(line, weight)
            if line == "counted":
                minutes.setdefault(_minute_of(pack, place), Counter())[key] += weight
            elif line in ("late", "future", UNLABELLED):
                self._set_aside(record, line, place, weight)
        for start_ms, counts in minutes.items():
            self._count((record.group, start_ms), counts, record.sequence)

    def _line(self, pack: Counted, place: int) -> str:
        if pack.screened is not None and place in pack.screened:
            return pack.screened[place]
        if pack.at_ms is None or pack.trusted:
            return "counted"
        age_ms = pack.arrived_at_ms - pack.at_ms[place]
        if age_ms > self._rules.lateness_ms:
            return "late"
        return "future" if -age_ms > self._rules.future_ms else "counted"

    def _replay(self, record: Record, pack: Counted) -> None:
        assert pack.replays is not None
        sequence, line = pack.replays
        counts: dict[int, Counts] = {}
        moves = Counter[str]()
        for place, key in enumerate(pack.keys):
            weight = 1 if pack.weights is None else pack.weights[place]
            verdict = self._line(pack, place)
            moves[verdict] += weight
            if verdict == "counted":
                counts.setdefault(_minute_of(pack, place), Counter())[key] += weight
        self.replays.append(Replay(sequence, record.sequence, record.group, line, counts, moves))

    def _set_aside(self, record: Record, line: str, place: int | None, hits: int, *, reason: str = "") -> None:
        self._listed += 1
        records = self.aside.setdefault((record.group, line, reason), [])
        if not records or records[-1].sequence != record.sequence:
            records.append(AsideRecord(record.sequence, [], 0))
        records[-1].hits += hits
        if place is not None:
            records[-1].places.append(place)


def listed_together(records: list[AsideRecord]) -> Iterator[list[AsideRecord]]:
    """Yield the records in runs that are small enough to be listed in one item each."""
    run: list[AsideRecord] = []
    listed = 0
    for record in records:
        size = max(len(record.places), 1)
        if run and listed + size > LISTED_TOGETHER_MAX:
            yield run
            run, listed = [], 0
        run.append(record)
        listed += size
    if run:
        yield run


def _minute_of(pack: Counted, place: int) -> int:
    at_ms = pack.arrived_at_ms if pack.at_ms is None else pack.at_ms[place]
    return at_ms // MINUTE_MS * MINUTE_MS
