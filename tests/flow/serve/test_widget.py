"""The most-read box as HTML: what is in it, what is left out, and that no title or address gets out of its place."""

from html.parser import HTMLParser

import pytest

from footfall.flow.serve.widget import Box, box_from, box_parameters, fragment, list_given
from footfall.values.errors import Refused

HOSTILE = (
    "<script>alert(1)</script>",
    '"><img src=x onerror=alert(1)>',
    "' onmouseover='alert(1)",
    "</a></li></ol></section><script>alert(1)</script>",
    "&lt;b&gt; &amp; <b>",
    "<!-- <!--> --!>",
    "]]><svg/onload=alert(1)>",
)


class Parts(HTMLParser):
    """Collects the elements, their attributes and the texts of a piece of HTML."""

    def __init__(self, text: str) -> None:
        super().__init__(convert_charrefs=True)
        self.names: list[str] = []
        self.attributes: list[dict[str, str | None]] = []
        self.texts: list[str] = []
        self.feed(text)
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.names.append(tag)
        self.attributes.append(dict(attrs))

    def handle_data(self, data: str) -> None:
        if data.strip():
            self.texts.append(data)


def item(number: int, title: str = "", address: str = "", **more: object) -> dict[str, object]:
    known = {name: value for name, value in (("title", title), ("address", address)) if value}
    return {"rank": number, "assetId": f"a{number}", "hits": 9, **known, **more}


def test_a_box_is_a_section_with_its_heading_and_links_in_order() -> None:
    items = [item(1, "One", "https://example.com/1"), item(2, "Two", "/2"), item(3, "Three", "HTTP://example.com/3")]
    parts = Parts(fragment(items, Box(heading="Tops", lang="pt-BR", level="3"), mark="x1"))
    assert parts.names == ["section", "h3", "ol", *["li", "a"] * 3]
    assert parts.texts == ["Tops", "One", "Two", "Three"]
    assert [one["href"] for one in parts.attributes if "href" in one] == [
        "https://example.com/1", "/2", "HTTP://example.com/3",
    ]  # fmt: skip
    assert parts.attributes[0] == {"class": "footfall-box", "aria-labelledby": "footfall-x1", "lang": "pt-BR"}
    assert parts.attributes[1]["id"] == "footfall-x1"


@pytest.mark.parametrize("words", HOSTILE)
def test_no_title_heading_or_address_gets_out_of_its_place(words: str) -> None:
    made = fragment([item(1, words, f"https://example.com/{words}")], Box(heading=words), mark="x")
    parts = Parts(made)
    assert parts.names == ["section", "h2", "ol", "li", "a"]
    assert parts.texts == [words, words]
    assert set(parts.attributes[-1]) == {"class", "dir", "href"}
    assert parts.attributes[-1]["href"] == f"https://example.com/{words}"


@pytest.mark.parametrize(
    "address", ["javascript:alert(1)", " javascript:alert(1)", "data:text/html,x", "\x01https://x", "ftp://x", "x/y"]
)
def test_what_is_no_address_of_a_page_is_no_link(address: str) -> None:
    assert fragment([item(1, "One", address)], Box(), mark="x") == ""


def test_assets_without_a_title_leave_their_places_to_others() -> None:
    items = [
        item(1),
        item(2, " "),
        item(3, "Three", "/3"),
        item(4, "Four"),
        item(5, "Five", "/5"),
        item(6, "Six", "/6"),
    ]
    assert Parts(fragment(items, Box(limit=2), mark="x")).texts == ["Most read", "Three", "Five"]


def test_an_asset_that_is_known_by_its_address_is_linked_to_it() -> None:
    made = fragment([{"rank": 1, "assetId": "https://example.com/a", "title": "A"}], Box(), mark="x")
    assert 'href="https://example.com/a"' in made


def test_a_box_without_anything_to_show_is_nothing() -> None:
    assert fragment([], Box(), mark="x") == ""


def test_the_list_is_asked_for_more_than_is_shown_and_for_nothing_that_is_the_box_s_own() -> None:
    given = box_parameters("brand=abc&limit=5&title=Tops&lang=de&level=3&section=7,8&sort=uniques")
    assert list_given(given) == {
        "brand": ["abc"], "period": ["day"], "limit": ["10"], "section": ["7,8"], "sort": ["uniques"],
    }  # fmt: skip
    assert list_given(box_parameters("brand=abc&period=week"))["period"] == ["week"]


@pytest.mark.parametrize(
    ("query", "field"),
    [
        ("limit=0", "limit"), ("limit=21", "limit"), ("level=1", "level"), ("level=7", "level"), ("lang=x y", "lang"),
        ('lang=en"', "lang"), (f"title={'x' * 201}", "title"), ("title=a&title=b", "title"), ("lang=en%0A", "lang"),
    ],
)  # fmt: skip
def test_a_box_that_there_is_not_is_refused_by_name(query: str, field: str) -> None:
    with pytest.raises(Refused) as refused:
        box_from(box_parameters(query))
    assert refused.value.field == field


def test_a_parameter_of_lists_alone_is_refused() -> None:
    with pytest.raises(Refused, match="format: is not a parameter of the box"):
        box_parameters("brand=abc&format=csv")
