"""Hits that came alone are read together, and each body still stands for itself."""

import json
from typing import Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from footfall.flow.collect.fields import Hit
from footfall.flow.collect.parse import parse_alone, parse_one
from footfall.values.errors import Refused

LEAN = {"brand": "abc", "assetId": "1", "sectionId": 2, "resourceType": "article", "paidType": "free"}
LEAN_BODY = json.dumps(LEAN).encode()
texts = st.text("ab{}[],:é\\\"'0", max_size=4)
hits = st.fixed_dictionaries(
    {"brand": st.just("abc"), "assetId": texts | st.integers(-1, 9)},
    optional={"sectionId": texts | st.integers(0, 9), "resourceType": texts, "url": texts, "at": st.integers(0, 9)},
)
broken = st.sampled_from(
    [
        LEAN_BODY + b"," + LEAN_BODY,
        b'{"brand":"abc","assetId":"',
        b'{","sectionId":2,"resourceType":"article","paidType":"free"}',
        b'{"brand":"abc","assetId":"1","x":[1',
        b"{}]}",
        LEAN_BODY[:-1],
        LEAN_BODY + b",",
        LEAN_BODY[:-1] + b',"brand":"def"}',
        b'{"brand":"abc"',
        b'{:"1"}',
        b"{",
        b"{}",
    ]
)


def by_itself(body: bytes) -> Hit | tuple[str, str]:
    try:
        return parse_one(body)
    except Refused as refused:
        return refused.field, refused.reason


def told(found: Hit | Refused) -> Hit | tuple[str, str]:
    return (found.field, found.reason) if isinstance(found, Refused) else found


@given(bodies=st.lists(st.one_of(hits.map(lambda hit: json.dumps(hit).encode()), broken), min_size=1, max_size=6))
@example(bodies=[LEAN_BODY + b"," + LEAN_BODY, b'{"brand":"abc","assetId":"', b'{","sectionId":2,"resourceType":""}'])
@example(bodies=[LEAN_BODY[:-1], LEAN_BODY])
def test_bodies_that_are_read_together_give_what_each_gives_by_itself(bodies: list[bytes]) -> None:
    assert [told(one) for one in parse_alone(bodies)] == [by_itself(body) for body in bodies]


@pytest.mark.parametrize("more", [{}, {"url": "https://example.org/a"}, {"sectionId": "news"}, {"assetId": 7}])
def test_plain_bodies_of_one_kind_are_read_together(more: dict[str, Any]) -> None:
    bodies = [json.dumps(LEAN | {"assetId": number} | more).encode() for number in range(50)]
    assert parse_alone(bodies) == [parse_one(body) for body in bodies]
