"""Where each hit of a record goes: to a window's counts, or to a line of the ledger.

Pure: records in, counts and lines out. A hit's place follows from its record alone, and its label from its record and
the verdicts, so that reading the same records again under the same verdicts gives the same counts.
"""

from collections import Counter
from collections.abc import Callable, Mapping, Sequence

from footfall.flow.count.aside import UNLABELLED
from footfall.flow.count.aside_items import AsideKey, AsideRecord
from footfall.flow.count.counter_tally import CounterTally
from footfall.flow.count.place_tally import PlaceTallies, PlaceTally
from footfall.flow.count.placing import Place, Placing
from footfall.flow.count.replay import Replay, count_key_of, replay_of
from footfall.flow.count.sessions import Sessions
from footfall.flow.count.timing import COUNTED, Rules, has_window, heard_at_ms, is_in_time, line_by_time
from footfall.flow.count.verdicts_applied import found_in, line_under, no_verdicts, without
from footfall.flow.store.checkpoints import Lines
from footfall.flow.store.columns import CountKey, screened_key
from footfall.flow.store.known_keys import KnownKeys
from footfall.flow.store.moved_lines import Move
from footfall.flow.stream.beats import NO_ROOM, beats_from_record
from footfall.flow.stream.records import (
    Bare,
    Counted,
    HitKey,
    ReplayPack,
    Unreadable,
    Visited,
    bare_from_record,
    counted_from_record,
    kinds_from_record,
    pack_from_record,
    visited_from_record,
)
from footfall.ports.stream import Record
from footfall.screening.labels import label_of
from footfall.screening.verdicts import Applying
from footfall.values.groups import MARK, is_of_counters, is_of_follows, is_of_pings
from footfall.values.window import MINUTE_MS, Window

MinuteKey = tuple[str, int]  # brand, start of the minute
PlaceKey = tuple[str, Place]  # brand, and the minute or the longer window that its hits are counted into first
Counts = Counter[CountKey]
VerdictsOf = Callable[[str], Applying | None]


class Tally:
    """What a run of records amounts to."""

    def __init__(  # noqa: PLR0913 - where hits go, by which rules, and what is known from before
        self,
        rules: Rules,
        *,
        placing: Placing,
        through_of: Callable[[PlaceKey], int],
        uniques: bool = True,
        verdicts_of: VerdictsOf = no_verdicts,
        sessions: Sessions | None = None,
        known: KnownKeys | None = None,
    ) -> None:
        self._rules = rules
        self._known = KnownKeys() if known is None else known
        self._known_before = len(self._known)
        self._sessions = sessions  # of players; without them beats are counted in the ledger alone
        self._verdicts_of = verdicts_of
        self._uniques = uniques  # whether visitors are counted
        self._placing = placing
        self._through_of = through_of  # the last record that the store has, of the place or a window around it
        self._throughs: dict[PlaceKey, int] = {}
        self._counts = PlaceTallies[PlaceKey](self._known)
        # Records that one of the place's windows may have already and another may lack: a write was cut short.
        self._again: dict[PlaceKey, list[tuple[int, Counts]]] = {}
        self._arrivals: dict[PlaceKey, int] = {}
        self.lines: dict[str, Lines] = {}
        self.aside: dict[AsideKey, list[AsideRecord]] = {}
        self.replays: list[Replay] = []
        self.counters = CounterTally()  # Values that brands count by name; they are no hits.
        self.moved = Counter[Move]()  # what verdicts have put into another line
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
        elif record.dead:
            lines.dead += record.weight
            self._set_aside(record, "dead", None, record.weight, reason=record.dead)
        else:
            self._add_new(record, lines)

    @property
    def rows(self) -> int:
        """Return how much is in hand: distinct keys of every place, and what is listed besides."""
        sessions = 0 if self._sessions is None else self._sessions.rows
        known = len(self._known) - self._known_before
        return self._listed + known + self.counters.rows + sessions + self._counts.rows

    def places(self) -> list[PlaceKey]:
        """Return every place that has hits, in the order in which they came."""
        return list(dict.fromkeys((*self._counts, *self._again)))

    def minutes(self) -> list[MinuteKey]:
        """Return every minute that has hits of its own."""
        return [(brand, place) for brand, place in self.places() if isinstance(place, int)]

    def spans(self) -> list[tuple[str, Window]]:
        """Return every longer window that hits are counted straight into, because their minutes have gone."""
        return [(brand, place) for brand, place in self.places() if not isinstance(place, int)]

    def arrival_of(self, place: PlaceKey) -> int:
        """Return when the last hits of a place arrived."""
        return self._arrivals[place]

    def met(self) -> dict[PlaceKey, PlaceTally]:
        """Return the places at which visitors were met; those of records that the store has may be among them."""
        return {place: one for place, one in self._counts.items() if one.has_visitors}

    def counts_after(self, place: PlaceKey, through: int) -> Mapping[CountKey, int]:
        """Return the place's counts from the records after one that the store has."""
        counts = Counts()
        for sequence, again in self._again.get(place, ()):
            if sequence > through:
                counts.update(again)
        # The place's own are handed out as they are while nothing comes again: that is nearly always.
        tallied = self._counts.get(place)
        counted = counts if tallied is None else tallied.counts()
        if counts and counted is not counts:
            counts.update(counted)
        return counts or counted

    def count_replay(self, replay: Replay) -> None:
        """Count a record that came again, for the first time."""
        for place, counts in replay.counts.items():
            self._count_some((replay.brand, place), counts, replay.by, replay.arrived_at_ms)
        self.meet_replay(replay)
        self.move_replay(replay)

    def move_replay(self, replay: Replay) -> None:
        """Note what verdicts say of a record that came again."""
        for hit in replay.hits:
            self._move(replay.brand, hit.place, hit.door, hit.line, hit.weight)

    def meet_replay(self, replay: Replay) -> None:
        """Meet the visitors of a record that came again."""
        for hit in replay.hits:
            if self._uniques and hit.line == COUNTED and hit.visitor:
                self._tally_of((replay.brand, hit.place)).meet([hit.key], [hit.visitor])

    def _add_new(self, record: Record, lines: Lines) -> None:
        try:
            if MARK in record.group:
                self._add_beside(record, lines)
                return
            applying = self._verdicts_of(record.group)
            if applying is None and not record.repeats and self._count_bare(record, lines):
                return
            pack = self._columns_of(record.data, applying)
            again = None if pack.replays is None else pack_from_record(record.data)
        except Unreadable as error:
            lines.dead += record.weight
            self._set_aside(record, "dead", None, record.weight, reason=str(error))
            return
        if again is not None:
            self._replay(record, again, found_in(again, applying))
            return
        lines.last_hit_ms = max(lines.last_hit_ms, heard_at_ms(record, pack))
        found = found_in(pack, applying)
        if pack.weights or pack.screened or record.repeats or not is_in_time(pack, self._rules):
            self._sort(record, pack, lines, found)
            return
        if found:
            pack = self._count_found(record, pack, lines, found)
        visitors = self._visitors_of(pack)
        if pack.at_ms:
            self._count_by_place(record, pack, pack.at_ms, visitors)
        else:
            minute = (record.group, pack.arrived_at_ms // MINUTE_MS * MINUTE_MS)
            self._count(record, minute, pack.keys, visitors)
        lines.counted += len(pack.keys)

    def _add_beside(self, record: Record, lines: Lines) -> None:
        """Take in a record that holds no hits."""
        if is_of_counters(record.group):
            lines.counted += self.counters.add(record)
        elif is_of_pings(record.group):
            self._add_beats(record, lines)
        elif is_of_follows(record.group):
            self._add_follows(record, lines)
        else:
            raise Unreadable(f"a record of {record.group!r}, which this release does not know")

    def _add_beats(self, record: Record, lines: Lines) -> None:
        """Credit the beats of players; the ledger tells of beats, the windows of milliseconds."""
        beats = beats_from_record(record.data)
        aside = beats.aside or {}
        lines.counted += len(beats.keys) - len(aside)
        if beats.keys:
            lines.last_hit_ms = max(lines.last_hit_ms, record.arrived_at_ms)
        for at, line in aside.items():
            lines.move(line, 1)
            self._set_aside(record, line, at, 1)
        if self._sessions is None:
            return
        taken = self._sessions.taken(record, beats)
        if taken.crowded:
            lines.counted -= taken.crowded
            lines.move(NO_ROOM, taken.crowded)
        for place, credited in taken.credits.items():
            visitors = credited.visitors if self._uniques and any(credited.visitors) else None
            if self._is_new(place, record.sequence, record.arrived_at_ms):
                self._tally_of(place).count_weighed(credited.keys, credited.ms, visitors)
                continue
            self._count_again(place, credited.counts(), record.sequence)
            if visitors:
                self._tally_of(place).meet(credited.keys, visitors)

    def _count_bare(self, record: Record, lines: Lines) -> bool:
        """Count a record by the bytes of its keys, as nearly all can be; return whether this one could."""
        pack = bare_from_record(record.data)
        if pack is None or (pack.at_ms and (len(pack.at_ms) != record.weight or not is_in_time(pack, self._rules))):
            return False
        place = self._only_place_of(record, pack)
        if not (self._count_by_parts(record, pack) if place is None else self._count_at(place, record, pack)):
            return False
        lines.last_hit_ms = max(lines.last_hit_ms, heard_at_ms(record, pack))
        lines.counted += record.weight
        return True

    def _count_at(self, place: PlaceKey, record: Record, pack: Bare) -> bool:
        if record.sequence <= self._stored_through(place):
            return False
        tallied = self._counts.get(place) or self._counts.new()
        visitors = pack.visitors if self._uniques else None
        if not tallied.count_packed(pack.keys, hits=record.weight, visitors=visitors):
            return False
        self._counts.put(place, tallied)
        self._hear_of(place, record.arrived_at_ms)
        return True

    def _count_by_parts(self, record: Record, pack: Bare) -> bool:
        """Count a record of several places, if none of its hits has a visitor: those of some minutes, as a log has."""
        at_ms = pack.at_ms or ()
        if self._uniques and pack.visitors:
            return False
        parts = self._placing.by_place(record.group, at_ms, range(len(at_ms)), arrived_at_ms=record.arrived_at_ms)
        if any(record.sequence <= self._stored_through((record.group, place)) for place in parts):
            return False
        numbers = self._known.numbers(pack.keys, hits=record.weight)
        if numbers is None:
            return False
        for place, hits in parts.items():
            self._tally_of((record.group, place)).count_numbers(numbers, hits)
            self._hear_of((record.group, place), record.arrived_at_ms)
        return True

    def _only_place_of(self, record: Record, pack: Counted) -> PlaceKey | None:
        """Return where all hits of a pack are counted; None when they lie at several places."""
        if not pack.at_ms:
            return record.group, pack.arrived_at_ms // MINUTE_MS * MINUTE_MS
        place = self._placing.only_place(record.group, pack.at_ms, arrived_at_ms=record.arrived_at_ms)
        return None if place is None else (record.group, place)

    def _add_follows(self, record: Record, lines: Lines) -> None:
        """Count follows, or follows that ended: as hits, in windows of the group's name, without verdicts."""
        pack = counted_from_record(record.data)
        if pack.replays is not None:
            self._replay(record, pack_from_record(record.data), {})
            return
        lines.last_hit_ms = max(lines.last_hit_ms, record.arrived_at_ms)
        if pack.at_ms is None or pack.weights or pack.screened or record.repeats or not is_in_time(pack, self._rules):
            self._sort(record, pack, lines, {})
        else:
            self._count_by_place(record, pack, pack.at_ms, None)
            lines.counted += len(pack.keys)

    def _columns_of(self, data: bytes, applying: Applying | None) -> Counted:
        """Return what has to be known of a record's hits, given the verdicts on them."""
        if applying is not None and applying.has_agents:
            return kinds_from_record(data)
        return visited_from_record(data) if self._uniques or applying is not None else counted_from_record(data)

    def _count_found(self, record: Record, pack: Counted, lines: Lines, found: Mapping[int, str]) -> Counted:
        """Count the hits that verdicts speak of under their labels; return the pack without them."""
        places: dict[Place, Counts] = {}
        for at, reason in found.items():
            lines.move(reason, 1)
            key = screened_key(pack.keys[at], label_of(reason).value)
            place = self._place_of(record, pack, at)
            places.setdefault(place, Counter())[key] += 1
            self._move(record.group, place, COUNTED, reason, 1)
        for place, counts in places.items():
            self._count_some((record.group, place), counts, record.sequence, record.arrived_at_ms)
        return without(pack, found)

    def _count_by_place(
        self, record: Record, pack: Counted, at_ms: Sequence[int], visitors: list[bytes] | None
    ) -> None:
        by_place = self._placing.by_place
        met = by_place(record.group, at_ms, visitors, arrived_at_ms=record.arrived_at_ms) if visitors else {}
        for place, keys in by_place(record.group, at_ms, pack.keys, arrived_at_ms=record.arrived_at_ms).items():
            self._count(record, (record.group, place), keys, met.get(place))

    def _count(self, record: Record, place: PlaceKey, hits: list[HitKey], visitors: list[bytes] | None) -> None:
        """Count hits of a record at a place, each with its visitor if they have any."""
        if self._is_new(place, record.sequence, record.arrived_at_ms):
            self._tally_of(place).count(hits, visitors)
            return
        self._count_again(place, Counter(hits), record.sequence)
        if visitors:
            self._tally_of(place).meet(hits, visitors)

    def _count_some(self, place: PlaceKey, counts: Counts, sequence: int, arrived_at_ms: int) -> None:
        """Count hits at a place that are added up already."""
        if self._is_new(place, sequence, arrived_at_ms):
            self._tally_of(place).count_some(counts)
        else:
            self._count_again(place, counts, sequence)

    def _is_new(self, place: PlaceKey, sequence: int, arrived_at_ms: int) -> bool:
        """Tell whether no window of the place has a record yet."""
        self._hear_of(place, arrived_at_ms)
        return sequence > self._stored_through(place)

    def _stored_through(self, place: PlaceKey) -> int:
        through = self._throughs.get(place)
        if through is None:
            through = self._throughs[place] = self._through_of(place)
        return through

    def _hear_of(self, place: PlaceKey, arrived_at_ms: int) -> None:
        self._arrivals[place] = max(self._arrivals.get(place, 0), arrived_at_ms)

    def _count_again(self, place: PlaceKey, counts: Counts, sequence: int) -> None:
        self._listed += len(counts)
        self._again.setdefault(place, []).append((sequence, counts))

    def _tally_of(self, place: PlaceKey) -> PlaceTally:
        return self._counts.change(place)

    def _visitors_of(self, pack: Counted) -> list[bytes] | None:
        return pack.visitors if self._uniques and isinstance(pack, Visited) else None

    def _sort(self, record: Record, pack: Counted, lines: Lines, found: Mapping[int, str]) -> None:
        """Look at each hit by itself, and at what verdicts say of it."""
        repeats = frozenset(record.repeats)
        visitors = self._visitors_of(pack)
        places: dict[Place, Counts] = {}
        for at, key in enumerate(pack.keys):
            weight = 1 if pack.weights is None else pack.weights[at]
            door = "duplicate" if at in repeats else self._line(pack, at)
            line = door if at in repeats else line_under(door, found.get(at))
            lines.move(line, weight)
            if line != door:
                self._move(record.group, self._place_of(record, pack, at), door, line, weight)
            count_key = count_key_of(key, line)
            if count_key is not None and (line == COUNTED or has_window(pack, at, self._rules)):
                place = self._place_of(record, pack, at)
                places.setdefault(place, Counter())[count_key] += weight
                if visitors and visitors[at] and line == COUNTED:
                    self._tally_of((record.group, place)).meet([key], [visitors[at]])
            elif line in ("late", "future", UNLABELLED):
                self._set_aside(record, line, at, weight)
        for place, counts in places.items():
            self._count_some((record.group, place), counts, record.sequence, record.arrived_at_ms)

    def _move(self, brand: str, place: Place, door: str, line: str, weight: int) -> None:
        if line != door:
            self.moved[brand, self._placing.hour_of(brand, place), door, line] += weight

    def _place_of(self, record: Record, pack: Counted, at: int) -> Place:
        moment_ms = pack.arrived_at_ms if pack.at_ms is None else pack.at_ms[at]
        return self._placing.place(record.group, moment_ms, arrived_at_ms=record.arrived_at_ms)

    def _line(self, pack: Counted, place: int) -> str:
        if pack.screened is not None and place in pack.screened:
            return pack.screened[place]
        return line_by_time(pack, place, self._rules)

    def _replay(self, record: Record, pack: ReplayPack, found: Mapping[int, str]) -> None:
        places = [self._place_of(record, pack, at) for at in range(len(pack.keys))]
        doors = [self._line(pack, at) for at in range(len(pack.keys))]
        self.replays.append(replay_of(record, pack, places, doors=doors, found=found))

    def _set_aside(self, record: Record, line: str, place: int | None, hits: int, *, reason: str = "") -> None:
        self._listed += 1
        records = self.aside.setdefault((record.group, line, reason), [])
        if not records or records[-1].sequence != record.sequence:
            records.append(AsideRecord(record.sequence, [], 0))
        records[-1].hits += hits
        if place is not None:
            records[-1].places.append(place)
