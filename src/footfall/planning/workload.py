"""What footfall itself does on AWS for given traffic: every record, write, read, object and call, minute by minute.

Each number can be traced to a format, a line of the template, a measured run or an assumption that is called one.
tests/planning/test_workload_engines.py runs the real counting on DynamoDB's own local build and compares.
"""

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from footfall.planning.site import Readers, Site, Stack
from footfall.planning.summary_sizes import Floats
from footfall.planning.traffic import DAY_MINUTES
from footfall.planning.workload_functions import Served, Work, collect_s, functions, served
from footfall.planning.workload_items import checkpoint_bytes, head_bytes, read_units
from footfall.planning.workload_stream import Carried, archived_bytes, carried
from footfall.planning.workload_windows import (
    KINDS,
    BrandInShard,
    Written,
    brand_in_shard,
    flush_units,
)
from footfall.values.errors import Refused

MONTH_DAYS = 30
GRID_POINTS = 96
DOOR_LOOKS = 6  # a minute, of each warm function that collects: app/brand_lookup.py, PAID_REFRESH_MS
DOOR_UNITS = 2  # of brands and keys, and of lists and rules
MINUTES_KEPT_DAYS = 2 + 7 + 2  # values/period.py, flow/count/thrift.py's standstill, and DynamoDB's own delay
HOURS_KEPT_DAYS = 60 + 7 + 2
DAYS_KEPT_DAYS = 762 + 7 + 2
IDS_KEPT_DAYS = 8 + 2
JOURNAL_KEPT_DAYS = 0.125 + 2


@dataclass(frozen=True, slots=True, eq=False)
class Workload:
    """All that happens in the minutes that are planned for."""

    site: Site
    stack: Stack
    readers: Readers
    hits: Floats
    hottest: Floats  # of these, the most popular asset's
    carried: Carried
    written: Written
    lists: Served
    functions: Mapping[str, Work]
    read_units: Mapping[str, Floats]

    @property
    def days(self) -> float:
        """Return how many days are planned for."""
        return len(self.hits) / DAY_MINUTES

    @property
    def writes(self) -> Floats:
        """Return the table's write units in each minute."""
        return self.written.total

    @property
    def reads(self) -> Floats:
        """Return the table's read units in each minute."""
        return np.sum(list(self.read_units.values()), axis=0)

    def table_bytes(self, *, after_days: float) -> Mapping[str, float]:
        """Return what lies in the table after so many days, by kind of window."""
        kept = {
            "minutes": MINUTES_KEPT_DAYS,
            "minutes' visitors": MINUTES_KEPT_DAYS,
            "hours": HOURS_KEPT_DAYS,
            "hours' visitors": HOURS_KEPT_DAYS,
            "days": DAYS_KEPT_DAYS,
            "days' visitors": DAYS_KEPT_DAYS,
            "ids": IDS_KEPT_DAYS,
            "journal": JOURNAL_KEPT_DAYS,
        }
        by_day = self.written.kept_bytes
        return {kind: by_day.get(kind, 0.0) * min(after_days, days) for kind, days in kept.items()}

    def raw_bytes(self, *, after_days: float) -> float:
        """Return the bytes of raw hits on S3 after so many days."""
        each = archived_bytes(self.site.batch, ids=self.site.ids)
        return float(self.hits.sum()) / self.days * each * min(after_days, self.stack.raw_days)


def workload(
    site: Site, stack: Stack, readers: Readers, *, days: int = MONTH_DAYS, start_day: int = 0, seed: int = 0
) -> Workload:
    """Return what a month of traffic makes footfall do."""
    hits = site.traffic.hits(days * DAY_MINUTES, start_minute=start_day * DAY_MINUTES)
    viral = None if site.viral is None else site.viral.hits(len(hits), start_minute=start_day * DAY_MINUTES)
    return workload_of_minutes(site, stack, readers, hits, viral=viral, seed=seed)


def workload_of_minutes(
    site: Site, stack: Stack, readers: Readers, hits: Floats, *, viral: Floats | None = None, seed: int = 0
) -> Workload:
    """Return what such minutes make footfall do; of their hits, the viral ones are one asset's."""
    if len(hits) < DAY_MINUTES:
        raise Refused("minutes", f"{len(hits):,} minutes are less than a day, and a day's windows are part of the work")
    moved = carried(site, stack, hits)
    brand = brand_in_shard(site, stack, seed=seed)
    written = _written(site, stack, hits, moved, brand)
    lists = served(readers, stack, hits)
    work = functions(site, stack, moved, written, lists)
    reads = {
        "counting": written.reads,
        "serving": lists.looks * _look_units(site, stack, hits, brand),
        "maintenance": np.full(len(hits), _round_units(site, stack)),
        "door": np.where(hits > 0, np.ceil(work["collect"].at_once), 0.0) * DOOR_LOOKS * DOOR_UNITS,
    }
    own = np.zeros(len(hits)) if viral is None else np.minimum(viral, hits)
    hottest = own + (hits - own) * site.hottest_share()
    return Workload(site, stack, readers, hits, hottest, moved, written, lists, work, reads)


def _written(site: Site, stack: Stack, hits: Floats, moved: Carried, brand: BrandInShard) -> Written:
    by_minute = _minutes(site, stack, hits, brand)
    kept = {
        "minutes": by_minute["kept"],
        "minutes' visitors": by_minute["visitors_kept"],
        "ids": by_minute["ids_bytes"],
    }
    kept = {kind: float(found.sum()) * DAY_MINUTES / len(hits) for kind, found in kept.items()}
    hourly, hour_kept = _longer(site, stack, brand, hits, minutes=60)
    daily, day_kept = _longer(site, stack, brand, hits, minutes=DAY_MINUTES)
    builds = hourly["windows"] + daily["windows"]
    flushes = by_minute["flushes"]
    units = {
        "minutes": by_minute["units"],
        "hours": hourly["units"],
        "days": daily["units"],
        "visitors": by_minute["visitors"] + hourly["visitors"] + daily["visitors"],
        "journal": flushes * by_minute["journal"] + builds,
        "checkpoints": (flushes + builds) * by_minute["checkpoints"],
        "pending": 2 * builds,
        "finishing": builds,
        "ids": flushes * by_minute["ids"],
    }
    writes = units | {
        "minutes": by_minute["writes"],
        "hours": hourly["writes"],
        "days": daily["writes"],
        "visitors": by_minute["pieces"] + hourly["pieces"] + daily["pieces"],
        "journal": flushes + builds,
        "checkpoints": flushes + builds,
        "ids": flushes * by_minute["id_blocks"],
    }
    reads = by_minute["reads"] + flushes * by_minute["flush_reads"] + hourly["reads"] + daily["reads"]
    kept |= {"hours": hour_kept[0], "hours' visitors": hour_kept[1], "days": day_kept[0], "days' visitors": day_kept[1]}
    kept["journal"] = float((flushes + builds).sum()) / len(hits) * DAY_MINUTES * 400
    return Written({kind: units[kind] for kind in KINDS}, writes, reads, by_minute["puts"], kept)


def _minutes(site: Site, stack: Stack, hits: Floats, brand: BrandInShard) -> Mapping[str, Floats]:
    """Return what minutes cost of all brands and shards: worked out for some numbers of hits, read off for all."""
    positive = hits[hits > 0]
    if not len(positive):
        none = np.zeros(len(hits))
        return dict.fromkeys(
            (
                "units",
                "writes",
                "reads",
                "visitors",
                "pieces",
                "kept",
                "visitors_kept",
                "puts",
                "flushes",
                "journal",
                "checkpoints",
                "ids",
                "id_blocks",
                "ids_bytes",
                "flush_reads",
            ),
            none,
        )
    low, high = float(positive.min()), float(positive.max())
    grid = np.geomspace(low, high, GRID_POINTS) if high > low * 1.000_001 else np.array([low])
    found = _minutes_of(site, stack, grid, brand)
    return {name: np.where(hits > 0, np.interp(hits, grid, values), 0.0) for name, values in found.items()}


def _minutes_of(site: Site, stack: Stack, grid: Floats, brand: BrandInShard) -> Mapping[str, Floats]:
    moved = carried(site, stack, grid)
    shards = stack.counting_shards
    total: dict[str, Floats] = {}
    none = np.zeros(len(grid))
    puts, touched = none.copy(), none.copy()
    per_flush = moved.flush_s / 60
    for brands, share in site.brand_classes():
        of_shard = grid * share / shards
        one = brand.minute(of_shard, moved.flush_s)
        times = brands * shards
        for name, values in one.items():
            total[name] = total.get(name, none) + values * times
        touched = touched + one["touched"] * brands * per_flush
        puts = puts - np.expm1(-of_shard * per_flush) * times / per_flush
        size = (brand.minutes.bytes(np.maximum(of_shard, 1.0)) + head_bytes()) * -np.expm1(-of_shard)
        total["kept"] = total.get("kept", none) + size * times
    # Every shard that an event of its Kinesis shard has records of is flushed.
    comes = -np.expm1(-grid / shards * per_flush)
    flushes = comes * shards / per_flush
    producers = np.maximum(1.0, moved.requests / 60 * collect_s(stack))
    extra = flush_units(site, stack, moved, touched, producers=producers)
    return {
        **{name: total[name] for name in ("units", "writes", "reads", "visitors", "pieces", "kept")},
        "visitors_kept": total["visitors"] * 1_000,
        "puts": puts,
        "flushes": flushes,
        **{name: extra[name] for name in ("journal", "checkpoints", "ids", "id_blocks")},
        "ids_bytes": extra["ids"] * flushes * 1_000,
        "flush_reads": extra["reads"],
    }


def _longer(
    site: Site, stack: Stack, brand: BrandInShard, hits: Floats, *, minutes: int
) -> tuple[Mapping[str, Floats], tuple[float, float]]:
    """Return what building hours, or days, costs in the hour after each, and the bytes of a day's."""
    windows = len(hits) // minutes
    sums = hits[: windows * minutes].reshape(windows, minutes).sum(axis=1)
    out = {name: np.zeros(windows) for name in ("units", "writes", "windows", "visitors", "pieces", "reads")}
    kept = [0.0, 0.0]
    for brands, share in site.brand_classes():
        of_shard = sums * share / stack.counting_shards
        comes = -np.expm1(-of_shard)
        times = brands * stack.counting_shards
        units, size = brand.longer_units(of_shard)
        visitors, pieces, visitors_size = brand.longer_visitors(of_shard, is_day=minutes == DAY_MINUTES)
        for name, values in (
            ("units", units),
            ("writes", 1 + np.floor(size / 8_000)),
            ("windows", np.ones(windows)),
            ("visitors", visitors),
            ("pieces", pieces),
        ):
            out[name] = out[name] + values * comes * times
        # At most: as though every part were read again when the window is built of it.
        parts = 60 if minutes == 60 else 24
        read = parts * read_units((size + visitors_size) / parts) + read_units(size)
        out["reads"] = out["reads"] + read * comes * times
        kept[0] += float((size * comes).sum()) * times
        kept[1] += float((visitors_size * comes).sum()) * times
    days = max(len(hits) / DAY_MINUTES, 1e-9)
    return {name: _spread(values, len(hits), minutes) for name, values in out.items()}, (kept[0] / days, kept[1] / days)


def _spread(values: Floats, length: int, minutes: int) -> Floats:
    """Return sums of windows as they are written: evenly over the hour that follows each; the last one's in its own."""
    out = np.zeros(length)
    for number, value in enumerate(values):
        start = (number + 1) * minutes
        start = start if start < length else max(0, length - 60)
        end = min(start + 60, length)
        out[start:end] += value / (end - start)
    return out


def _look_units(site: Site, stack: Stack, hits: Floats, brand: BrandInShard) -> Floats:
    """Return the read units of one look of the serving function: checkpoints, journals, and minutes that changed."""
    shards = stack.counting_shards
    checkpoints = float(read_units(shards * checkpoint_bytes(brands=site.popularity.brands, producers=np.ones(1)))[0])
    share = float(site.popularity.brand_shares()[0])
    size = brand.minutes.bytes(np.maximum(hits * share / shards, 1.0)) + head_bytes()
    changed = 2  # the open minute, and the one before it
    return checkpoints + shards + changed * read_units(size * shards)


def _round_units(site: Site, stack: Stack) -> float:
    """Return the read units of one minute's round of maintenance and the judge: checkpoints twice, brands, verdicts."""
    size = stack.counting_shards * checkpoint_bytes(brands=site.popularity.brands, producers=np.ones(1))
    return 2 * float(read_units(size)[0]) + 4
