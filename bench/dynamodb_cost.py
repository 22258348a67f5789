"""What a day costs on DynamoDB, in its own units: the page-hit-counter thesis' rows, and ours.

Sketch. The thesis writes a row an asset: 500 and the ties for each of 288 five minutes, 24 hours and a day, of five
brands: 800,000 units at least. A minute of ours is one item of one to five units, written once or twice: some 30,000 a
day; hours and days are a tenth of that. Units are computed (bench/unit_table.py), so no figure depends on the machine.

Run alone, it can be made smaller: `python -m bench.dynamodb_cost --hits 200000 --hours 2`.
"""

import argparse
import sys
from dataclasses import dataclass

import numpy as np
from rich.console import Console
from rich.table import Table as Printed

from bench.asked_day import Reader, Reads, Right, Truths, questions
from bench.counted_day import Cost, CountedDay, Marks, peak_to_mean
from bench.day import BRANDS, HITS, HOURS, Day
from bench.plan import SECONDS, Plan
from bench.results import Row, number, row, show
from bench.thesis_rows import Counts, ThesisTable

FRESHNESS_S = 60
CURVE_S = (5, 15)
SHARDS_BESIDES = 4
QUERIES = 10_000
VISITORS = 2_000_000  # from whom the hits come, five each
FILTERS = 200
OF_A, OF_B = 0.15, 0.05
PEAK = 2.0  # of five minutes, as the thesis' figures have it and as DynamoDB saves up capacity, and of one minute


@dataclass(slots=True)
class Measured:
    """Both sides of one day."""

    day: Day
    thesis: ThesisTable
    minutely: ThesisTable
    ours: Cost
    reads: Reads
    right: Right
    curve: dict[str, Cost]
    marked: dict[Marks, int]  # write units of ids, if all senders did so
    uniques: int  # write units of visitors, if every hit had one


def measure(day: Day, *, queries: int = QUERIES, filters: int = FILTERS, whole: bool = True) -> Measured:
    """Return both sides; `whole` has the other freshnesses, more shards and ids besides."""
    thesis, minutely, minutes = _rows(day)
    counted = CountedDay(day, freshness_s=FRESHNESS_S)
    reader = Reader(counted, thesis, questions(day, queries))
    right: list[Right] = []

    def after_the_day(_second: int) -> None:
        # The moment at which the windows that end with the day are the latest that have closed.
        if not right and min(one.checkpoint.passed_ms for one in counted.workers) >= day.ends_at_ms:
            asked = questions(day, filters, seed=42, only_filters=True)
            right.append(reader.compare(asked, Truths(day, minutes)))

    ours = counted.run(on_second=reader.on_second, after=after_the_day)
    print(f"  at {FRESHNESS_S} s: {ours.total:,} of {thesis.written:,}", file=sys.stderr, flush=True)
    curve: dict[str, Cost] = {}
    marked: dict[Marks, int] = {}
    uniques = 0
    if whole:
        uniques = _uniques(day, ours)
        for freshness_s in CURVE_S:
            curve[f"at {freshness_s} s"] = CountedDay(day, freshness_s=freshness_s).run()
        curve[f"at {FRESHNESS_S} s, {SHARDS_BESIDES} shards"] = CountedDay(day, shards=SHARDS_BESIDES).run()
        # An hour tells it: a block of ids holds those of one flush, whatever came before.
        hour = Day(hits=day.hits // day.hours, hours=1, assets=len(day.section))
        for marks in (Marks.IDS, Marks.KEYS):
            marked[marks] = CountedDay(hour, freshness_s=FRESHNESS_S, marks=marks).run().ids * day.hours
    return Measured(day, thesis, minutely, ours, reader.reads, right[0], curve, marked, uniques)


def _uniques(day: Day, ours: Cost) -> int:
    """Return what it costs more when every hit has a visitor, pieces of minutes, hours, the day and its finishing."""
    visitors = max(1, VISITORS * day.hits // HITS)
    cost = CountedDay(day, freshness_s=FRESHNESS_S, visitors=visitors).run()
    return cost.total + cost.visitors - ours.total


def _rows(day: Day) -> tuple[ThesisTable, ThesisTable, list[Counts]]:
    """Return the thesis' table, the same of our minutes, and the counts of every minute."""
    thesis, minutely = ThesisTable(day, "FHD"), ThesisTable(day, "MHD")
    minutes: list[Counts] = []
    for hour in day.each_hour():
        bounds = np.searchsorted(hour.second // 60, np.arange(hour.hour * 60, (hour.hour + 1) * 60 + 1)).tolist()
        for n in range(60):
            assets = hour.asset[bounds[n] : bounds[n + 1]]
            minutes.append(np.bincount(assets, minlength=len(day.section)).astype(np.int64))
            for table in (thesis, minutely):
                table.add(hour.hour * 60 + n, minutes[-1])
    for table in (thesis, minutely):
        table.close(day.hours * 60 - 1)
    return thesis, minutely, minutes


def rows_of(measured: Measured) -> list[Row]:
    """Return what was measured, judged by the goals."""
    return [*_written(measured), *_peaks_judged(measured), *_read(measured)]


def _written(measured: Measured) -> list[Row]:
    ours, thesis, minutely, hits = measured.ours, measured.thesis, measured.minutely, measured.day.hits
    return [
        row("write units: A, the thesis' rows", thesis.written, "units"),
        row("write units: A, if ties with the 500th were left out", thesis.written_at_500, "units"),
        row("write units: B, rows of our minutes", minutely.written, "units"),
        row("write units: footfall at 60 s", ours.total, "units"),
        *(row(f"write units: footfall {kind}", units, "units") for kind, units in _kinds(ours)),
        row("footfall's write units by A's", ours.total / thesis.written, "ratio", at_most=OF_A),
        row("footfall's write units by A's without ties", ours.total / thesis.written_at_500, "ratio", at_most=OF_A),
        row("footfall's write units by B's", ours.total / minutely.written, "ratio", at_most=OF_B),
        row("footfall's write units for 1,000 hits", ours.total / hits * 1_000, "units"),
        *(row(f"write units: footfall {name}", cost.total, "units") for name, cost in measured.curve.items()),
        *(row(f"write units of ids: {marks.value}", units, "units") for marks, units in measured.marked.items()),
        row("write units of uniques, a visitor for every hit", measured.uniques, "units"),
        row("puts to S3 of raw hits", ours.puts, "puts"),
        row("bytes of raw hits in S3, by hit", ours.put_bytes / hits, "bytes"),
    ]


def _peaks_judged(measured: Measured) -> list[Row]:
    ours, thesis = measured.ours, measured.thesis
    return [
        row("peak-to-mean of A, five minutes", _peak(thesis.by_minute, ours, minutes=5), "ratio"),
        row("peak-to-mean of A, one minute", _peak(thesis.by_minute, ours, minutes=1), "ratio"),
        row("peak-to-mean of footfall, five minutes", _peak(ours.by_minute, ours, minutes=5), "ratio", at_most=PEAK),
        row("peak-to-mean of footfall, one minute", _peak(ours.by_minute, ours, minutes=1), "ratio", at_most=PEAK),
    ]


def _read(measured: Measured) -> list[Row]:
    reads, right = measured.reads, measured.right
    lists, filters = f"read units of {reads.questions:,} lists", f"lists of {right.filters} filters"
    at_most = reads.thesis + reads.open_window
    return [
        row(f"{lists}: A with its cache", reads.thesis, "units"),
        row(f"{lists}: the open windows", reads.open_window, "units"),
        row(f"{lists}: footfall", reads.ours, "units", at_most=at_most),
        row(f"right {filters}: A", right.thesis, "lists"),
        row(f"right {filters}: footfall", right.ours, "lists", at_least=right.filters),
        row(f"{filters} that footfall says are exact", right.ours_exact, "lists"),
    ]


def _kinds(cost: Cost) -> list[tuple[str, int]]:
    named = [(f"at 60 s, of it {kind}", units) for kind, units in cost.written.items() if kind != "ids"]
    return sorted(named, key=lambda one: -one[1])


def _peak(by_minute: dict[int, int], ours: Cost, *, minutes: int) -> float:
    last = max(by_minute)
    hits = {minute: count for minute, count in ours.hits_by_minute.items() if minute <= last}
    return peak_to_mean(by_minute, hits, minutes=minutes)


def show_both(measured: Measured) -> None:
    """Print both sides in one table."""
    ours, thesis, minutely, reads = measured.ours, measured.thesis, measured.minutely, measured.reads
    right, day = measured.right, measured.day
    title = f"{day.hits:,} hits in {day.hours} h, {len(day.section):,} assets, {len(BRANDS)} brands; DynamoDB's units"
    table = Printed("", "A: the thesis", "B: its rows, our minutes", "footfall", title=title, title_justify="left")
    for column in table.columns[1:]:
        column.justify = "right"
    lines: list[tuple[str, float | None, float | None, float]] = [
        ("write units", thesis.written, minutely.written, ours.total),
        ("the same, ties with the 500th left out", thesis.written_at_500, minutely.written_at_500, ours.total),
        *((f"write units {name}", None, None, cost.total) for name, cost in measured.curve.items()),
        *((f"write units of ids: {marks.value}", None, None, units) for marks, units in measured.marked.items()),
        ("write units of uniques, a visitor for every hit", None, None, measured.uniques),
        ("puts to S3 of raw hits", None, None, ours.puts),
        ("dearest five minutes of an hour, by its mean", *_peaks(measured, 5)),
        ("dearest minute of an hour, by its mean", *_peaks(measured, 1)),
        (f"read units of {reads.questions:,} lists", reads.thesis, None, reads.ours),
        ("read units of the open windows alone", 0, None, reads.open_window),
        (f"right lists of {right.filters} filters", right.thesis, None, right.ours),
    ]
    for what, *sides in lines:
        table.add_row(what, *("" if side is None else number(round(side, 2)) for side in sides))
    Console(width=None if Console().is_terminal else 160, highlight=False).print(table)


def _peaks(measured: Measured, minutes: int) -> tuple[float, float, float]:
    tables = (measured.thesis.by_minute, measured.minutely.by_minute, measured.ours.by_minute)
    a, b, ours = (_peak(dict(one), measured.ours, minutes=minutes) for one in tables)
    return a, b, ours


def run(plan: Plan) -> list[Row]:
    """Measure a day, or as much of it as a shorter run allows."""
    is_whole = plan.seconds >= SECONDS
    hours = HOURS if is_whole else 2
    measured = measure(Day(hits=HITS * hours // HOURS, hours=hours), whole=is_whole)
    show_both(measured)
    return rows_of(measured)


def main() -> None:
    """Measure as much as was asked for, and print it."""
    parser = argparse.ArgumentParser(prog="python -m bench.dynamodb_cost", description="What a day costs on DynamoDB.")
    parser.add_argument("--hits", type=int, default=HITS, help="how many hits the day has (%(default)s)")
    parser.add_argument("--hours", type=int, default=HOURS, help="how many hours it has (%(default)s)")
    parser.add_argument("--queries", type=int, default=QUERIES, help="how many lists are asked for (%(default)s)")
    parser.add_argument("--brief", action="store_true", help="without the other freshnesses, more shards and ids")
    asked = parser.parse_args()
    measured = measure(Day(hits=asked.hits, hours=asked.hours), queries=asked.queries, whole=not asked.brief)
    show_both(measured)
    show([("dynamodb_cost", rows_of(measured))])


if __name__ == "__main__":
    main()
