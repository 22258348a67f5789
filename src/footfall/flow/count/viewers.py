"""Who watches now, by the open sessions of a shard: counted, not estimated."""

from collections import Counter
from collections.abc import Iterable

from footfall.flow.count.watch_values import Beat, Session
from footfall.flow.store.watch_log import Viewers
from footfall.flow.stream.beats import INTERVAL_MS, PlayState

CLOCK_OFF_MS = 300_000  # As far as a player's clock may be ahead of ours, it may be behind.

_PLAYING = int(PlayState.PLAYING)


def viewers_by_brand(
    sessions: Iterable[Session], brands: Iterable[str], *, now_ms: int, fresh_ms: int
) -> dict[str, Viewers]:
    """Return how many sessions play: of brands that have any, and of those that are named."""
    playing: dict[str, list[Beat]] = {brand: [] for brand in brands}
    for session in sessions:
        base = session.base
        if base is not None and base.state == _PLAYING and _is_now(session, base, now_ms, fresh_ms):
            playing.setdefault(session.brand, []).append(base)
    return {brand: _viewers(beats, now_ms, fresh_ms) for brand, beats in playing.items()}


def _is_now(session: Session, base: Beat, now_ms: int, fresh_ms: int) -> bool:
    """Tell whether a beat came no longer ago than two intervals and speaks of now: a device that was away does not."""
    latest_ms = 2 * base.interval_ms + fresh_ms
    return now_ms - session.last_heard_ms <= latest_ms and now_ms - base.at_ms <= latest_ms + CLOCK_OFF_MS


def _viewers(beats: list[Beat], now_ms: int, fresh_ms: int) -> Viewers:
    longest_ms = max((beat.interval_ms for beat in beats), default=INTERVAL_MS)
    return Viewers(
        at_ms=now_ms,
        until_ms=now_ms + 2 * longest_ms + 2 * fresh_ms,
        total=len(beats),
        sections=Counter(beat.facts[0][1] for beat in beats).most_common(),
        assets=Counter(beat.facts[0][0] for beat in beats).most_common(),
    )
