"""An imported day's salt is the same for as long as its import lasts, and gone with it."""

from pathlib import Path
from random import Random

from footfall.adapters.embedded.secret_table import SecretTable
from footfall.flow.collect.import_salts import ImportSalts
from footfall.flow.collect.senders import SALT_BYTES, SALT_MS, Salts
from footfall.values.clock import SetClock

NOON_MS = 1_794_744_000_000
DAY_MS = 86_400_000


def opened(folder: Path, clock: SetClock, seed: int = 1) -> tuple[SecretTable, ImportSalts]:
    table = SecretTable(folder / "salts.db", clock=clock)
    return table, ImportSalts(table, random_bytes=Random(seed).randbytes, scrub=table.forget_expired)


def test_an_import_that_goes_on_in_another_process_finds_its_salts(tmp_path: Path) -> None:
    clock = SetClock(NOON_MS)
    table, salts = opened(tmp_path, clock)
    first = salts.of_day("abc", 0, now_ms=NOON_MS)
    assert len(first) == SALT_BYTES
    assert salts.of_day("abc", DAY_MS, now_ms=NOON_MS) != first
    assert salts.of_day("xyz", 0, now_ms=NOON_MS) != first
    table.close()
    assert opened(tmp_path, clock, seed=2)[1].of_day("abc", 0, now_ms=NOON_MS) == first


def test_a_salt_ends_by_itself_however_often_it_is_asked_for(tmp_path: Path) -> None:
    clock = SetClock(NOON_MS)
    _, salts = opened(tmp_path, clock)
    first = salts.of_day("abc", 0, now_ms=NOON_MS)
    clock.advance(SALT_MS - 1)
    assert salts.of_day("abc", 0, now_ms=clock.now_ms()) == first
    clock.advance(1)
    assert salts.of_day("abc", 0, now_ms=clock.now_ms()) != first


def test_forgotten_salts_leave_no_trace_and_nobody_elses_go(tmp_path: Path) -> None:
    clock = SetClock(NOON_MS)
    table, salts = opened(tmp_path, clock)
    gone = [salts.of_day("abc", day * DAY_MS, now_ms=NOON_MS) for day in range(40)]
    others = salts.of_day("xyz", 0, now_ms=NOON_MS)
    lasting = Salts(table, random_bytes=Random(9).randbytes)
    own = lasting.of_brand("abc", now_ms=NOON_MS)
    today = lasting.of_day("abc", "UTC", at_ms=NOON_MS, now_ms=NOON_MS)
    salts.forget("abc")
    bytes_left = b"".join(path.read_bytes() for path in tmp_path.iterdir())
    assert not any(salt in bytes_left for salt in gone)
    assert salts.of_day("xyz", 0, now_ms=NOON_MS) == others
    again = Salts(table, random_bytes=Random(8).randbytes)
    assert again.of_brand("abc", now_ms=NOON_MS) == own
    assert again.of_day("abc", "UTC", at_ms=NOON_MS, now_ms=NOON_MS) == today
    assert salts.of_day("abc", 0, now_ms=NOON_MS) not in gone
