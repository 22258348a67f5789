"""Assets are read from JSON, lines and tables alike; what cannot be taken is refused by name and alone."""

import json
from collections.abc import Callable, Mapping
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from footfall.catalog.asset import AUTHORS_MAX, TAGS_MAX, TITLE_BYTES_MAX, Asset, require_asset
from footfall.catalog.sent import SentAssets, assets_from_csv, assets_from_json, assets_from_lines
from footfall.catalog.shown import fields_of
from footfall.values.errors import Refused

WHOLE: Mapping[str, Any] = {
    "assetId": 132141398,
    "title": "A title; with, marks",
    "address": "https://news.example/a",
    "image": "/a.jpg",
    "sectionId": 563,
    "resourceType": "article",
    "paidType": "free",
    "published": "2026-11-15T14:30:00+02:00",
    "updated": 1_794_744_000_000,
    "authors": ["Ann", "Bob"],
    "tags": ["sea"],
}
ASSET = Asset(
    "132141398",
    title="A title; with, marks",
    address="https://news.example/a",
    image="/a.jpg",
    section="563",
    resource_type="article",
    paid_type="free",
    published_ms=1_794_745_800_000,
    updated_ms=1_794_744_000_000,
    authors=("Ann", "Bob"),
    tags=("sea",),
)


def read(content: object, *, assets_max: int = 100) -> SentAssets:
    return assets_from_json(json.dumps(content).encode(), brand="abc", assets_max=assets_max)


def refusal(**fields: object) -> tuple[str, str]:
    sent = read([{"assetId": "good"}, {"assetId": "x", **fields}])
    assert [one.id for one in sent.assets] == ["good"]
    (refused,) = sent.refused
    assert refused.index == 1
    return refused.field, refused.reason


def test_one_object_an_array_and_lines_say_the_same() -> None:
    line = json.dumps(WHOLE).encode()
    assert read(WHOLE).assets == [ASSET]
    assert read([WHOLE, {"assetId": "2"}]).assets == [ASSET, Asset("2")]
    assert assets_from_lines(line + b"\n\n" + line, brand="abc", assets_max=9).assets == [ASSET, ASSET]


def test_a_table_says_the_same_as_json() -> None:
    table = (
        "\ufeffassetId,title,url,image,sectionId,resourceType,paidType,published,updated,authors,tags\r\n"
        '132141398,"A title; with, marks",https://news.example/a,/a.jpg,563,article,free,'
        "2026-11-15T14:30:00+02:00,1794744000000,Ann; Bob;Ann,sea\r\n\r\n2\r\n"
    )
    sent = assets_from_csv(table.encode(), brand="abc", assets_max=9)
    assert sent.assets == [ASSET, Asset("2")]
    assert sent.refused == []


def test_what_is_shown_can_be_put_again() -> None:
    assert read(fields_of(ASSET)).assets == [ASSET]
    assert fields_of(Asset("2")) == {"assetId": "2"}


def test_numbers_and_texts_name_one_asset() -> None:
    assert [asset.id for asset in read([{"assetId": 7}, {"assetId": "7"}]).assets] == ["7", "7"]


def test_nothing_sent_and_null_are_the_same_and_unknown_fields_are_left_aside() -> None:
    assert read({"assetId": "1", "title": None, "authors": None, "published": None, "views": [1]}).assets == [
        Asset("1")
    ]


@pytest.mark.parametrize(
    ("fields", "field"),
    [
        ({"assetId": ""}, "assetId"),
        ({"assetId": None}, "assetId"),
        ({"assetId": 2**63}, "assetId"),
        ({"assetId": 1.5}, "assetId"),
        ({"assetId": True}, "assetId"),
        ({"assetId": "a" * 257}, "assetId"),
        ({"assetId": "a\nb"}, "assetId"),
        ({"assetId": "\ud800"}, "assetId"),
        ({"title": 7}, "title"),
        ({"title": "ä" * TITLE_BYTES_MAX}, "title"),
        ({"address": "javascript:alert(1)"}, "address"),
        ({"image": "data:image/png;base64,AA"}, "image"),
        ({"url": "https://a.example/", "address": "https://b.example/"}, "url"),
        ({"sectionId": [1]}, "sectionId"),
        ({"resourceType": "x" * 65}, "resourceType"),
        ({"paidType": {}}, "paidType"),
        ({"published": "yesterday"}, "published"),
        ({"published": "2026-11-15"}, "published"),
        ({"published": 1_700_000_000}, "published"),
        ({"updated": 1.5}, "updated"),
        ({"updated": True}, "updated"),
        ({"authors": "Ann"}, "authors"),
        ({"authors": [1]}, "authors"),
        ({"authors": ["Ann", "Ann"]}, "authors"),
        ({"authors": [""]}, "authors"),
        ({"authors": [str(number) for number in range(AUTHORS_MAX + 1)]}, "authors"),
        ({"tags": [str(number) for number in range(TAGS_MAX + 1)]}, "tags"),
        ({"tags": ["x" * 129]}, "tags"),
        ({"brand": "other"}, "brand"),
    ],
)
def test_a_field_that_is_wrong_is_named_and_the_rest_is_taken(fields: dict[str, object], field: str) -> None:
    assert refusal(**fields)[0] == field


@pytest.mark.parametrize(
    "body",
    [b"", b"[", b'[{"assetId":1}', b'{"assetId":1}{"assetId":2}', b"[1,", b"\xff", b"[" * 100_000],
)
def test_a_body_that_is_no_json_is_refused_whole(body: bytes) -> None:
    with pytest.raises(Refused) as caught:
        assets_from_json(body, brand="abc", assets_max=9)
    assert caught.value.field == "body"


@pytest.mark.parametrize("body", [b"7", b'"x"', b"null", b"[7]", b"[[]]"])
def test_what_is_no_object_is_refused_by_its_place(body: bytes) -> None:
    sent = assets_from_json(body, brand="abc", assets_max=9)
    assert sent.assets == []
    assert [(one.index, one.field) for one in sent.refused] == [(0, "body")]


@pytest.mark.parametrize(
    "line",
    [
        b"7",
        b"{",
        b'{"assetId":1,"assetId":2}',
        b'{"assetId":NaN}',
        b'{"assetId":' + b"9" * 5_000 + b"}",
        b'{"assetId":"\xff"}',
        b'{"a":' + b"[" * 100_000,
    ],
)
def test_a_line_that_is_wrong_costs_no_other_line(line: bytes) -> None:
    sent = assets_from_lines(b'{"assetId":1}\n' + line + b'\n{"assetId":3}', brand="abc", assets_max=9)
    assert [asset.id for asset in sent.assets] == ["1", "3"]
    assert [one.index for one in sent.refused] == [1]


@pytest.mark.parametrize(
    ("table", "field"),
    [
        (b"", "assetId"),
        (b"title\nx\n", "assetId"),
        (b"assetId,assetId\n1,2\n", "body"),
        (b"assetId,url,address\n", "body"),
        (b"assetId\n\xff", "body"),
    ],
)
def test_a_table_that_cannot_be_read_is_refused_whole(table: bytes, field: str) -> None:
    with pytest.raises(Refused) as caught:
        assets_from_csv(table, brand="abc", assets_max=9)
    assert caught.value.field == field


def test_a_row_with_too_many_cells_is_refused_alone() -> None:
    sent = assets_from_csv(b"assetId,title\n1,a\n2,b,c\n3,d\n", brand="abc", assets_max=9)
    assert [asset.id for asset in sent.assets] == ["1", "3"]
    assert [(one.index, one.field) for one in sent.refused] == [(1, "body")]


@pytest.mark.parametrize("separator", [",", ";", "\t"])
def test_a_table_is_read_with_the_separator_of_its_first_row(separator: str) -> None:
    rows = [("assetId", '"title"', "tags"), ("1", '"a, b; c"', '"x;y"'), ("2", "d", "")]
    table = "\r\n".join(separator.join(row) for row in rows)
    sent = assets_from_csv(b"\xef\xbb\xbf" + table.encode(), brand="abc", assets_max=9)
    assert sent.assets == [Asset("1", title="a, b; c", tags=("x", "y")), Asset("2", title="d")]
    assert (sent.refused, sent.ignored) == ([], ())


@pytest.mark.parametrize("ending", ["\n", "\r\n", "\r"])
def test_a_table_that_is_not_utf_8_is_refused_with_its_line(ending: str) -> None:
    table = ending.join(["assetId;title", "1;a", "2;Jyväskylä"])
    with pytest.raises(Refused, match="is not UTF-8 in line 3; save it as UTF-8"):
        assets_from_csv(table.encode("latin-1"), brand="abc", assets_max=9)
    with pytest.raises(Refused, match="is not UTF-8 in line 1; save it as UTF-8"):
        assets_from_csv(table.encode("utf-16"), brand="abc", assets_max=9)


def test_a_quote_that_is_never_closed_hides_only_what_follows_it() -> None:
    table = b'assetId,title,published\n1,a,never\n2,b\n3,"c\n4,d\n5,e\n'
    sent = assets_from_csv(table, brand="abc", assets_max=9)
    assert [asset.id for asset in sent.assets] == ["2"]
    assert [(one.index, one.field) for one in sent.refused] == [(0, "published"), (2, "body")]
    assert sent.refused[0].reason.endswith("(line 2, asset 1)")
    assert sent.refused[1].reason == "opens a quote that is never closed; nothing from line 4 on was read (line 4)"


def test_a_row_whose_quotes_are_wrong_is_refused_alone() -> None:
    sent = assets_from_csv(b'assetId,title\n1,"a" b\n2,"c\nd"\n3,e,f\n4,"g"\n', brand="abc", assets_max=9)
    assert sent.assets == [Asset("4", title="g")]
    assert [one.index for one in sent.refused] == [0, 1, 2]
    places = ("(line 2)", "(line 3, asset 2)", "(line 5, asset 3)")
    assert [one.reason.endswith(place) for one, place in zip(sent.refused, places, strict=True)] == [True] * 3


def test_a_cell_without_an_end_says_which_lines_it_took() -> None:
    table = b'assetId,title\n1,"' + b"x\n" * 70_000 + b"2,b\n"
    sent = assets_from_csv(table, brand="abc", assets_max=9_999)
    assert "nothing from line 2 to" in sent.refused[0].reason


def test_columns_that_no_asset_has_are_named_and_empty_ones_are_nobodys() -> None:
    sent = assets_from_csv(b"assetId,Views,url,brand,,\n1,7,/a,abc,,\n,,,,,\n", brand="abc", assets_max=9)
    assert sent.ignored == ("Views",)
    assert sent.assets == [Asset("1", address="/a")]
    assert sent.refused == []


@pytest.mark.parametrize("read_body", [assets_from_json, assets_from_lines, assets_from_csv])
def test_more_assets_than_are_taken_at_once_are_refused(read_body: Callable[..., SentAssets]) -> None:
    bodies = {
        assets_from_json: b'[{"assetId":1},{"assetId":2}]',
        assets_from_lines: b'{"assetId":1}\n{"assetId":2}',
        assets_from_csv: b"assetId\n1\n2\n",
    }
    assert read_body(bodies[read_body], brand="abc", assets_max=2).count == 2
    with pytest.raises(Refused, match="more than 1 assets"):
        read_body(bodies[read_body], brand="abc", assets_max=1)


json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=4), inner, max_size=3),
    max_leaves=6,
)
fields = st.dictionaries(st.sampled_from([*WHOLE, "url", "brand", "more"]), json_values, max_size=6)


@given(st.lists(fields, max_size=4))
@settings(max_examples=50, deadline=None)
def test_whatever_is_sent_each_asset_is_taken_or_refused(sent: list[dict[str, object]]) -> None:
    read_assets = read(sent)
    assert read_assets.count == len(sent) == len(read_assets.assets) + len(read_assets.refused)
    for asset in read_assets.assets:
        assert require_asset(asset) is asset
