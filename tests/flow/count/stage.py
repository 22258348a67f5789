"""A small counting side on real ground in memory: what is sent, who counts it, and what is stored then."""

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace

from footfall.adapters.embedded.database import rows
from footfall.adapters.embedded.sqlite_stream import SqliteStream
from footfall.adapters.embedded.sqlite_table import SqliteTable
from footfall.flow.count.finishing import Finisher
from footfall.flow.count.recount import Asked, Done, Recount
from footfall.flow.count.tally import Rules
from footfall.flow.count.worker import CountRules, Worker
from footfall.flow.store import keys
from footfall.flow.store.checkpoints import Checkpoint, Lines, load_checkpoint
from footfall.flow.store.columns import Columns, CountKey
from footfall.flow.store.merging import Limits, merge
from footfall.flow.store.summaries import Head, Summaries
from footfall.flow.stream.raw import RawHits, StreamRaw
from footfall.flow.stream.records import RULES, VERSION, HitKey, Pack, record_from_pack, weight_of
from footfall.flow.stream.shards import shard_of
from footfall.ports.stream import Appended, Entry
from footfall.ports.table import Table
from footfall.values.clock import SetClock
from footfall.values.window import DAY_MS, MINUTE_MS, Grain, Window, moment_from_text, window_of
from tests.flow.store.counts import counts_of

NOON_MS = 1_794_744_000_000  # 2026-11-15T12:00Z
STEPS_MAX = 2_000


def key_of(asset: str, section: str = "news", resource_type: str = "article", paid_type: str = "free") -> HitKey:
    """Return what a hit is counted under."""
    return asset, section, resource_type, paid_type


@dataclass
class Stage:
    """A stream, a table and a clock, and the zone of every brand."""

    zone: str = "UTC"
    shards: int = 1
    how: CountRules = field(default_factory=CountRules)
    keep_rows: int = 0
    clock: SetClock = field(default_factory=lambda: SetClock(NOON_MS))

    def __post_init__(self) -> None:
        self.stream = SqliteStream(":memory:", clock=self.clock, shards=self.shards)
        self.raw: RawHits = StreamRaw(self.stream)
        self.table = SqliteTable(":memory:", clock=self.clock)
        self.summaries = Summaries(self.table, self.clock)

    def send(self, *assets: str, brand: str = "abc", at_ms: int | None = None, **more: object) -> list[Appended]:
        """Append one record per shard with a hit of each asset, all at one event time."""
        times = None if at_ms is None else [at_ms] * len(assets)
        return self.send_pack([key_of(asset) for asset in assets], brand=brand, at_ms=times, **more)

    def send_pack(self, hits: Sequence[HitKey], *, brand: str = "abc", **columns: object) -> list[Appended]:
        """Append hits with whatever columns a pack has; more than one shard takes only columns that fit each hit."""
        now_ms = self.clock.now_ms()
        entries: list[Entry] = []
        for shard in range(self.shards):
            places = [at for at, key in enumerate(hits) if shard_of(brand, key[0], shards=self.shards) == shard]
            if places:
                picked = {name: _picked(column, places) for name, column in columns.items()}
                pack = Pack(VERSION, RULES, now_ms, [hits[at] for at in places], **picked)  # pyright: ignore[reportArgumentType]
                entries.append(Entry(shard, brand, weight_of(pack), record_from_pack(pack), now_ms))
        return self.stream.append(entries)

    def worker(self, shard: int, table: Table) -> Worker:
        """Return a worker of a shard, as after a start."""
        return Worker(shard, self.stream, table, clock=self.clock, how=self.how, zone_of=lambda _: self.zone)

    def side(self, table: Table | None = None) -> "Side":
        """Open the counting side, as after a start."""
        return Side(self, table or self.table)

    def lines(self, brand: str = "abc") -> Lines:
        """Return a brand's lines of the ledger, of all shards together."""
        total = Lines()
        for checkpoint in self.checkpoints():
            total.add(checkpoint.lines.get(brand, Lines()))
        return total

    def checkpoints(self) -> list[Checkpoint]:
        """Return every shard's checkpoint."""
        return [load_checkpoint(self.table, shard) or Checkpoint() for shard in range(self.shards)]

    def window(self, moment_ms: int, grain: Grain) -> Window:
        """Return the window of a grain that holds a moment."""
        return window_of(moment_ms, grain, self.zone)

    def columns(self, moment_ms: int, grain: Grain, brand: str = "abc") -> Columns:
        """Return what readers see of a window."""
        window = window_of(moment_ms, grain, self.zone)
        return merge([part.columns for part in self.summaries.live(brand, window)])

    def counts(self, moment_ms: int, grain: Grain, brand: str = "abc") -> Counter[CountKey]:
        """Return the plain counts that readers see of a window."""
        return counts_of(self.columns(moment_ms, grain, brand))

    def parts(self, moment_ms: int, grain: Grain, brand: str = "abc") -> dict[str, Head]:
        """Return the parts that a window has, whether they count or not."""
        heads = self.summaries.heads(brand, window_of(moment_ms, grain, self.zone))
        return {head.part: head for head in heads}

    def windows(self, brand: str = "abc") -> list[Window]:
        """Return every minute, hour and day of which something is stored."""
        found = rows(self.table._connection, "SELECT DISTINCT partition FROM items WHERE partition > ?", (f"{brand}#",))
        texts = [str(partition).split("#") for (partition,) in found]
        starts = [(text[1], text[2]) for text in texts if text[0] == brand and text[1] in ("M", "H", "D")]
        return sorted(window_of(moment_from_text(start), Grain(grain), self.zone) for grain, start in starts)

    def everything(self, brand: str = "abc") -> Mapping[Window, Counter[CountKey]]:
        """Return what readers see of every minute, hour and day."""
        found = {window: self.counts(window.from_ms, window.grain, brand) for window in self.windows(brand)}
        return {window: counts for window, counts in found.items() if counts}

    def checksums(self, brand: str = "abc") -> dict[tuple[Window, str], str]:
        """Return the checksum of every part of every window."""
        return {
            (window, head.part): head.checksum
            for window in self.windows(brand)
            for head in self.summaries.heads(brand, window)
            if head.rows
        }

    def ledger_total(self, brand: str = "abc") -> int:
        """Return what the lines of a brand add up to."""
        lines = self.lines(brand)
        named = (lines.counted, lines.duplicate, lines.late, lines.future, lines.unlabelled, lines.dead)
        return sum(named) + lines.screened.total()


class Side:
    """The workers of all shards and the finisher, in one thread."""

    def __init__(self, stage: Stage, table: Table) -> None:
        self.stage = stage
        self._table = table

        def zone_of(_brand: str) -> str:
            return stage.zone

        self.workers = [stage.worker(shard, table) for shard in range(stage.shards)]
        summaries = Summaries(table, stage.clock)
        self.finisher = Finisher(
            self.workers,
            table,
            summaries,
            keep_rows=stage.keep_rows,
            lateness_ms=stage.how.rules.lateness_ms,
            zone_of=zone_of,
        )
        self.recounter = Recount(
            self.workers,
            stage.raw,
            table,
            summaries,
            rules=stage.how.rules,
            limits=stage.how.limits,
            keep_rows=stage.keep_rows,
            zone_of=zone_of,
            clock=stage.clock,
        )

    def count(self) -> None:
        """Count all that was sent, and build and fold what is due."""
        for worker in self.workers:
            worker.drain()
        self.build()

    def build(self) -> None:
        """Build and fold what is due now."""
        for _ in range(STEPS_MAX):
            is_busy = [worker.step() for worker in self.workers]
            if not any(is_busy):
                return
        raise AssertionError(f"still busy after {STEPS_MAX} steps")

    def finish(self) -> int:
        """Finish what is final; return how many windows that were."""
        for finished in range(STEPS_MAX):
            if not self.finisher.step():
                return finished
        raise AssertionError(f"still finishing after {STEPS_MAX} windows")

    def recount(self, from_ms: int, to_ms: int, brand: str = "abc", between: Callable[[], None] | None = None) -> Done:
        """Count a range again, with something going on between its steps."""
        for progress in self.recounter.run(Asked(brand, from_ms, to_ms)):
            if isinstance(progress, Done):
                return progress
            if between is not None:
                between()
        raise AssertionError("it ended without saying what it came to")


def rules(**changes: int) -> CountRules:
    """Return rules of counting with other times than usual."""
    timing = {name: value for name, value in changes.items() if name in ("lateness_ms", "future_ms")}
    limits = {name: value for name, value in changes.items() if name.endswith("_max")}
    others = {name: value for name, value in changes.items() if name not in timing and name not in limits}
    return replace(CountRules(), rules=Rules(**timing), limits=Limits(**limits), **others)  # pyright: ignore[reportArgumentType]


def day_of(stage: Stage, moment_ms: int) -> Window:
    """Return the day of the stage's zone that holds a moment."""
    return window_of(moment_ms, Grain.DAY, stage.zone)


def go_on_until(stage: Stage, side: Side, moment_ms: int, *, every_ms: int = DAY_MS // 4) -> None:
    """Let time pass with nothing sent, counting, building and finishing as it goes."""
    while stage.clock.now_ms() < moment_ms:
        stage.clock.set(min(stage.clock.now_ms() + every_ms, moment_ms))
        side.build()
        side.finish()


def minute_of(moment_ms: int) -> Window:
    """Return the minute that holds a moment."""
    return Window(Grain.MINUTE, moment_ms // MINUTE_MS * MINUTE_MS, (moment_ms // MINUTE_MS + 1) * MINUTE_MS)


def main_part(shard: int = 0) -> str:
    """Return the name of a shard's part."""
    return keys.shard_name(shard)


def _picked(column: object, places: Sequence[int]) -> object:
    match column:
        case list():
            return [column[place] for place in places]
        case dict():
            return {at: column[place] for at, place in enumerate(places) if place in column} or None
        case _:
            return column
