"""Measured traces: every form that is read, what is repaired and told, and what is refused by its line."""

import contextlib
from collections.abc import Callable, Iterator

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from footfall.planning.traffic import DAY_MINUTES, WEEK_MINUTES
from footfall.planning.traffic_files import (
    moment_of,
    trace_from_counters,
    trace_from_counts,
    trace_from_scrapes,
    trace_from_text,
)
from footfall.planning.traffic_logs import trace_from_log
from footfall.planning.traffic_traced import Trace, Traced
from footfall.values.errors import Refused

BEGAN_S = 1_794_873_600  # 2026-11-17T00:00:00Z, a Tuesday


def csv_of(*pairs: tuple[object, object], header: str = "time,count") -> list[str]:
    return [header, *(f"{time},{count}" for time, count in pairs)]


def minutes(trace: Trace) -> list[float]:
    return trace.traffic.per_minute.round(6).tolist()


@pytest.mark.parametrize(
    "text",
    [
        "2026-11-17T00:00:00Z",
        "2026-11-17T02:00:00+02:00",
        "2026-11-17 00:00",
        "2026/11/17 00:00:00",
        "2026-11-17",
        "1794873600",
        "1794873600.0",
        "1794873600000",
        "1794873600000000",
        "1794873600000000000",
    ],
)
def test_times_are_read_in_every_form(text: str) -> None:
    assert moment_of(text, 1) == BEGAN_S * 1_000


def test_counts_by_the_minute_are_minutes() -> None:
    trace = trace_from_counts(csv_of(*((BEGAN_S + 60 * place, 10 + place) for place in range(5))))
    assert minutes(trace) == [10, 11, 12, 13, 14]
    assert trace.traffic.from_minute == DAY_MINUTES
    assert trace.findings == ()


def test_counts_by_the_hour_are_spread_and_those_by_the_second_added_up() -> None:
    hours = trace_from_counts(csv_of((BEGAN_S, 600), (BEGAN_S + 3_600, 1_200)))
    assert minutes(hours) == [10.0] * 60 + [20.0] * 60
    seconds = trace_from_counts(csv_of(*((BEGAN_S + place, 1) for place in range(120))))
    assert minutes(seconds) == [60, 60]


def test_a_day_s_count_has_the_rhythm_of_a_day_and_that_is_told() -> None:
    days = trace_from_counts(csv_of(*((BEGAN_S + 86_400 * day, 1_440_000) for day in range(7))))
    per_minute = days.traffic.per_minute
    assert per_minute.reshape(7, -1).sum(axis=1) == pytest.approx([1_440_000] * 7)
    assert per_minute.max() / per_minute.min() == pytest.approx(5, rel=0.01)
    assert int(per_minute[:DAY_MINUTES].argmax()) // 60 in (19, 20)
    assert any(
        "7 of 7 samples are of 6 hours or more: a day's rhythm is laid over them" in one for one in days.findings
    )
    assert any("up to 24 h: what peaks within them is not known" in one for one in days.findings)


def test_samples_of_a_quarter_of_an_hour_hide_peaks_and_shorter_ones_do_not() -> None:
    def findings(step_s: int) -> tuple[str, ...]:
        return trace_from_counts(csv_of(*((BEGAN_S + step_s * place, 5) for place in range(9)))).findings

    assert "9 of 9 samples are of 15 minutes or more, up to 0.25 h" in findings(900)[0]
    assert findings(600) == ()


@pytest.mark.parametrize(
    ("before", "after", "says"),
    [
        (1, 10_000_000, "line 32: from here on there is 10,000,000 times what was before"),
        (0, 10_000_000, "line 32: from here on there is 10,000,000 times what was before"),
        (5_000, 10, "line 32: from here on there is a 500th of what was before"),
    ],
)
def test_a_jump_that_lasts_is_told_once_where_it_begins(before: int, after: int, says: str) -> None:
    counts = [before] * 30 + [after] * 30
    trace = trace_from_counts(csv_of(*((BEGAN_S + 60 * place, count) for place, count in enumerate(counts))))
    assert len(trace.findings) == 1
    assert says in trace.findings[0]


def test_traffic_that_wakes_up_is_no_jump() -> None:
    counts = [0] * 20 + [50] * 20 + [900] * 20
    trace = trace_from_counts(csv_of(*((BEGAN_S + 60 * place, count) for place, count in enumerate(counts))))
    assert trace.findings == ()


def test_a_hole_is_told_once_and_one_late_line_is_not_many() -> None:
    hole = trace_from_counts(csv_of(*((BEGAN_S + 60 * minute, 10) for minute in (0, 1, 2, 3, 6, 7))))
    assert len(hole.findings) == 1
    assert "line 6: nothing is told from" in hole.findings[0]
    late = trace_from_counts(csv_of(*((BEGAN_S + second, 10) for second in (0, 60, 120, 180, 260))))
    assert late.findings == ("line 6 does not come 60 s after the one before",)


def test_columns_are_found_by_their_names_and_by_semicolons() -> None:
    lines = ["host;hits;timestamp", f"a;5;{BEGAN_S}", f"a;7;{BEGAN_S + 60}"]
    assert minutes(trace_from_counts(lines)) == [5, 7]


def test_a_short_hole_is_bridged_and_told() -> None:
    times = [0, 1, 2, 6, 7]
    trace = trace_from_counts(csv_of(*((BEGAN_S + 60 * minute, 10 + minute) for minute in times)))
    assert minutes(trace)[3:6] == [14, 14, 14]
    assert any("nothing is told from 2026-11-17 00:03:00Z to 2026-11-17 00:06:00Z" in one for one in trace.findings)


def test_the_same_line_twice_counts_once_and_is_told() -> None:
    trace = trace_from_counts(csv_of((BEGAN_S, 1), (BEGAN_S + 60, 2), (BEGAN_S + 60, 2), (BEGAN_S + 120, 3)))
    assert minutes(trace) == [1, 2, 3]
    assert "line 4 says the same" in trace.findings[0]


def test_unequal_steps_and_sudden_counts_are_told() -> None:
    pairs = [(BEGAN_S + 60 * place, 5) for place in range(6)]
    pairs[3] = (pairs[3][0] + 20, 5)
    pairs[4] = (pairs[4][0], 5_000)
    trace = trace_from_counts(csv_of(*pairs))
    assert any("2 lines, line 5 first, do not come 60 s after" in one for one in trace.findings)
    assert any("line 6: 5000 hits are" in one for one in trace.findings)
    assert trace.traffic.per_minute.sum() == pytest.approx(25 + 5_000)


def test_times_without_a_zone_are_taken_as_utc_and_that_is_told() -> None:
    trace = trace_from_counts(csv_of(("2026-11-17 00:00", 1), ("2026-11-17 00:01", 2)))
    assert "taken as UTC" in trace.findings[0]


def test_a_counter_that_was_started_again_loses_nothing() -> None:
    pairs = [(BEGAN_S, 100), (BEGAN_S + 60, 160), (BEGAN_S + 120, 30), (BEGAN_S + 180, 40)]
    trace = trace_from_counters(csv_of(*pairs, header="time,hits_total"))
    assert minutes(trace) == [60, 30, 10]
    assert trace.findings == ("line 4: the counter went from 160 to 30; it was started again",)
    assert minutes(trace_from_text(csv_of(*pairs, header="time,hits_total"))) == [60, 30, 10]


def test_scrapes_of_metrics_are_added_up_over_their_labels() -> None:
    lines: list[str] = []
    for minute, (one, other) in enumerate([(0, 5), (10, 6), (30, 7)]):
        lines += [
            f"# scraped 2026-11-17T00:0{minute}:00Z",
            "# HELP footfall_brand_accepted_total Hits of the brand that were ever accepted.",
            f'footfall_brand_accepted_total{{brand="a"}} {one}',
            f'footfall_brand_accepted_total{{brand="b"}} {other}',
            "footfall_ready 1.0",
        ]
    whole = trace_from_scrapes(lines, metric="footfall_brand_accepted_total")
    assert minutes(whole) == [11, 21]
    only = trace_from_scrapes(lines, metric="footfall_brand_accepted_total", labels='brand="b"')
    assert minutes(only) == [1, 1]


def test_scrapes_with_times_of_their_own_need_no_line_before_them() -> None:
    lines = [f"footfall_hits_accepted_total {value} {BEGAN_S + 60 * n}000" for n, value in enumerate([0, 9, 12])]
    assert minutes(trace_from_text(["# TYPE footfall_hits_accepted_total counter", *lines])) == [9, 3]


def test_an_access_log_is_counted_by_the_minute_whatever_its_order() -> None:
    def line(second: int) -> bytes:
        return b'192.0.2.7 - - [17/Nov/2026:00:%02d:%02d +0000] "GET /a HTTP/1.1" 200 5' % divmod(second, 60)

    lines = [line(second) for second in (0, 61, 62, 59, 130)] + [b"nonsense"]
    trace = trace_from_log(lines)
    assert minutes(trace) == [2, 2, 1]
    assert trace.findings == ("line 6: it has no time in brackets before a request in quotes; it is left out",)
    combined = [one.decode() + ' "-" "Mozilla"' for one in lines[:5]]
    assert minutes(trace_from_text(combined)) == [2, 2, 1]


@pytest.mark.parametrize(
    ("read", "lines", "sentence"),
    [
        (trace_from_counts, [], "two lines"),
        (trace_from_counts, csv_of((BEGAN_S, 5)), "two lines"),
        (trace_from_counts, csv_of((BEGAN_S, 5), (BEGAN_S - 60, 5)), "line 3 is of .* before .* of line 2"),
        (trace_from_counts, csv_of((BEGAN_S, 5), (BEGAN_S, 6)), "line 3 says 6 and line 2 5 of"),
        (trace_from_counts, csv_of((BEGAN_S, -5), (BEGAN_S + 60, 6)), "line 2: -5 hits cannot be"),
        (trace_from_counts, csv_of((BEGAN_S, "nan"), (BEGAN_S + 60, 6)), "line 2: nan hits cannot be"),
        (trace_from_counts, csv_of((BEGAN_S, "inf"), (BEGAN_S + 60, 6)), "line 2: inf hits cannot be"),
        (trace_from_counts, csv_of((BEGAN_S, "many"), (BEGAN_S + 60, 6)), "line 2: 'many' is no number of hits"),
        (trace_from_counts, csv_of((BEGAN_S, 1e30), (BEGAN_S + 60, 6)), "line 2 has 1e\\+30 hits"),
        (trace_from_counts, csv_of((BEGAN_S, 1e15), (BEGAN_S + 60, 6)), "more than everybody on Earth"),
        (trace_from_counts, csv_of(("yesterday", 5), ("today", 6)), "line 2: 'yesterday' is no time"),
        (trace_from_counts, csv_of((12, 5), (13, 6)), "line 2: '12' is no time between 1990 and 2200"),
        (trace_from_counts, ["time,count", "1794873600"], "line 2 has no count"),
        (
            trace_from_counts,
            csv_of(*((BEGAN_S + 60 * place, 5) for place in range(3)), (BEGAN_S + 36_000, 5)),
            "line 5: nothing is told from 2026-11-17 00:03:00Z to 2026-11-17 10:00:00Z, 597 minutes",
        ),
        (trace_from_counters, csv_of((BEGAN_S, 5)), "read twice"),
        (
            trace_from_counters,
            csv_of((BEGAN_S, 5), (BEGAN_S + 60, 6), (BEGAN_S + 120, 7), (BEGAN_S + 90_000, 9)),
            "line 5: the counter was not read from",
        ),
        (trace_from_scrapes, ["footfall_hits_accepted_total 5"], "line 1 has no time"),
        (trace_from_scrapes, ["# scraped 2026-11-17T00:00:00Z", "up 1"], "no line has footfall_hits_accepted_total"),
        (trace_from_log, [b"nonsense"], "1 of 1 lines are none of an access log"),
        (trace_from_log, [], "no line"),
    ],
)
def test_what_cannot_be_a_trace_is_refused_by_its_line(
    read: Callable[[list[str]], Trace], lines: list[str], sentence: str
) -> None:
    with pytest.raises(Refused, match=sentence):
        read(lines)


def test_a_trace_of_weeks_begins_again_on_the_same_day() -> None:
    measured = np.arange(WEEK_MINUTES + 500, dtype=np.float64)
    traced = Traced(measured, from_minute=2 * DAY_MINUTES)
    assert traced.period_minutes == WEEK_MINUTES
    # The last whole week counts: minute 500 of the trace is Wednesday, 08:20.
    assert traced.hits(1, start_minute=2 * DAY_MINUTES + 500)[0] == 500
    assert traced.hits(1, start_minute=3 * WEEK_MINUTES + 2 * DAY_MINUTES + 500)[0] == 500


@given(st.lists(st.integers(0, 10**6), min_size=2, max_size=60), st.integers(1, 5_000))
def test_no_hit_is_lost_whatever_the_step(counts: list[int], step_s: int) -> None:
    trace = trace_from_counts(csv_of(*((BEGAN_S + step_s * place, count) for place, count in enumerate(counts))))
    assert trace.traffic.per_minute.sum() == pytest.approx(sum(counts))


PIECES = (
    (
        "time,count",
        "1794873600",
        "2026-11-17T00:00Z",
        ",",
        ";",
        "\t",
        '"',
        "#",
        "# scraped ",
        " 5",
        "-1",
        "nan",
        "1e400",
    ),
    (
        "_total",
        "footfall_hits_accepted_total",
        "{",
        "}",
        "# HELP x",
        '[17/Nov/2026:00:00:00 +0000] "',
        "\ufeff",
        "\x00",
    ),
)
pieces = st.sampled_from([piece for some in PIECES for piece in some])
lines = st.lists(st.one_of(st.text(max_size=40), st.lists(pieces, max_size=6).map("".join)), max_size=12)


@settings(max_examples=400)
@given(lines)
def test_whatever_a_file_holds_is_a_trace_or_a_sentence(some: list[str]) -> None:
    with contextlib.suppress(Refused):
        assert (trace_from_text(some).traffic.per_minute >= 0).all()


def test_a_long_log_is_read_as_it_comes() -> None:
    def log(count: int) -> Iterator[str]:
        for number in range(count):
            yield f'192.0.2.7 - - [17/Nov/2026:00:{number % 60:02d}:00 +0000] "GET /a HTTP/1.1" 200 5 "-" "-"'

    assert trace_from_text(log(60_000)).traffic.per_minute.tolist() == [1_000.0] * 60
