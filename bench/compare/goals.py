"""What was asked of footfall beside its peers, and whether it came to that; in the form that every benchmark keeps."""

from collections.abc import Callable, Iterator, Sequence

from bench.compare.peers import DICTIONARY, FOOTFALL, PEERS
from bench.compare.planned import GROWTH, KILL, LOAD
from bench.compare.points import Point
from bench.results import Row, row

OLD_SYSTEM = ("postgres-row-a-hit", "postgres")
OLD_TIMES, DICTIONARY_SHARE, LIST_TIMES = 10.0, 0.5, 10.0
LINEAR_TIMES = 1.25  # Machines are noisy; what grows with history grows without a bound.
PART = 10  # The first tenth of a large load is held against its last.


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
    # A fast wrong answer is out of the race.
    others = [point for peer, point in mains.items() if peer != FOOTFALL and point.is_right]
    return [
        *_rate_rows(ours, mains, others),
        *_list_rows(ours, others),
        *(
            row(f"top 100 of a section with {name} of hits: true rows", share, "of all", at_least=1)
            for name, share in ours.exactness.items()
        ),
        *_kill_rows(points),
        *_growth_rows(points),
    ]


def _rate_rows(ours: Point, mains: dict[str, Point], others: Sequence[Point]) -> Iterator[Row]:
    rate = per_cpu_s(ours)
    equals = [one for one in others if PEERS[one.peer].is_durable]
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
        if timed and took_ms(ours):
            quickest = min(timed, key=took_ms)
            times = took_ms(quickest) / took_ms(ours)
            told = f"{what}: faster than the quickest that is right ({PEERS[quickest.peer].title})"
            yield row(told, times, "times", at_least=LIST_TIMES)


def _kill_rows(points: Sequence[Point]) -> Iterator[Row]:
    ours = of_kind(points, KILL).get(FOOTFALL)
    if ours is not None and ours.killed is not None:
        yield row(f"{ours.killed.kills} kills -9 under load: hits lost", ours.killed.lost, "hits", at_most=0)
        yield row(f"{ours.killed.kills} kills -9 under load: hits doubled", ours.killed.doubled, "hits", at_most=0)


def _growth_rows(points: Sequence[Point]) -> Iterator[Row]:
    ours = [one for one in points if one.peer == FOOTFALL and one.size.kind in (LOAD, GROWTH) and one.hits]
    if ours:
        largest = max(ours, key=lambda one: one.hits)
        times = last_beside_first(largest)
        if times is not None:
            what = f"CPU of a hit in the last tenth of {largest.hits:,} hits beside the first"
            yield row(what, times, "times", at_most=LINEAR_TIMES)


def last_beside_first(point: Point) -> float | None:
    """Return how much dearer a hit is in the last tenth of a load than in the first, after what starting takes."""
    if len(point.curve) < 2 * PART:
        return None
    size = len(point.curve) // PART
    first = _cpu_a_hit(point.curve[0], point.curve[size])
    last = _cpu_a_hit(point.curve[-1 - size], point.curve[-1])
    return last / first if first else None


def _cpu_a_hit(begin: tuple[int, float, float], end: tuple[int, float, float]) -> float:
    return (end[2] - begin[2]) / max(1, end[0] - begin[0])
