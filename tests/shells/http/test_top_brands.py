"""Several brands together: their lines, and what they come to."""

from typing import Any

import msgspec
import pytest

from footfall.flow.serve.tables import formatted
from footfall.shells.http.top_brands import rolled_up

ABC: dict[str, Any] = {
    "brand": "abc",
    "period": "day",
    "from": "2026-11-14T14:00Z",
    "to": "2026-11-15T15:00Z",
    "exact": True,
    "hits": 900,
    "hitsBefore": 800,
}
VISITED = ABC | {
    "sort": "uniques",
    "uniquesAre": "visitors",
    "uniques": 500,
    "uniquesAtLeast": 490,
    "uniquesAtMost": 510,
}


def together(*lines: dict[str, Any]) -> dict[str, Any]:
    return msgspec.json.decode(rolled_up(lines).body)


@pytest.mark.parametrize(
    ("one", "other", "both"),
    [
        ("visitors", "visitors", "visitors"),
        ("visitors", "visitorDays", "visitorDays"),
        ("visitorDays", "visitorDays", "visitorDays"),
    ],
)
def test_visitors_of_brands_are_visitors_only_where_each_brand_says_so(one: str, other: str, both: str) -> None:
    found = together(VISITED | {"uniquesAre": one}, VISITED | {"brand": "xyz", "uniquesAre": other})
    assert found["uniquesAre"] == both
    assert [item["uniquesAre"] for item in found["items"]] == [one, other]


@pytest.mark.parametrize(("at_most", "of_both"), [(110, 620), (None, None)])
def test_the_bounds_of_brands_add_up_where_all_have_them(at_most: int | None, of_both: int | None) -> None:
    other = VISITED | {"brand": "xyz", "uniques": 100, "uniquesAtLeast": 95, "uniquesAtMost": at_most}
    found = together(VISITED, other)
    assert (found["uniques"], found["uniquesAtLeast"], found["uniquesAtMost"]) == (600, 585, of_both)


def test_hits_of_brands_say_nothing_of_visitors() -> None:
    found = together(ABC, ABC | {"brand": "xyz"})
    assert (found["hits"], found["hitsBefore"]) == (1_800, 1_600)
    assert not [name for name in found if name.startswith("uniques")]


@pytest.mark.parametrize("line", [ABC, VISITED])
def test_a_table_of_brands_has_the_same_columns_whatever_is_in_it(line: dict[str, Any]) -> None:
    more = {"hitsAtMost": 950, "keptSince": "2026-11-14T20:00Z", "final": True}
    plain, full = (formatted(rolled_up([one]), "csv").body.decode().splitlines()[0] for one in (line, line | more))
    assert plain == full
    assert {"rank", *line, *more} == set(full.split(","))
