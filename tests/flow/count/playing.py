"""Players' beats for tests: sent to a stage's stream, and what the worker has made of them."""

from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace

from footfall.flow.count.watch_values import Beat
from footfall.flow.store.columns import CountKey
from footfall.flow.store.completions import Completion, load_completion
from footfall.flow.store.watch_log import WatchRow, rows_of_day
from footfall.flow.stream.beats import VERSION, Beats, PlayState, record_from_beats, tick_record
from footfall.flow.stream.shards import shard_of
from footfall.ports.stream import Entry
from footfall.values.groups import completions_name, pings_group, plays_name, shows_name, watch_name
from footfall.values.window import Grain
from tests.flow.count.stage import NOON_MS, Stage, key_of

GROUP = pings_group("abc")
Named = tuple[str, Beat]
_NOT_TOLD = (("series", ""), ("member", ""), ("device", ""))


def beat(number: int, *, at_s: float | None = None, asset: str = "film", **more: object) -> Beat:
    """Return a beat of a player that plays from noon on and says so every ten seconds."""
    seconds = 10 * number if at_s is None else at_s
    told = [more.pop(name, default) for name, default in (("key", key_of(asset)), *_NOT_TOLD)]
    fields: dict[str, object] = {
        "at_ms": NOON_MS + int(seconds * 1_000),
        "playhead_ms": 10_000 * number,
        "state": int(PlayState.PLAYING),
        "facts": tuple(told),
        **more,
    }
    return Beat(number, **fields)  # pyright: ignore[reportArgumentType]


def send_beats(stage: Stage, beats: Iterable[Named], brand: str = "abc") -> None:
    """Append beats of sessions, one record for each shard, as collecting does."""
    by_shard: dict[int, list[Named]] = {}
    for name, one in beats:
        by_shard.setdefault(shard_of(brand, name, shards=stage.shards), []).append((name, one))
    now_ms = stage.clock.now_ms()
    entries = [
        Entry(shard, pings_group(brand), len(some), record_of(some, now_ms), now_ms) for shard, some in by_shard.items()
    ]
    stage.stream.append(entries)


def send_ticks(stage: Stage, brand: str = "abc") -> None:
    """Let time pass in every shard."""
    now_ms = stage.clock.now_ms()
    stage.stream.append(
        [Entry(shard, pings_group(brand), 0, tick_record(now_ms), now_ms) for shard in range(stage.shards)]
    )


def record_of(beats: Sequence[Named], now_ms: int) -> bytes:
    """Return the record of beats."""
    ones = [one for _, one in beats]
    return record_from_beats(
        Beats(
            "ffpg",
            VERSION,
            now_ms,
            keys=[one.facts[0] for one in ones],
            sessions=[name for name, _ in beats],
            numbers=[one.number for one in ones],
            at_ms=[one.at_ms for one in ones],
            playheads_ms=[one.playhead_ms for one in ones],
            states=bytes(one.state for one in ones),
            rates=[one.rate for one in ones],
            intervals_ms=[one.interval_ms for one in ones],
            durations_ms=[one.duration_ms for one in ones],
            series=[one.facts[1] for one in ones],
            members=[one.facts[2] for one in ones],
            devices=[one.facts[3] for one in ones],
            visitors=[one.visitor for one in ones],
        )
    )


def watched(
    stage: Stage, grain: Grain = Grain.MINUTE, name_of: Callable[[str], str] = watch_name
) -> dict[int, Counter[CountKey]]:
    """Return the milliseconds of every window of a grain, or what windows of another name hold."""
    found = stage.everything(name_of("abc"))
    return {window.from_ms: counts for window, counts in found.items() if window.grain is grain}


def viewings(stage: Stage) -> tuple[Counter[str], Counter[str]]:
    """Return the playbacks of every asset and the viewings of it that were completed, from minutes."""
    both = Counter[str](), Counter[str]()
    for total, name_of in zip(both, (plays_name, completions_name), strict=True):
        for counts in watched(stage, name_of=name_of).values():
            for key, count in counts.items():
                total[key[0]] += count
    return both


def watched_series(stage: Stage) -> Counter[str]:
    """Return the milliseconds of every series, from minutes."""
    total: Counter[str] = Counter()
    for window, counts in stage.everything(shows_name("abc")).items():
        if window.grain is Grain.MINUTE:
            for key, ms in counts.items():
                total[key[0]] += ms
    return total


def total_ms(stage: Stage) -> int:
    """Return all milliseconds that minutes have."""
    return sum(counts.total() for counts in watched(stage).values())


def seen_of(stage: Stage, asset: str, *, days: int = 1) -> Completion:
    """Return how far an asset was watched, from the stage's day on."""
    first = stage.window(NOON_MS, Grain.DAY).from_ms
    to_ms = first + days * 86_400_000
    found = load_completion(stage.table, "abc", asset, from_ms=first, to_ms=to_ms, shards=stage.shards)
    return replace(found, through=0)


def log_rows(stage: Stage) -> list[WatchRow]:
    """Return the rows of the watch log of the stage's days, whichever shard wrote them."""
    first = stage.window(NOON_MS, Grain.DAY)
    days = [stage.window(first.from_ms + n * 86_400_000 + 3_600_000, Grain.DAY).from_ms for n in range(-1, 4)]
    rows = [row for day in days for row in rows_of_day(stage.table, "abc", day, shards=stage.shards)]
    return sorted((replace(row, shard=0) for row in rows), key=lambda row: (row.session, row.number, row.day_ms))
