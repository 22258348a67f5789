"""Any tables become items by templates."""

from typing import Any

import pytest

from footfall.migrate.mapping import moving_from
from footfall.migrate.moved import Items
from footfall.ports.relational import Cell, Document
from footfall.ports.table import Key
from footfall.values.errors import Refused
from tests.migrate.documents import mapping_file

HIT: dict[str, Cell] = {
    "id": 1, "hit_amount": 258, "asset_id": 132141398, "resource_type": "article", "section_id": 7,
    "hit_stmp": "2026-11-15 16:30:00+02", "paid_type": None,
}  # fmt: skip
ORDERS: dict[str, Any] = {
    "entity": "order", "table": "orders", "key": "id", "zone": "Europe/Helsinki",
    "parts": {
        "lines": {"table": "lines", "of": "order_id", "key": ["line"]},
        "tags": {"table": "tags", "of": "order_id", "key": ["tag"]},
    },
    "rows": {
        "alone": True,
        "root": {
            "partition": "order#{id}", "sort": "head",
            "attributes": {
                "kind": {"constant": "order"}, "at": {"column": "at", "as": "moment"},
                "day": {"column": "day", "as": "day"},
                "isPaid": {"column": "paid", "as": "truth"}, "total": {"column": "total", "as": "number"},
                "tags": {"part": "tags", "column": "tag"}, "zip": {"column": "zip", "as": "text"},
            },
        },
        "parts": {"lines": {"partition": "order#{root.id}", "sort": "line#{line:3}", "attributes": {"what": "what"}}},
    },
}  # fmt: skip
ORDER: dict[str, Cell] = {
    "id": 5, "at": "2026-07-01 12:00:00", "day": "2026-07-01", "paid": 1, "total": "12.50", "zip": 100,
}  # fmt: skip


def hits(**cells: Cell) -> Items:
    return moving_from(mapping_file("old_page_hits/mapping.yaml")).target.items("1", Document({**HIT, **cells}, {}))


def order(**cells: Cell) -> Items:
    parts: dict[str, Any] = {
        "lines": [{"line": 2, "what": "tea"}, {"line": 10, "what": None}],
        "tags": [{"tag": "new"}, {"tag": "gift"}],
    }
    return moving_from(ORDERS).target.items("5", Document({**ORDER, **cells}, parts))


def test_a_page_hit_becomes_a_row_of_its_window() -> None:
    key = Key("abc#H#2026-11-15T14:30", "00000258#132141398")
    assert hits() == {key: {"sectionId": 7, "resourceType": "article"}}, "what is null is not there"


def test_a_number_that_would_sort_wrongly_is_refused() -> None:
    with pytest.raises(Refused, match="hit_amount: 100000000 has no place in 8 digits"):
        hits(hit_amount=100_000_000)


def test_a_key_has_no_nulls() -> None:
    with pytest.raises(Refused, match="asset_id: is null, and is part of a key"):
        hits(asset_id=None)


def test_a_root_and_its_parts_become_items_with_sets_and_kinds() -> None:
    found = order()
    assert found[Key("order#5", "head")] == {
        "kind": "order", "at": 1_782_896_400_000, "day": "2026-07-01", "isPaid": True, "total": 12.5,
        "tags": {"new", "gift"}, "zip": "100",
    }  # fmt: skip
    assert [key.sort for key in found] == ["line#002", "line#010", "head"]
    assert found[Key("order#5", "line#010")] == {}


@pytest.mark.parametrize(
    ("cells", "told"),
    [
        ({"total": "0.12345678901234567890"}, "total: .*more digits than a number keeps"),
        ({"total": "NaN"}, "total: .*not a number that a table holds"),
        ({"paid": "maybe"}, "isPaid: .*neither true nor false"),
        ({"day": "soon"}, "day: .*not a moment"),
        ({"zip": b"\xff"}, "zip: .*no text"),
        ({"zip": "x" * 500_000}, "item: .*400000 bytes"),
    ],
)
def test_what_a_table_cannot_hold_is_refused(cells: dict[str, Cell], told: str) -> None:
    with pytest.raises(Refused, match=told):
        order(**cells)


def test_a_column_that_is_not_there_is_named() -> None:
    with pytest.raises(Refused, match="zip: there is no such column among"):
        moving_from(ORDERS).target.items("5", Document({key: cell for key, cell in ORDER.items() if key != "zip"}, {}))
