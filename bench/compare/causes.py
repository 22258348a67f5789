"""Why goals are missed, and why others are ahead, in the figures of the points."""

from collections.abc import Iterator, Sequence

from bench.compare.goals import goal_rows, of_kind, per_cpu_s
from bench.compare.peers import DICTIONARY, FOOTFALL, FOOTFALL_KEYED, PEERS, is_ours
from bench.compare.planned import DAY, LOAD
from bench.compare.points import Point
from bench.results import Row, number

SUMMED = "postgres"
KEYED_WORDS = "a key in every body"  # of goals that are about those
DECISION = "[decision 60](decisions/0060-what-the-comparison-charges.md)"  # where figures stand that no run measures
FIRST_FILTER = (
    "A list that was never asked for is made then: the front asks the answering process over a socket, which picks "
    f"the rows of the section and writes JSON, all of it code that nobody ran just before; {DECISION} has where the "
    "time went when it was looked for. Redis has a sorted set for every section lying ready, and its client speaks no "
    "HTTP."
)
HIT_TO_LIST = (
    "Open minutes are written at least every 500 ms (`count_flush_ms`), and serving looks for what is new every 200 ms "
    "(`serve_refresh_ms`): counting in groups is what makes a hit cheap. What the least that can be set comes to was "
    f"tried once: {DECISION}."
)
KEYS_GROW = (
    "Keys of a day are settled in sorted tables, and the more there are, the fewer of them share a page that is "
    "written: [decision 62](decisions/0062-ids-are-gathered.md) has what each tenth of such a load took when it was "
    "looked for."
)
NOT_AT_REST = (
    "It did not come to rest in its time, so what an instance uses that has nothing to do is charged as well. "
)
RECOUNT = (
    "It reads every raw hit of the span and writes every window anew, by minute, hour and day, one brand after "
    "another and while serving goes on; a command for each of five brands, each of which has to start. DuckDB and "
    "ClickHouse run one SELECT over rows that lie decoded in columns, and store sums at most."
)


def cause_lines(points: Sequence[Point]) -> Iterator[str]:
    """Yield the cause of every missed goal, and of where others are ahead that no goal asks about."""
    missed = [one for one in goal_rows(points) if one.met is False]
    found: dict[str, list[Row]] = {}
    for one in missed:
        found.setdefault(_cause(one, points), []).append(one)
    for cause, rows in found.items():
        yield f"- {'; '.join(f'*{one.what}* ({number(one.value)} {one.unit}, {one.goal})' for one in rows)}. {cause}"
    ours = of_kind(points, LOAD).get(FOOTFALL)
    if ours is not None and ours.to_list_ms:
        yield f"- *Hit to list* ({number(ours.to_list_ms)} ms). {HIT_TO_LIST}"
    if ours is not None and ours.again is not None and ours.again.took_s:
        yield f"- *Re-count* ({number(ours.again.took_s)} s). {RECOUNT}"


def _cause(one: Row, points: Sequence[Point]) -> str:
    mains = of_kind(points, LOAD)
    own = of_kind(points, DAY if one.what.startswith("a day") else LOAD)
    ours = own.get(FOOTFALL_KEYED if KEYED_WORDS in one.what else FOOTFALL)
    if ours is None or ours.stopped or not ours.is_right:
        return "The point did not come to its end, or was not right."
    if "never asked for before" in one.what:
        return FIRST_FILTER
    if "faster than the quickest" in one.what:
        return _of_lists(mains) + (_of_day(ours) if ours.size.kind == DAY else "")
    if f"beside {PEERS[SUMMED].title}" in one.what:  # The goal beside the best has its name in brackets.
        return _of_sums(mains)
    if one.what.startswith("CPU of a million hits") and ours.peer == FOOTFALL_KEYED:
        return (NOT_AT_REST if "not at rest" in one.what else "") + KEYS_GROW
    is_of_rate = "CPU second" in one.what
    return _of_keeping(one) + _of_processes(ours) if is_of_rate else "Measured as it stands; no cause was looked for."


def _of_lists(mains: dict[str, Point]) -> str:
    ours = mains.get(FOOTFALL)
    others = [
        (one.plain.p50_ms, peer) for peer, one in mains.items() if not is_ours(peer) and one.is_right and one.plain
    ]
    if ours is None or ours.floor is None or not others:
        return "An answer over loopback HTTP has a floor, which was not measured here."
    quickest, peer = min(others)
    times = number(float(f"{quickest / ours.floor.p50_ms:.2g}"))
    return (
        "An answer over loopback HTTP has a floor: the same client takes "
        f"{number(ours.floor.p50_ms)} ms (p99 {number(ours.floor.p99_ms)}) for the same bytes from a server that does "
        f"nothing else. The main load's quickest other list takes {number(quickest)} ms ({PEERS[peer].title}, asked "
        f"{PEERS[peer].asked}): {times} times is all that a server could be faster here."
    )


def _of_day(ours: Point) -> str:
    if ours.repeated is None:
        return ""
    if ours.plain is not None and ours.repeated.p50_ms > 2 * ours.plain.p50_ms:
        return f" Of a day, ours were not ready when they were asked for again ({number(ours.repeated.p50_ms)} ms)."
    return (
        f" Of a day, ours takes {number(ours.repeated.p50_ms)} ms (p99 {number(ours.repeated.p99_ms)}) for a filtered "
        "list that is ready: beside the floor that is the way through the front, while counting and judging are busy "
        "on the same cores with what the load has left them."
    )


def _of_sums(mains: dict[str, Point]) -> str:
    theirs, limit = mains.get(SUMMED), mains.get(DICTIONARY)
    if theirs is None or limit is None:
        return "It is sent sums: equal hits of a group of 100,000 are added up before."
    return (
        "It is sent sums: the collecting process adds equal hits of a group of 100,000 up, and the table gets what is "
        f"left. Ten times its rate were {number(round(10 * per_cpu_s(theirs)))} hits per CPU second; the dictionary in "
        f"memory, which decodes and adds up and does nothing else, does {number(round(per_cpu_s(limit)))}. "
        "An upsert a hit, as the thesis had it, is a row of its own."
    )


def _of_keeping(one: Row) -> str:
    ahead = [about for about in PEERS.values() if f"exact ({about.title}" in one.what and not about.keeps_hits]
    if not ahead:
        return ""
    return (
        f"{ahead[0].title}: equal hits of a group of 100,000 become one row before anything is stored, and no hit is "
        "kept: no re-count, no other rule later, nothing to look into. "
    )


def _of_processes(ours: Point) -> str:
    parts = sorted(ours.cpu_s.items(), key=lambda one: -one[1])
    told = ", ".join(f"{name} {number(float(f'{1e6 * used / ours.hits:.2g}'))}" for name, used in parts)
    return (
        f"Its processor seconds a million hits, by process: {told}. The front speaks HTTP, screens and keeps raw hits; "
        "counting writes minutes, and hours and days when they are over; the judging process reads every record once "
        "more, to judge (a sample, of more than 30,000 hits a minute) and for referrers. Nobody else here does any of "
        "that but count."
    )
