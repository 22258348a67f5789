"""Requests about named counters: values are hashed at the door, each once, and what is frozen decides where they go."""

import pytest

from footfall.accounts.brands import Brand
from footfall.flow.collect.counted import (
    CounterRequest,
    article_value,
    entries_of_act,
    entries_of_values,
    values_from_body,
)
from footfall.flow.stream.counted_values import VALUES_PER_RECORD_MAX, Act, counter_record
from footfall.values.errors import Refused
from footfall.values.window import instant_text

NOON_MS = 1_794_744_000_000  # 2026-11-15T12:00Z
REQUEST = CounterRequest(Brand("abc", zone="Asia/Kathmandu"), "name", NOON_MS, 4, "key", b"body")


def test_a_value_that_stands_there_twice_is_hashed_once_and_weighs_two() -> None:
    (entry,) = entries_of_values(["a", "b", "a"], REQUEST)
    assert (entry.weight, len(counter_record(entry.data).rhos), entry.group) == (3, 2, "abc~uniques")


def test_the_order_of_values_is_not_in_the_record() -> None:
    (one,), (other,) = (entries_of_values(values, REQUEST) for values in (["a", "b", "c"], ["c", "a", "b", "b"]))
    assert one.data == other.data


def test_the_day_is_the_brand_s_own() -> None:
    (entry,) = entries_of_values(["a"], REQUEST)
    day = counter_record(entry.data).day
    assert (instant_text(day.from_ms), instant_text(day.to_ms)) == ("2026-11-14T18:15Z", "2026-11-15T18:15Z")


def test_all_acts_upon_a_counter_go_to_one_shard_so_that_they_keep_their_order() -> None:
    entries = [*entries_of_values(["a"], REQUEST), *entries_of_act(Act.DELETE, REQUEST)]
    assert len({entry.shard for entry in entries}) == 1


def test_what_does_not_fit_into_one_record_has_parts_of_one_claim() -> None:
    entries = entries_of_values([str(n) for n in range(VALUES_PER_RECORD_MAX + 1)], REQUEST)
    assert [entry.weight for entry in entries] == [VALUES_PER_RECORD_MAX, 1]
    assert [entry.claim.part for entry in entries if entry.claim] == [0, 1]
    assert len({entry.claim.key for entry in entries if entry.claim}) == 1
    assert len(entries[0].data) < 500_000


def test_too_many_values_are_refused_together() -> None:
    with pytest.raises(Refused, match="3 values, at most 2"):
        values_from_body(b"[1,2,3]", lines=False, values_max=2)
    with pytest.raises(Refused, match="at most 2"):
        values_from_body(b"1\n2\n3\n4\n5", lines=True, values_max=2)


def test_the_article_sends_an_object_with_data() -> None:
    assert article_value(b'{"data": "http://some.url/data/point"}') == "http://some.url/data/point"
    for body in (b"", b"[]", b"{}", b'"x"', b'{"data": {}}'):
        with pytest.raises(Refused):
            article_value(body)
