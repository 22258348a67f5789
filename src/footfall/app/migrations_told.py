"""What an instance tells of the migrations into its catalogue: how far each is, and when it was last heard of."""

from typing import TYPE_CHECKING, Any

from footfall.migrate.reporting import BLOCKED_BOUNDS_MS, Progress, kept_progress_of
from footfall.values.window import instant_text

if TYPE_CHECKING:
    from footfall.app.metric_acts import Metrics

Answer = dict[str, Any]


def migrations_of(metrics: "Metrics", brand: str, *, now_ms: int) -> Answer:
    """Return every migration into a brand's catalogue as programs read it."""
    return {"brand": brand, "items": [_told(one, now_ms=now_ms) for one in kept_progress_of(metrics.table, brand)]}


def _told(progress: Progress, *, now_ms: int) -> Answer:
    ended = progress.ended_at_ms
    bounds = (*BLOCKED_BOUNDS_MS, None)
    return {
        "entity": progress.entity,
        "startedAt": instant_text(progress.started_at_ms),
        "heardAt": instant_text(progress.at_ms),
        "ageMs": max(0, now_ms - progress.at_ms),  # by the server's clock: whoever reads it may have another
        "endedAt": None if ended is None else instant_text(ended),
        "all": progress.all,
        "migrated": progress.migrated,
        "moving": progress.moving,
        "left": progress.left,
        "setAside": progress.set_aside,
        "share": progress.share,
        "perSecond": progress.per_second,
        "timeLeftMs": progress.time_left_ms,
        "lag": progress.lag,
        "lagMs": progress.lag_ms,
        "differences": progress.differences,
        "behind": progress.behind,
        "blocked": [
            {"upToMs": bound, "count": count} for bound, count in zip(bounds, progress.blocked.counts, strict=True)
        ],
    }
