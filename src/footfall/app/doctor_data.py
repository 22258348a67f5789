"""What a doctor looks at in the data: lag, the ledger, the newest hit against the clock, how fast the disk fills."""

import shutil
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack, closing
from dataclasses import dataclass
from datetime import timedelta
from typing import Protocol

from footfall.adapters.embedded.damage import require_whole
from footfall.app import wiring
from footfall.app.audience_opening import open_audience_table
from footfall.app.findings import Case, Finding, age_text, many, size_text, some, when_text
from footfall.app.settings import DAY_MS, HOUR_MS
from footfall.app.wiring import ACCOUNTS_FILE, AUDIENCE_FILE, CATALOG_FILE, METRICS_FILE, STORE_FILE, STREAM_FILE
from footfall.flow.store.checkpoints import Checkpoint, Lines, load_checkpoint
from footfall.ports.errors import PortError
from footfall.ports.stream import Stream
from footfall.values.clock import SetClock
from footfall.values.groups import brand_of_group, held_in, is_beside, is_of_follows


class _Closes(Protocol):
    def close(self) -> None: ...


_OPENERS: Mapping[str, Callable[..., _Closes]] = {
    STREAM_FILE: wiring.open_stream,
    STORE_FILE: wiring.open_store,
    ACCOUNTS_FILE: wiring.open_accounts,
    CATALOG_FILE: wiring.open_catalog_table,
    METRICS_FILE: wiring.open_metrics_table,
    AUDIENCE_FILE: open_audience_table,
}
DATABASES = tuple(_OPENERS)
LAG_MS_MAX = 10_000  # A running instance counts within a second; ten of them are no hiccup any more.
BACK_MS_MAX = 2_000  # Less than that is the ordinary correction of a clock.
SILENT_MS_MAX = DAY_MS
SHARE_ASIDE_MAX, FEW_ASIDE = 0.01, 10  # One sender with a wrong clock is not worth a word.
FREE_BYTES_KEPT = 1_000_000_000


@dataclass(frozen=True, slots=True)
class Shard:
    """What the stream and the store say of one shard."""

    number: int
    tip: int
    newest_ms: int
    oldest_ms: int
    waiting_ms: int  # when the oldest record that is not counted arrived; 0 when all are
    checkpoint: Checkpoint


def shards_of(case: Case) -> list[Shard]:
    """Return how every shard is; raise a PortError when the files cannot be read."""
    clock = SetClock(case.now_ms)
    with ExitStack() as stack:
        stream = stack.enter_context(closing(wiring.open_stream(case.settings, clock, read_only=True)))
        checkpoints: dict[int, Checkpoint] = {}
        if (case.directory / STORE_FILE).exists():
            store = stack.enter_context(closing(wiring.open_store(case.settings, clock, read_only=True)))
            checkpoints = {shard: load_checkpoint(store, shard) or Checkpoint() for shard in range(stream.shards)}
        return [_shard(stream, shard, checkpoints.get(shard) or Checkpoint()) for shard in range(stream.shards)]


def _shard(stream: Stream, shard: int, checkpoint: Checkpoint) -> Shard:
    tip = stream.tip(shard)

    def arrival(after: int) -> int:
        found = stream.read(shard, after=after, limit=1) if after < tip else []
        return found[0].arrived_at_ms if found else 0

    waiting_ms = arrival(checkpoint.through) if checkpoint.through < tip else 0
    return Shard(shard, tip, arrival(tip - 1) if tip else 0, arrival(0), waiting_ms, checkpoint)


def about_database(case: Case, name: str) -> Finding:
    """Return whether a database file is whole and of a form that this release reads."""
    try:
        was_read = require_whole(case.directory / name)
        with closing(_OPENERS[name](case.settings, SetClock(case.now_ms), read_only=True)):
            size = size_text((case.directory / name).stat().st_size)
    except PortError as error:
        return Finding(
            "formats", "todo", f"{name} cannot be read: {error}.",
            "Stop the server and restore the file from a backup: see docs/operating.md, Damage.",
        )  # fmt: skip
    how = "is whole" if was_read else "can be opened; it is too large to be read whole here"
    return Finding("formats", "fine", f"{name} {how} ({size}).")


def about_clock(case: Case, shards: Sequence[Shard]) -> Iterator[Finding]:
    """Yield whether the clock stands before something that has happened."""
    newest_ms = max(shard.newest_ms for shard in shards)
    if newest_ms - case.now_ms > BACK_MS_MAX:
        yield Finding(
            "clock", "todo",
            f"The clock says {when_text(case.now_ms)}, but the newest hit arrived at {when_text(newest_ms)}: it was "
            f"set back by {age_text(newest_ms - case.now_ms)} or more.",
            "Set the clock right (timedatectl set-ntp true); hits that come now are counted too early.",
        )  # fmt: skip
    else:
        yield Finding("clock", "fine", f"The clock says {when_text(case.now_ms)} and is not behind any hit.")


def about_lag(case: Case, shards: Sequence[Shard]) -> Iterator[Finding]:
    """Yield how far counting is behind the stream."""
    for shard in shards:
        records = shard.tip - shard.checkpoint.through
        if records < 0:
            lacks = f"{many(-records, 'record')} of shard {shard.number}"
            yield Finding(
                "lag", "todo", f"The stream lacks {lacks} that the store has counted.",
                "Restore both from one backup, or move the store away to count anew what the stream holds.",
            )  # fmt: skip
        elif records and not case.is_running:
            yield Finding(
                "lag",
                "note",
                f"{many(records, 'record')} of the stream still to count.",
                "Start the server to count them.",
            )
        elif records and case.now_ms - shard.waiting_ms > LAG_MS_MAX:
            behind = age_text(case.now_ms - shard.waiting_ms)
            yield Finding(
                "lag", "todo", f"Counting of shard {shard.number} is {behind} and {many(records, 'record')} behind.",
                "Look in the log for `counting waits` and for processes that end; give the machine more if it is busy.",
            )  # fmt: skip
        else:
            yield Finding("lag", "fine", f"Shard {shard.number} is counted up to its newest hits.")


def about_ledger(case: Case, shards: Sequence[Shard]) -> Iterator[Finding]:
    """Yield which brands have hits that wait for somebody, and which have not been heard of."""
    found = [*_about_brands(_brands(shards), case), *_about_follows(shards, case)]
    yield from found
    if not found:
        yield Finding("hits", "fine", "No hit waits for a decision, and every brand was heard of within a day.")


def _brands(shards: Sequence[Shard]) -> Mapping[str, Lines]:
    brands: dict[str, Lines] = {}
    for shard in shards:
        for brand, lines in shard.checkpoint.lines.items():
            if not is_beside(brand):
                brands.setdefault(brand, Lines()).add(lines)
    return brands


def _about_brands(brands: Mapping[str, Lines], case: Case) -> Iterator[Finding]:
    dead = [(brand, f"{brand} ({lines.dead:,})") for brand, lines in sorted(brands.items()) if lines.dead]
    if dead:
        yield Finding(
            "hits", "todo", f"Hits that could not be read are set aside: {some([text for _, text in dead])}.",
            f"footfall dead-letters list --data {case.directory} --brand {dead[0][0]}",
        )  # fmt: skip
    for line, why in (("late", "too old when they arrive"), ("future", "ahead of the clock")):
        shifted = [
            f"{brand} ({getattr(lines, line):,})"
            for brand, lines in sorted(brands.items())
            if getattr(lines, line) > max(FEW_ASIDE, SHARE_ASIDE_MAX * (lines.counted + getattr(lines, line)))
        ]
        if shifted:
            yield Finding(
                "hits", "note", f"More than one in a hundred hits are {why}: {some(shifted)}.",
                "Look at the clocks of the senders; footfall dead-letters replay counts the hits after all.",
            )  # fmt: skip
    silent = [
        f"{brand} ({age_text(case.now_ms - lines.last_hit_ms)})"
        for brand, lines in sorted(brands.items())
        if lines.last_hit_ms and case.now_ms - lines.last_hit_ms > SILENT_MS_MAX
    ]
    if silent:
        yield Finding(
            "hits", "note", f"Not heard of for more than a day: {some(silent)}.",
            "Check that their pages or servers still send.",
        )  # fmt: skip


def _about_follows(shards: Sequence[Shard], case: Case) -> Iterator[Finding]:
    """Yield which follows, or follows that ended, could not be read; nobody sends them, so nobody else notices."""
    dead = Counter[str]()
    for shard in shards:
        dead.update({group: one.dead for group, one in shard.checkpoint.lines.items() if is_of_follows(group)})
    for group, count in sorted((+dead).items()):
        brand, of = brand_of_group(group), held_in(group)
        yield Finding(
            "hits", "todo", f"{of.capitalize()} that could not be read are set aside: {brand} ({count:,}).",
            f"footfall dead-letters list --data {case.directory} --brand {brand} --of {of}",
        )  # fmt: skip


def about_growth(case: Case, shards: Sequence[Shard]) -> Iterator[Finding]:
    """Yield when the disk would be full if hits went on coming as they did."""
    oldest_ms = min((shard.oldest_ms for shard in shards if shard.oldest_ms), default=0)
    sizes = wiring.disk_bytes(case.settings)
    size = sum(size for name, size in sizes.items() if name.startswith(STREAM_FILE))
    age_ms = case.now_ms - oldest_ms
    if not oldest_ms or age_ms < HOUR_MS:
        yield Finding("growth", "fine", f"Raw hits take {size_text(size)}; an hour of them is needed for a forecast.")
        return
    a_day = size * DAY_MS / age_ms
    most = min(a_day * case.settings.stream_keep_days, case.settings.stream_bytes_max)
    free = shutil.disk_usage(case.directory).free
    says = f"Raw hits grow by {size_text(a_day)} a day and may reach {size_text(max(most, size))}"
    if most - size > free - FREE_BYTES_KEPT:
        days = timedelta(days=max(0.0, free / a_day)).days
        yield Finding(
            "growth", "todo", f"{says}, but {size_text(free)} are free: the disk is full in {days} days.",
            "Lower stream_bytes_max or stream_keep_days and start again, or get a larger disk.",
        )  # fmt: skip
    else:
        yield Finding("growth", "fine", f"{says}; {size_text(free)} are free.")
