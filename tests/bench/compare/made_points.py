"""Points of a small comparison, as if they had been measured."""

import msgspec

from bench.compare.planned import DAY, KILL, LOAD
from bench.compare.points import Again, Killed, Point, Size, Times
from bench.compare.report import Result

SIZE = Size(LOAD, 1_000_000, 100_000)


def point(peer: str, *, cpu_s: float, list_ms: float = 1.0, wrong: str = "", stopped: str = "") -> Point:
    times = Times(list_ms, 2 * list_ms)
    return Point(
        peer,
        SIZE,
        "2026-11-18",
        "a machine, 2 cores",
        hits=1_000_000,
        group_bodies=10,
        took_s=2.0,
        cpu_s={"collecting": cpu_s},
        disk_bytes=10**7,
        memory_bytes=10**8,
        to_list_ms=5.0,
        plain=times,
        filtered=times,
        repeated=times,
        exactness={"10%": 1.0, "3%": 1.0, "1%": 1.0},
        is_right=not wrong,
        wrong=wrong,
        again=Again(refused="hits are not kept"),
        stopped=stopped,
    )


REDIS_KILLED = Killed(3, 1_000_000, 0, 10_000, 0.5, 2, 255, 4)
POINTS = [
    point("footfall", cpu_s=2.0, list_ms=0.1),
    point("dictionary", cpu_s=1.0, list_ms=20.0),
    point("duckdb", cpu_s=1.6, list_ms=0.05, wrong="1 of 255 lists: abc 99 rows, not 100"),
    point("postgres", cpu_s=25.0, stopped="stopped after 240 s at 1,000,000 of 10,000,000 hits"),
    Point("flink", SIZE, "2026-11-18", "a machine, 2 cores", failed="PeerFailed: no Java"),
    Point("redis", Size(KILL, 1_000_000, 100_000), "2026-11-18", "", killed=REDIS_KILLED),
]
RESULT = Result("make compare", 60.0, 1_000_000, 100_000, POINTS)


def killed(peer: str, *, lost: int = 0, doubled: int = 0, wrong_lists: int = 0) -> Point:
    found = Killed(3, 1_000_000, lost, doubled, 0.5, 3, 255, wrong_lists)
    return Point(peer, Size(KILL, 1_000_000, 100_000), "2026-11-18", "", killed=found)


SPOILT = [
    killed("postgres", lost=100),
    killed("postgres", doubled=100),
    killed("postgres", wrong_lists=1),
]


def day(one: Point) -> Point:
    return msgspec.structs.replace(one, size=Size(DAY, 1_000_000, 100_000))
