"""Opens what counts where readers came from, on either ground."""

from footfall.app import wiring
from footfall.app.kept_blobs import open_blobs
from footfall.app.referring import Referring, ReferringGround
from footfall.app.settings import DAY_MS, HOUR_MS, Settings
from footfall.flow.count.referred import ReferredRules, Sites
from footfall.flow.count.timing import Rules
from footfall.flow.stream.minutes import ALL
from footfall.flow.stream.raw import ArchiveRaw, RawHits, StreamRaw
from footfall.ports.table import Table
from footfall.values.clock import Clock
from footfall.values.source import site_of_address


def open_referring(settings: Settings, clock: Clock) -> Referring:
    """Open all that it stands on, with a reader of raw hits of its own."""
    lookup = wiring.brand_lookup(settings, clock)

    def sites_of(brand: str) -> Sites:
        origins = (one.replace("://*.", "://") for one in lookup.brand(brand).origins)
        return tuple(sorted({site_of_address(one) for one in origins} - {""}))

    store = wiring.open_store(settings, clock, read_only=True)
    rules = ReferredRules(
        Rules(settings.count_lateness_hours * HOUR_MS, settings.count_future_ms),
        keep_ms=settings.store_hours_days * DAY_MS,
        zone_of=lookup.zone_of,
        sites_of=sites_of,
    )
    return Referring(_ground(settings, clock, store), rules, clock=clock)


def _ground(settings: Settings, clock: Clock, store: Table) -> ReferringGround:
    blobs, shards = open_blobs(settings), settings.stream_shards
    if settings.ground != "aws":
        raw: RawHits = StreamRaw(wiring.open_stream(settings, clock, read_only=True))
        return ReferringGround(blobs, raw, store, readers=lambda: (ALL,), shards=shards)
    from footfall.app import aws_wiring
    from footfall.app.judging_on_aws import HeardOf

    raw = ArchiveRaw(aws_wiring.open_archive(settings, clock))
    return ReferringGround(blobs, raw, store, readers=HeardOf(store, clock=clock), shards=shards)
