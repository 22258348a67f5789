"""Which hits are late and which are of the future, by when they arrived; pure."""

from dataclasses import dataclass

from footfall.flow.stream.moments import span_of
from footfall.flow.stream.records import Counted
from footfall.ports.stream import Record

COUNTED = "counted"


@dataclass(frozen=True, slots=True)
class Rules:
    """How old and how far ahead a hit may be when it arrives."""

    lateness_ms: int = 86_400_000
    future_ms: int = 300_000


def is_in_time(pack: Counted, rules: Rules) -> bool:
    """Tell whether no hit of a pack is late or of the future."""
    if not pack.at_ms or pack.trusted:
        return True
    arrived_at_ms, (first_ms, last_ms) = pack.arrived_at_ms, span_of(pack.at_ms)
    return arrived_at_ms - first_ms <= rules.lateness_ms and last_ms - arrived_at_ms <= rules.future_ms


def line_by_time(pack: Counted, place: int, rules: Rules) -> str:
    """Return the line of the ledger that a hit's time alone gives it."""
    if pack.at_ms is None or pack.trusted:
        return COUNTED
    age_ms = pack.arrived_at_ms - pack.at_ms[place]
    if age_ms > rules.lateness_ms:
        return "late"
    return "future" if -age_ms > rules.future_ms else COUNTED


def has_window(pack: Counted, place: int, rules: Rules) -> bool:
    """Tell whether a screened hit is counted in a window; in none far ahead, however its time was judged."""
    is_ahead = pack.at_ms is not None and pack.at_ms[place] - pack.arrived_at_ms > rules.future_ms
    return not is_ahead and line_by_time(pack, place, rules) == COUNTED


def heard_at_ms(record: Record, pack: Counted) -> int:
    """Return when the brand was heard of: hits of an old log say nothing of now."""
    return min(record.arrived_at_ms, span_of(pack.at_ms)[1]) if pack.at_ms and pack.trusted else record.arrived_at_ms
