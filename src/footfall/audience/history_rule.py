"""The watched rule: what a position in an asset means, as a pure function of facts, so that it can be changed later.

Facts are kept as they came; whether something is watched is said when it is read, by the rule of that day.
"""

from dataclasses import dataclass
from enum import StrEnum

from footfall.values.errors import Refused

DURATION_MS_MAX = 30 * 86_400_000  # A month: longer is no video, and most likely not in milliseconds.
PERCENT_MAX = 100


class State(StrEnum):
    """How far somebody is in an asset."""

    IGNORED = "ignored"
    IN_PROGRESS = "in-progress"
    WATCHED = "watched"


@dataclass(frozen=True, slots=True)
class WatchedRule:
    """From where on something is begun, and from where on it is watched."""

    ignored_percent: float = 5.0  # below it nothing was begun
    watched_percent: float = 90.0  # above it the rest is credits
    end_within_ms: int = 1_000  # so near to the end is the end
    short_ms: int = 300_000  # what is shorter is watched when its player ends, wherever that was

    def __post_init__(self) -> None:
        """Refuse a rule by which nothing could ever be in progress."""
        if not 0 <= self.ignored_percent < self.watched_percent <= PERCENT_MAX:
            raise Refused(
                "watched rule",
                f"begins at {self.ignored_percent} % and is watched at {self.watched_percent} %;"
                f" from 0 to {PERCENT_MAX}, and the first below the second",
            )


USUAL_RULE = WatchedRule()


@dataclass(frozen=True, slots=True)
class Progress:
    """Facts: where a player was in an asset."""

    position_ms: int
    duration_ms: int | None = None  # None: nobody knows
    credits_ms: int | None = None  # where the end is, if the player knows better than a rule
    is_ended: bool = False  # the player has stopped, at the end or before it


def require_progress(progress: Progress) -> Progress:
    """Return the progress with its position inside the asset, or refuse what no player can be at."""
    for field, value in (
        ("positionMs", progress.position_ms), ("durationMs", progress.duration_ms), ("creditsMs", progress.credits_ms),
    ):  # fmt: skip
        if value is not None and not 0 <= value <= DURATION_MS_MAX:
            raise Refused(field, f"is {value} ms; it lies between 0 and {DURATION_MS_MAX} ms")
    if progress.duration_ms == 0:
        raise Refused("durationMs", "is 0 ms; leave it out when it is not known")
    if progress.duration_ms is None or progress.position_ms <= progress.duration_ms:
        return progress
    return Progress(progress.duration_ms, progress.duration_ms, progress.credits_ms, progress.is_ended)


def state_of(progress: Progress, rule: WatchedRule = USUAL_RULE) -> State:
    """Return how far somebody is."""
    position_ms, duration_ms = progress.position_ms, progress.duration_ms
    if duration_ms is None:
        return _state_of_unknown_length(progress, rule)
    if position_ms * PERCENT_MAX < duration_ms * rule.ignored_percent:
        return State.IGNORED
    if progress.is_ended and duration_ms < rule.short_ms:
        return State.WATCHED
    return State.WATCHED if _is_at_end(progress, duration_ms, rule) else State.IN_PROGRESS


def _state_of_unknown_length(progress: Progress, rule: WatchedRule) -> State:
    if progress.is_ended:
        return State.WATCHED
    if progress.credits_ms is not None and progress.position_ms >= progress.credits_ms - rule.end_within_ms:
        return State.WATCHED
    return State.IN_PROGRESS if progress.position_ms else State.IGNORED


def _is_at_end(progress: Progress, duration_ms: int, rule: WatchedRule) -> bool:
    if progress.credits_ms is not None:  # Somebody looked where the end is, so no share of the length is needed.
        return progress.position_ms >= min(progress.credits_ms, duration_ms) - rule.end_within_ms
    if progress.position_ms >= duration_ms - rule.end_within_ms:
        return True
    return progress.position_ms * PERCENT_MAX > duration_ms * rule.watched_percent
