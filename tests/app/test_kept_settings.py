"""A command on a stopped instance counts as the instance did, whatever flags it was started with."""

from contextlib import closing
from pathlib import Path

import pytest

from footfall.accounts.brands import Brand
from footfall.app import wiring
from footfall.app.control import run_offline
from footfall.app.counting import Counting
from footfall.app.kept_settings import KEPT_FILE, keep_settings, kept_settings
from footfall.app.settings import HOUR_MS, Settings, SettingsUnreadable
from footfall.flow.stream.records import RULES, VERSION, Pack, record_from_pack
from footfall.ports.stream import Entry
from footfall.values.clock import SystemClock
from footfall.values.errors import Refused

CLOCK = SystemClock()


def no_progress(_share: float) -> None:
    """Tell nobody."""


def counted(settings: Settings, *, at_ms: int) -> None:
    """Run an instance that counts one hit of a time and stops."""
    keep_settings(settings)
    pack = Pack(VERSION, RULES, CLOCK.now_ms(), [("1", "", "", "")], at_ms=[at_ms])
    with (
        closing(wiring.open_stream_to_write(settings, CLOCK)) as stream,
        closing(wiring.open_store(settings, CLOCK)) as table,
    ):
        stream.append([Entry(0, "kat", 1, record_from_pack(pack), CLOCK.now_ms())])
        counting = Counting(settings, stream, table, clock=CLOCK)
        counting.drain()
        while counting.step():
            pass


def test_settings_are_kept_and_follow_their_directory(tmp_path: Path) -> None:
    settings = Settings(data_dir="elsewhere", stream_shards=3, brands={"kat": Brand("kat", zone="Asia/Kathmandu")})
    here = Settings(data_dir=str(tmp_path), stream_shards=3, brands=settings.brands)
    assert kept_settings(str(tmp_path)) is None
    keep_settings(here)
    assert kept_settings(str(tmp_path)) == here


def test_settings_that_cannot_be_read_are_said(tmp_path: Path) -> None:
    (tmp_path / KEPT_FILE).write_text("{")
    with pytest.raises(SettingsUnreadable, match=KEPT_FILE):
        kept_settings(str(tmp_path))


def test_counting_again_offline_keeps_the_zone_and_the_lateness_of_the_instance(tmp_path: Path) -> None:
    at_ms = CLOCK.now_ms() - 72 * HOUR_MS
    settings = Settings(
        data_dir=str(tmp_path), count_lateness_hours=200, brands={"kat": Brand("kat", zone="Asia/Kathmandu")}
    )
    counted(settings, at_ms=at_ms)
    request = {"do": "recount", "brand": "kat", "from_ms": at_ms - HOUR_MS, "to_ms": at_ms + HOUR_MS}
    done = run_offline(Settings(data_dir=str(tmp_path)), request, no_progress)
    assert (done["changed"], done["hits"]) == (0, 1)


def test_a_brand_that_was_never_heard_of_is_not_counted_again(tmp_path: Path) -> None:
    counted(Settings(data_dir=str(tmp_path)), at_ms=CLOCK.now_ms())
    request = {"do": "recount", "brand": "kta", "from_ms": 0, "to_ms": HOUR_MS}
    with pytest.raises(Refused, match="'kta' is not a brand of"):
        run_offline(Settings(data_dir=str(tmp_path)), request, no_progress)
