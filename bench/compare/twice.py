"""Our main load with keys and those of rivals are measured twice: a shared machine gives one code rates a third apart.

The two are far apart in time. Figures (CPU, seconds, memory, disk) are those of the load that was cheaper in processor
time, and the rate of the other one stands beside them. Lists, kills and re-counts are of the first. A fault of either
is a fault of the point.
"""

from collections.abc import Sequence

import msgspec

from bench.compare.goals import per_cpu_s
from bench.compare.peers import FOOTFALL_KEYED, is_ours
from bench.compare.points import Point

TWICE_S_MAX = 120.0  # Who took longer the first time is loaded once: the hour has no room for it.
RIVAL_SHARE = 0.6  # of our rate: who has less is behind us at any luck
ROOM_TIMES = 1.5  # of what the first took must be left, so that no second load is cut by the end of the hour


def rivals(mains: Sequence[Point]) -> list[Point]:
    """Return the main loads that decide who is first: ours with keys, then those that come near, the quick first."""
    ours = [one for one in mains if one.peer == FOOTFALL_KEYED]
    least = RIVAL_SHARE * max((per_cpu_s(one) for one in ours), default=0.0)
    others = [one for one in mains if not is_ours(one.peer) and per_cpu_s(one) >= least]
    return ours + sorted(others, key=lambda one: one.whole_s)


def is_worth_twice(first: Point, *, seconds: float) -> bool:
    """Tell whether a main load is to be measured again in so many seconds."""
    is_whole = bool(first.hits) and not first.stopped and not first.failed
    return is_whole and first.whole_s < TWICE_S_MAX and seconds >= ROOM_TIMES * first.whole_s


def of_two(first: Point, second: Point) -> Point:
    """Return the point of a main load that was measured twice."""
    took_s = round(first.whole_s + second.whole_s, 1)
    fault = second.failed or second.stopped or second.wrong
    wrong = first.wrong or (f"the second load: {fault}" if fault else "")
    judged = msgspec.structs.replace(first, is_right=first.is_right and not fault, wrong=wrong, whole_s=took_s)
    if second.failed or second.stopped:
        return judged  # There is no other load of so many hits.
    better, other = sorted((first, second), key=per_cpu_s, reverse=True)
    return msgspec.structs.replace(
        judged,
        took_s=better.took_s,
        cpu_s=better.cpu_s,
        memory_bytes=better.memory_bytes,
        disk_bytes=better.disk_bytes,
        behind=first.behind or second.behind,
        other_rate=round(per_cpu_s(other), 1),
    )
