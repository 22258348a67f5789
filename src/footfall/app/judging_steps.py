"""Judging, step by step: raw hits are read by minutes of arrival, judged brand by brand, and verdicts are told once.

What was learned is kept only after what was found is stored. So an end at any moment loses nothing, and what is found
a second time because of it is known by its name and its end.
"""

import logging
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import Protocol

from footfall.accounts.verdict_store import UnknownVerdict, VerdictsContended
from footfall.app.judge_memory import Memories, Memory
from footfall.app.judging_report import GRACE_MS, Report
from footfall.flow.count.suspects import KnownCodes, Suspects
from footfall.flow.store import keys
from footfall.flow.stream.minutes import Sources
from footfall.flow.stream.records import RULES_OF_LOGS, Judged, Unreadable, judged_from_record, outline_from_record
from footfall.ports.errors import PortError
from footfall.ports.items import Unfit
from footfall.ports.stream import Record
from footfall.screening.judging import MINUTE_MS, Judge
from footfall.screening.releases import released_points
from footfall.screening.trusted import Trusted
from footfall.screening.verdicts import Change, Verdict
from footfall.values.clock import Clock
from footfall.values.groups import is_beside

REFILL_MS = 60 * MINUTE_MS  # what the windows of visitors hold
KEEP_EVERY_MS = 5 * MINUTE_MS  # Judged again after a crash: the minutes since, which had no finding.
BEHIND_MS_MAX = 2 * MINUTE_MS
BRANDS_MAX = 10  # at once, those with the most hits: each has forests of 4 MB
LEFT_OUT_MAX = 1_000  # brands whose hits are counted while there is no room for them
HITS_MAX = 30_000  # of a minute, of all brands together; of more, a sample of the visitors: some 40 MB while it judges
VISITORS_MAX = 20_000  # of ten minutes, those that come most: some 20 MB for an hour
STEP_RECORDS = 500  # that are read between two looks at whether to stop
WAITING_MAX = 30_000  # hits of all brands that are gathered and not taken in: some 12 MB
FOUND_MAX = 1_000  # verdicts of a brand's minute that are stored, those with the highest scores

_log = logging.getLogger(__name__)


class Verdicts(Protocol):
    """What is asked of the verdicts that are stored."""

    def version(self, brand: str) -> int:
        """Return the version of a brand's verdicts."""
        ...

    def verdict(self, brand: str, verdict_id: str) -> Verdict:
        """Return a verdict as it stands, or raise UnknownVerdict."""
        ...

    def changes(self, brand: str, *, after_version: int = 0) -> list[Change]:
        """Return the changes after a version."""
        ...

    def standing(self, brand: str) -> list[Verdict]:
        """Return the verdicts as they stand now."""
        ...


class Finds(Protocol):
    """Who stores what is found: VerdictStore.find, or the process that writes for us."""

    def __call__(self, brand: str, verdicts: Sequence[Verdict], *, since: Mapping[str, int]) -> int:
        """Store verdicts, and return the version then."""
        ...


@dataclass(slots=True)
class _Judged:
    """A brand that is being judged."""

    suspects: Suspects
    memory: Memory
    trusted: Trusted
    kept_ms: int = 0
    hits: int = 0  # of this minute


@dataclass(frozen=True, slots=True)
class Ground:
    """What judging stands on."""

    memories: Memories
    verdicts: Verdicts
    find: Finds
    is_filtering: Callable[[str], bool]


@dataclass(frozen=True, slots=True)
class Pace:
    """How long it waits for what arrives, and how much of it is kept in memory."""

    grace_ms: int = GRACE_MS
    keep_every_ms: int = KEEP_EVERY_MS
    lateness_ms: int = 86_400_000
    future_ms: int = 300_000
    hits_max: int = HITS_MAX
    visitors_max: int = VISITORS_MAX
    brands_max: int = BRANDS_MAX


class Judging:
    """Judges all brands, minute by minute of arrival."""

    def __init__(self, sources: Sources, ground: Ground, *, clock: Clock, pace: Pace) -> None:
        """Begin an hour ago, which fills the windows; minutes that were judged before are not judged again."""
        self._sources = sources
        self._ground = ground
        self._clock = clock
        self._pace = pace
        self._brands: dict[str, _Judged] = {}
        self._untold: list[tuple[str, Sequence[Verdict]]] = []
        self._known = KnownCodes()
        self._left_out = Counter[str]()  # hits of this minute, by brand
        self._waiting = 0  # hits that no judge has taken in
        self._behind_since_ms: int | None = None
        self.report = Report()
        now_ms = clock.now_ms()
        self._end_ms = self._begin(now_ms - REFILL_MS - 2 * pace.keep_every_ms - pace.grace_ms)

    def step(self) -> bool:
        """Read what has arrived, and judge a minute that is over; return whether there is more to do at once."""
        if self._untold and not self._is_told():
            return False
        now_ms = self._clock.now_ms()
        for minutes in self._sources.present():
            taken = 0
            for record in islice(minutes.until(self._end_ms), STEP_RECORDS):
                self._take(record)
                taken += 1
            if taken == STEP_RECORDS:
                return True
        if now_ms < self._end_ms + self._pace.grace_ms:
            self._behind_since_ms = None
            return False
        self._close()
        self._catch_up(now_ms)
        return True

    def keep(self) -> None:
        """Keep what was learned of every brand: the process may end."""
        for name, one in self._brands.items():
            if one.memory.judged_ms > one.kept_ms:
                self._keep(name, one)

    def behind_ms(self) -> int:
        """Return how long a minute has been due that is not judged; 0 while it follows."""
        return max(0, self._clock.now_ms() - self._end_ms - self._pace.grace_ms)

    def _begin(self, from_ms: int) -> int:
        """Read on from the minute of a moment, and return its end."""
        start_ms = from_ms // MINUTE_MS * MINUTE_MS
        self._sources.begin(from_ms=start_ms)
        return start_ms + MINUTE_MS

    def _take(self, record: Record) -> None:
        if record.repeated or record.dead or is_beside(record.group):
            return
        outline = outline_from_record(record.data)
        if outline is None or outline.replays is not None or outline.rules == RULES_OF_LOGS:
            return  # Whoever counts sets it aside, or when they arrived says nothing of when people came.
        hits = record.weight if outline.weights is None else len(outline.weights)
        brand = self._brand(record.group)
        if brand is None:
            self.report.left_out += hits
            if record.group in self._left_out or len(self._left_out) < LEFT_OUT_MAX:
                self._left_out[record.group] += hits
            return
        brand.hits += hits
        self.report.hits += hits
        if not brand.suspects.leaves_out(outline):
            self._gather(brand.suspects, record, hits)

    def _gather(self, suspects: Suspects, record: Record, hits: int) -> None:
        """Take a record's hits in one by one."""
        try:
            pack = judged_from_record(record.data)
        except Unreadable:
            return  # Whoever counts sets it aside.
        suspects.add(pack, without={*record.repeats, *_out_of_time(pack, self._pace)})
        self._waiting += hits
        if self._waiting >= WAITING_MAX:
            self._hand_over()

    def _hand_over(self) -> None:
        for one in self._brands.values():
            one.suspects.hand_over()
        self._waiting = 0

    def _brand(self, name: str) -> _Judged | None:
        found = self._brands.get(name)
        if found is None and len(self._brands) < self._pace.brands_max:
            memory = self._ground.memories.of(name, version=self._ground.verdicts.version(name))
            share = len(self._brands) + 1
            judge = Judge(
                memory.learned,
                hits_max=self._pace.hits_max // share,
                visitors_max=self._pace.visitors_max // share,
            )
            trusted = Trusted()
            trusted.take(self._ground.verdicts.standing(name), now_ms=self._clock.now_ms())
            suspects = Suspects(judge, known=self._known)
            found = self._brands[name] = _Judged(suspects, memory, trusted, memory.judged_ms)
        return found

    def _make_room(self) -> None:
        """Let a brand go that had less than half the hits of one that there was no room for."""
        for wanted, hits in self._left_out.most_common(1):
            least = min(self._brands, key=lambda name: self._brands[name].hits)
            if 2 * self._brands[least].hits < hits:
                self._keep(least, self._brands[least])
                del self._brands[least]
                self._brand(wanted)
        self._left_out.clear()

    def _share_room(self) -> None:
        """Give each brand the part of the room that its hits were of all hits, and none less than a small one."""
        pace, total = self._pace, max(1, sum(one.hits for one in self._brands.values()))
        for one in self._brands.values():
            share = max(1 / pace.brands_max, one.hits / total)
            one.suspects.judge.bound(hits_max=int(pace.hits_max * share), visitors_max=int(pace.visitors_max * share))
            one.hits = 0

    def _close(self) -> None:
        """Judge the minute, tell what was found, and begin the next."""
        end_ms = self._end_ms
        self._end_ms += MINUTE_MS
        self.report.judged_ms, self.report.brands = end_ms, len(self._brands)
        learned = [one.memory.learned for one in self._brands.values()]
        self.report.ready_visitors = sum(one.visitor_threshold.is_ready for one in learned)
        self.report.ready_assets = sum(one.asset_threshold.is_ready for one in learned)
        for name, one in self._brands.items():
            if end_ms <= one.memory.judged_ms:
                one.suspects.pass_by(now_ms=end_ms)
                continue
            self._learn_releases(name, one)
            one.suspects.is_filtering = self._ground.is_filtering(name)
            found = one.trusted.told(one.suspects.verdicts(now_ms=end_ms), now_ms=end_ms)
            self.report.sampled_out += one.hits * (1 - 1 / one.suspects.judge.one_of)
            one.memory.judged_ms = end_ms
            if found:
                self._untold.append((name, _highest(name, found)))
        if self._is_told():
            for name, one in self._brands.items():
                if one.memory.judged_ms - one.kept_ms >= self._pace.keep_every_ms:
                    self._keep(name, one)
            self._make_room()
        self._share_room()

    def _is_told(self) -> bool:
        """Store what was found; tell whether all of it is. Until it is, nothing is kept that knows of it."""
        while self._untold:
            name, found = self._untold[0]
            try:
                fresh = [verdict for verdict in found if not self._is_known(name, verdict)]
                if fresh:
                    self._ground.find(name, fresh, since=self._since(name))
                    self.report.verdicts += len(fresh)
                self._keep(name, self._brands[name])
            except Unfit as error:
                # Nothing that comes later makes it fit: one minute's findings are given up, not all judging.
                _log.error("what the judge has found cannot be stored and is lost: %s", error)
            except (PortError, VerdictsContended) as error:
                _log.warning("what the judge has found waits: %s", error)
                return False
            del self._untold[0]
        return True

    def _is_known(self, name: str, verdict: Verdict) -> bool:
        """Tell whether it was stored just so: by this process before it was killed, which had no time to keep that."""
        try:
            standing = self._ground.verdicts.verdict(name, verdict.id)
        except UnknownVerdict:
            return False
        return standing.to_ms == verdict.to_ms and (standing.cause == verdict.cause or not verdict.notes)

    def _since(self, name: str) -> dict[str, int]:
        """Return what was read of each shard."""
        return {keys.shard_name(shard): number for shard, number in self._sources.through(name).items()}

    def _learn_releases(self, name: str, one: _Judged) -> None:
        """Learn as usual what an operator has released since, and trust it for a while."""
        if self._ground.verdicts.version(name) == one.memory.version:
            return
        for change in self._ground.verdicts.changes(name, after_version=one.memory.version):
            for kind, point in released_points(change):
                one.suspects.judge.learn(kind, point)
            one.trusted.take(change.verdicts, now_ms=self._end_ms)
            one.memory.version = change.version

    def _keep(self, name: str, one: _Judged) -> None:
        self._ground.memories.keep(name, one.memory)
        one.kept_ms = one.memory.judged_ms

    def _catch_up(self, now_ms: int) -> None:
        """Go on with what is new when it was too far behind for too long: a start has that long to read its hour."""
        if now_ms - self._end_ms - self._pace.grace_ms <= BEHIND_MS_MAX:
            self._behind_since_ms = None
            return
        if self._behind_since_ms is None:
            self._behind_since_ms = now_ms
        if now_ms - self._behind_since_ms <= BEHIND_MS_MAX:
            return
        before_ms, self._behind_since_ms = self._end_ms, None
        self._end_ms = self._begin(now_ms - self._pace.grace_ms)
        for one in self._brands.values():
            one.suspects.pass_by(now_ms=self._end_ms - MINUTE_MS)
        self.report.skipped_ms += self._end_ms - before_ms
        _log.warning("judging could not follow and passes over %d s", (self._end_ms - before_ms) // 1_000)


def _highest(name: str, found: list[Verdict]) -> list[Verdict]:
    """Return those that are stored: what thousands have in common is better seen in the lists than one by one."""
    if len(found) > FOUND_MAX:
        _log.warning("the judge found %d cases of %s in a minute and tells of %d", len(found), name, FOUND_MAX)
    return sorted(found, key=lambda verdict: -verdict.score)[:FOUND_MAX]


def _out_of_time(pack: Judged, pace: Pace) -> set[int]:
    """Return the hits that are counted in no window of now: they are late, or of the future."""
    if pack.at_ms is None:
        return set()
    oldest_ms, newest_ms = pack.arrived_at_ms - pace.lateness_ms, pack.arrived_at_ms + pace.future_ms
    if oldest_ms <= min(pack.at_ms, default=oldest_ms) and max(pack.at_ms, default=newest_ms) <= newest_ms:
        return set()
    return {place for place, at_ms in enumerate(pack.at_ms) if not oldest_ms <= at_ms <= newest_ms}
