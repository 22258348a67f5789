"""Each field's limits, in bytes, at the edge and over it, in every lane."""

import json
from typing import Any

import pytest

from footfall.flow.collect.careful import careful_hit
from footfall.flow.collect.fields import Hit, Parsed, SentHit, hit_from_sent, parsed_from_hits
from footfall.flow.collect.parse import parse_hits
from footfall.values.errors import Refused
from footfall.values.hit import ADDRESS_BYTES_MAX, ASSET_BYTES_MAX, ID_BYTES_MAX, LABEL_BYTES_MAX

LIMITS = {
    "assetId": ASSET_BYTES_MAX,
    "sectionId": LABEL_BYTES_MAX,
    "resourceType": LABEL_BYTES_MAX,
    "paidType": LABEL_BYTES_MAX,
    "url": ADDRESS_BYTES_MAX,
    "referrer": ADDRESS_BYTES_MAX,
    "id": ID_BYTES_MAX,
    "visitor": ID_BYTES_MAX,
}
LEAN = {"brand": "abc", "assetId": "1", "sectionId": 5, "resourceType": "article", "paidType": "free"}


def parse(hit: dict[str, Any], *, escaped: bool) -> Parsed:
    return parse_hits(json.dumps([hit, LEAN], ensure_ascii=escaped).encode(), lines=False, hits_max=10)


@pytest.mark.parametrize("field", LIMITS)
@pytest.mark.parametrize("character", ["a", "é", "€", "🦌"])
@pytest.mark.parametrize("escaped", [False, True])
def test_a_text_may_have_its_most_bytes_and_not_one_more(field: str, character: str, escaped: bool) -> None:
    size = len(character.encode())
    limit = LIMITS[field]
    longest = character * (limit // size) + "a" * (limit % size)
    assert parse(LEAN | {field: longest}, escaped=escaped).refused == []
    parsed = parse(LEAN | {field: longest + "a"}, escaped=escaped)
    assert [(one.index, one.field) for one in parsed.refused] == [(0, field)]
    assert f"{limit + 1} bytes, at most {limit}" in parsed.refused[0].reason
    assert sum(len(draft.keys) for draft in parsed.drafts) == 1


@pytest.mark.parametrize(
    ("at", "at_ms"),
    [
        (1_794_753_000_000, 1_794_753_000_000),
        (100_000_000_000, 100_000_000_000),
        (253_370_764_799_999, 253_370_764_799_999),
        ("2026-11-15T14:30:00Z", 1_794_753_000_000),
        ("2026-11-15T16:30:00+02:00", 1_794_753_000_000),
        ("2026-11-15T14:30:00.1239Z", 1_794_753_000_123),
        ("1970-01-01T00:00:00Z", 0),
        ("1969-12-31T23:00:00-01:00", 0),
        ("9998-12-31T23:59:59.999Z", 253_370_764_799_999),
    ],
)
@pytest.mark.parametrize("lane", ["plain", "full", "careful"])
def test_a_time_is_whole_milliseconds_or_text_with_a_zone(at: str | int, at_ms: int, lane: str) -> None:
    hit = {"brand": "abc", "assetId": 1, "at": at} | {"plain": {}, "full": {"url": "é"}, "careful": {"url": "\\"}}[lane]
    parsed = parse(hit, escaped=False)
    assert parsed.refused == []
    assert parsed.drafts[0].hits is not None
    assert parsed.drafts[0].hits[0].at_ms == at_ms


@pytest.mark.parametrize(
    "at", [99_999_999_999, 253_370_764_800_000, "9999-01-01T00:00:00Z", "", "14:30", "2026-02-30T00:00Z"]
)
@pytest.mark.parametrize("more", [{}, {"url": "é"}, {"url": "\\"}])
def test_a_time_out_of_reason_is_refused(at: str | int, more: dict[str, Any]) -> None:
    parsed = parse({"brand": "abc", "assetId": 1, "at": at} | more, escaped=False)
    assert [(one.index, one.field) for one in parsed.refused] == [(0, "at")]


def test_null_and_empty_are_the_same_as_not_sent() -> None:
    names = [name for name in LIMITS if name != "assetId"]
    bare = careful_hit(b'{"brand":"abc","assetId":"1"}')
    for value in (None, ""):
        for name in names:
            for more in ({}, {"x": "é"}, {"x": "\\"}):
                body = json.dumps([{"brand": "abc", "assetId": "1", name: value} | more], ensure_ascii=False)
                parsed = parse_hits(body.encode(), lines=False, hits_max=10)
                (draft,) = parsed.drafts
                assert draft.keys == [bare.key]
                assert draft.hits is None or draft.hits == [bare]


def test_section_zero_is_a_section() -> None:
    for more in ({}, {"url": "/"}, {"url": "é"}, {"url": "\\"}):
        parsed = parse({"brand": "abc", "assetId": 0, "sectionId": 0} | more, escaped=False)
        assert parsed.drafts[0].keys[0][:2] == ("0", "0")


def test_the_first_field_that_is_wrong_is_named() -> None:
    with pytest.raises(Refused, match="assetId: is empty"):
        hit_from_sent(SentHit(brand="abc", assetId="", sectionId="x" * 65))


def test_hits_are_grouped_by_brand_in_the_order_they_were_sent() -> None:
    hits = [Hit(brand, (str(place), "", "", "")) for place, brand in enumerate("abab")]
    parsed = parsed_from_hits([(place * 2, hit) for place, hit in enumerate(hits)], count=9)
    assert parsed.count == 9
    assert [(d.brand, d.places, [k[0] for k in d.keys]) for d in parsed.drafts] == [
        ("a", [0, 4], ["0", "2"]),
        ("b", [2, 6], ["1", "3"]),
    ]
