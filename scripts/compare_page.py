"""Write docs/compare.md, its picture and the README's short table from the last comparison, or check them."""

import argparse
import sys
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

HOUSE = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(HOUSE))  # The benchmarks lie beside the scripts and are not installed.

from bench.compare.causes import cause_lines  # noqa: E402
from bench.compare.drawing import drawing  # noqa: E402
from bench.compare.goals import goal_rows, per_cpu_s  # noqa: E402
from bench.compare.peers import FOOTFALL, PEERS  # noqa: E402
from bench.compare.planned import DAY, KEYED, LOAD  # noqa: E402
from bench.compare.points import Point  # noqa: E402
from bench.compare.report import Result, read_result, shown  # noqa: E402
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
"""
FULL = "14.9 processor seconds where a million plain ones then took 2.4"
WORK = """
## The work

Bodies of 100 hits of one brand, as a publisher's servers send them: brand, assetId, sectionId, resourceType, paidType.
That is the plain kind of hit, which footfall has a native lane for; with a visitor, an agent and a referrer in each, a
million of them took it {full} ([decision 60](decisions/0060-what-the-comparison-charges.md)). Nobody else here counts
those at all.

Five brands, Zipf (1.1) over {assets} assets, from a fixed seed; everybody gets the same bytes in the same order. A body
is acknowledged when it is durable, by what the peer means by that; peers that like larger groups gather bodies before
they commit, as the table of peers says. Whoever feeds is another process and in nobody's figures.

- **CPU** is that of all processes of the peer: its server and the process that collects for it, decoding JSON. For
  footfall these are all its processes, HTTP included, which nobody else here has to speak; it keeps raw hits for
  re-counts, screens, and counts by minute, all of which stays on (hours and days are built when they are over, which
  the day below has). What it does behind its lists is waited for and charged: its judging process with all that it
  used, which reads every record once more, judges (a sample, of more than 30,000 hits a minute) and counts referrers,
  and the others with what they use after the lists were asked for (small blocks of raw hits are joined a minute later,
  which is waited for, too), but for what an instance uses that has nothing to do, measured at the end of the wait. A
  point that was not at rest in time says so, and misses its goals.
- **Keys**: bodies of a load bear no `Idempotency-Key`, so that a body which is sent again would be counted again by
  everybody, footfall as well. In the kills they bear one, which footfall alone can use. Such bodies share no records
  with others, and each key is looked up and kept for a day: {keyed}.
- **Logs** of footfall are those of errors alone (`--log-level error`), so that they are not among what is printed.
- **Windows**: hits that bear no time are of one window of five minutes for everybody but footfall, which counts by the
  minute: a load is measured as if it came within its window, and nobody adds windows up for a list. So Redis answers
  with one sorted set. The day below is where windows are added up.
- **hits/s** end when lists show every hit. Machines are noisy, and whoever feeds shares this one: compare by CPU.
- **Lists** are the top 100 of a brand, and of each of its 50 sections: asked again, and for the first time. Peers are
  asked within their collecting process, footfall over HTTP. footfall keeps ready answers, so its lists that are
  asked for again are ready bytes; the thesis' API keeps the rows that it has read, and nobody else keeps anything.
- **The floor** of a list over HTTP: {floor}.
- **Answers** are held against a plain recount of the generator's columns: members, order (ties are free) and hits.
  Every answer that is timed is judged. Who is slow is asked for fewer lists than there are, and the table says so.
  *True rows* is the share of the assets that belong into the top 100 of a section with 10, 3 and 1 % of a brand's hits.
- **Durable and exact**, in the picture and among the goals, is who acknowledges what is synced, has every list of its
  load right, and lost, doubled and got wrong nothing in the kills below. *Hits after kill -9* says what came of those;
  where they were not run through, it says that, and the load alone decides.
- **p99** is of as many asks as stand behind it: a thousand where lists are quick, in five parts within a second.
  Asked for the first time is every filtered list once.
- **Hit to list**: one body sent alone, until a list has it; median of five.
- **Disk** is what the folder takes right after the load, logs included; of footfall the larger of that and what it
  takes when all that the load caused is done.
- **Time**: an hour for all, of which installing and putting away take their part, five minutes a point at most, three
  for a day and two for kills and small loads. Main loads come first, then our large one, kills, days and the small
  loads of everybody, and ours with keys; the large loads of the others come last, the quick first: who would end in
  five minutes has them, and the slow share what is left in equal parts. A point that does not come to its end is shown
  with where it stopped, and its figures are those of what it did.
"""
KILLS = """
## kill -9

All processes of a peer are killed three times, and started again, at a moment by chance (from a seed) between two
acknowledgements: how far those are apart is seen in the load itself. A kill is *under load* if bodies were on their
way: sent, and not acknowledged when whoever sends found its peer gone. Hits are added up from what lists are made of,
rows and windows, and every list is judged afterwards; of the thesis' DynamoDB rows those of the brands, and what is
lost there by their rows. The client sends again what was not acknowledged, to footfall under the same
`Idempotency-Key`. Nobody else here can tell a body that is sent again from a new one: where none was doubled, no kill
fell between a commit and its acknowledgement. What a killed process had handed to the kernel stays; those that are not
durable would lose it with the power.
"""
RHYTHM = """
## A day's rhythm

The same assets and {hits} hits that say when they were, over 24 hours whose busiest has nine times the hits of
the quietest. Lists are asked for the last hour and for all of the day.
"""
GROWTH = """
## Growth

How costs grow with hits and assets. *Beside the smaller load* is what a hit costs in processor time, settling included,
beside the next smaller load of as many assets: 1 is linear in hits and independent of history.
"""


def page(result: Result) -> str:
    """Return the page."""
    lines = [HEAD, f"{_told(result)}", "", "![The comparison](compare.svg)", "", *markdown(main_lines(result.points))]
    told = {"full": FULL, "floor": _floor(result.points), "keyed": _keyed(result.points)}
    lines += [WORK.format(assets=number(result.assets), **told), *_peers(result.points)]
    rhythm = RHYTHM.format(hits=number(max((one.size.hits for one in shown(result.points, DAY)), default=0)))
    for words, table in ((KILLS, kill_lines), (rhythm, day_lines), (GROWTH, growth_lines)):
        found = table(result.points)
        if found[1]:
            lines += [words, *markdown(found)]
    why = ["", "## Where we are not first, and why", "", *cause_lines(result.points)]
    return "\n".join([*lines, *_goals(result.points), *why, *_not_first(result.points)]) + "\n"


def _floor(points: Sequence[Point]) -> str:
    """Say what the bytes of a list cost without a product behind them."""
    found = next((one.floor for one in shown(points, LOAD) if one.floor is not None), None)
    if found is None:
        return "not measured in this run"
    took = f"{number(found.p50_ms)} / {number(found.p99_ms)} ms (p50 / p99, {number(found.asked)} asks)"
    return f"the same bytes from a server that does nothing else reach footfall's client in {took}"


def _keyed(points: Sequence[Point]) -> str:
    """Say what a key in every body costs us, beside the main load, or why that is not known."""
    ours = {one.size.kind: one for one in points if one.peer == FOOTFALL and one.size.kind in (LOAD, KEYED)}
    keyed, main = ours.get(KEYED), ours.get(LOAD)
    if keyed is None or main is None or not main.hits:
        return "what that costs was not measured in this run"
    if why := keyed.failed or keyed.stopped or keyed.wrong or keyed.behind:
        return f"what that costs is not known, since the load with keys did not come to a good end ({why})"
    rate = per_cpu_s(keyed)
    beside = (
        f"{number(round(rate))} hits per CPU second, {number(float(f'{rate / per_cpu_s(main):.2g}'))} of those without"
    )
    return f"the main load with a key in every body comes to {beside}"


def short(result: Result) -> str:
    """Return what the README shows."""
    picture = "![footfall beside what people would pick instead](docs/compare.svg)"
    ready = "Lists of footfall that are asked for again are ready bytes; those of the first time are made then."
    more = "What each does, growth, kills and where we are not first, and why: [the comparison](docs/compare.md)."
    told = [f"{_told(result)} {ready} {_day_line(result.points)}{more}"]
    return "\n".join([picture, "", *markdown(main_lines(result.points)), "", *told])


def _day_line(points: Sequence[Point]) -> str:
    """Say in a line how a day's rhythm went: ours, and the best of the others in each."""
    days = {one.peer: one for one in shown(points, DAY) if one.hits and one.is_right and one.plain}
    ours = days.pop(FOOTFALL, None)
    if ours is None or ours.plain is None or not days:
        return ""
    best = max((one for one in days.values() if PEERS[one.peer].is_durable), key=per_cpu_s, default=None)
    quickest = min(days.values(), key=lambda one: one.plain.p50_ms if one.plain else float("inf"))
    told = f"Over a day's rhythm of {number(ours.hits)} hits it is {number(round(per_cpu_s(ours)))} hits per CPU second"
    beside = f" ({PEERS[best.peer].title}: {number(round(per_cpu_s(best)))})" if best else ""
    lists = f" ({PEERS[quickest.peer].title}: {number(quickest.plain.p50_ms)})" if quickest.plain else ""
    return f"{told}{beside}, and {number(ours.plain.p50_ms)} ms for a list{lists}. "


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
    yield from ("## Who", "", "| peer | what it does | acknowledged means | commits |", "| --- | --- | --- | --- |")
    groups = {point.peer: point.group_bodies for point in shown(points, LOAD)}
    for name, about in PEERS.items():
        group = groups.get(name, 0)
        told = (
            f"up to {number(group * 100)} hits" if group > 1 else "what came while the disk was busy" if group else ""
        )
        yield f"| {about.title} (`{name}`) | {about.does} | {about.durable} | {told} |"


def _goals(points: Sequence[Point]) -> Iterator[str]:
    yield from ("", "## What was asked of us", "", "| what | measured | goal | met |", "| --- | --: | --- | --- |")
    for one in goal_rows(points):
        yield f"| {one.what} | {number(one.value)} {one.unit} | {one.goal} | {'yes' if one.met else '**no**'} |"


def _not_first(points: Sequence[Point]) -> Iterator[str]:
    """Say where somebody is ahead of us, whoever it is and whatever it does not do."""
    yield from ("", "## What we are not first in", "")
    told = [*_ahead(points, LOAD, ""), *_ahead(points, DAY, "a day's rhythm, ")]
    yield from told or ["Nothing that was measured here."]


def _ahead(points: Sequence[Point], kind: str, of: str) -> Iterator[str]:
    found = {point.peer: point for point in shown(points, kind) if point.hits}
    ours = found.pop(FOOTFALL, None)
    if ours is None:
        return
    for what, value_of, unit in _axes():
        ahead = sorted((value_of(one), name) for name, one in found.items() if 0 <= value_of(one) < value_of(ours))
        if ahead:
            told = ", ".join(f"{PEERS[name].title} {number(float(f'{value:.3g}'))}" for value, name in ahead)
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
