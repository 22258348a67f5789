"""Traces from access logs in common or combined format: a hit for each line, by the minute it was written for."""

import re
from collections.abc import Iterable
from itertools import pairwise

import numpy as np

from footfall.flow.collect.logfile.line import NotUnderstood
from footfall.flow.collect.logfile.moments import Moments
from footfall.planning.traffic import MINUTES_MAX
from footfall.planning.traffic_traced import Findings, Sample, Trace, moment, trace_of
from footfall.values.errors import Refused
from footfall.values.window import MINUTE_MS

SILENT_MINUTES = 60
_LOG_TIME = re.compile(rb"\[(\d\d/[A-Z][a-z]{2}/\d{4}:\d\d:\d\d:\d\d [+-]\d{4})\] \"")
_FAR_MS = 7_258_118_400_000  # 2200: no line is refused for lying in the future, which nobody here knows.


def is_log(text: str) -> bool:
    """Tell whether some line has a time in brackets before a request in quotes."""
    return _LOG_TIME.search(text.encode(errors="replace")) is not None


def trace_from_log(lines: Iterable[bytes]) -> Trace:
    """Return the trace of an access log; lines may be out of order, as servers write them when an answer ends."""
    findings, counts = Findings(), dict[int, int]()
    moments = Moments(now_ms=_FAR_MS)
    strange = 0
    for number, line in enumerate(lines, 1):
        if not line.strip():
            continue
        try:
            minute = _minute_of(line, moments)
        except NotUnderstood as error:
            strange += 1
            findings.tell(f"line {number}: {error}; it is left out")
            continue
        counts[minute] = counts.get(minute, 0) + 1
    read = sum(counts.values())
    if strange >= max(1, read):
        raise Refused("trace", f"{strange} of {strange + read} lines are none of an access log; {findings.all()[0]}")
    if not counts:
        raise Refused("trace", "it has no line")
    _tell_of_silence(counts, findings)
    return trace_of(_samples_of(counts), findings)


def _minute_of(line: bytes, moments: Moments) -> int:
    found = _LOG_TIME.search(line)
    if found is None:
        raise NotUnderstood("it has no time in brackets before a request in quotes")
    return moments[found[1]] // MINUTE_MS


def _samples_of(counts: dict[int, int]) -> list[Sample]:
    first, last = min(counts), max(counts)
    if last - first >= MINUTES_MAX:
        span = f"from {moment(first * MINUTE_MS)} to {moment(last * MINUTE_MS)}"
        raise Refused("trace", f"it goes {span}, more than ten years")
    hits = np.zeros(last - first + 1)
    for minute, count in counts.items():
        hits[minute - first] = count
    return [
        Sample(0, minute * MINUTE_MS, (minute + 1) * MINUTE_MS, count)
        for minute, count in enumerate(hits.tolist(), first)
    ]


def _tell_of_silence(counts: dict[int, int], findings: Findings) -> None:
    for before, after in pairwise(sorted(counts)):
        if after - before > SILENT_MINUTES:
            span = f"from {moment((before + 1) * MINUTE_MS)} to {moment(after * MINUTE_MS)}"
            findings.tell(f"nothing was logged {span}: it counts as no hits; was a file left out?")
