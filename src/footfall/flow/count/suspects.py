"""Suspects: the hits of persons, gathered from packs into minutes of arrival, judged, and told as verdicts.

One of these sees all shards of a brand, since a visitor's hits lie in many. A pack that comes after its minute was
closed is judged with the next one: arrival is what a judge goes by, and a minute more or less changes nothing.
"""

from collections.abc import Collection, Iterable, Sequence
from itertools import compress
from typing import NamedTuple, TypeVar

import numpy as np

from footfall.flow.stream.records import Judged, Outline, Pack, Unreadable, key_from_raw, raw_from_key
from footfall.screening.findings import Finding, SubjectKind
from footfall.screening.hit_columns import HitColumns, Numbers, code_of, joined
from footfall.screening.judging import MINUTE_MS, Judge
from footfall.screening.labels import Label, label_of
from footfall.screening.referrers import host_of
from footfall.screening.verdicts import Verdict, verdict_from_finding, visitor_subject

NAMES_MINUTES = 6  # A judge speaks of assets of the last five minutes.
GATHERED_MAX = 10_000  # hits that are laid into columns at once: some 4 MB
LAID_MAX = 60_000  # hits that are handed over at once: the more, the less each of them costs
CATCH_UP_MAX = 120  # minutes that are closed one by one after a pause; older ones have nothing in any window
CODES_MAX = 20_000  # keys and referrers whose numbers are remembered: some 5 MB each
NAMES_MAX = 2_000  # of a minute: who has fewer hits than so many others is not judged, or soon named again
NAMED_MIN = 100  # of what is laid at once, those with the most hits, even when there is no room any more

_T = TypeVar("_T")
_NO_VISITOR = bytes(8)


class Suspects:
    """What one brand's hits are judged by."""

    def __init__(self, judge: Judge, *, is_filtering: bool = False, known: "KnownCodes | None" = None) -> None:
        self.judge = judge
        self.is_filtering = is_filtering  # Then what may be held needs nobody who looks at it.
        self._closed_ms: int | None = None
        self._gathered = Gathered(known)
        self._laid: list[HitColumns] = []
        self._names: list[dict[int, str]] = [{}]  # of assets, by their numbers, for each of the last minutes

    def add(self, pack: Pack | Judged, *, without: Collection[int] = ()) -> None:
        """Take in a pack's hits of persons, without those that are counted nowhere: repeats, late ones, and the like.

        Without numbers of agents nothing is found by its kinds of agent.
        """
        if self._closed_ms is None:
            self._closed_ms = pack.arrived_at_ms // MINUTE_MS * MINUTE_MS
        self._gathered.add(pack, without=without)
        if len(self._gathered) >= GATHERED_MAX:
            self._lay()
        if sum(map(len, self._laid)) >= LAID_MAX:
            self.hand_over()

    def leaves_out(self, pack: Outline) -> bool:
        """Tell whether a pack changes nothing here, since nobody is told apart in it and it is not in the sample."""
        return self._closed_ms is not None and not pack.has_visitors and self.judge.leaves_out(pack.arrived_at_ms)

    def verdicts(self, *, now_ms: int) -> list[Verdict]:
        """Return what is found in the minutes that are over by now, and were not told before."""
        told: list[Verdict] = []
        for end_ms in self._ends(now_ms):
            found = [self._verdict(finding, now_ms) for finding in self.judge.closed(end_ms=end_ms)]
            told += [verdict for verdict in found if verdict.subject]  # A name may be lost in a flood of names.
            self._begin_minute(end_ms)
        return told

    def pass_by(self, *, now_ms: int) -> None:
        """Let the minutes that are over by now pass without a judgement: it was made before, or cannot be made."""
        for end_ms in self._ends(now_ms):
            self.judge.passed(end_ms=end_ms)
            self._begin_minute(end_ms)

    def _ends(self, now_ms: int) -> Sequence[int]:
        """Return the ends of the minutes that are over by now and not closed, with all hits handed over."""
        if self._closed_ms is None:
            return ()
        over_ms = now_ms // MINUTE_MS * MINUTE_MS
        first_ms = max(self._closed_ms, over_ms - CATCH_UP_MAX * MINUTE_MS)
        ends = range(first_ms + MINUTE_MS, over_ms + MINUTE_MS, MINUTE_MS)
        if ends:
            self.hand_over()
        return ends

    def _begin_minute(self, end_ms: int) -> None:
        self._names = [*self._names[1 - NAMES_MINUTES :], {}]
        self._closed_ms = end_ms

    def _lay(self) -> None:
        """Lay what was gathered into columns, which take a fifth of the room."""
        columns, names = self._gathered.columns(), self._names[-1]
        names |= self._gathered.names(columns.asset, room=NAMES_MAX - len(names))
        self._laid.append(columns)
        self._gathered.clear()

    def hand_over(self) -> None:
        """Let the judge have what has come."""
        if len(self._gathered):
            self._lay()
        if self._laid:
            self.judge.add(joined(self._laid))
            self._laid = []

    def _verdict(self, finding: Finding, now_ms: int) -> Verdict:
        if finding.kind is SubjectKind.VISITOR:
            subject = visitor_subject(finding.subject)
        else:
            subject = next((names[finding.subject] for names in self._names if finding.subject in names), "")
        return verdict_from_finding(finding, subject=subject, is_filtering=self.is_filtering, now_ms=now_ms)


class Gathered:
    """Hits of packs as plain lists, which are made columns at once: most packs have one hit."""

    def __init__(self, known: "KnownCodes | None" = None) -> None:
        self._known = known or KnownCodes()
        self._keys: list[bytes] = []  # as they stand in records
        self.clear()

    def __len__(self) -> int:
        return len(self._keys)

    def clear(self) -> None:
        """Begin again; what texts stand for stays known."""
        self._keys = []
        self._visitors: list[bytes] = []
        self._referrers: list[str] = []
        self._agents: list[int] = []
        self._at_ms: list[int] = []
        self._arrived_ms: list[int] = []

    def add(self, pack: Pack | Judged, *, without: Collection[int] = ()) -> None:
        """Take in the hits of a pack that are persons'; a hit of a weight is one."""
        out = {place for place, reason in (pack.screened or {}).items() if label_of(reason) is not Label.PERSON}
        count, is_in = len(pack.keys), None
        if out or without:
            is_in = [place not in out and place not in without for place in range(count)]
        keys = map(bytes, pack.keys) if isinstance(pack, Judged) else map(raw_from_key, pack.keys)
        self._keys += keys if is_in is None else compress(keys, is_in)
        self._visitors += _kept(pack.visitors or [b""] * count, is_in)
        self._referrers += _kept(pack.referrers or [""] * count, is_in)
        self._agents += _kept(pack.agents or [0] * count, is_in)
        self._at_ms += _kept(pack.at_ms or [pack.arrived_at_ms] * count, is_in)
        self._arrived_ms += [pack.arrived_at_ms] * (count if is_in is None else sum(is_in))

    def names(self, codes: Numbers, *, room: int) -> dict[int, str]:
        """Return the assets' ids by their numbers; where there is not room for all, of those with the most hits."""
        found, first, counts = np.unique(codes, return_index=True, return_counts=True)
        most = np.arange(len(found))
        if len(found) > room:
            most = np.argsort(-counts, kind="stable")[: max(room, NAMED_MIN)]
        named = zip(found[most].tolist(), first[most].tolist(), strict=True)
        return {code: self._known.keys[self._keys[place]].name for code, place in named if code}

    def columns(self) -> HitColumns:
        """Return the hits as a judge sees them."""
        count = len(self._keys)
        visitors = self._visitors
        if set(map(len, visitors)) != {8}:
            visitors = [one.rjust(8, b"\0") if one else _NO_VISITOR for one in visitors]
        keys = _Numbers()
        rows = np.fromiter(map(keys.__getitem__, self._keys), np.intp, count=count)
        known = [self._known.keys[key] for key in keys]
        return HitColumns(
            np.array([one.asset for one in known], np.uint64)[rows],
            np.array([one.section for one in known], np.uint64)[rows],
            np.frombuffer(b"".join(visitors), ">u8").astype(np.uint64),
            self._known.hosts.of(self._referrers),
            np.array(self._agents, np.uint64),
            np.array(self._at_ms, np.int64),
            np.array(self._arrived_ms, np.int64),
        )


def _kept(column: Sequence[_T], is_in: list[bool] | None) -> Iterable[_T]:
    return column if is_in is None else compress(column, is_in)


class _Numbers(dict[bytes, int]):
    """Keys, each with a number of its own in the order of their coming."""

    def __missing__(self, key: bytes) -> int:
        number = self[key] = len(self)
        return number


class KnownKey(NamedTuple):
    """What a key stands for: the numbers of its asset and its section, and the asset's id."""

    asset: int
    section: int
    name: str


class KnownCodes:
    """What texts stand for, remembered; several brands may share it."""

    def __init__(self) -> None:
        self.keys = _Keys()
        self.hosts = _Hosts()


class _Keys(dict[bytes, KnownKey]):
    """What keys stand for: those that were asked for lately are remembered. One that is damaged is nothing's."""

    def __missing__(self, data: bytes) -> KnownKey:
        if len(self) >= CODES_MAX:
            self.clear()
        try:
            asset, section, *_ = key_from_raw(data)
        except Unreadable:
            asset = section = ""
        found = self[data] = KnownKey(code_of(asset), code_of(section), asset)
        return found


class _Hosts(dict[str, int]):
    """The numbers of referrers' hosts: those that were asked for lately are remembered."""

    def __missing__(self, referrer: str) -> int:
        if len(self) >= CODES_MAX:
            self.clear()
        code = self[referrer] = code_of(host_of(referrer))
        return code

    def of(self, referrers: list[str]) -> Numbers:
        """Return the numbers of referrers."""
        return np.fromiter(map(self.__getitem__, referrers), np.uint64, count=len(referrers))
