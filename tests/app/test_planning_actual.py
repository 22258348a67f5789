"""Measured traffic from a store: hours, brands and assets as they were counted."""

from contextlib import closing
from pathlib import Path

import numpy as np
import pytest

from footfall.app import wiring
from footfall.app.planning_actual import Measured, NothingMeasured, measured_traffic
from footfall.app.settings import Settings
from footfall.flow.store.checkpoints import Checkpoint, Lines, save_checkpoint
from footfall.flow.store.columns import CountKey, columns_from_counts
from footfall.flow.store.summaries import Summaries, Summary
from footfall.values.clock import SetClock
from footfall.values.window import DAY_MS, HOUR_MS, Grain, window_of
from tests.engines.aws_ground import NewGround

NOW_MS = 1_794_744_000_000  # a full hour


def counted(folder: Path, *, hours: int, brands: tuple[str, ...] = ("abc",), until_ms: int = NOW_MS) -> Settings:
    """Write hours as a worker would have counted them, into a directory."""
    return counted_on(Settings(data_dir=str(folder)), hours=hours, brands=brands, until_ms=until_ms)


def counted_on(
    settings: Settings, *, hours: int, brands: tuple[str, ...], until_ms: int = NOW_MS, new_each_hour: int = 0
) -> Settings:
    """Write hours, each with ten hits more of every asset than the one before."""
    clock = SetClock(until_ms)
    with closing(wiring.open_store(settings, clock)) as table:
        summaries = Summaries(table, clock)
        for brand in brands:
            for hour in range(hours):
                window = window_of(until_ms - (hours - hour) * HOUR_MS, Grain.HOUR, "UTC")
                assets = range(new_each_hour * hour, new_each_hour * hour + 3)
                counts: dict[CountKey, int] = {(str(n), "1", "article", "free"): 10 * (hour + 1) for n in assets}
                summary = Summary(window, "s00", 1, {}, columns_from_counts(counts), final=False, rules=1)
                summaries.save(brand, summary, replaces=None, expires_at_ms=None)
        save_checkpoint(table, 0, Checkpoint(lines={brand: Lines(counted=1) for brand in brands}), replaces=None)
    return settings


def test_hours_are_read_with_their_brands_and_assets(tmp_path: Path) -> None:
    found = measured_traffic(counted(tmp_path, hours=5, brands=("abc", "def")), SetClock(NOW_MS), days=2)
    assert found.hourly.tolist() == [60.0, 120.0, 180.0, 240.0, 300.0]
    assert (found.brands, found.assets) == (2, 6)
    assert found.from_ms == NOW_MS - 5 * HOUR_MS
    assert found.per_day == pytest.approx(180 * 24)
    assert found.popularity().assets == 3


def test_assets_are_those_of_a_day_and_not_of_an_hour(tmp_path: Path) -> None:
    began_ms = NOW_MS // DAY_MS * DAY_MS
    settings = Settings(data_dir=str(tmp_path))
    # Five hours of one day with three assets each, two of them new, and one hour of the day after.
    counted_on(settings, hours=6, brands=("abc",), until_ms=began_ms + HOUR_MS, new_each_hour=2)
    found = measured_traffic(settings, SetClock(began_ms + HOUR_MS), days=2)
    assert found.assets == 3 + 4 * 2


def test_hours_of_a_stack_are_read_from_its_tables(new_ground: NewGround) -> None:
    settings = counted_on(new_ground().settings, hours=4, brands=("abc",))
    found = measured_traffic(settings, SetClock(NOW_MS), days=1)
    assert found.hourly.tolist() == [30.0, 60.0, 90.0, 120.0]


def test_traffic_goes_on_as_the_whole_days_before_it() -> None:
    found = Measured(np.arange(30, dtype=np.float64), 1, 10, 0)
    # Of thirty hours the last whole day is kept, and comes again.
    assert found.hits(24 * 60)[::60].tolist() == [hour / 60 for hour in range(6, 30)]
    assert found.hits(60, start_minute=24 * 60)[0] == 6 / 60


def test_too_little_is_no_measure(tmp_path: Path) -> None:
    with pytest.raises(NothingMeasured, match="fewer than 2 whole hours"):
        measured_traffic(counted(tmp_path, hours=1), SetClock(NOW_MS), days=2)
