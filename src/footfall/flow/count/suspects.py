"""Suspects: the hits of persons, gathered from packs into minutes of arrival, judged, and told as verdicts.

One of these sees all shards of a brand, since a visitor's hits lie in many. A pack that comes after its minute was
closed is judged with the next one: arrival is what a judge goes by, and a minute more or less changes nothing.
"""

from collections.abc import Collection, Sequence

import numpy as np

from footfall.flow.stream.records import HitKey, Pack
from footfall.screening.findings import Finding, SubjectKind
from footfall.screening.hit_columns import HitColumns, code_of, codes, visitor_code
from footfall.screening.judging import MINUTE_MS, Judge
from footfall.screening.labels import Label, label_of
from footfall.screening.referrers import host_of
from footfall.screening.verdicts import Verdict, verdict_from_finding, visitor_subject

NAMES_MINUTES = 6  # A judge speaks of assets of the last five minutes.
GATHERED_MAX = 20_000  # hits that are handed over at once: some 5 MB
CATCH_UP_MAX = 120  # minutes that are closed one by one after a pause; older ones have nothing in any window


class Suspects:
    """What one brand's hits are judged by."""

    def __init__(self, judge: Judge, *, is_filtering: bool = False) -> None:
        self._judge = judge
        self._is_filtering = is_filtering
        self._closed_ms: int | None = None
        self._gathered = Gathered()
        self._names: list[dict[int, str]] = [{}]  # of assets, by their numbers, for each of the last minutes

    def add(self, pack: Pack, *, agents: Sequence[str] | None = None, without: Collection[int] = ()) -> None:
        """Take in a pack's hits of persons, without those that are counted nowhere: repeats, late ones, and the like.

        Agents are texts of any kind that tell them apart. Without them nothing is found by its kinds of agent.
        """
        if self._closed_ms is None:
            self._closed_ms = pack.arrived_at_ms // MINUTE_MS * MINUTE_MS
        self._gathered.add(pack, agents=agents, without=without)
        if len(self._gathered) >= GATHERED_MAX:
            self._hand_over()

    def verdicts(self, *, now_ms: int) -> list[Verdict]:
        """Return what is found in the minutes that are over by now, and were not told before."""
        told: list[Verdict] = []
        if self._closed_ms is None:
            return told
        over_ms = now_ms // MINUTE_MS * MINUTE_MS
        end_ms = max(self._closed_ms, over_ms - CATCH_UP_MAX * MINUTE_MS)
        self._hand_over()
        while end_ms < over_ms:
            end_ms += MINUTE_MS
            told += [self._verdict(finding, now_ms) for finding in self._judge.closed(end_ms=end_ms)]
            self._names = [*self._names[1 - NAMES_MINUTES :], {}]
            self._closed_ms = end_ms
        return told

    def _hand_over(self) -> None:
        self._names[-1] |= self._gathered.names()
        self._judge.add(self._gathered.columns())
        self._gathered = Gathered()

    def _verdict(self, finding: Finding, now_ms: int) -> Verdict:
        if finding.kind is SubjectKind.VISITOR:
            subject = visitor_subject(finding.subject)
        else:
            subject = next(names[finding.subject] for names in self._names if finding.subject in names)
        return verdict_from_finding(finding, subject=subject, is_filtering=self._is_filtering, now_ms=now_ms)


class Gathered:
    """Hits of packs as plain lists, which are made columns at once: most packs have one hit."""

    def __init__(self) -> None:
        self._keys: list[HitKey] = []
        self._visitors: list[int] = []
        self._referrers: list[str] = []
        self._agents: list[str] = []
        self._at_ms: list[int] = []
        self._arrived_ms: list[int] = []

    def __len__(self) -> int:
        return len(self._keys)

    def add(self, pack: Pack, *, agents: Sequence[str] | None = None, without: Collection[int] = ()) -> None:
        """Take in the hits of a pack that are persons'; a hit of a weight is one."""
        out = {place for place, reason in (pack.screened or {}).items() if label_of(reason) is not Label.PERSON}
        for place in range(len(pack.keys)):
            if place in out or place in without:
                continue
            self._keys.append(pack.keys[place])
            self._visitors.append(visitor_code(pack.visitors[place]) if pack.visitors else 0)
            self._referrers.append(host_of(pack.referrers[place]) if pack.referrers else "")
            self._agents.append(agents[place] if agents else "")
            self._at_ms.append(pack.at_ms[place] if pack.at_ms else pack.arrived_at_ms)
            self._arrived_ms.append(pack.arrived_at_ms)

    def names(self) -> dict[int, str]:
        """Return the assets' ids by their numbers."""
        return {code_of(asset): asset for asset in {key[0] for key in self._keys}}

    def columns(self) -> HitColumns:
        """Return the hits as a judge sees them."""
        return HitColumns(
            codes(key[0] for key in self._keys),
            codes(key[1] for key in self._keys),
            np.array(self._visitors, np.uint64),
            codes(self._referrers),
            codes(self._agents),
            np.array(self._at_ms, np.int64),
            np.array(self._arrived_ms, np.int64),
        )
