"""Taking counts elsewhere: the windows of a brand, straight from the store, whether an instance runs or not."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass

from footfall.app import wiring
from footfall.app.settings import Settings
from footfall.flow.serve.exporting import ExportedWindow, exported
from footfall.flow.serve.resolution import Ground
from footfall.flow.serve.shown import labels_shown_for
from footfall.flow.store import keys
from footfall.flow.store.checkpoints import Checkpoint, load_checkpoints, unbuilt_of
from footfall.flow.store.retention import load_retention
from footfall.flow.store.summaries import Summaries
from footfall.flow.store.visitors import load_visitors
from footfall.sketches.grouped import GroupedUniques
from footfall.values.clock import Clock
from footfall.values.errors import Refused
from footfall.values.window import Grain, Window, walk


@dataclass(frozen=True, slots=True)
class ExportOrder:
    """Whose windows of which grain; a bound inside a window takes in the whole of it."""

    brand: str
    grain: Grain
    from_ms: int
    to_ms: int
    has_uniques: bool = False  # Visitors are read as well, which takes longer.
    include: tuple[str, ...] = ()  # labels of screening whose hits are exported beside what lists show


def export_windows(
    settings: Settings, order: ExportOrder, *, clock: Clock, on_share: Callable[[float], None]
) -> Iterator[ExportedWindow]:
    """Yield the windows of an order, telling how far it is; refuse a brand that nobody ever heard of."""
    table = wiring.open_store(settings, clock, read_only=True)
    brands = wiring.brand_lookup(settings, clock)
    checkpoints = load_checkpoints(table)
    heard = {brand for one in checkpoints.values() for brand in one.lines}
    if order.brand not in heard and not brands.is_known(order.brand):
        raise Refused("brand", f"{order.brand!r} has no counts here; footfall brands list shows those that there are")
    zone, now_ms = brands.zone_of(order.brand), clock.now_ms()
    shards = range(settings.stream_shards)
    ground = Ground(
        zone,
        frozenset(keys.shard_name(shard) for shard in shards),
        wiring.kept_ms(settings),
        now_ms=now_ms,
        seen_until_ms=now_ms + settings.count_future_ms,
        kept_before=load_retention(table),
        unbuilt=unbuilt_of({shard: checkpoints.get(shard) or Checkpoint() for shard in shards}),
    )
    summaries = Summaries(table, clock)
    windows = walk(order.grain, from_ms=order.from_ms, to_ms=min(order.to_ms, now_ms), zone=zone)
    span_ms = max(1, min(order.to_ms, now_ms) - order.from_ms)

    def visited(window: Window) -> GroupedUniques:
        return load_visitors(table, order.brand, window)

    visitors = visited if order.has_uniques else None
    labels = labels_shown_for(order.include, shows_suspected=brands.shows_suspected(order.brand))
    for one in exported(windows, lambda window: summaries.live(order.brand, window), ground, visitors, labels=labels):
        yield one
        on_share(min(1.0, (one.window.to_ms - order.from_ms) / span_ms))
