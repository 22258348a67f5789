"""What child processes know of brands: added, changed and removed while they run, and never in a wrong zone."""

from contextlib import closing
from dataclasses import replace
from pathlib import Path

from footfall.accounts.brands import Brand
from footfall.app import wiring
from footfall.app.brand_lookup import REFRESH_MS
from footfall.app.settings import Settings
from footfall.values.clock import SetClock
from footfall.values.period import DEFAULT_PERIODS, Period
from footfall.values.window import Grain

NOW_MS = 1_700_000_000_000
TWODAYS = Period("twodays", count=48, grain=Grain.HOUR, cache_s=120)


def test_a_directory_without_accounts_has_the_brands_of_the_settings(tmp_path: Path) -> None:
    settings = Settings(data_dir=str(tmp_path), brands={"abc": Brand("abc", zone="Asia/Kathmandu")})
    lookup = wiring.brand_lookup(settings, SetClock(NOW_MS))
    assert lookup.zone_of("abc") == "Asia/Kathmandu"
    assert lookup.zone_of("made-up") == "UTC"
    assert lookup.periods("abc") == DEFAULT_PERIODS
    assert (lookup.is_known("abc"), lookup.is_known("made-up"), lookup.version()) == (True, False, 0)


def test_a_brand_that_was_added_a_moment_ago_is_known_at_once(tmp_path: Path) -> None:
    settings, clock = Settings(data_dir=str(tmp_path)), SetClock(NOW_MS)
    lookup = wiring.brand_lookup(settings, clock)
    assert lookup.zone_of("abc") == "UTC"
    with closing(wiring.open_accounts(settings, clock)) as opened:
        opened.register.add(Brand("abc", zone="Asia/Kolkata"), zone_in_use=None)
        assert lookup.zone_of("abc") == "Asia/Kolkata"
        opened.register.add(Brand("def", zone="Pacific/Chatham"), zone_in_use=None)
        assert lookup.zone_of("def") == "Pacific/Chatham"
        assert lookup.is_known("def")


def test_a_change_of_periods_is_known_within_the_refresh_time(tmp_path: Path) -> None:
    settings, clock = Settings(data_dir=str(tmp_path)), SetClock(NOW_MS)
    with closing(wiring.open_accounts(settings, clock)) as opened:
        opened.register.add(Brand("abc"), zone_in_use=None)
        lookup = wiring.brand_lookup(settings, clock)
        assert "twodays" not in lookup.periods("abc")
        version = lookup.version()
        opened.register.change(Brand("abc", periods={"twodays": TWODAYS}))
        clock.advance(REFRESH_MS)
        assert lookup.version() > version
        assert lookup.periods("abc") == {**DEFAULT_PERIODS, "twodays": TWODAYS}


def test_a_brands_period_stands_in_the_place_of_the_settings_one(tmp_path: Path) -> None:
    settings, clock = Settings(data_dir=str(tmp_path)), SetClock(NOW_MS)
    own = replace(TWODAYS, name="day")
    with closing(wiring.open_accounts(settings, clock)) as opened:
        opened.register.add(Brand("abc", periods={"day": own}), zone_in_use=None)
    assert wiring.brand_lookup(settings, clock).periods("abc")["day"] == own


def test_a_stored_brand_wins_over_one_of_the_settings(tmp_path: Path) -> None:
    clock = SetClock(NOW_MS)
    settings = Settings(data_dir=str(tmp_path), brands={"abc": Brand("abc", unlabelled="hold")})
    with closing(wiring.open_accounts(settings, clock)) as opened:
        opened.register.add(Brand("abc", title="stored"), zone_in_use="UTC")
    assert wiring.brand_lookup(settings, clock).brand("abc") == Brand("abc", title="stored")


def test_a_removed_brand_keeps_its_zone_for_the_windows_that_are_still_open(tmp_path: Path) -> None:
    settings, clock = Settings(data_dir=str(tmp_path)), SetClock(NOW_MS)
    lookup = wiring.brand_lookup(settings, clock)
    with closing(wiring.open_accounts(settings, clock)) as opened:
        opened.register.add(Brand("abc", zone="Asia/Kolkata"), zone_in_use=None)
        assert lookup.zone_of("abc") == "Asia/Kolkata"
        opened.register.remove("abc")
        clock.advance(REFRESH_MS)
        assert lookup.zone_of("abc") == "Asia/Kolkata"
        assert not lookup.is_known("abc")


def test_a_clock_that_jumps_back_does_not_hide_changes(tmp_path: Path) -> None:
    settings, clock = Settings(data_dir=str(tmp_path)), SetClock(NOW_MS)
    with closing(wiring.open_accounts(settings, clock)) as opened:
        opened.register.add(Brand("abc"), zone_in_use=None)
        lookup = wiring.brand_lookup(settings, clock)
        assert lookup.brand("abc").title == ""
        clock.set(NOW_MS - 3_600_000)
        opened.register.change(Brand("abc", title="new"))
        assert lookup.brand("abc").title == "new"
