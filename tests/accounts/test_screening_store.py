"""Lists and rules as they are stored: whole, versioned, and told by the audit trail."""

from collections.abc import Iterator
from contextlib import closing

import pytest

from footfall.accounts.brands import Brand
from footfall.accounts.register import Register
from footfall.accounts.screening_store import INSTANCE, ListIsTorn
from footfall.adapters.embedded.sqlite_table import SqliteTable
from footfall.ports.table import Delete, Key, everything
from footfall.screening.lists import ListKind, list_from_text
from footfall.screening.rules import rules_from_document
from footfall.values.clock import SetClock
from footfall.values.errors import Refused

NOON_MS = 1_794_744_000_000


@pytest.fixture
def table() -> Iterator[SqliteTable]:
    with closing(SqliteTable(":memory:", clock=SetClock(NOON_MS))) as opened:
        yield opened


@pytest.fixture
def register(table: SqliteTable) -> Register:
    return Register(table, clock=SetClock(NOON_MS), random_bytes=lambda size: bytes(range(size)))


def test_a_list_comes_back_whole_with_who_brought_it(register: Register, table: SqliteTable) -> None:
    # Addresses of no pattern, so that the list does not pack into one part.
    lines = [f"{number * 2_654_435_761 % 2**32}" for number in range(150_000)]
    text = "\n".join(f"{int(one) >> 24}.{int(one) >> 16 & 255}.{int(one) >> 8 & 255}.{int(one) & 255}" for one in lines)
    content = list_from_text(text)
    before = register.version()
    stored = register.acting("key-1").screening.put_list(content)
    assert stored.parts > 1
    assert register.version() > before
    assert (stored.version, stored.entries, stored.by) == (1, content.entries, "key-1")
    found = register.screening.lists()[ListKind.DATA_CENTRES]
    assert found == stored
    assert register.screening.content_of(found) == content.data
    (act,), _ = register.trail.page(INSTANCE, limit=10)
    assert (act.act, act.by, act.subject, act.details["version"]) == ("list-updated", "key-1", "data-centres", 1)


def test_a_list_that_is_being_read_stays_until_the_change_after_next(register: Register, table: SqliteTable) -> None:
    store = register.screening
    first = store.put_list(list_from_text("a.example\n"))
    second = store.put_list(list_from_text("b.example\n"))
    assert store.content_of(first) == b"a.example"
    third = store.put_list(list_from_text("c.example\n"))
    assert [store.content_of(one) for one in (second, third)] == [b"b.example", b"c.example"]
    with pytest.raises(ListIsTorn, match="not whole"):
        store.content_of(first)
    assert len(list(everything(table, "list#referrer-spam"))) == 2
    table.delete(Delete(Key("list#referrer-spam", "00000003#0000")))
    with pytest.raises(ListIsTorn):
        store.content_of(third)


def test_rules_have_versions_and_each_change_is_in_the_trail(register: Register) -> None:
    store = register.acting("key-1").screening
    assert store.rules_of("abc").version == 0
    store.put_rules("abc", rules_from_document({"paths": ["/preview/*"]}))
    store.put_rules("abc", rules_from_document({"agents": ["Example"], "isOn": False}))
    stored = register.screening.all_rules()["abc"]
    assert (stored.version, stored.by, stored.changed_at_ms) == (2, "key-1", NOON_MS)
    assert stored.rules.document()["agents"] == ["Example"]
    told = stored.document("abc")
    assert "from now on" in str(told["actsOn"])
    assert "not stored" in str(told["addressesNote"])
    acts, _ = register.trail.page("abc", limit=10)
    assert {(one.act, one.by) for one in acts} == {("rules-changed", "key-1")}
    (second,) = (one.details for one in acts if one.details["version"] == 2)
    assert (second["agentsAdded"], second["pathsRemoved"]) == ("Example", "/preview/*")
    assert "agentsRemoved" not in second


def test_a_rule_on_countries_needs_a_list_of_them(register: Register) -> None:
    rules = rules_from_document({"countries": ["FI"]})
    with pytest.raises(Refused, match="footfall lists update FILE"):
        register.screening.put_rules("abc", rules)
    register.screening.put_list(list_from_text("203.0.113.0/24,FI\n"))
    assert register.screening.put_rules("abc", rules).version == 1


def test_a_removed_brand_leaves_no_rules_behind(register: Register) -> None:
    register.add(Brand("abc"), zone_in_use=None)
    register.screening.put_rules("abc", rules_from_document({"paths": ["/preview/*"]}))
    register.remove("abc")
    assert register.screening.all_rules() == {}
