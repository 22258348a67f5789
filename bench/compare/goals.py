"""What was asked of footfall beside its peers, and whether it came to that; in the form that every benchmark keeps."""

from collections.abc import Callable, Iterator, Sequence
from itertools import pairwise

from bench.compare.peers import DICTIONARY, FOOTFALL, PEERS
from bench.compare.planned import GROWTH, KILL, LOAD
from bench.compare.points import Killed, Point
from bench.compare.standing import Standing, kills_of, standing_of
from bench.results import Row, row

OLD_SYSTEM = ("postgres-row-a-hit", "postgres")
OLD_TIMES, DICTIONARY_SHARE, LIST_TIMES = 10.0, 0.5, 10.0
LINEAR_TIMES = 1.25  # Machines are noisy; what grows with history grows without a bound.


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
    """Return every goal that the points can tell of."""
    mains = of_kind(points, LOAD)
    ours = mains.get(FOOTFALL)
    if ours is None:
        return []
    kills = kills_of(points)
    # A fast wrong answer is out of the race.
    others = [point for peer, point in mains.items() if peer != FOOTFALL and point.is_right]
    return [
        *_rate_rows(ours, mains, kills),
        *_list_rows(ours, others),
        *(
            row(f"top 100 of a section with {name} of hits: true rows", share, "of all", at_least=1)
            for name, share in ours.exactness.items()
        ),
        *_kill_rows(points),
        *_growth_rows(points),
    ]


def _rate_rows(ours: Point, mains: dict[str, Point], kills: dict[str, Killed]) -> Iterator[Row]:
    exact = [one for peer, one in mains.items() if standing_of(one, kills.get(peer)) is Standing.EXACT]
    rate = per_cpu_s(ours) if ours in exact else 0.0  # Ours is out of the race by the same rule.
    equals = [one for one in exact if one.peer != FOOTFALL]
    if equals:
        best = max(equals, key=per_cpu_s)
        what = f"durable hits per CPU second beside the best that is durable and exact ({PEERS[best.peer].title})"
        yield row(what, rate / per_cpu_s(best), "times", at_least=1)
    for peer in OLD_SYSTEM:
        if peer in mains:
            what = f"durable hits per CPU second beside {PEERS[peer].title}"
            yield row(what, rate / per_cpu_s(mains[peer]), "times", at_least=OLD_TIMES)
    if DICTIONARY in mains:
        share = rate / per_cpu_s(mains[DICTIONARY])
        yield row("hits per CPU second beside the dictionary in memory", share, "of it", at_least=DICTIONARY_SHARE)


def _list_rows(ours: Point, others: Sequence[Point]) -> Iterator[Row]:
    kinds: dict[str, Callable[[Point], float]] = {
        "plain list, p50": lambda point: point.plain.p50_ms if point.plain else 0.0,
        "plain list, p99": lambda point: point.plain.p99_ms if point.plain else 0.0,
        "filtered list, p50": lambda point: point.repeated.p50_ms if point.repeated else 0.0,
        "filtered list, p99": lambda point: point.repeated.p99_ms if point.repeated else 0.0,
        "filtered list never asked for before, p50": lambda point: point.filtered.p50_ms if point.filtered else 0.0,
        "filtered list never asked for before, p99": lambda point: point.filtered.p99_ms if point.filtered else 0.0,
    }
    for what, took_ms in kinds.items():
        timed = [one for one in others if took_ms(one)]
        if timed:
            quickest = min(timed, key=took_ms)
            # Lists of ours that are wrong, or were never timed, miss the goal.
            times = took_ms(quickest) / took_ms(ours) if ours.is_right and took_ms(ours) else 0.0
            told = f"{what}: faster than the quickest that is right ({PEERS[quickest.peer].title})"
            yield row(told, times, "times", at_least=LIST_TIMES)


def _kill_rows(points: Sequence[Point]) -> Iterator[Row]:
    ours = of_kind(points, KILL).get(FOOTFALL)
    if ours is None or ours.killed is None:
        return
    found = ours.killed
    yield row(f"{found.kills} kills -9: hits lost", found.lost, "hits", at_most=0)
    yield row(f"{found.kills} kills -9: hits doubled", found.doubled, "hits", at_most=0)
    if found.under_load is not None:
        what = f"{found.kills} kills -9: lists that are wrong, of {found.lists}"
        yield row(what, found.wrong_lists, "lists", at_most=0)
        yield row(f"{found.kills} kills -9: fell under load", found.under_load, "kills", at_least=found.kills)


def _growth_rows(points: Sequence[Point]) -> Iterator[Row]:
    """Hold whole loads against smaller ones, settling included: work that is put off is paid for within the load."""
    ours = [one for one in points if one.peer == FOOTFALL and one.size.kind in (LOAD, GROWTH) and one.hits]
    right = sum(one.is_right for one in ours) / max(1, len(ours))
    yield row("loads of every size whose lists are right", right, "of all", at_least=1)
    for smaller, larger in pairs_by_hits([one for one in ours if one.is_right]):
        what = f"CPU of a million hits, {larger.hits:,} beside {smaller.hits:,} hits of {larger.size.assets:,} assets"
        yield row(what, times_dearer(smaller, larger), "times", at_most=LINEAR_TIMES)


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
