"""Judges the hits of a brand minute by minute: which visitor or asset is not as people are, when, and by what it shows.

Two forests learn what is usual, one of visitors and one of assets. What was found is not learned from, or it would soon
be usual; `learn` takes in what an operator has released. The same hits, minute by minute, give the same findings.
"""

from dataclasses import dataclass, field, replace

import numpy as np

from footfall.screening.asset_features import SLOT_HITS_MAX, AssetFeature, AssetPoints, AssetWindow
from footfall.screening.features import ASSET_SIDES, VISITOR_SIDES, FeatureNote, notes_of, suspicious_share, words_of
from footfall.screening.findings import Cause, Finding, SubjectKind
from footfall.screening.gaming import Suspicion, suspicion_of
from footfall.screening.hit_columns import HitColumns, Numbers
from footfall.screening.narrowing import ALL, Narrowing, goes_on, narrowed
from footfall.screening.thresholds import Threshold
from footfall.screening.visitor_features import (
    SLOT_MS,
    SLOTS,
    VISITORS_MAX,
    VisitorFeature,
    VisitorPoints,
    VisitorWindow,
)
from footfall.screening.walking import walk_of
from footfall.sketches.random_cut_forest.forest import Forest
from footfall.sketches.random_cut_forest.shape import Shape

MINUTE_MS = 60_000
ASSET_WINDOW_MS = 5 * MINUTE_MS
ASSET_LEASE_MS = 4 * MINUTE_MS  # A hold ends by itself when nothing renews it.
ASSET_RENEW_MS = 2 * MINUTE_MS
BACK_MS = 5 * MINUTE_MS  # Before the window in which a rise was seen: too few hits to see it, and part of it.
VISITOR_WINDOW_MS = SLOTS * SLOT_MS
VISITOR_LEASE_MS = SLOT_MS + VISITOR_WINDOW_MS // 2
TOLD_LEASE_MS = 10 * MINUTE_MS  # Whoever confirms what is told blocks an asset for no longer than it goes on.
LATE_MS = 24 * 60 * MINUTE_MS  # An older hit is set aside, and counted nowhere.
USUAL_HITS = 10.0  # in five minutes, of an asset that nobody has seen before
USUAL_MIN = 3.0  # An asset that has fewer is forgotten.
USUAL_MAX = 50_000  # assets whose usual hits are known
_FADING = 2.0 ** (-1 / 120)  # of a minute: what is usual has a half-life of two hours
CASES_MAX = 20_000  # open ones of each kind; the oldest are let go, and end by themselves
SUSPICIOUS_MIN = 0.6  # of a score, from features on the side of programs


@dataclass(frozen=True, slots=True)
class Case:
    """A finding that may go on."""

    from_ms: int
    to_ms: int
    cause: Cause
    agents: tuple[int, ...] = ()  # what it is narrowed to, and stays so: a rise by others is another case
    visitors: tuple[int, ...] = ()


@dataclass(slots=True)
class Learned:
    """All that a judge has learned, which outlives its process; docs/formats/judging.md."""

    visitors: Forest
    assets: Forest
    visitor_threshold: Threshold
    asset_threshold: Threshold
    usual: dict[int, float] = field(default_factory=dict[int, float])  # hits of an asset in five minutes
    visitor_cases: dict[int, Case] = field(default_factory=dict[int, Case])
    asset_cases: dict[int, Case] = field(default_factory=dict[int, Case])
    told_cases: dict[int, Case] = field(default_factory=dict[int, Case])  # assets that are told, not held


def new_learned(*, seed: int) -> Learned:
    """Return what a judge knows that has seen nothing."""
    return Learned(
        Forest(Shape(len(VisitorFeature)), seed=seed),
        Forest(Shape(len(AssetFeature)), seed=seed),
        Threshold(quantile=0.99, margin=1.3, floor=2.0),
        Threshold(quantile=0.99, margin=1.3, floor=2.0),
    )


class Judge:
    """Judges one brand."""

    def __init__(self, learned: Learned, *, hits_max: int = SLOT_HITS_MAX, visitors_max: int = VISITORS_MAX) -> None:
        """Bound what is kept: hits of a minute, of more a sample by visitor; visitors of ten, those that come most."""
        self.learned = learned
        self._visitor_window = VisitorWindow(visitors_max=visitors_max)
        self._asset_window = AssetWindow(slot_hits_max=hits_max)

    def bound(self, *, hits_max: int, visitors_max: int) -> None:
        """Keep more or less from now on."""
        self._visitor_window.visitors_max = visitors_max
        self._asset_window.slot_hits_max = hits_max

    @property
    def one_of(self) -> int:
        """Return of how many visitors one is looked at when assets are judged, since more hits came than are kept."""
        return self._asset_window.one_of

    def add(self, hits: HitColumns) -> None:
        """Take in hits of persons that arrived in this minute; those of held visitors say nothing of an asset."""
        self._visitor_window.add(hits)
        held = _subjects(self.learned.visitor_cases, int(hits.arrived_ms.min()) if len(hits) else 0)
        self._asset_window.add(hits.chosen(~np.isin(hits.visitor, held)) if len(held) else hits)

    def leaves_out(self, arrived_ms: int) -> bool:
        """Tell whether hits of nobody in particular that arrived at a moment are not looked at: too many came."""
        return self._asset_window.leaves_out(arrived_ms)

    def closed(self, *, end_ms: int) -> list[Finding]:
        """Return what is found at the end of a minute, and begin the next; each minute ends once, also an empty one."""
        found: list[Finding] = []
        if end_ms % SLOT_MS == 0:
            found += self._of_visitors(self._visitor_window.points(), end_ms)
            self._visitor_window.begin_slot()
        without = _subjects(self.learned.asset_cases, end_ms)
        found += self._of_assets(self._asset_window.points(without=without), end_ms)
        self._asset_window.begin_slot()
        return found

    def passed(self, *, end_ms: int) -> None:
        """Begin the next minute without a judgement: this one was judged before, and its hits only fill the windows."""
        if end_ms % SLOT_MS == 0:
            self._visitor_window.begin_slot()
        self._asset_window.begin_slot()

    def learn(self, kind: SubjectKind, point: list[float]) -> None:
        """Take in as usual what an operator has released."""
        (self.learned.visitors if kind is SubjectKind.VISITOR else self.learned.assets).add(point)

    def _of_visitors(self, found: VisitorPoints, end_ms: int) -> list[Finding]:
        learned = self.learned
        points: list[list[float]] = found.points.tolist()
        limit = learned.visitor_threshold.value
        findings: list[Finding] = []
        for row, point in enumerate(points):
            finding = None
            score = learned.visitors.score(point)
            walk = walk_of(point)
            if walk is not None or score > limit:
                visitor = int(found.visitor[row])
                span = _began_ms(int(found.first_ms[row]), end_ms), end_ms + VISITOR_LEASE_MS
                case = _case(
                    learned.visitor_cases, visitor, span, Cause.UNUSUAL_VISITOR if walk is None else Cause.WALK
                )
                finding = None if walk is None else walk.finding(visitor, (case.from_ms, case.to_ms))
                if score > limit:  # What the forest says of it has all features.
                    finding = self._unusual(SubjectKind.VISITOR, visitor, case, point) or finding
            if finding is None:
                learned.visitors.add(point)
                learned.visitor_threshold.add([score])
            else:
                findings.append(finding)
                learned.visitor_cases[finding.subject] = Case(finding.from_ms, finding.to_ms, finding.cause)
        _forget(learned.visitor_cases, end_ms)
        return findings

    def _of_assets(self, found: AssetPoints, end_ms: int) -> list[Finding]:
        learned = self.learned
        limit = learned.asset_threshold.value
        findings: list[Finding] = []
        for row, asset in enumerate(found.asset.tolist()):
            rise = float(np.log2(max(1.0, found.hits[row]) / max(USUAL_HITS, learned.usual.get(asset, 0.0))))
            found.points[row, AssetFeature.RISE] = rise
            held = learned.asset_cases.get(asset)
            is_held = held is not None and held.to_ms > end_ms
            suspicion = suspicion_of(found, row, rise=rise, is_held=is_held)
            if suspicion is not None:
                findings += self._held(asset, suspicion, end_ms, is_held=is_held)
            else:
                findings += self._ended(asset, end_ms) if is_held else []
                findings += self._told(asset, found.points[row].tolist(), limit=limit, end_ms=end_ms)
        self._learn_usual(found, end_ms)
        for cases in (learned.asset_cases, learned.told_cases):
            _forget(cases, end_ms)
        return findings

    def _held(self, asset: int, suspicion: Suspicion, end_ms: int, *, is_held: bool) -> list[Finding]:
        before = self.learned.asset_cases.get(asset)
        if before is not None and before.to_ms - end_ms >= ASSET_RENEW_MS:
            return []
        case = self._narrowed_case(asset, suspicion.cause, end_ms, is_held=is_held)
        self.learned.asset_cases[asset] = case
        return [_finding(asset, case, 1.0 + suspicion.strength, suspicion.notes, suspicion.words)]

    def _narrowed_case(self, asset: int, cause: Cause, end_ms: int, *, is_held: bool) -> Case:
        """Return the open case of an asset with a later end, or one of what makes its rise now."""
        window, before = self._asset_window, self.learned.asset_cases.get(asset)
        hits, usual = window.hits_of(asset), window.usual_agents
        span = end_ms - ASSET_WINDOW_MS - BACK_MS, end_ms + ASSET_LEASE_MS
        is_open = before is not None and before.to_ms >= span[0]
        known = Narrowing(before.agents, before.visitors) if before is not None and is_open else ALL
        now = narrowed(
            cause,
            hits,
            usual if is_held else usual.without(hits),  # What is held has no part in what is usual.
            usual_hits=max(USUAL_HITS, self.learned.usual.get(asset, 0.0)),
            one_of=window.one_of,
            before=known,
        )
        if before is not None and is_open and goes_on(known, now, hits):
            return replace(before, to_ms=span[1])
        return Case(*span, cause, now.agents, now.visitors)

    def _ended(self, asset: int, end_ms: int) -> list[Finding]:
        """Return that a hold ends now, since what was suspicious is over."""
        case = self.learned.asset_cases.pop(asset)
        return [_finding(asset, replace(case, to_ms=end_ms), 0.0, (), "what was suspicious is over")]

    def _told(self, asset: int, point: list[float], *, limit: float, end_ms: int) -> list[Finding]:
        """Return an asset that is unusual by its visitors, for an operator to look at; nothing is left out for it."""
        learned = self.learned
        score = learned.assets.score(point)
        if score > limit:
            began_ms = end_ms - ASSET_WINDOW_MS
            before = learned.told_cases.get(asset)
            span = began_ms, end_ms + TOLD_LEASE_MS
            case = _case(learned.told_cases, asset, span, Cause.UNUSUAL_ASSET)
            finding = self._unusual(SubjectKind.ASSET, asset, case, point)
            if finding is not None:
                if before is not None and before.to_ms - end_ms >= TOLD_LEASE_MS // 2:
                    return []
                learned.told_cases[asset] = case
                return [finding]
        learned.assets.add(point)
        learned.asset_threshold.add([score])
        return []

    def _unusual(self, kind: SubjectKind, subject: int, case: Case, point: list[float]) -> Finding | None:
        """Return the finding, unless what is unusual is not what programs do."""
        is_visitor = kind is SubjectKind.VISITOR
        forest, sides = (self.learned.visitors, VISITOR_SIDES) if is_visitor else (self.learned.assets, ASSET_SIDES)
        explanation = forest.explained(point)
        if suspicious_share(explanation, sides) < SUSPICIOUS_MIN:
            return None
        notes = notes_of(explanation, point, sides)
        cause = Cause.UNUSUAL_VISITOR if is_visitor else Cause.UNUSUAL_ASSET
        words = words_of(notes, sides)
        return Finding(kind, subject, case.from_ms, case.to_ms, cause, explanation.score, notes, words)

    def _learn_usual(self, found: AssetPoints, end_ms: int) -> None:
        """Let what is usual of each asset follow its hits, but not those for which it is held."""
        cases, usual = self.learned.asset_cases, self.learned.usual
        hits = dict(zip(found.asset.tolist(), found.hits.tolist(), strict=True))
        fresh: dict[int, float] = {}
        for asset in usual.keys() | hits.keys():
            before = usual.get(asset, USUAL_HITS)
            case = cases.get(asset)
            is_held = case is not None and case.to_ms > end_ms
            after = before if is_held else _FADING * before + (1 - _FADING) * hits.get(asset, 0.0)
            if after >= USUAL_MIN:
                fresh[asset] = after
        if len(fresh) > USUAL_MAX:
            least = sorted(fresh.values())[-USUAL_MAX]
            fresh = {asset: value for asset, value in fresh.items() if value >= least}
        self.learned.usual = fresh


def _finding(asset: int, case: Case, score: float, notes: tuple[FeatureNote, ...], words: str) -> Finding:
    span, narrowing = (case.from_ms, case.to_ms), (case.agents, case.visitors)
    return Finding(SubjectKind.ASSET, asset, *span, case.cause, score, notes, words, *narrowing)


def _began_ms(first_ms: int, end_ms: int) -> int:
    """Return from when on a visitor is held: if its clock is wrong, from the earliest that may still come of it."""
    return first_ms if first_ms >= end_ms - VISITOR_WINDOW_MS else end_ms - LATE_MS


def _case(cases: dict[int, Case], subject: int, span: tuple[int, int], cause: Cause) -> Case:
    """Return the open case of a subject with a later end, or a new one."""
    began_ms, to_ms = span
    before = cases.get(subject)
    if before is not None and before.to_ms >= began_ms:
        return Case(before.from_ms, to_ms, before.cause)
    return Case(began_ms, to_ms, cause)


def _forget(cases: dict[int, Case], end_ms: int) -> None:
    for subject in [subject for subject, case in cases.items() if case.to_ms < end_ms - VISITOR_WINDOW_MS]:
        del cases[subject]
    while len(cases) > CASES_MAX:
        del cases[next(iter(cases))]


def _subjects(cases: dict[int, Case], end_ms: int) -> Numbers:
    return np.array([subject for subject, case in cases.items() if case.to_ms > end_ms], np.uint64)
