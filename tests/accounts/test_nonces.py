"""Nonces: each is good once, also across a restart, until its signature is stale anyway."""

from contextlib import closing
from pathlib import Path

import pytest

from footfall.accounts import nonces as nonces_module
from footfall.accounts.nonces import WINDOW_MS, Nonces, TooManySigned
from footfall.adapters.embedded.sqlite_table import SqliteTable
from footfall.app import wiring
from footfall.app.settings import Settings
from footfall.ports.table import Key
from footfall.values.clock import SetClock

NOW_MS = 1_794_753_000_000
ENDS_MS = NOW_MS + 300_000


def taken(nonces: Nonces, nonce: str = "n", *, brand: str = "abc", retry_key: str = "", now_ms: int = NOW_MS) -> bool:
    return nonces.take(brand, nonce, retry_key=retry_key, now_ms=now_ms, expires_at_ms=ENDS_MS)


def test_a_nonce_is_good_once_for_each_brand() -> None:
    nonces = Nonces(lambda: SqliteTable(":memory:", clock=SetClock(NOW_MS)))
    assert taken(nonces)
    assert not taken(nonces)
    assert taken(nonces, "m")
    assert taken(nonces, brand="xyz")


def test_a_retry_under_the_first_ones_key_goes_on_and_any_other_does_not() -> None:
    nonces = Nonces(lambda: SqliteTable(":memory:", clock=SetClock(NOW_MS)))
    assert taken(nonces, retry_key="k")
    assert taken(nonces, retry_key="k")
    assert not taken(nonces, retry_key="other")
    assert not taken(nonces)
    assert taken(nonces, "m")
    assert not taken(nonces, "m", retry_key="k")


def test_nonces_outlive_the_process_and_go_when_they_are_over(tmp_path: Path) -> None:
    clock, settings = SetClock(NOW_MS), Settings(data_dir=str(tmp_path))
    table, nonces = wiring.open_nonces(settings, clock)
    with closing(table):
        assert taken(nonces)
    table, nonces = wiring.open_nonces(settings, clock)
    with closing(table):
        assert not taken(nonces)
        clock.set(ENDS_MS)
        assert nonces.take("abc", "m", retry_key="", now_ms=ENDS_MS, expires_at_ms=ENDS_MS + 1)
        clock.set(NOW_MS)  # What has expired would be seen again if it were still there.
        assert table.get(Key("nonce#abc#n", "used")) is None
        assert table.get(Key("nonce#abc#m", "used")) is not None


def test_no_more_nonces_are_taken_than_can_be_remembered(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(nonces_module, "NONCES_MAX", 2)
    nonces = Nonces(lambda: SqliteTable(":memory:", clock=SetClock(NOW_MS)))
    assert taken(nonces, "a")
    assert taken(nonces, "b")
    with pytest.raises(TooManySigned, match="larger batches"):
        taken(nonces, "c")
    assert taken(nonces, "c", now_ms=NOW_MS + WINDOW_MS)
