"""An imported day's salt is the same for as long as its import lasts, and gone with it."""

from itertools import pairwise
from pathlib import Path
from random import Random

from footfall.adapters.embedded.secret_table import SecretTable
from footfall.flow.collect.import_salts import RUN_DAYS, ImportSalts, run_of_days
from footfall.flow.collect.senders import SALT_BYTES, SALT_MS, Salts
from footfall.values.clock import SetClock
from footfall.values.window import Grain, window_of

NOON_MS = 1_794_744_000_000
DAY_MS = 86_400_000


def opened(folder: Path, clock: SetClock, seed: int = 1) -> tuple[SecretTable, ImportSalts]:
    table = SecretTable(folder / "salts.db", clock=clock)
    return table, ImportSalts(table, random_bytes=Random(seed).randbytes, scrub=table.forget_expired)


def salt_of(salts: ImportSalts, brand: str, day_start_ms: int, *, now_ms: int) -> bytes:
    return salts.of_days(brand, [day_start_ms], now_ms=now_ms)[day_start_ms]


def test_an_import_that_goes_on_in_another_process_finds_its_salts(tmp_path: Path) -> None:
    clock = SetClock(NOON_MS)
    table, salts = opened(tmp_path, clock)
    first = salt_of(salts, "abc", 0, now_ms=NOON_MS)
    assert len(first) == SALT_BYTES
    assert salt_of(salts, "abc", DAY_MS, now_ms=NOON_MS) != first
    assert salt_of(salts, "xyz", 0, now_ms=NOON_MS) != first
    table.close()
    assert salt_of(opened(tmp_path, clock, seed=2)[1], "abc", 0, now_ms=NOON_MS) == first


def test_a_salt_ends_by_itself_however_often_it_is_asked_for(tmp_path: Path) -> None:
    clock = SetClock(NOON_MS)
    _, salts = opened(tmp_path, clock)
    first = salt_of(salts, "abc", 0, now_ms=NOON_MS)
    clock.advance(SALT_MS - 1)
    assert salt_of(salts, "abc", 0, now_ms=clock.now_ms()) == first
    clock.advance(1)
    assert salt_of(salts, "abc", 0, now_ms=clock.now_ms()) != first


def test_forgotten_salts_leave_no_trace_and_nobody_elses_go(tmp_path: Path) -> None:
    clock = SetClock(NOON_MS)
    table, salts = opened(tmp_path, clock)
    gone = [salt_of(salts, "abc", day * DAY_MS, now_ms=NOON_MS) for day in range(40)]
    others = salt_of(salts, "xyz", 0, now_ms=NOON_MS)
    lasting = Salts(table, random_bytes=Random(9).randbytes)
    own = lasting.of_brand("abc", now_ms=NOON_MS)
    today = lasting.of_day("abc", "UTC", at_ms=NOON_MS, now_ms=NOON_MS)
    salts.forget("abc")
    bytes_left = b"".join(path.read_bytes() for path in tmp_path.iterdir())
    assert not any(salt in bytes_left for salt in gone)
    assert salt_of(salts, "xyz", 0, now_ms=NOON_MS) == others
    again = Salts(table, random_bytes=Random(8).randbytes)
    assert again.of_brand("abc", now_ms=NOON_MS) == own
    assert again.of_day("abc", "UTC", at_ms=NOON_MS, now_ms=NOON_MS) == today
    assert salt_of(salts, "abc", 0, now_ms=NOON_MS) not in gone


def test_salts_that_another_import_needs_are_left_to_it(tmp_path: Path) -> None:
    clock = SetClock(NOON_MS)
    _, salts = opened(tmp_path, clock)
    before = salts.of_days("abc", [0, DAY_MS, 2 * DAY_MS], now_ms=NOON_MS)
    salts.forget("abc", but={DAY_MS})
    after = salts.of_days("abc", [0, DAY_MS, 2 * DAY_MS], now_ms=NOON_MS)
    assert [day for day in before if before[day] == after[day]] == [DAY_MS]


def test_a_run_of_days_is_made_by_one_commit_and_is_not_made_longer_day_by_day(tmp_path: Path) -> None:
    clock = SetClock(NOON_MS)
    _, salts = opened(tmp_path, clock)
    log = tmp_path / "salts.db-wal"
    salts.of_days("abc", range(0, 31 * DAY_MS, DAY_MS), now_ms=NOON_MS)
    size = log.stat().st_size
    made = salts.of_days("abc", range(0, 31 * DAY_MS, DAY_MS), now_ms=NOON_MS)
    assert len(set(made.values())) == 31
    assert list(salts.of_days("abc", range(30 * DAY_MS, 40 * DAY_MS, DAY_MS), now_ms=NOON_MS)) == [30 * DAY_MS]
    assert log.stat().st_size == size


def test_a_run_of_days_follows_the_zone_and_stops_at_today() -> None:
    day = window_of(1_711_800_000_000, Grain.DAY, "Europe/Helsinki")  # The clocks change the day after.
    run = run_of_days(day.from_ms, zone="Europe/Helsinki", now_ms=NOON_MS)
    assert len(run) == RUN_DAYS
    assert all(window_of(one, Grain.DAY, "Europe/Helsinki").from_ms == one for one in run)
    assert {after - before for before, after in pairwise(run)} == {DAY_MS, DAY_MS - 3_600_000}
    today = window_of(NOON_MS, Grain.DAY, "UTC").from_ms
    assert run_of_days(today - DAY_MS, zone="UTC", now_ms=NOON_MS) == [today - DAY_MS, today]
    assert run_of_days(today + DAY_MS, zone="UTC", now_ms=NOON_MS) == [today + DAY_MS]
