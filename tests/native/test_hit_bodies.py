"""The native lane answers nothing, or exactly what the lanes in Python answer; and plain bodies it does answer."""

import json
from collections.abc import Callable
from random import Random
from typing import Any

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from footfall.flow.collect import parse
from footfall.flow.collect.fields import Draft, Hit, Parsed
from footfall.flow.stream.moments import column_of_moments, span_of
from footfall.flow.stream.packed_keys import PackedKeys
from footfall.native import keys_of_body
from footfall.values.errors import Refused
from footfall.values.hit import ASSET_BYTES_MAX, LABEL_BYTES_MAX, NUMBER_MAX
from tests.native.hostile import BRANDS_MAX, FIRST_MS, Bodies, hostile_body, plain_bodies, text_of_size

HITS_MAX = 1_000_000
BODIES_PER_SEED = 60
PLAIN = plain_bodies()


def is_answered(body: bytes, *, lines: bool) -> bool:
    """Tell whether the native lane answers, having held its answer against that of the others."""
    found = parse._native(body, lines=lines)
    if found is None:
        return False
    told = parse._decoded(body, parse._LINES if lines else parse._ARRAY, HITS_MAX)
    assert told.refused == found.refused == []
    assert seen_in(found) == seen_in(told)
    for draft in found.drafts:
        assert isinstance(draft.keys, PackedKeys)
        assert draft.keys.packed == msgspec.msgpack.encode(list(draft.keys))
        assert len(draft.keys) == len(draft.places) == len(list(draft.keys))
        if draft.at_ms is not None:
            moments = list(draft.at_ms)
            assert column_of_moments(draft.at_ms) == msgspec.Raw(msgspec.msgpack.encode(moments))
            assert span_of(draft.at_ms) == (min(moments), max(moments))
    assert all(map(has_only_keys, told.drafts))
    return True


def seen_in(parsed: Parsed) -> tuple[int, list[tuple[str, list[Any], list[int], list[int | None]]]]:
    return parsed.count, [
        (draft.brand, list(draft.keys), list(draft.places), times_of(draft)) for draft in parsed.drafts
    ]


def times_of(draft: Draft) -> list[int | None]:
    if draft.hits is not None:
        return [hit.at_ms for hit in draft.hits]
    return [None] * len(draft.keys) if draft.at_ms is None else list(draft.at_ms)


def has_only_keys(draft: Draft) -> bool:
    return draft.hits is None or all(hit == Hit(hit.brand, hit.key, hit.at_ms) for hit in draft.hits)


def hit_with(**fields: object) -> dict[str, object]:
    plain = {"brand": "abc", "assetId": "1", "sectionId": 563, "resourceType": "article", "paidType": "free"}
    return {name: value for name, value in {**plain, **fields}.items() if value is not None}


def body_with(**fields: object) -> bytes:
    return json.dumps([hit_with(), hit_with(**fields)], ensure_ascii=False).encode()


@given(seed=st.integers(0, 2**32))
def test_whatever_a_body_is_the_native_lane_answers_nothing_or_what_the_others_do(seed: int) -> None:
    chance = Random(seed)
    for _ in range(BODIES_PER_SEED):
        body, lines = hostile_body(chance)
        is_answered(body, lines=lines)
        is_answered(body, lines=not lines)


texts = st.text("abcXYZ0189 -_./:{}[],'\x7f", max_size=70)
numbers = st.integers(0, 10**18 - 1)
lean_hits = st.fixed_dictionaries(
    {
        "assetId": st.text("abc/ 019", min_size=1, max_size=256) | numbers,
        "sectionId": st.text("abc 019", max_size=64) | numbers,
        "resourceType": st.text("abc", max_size=64),
        "paidType": st.text("abc", max_size=64),
    },
    optional={"brand": st.sampled_from(["abc", "def", ""])},
)


@given(hits=st.lists(lean_hits, min_size=1, max_size=20), indent=st.none() | st.just(1), lines=st.booleans())
def test_every_body_of_plain_hits_is_answered(hits: list[dict[str, Any]], indent: int | None, lines: bool) -> None:
    body = "\n".join(map(json.dumps, hits)) if lines else json.dumps(hits, indent=indent)
    assert is_answered(body.encode(), lines=lines)


@given(hits=st.lists(st.dictionaries(st.sampled_from(["assetId", "sectionId", "url"]), texts | numbers), max_size=4))
def test_hits_with_other_fields_or_too_few_are_left_to_the_others(hits: list[dict[str, Any]]) -> None:
    assert not is_answered(json.dumps(hits).encode(), lines=False)


@pytest.mark.parametrize("kind", PLAIN)
def test_bodies_that_are_sent_all_the_time_are_answered(kind: str) -> None:
    body, lines = PLAIN[kind]
    assert is_answered(body, lines=lines)


def test_most_bodies_without_oddities_are_answered() -> None:
    # Else the comparisons above would say nothing.
    chance = Random(1)
    bodies = [Bodies(chance, oddity=0.0, brands=3).body(20, lines=bool(number % 2)) for number in range(200)]
    assert sum(is_answered(body, lines=bool(number % 2)) for number, body in enumerate(bodies)) == 200


@pytest.mark.parametrize(
    ("fields", "is_plain"),
    [
        ({"assetId": "a" * ASSET_BYTES_MAX}, True),
        ({"assetId": "a" * (ASSET_BYTES_MAX + 1)}, False),
        ({"assetId": ""}, False),
        ({"sectionId": "a" * LABEL_BYTES_MAX}, True),
        ({"sectionId": "a" * (LABEL_BYTES_MAX + 1)}, False),
        ({"sectionId": ""}, True),
        ({"resourceType": "a" * LABEL_BYTES_MAX}, True),
        ({"resourceType": "a" * (LABEL_BYTES_MAX + 1)}, False),
        ({"resourceType": 5}, False),
        ({"paidType": "a" * (LABEL_BYTES_MAX + 1)}, False),
        ({"paidType": 5}, False),
        ({"brand": "a" * LABEL_BYTES_MAX}, True),
        ({"brand": "a" * (LABEL_BYTES_MAX + 1)}, False),
        ({"brand": ""}, True),
        ({"brand": None}, True),
        ({"brand": 5}, False),
        ({"assetId": 10**18 - 1, "sectionId": 0}, True),
        ({"assetId": 10**18}, False),
        ({"assetId": NUMBER_MAX}, False),
        ({"assetId": NUMBER_MAX + 1}, False),
        ({"assetId": -1}, False),
        ({"assetId": 1.5}, False),
        ({"sectionId": "\x7f"}, True),
        ({"sectionId": "é"}, False),
        ({"sectionId": '"'}, False),
        ({"url": "/"}, False),
        ({"at": FIRST_MS}, False),  # The hit before it has none.
        ({"sectionId": [1]}, False),
        ({"assetId": None}, False),
        ({"sectionId": None}, False),
        ({"paidType": None}, False),
    ],
)
def test_limits_are_those_of_the_other_lanes(fields: dict[str, object], is_plain: bool) -> None:
    assert is_answered(body_with(**fields), lines=False) == is_plain


@pytest.mark.parametrize(
    "wrong",
    [
        b'"assetId":"1","assetId":"2"', b'"assetId":007', b'"assetId":1.0', b'"assetId":1e3', b'"assetId":-0',
        b'"assetId":"a\\u0062"', b'"assetId":"a\tb"', b'"assetId":"\xff"', b'"assetId":\'a\'', b'"assetId":',
        b'"assetId" "1"', b'"assetId":"1",', b'"assetId":null', b'"asset\\u0049d":"1"', b'"assetId":"1"\x00',
    ],
)  # fmt: skip
def test_what_is_odd_is_left_to_the_other_lanes(wrong: bytes) -> None:
    body = b'[{"brand":"abc",' + wrong + b',"sectionId":1,"resourceType":"","paidType":""}]'
    assert not is_answered(body, lines=False)
    assert not is_answered(body[1:-1], lines=True)


@pytest.mark.parametrize(
    ("at", "is_plain"),
    [
        (100_000_000_000, True), (99_999_999_999, False), (253_370_764_799_999, True), (253_370_764_800_000, False),
        ("2026-11-18T12:00Z", False), (None, False), (1.5, False),
    ],
)  # fmt: skip
def test_times_that_are_milliseconds_within_their_bounds_are_read(at: object, is_plain: bool) -> None:
    body = json.dumps([{**hit_with(), "at": FIRST_MS}, {**hit_with(), "at": at}]).encode()
    assert is_answered(body, lines=False) == is_plain


def test_a_body_of_one_brand_too_many_is_left_to_the_others() -> None:
    def named(count: int) -> bytes:
        return json.dumps([hit_with(brand=f"brand-{number}") for number in range(count)] * 2).encode()

    assert is_answered(named(BRANDS_MAX), lines=False)
    assert not is_answered(named(BRANDS_MAX + 1), lines=False)


@pytest.mark.parametrize("brand", ["", "a", "a" * LABEL_BYTES_MAX])
def test_a_hit_without_a_brand_has_an_empty_one_whatever_was_read_before(brand: str) -> None:
    # What the body before left in memory must not be taken for a name.
    assert keys_of_body is not None
    keys_of_body(json.dumps([hit_with(brand=brand)] * 3).encode(), False)
    (found,) = keys_of_body(json.dumps([hit_with(brand=None)]).encode(), False) or [None]
    assert found is not None
    assert found[0] == ""


@pytest.mark.parametrize(
    "layout",
    [
        lambda one: one + b"\n\n" + one,
        lambda one: b"\n" + one,
        lambda one: one + b"\n \n",
        lambda one: one + b" " + one,
        lambda one: one + b"\r" + one,
        lambda one: one.replace(b",", b",\n"),
        lambda one: one + b",\n" + one,
        lambda _one: b"",
        lambda _one: b"\n",
    ],
)
def test_lines_of_another_layout_are_left_to_the_others(layout: Callable[[bytes], bytes]) -> None:
    assert not is_answered(layout(json.dumps(hit_with()).encode()), lines=True)


def test_every_beginning_of_a_body_is_left_to_the_others() -> None:
    body = json.dumps([hit_with(), hit_with(brand=None, assetId=text_of_size(20, Random(1)))]).encode()
    assert is_answered(body, lines=False)
    assert not any(is_answered(body[:size], lines=False) for size in range(len(body)))


def test_a_body_of_too_many_hits_is_refused_with_the_same_words() -> None:
    body = json.dumps([hit_with()] * 11).encode()
    with pytest.raises(Refused, match="has 11 hits, at most 10 are taken at once"):
        parse.parse_hits(body, lines=False, hits_max=10)
