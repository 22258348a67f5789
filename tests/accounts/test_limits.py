"""Token buckets: what they let through, and that no number of addresses makes them larger."""

from array import array

import pytest
from hypothesis import given
from hypothesis import strategies as st

from footfall.accounts import limits
from footfall.accounts.brands import Brand, BrandLimits
from footfall.accounts.limits import PLACES, Buckets, Limits, Rate, TooOften

SECRET = b"k" * 32
RATE = Rate(per_s=2, burst=5)


def taken(buckets: Buckets, place: bytes, *, now_s: float, rate: Rate = RATE) -> bool:
    try:
        buckets.take_for_address(place, "abc", rate, now_s=now_s)
    except TooOften:
        return False
    return True


def test_a_burst_is_let_through_and_then_the_rate() -> None:
    buckets = Buckets(SECRET)
    assert [buckets.take_for_key("k", RATE, now_s=100.0).left for _ in range(5)] == [4, 3, 2, 1, 0]
    with pytest.raises(TooOften) as caught:
        buckets.take_for_key("k", RATE, now_s=100.0)
    assert caught.value.retry_after_s == 1
    assert buckets.take_for_key("k", RATE, now_s=100.5).left == 0
    with pytest.raises(TooOften):
        buckets.take_for_key("k", RATE, now_s=100.6)
    assert buckets.take_for_key("k", RATE, now_s=1_000.0).left == 4


def test_what_was_refused_costs_nothing() -> None:
    buckets = Buckets(SECRET)
    for _ in range(100):
        taken(buckets, b"\x01\x02\x03\x04", now_s=50.0)
    assert taken(buckets, b"\x01\x02\x03\x04", now_s=50.5)


def test_one_address_or_key_does_not_use_up_anothers() -> None:
    buckets = Buckets(SECRET)
    for _ in range(6):
        taken(buckets, b"\x01\x02\x03\x04", now_s=50.0)
    assert not taken(buckets, b"\x01\x02\x03\x04", now_s=50.0)
    assert taken(buckets, b"\x01\x02\x03\x05", now_s=50.0)
    assert buckets.take_for_address(b"\x01\x02\x03\x04", "def", RATE, now_s=50.0).left == 4


@given(st.lists(st.floats(min_value=0, max_value=3), max_size=60))
def test_no_more_than_the_burst_and_the_rate_pass_in_any_time(pauses_s: list[float]) -> None:
    buckets, now_s, passed = Buckets(SECRET), 10.0, 0
    for pause_s in pauses_s:
        now_s += pause_s
        passed += taken(buckets, b"\x01\x02\x03\x04", now_s=now_s)
        assert passed <= RATE.burst + RATE.per_s * (now_s - 10.0) + 1e-6


def test_a_million_addresses_take_the_room_of_none() -> None:
    buckets = Buckets(SECRET)
    arrays = [one for one in vars(buckets).values() if isinstance(one, array)]
    for number in range(20_000):
        taken(buckets, number.to_bytes(8), now_s=5.0)
    assert [len(one) for one in arrays] == [PLACES, PLACES]
    assert [value for value in vars(buckets).values() if isinstance(value, dict)] == [{}]


def test_five_thousand_active_addresses_hardly_ever_share_a_limit() -> None:
    buckets = Buckets(SECRET)
    for number in range(5_000):
        for _ in range(5):
            taken(buckets, number.to_bytes(4), now_s=5.0)
    refused = sum(not taken(buckets, number.to_bytes(4), now_s=5.0) for number in range(10_000, 15_000))
    assert refused < 50  # of 5,000


def test_a_brand_may_have_limits_of_its_own() -> None:
    rules = Limits(key=Rate(10, 20), address=Rate(5, 50))
    own = Brand("abc", limits=BrandLimits(key_per_s=1, address_per_s=0))
    assert rules.of_key(None) == rules.of_key(Brand("def")) == Rate(10, 20)
    assert rules.of_key(own) == Rate(1, 20)
    assert rules.of_address(own).per_s == 0
    assert rules.of_address(Brand("def")) == Rate(5, 50)


def test_the_headers_tell_the_bucket_as_quota_and_window() -> None:
    standing = Buckets(SECRET).take_for_key("k", Rate(per_s=50, burst=500), now_s=1.0)
    assert standing.policy == '"key";q=500;w=10'
    assert standing.state == '"key";r=499;t=1'


def test_keys_that_come_and_go_leave_no_buckets_behind(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(limits, "KEY_BUCKETS_MAX", 100)
    buckets = Buckets(SECRET)
    for number in range(1_000):
        buckets.take_for_key(str(number), RATE, now_s=float(number))
        assert max(len(one) for one in vars(buckets).values() if isinstance(one, dict)) <= 101
    for _ in range(4):
        buckets.take_for_key("999", RATE, now_s=999.0)
    with pytest.raises(TooOften):
        buckets.take_for_key("999", RATE, now_s=999.0)
