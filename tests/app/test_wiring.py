"""A data directory is opened only when its parts go together."""

from contextlib import closing
from pathlib import Path

import pytest

from footfall.accounts.brands import Brand
from footfall.adapters.embedded.database import open_database
from footfall.app.settings import Settings
from footfall.app.wiring import (
    STORE_FILE,
    ShardsAreFixed,
    StreamIsBehind,
    disk_bytes,
    made_store,
    open_store,
    open_stream,
    open_stream_to_write,
    zone_of,
)
from footfall.flow.store.checkpoints import Checkpoint, save_checkpoint
from footfall.ports.stream import Entry
from footfall.values.clock import SetClock

CLOCK = SetClock(1_794_000_000_000)


def test_a_stream_keeps_the_shards_it_was_made_with(tmp_path: Path) -> None:
    open_stream(Settings(data_dir=str(tmp_path), stream_shards=2), CLOCK).close()
    with pytest.raises(ShardsAreFixed, match="made with 2 shards"):
        open_stream_to_write(Settings(data_dir=str(tmp_path), stream_shards=3), CLOCK)


def test_a_stream_that_lost_what_was_counted_is_refused(tmp_path: Path) -> None:
    settings = Settings(data_dir=str(tmp_path))
    with closing(open_stream(settings, CLOCK)) as stream:
        stream.append([Entry(0, "abc", 1, b"hit", CLOCK.now_ms())])
    with closing(open_store(settings, CLOCK)) as store:
        save_checkpoint(store, 0, Checkpoint(number=1, through=1), replaces=None)
        open_stream_to_write(settings, CLOCK).close()
        save_checkpoint(store, 0, Checkpoint(number=2, through=2), replaces=1)
    with pytest.raises(StreamIsBehind, match="has counted 2 records of shard 0"):
        open_stream_to_write(settings, CLOCK)


def test_a_store_whose_making_was_cut_short_keeps_nobody_from_starting(tmp_path: Path) -> None:
    settings = Settings(data_dir=str(tmp_path))
    open_database(tmp_path / STORE_FILE, durable=False).close()
    assert made_store(settings, CLOCK) is None
    open_stream_to_write(settings, CLOCK).close()
    open_store(settings, CLOCK).close()
    made = made_store(settings, CLOCK)
    assert made is not None
    made.close()


def test_brands_that_were_made_up_live_in_utc(tmp_path: Path) -> None:
    zone = zone_of(Settings(data_dir=str(tmp_path), brands={"abc": Brand("abc", zone="Asia/Kathmandu")}))
    assert (zone("abc"), zone("other")) == ("Asia/Kathmandu", "UTC")


def test_the_disk_that_each_file_takes_is_told(tmp_path: Path) -> None:
    (tmp_path / "one").write_bytes(b"12345")
    assert disk_bytes(Settings(data_dir=str(tmp_path))) == {"one": 5}
