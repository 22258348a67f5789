"""Judging where raw hits lie in the archive: some minutes behind, since they are written there as they are counted."""

from dataclasses import replace

from footfall.app import aws_wiring, wiring
from footfall.app.judge_memory import Memories
from footfall.app.judging import pace_of
from footfall.app.judging_steps import REFILL_MS, Ground, Judging
from footfall.app.kept_blobs import open_blobs
from footfall.app.set_apart import SetApart
from footfall.app.settings import DAY_MS, MINUTE_MS, Settings
from footfall.flow.store import keys
from footfall.flow.store.checkpoints import checkpoint_from_item
from footfall.flow.stream.minutes import Sources
from footfall.flow.stream.raw import ArchiveRaw
from footfall.ports.table import Table, everything
from footfall.values.clock import Clock
from footfall.values.groups import is_beside

COUNTED_MS = MINUTE_MS  # Beside the freshness: how long an event may take until its hits are in the archive.
LOOK_EVERY_MS = MINUTE_MS


class HeardOf:
    """The brands that were heard of in the last hour: those of which there is something to judge."""

    def __init__(self, store: Table, *, clock: Clock) -> None:
        self._store = store
        self._clock = clock
        self._looked_at_ms = 0
        self._found: list[str] = []

    def __call__(self) -> list[str]:
        """Return them, as they were within the last minute."""
        now_ms = self._clock.now_ms()
        if not 0 <= now_ms - self._looked_at_ms < LOOK_EVERY_MS:
            self._looked_at_ms = now_ms
            self._found = sorted(self._looked_up(now_ms - 2 * REFILL_MS))
        return self._found

    def _looked_up(self, since_ms: int) -> set[str]:
        checkpoints = [checkpoint_from_item(one.item) for one in everything(self._store, keys.SHARDS)]
        return {
            brand
            for checkpoint in checkpoints
            for brand, lines in checkpoint.lines.items()
            if lines.last_hit_ms >= since_ms and not is_beside(brand)
        }


def open_set_apart(settings: Settings, clock: Clock) -> SetApart:
    """Open what sets hits apart, with a reader of its own; an hour is due when counting has passed it everywhere."""
    store = wiring.open_store(settings, clock, read_only=True)
    accounts = wiring.open_accounts(settings, clock, read_only=True)

    def passed_ms() -> int:
        passed = [checkpoint_from_item(one.item).passed_ms for one in everything(store, keys.SHARDS)]
        return min(passed) if len(passed) == settings.stream_shards else 0

    return SetApart(
        open_blobs(settings),
        ArchiveRaw(aws_wiring.open_archive(settings, clock)),
        shards=settings.stream_shards,
        brands=HeardOf(store, clock=clock),
        changes=accounts.register.verdicts.changes,
        clock=clock,
        keep_ms=settings.screening_keep_days * DAY_MS,
        read_until_ms=passed_ms,
    )


def open_judging(settings: Settings, clock: Clock) -> Judging:
    """Open all that judging stands on."""
    accounts = wiring.open_accounts(settings, clock)
    lookup = wiring.brand_lookup(settings, clock)
    verdicts = accounts.register.verdicts
    ground = Ground(
        Memories(open_blobs(settings)),
        verdicts,
        verdicts.find,
        is_filtering=lambda brand: lookup.brand(brand).screening == "filter",
    )
    heard_of = HeardOf(wiring.open_store(settings, clock, read_only=True), clock=clock)
    raw = ArchiveRaw(aws_wiring.open_archive(settings, clock))
    sources = Sources(raw, shards=settings.stream_shards, brands=heard_of)
    pace = replace(pace_of(settings), grace_ms=settings.aws_freshness_s * 1_000 + COUNTED_MS)
    return Judging(sources, ground, clock=clock, pace=pace)
