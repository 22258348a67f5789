"""Write docs/compare.md, its picture and the README's short table from the last comparison, or check them."""

import argparse
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path

HOUSE = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(HOUSE))  # The benchmarks lie beside the scripts and are not installed.

from bench.compare.causes import cause_lines  # noqa: E402
from bench.compare.costs import asset_lines, cpu_lines  # noqa: E402
from bench.compare.drawing import drawing  # noqa: E402
from bench.compare.goals import SENT, goal_rows, per_cpu_s  # noqa: E402
from bench.compare.installing import PACKAGES, SERVERS  # noqa: E402
from bench.compare.peers import FOOTFALL, FOOTFALL_KEYED, ONE_SIZE, PEERS, is_ours  # noqa: E402
from bench.compare.planned import DAY, HITS, LOAD  # noqa: E402
from bench.compare.points import AGE_S_MAX, Point  # noqa: E402
from bench.compare.report import Result, read_result, shown  # noqa: E402
from bench.compare.standing import Standing, kills_of, standing_of  # noqa: E402
from bench.compare.table import day_lines, growth_lines, kill_lines, main_lines, markdown  # noqa: E402
from bench.results import number  # noqa: E402

PAGE, PICTURE, README = HOUSE / "docs" / "compare.md", HOUSE / "docs" / "compare.svg", HOUSE / "README.md"
BEGIN, END = "<!-- comparison: written by scripts/compare_page.py -->", "<!-- end of comparison -->"
ADVICE = "run `.venv/bin/python scripts/compare_page.py` and commit what it writes"
HEAD = """# footfall beside what people would pick instead

Written by `scripts/compare_page.py` from `bench/results/compare/points.json`; `make compare` measures it anew, on your
machine.

    make compare                                    everybody; at most an hour, and goes on where it was stopped
    make compare COMPARE="--only redis"             one peer
    make compare COMPARE="--hits 1000000 --fresh"   smaller, and measuring again what lies there of that size

A run that goes on takes points as they are which this code measured on this machine within {hours:.0f} hours, and says
how many.

It installs what is missing of Debian's {packages}
(apt-get, as root or by sudo; a service that Debian starts with one is stopped again), Python libraries into
{environments} (2 GB) and DynamoDB Local into `.venv/engines` (74 MB).
While it runs it wants some 20 GB of disk, which it gives back, and 8 GB of memory, of which Flink's Java may take 3.
`rm -r build/compare .venv/engines` removes all but Debian's packages, `apt-get remove` those that you did not have.
"""
DECISION = "decisions/0060-what-the-comparison-charges.md"
SMALL_SHARE = "0.90"  # of DuckDB's rate with sums, in bodies of 100; as decision 60 has it
PLAIN_CPU_S, FULL_CPU_S, TRIED = "2.4", "14.9", "2026-11-18, an earlier state of the code"  # as decision 60 has it
WORK = """
## The work

Bodies of 500 hits of one brand, as many as footfall's own client sends at once: brand, assetId, sectionId,
resourceType, paidType. Smaller ones are dearer for footfall, which pays for each request, and hardly for those who
gather: in bodies of 100 it did {small} of what DuckDB does with sums a CPU second ([decision 60]({decision})).
That is the plain kind of hit, which footfall has a native lane for. Hits with a visitor, an agent and a referrer, as
its tracker sends them, cost several times as much; no run measures that, and [decision 60]({decision}) has what it was
once. Nobody else here counts those at all.

Five brands, Zipf (1.1) over {assets} assets, from a fixed seed; everybody gets the same bytes in the same order. A body
is acknowledged when it is durable, by what the peer means by that; peers that like larger groups gather bodies before
they commit, as the table of peers says. Whoever feeds is another process and in nobody's figures.

- **CPU** is that of all processes of the peer: its server and the process that collects for it, decoding JSON. For
  footfall these are all its processes, HTTP for every body included, which nobody else here has to speak; it keeps raw
  hits for re-counts, screens, and counts by minute, all of which stays on (hours and days are built when they are over,
  which the day below has). What it does behind its lists is waited for and charged: reading every record once more, to
  judge (of more than 30,000 hits a minute a sample, at a load's rates well below a tenth of all) and for referrers, and
  joining small blocks of raw hits a minute later. Its counting and judging processes, which answer no list, are charged
  without a break, the others but while lists are asked for; what an instance uses that has nothing to do is left out,
  as it was before the load or is after the wait, whichever is less. A point that was not at rest in time says so, and
  misses its goals.
- **Twice** is the main load measured of `footfall-keyed` and of everybody who does six tenths as many hits a CPU
  second, as far as the hour allows, since a shared machine gives one code rates a third apart. Time, CPU, memory and
  disk are those of the load that was cheaper in CPU, and the other's rate stands in brackets.
- **Keys**: bodies bear no `Idempotency-Key`, neither in loads nor in kills, so that one which is sent again is counted
  again by everybody, `footfall` as well. Those of `footfall-keyed` bear one in both. Each key is looked up and
  kept for a day, which is what its line has more to pay for.
- **Logs** of footfall are those of errors alone (`--log-level error`), so that they are not among what is printed.
- **Windows**: hits that bear no time are of one window of five minutes for everybody but footfall, which counts by the
  minute: a load is measured as if it came within its window, and nobody adds windows up for a list. So Redis answers
  with one sorted set. The day below is where windows are added up.
- **hits/s** end when lists show every hit. Machines are noisy, and whoever feeds shares this one: compare by CPU.
- **Lists** are the top 100 of a brand, and of each of its 50 sections: asked again, and for the first time. They are
  asked when the load is over, while no hit comes. DuckDB, ClickHouse, the dictionary and what Flink has counted are
  asked within the collecting process; PostgreSQL, Redis and DynamoDB Local over loopback by a Python client in it;
  footfall over loopback HTTP by a Python client, too. The list of a brand was asked for before it is timed, and is
  ready bytes of footfall's then, as is a filtered one that is asked again; DynamoDB's client keeps the rows that it has
  read, and nobody else keeps anything.
- **The floor** of a list over HTTP: {floor}.
- **Answers** are held against a plain recount of the generator's columns: members, order (ties are free) and hits.
  Every answer that is timed is judged. Who is slow is asked for fewer lists than there are, and the table says so.
  *True rows* is the share of the assets that belong into the top 100 of a section with 10, 3 and 1 % of a brand's hits.
- **Durable and exact**, in the picture and among the goals, is who acknowledges what is synced, has every list of its
  load right, and lost, doubled and got wrong nothing in the kills below. *Hits after kill -9* says what came of those;
  where they were not run through, it says that, and the load alone decides. Goals about what hits cost are held against
  `footfall-keyed`, and what they cost without keys is told beside them; lists are those of `footfall`.
- **p99** is of as many asks as stand behind it: a thousand where lists are quick, in five parts within a second.
  Asked for the first time is every filtered list once.
- **Hit to list**: one body sent alone, until a list has it; median of five.
- **Disk** is what the folder takes right after the load, logs included; of footfall the larger of that and what it
  takes when all that the load caused is done.
- **Time**: an hour for all, of which installing and putting away take their part, five minutes a point at most, three
  for a day and two for kills and small loads. Main loads come first, then our large one (with keys), kills, days and
  the small loads of everybody (ours without keys), and second main loads; the large loads of the others come last, the
  quick first: who would end in five minutes has them, and the slow share what is left in equal parts. A point that
  does not come to its end is shown with where it stopped, and its figures are those of what it did.
"""
KILLS = """
## kill -9

All processes of a peer are killed three times, and started again, at a moment by chance (from a seed) between two
acknowledgements: how far those are apart is seen in the load itself. A kill is *under load* if bodies were on their
way: sent, and not acknowledged when whoever sends found its peer gone. Hits are added up from what lists are made of,
rows and windows, and every list is judged afterwards; of DynamoDB's rows those of the brands, and what is lost there by
their rows. The client sends again what was not acknowledged, to `footfall-keyed` under the same `Idempotency-Key`.
Nobody else here can tell a body that is sent again from a new one, `footfall` without keys neither: where none was
doubled, no kill fell between a commit and its acknowledgement. What a killed process had handed to the kernel stays;
those that are not durable would lose it with the power.
"""
RHYTHM = """
## A day's rhythm

The same assets and {hits} hits that say when they were, over 24 hours whose busiest has nine times the hits of
the quietest. Lists are those of all of the day; those of its last hour are judged as well, and not timed.
"""
GROWTH = """
## Growth

How costs grow with hits and assets. *Beside the smaller load* is what a hit costs in processor time, settling included,
beside the next smaller load of as many assets: 1 is linear in hits and independent of history. A load of more than
{hits} hits is the same bodies again from the front, so it has no asset that was not there before. Fewer and more
assets than {assets} are seen at {tenth} hits alone. Of some there is
the main load alone, since the hour is full: {absent}.
"""
ASSETS = """
Processor seconds a million hits there, and how many times those of fewer assets:
"""
CPU = """
## Where the CPU goes

Processor seconds a million hits of the main load. The *collecting client* is a Python process: it takes bodies, decodes
them unless its database does, adds equal hits up where the table above says so, and sends; DuckDB, ClickHouse and the
dictionary are within it. Whoever sends to footfall is in nobody's figures, as whoever feeds the others.
"""


def page(result: Result) -> str:
    """Return the page."""
    points, told = result.points, {"decision": DECISION, "floor": _floor(result.points)}
    lines = [_head(), _told(result), "", "![The comparison](compare.svg)", "", *markdown(main_lines(points))]
    lines += [WORK.format(assets=number(result.assets), small=SMALL_SHARE, **told), *_peers(points)]
    rhythm = RHYTHM.format(hits=number(max((one.size.hits for one in shown(points, DAY)), default=0)))
    absent, tenth = ", ".join(PEERS[one].title for one in ONE_SIZE), number(result.hits // 10)
    growth = GROWTH.format(hits=number(HITS), assets=number(result.assets), tenth=tenth, absent=absent)
    parts = ((CPU, cpu_lines), (KILLS, kill_lines), (rhythm, day_lines), (growth, growth_lines), (ASSETS, asset_lines))
    for words, table in parts:
        found = table(points)
        if found[1]:
            lines += [words, *markdown(found)]
    return "\n".join([*lines, *_goals(points), *_not_first(points)]) + "\n"


def _head() -> str:
    """Return how it is run, what it installs and how that is removed."""
    packages = sorted({f"`{one}`" for needed in SERVERS.values() for one in needed})
    environments = " and ".join(f"`build/compare/{name}`" for name in PACKAGES)
    return HEAD.format(hours=AGE_S_MAX / 3_600, packages=", ".join(packages), environments=environments)


def _floor(points: Sequence[Point]) -> str:
    """Say what the bytes of a list cost without a product behind them."""
    found = next((one.floor for one in shown(points, LOAD) if one.floor is not None), None)
    if found is None:
        return "not measured in this run"
    took = f"{number(found.p50_ms)} / {number(found.p99_ms)} ms (p50 / p99, {number(found.asked)} asks)"
    return f"the same bytes from a server that does nothing else reach footfall's client in {took}"


def short(result: Result) -> str:
    """Return what the README shows."""
    picture = "![footfall beside what people would pick instead](docs/compare.svg)"
    told = [
        _told(result),
        "Hits are plain ones in bodies of 500, as footfall's own client sends them. In bodies of 100, which pay for "
        f"more requests, it did {SMALL_SHARE} of what DuckDB does with sums a CPU second. With a visitor, an agent and "
        f"a referrer each, as the tracker sends them, a million took {FULL_CPU_S} processor seconds where plain ones "
        f"took {PLAIN_CPU_S} ({TRIED}: [decision 60](docs/{DECISION})). Of more than 30,000 hits a minute a sample is "
        "judged: at the rates of this load well below a tenth of all.",
        "Lists are asked while no hit comes. Those of footfall that are asked for again are ready bytes; those of the "
        "first time are made then.",
        _day_line(result.points),
        "What each does, growth, kills and where we are not first, and why: [the comparison](docs/compare.md).",
    ]
    return "\n".join([picture, "", *markdown(main_lines(result.points)), "", " ".join(one for one in told if one)])


def _day_line(points: Sequence[Point]) -> str:
    """Say in a line how a day's rhythm went: ours, and the best of the others in each."""
    kills = kills_of(points)
    days = {one.peer: one for one in shown(points, DAY) if one.hits and one.is_right and one.plain}
    ours, others = _ours(days), [one for peer, one in days.items() if not is_ours(peer)]
    if ours is None or ours.plain is None or not others:
        return ""
    exact = [one for one in others if standing_of(one, kills.get(one.peer)) is Standing.EXACT]
    best = max(exact, key=per_cpu_s, default=None)
    quickest = min(others, key=lambda one: one.plain.p50_ms if one.plain else float("inf"))
    rate = f"{SENT[ours.peer]}, {number(round(per_cpu_s(ours)))} hits per CPU second"
    told = f"Over a day's rhythm of {number(ours.hits)} hits it does, {rate}"
    beside = f" ({PEERS[best.peer].title}: {number(round(per_cpu_s(best)))})" if best else ""
    lists = f" ({PEERS[quickest.peer].title}: {number(quickest.plain.p50_ms)})" if quickest.plain else ""
    return f"{told}{beside}, and {number(ours.plain.p50_ms)} ms for a list{lists}."


def _told(result: Result) -> str:
    dates = sorted({point.date for point in result.points})
    grounds = sorted({point.machine for point in result.points})
    when = dates[0] if len(dates) == 1 else f"{dates[0]} to {dates[-1]}"
    size = f"{number(result.hits)} hits, {number(result.assets)} assets"
    took = f"{max(1, round(result.took_s / 60))} minutes"
    told = f"{size}; {when}, {'; '.join(grounds)}{_native(result.points)}: `{result.command}`, {took}."
    return f"{told} {result.remark}" if result.remark else told


def _native(points: Sequence[Point]) -> str:
    """Say whether footfall's native code was built, where that is known."""
    found = {point.is_native for point in points if point.is_native is not None}
    if not found:
        return ""
    return ", footfall's native code " + ("built" if found == {True} else "not built" if found == {False} else "mixed")


def _peers(points: Sequence[Point]) -> Iterator[str]:
    columns = ("peer", "version", "what it does", "acknowledged means", "commits", "lists are asked for")
    yield from ("## Who", "", f"| {' | '.join(columns)} |", "| --- " * len(columns) + "|")
    groups = {point.peer: point.group_bodies for point in shown(points, LOAD)}
    for name, about in PEERS.items():
        group = groups.get(name, 0)
        told = (
            f"up to {number(group * 100)} hits" if group > 1 else "what came while the disk was busy" if group else ""
        )
        version = "; ".join(sorted({one.version for one in points if one.peer == name and one.version}))
        cells = (f"{about.title} (`{name}`)", version, about.does, about.durable, told, about.asked)
        yield f"| {' | '.join(cells)} |"


def _goals(points: Sequence[Point]) -> Iterator[str]:
    yield from ("", "## Goals", "", "| what | measured | goal | met |", "| --- | --: | --- | --- |")
    for one in goal_rows(points):
        met = "" if one.met is None else "yes" if one.met else "**no**"
        yield f"| {one.what} | {number(one.value)} {one.unit} | {one.goal or ''} | {met} |"


def _not_first(points: Sequence[Point]) -> Iterator[str]:
    """Say why goals are missed, and where somebody is ahead of us, whoever it is and whatever it does not do."""
    yield from ("", "## Where we are not first, and why", "", *cause_lines(points))
    told = [*_ahead(points, LOAD, ""), *_ahead(points, DAY, "a day's rhythm, ")]
    yield from ("", "Who is ahead of us in what, right or wrong, durable or not:", "")
    yield from told or ["Nobody, in what was measured here."]


def _ours(found: Mapping[str, Point]) -> Point | None:
    """Return footfall's point of those that there are: with keys, as whatever is held against others has them."""
    return found.get(FOOTFALL_KEYED) or found.get(FOOTFALL)


def _ahead(points: Sequence[Point], kind: str, of: str) -> Iterator[str]:
    mains = {point.peer: point for point in shown(points, kind) if point.hits}
    ours, found = _ours(mains), {peer: one for peer, one in mains.items() if not is_ours(peer)}
    if ours is None:
        return
    for what, value_of, unit in _axes():
        ahead = sorted((value_of(one), name) for name, one in found.items() if 0 <= value_of(one) < value_of(ours))
        if ahead:
            told = "; ".join(f"{PEERS[name].title}: {number(float(f'{value:.3g}'))}" for value, name in ahead)
            yield f"- {of}{what}: {number(float(f'{value_of(ours):.3g}'))} {unit}; {told}."


def _axes() -> list[tuple[str, Callable[[Point], float], str]]:
    """Return what can be less: of everything here, less is better; below zero is not measured."""
    nothing = -1.0
    return [
        ("CPU of a million hits", lambda one: one.cpu_total_s / (one.hits / 1e6), "s"),
        ("time of a million hits", lambda one: one.took_s / (one.hits / 1e6), "s"),
        ("disk of a million hits", lambda one: one.disk_bytes / 1e6 / (one.hits / 1e6), "MB"),
        ("memory", lambda one: one.memory_bytes / 1e6, "MB"),
        ("hit to list", lambda one: nothing if one.to_list_ms is None else one.to_list_ms, "ms"),
        ("list, p50", lambda one: one.plain.p50_ms if one.plain else nothing, "ms"),
        ("list, p99", lambda one: one.plain.p99_ms if one.plain else nothing, "ms"),
        ("filtered list, p50", lambda one: one.repeated.p50_ms if one.repeated else nothing, "ms"),
        ("filtered list, p99", lambda one: one.repeated.p99_ms if one.repeated else nothing, "ms"),
        ("filtered list, first time, p50", lambda one: one.filtered.p50_ms if one.filtered else nothing, "ms"),
        ("filtered list, first time, p99", lambda one: one.filtered.p99_ms if one.filtered else nothing, "ms"),
        ("re-count", lambda one: nothing if one.again is None or one.again.refused else one.again.took_s, "s"),
    ]


class NoPlace(Exception):
    """The README has no place for the comparison."""


def readme_with(text: str, words: str) -> str:
    """Return the README with the comparison between its marks."""
    head, begin, rest = text.partition(BEGIN)
    _, end, tail = rest.partition(END)
    if not begin or not end:
        raise NoPlace(f"README.md must have the lines `{BEGIN}` and `{END}`: the comparison goes between them.")
    return f"{head}{BEGIN}\n\n{words}\n\n{END}{tail}"


def files(result: Result) -> dict[Path, str]:
    """Return what is to be written."""
    readme = readme_with(README.read_text(encoding="utf-8"), short(result))
    return {PAGE: page(result), PICTURE: drawing(result.points), README: readme}


def main() -> int:
    """Write, or with --check say what is stale."""
    parser = argparse.ArgumentParser(description="Write docs/compare.md from bench/results/compare.")
    parser.add_argument("--check", action="store_true", help="write nothing; fail when something is stale")
    is_check: bool = parser.parse_args().check
    result = read_result()
    if result is None:
        print("Nothing has been compared yet: `make compare` does it.", file=sys.stderr)
        return 0
    texts = files(result)
    stale = [path for path, text in texts.items() if not path.exists() or path.read_text(encoding="utf-8") != text]
    if is_check and stale:
        print(f"{', '.join(path.name for path in stale)} stale: {ADVICE}.", file=sys.stderr)
        return 1
    if not is_check:
        for path, text in texts.items():
            path.write_text(text, encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
