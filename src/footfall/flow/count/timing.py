"""Which hits are late and which are of the future, by when they arrived; pure."""

from dataclasses import dataclass

from footfall.flow.stream.records import Counted

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
    arrived_at_ms = pack.arrived_at_ms
    return arrived_at_ms - min(pack.at_ms) <= rules.lateness_ms and max(pack.at_ms) - arrived_at_ms <= rules.future_ms


def line_by_time(pack: Counted, place: int, rules: Rules) -> str:
    """Return the line of the ledger that a hit's time alone gives it."""
    if pack.at_ms is None or pack.trusted:
        return COUNTED
    age_ms = pack.arrived_at_ms - pack.at_ms[place]
    if age_ms > rules.lateness_ms:
        return "late"
    return "future" if -age_ms > rules.future_ms else COUNTED


def heard_at_ms(pack: Counted, arrived_at_ms: int) -> int:
    """Return when the brand of a pack was heard of: hits of an old log say nothing of now."""
    return min(arrived_at_ms, max(pack.at_ms)) if pack.at_ms and pack.trusted else arrived_at_ms
