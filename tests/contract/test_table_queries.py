"""What every table promises of ranges, pages and indexes."""

from collections.abc import Sequence

import pytest

from footfall.ports.errors import Changed
from footfall.ports.table import (
    PAGE_BYTES_MAX,
    Delete,
    Found,
    Item,
    Key,
    Position,
    Put,
    Table,
    Unfit,
    Update,
    everything,
    item_bytes,
)
from footfall.values.clock import SetClock
from tests.contract.conftest import NOON_MS

# In the order of their UTF-8 bytes, which is neither that of UTF-16 units nor that of a dictionary.
SORTED = [
    "\x00", "\x00\x00", " ", "0", "00", "1", "10", "2", "A", "Z", "a", "aa", "z", "~", "é", "\uff5a",
    "\ufffd", "🦌", "🦌a",
]  # fmt: skip


def fill(table: Table, sorts: Sequence[str], *, partition: str = "p") -> None:
    for start in range(0, len(sorts), 25):
        table.write([Put(Key(partition, sort), {"is": sort}) for sort in sorts[start : start + 25]])


def sorts(found: Sequence[Found]) -> list[str]:
    return [one.key.sort for one in found]


def paged(table: Table, partition: str, *, limit: int, backwards: bool = False, index: str | None = None) -> list[Key]:
    keys: list[Key] = []
    page = table.query(partition, limit=limit, backwards=backwards, index=index)
    for _ in range(1_000):
        assert len(page.items) <= limit
        keys += [found.key for found in page.items]
        if page.after is None:
            return keys
        page = table.query(partition, limit=limit, backwards=backwards, index=index, after=page.after)
    raise AssertionError("the query does not end")


def test_a_partition_is_read_in_the_order_of_utf8_bytes(table: Table) -> None:
    fill(table, SORTED[::-1])
    fill(table, ["a", "b"], partition="p2")
    assert sorted(SORTED, key=str.encode) == SORTED
    assert sorts(table.query("p").items) == SORTED
    assert sorts(table.query("p", backwards=True).items) == SORTED[::-1]
    assert [found.item["is"] for found in everything(table, "p")] == SORTED


def test_a_partition_that_has_nothing_is_an_empty_page(table: Table) -> None:
    page = table.query("nobody")
    assert (list(page.items), page.after) == ([], None)


def test_both_ends_of_a_range_are_included(table: Table) -> None:
    fill(table, ["a", "b", "c", "d"])
    assert sorts(table.query("p", at_least="b", at_most="c").items) == ["b", "c"]
    assert sorts(table.query("p", at_least="b").items) == ["b", "c", "d"]
    assert sorts(table.query("p", at_most="b").items) == ["a", "b"]
    assert sorts(table.query("p", at_least="b", at_most="c", backwards=True).items) == ["c", "b"]
    assert sorts(table.query("p", at_least="aa", at_most="bb").items) == ["b"]
    assert sorts(list(everything(table, "p", at_least="b", at_most="c", backwards=True))) == ["c", "b"]


def test_ends_that_cross_give_an_empty_page(table: Table) -> None:
    fill(table, ["a", "b"])
    assert sorts(table.query("p", at_least="b", at_most="a").items) == []


@pytest.mark.parametrize("backwards", [False, True])
@pytest.mark.parametrize("limit", [1, 2, 7, len(SORTED), 100])
def test_pages_give_each_item_once_and_in_order(table: Table, limit: int, backwards: bool) -> None:
    fill(table, SORTED)
    expected = SORTED[::-1] if backwards else SORTED
    assert [key.sort for key in paged(table, "p", limit=limit, backwards=backwards)] == expected


def test_a_range_is_kept_from_page_to_page(table: Table) -> None:
    fill(table, ["a", "b", "c", "d", "e"])
    first = table.query("p", at_least="b", at_most="d", limit=2)
    assert sorts(first.items) == ["b", "c"]
    second = table.query("p", at_least="b", at_most="d", limit=2, after=first.after)
    assert sorts(second.items) == ["d"]
    back = table.query("p", at_least="b", at_most="d", limit=2, backwards=True)
    assert sorts(back.items) == ["d", "c"]
    assert sorts(table.query("p", at_least="b", at_most="d", backwards=True, after=back.after).items) == ["b"]


def test_a_place_to_continue_from_outside_the_range_widens_nothing(table: Table) -> None:
    fill(table, ["a", "b", "c", "d", "e"])
    assert sorts(table.query("p", at_least="c", after=Key("p", "a")).items) == ["c", "d", "e"]
    assert sorts(table.query("p", at_most="c", after=Key("p", "e"), backwards=True).items) == ["c", "b", "a"]
    assert sorts(table.query("p", at_most="b", after=Key("p", "d")).items) == []


def test_a_page_continues_after_a_key_that_has_gone(table: Table) -> None:
    fill(table, ["a", "b", "c"])
    page = table.query("p", limit=2)
    assert page.after == Key("p", "b")
    table.delete(Delete(Key("p", "b")))
    assert sorts(table.query("p", after=page.after).items) == ["c"]


def test_a_page_stays_within_its_bytes(table: Table) -> None:
    item: Item = {"data": bytes(150_000)}
    for number in range(10):
        table.put(Put(Key("p", f"{number}"), item))
    page = table.query("p")
    assert 1 <= len(page.items) < 10
    assert sum(item_bytes(found.key, found.item) for found in page.items) <= PAGE_BYTES_MAX
    assert sorts(list(everything(table, "p"))) == [f"{number}" for number in range(10)]
    assert sorts(list(everything(table, "p", backwards=True))) == [f"{number}" for number in range(9, -1, -1)]


@pytest.mark.parametrize("index", [None, "by_author", "by_time"])
@pytest.mark.parametrize("backwards", [False, True])
def test_items_that_expire_between_pages_are_not_seen(
    table: Table, clock: SetClock, index: str | None, backwards: bool
) -> None:
    for number in range(9):
        expires_at_ms = NOON_MS + 10 if number % 3 == 1 else None
        item: Item = {"author": "p", "title": f"{number}", "at": number}
        table.put(Put(Key("p", f"{number}"), item, expires_at_ms=expires_at_ms))
    numbers = [8, 7, 6, 5, 4, 3, 2, 1, 0] if backwards else [0, 1, 2, 3, 4, 5, 6, 7, 8]
    page = table.query("p", limit=2, backwards=backwards, index=index)
    assert sorts(page.items) == [f"{number}" for number in numbers[:2]]
    clock.set(NOON_MS + 10)
    rest: list[str] = []
    while page.after is not None:
        page = table.query("p", limit=2, backwards=backwards, index=index, after=page.after)
        rest += sorts(page.items)
    assert rest == [f"{number}" for number in numbers[2:] if number % 3 != 1]


@pytest.mark.parametrize(
    "ask",
    [
        {"limit": 0},
        {"limit": -1},
        {"index": "by_nobody"},
        {"after": Key("other", "a")},
        {"at_least": ""},
        {"at_most": 5},
        {"index": "by_time", "at_least": "a"},
        {"index": "by_time", "at_least": True},
        {"index": "by_author", "at_least": 5},
    ],
)
def test_a_query_that_makes_no_sense_is_refused(table: Table, ask: dict[str, object]) -> None:
    with pytest.raises(Unfit):
        table.query("p", **ask)  # pyright: ignore[reportArgumentType] - that is the point
    with pytest.raises(Unfit):
        table.query("")


def write_articles(table: Table, articles: Sequence[tuple[str, str, Position]]) -> None:
    for sort, title, at in articles:
        table.put(Put(Key("articles", sort), {"author": "ann", "title": title, "at": at}))


def test_an_index_orders_items_by_text(table: Table) -> None:
    write_articles(table, [(f"{number}", title, 0) for number, title in enumerate(reversed(SORTED))])
    found = table.query("ann", index="by_author").items
    assert [one.item["title"] for one in found] == SORTED
    found = table.query("ann", index="by_author", at_least="A", at_most="a", backwards=True).items
    assert [one.item["title"] for one in found] == ["a", "Z", "A"]
    page = table.query("ann", index="by_author", at_least="A", at_most="a", limit=2)
    rest = table.query("ann", index="by_author", at_least="A", at_most="a", after=page.after).items
    assert [one.item["title"] for one in (*page.items, *rest)] == ["A", "Z", "a"]


NUMBERS: list[int | float] = [
    -(10**125), -(10**38 - 1), -1e20, -(2**63) - 1, -(2**63), -15, -1.5, -1, -0.15, -0.1, -1e-130,
    0, 1e-130, 0.1, 0.15, 0.2, 1, 1.5, 2, 9, 10, 15, 2**53, 2**53 + 1, 2**63 - 1, 2**63, 10**37, 10**37 + 1, 10**125,
]  # fmt: skip


def test_a_numeric_index_orders_items_by_value(table: Table) -> None:
    write_articles(table, [(f"{place}", "t", number) for place, number in enumerate(NUMBERS[::-1])])
    assert [one.item["at"] for one in everything(table, "ann", index="by_time")] == NUMBERS
    found = everything(table, "ann", index="by_time", at_least=-0.1, at_most=1, backwards=True)
    assert [one.item["at"] for one in found] == [1, 0.2, 0.15, 0.1, 1e-130, 0, -1e-130, -0.1]


@pytest.mark.parametrize("backwards", [False, True])
def test_pages_of_an_index_give_each_item_once(table: Table, backwards: bool) -> None:
    write_articles(table, [(f"{number:02d}", f"t{number % 3}", number // 4) for number in range(20)])
    for index in ("by_author", "by_time"):
        whole = [found.key for found in everything(table, "ann", index=index, backwards=backwards)]
        assert sorted(whole) == [Key("articles", f"{number:02d}") for number in range(20)]
        assert paged(table, "ann", limit=3, index=index, backwards=backwards) == whole


def test_a_page_of_an_index_continues_when_its_last_item_has_gone_or_moved(table: Table) -> None:
    write_articles(table, [("a", "1", 1), ("b", "2", 2), ("c", "3", 3)])
    page = table.query("ann", index="by_time", limit=2)
    table.delete(Delete(Key("articles", "b")))
    assert sorts(table.query("ann", index="by_time", after=page.after).items) == ["c"]
    table.put(Put(Key("articles", "b"), {"author": "ann", "at": 9}))
    assert sorts(table.query("ann", index="by_time", after=page.after).items) == ["c", "b"]


def test_a_plain_key_continues_an_index_from_where_its_item_is(table: Table) -> None:
    write_articles(table, [("a", "1", 3), ("b", "2", 2), ("c", "3", 1)])
    assert sorts(table.query("ann", index="by_time", after=Key("articles", "b")).items) == ["a"]
    with pytest.raises(Changed):
        table.query("ann", index="by_time", after=Key("articles", "nobody"))


def test_an_item_that_lacks_an_attribute_of_the_index_is_not_in_it(table: Table) -> None:
    table.write([
        Put(Key("articles", "a"), {"author": "ann"}),
        Put(Key("articles", "b"), {"title": "t", "at": 1}),
        Put(Key("articles", "c"), {"author": "ann", "title": "t"}),
    ])  # fmt: skip
    assert sorts(table.query("ann", index="by_author").items) == ["c"]
    assert sorts(table.query("ann", index="by_time").items) == []


def test_an_index_follows_every_kind_of_write(table: Table) -> None:
    key = Key("articles", "a")
    table.put(Put(key, {"author": "ann", "title": "t", "at": 1}))
    table.update(Update(key, set={"title": "u"}, add={"at": 5}))
    assert sorts(table.query("ann", index="by_author", at_least="u").items) == ["a"]
    assert sorts(table.query("ann", index="by_time", at_least=6, at_most=6).items) == ["a"]
    table.update(Update(key, set={"author": "bob"}))
    assert (sorts(table.query("ann", index="by_time").items), sorts(table.query("bob", index="by_time").items)) == (
        [],
        ["a"],
    )
    table.update(Update(key, remove=frozenset({"at"})))
    assert sorts(table.query("bob", index="by_time").items) == []
    table.transact([Delete(key)])
    assert sorts(table.query("bob", index="by_author").items) == []
    table.write([Put(key, {"author": "bob", "title": "t"})])
    assert sorts(table.query("bob", index="by_author").items) == ["a"]
    table.put(Put(key, {"author": "bob"}))
    assert sorts(table.query("bob", index="by_author").items) == []


@pytest.mark.parametrize(
    "item",
    [
        {"author": 5, "title": "t"},
        {"author": "", "title": "t"},
        {"author": "ann", "title": 5},
        {"author": "ann", "title": ""},
        {"author": "ann", "title": None},
        {"author": "ann", "at": "5"},
        {"author": "ann", "at": True},
    ],
)
def test_an_item_whose_place_in_an_index_is_of_the_wrong_kind_is_refused(table: Table, item: Item) -> None:
    key = Key("articles", "a")
    for write in (
        lambda: table.put(Put(key, item)),
        lambda: table.update(Update(key, set=item)),
        lambda: table.write([Put(key, item)]),
        lambda: table.transact([Put(key, item)]),
    ):
        with pytest.raises(Unfit):
            write()
    assert table.get(key) is None
