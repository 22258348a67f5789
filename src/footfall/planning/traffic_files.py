"""Traces as files hold them: a CSV of times and counts, of a counter's values, an access log, or scrapes of /metrics.

All of it is read line by line from whatever gives lines; opening files is somebody else's.
"""

import csv
import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from itertools import chain, islice, pairwise

import numpy as np

from footfall.planning.traffic_logs import is_log, trace_from_log
from footfall.planning.traffic_traced import (
    SAMPLES_MAX,
    Findings,
    Sample,
    Trace,
    moment,
    require_hits,
    trace_of,
)
from footfall.values.errors import Refused
from footfall.values.window import MINUTE_MS

ACCEPTED = "footfall_hits_accepted_total"
COUNT_NAMES = ("count", "hits", "requests", "value", "total")
TIME_NAMES = ("time", "timestamp", "date", "at", "datetime", "moment")
LOOKED_AT = 50  # lines that tell a file's form
LATE_STEPS = 1.5  # A line that comes later than this is not late: one before it is missing.
YEAR_MIN, YEAR_MAX = 1990, 2200
_EPOCHS = ((1e11, 1e3), (1e14, 1.0), (1e17, 1e-3), (1e20, 1e-6))  # s, ms, us, ns as such numbers are written today
_SAMPLE = re.compile(r"([A-Za-z_:][\w:]*)(\{[^}]*\})?[ \t]+(\S+)(?:[ \t]+(\S+))?")
_SCRAPED = re.compile(r"#\s*(?:scraped|time|at)\s*:?\s+(\S.*)", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class _Told:
    line: int
    at_ms: int
    value: float


def trace_from_text(lines: Iterable[str]) -> Trace:
    """Return the trace of lines whose form is found out from the first ones."""
    coming = iter(lines)
    first = list(islice(coming, LOOKED_AT))
    # A log of gigabytes is read as it comes; only its minutes are kept.
    every = chain(first, coming)
    head = "\n".join(first)
    if is_log(head):
        return trace_from_log(line.encode(errors="replace") for line in every)
    if "# HELP" in head or "# TYPE" in head or ACCEPTED + " " in head or ACCEPTED + "{" in head:
        return trace_from_scrapes(every)
    named = next((line for line in first if line.strip()), "")
    return trace_from_counters(every) if "_total" in named or "counter" in named.lower() else trace_from_counts(every)


def trace_from_counts(lines: Iterable[str]) -> Trace:
    """Return the trace of a CSV whose lines have a time and the hits from then until the next line's."""
    findings = Findings()
    told = _forward(_rows(lines, findings), findings)
    if len(told) < 2:
        raise Refused("trace", "two lines with a time and a count are needed to know how long a count is for")
    steps = [after.at_ms - before.at_ms for before, after in pairwise(told)]
    values, times = np.unique(steps, return_counts=True)
    step = int(values[np.argmax(times)])
    # Longer ones are holes, which are told of where they are bridged.
    odd = [place for place, one in enumerate(steps) if one != step and one <= LATE_STEPS * step]
    if odd and len(odd) < len(steps):
        _tell_of_unequal(told[odd[0] + 1].line, len(odd), step, findings)
    samples: list[Sample] = []
    for place, one in enumerate(told):
        until = told[place + 1].at_ms if place < len(steps) else one.at_ms + step
        to_ms = until if until - one.at_ms <= LATE_STEPS * step else one.at_ms + step
        samples.append(Sample(one.line, one.at_ms, to_ms, require_hits(one.value, one.line)))
    return trace_of(samples, findings)


def _tell_of_unequal(line: int, count: int, step_ms: int, findings: Findings) -> None:
    who = f"line {line} does" if count == 1 else f"{count} lines, line {line} first, do"
    findings.tell(f"{who} not come {step_ms / 1_000:g} s after the one before")


def trace_from_counters(lines: Iterable[str]) -> Trace:
    """Return the trace of a CSV whose lines have a time and what a counter stood at; a restart begins at 0."""
    findings = Findings()
    return _from_counter([_forward(_rows(lines, findings), findings)], findings)


def trace_from_scrapes(lines: Iterable[str], *, metric: str = ACCEPTED, labels: str = "") -> Trace:
    """Return the trace of what /metrics said, time and again: each scrape behind `# scraped TIME`, or with times."""
    findings = Findings()
    series: dict[str, list[_Told]] = {}
    at_ms: int | None = None
    for number, line in enumerate(_bounded(lines), 1):
        scraped = _SCRAPED.fullmatch(line.strip())
        if scraped:
            at_ms = moment_of(scraped[1], number)
        found = _SAMPLE.fullmatch(line.strip())
        if not found or found[1] != metric or labels not in (found[2] or ""):
            continue
        own_ms = moment_of(found[4], number) if found[4] else at_ms
        if own_ms is None:
            raise Refused(
                "trace", f"line {number} has no time: put `# scraped 2026-11-17T10:00:00Z` before each scrape"
            )
        series.setdefault(found[2] or "", []).append(_Told(number, own_ms, _number(found[3], number)))
    if not series:
        raise Refused("trace", f"no line has {metric}, of which a trace would be made")
    return _from_counter([_forward(told, findings) for told in series.values()], findings)


def moment_of(text: str, line: int) -> int:
    """Return a moment from ISO 8601, or from seconds, milliseconds, micro- or nanoseconds since 1970."""
    text = text.strip()
    try:
        number = float(text)
    except ValueError:
        return _iso(text, line)
    at_ms = next((number * times for below, times in _EPOCHS if 0 <= number < below), -1.0)
    if not YEAR_MIN <= 1970 + at_ms / 31_556_952_000 <= YEAR_MAX:
        raise Refused("trace", f"line {line}: {text!r} is no time between {YEAR_MIN} and {YEAR_MAX}")
    return int(at_ms)


def _iso(text: str, line: int) -> int:
    try:
        found = datetime.fromisoformat(text.replace("/", "-"))
    except ValueError:
        raise Refused(
            "trace", f"line {line}: {text[:40]!r} is no time; write 2026-11-17T10:05:00Z, or seconds"
        ) from None
    found = found if found.tzinfo else found.replace(tzinfo=UTC)
    if not YEAR_MIN <= found.year <= YEAR_MAX:
        raise Refused("trace", f"line {line}: {text[:40]!r} is not between {YEAR_MIN} and {YEAR_MAX}")
    return int(found.timestamp() * 1_000)


def _rows(lines: Iterable[str], findings: Findings) -> Iterator[_Told]:
    time_at, count_at, delimiter, is_told = 0, 1, ",", False
    is_first = True
    for number, line in enumerate(_bounded(lines), 1):
        if not line.strip() or line.startswith("#"):
            continue
        if is_first:
            delimiter = next((one for one in "\t;," if one in line), ",")
        cells = _cells(line, delimiter, number)
        if is_first and (named := _columns(cells)):
            time_at, count_at = named
            is_first = False
            continue
        is_first = False
        if len(cells) <= max(time_at, count_at):
            raise Refused("trace", f"line {number} has no {'time' if len(cells) <= time_at else 'count'}")
        told = _Told(number, moment_of(cells[time_at], number), _number(cells[count_at], number))
        if not is_told and _has_no_zone(cells[time_at]):
            findings.tell(
                f"line {number}: {cells[time_at].strip()!r} has no zone, nor may others; they are taken as UTC"
            )
            is_told = True
        yield told


def _cells(line: str, delimiter: str, number: int) -> list[str]:
    try:
        return next(csv.reader([line], delimiter=delimiter))
    except csv.Error as error:
        raise Refused("trace", f"line {number} is no line of a CSV: {error}") from error


def _columns(cells: Sequence[str]) -> tuple[int, int] | None:
    """Return where time and count stand, if the first line has names."""
    names = [cell.strip().lower() for cell in cells]
    if any(any(letter.isdigit() for letter in name) for name in names[:2]) or len(names) < 2:
        return None
    time_at = next((place for place, name in enumerate(names) if name in TIME_NAMES), 0)
    count_at = next((place for place, name in enumerate(names) if name in COUNT_NAMES), 1 if time_at == 0 else 0)
    return time_at, count_at


def _has_no_zone(text: str) -> bool:
    return "-" in text[:8] and not re.search(r"(Z|[+-]\d\d:?\d\d)$", text.strip())


def _number(text: str, line: int) -> float:
    try:
        number = float(text)
    except ValueError:
        raise Refused("trace", f"line {line}: {text[:40]!r} is no number of hits") from None
    if not number >= 0 or number == float("inf"):
        raise Refused("trace", f"line {line}: {text.strip()[:40]} hits cannot be")
    return number


def _forward(told: Iterable[_Told], findings: Findings) -> list[_Told]:
    """Return what was told in its order; a moment twice is told of once, unless they say different things."""
    found: list[_Told] = []
    for one in told:
        if found and one.at_ms < found[-1].at_ms:
            raise Refused(
                "trace",
                f"line {one.line} is of {moment(one.at_ms)}, before {moment(found[-1].at_ms)} of line {found[-1].line}",
            )
        if found and one.at_ms == found[-1].at_ms:
            if one.value != found[-1].value:
                both = f"line {one.line} says {one.value:g} and line {found[-1].line} {found[-1].value:g}"
                raise Refused("trace", f"{both} of {moment(one.at_ms)}")
            findings.tell(
                f"line {one.line} says the same of {moment(one.at_ms)} as line {found[-1].line}; it counts once"
            )
            continue
        found.append(one)
    return found


def _from_counter(series: Sequence[Sequence[_Told]], findings: Findings) -> Trace:
    """Return what counters grew by, between each two of their values; series are added up."""
    gained: dict[tuple[int, int], Sample] = {}
    for told in series:
        for before, after in pairwise(told):
            grown = after.value - before.value
            if grown < 0:
                went = f"went from {before.value:g} to {after.value:g}"
                findings.tell(f"line {after.line}: the counter {went}; it was started again")
                grown = after.value
            span = (before.at_ms, after.at_ms)
            hits = require_hits(grown, after.line) + (gained[span].hits if span in gained else 0.0)
            gained[span] = Sample(after.line, *span, hits)
    if not gained:
        raise Refused("trace", "a counter has to be read twice before it tells anything")
    samples = [gained[span] for span in sorted(gained)]
    for before, after in pairwise(samples):
        if after.from_ms < before.to_ms:
            raise Refused(
                "trace", f"line {after.line}: series were not read at the same moments, so they cannot be added up"
            )
    return trace_of(_without_long_reads(samples), findings)


def _without_long_reads(samples: Sequence[Sample]) -> list[Sample]:
    """Return samples without those that span a long hole, of which nobody knows when the hits came."""
    longest = 60 * MINUTE_MS + int(np.median([one.to_ms - one.from_ms for one in samples]))
    for one in samples:
        if one.to_ms - one.from_ms > longest:
            hole = f"from {moment(one.from_ms)} to {moment(one.to_ms)}"
            raise Refused("trace", f"line {one.line}: the counter was not read {hole}; cut it there")
    return list(samples)


def _bounded(lines: Iterable[str]) -> Iterator[str]:
    for number, line in enumerate(lines, 1):
        if number > SAMPLES_MAX:
            raise Refused("trace", f"it has more than {SAMPLES_MAX} lines; sum them up by the minute first")
        yield line.removeprefix("\ufeff").rstrip("\r\n")
