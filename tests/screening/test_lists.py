"""Files of lists: their kind by their first line, and each wrong line named by its number."""

import pytest

from footfall.screening.lists import ListKind, Lists, content_from_packed, list_from_text, with_list
from footfall.values.errors import Refused

NETWORKS = "# a cloud\n203.0.113.0/24\n\n2001:db8::/32  # another\n198.51.100.7\n"
COUNTRIES = "203.0.113.0/24,FI\n198.51.100.0,198.51.100.255,se\n2001:db8::/32,NO\n"


def taken(text: str) -> Lists:
    content = list_from_text(text)
    assert content_from_packed(content.kind, content.data) == content
    return with_list(Lists(), content.kind, content.data)


def test_networks_are_data_centres() -> None:
    ranges = taken(NETWORKS).data_centres
    assert (len(ranges), ranges.holds("203.0.113.77"), ranges.holds("2001:db8::1")) == (3, True, True)
    assert not ranges.holds("198.51.100.8")


def test_networks_with_a_country_are_countries() -> None:
    ranges = taken(COUNTRIES).countries
    asked = ("203.0.113.1", "198.51.100.255", "2001:db8::5", "192.0.2.1")
    assert [ranges.value_of(one) for one in asked] == ["FI", "SE", "NO", ""]


def test_domains_are_referrer_spam() -> None:
    assert taken("b.example\n# x\nA.example\nb.example\n").spam_domains == {"a.example", "b.example"}


@pytest.mark.parametrize(
    ("text", "kind", "said"),
    [
        ("", None, "is empty"),
        ("# nothing\n", None, "is empty"),
        ("203.0.113.0/24\n\nnews.example\n", None, "line 3: 'news.example' is no network"),
        ("203.0.113.0/240\n", ListKind.DATA_CENTRES, "line 1: '203.0.113.0/240' is no network"),
        ("a.example\nhttps://b.example/\n", None, "line 2: .* is not a domain"),
        ("203.0.113.0/24,Finland\n", None, "line 1: .* is not a network and a country"),
        ("203.0.113.9,203.0.113.1,FI\n", None, "line 1: .* does not end after it begins"),
        ("203.0.113.0/24,FI\n203.0.113.4,SE\n", None, "says both FI and SE"),
    ],
)
def test_a_file_that_is_wrong_is_refused_with_its_line(text: str, kind: ListKind | None, said: str) -> None:
    with pytest.raises(Refused, match=said):
        list_from_text(text, kind=kind)
