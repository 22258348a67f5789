"""Rows of a member are found without looking through the log, and keep what was watched when their name is erased."""

from dataclasses import replace

import pytest

from footfall.adapters.embedded.sqlite_table import SqliteTable
from footfall.flow.store import keys
from footfall.flow.store.watch_log import WatchRow, member_digest, rows_of_day, save_rows, session_digest
from footfall.flow.store.watched_by import erase_rows_of, rows_named, without_erased
from footfall.ports.table import Delete, Table, everything
from footfall.values.clock import SetClock
from tests.engines.dynamodb import table_of

DAY_MS = 86_400_000
TODAY_MS = 1_794_700_800_000
NOW_MS = TODAY_MS + DAY_MS // 2
ANN = "änn#1@home"


def row(session: str, member: str, *, days: int = 0, shard: int = 0, at_ms: int = NOW_MS) -> WatchRow:
    return WatchRow(
        brand="abc", day_ms=TODAY_MS - days * DAY_MS, shard=shard, session=session, number=0, asset="film", section="",
        series="", resource_type="", paid_type="", member=member, device="tv" if member else "",
        from_ms=at_ms - days * DAY_MS, to_ms=at_ms - days * DAY_MS + 60_000, ms=60_000, duration_ms=0, beats=7,
        seen=b"",
    )  # fmt: skip


@pytest.fixture(params=["sqlite", "dynamodb"])
def table(request: pytest.FixtureRequest) -> Table:
    clock = SetClock(NOW_MS)
    if request.param == "sqlite":
        return SqliteTable(":memory:", clock=clock)
    engine = request.getfixturevalue("dynamodb")
    client = engine.shared()
    return table_of(client, engine.names(client), clock=clock, has_transactions=False)


def rows_of_member(table: Table, brand: str, member: str) -> list[WatchRow]:
    named = everything(table, keys.watched_by_partition(brand, member_digest(member)))
    return list(rows_named(table, brand, member, named))


def saved(table: Table, *rows: WatchRow) -> None:
    save_rows(table, [(one, NOW_MS + 100 * DAY_MS) for one in rows])


def test_the_rows_of_a_member_are_found_whichever_day_and_shard_they_lie_in(table: Table) -> None:
    mine = [row("s1", ANN, days=2, shard=3), row("s2", ANN, days=1), row("s3", ANN)]
    saved(table, *mine, row("s4", "bo"), row("s5", ""))
    saved(table, mine[0])  # Written twice, it is one row.
    assert list(rows_of_member(table, "abc", ANN)) == mine
    assert list(rows_of_member(table, "abd", ANN)) == []
    assert list(rows_of_member(table, "abc", "nobody")) == []


def test_an_erased_row_keeps_what_was_watched_and_names_nobody(table: Table) -> None:
    saved(table, row("s1", ANN), row("s2", "bo"), row("s3", ANN, at_ms=NOW_MS + 5_000))
    erased = {member_digest(ANN): NOW_MS + 1}
    shown = [without_erased(one, erased) for one in rows_of_day(table, "abc", TODAY_MS, shards=1)]
    assert erase_rows_of(table, "abc", member_digest(ANN), before_ms=NOW_MS + 1, limit=9) == 1
    assert erase_rows_of(table, "abc", member_digest(ANN), before_ms=NOW_MS + 1, limit=9) == 0
    found = {one.session: one for one in rows_of_day(table, "abc", TODAY_MS, shards=1)}
    assert found == {one.session: one for one in shown}, "readers saw the same before"
    assert found[session_digest("s1")] == replace(row("s1", ""), session=session_digest("s1"))
    assert found["s2"] == row("s2", "bo")
    assert found["s3"].member == ANN, "what was begun after the erasure is a new story"
    assert [one.session for one in rows_of_member(table, "abc", ANN)] == ["s3"]


def test_many_rows_are_erased_in_steps(table: Table) -> None:
    saved(table, *(row(f"s{number}", ANN, days=number) for number in range(7)))
    steps = [erase_rows_of(table, "abc", member_digest(ANN), before_ms=NOW_MS + 1, limit=3) for _ in range(4)]
    assert steps == [3, 3, 1, 0]


def test_a_row_that_has_expired_does_not_come_back_without_a_name(table: Table) -> None:
    save_rows(table, [(row("s1", ANN), NOW_MS + DAY_MS)])
    gone = next(iter(rows_of_member(table, "abc", ANN)))
    assert gone.session == "s1"
    # The row goes first where the ground removes what has expired by itself.
    for one in table.query(keys.watched_partition("abc", gone.day_ms, 0)).items:
        table.delete(Delete(one.key))
    assert erase_rows_of(table, "abc", member_digest(ANN), before_ms=NOW_MS + 1, limit=9) == 1
    assert list(rows_of_day(table, "abc", gone.day_ms, shards=1)) == []
