"""A door follows what is stored: rules at once, lists when they have changed, and what it cannot read not at all."""

from collections.abc import Iterator
from contextlib import closing

import pytest

from footfall.accounts.register import Register
from footfall.adapters.embedded.sqlite_table import SqliteTable
from footfall.app.screening import KeptScreen
from footfall.app.settings import Settings
from footfall.flow.collect.fields import Hit
from footfall.flow.collect.senders import Sender
from footfall.ports.table import Delete, Key, Put
from footfall.screening.lists import list_from_text
from footfall.screening.rules import rules_from_document
from footfall.values.clock import SetClock

NOON_MS = 1_794_744_000_000
READER = Sender("203.0.113.7", "Mozilla/5.0 (X11; rv:132.0) Gecko/20100101 Firefox/132.0", wants_privacy=False)


@pytest.fixture
def table() -> Iterator[SqliteTable]:
    with closing(SqliteTable(":memory:", clock=SetClock(NOON_MS))) as opened:
        yield opened


@pytest.fixture
def register(table: SqliteTable) -> Register:
    return Register(table, clock=SetClock(NOON_MS), random_bytes=lambda size: bytes(range(size)))


def judged(kept: KeptScreen, asset: str = "1") -> str:
    hit = Hit("abc", (asset, "", "", ""))
    return kept.screen.of_single("abc", hit, READER, visitor=b"", now_ms=NOON_MS)


def test_what_the_settings_allow_is_what_the_door_allows() -> None:
    kept = KeptScreen(Settings(screening_repeats_max=2, screening_visitor_per_minute=4))
    assert [judged(kept) for _ in range(3)] == ["", "", "reload"]
    assert [judged(kept, asset) for asset in "89"] == ["", "rate"]
    free = KeptScreen(
        Settings(screening_repeats_max=0, screening_visitor_per_minute=0, screening_address_repeats_max=0)
    )
    assert {judged(free) for _ in range(300)} == {""}


def test_what_was_stored_is_gone_by_also_for_a_sender_that_is_known(register: Register) -> None:
    kept = KeptScreen(Settings())
    kept.follow(register)
    assert judged(kept) == ""
    register.screening.put_list(list_from_text("203.0.113.0/24\n"))
    kept.follow(register)
    assert judged(kept) == "data-centre"
    register.screening.put_rules("abc", rules_from_document({"addresses": ["203.0.113.7"]}))
    kept.follow(register)
    assert judged(kept) == "rule-address"
    register.screening.put_rules("abc", rules_from_document({"isOn": False}))
    kept.follow(register)
    assert judged(kept) == ""


def test_what_cannot_be_read_leaves_the_door_as_it_was(
    register: Register, table: SqliteTable, caplog: pytest.LogCaptureFixture
) -> None:
    kept = KeptScreen(Settings())
    register.screening.put_list(list_from_text("203.0.113.0/24\n"))
    kept.follow(register)
    register.screening.put_list(list_from_text("192.0.2.0/24\n"))
    table.delete(Delete(Key("list#data-centres", "00000002#0000")))
    later = {"version": 1, "changed_at_ms": NOON_MS, "by": "x", "rules": '{"moods": ["grumpy"]}'}
    table.put(Put(Key("rules", "abc"), later))
    kept.follow(register)
    assert judged(kept) == "data-centre"
    assert "the list before stays in use" in caplog.text
    assert "the rules before stay in use" in caplog.text
