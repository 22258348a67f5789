"""What every change feed promises: items that came and went, in their order, each under a name that stays."""

import sqlite3
from collections.abc import Callable, Iterator
from contextlib import ExitStack, closing
from dataclasses import dataclass
from pathlib import Path

import pytest

from footfall.adapters.aws.dynamodb_changes import FedChanges
from footfall.adapters.embedded.sqlite_changes import SqliteChanges, waiting_since_ms
from footfall.adapters.embedded.sqlite_table import SqliteTable
from footfall.ports.changes import Change, Changes, Told
from footfall.ports.errors import Changed, Unavailable
from footfall.ports.table import Absent, Delete, Key, Put, Table, Unfit, Update
from footfall.values.clock import SystemClock
from tests.engines.dynamodb import DynamoDbEngine, table_of
from tests.engines.dynamodb_streams import TableStream

TOLD = Told("f")
MOST_S = 60  # Between an act and the moment that a ground gives it there are milliseconds, on a busy machine seconds.


@dataclass
class Feed:
    """A table, and what reads its changes from the beginning."""

    table: Table
    opened: Callable[[], Changes]

    def read(self) -> list[Change]:
        with closing(self.opened()) as changes:
            return list(changes.read(after=0))


@pytest.fixture(params=["sqlite", "dynamodb"])
def feed(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Feed]:
    if request.param == "sqlite":
        path = tmp_path / "table.db"
        with closing(SqliteTable(path, clock=SystemClock(), told=TOLD)) as table:
            yield Feed(table, lambda: SqliteChanges(path, told=TOLD))
        return
    engine: DynamoDbEngine = request.getfixturevalue("dynamodb")
    client = engine.shared()
    names = engine.names(client)
    stream = TableStream(client, names.table)
    table = table_of(client, names, clock=SystemClock())
    yield Feed(table, lambda: FedChanges(stream.event(), names=names, told=TOLD))


def key(sort: str, partition: str = "abc#f#member:1") -> Key:
    return Key(partition, sort)


def shown(changes: list[Change]) -> list[tuple[str, object]]:
    return [(change.key.sort, None if change.item is None else change.item["n"]) for change in changes]


def test_what_came_and_went_is_told_in_its_order_and_what_was_put_again_is_not(feed: Feed) -> None:
    feed.table.put(Put(key("a"), {"n": 1}))
    feed.table.put(Put(key("b"), {"n": 2}))
    feed.table.put(Put(key("a"), {"n": 3}))
    feed.table.update(Update(key("b"), add={"n": 5}))
    feed.table.delete(Delete(key("a")))
    feed.table.delete(Delete(key("a")))
    feed.table.put(Put(key("a"), {"n": 4}))
    assert shown(feed.read()) == [("a", 1), ("b", 2), ("a", None), ("a", 4)]


def test_a_moment_is_that_of_the_change(feed: Feed) -> None:
    before_ms = SystemClock().now_ms()
    feed.table.put(Put(key("a"), {"n": 1}))
    feed.table.delete(Delete(key("a")))
    for change in feed.read():
        # DynamoDB tells whole seconds, DynamoDB Local whole minutes; all of them are counted in their minute.
        assert before_ms // 60_000 * 60_000 <= change.at_ms <= before_ms + MOST_S * 1_000
        assert change.is_gone == (change.item is None)


def test_a_transaction_tells_all_of_it_or_nothing(feed: Feed) -> None:
    feed.table.put(Put(key("a"), {"n": 1}))
    feed.table.transact([Delete(key("a")), Put(key("b"), {"n": 2}), Put(key("c", "abc#n#x"), {"n": 9})])
    with pytest.raises(Changed):
        feed.table.transact([Put(key("c"), {"n": 3}), Put(key("b"), {"n": 4}, expects=(Absent(),))])
    with pytest.raises(Changed):
        feed.table.put(Put(key("b"), {"n": 4}, expects=(Absent(),)))
    assert sorted(shown(feed.read()), key=str) == [("a", 1), ("a", None), ("b", 2)]


def test_only_partitions_of_its_part_are_told(feed: Feed) -> None:
    for partition in ("abc#n#f#x", "abc#earnings#f#0", "f#abc", "abc", "abc#ff#x", "#f#x", "abc#f#x"):
        feed.table.put(Put(Key(partition, "a"), {"n": 1}))
    assert [change.key.partition for change in feed.read()] == ["#f#x", "abc#f#x"]


def test_a_change_has_the_same_name_whenever_it_is_read_and_no_other_has_it(feed: Feed) -> None:
    for _ in range(20):
        feed.table.put(Put(key("a"), {"n": 1}))
        feed.table.delete(Delete(key("a")))
    once, again = feed.read(), feed.read()
    assert [change.id for change in once] == [change.id for change in again]
    assert len({change.id for change in once}) == len(once) == 40
    assert {len(change.id) for change in once} == {16}


def test_a_reader_goes_on_after_a_place_and_what_is_forgotten_is_gone(feed: Feed) -> None:
    for number in range(10):
        feed.table.put(Put(key(f"{number}"), {"n": number}))
    with closing(feed.opened()) as changes:
        first = changes.read(after=0, limit=4)
        rest = changes.read(after=first[-1].place)
        assert [*shown(list(first)), *shown(list(rest))] == [(f"{number}", number) for number in range(10)]
        assert [one.place for one in (*first, *rest)] == sorted({one.place for one in (*first, *rest)})
        changes.forget(through=first[-1].place)
        assert changes.read(after=0) == rest
        changes.forget(through=rest[-1].place)
        changes.forget(through=rest[-1].place)
        assert list(changes.read(after=0)) == []


def test_a_part_is_made_of_letters() -> None:
    for part in ("", "f#", "f'", "1"):
        with pytest.raises(Unfit):
            Told(part)


# --- what a file promises besides ------------------------------------------------------------------


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "table.db"


def follow(path: Path, *sorts: str, told: Told | None = TOLD) -> None:
    with closing(SqliteTable(path, clock=SystemClock(), told=told)) as table:
        for sort in sorts:
            table.put(Put(key(sort), {"n": 1}))


def test_a_file_of_an_older_release_tells_from_the_moment_on_at_which_it_is_opened(path: Path) -> None:
    follow(path, "before", told=None)
    assert waiting_since_ms(path, after=0) == 0
    follow(path, "after")
    with closing(SqliteChanges(path, told=TOLD)) as changes:
        assert shown(list(changes.read(after=0))) == [("after", 1)]
    # An older release that opens it again writes it as before, and is told of all the same.
    follow(path, "older", told=None)
    with closing(SqliteTable(path, clock=SystemClock())) as table:
        table.delete(Delete(key("before")))
    with closing(SqliteChanges(path, told=TOLD)) as changes:
        assert shown(list(changes.read(after=0))) == [("after", 1), ("older", 1), ("before", None)]


def test_whoever_writes_the_file_is_told_of(path: Path) -> None:
    follow(path, "a", "b")
    with closing(sqlite3.connect(path)) as other, other:
        other.execute("DELETE FROM items WHERE sort = 'a'")
    with closing(SqliteChanges(path, told=TOLD)) as changes:
        assert shown(list(changes.read(after=0)))[-1] == ("a", None)


def test_places_go_on_growing_when_all_was_forgotten_when_the_file_is_older_and_when_it_is_made_anew(
    path: Path, tmp_path: Path
) -> None:
    def last() -> int:
        with closing(SqliteChanges(path, told=TOLD)) as changes:
            found = changes.read(after=0)
            changes.forget(through=found[-1].place)
            return found[-1].place

    follow(path, "a")
    places = [last()]
    with closing(sqlite3.connect(path)) as source, closing(sqlite3.connect(tmp_path / "kept.db")) as target:
        source.backup(target)
    follow(path, *(f"{number}" for number in range(50)))
    places.append(last())
    for aside in (path, tmp_path / "table.db-wal", tmp_path / "table.db-shm"):
        aside.unlink(missing_ok=True)
    (tmp_path / "kept.db").rename(path)
    follow(path, "b")
    places.append(last())
    path.unlink()
    follow(path, "a")
    places.append(last())
    assert places == sorted(set(places))


def test_places_grow_also_when_the_clock_was_set_back(path: Path) -> None:
    follow(path, "a")
    with closing(sqlite3.connect(path)) as other, other:
        other.execute("UPDATE sqlite_sequence SET seq = seq + 3600000000 WHERE name = 'changes'")
    follow(path, "b", "c")
    with closing(SqliteChanges(path, told=TOLD)) as changes:
        first, second, third = (change.place for change in changes.read(after=0))
    assert second > first + 3_600_000_000
    assert third == second + 1


def test_many_are_forgotten_some_at_a_time(path: Path) -> None:
    with closing(SqliteTable(path, clock=SystemClock(), told=TOLD)) as table, table.together():
        for number in range(4_500):
            table.put(Put(key(f"{number}"), {"n": 1}))
    with closing(SqliteChanges(path, told=TOLD)) as changes:
        place = changes.read(after=0, limit=4_100)[-1].place
        assert waiting_since_ms(path, after=0) > 0
        changes.forget(through=place)
        assert len(changes.read(after=0)) == 400
        assert waiting_since_ms(path, after=changes.read(after=0)[-1].place) == 0


DAMAGES = {
    "an item that is cut off": "item = substr(item, 1, length(item) - 1)",
    "an item that is no bytes": "item = 'text'",
    "a key that is no text": "sort = CAST(x'ff' AS TEXT)",
    "a moment that is none": "at_ms = 'yesterday'",
}


@pytest.mark.parametrize("damage", DAMAGES.values(), ids=DAMAGES.keys())
def test_a_change_that_cannot_be_read_is_passed_over_once_and_names_nobody(
    path: Path, damage: str, caplog: pytest.LogCaptureFixture
) -> None:
    follow(path, "a", "b", "c", "d")
    with closing(sqlite3.connect(path)) as other, other:
        other.execute(f"UPDATE changes SET {damage} WHERE sort IN ('b', 'd')")
    with closing(SqliteChanges(path, told=TOLD)) as changes:
        assert shown(list(changes.read(after=0))) == [("a", 1), ("c", 1)]
        assert shown(list(changes.read(after=0, limit=1))) == [("a", 1)]
        assert changes.unreadable == 2
        changes.forget(through=changes.read(after=0)[-1].place)
        assert waiting_since_ms(path, after=0) == 0
    said = [record.getMessage() for record in caplog.records]
    assert len(said) == 2
    assert all("passed over" in one and "member" not in one for one in said)


def test_where_no_change_of_many_can_be_read_the_next_that_can_is_found(path: Path) -> None:
    follow(path, *(f"{number:02}" for number in range(20)))
    with closing(sqlite3.connect(path)) as other, other:
        other.execute("UPDATE changes SET item = x'c1' WHERE sort < '19'")
    with closing(SqliteChanges(path, told=TOLD)) as changes:
        assert shown(list(changes.read(after=0, limit=5))) == [("19", 1)]
        assert changes.unreadable == 19


def test_a_file_without_a_table_is_refused(path: Path) -> None:
    with ExitStack() as stack, pytest.raises(Unavailable, match="holds no table yet"):
        stack.enter_context(closing(SqliteChanges(path, told=TOLD)))
