"""A file of measured traffic as traffic: what it holds is found out by reading it, and what is odd about it is told."""

from pathlib import Path

from footfall.planning.traffic import DAY_MINUTES, Traffic
from footfall.planning.traffic_files import trace_from_text
from footfall.values.errors import Refused

FILE_BYTES_MAX = 2_000_000_000  # A year of an access log should be summed up by the minute first.


def traced(path: Path) -> tuple[Traffic, float, tuple[str, ...]]:
    """Return the traffic of a file, its hits of a mean day, and sentences about what is odd in it."""
    try:
        if path.stat().st_size > FILE_BYTES_MAX:
            raise Refused("--trace", f"{path} has more than {FILE_BYTES_MAX:,} bytes; sum it up by the minute first")
        with path.open(encoding="utf-8", errors="replace") as lines:
            trace = trace_from_text(lines)
    except OSError as error:
        raise Refused("--trace", f"{path} cannot be read: {error.strerror or error}") from error
    minutes = trace.traffic.period_minutes
    per_day = float(trace.traffic.hits(minutes).sum()) / minutes * DAY_MINUTES
    return trace.traffic, per_day, trace.findings
