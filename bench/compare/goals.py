"""What was asked of footfall beside its peers, and whether it came to that; in the form that every benchmark keeps."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from itertools import pairwise
from typing import NamedTuple

from bench.compare.peers import DICTIONARY, FOOTFALL, FOOTFALL_KEYED, OURS, PEERS, is_ours
from bench.compare.planned import DAY, GROWTH, KILL, KILLS, LOAD
from bench.compare.points import Point
from bench.compare.standing import Standing, kills_of, standing_of, told_of_kills
from bench.compare.traffic import JUDGED_SHARES
from bench.results import Row, row

OLD_SYSTEM = ("postgres-row-a-hit", "postgres")
OLD_TIMES, DICTIONARY_SHARE, LIST_TIMES = 10.0, 0.5, 10.0
LINEAR_TIMES = 1.25  # Machines are noisy; what grows with history grows without a bound.
DAY_WORDS = {DAY: "a day's rhythm: "}
SENT = {FOOTFALL: "without keys", FOOTFALL_KEYED: "a key in every body"}


def of_kind(points: Sequence[Point], kind: str) -> dict[str, Point]:
    """Return the largest point of that kind that every peer came to something in."""
    found: dict[str, Point] = {}
    for point in sorted((one for one in points if one.size.kind == kind), key=lambda one: one.hits):
        if point.hits or point.killed is not None:
            found[point.peer] = point
    return found


def per_cpu_s(point: Point) -> float:
    """Return the hits that a second of one processor does, of all processes of the peer together."""
    return point.hits / max(point.cpu_total_s, 0.01)


def goal_rows(points: Sequence[Point]) -> list[Row]:
    """Return every goal of what was to be measured of us; what did not come to its end misses it.

    What we cost is told with keys and without, and held to a goal with them. Lists are the same for both, and are those
    of bodies without keys.
    """
    asked = {(point.peer, point.size.kind) for point in points}
    rows: list[Row] = []
    for kind in (LOAD, DAY):
        ours = [_ours(points, kind, peer) for peer in OURS if (peer, kind) in asked]
        rows += [row for one in ours for row in _rate_rows(points, one)]
        rows += [row for one in ours if kind == LOAD for row in _beside_rows(points, one)]
        if (FOOTFALL, kind) in asked:
            rows += _list_rows(points, kind)
    if (FOOTFALL, LOAD) in asked:
        rows += _true_rows(points)
    for peer in OURS:
        if (peer, KILL) in asked:
            rows += _kill_rows(points, peer)
        if asked & {(peer, LOAD), (peer, GROWTH)}:
            rows += _growth_rows(points, peer)
    return rows


def _ours(points: Sequence[Point], kind: str, peer: str = FOOTFALL) -> Point:
    return next(one for one in reversed(points) if one.peer == peer and one.size.kind == kind)


class _Rate(NamedTuple):
    """Our hits a processor second; `why` tells what spoils them, and `is_judged` whether they are held to a goal."""

    per_cpu_s: float
    why: str
    is_judged: bool

    def beside(self, what: str, theirs: float, unit: str, *, at_least: float) -> Row:
        """Return how many times theirs that is."""
        times = self.per_cpu_s / theirs if theirs else 0.0
        return row(f"{what}{self.why}", times, unit, at_least=at_least if self.is_judged else None)


def _rate(points: Sequence[Point], ours: Point) -> _Rate:
    """Return what we do; nothing, if by the rule for everybody we are not durable and exact.

    Bodies without keys that are sent again are counted again, as by everybody here: what they cost is told, and is not
    held to goals, which are about hits that are counted once.
    """
    kills, is_judged = kills_of(points).get(ours.peer), ours.peer == FOOTFALL_KEYED
    standing = standing_of(ours, kills)
    if not ours.hits or standing is Standing.EXACT:
        return _Rate(per_cpu_s(ours), "", is_judged)
    why = f"{told_of_kills(kills)} after kill -9" if standing is Standing.SPOILT else standing.value
    if standing is Standing.SPOILT and not is_judged:
        return _Rate(per_cpu_s(ours), f" ({why})", is_judged)
    return _Rate(0.0, f": not durable and exact ({why})", is_judged)


def _told(one: Row, ours: Point) -> Row:
    """Return a row as it stands, or as missed if our point did not come to its end."""
    return _missed(one, ours.failed or ours.stopped)


def _charged(one: Row, ours: Point) -> Row:
    """Return a row about what we cost as it stands, or as missed if not all that was to be charged was done in time."""
    return _missed(_told(one, ours), ours.behind)


def _missed(one: Row, why: str) -> Row:
    """Return a row as it stands, or with the reason why its goal, if it has one, is missed."""
    return replace(one, what=f"{one.what}: {why}", met=None if one.goal is None else False) if why else one


def _rate_rows(points: Sequence[Point], ours: Point) -> Iterator[Row]:
    """Hold a load of ours against the best of the others."""
    kind, kills = ours.size.kind, kills_of(points)
    others = {peer: one for peer, one in of_kind(points, kind).items() if not is_ours(peer)}
    equals = [one for peer, one in others.items() if standing_of(one, kills.get(peer)) is Standing.EXACT]
    for best, which in _bests(equals):
        of_others = [one for one in points if one.size.kind == kind and not is_ours(one.peer)]
        absent = [PEERS[one.peer].title for one in of_others if not one.hits]
        without = f"; not measured: {', '.join(absent)}" if absent else ""
        named = f"({PEERS[best.peer].title}{without}), {SENT[ours.peer]}"
        what = f"{DAY_WORDS.get(kind, '')}durable hits per CPU second beside {which} {named}"
        yield _charged(_rate(points, ours).beside(what, per_cpu_s(best), "times", at_least=1), ours)


def _bests(equals: Sequence[Point]) -> Iterator[tuple[Point, str]]:
    """Yield the best of those that are durable and exact; if it keeps sums alone, the best that keeps hits as well."""
    keeping = [one for one in equals if PEERS[one.peer].keeps_hits]
    best = max(equals, key=per_cpu_s, default=None)
    if best is not None:
        yield best, "the best that is durable and exact"
        if keeping and not PEERS[best.peer].keeps_hits:
            yield max(keeping, key=per_cpu_s), "the best of those that keep every hit, too"


def _beside_rows(points: Sequence[Point], ours: Point) -> Iterator[Row]:
    """Hold our main load against those that were named beforehand; one that was not measured is not beaten."""
    for theirs in (one for peer in (*OLD_SYSTEM, DICTIONARY) for one in points if one.peer == peer):
        if theirs.size.kind == LOAD:
            absent = "" if theirs.hits else f", which came to nothing: {theirs.failed or theirs.stopped}"
            if theirs.peer == DICTIONARY:
                what, unit, least = "hits per CPU second beside the dictionary in memory", "of it", DICTIONARY_SHARE
            else:
                what = f"durable hits per CPU second beside {PEERS[theirs.peer].title}"
                unit, least = "times", OLD_TIMES
            told, rate = f"{what}{absent}, {SENT[ours.peer]}", per_cpu_s(theirs) if theirs.hits else 0.0
            yield _charged(_rate(points, ours).beside(told, rate, unit, at_least=least), ours)


def _list_rows(points: Sequence[Point], kind: str) -> Iterator[Row]:
    kinds: dict[str, Callable[[Point], float]] = {
        "plain list, p50": lambda point: point.plain.p50_ms if point.plain else 0.0,
        "plain list, p99": lambda point: point.plain.p99_ms if point.plain else 0.0,
        "filtered list, p50": lambda point: point.repeated.p50_ms if point.repeated else 0.0,
        "filtered list, p99": lambda point: point.repeated.p99_ms if point.repeated else 0.0,
        "filtered list never asked for before, p50": lambda point: point.filtered.p50_ms if point.filtered else 0.0,
        "filtered list never asked for before, p99": lambda point: point.filtered.p99_ms if point.filtered else 0.0,
    }
    ours = _ours(points, kind)
    # A fast wrong answer is out of the race.
    others = [point for peer, point in of_kind(points, kind).items() if not is_ours(peer) and point.is_right]
    for what, took_ms in kinds.items():
        timed = [one for one in others if took_ms(one)]
        if timed:
            quickest = min(timed, key=took_ms)
            # Lists of ours that are wrong, or were never timed, miss the goal.
            times = took_ms(quickest) / took_ms(ours) if ours.is_right and took_ms(ours) else 0.0
            told = f"{DAY_WORDS.get(kind, '')}{what}: faster than the quickest that is right"
            yield _told(row(f"{told} ({PEERS[quickest.peer].title})", times, "times", at_least=LIST_TIMES), ours)


def _true_rows(points: Sequence[Point]) -> Iterator[Row]:
    ours = _ours(points, LOAD)
    for name in (f"{share:.0%}" for share in JUDGED_SHARES):
        true = ours.exactness.get(name, 0.0)
        yield _told(row(f"top 100 of a section with {name} of hits: true rows", true, "of all", at_least=1), ours)


def _kill_rows(points: Sequence[Point], peer: str) -> Iterator[Row]:
    """Tell what kills did: nothing may be lost, and with keys nothing doubled or listed wrong."""
    ours, sent = _ours(points, KILL, peer), SENT[peer]
    if ours.killed is None:
        yield _told(row(f"kills -9 that were run through, {sent}", 0, "kills", at_least=KILLS), ours)
        return
    found = ours.killed
    yield row(f"{found.kills} kills -9: hits lost, {sent}", found.lost, "hits", at_most=0)
    if peer != FOOTFALL_KEYED:
        return
    yield row(f"{found.kills} kills -9: hits doubled, {sent}", found.doubled, "hits", at_most=0)
    if found.under_load is not None:
        what = f"{found.kills} kills -9: lists that are wrong, of {found.lists}, {sent}"
        yield row(what, found.wrong_lists, "lists", at_most=0)
        told = f"{found.kills} kills -9: fell under load, {sent}"
        yield row(told, found.under_load, "kills", at_least=found.kills)


def _growth_rows(points: Sequence[Point], peer: str) -> Iterator[Row]:
    """Hold whole loads against smaller ones, settling included: work that is put off is paid for within the load."""
    ours, sent = [one for one in points if one.peer == peer and one.size.kind in (LOAD, GROWTH)], SENT[peer]
    right = sum(one.is_right and not one.stopped for one in ours) / len(ours)
    yield row(f"loads of every size that came to their end with right lists, {sent}", right, "of all", at_least=1)
    for smaller, larger in pairs_by_hits([one for one in ours if one.is_right]):
        hits = f"{larger.hits:,} beside {smaller.hits:,} hits"
        what = f"CPU of a million hits, {hits} of {larger.size.assets:,} assets, {sent}"
        yield _charged(row(what, times_dearer(smaller, larger), "times", at_most=LINEAR_TIMES), larger)
    for one in ours:
        if not one.hits:
            what = f"CPU of a million hits, {one.size.hits:,} beside fewer hits of {one.size.assets:,} assets, {sent}"
            yield _told(row(what, 0, "times", at_most=LINEAR_TIMES), one)


def pairs_by_hits(points: Sequence[Point]) -> Iterator[tuple[Point, Point]]:
    """Yield each load of a peer with the next larger one over as many assets."""
    ordered = sorted((one for one in points if one.hits), key=lambda one: (one.peer, one.size.assets, one.hits))
    for smaller, larger in pairwise(ordered):
        is_same = (smaller.peer, smaller.size.assets) == (larger.peer, larger.size.assets)
        if is_same and smaller.hits < larger.hits:
            yield smaller, larger


def times_dearer(smaller: Point, larger: Point) -> float:
    """Return how much dearer in processor time a hit of the larger load is, until lists show it."""
    return per_cpu_s(smaller) / per_cpu_s(larger)
