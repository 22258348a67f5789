"""Where each hit of a record goes: to a minute's counts, or to a line of the ledger.

Pure: records in, counts and lines out. A hit's place follows from its record alone, so that reading the same
records again gives the same counts.
"""

from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field

from footfall.flow.store.checkpoints import Lines
from footfall.flow.stream.records import Counted, HitKey, Unreadable, counted_from_record
from footfall.ports.stream import Record
from footfall.values.window import MINUTE_MS

UNLABELLED = "unlabelled"
ASIDE_MAX = 5_000  # Set-aside hits that one flush lists per brand and kind; the ledger counts them all.

MinuteKey = tuple[str, int]  # brand, start of the minute
Counts = Counter[HitKey]


@dataclass(frozen=True, slots=True)
class Rules:
    """How old and how far ahead a hit may be when it arrives."""

    lateness_ms: int = 86_400_000
    future_ms: int = 300_000


@dataclass(slots=True)
class Aside:
    """Hits of one brand that were set aside for one reason: record, places in it, and a sentence if there is one."""

    records: list[tuple[int, list[int]]] = field(default_factory=list[tuple[int, list[int]]])
    hits: int = 0
    listed: int = 0
    reason: str = ""

    def note(self, sequence: int, places: list[int], hits: int) -> None:
        """Count hits and, while there is room, list where they stand."""
        self.hits += hits
        if self.listed + len(places) <= ASIDE_MAX:
            self.records.append((sequence, places))
            self.listed += max(len(places), 1)


@dataclass(frozen=True, slots=True)
class Replay:
    """A set-aside record that came again and is to be counted now, unless it was already."""

    sequence: int
    brand: str
    line: str
    counts: dict[int, Counts]  # by minute
    hits: int


class Tally:
    """What a run of records amounts to."""

    def __init__(self, rules: Rules, *, through_of: Callable[[MinuteKey], int]) -> None:
        self._rules = rules
        self._through_of = through_of  # the last record that a minute's stored summary holds already
        self._throughs: dict[MinuteKey, int] = {}
        self.counts: dict[MinuteKey, Counts] = {}
        self.lines: dict[str, Lines] = {}
        self.aside: dict[tuple[str, str], Aside] = {}
        self.replays: list[Replay] = []
        self.through = 0
        self.arrived_at_ms = 0
        self.rows = 0  # an upper bound

    def add(self, record: Record) -> None:
        """Take one record in."""
        self.through = record.sequence
        self.arrived_at_ms = max(self.arrived_at_ms, record.arrived_at_ms)
        lines = self.lines.get(record.group)
        if lines is None:
            lines = self.lines[record.group] = Lines()
        lines.last_hit_ms = max(lines.last_hit_ms, record.arrived_at_ms)
        try:
            pack = counted_from_record(record.data)
        except Unreadable as error:
            self._set_aside(record, "dead", [], record.weight, reason=str(error))
            return
        if record.repeated:
            lines.duplicate += record.weight
        elif pack.replays is not None:
            self._replay(record, pack)
        elif not (pack.at_ms or pack.weights or pack.screened or record.repeats):
            self._count((record.group, pack.arrived_at_ms // MINUTE_MS * MINUTE_MS), pack.keys, record.sequence)
            lines.counted += len(pack.keys)
        else:
            self._sort(record, pack, lines)

    def _count(self, minute: MinuteKey, keys: list[HitKey], sequence: int) -> None:
        through = self._throughs.get(minute)
        if through is None:
            through = self._throughs[minute] = self._through_of(minute)
        if sequence <= through:
            return
        counts = self.counts.get(minute)
        if counts is None:
            counts = self.counts[minute] = Counter()
        counts.update(keys)
        self.rows += len(keys)

    def _sort(self, record: Record, pack: Counted, lines: Lines) -> None:
        """Look at each hit by itself."""
        repeats = frozenset(record.repeats)
        minutes: dict[int, list[HitKey]] = {}
        for place, key in enumerate(pack.keys):
            weight = 1 if pack.weights is None else pack.weights[place]
            line = "duplicate" if place in repeats else self._line(pack, place)
            lines.move(line, weight)
            if line == "counted":
                at_ms = pack.arrived_at_ms if pack.at_ms is None else pack.at_ms[place]
                minutes.setdefault(at_ms // MINUTE_MS * MINUTE_MS, []).extend([key] * weight)
            elif line in ("late", "future", UNLABELLED):
                self._list_aside(record, line, [place], weight)
        for start_ms, keys in minutes.items():
            self._count((record.group, start_ms), keys, record.sequence)

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
        hits = 0
        for place, key in enumerate(pack.keys):
            at_ms = pack.arrived_at_ms if pack.at_ms is None else pack.at_ms[place]
            weight = 1 if pack.weights is None else pack.weights[place]
            counts.setdefault(at_ms // MINUTE_MS * MINUTE_MS, Counter())[key] += weight
            hits += weight
        self.replays.append(Replay(sequence, record.group, line, counts, hits))

    def _set_aside(self, record: Record, line: str, places: list[int], hits: int, *, reason: str) -> None:
        self.lines[record.group].move(line, hits)
        self._list_aside(record, line, places, hits)
        self.aside[record.group, line].reason = reason

    def _list_aside(self, record: Record, line: str, places: list[int], hits: int) -> None:
        aside = self.aside.get((record.group, line))
        if aside is None:
            aside = self.aside[record.group, line] = Aside()
        if aside.records and aside.records[-1][0] == record.sequence:
            aside.records[-1][1].extend(places)
            aside.hits += hits
        else:
            aside.note(record.sequence, places, hits)
