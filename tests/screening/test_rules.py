"""Rules of an operator: what they block, and how one that is wrong is refused."""

from typing import Any

import pytest

from footfall.screening.labels import Reason
from footfall.screening.ranges import NONE, range_of, ranges_from
from footfall.screening.rules import REMEMBERED_MAX, BrandRules, rules_from_document
from footfall.values.errors import Refused


def test_networks_and_countries_block_addresses() -> None:
    rules = rules_from_document({"addresses": ["203.0.113.0/24", "2001:db8::1"], "countries": ["fi"]})
    countries = ranges_from([range_of("198.51.100.0/24", value="FI")])
    asked = ("203.0.113.200", "2001:db8::1", "198.51.100.1", "192.0.2.1", "no address")
    found = [rules.on_address(one, countries) for one in asked]
    assert found == [Reason.RULE_ADDRESS, Reason.RULE_ADDRESS, Reason.RULE_COUNTRY, Reason.NONE, Reason.NONE]
    assert BrandRules().on_address("203.0.113.200", NONE) is Reason.NONE


def test_agents_are_blocked_by_a_part_of_them_in_any_case() -> None:
    rules = rules_from_document({"agents": ["ExampleReader"]})
    assert rules.on_agent("Mozilla/5.0 examplereader/2") is Reason.RULE_AGENT
    assert rules.on_agent("Mozilla/5.0") is Reason.NONE


@pytest.mark.parametrize(
    ("page", "is_blocked"),
    [
        ("https://x.example/preview/7?x=/a", True),
        ("/preview/", True),
        ("https://x.example/one?q", True),
        ("https://x.example/one/two", False),
        ("https://x.example/?next=/preview/7", False),
        ("https://x.example", False),
        ("132141398", False),
    ],
)
def test_paths_are_blocked_whole_or_by_their_beginning(page: str, is_blocked: bool) -> None:
    assert rules_from_document({"paths": ["/preview/*", "/one"]}).pages[page] is is_blocked


@pytest.mark.parametrize(
    ("document", "field"),
    [
        ({"adresses": []}, "adresses"),
        ({"addresses": "203.0.113.0/24"}, "addresses"),
        ({"addresses": ["203.0.113.7/24"]}, "addresses"),
        ({"addresses": ["0.0.0.0/0"]}, "addresses"),
        ({"addresses": [7]}, "addresses[0]"),
        ({"addresses": ["192.0.2.1"] * 2_001}, "addresses"),
        ({"agents": ["ab"]}, "agents"),
        ({"agents": ["Mozilla/5.0 ("]}, "agents"),
        ({"agents": ["a\nbc"]}, "agents[0]"),
        ({"paths": ["preview"]}, "paths"),
        ({"paths": ["/*"]}, "paths"),
        ({"paths": ["/a*b"]}, "paths"),
        ({"countries": ["Finland"]}, "countries"),
        ({"isOn": "yes"}, "isOn"),
    ],
)
def test_a_rule_that_cannot_be_is_refused_by_its_name(document: dict[str, Any], field: str) -> None:
    with pytest.raises(Refused) as refused:
        rules_from_document(document)
    assert refused.value.field == field


def test_pages_that_are_made_up_take_bounded_room() -> None:
    pages = rules_from_document({"paths": ["/preview/*"]}).pages
    for number in range(REMEMBERED_MAX + 10):
        assert not pages[f"https://x.example/{number}"]
    assert not pages[f"https://x.example/{'a' * 2_000}"]
    assert len(pages) <= REMEMBERED_MAX


def test_rules_come_back_as_they_were_written() -> None:
    document = {
        "addresses": ["203.0.113.0/24"],
        "agents": ["Example"],
        "paths": ["/preview/*"],
        "countries": ["FI"],
        "isOn": False,
    }
    assert rules_from_document(document).document() == document
