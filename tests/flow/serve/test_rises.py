"""Rises: the same under scaling and in any order, deaf to single bursts, and calm where little is known."""

from collections.abc import Sequence

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from footfall.flow.serve.rises import PRIOR_HITS_MIN, Hits, Rises, risen, rises

MINUTES, HOURS = 60, 24

Counts = dict[int, int]


def hits_of(counts: Counts, order: Sequence[int] | None = None) -> Hits:
    keys = list(counts) if order is None else [key for key in order if key in counts]
    hits = np.array([counts[key] for key in keys], np.float64)
    return Hits(np.array(keys, np.intp), hits, float(hits.sum()))


def found(minutes: Sequence[Counts], hours: Sequence[Counts], *, order: Sequence[int] | None = None) -> Rises:
    return rises([hits_of(one, order) for one in minutes], [hits_of(one, order) for one in hours], assets=10)


def every(count: int, counts: Counts) -> list[Counts]:
    return [dict(counts) for _ in range(count)]


counts = st.dictionaries(st.integers(0, 9), st.integers(5, 500), max_size=10)
many_minutes = st.lists(counts, min_size=MINUTES, max_size=MINUTES).map(lambda all_: [{0: 50, 1: 50}, *all_[1:]])
many_hours = st.lists(counts, min_size=HOURS, max_size=HOURS)


@given(many_minutes, many_hours, st.integers(2, 50))
def test_multiplying_all_hits_changes_no_rise(minutes: list[Counts], hours: list[Counts], times: int) -> None:
    def multiplied(all_: list[Counts]) -> list[Counts]:
        return [{key: hits * times for key, hits in one.items()} for one in all_]

    once, more = found(minutes, hours), found(multiplied(minutes), multiplied(hours))
    assert np.allclose(once.rise, more.rise, atol=2e-4)
    assert np.allclose(once.expected * times, more.expected)


@given(many_minutes, many_hours, st.permutations(range(10)))
def test_the_order_in_which_things_were_seen_changes_nothing(
    minutes: list[Counts], hours: list[Counts], order: list[int]
) -> None:
    one, other = found(minutes, hours), found(minutes, hours, order=order)
    assert np.allclose(one.rise, other.rise)
    # Renamed assets have each other's rises.
    renamed = [[{order[key]: hits for key, hits in some.items()} for some in part] for part in (minutes, hours)]
    assert np.allclose(found(*renamed).rise[order], one.rise, atol=2e-4)


def test_an_asset_that_keeps_its_share_does_not_rise_however_busy_the_brand_is() -> None:
    quiet, busy = {0: 10, 1: 30}, {0: 10, 1: 30}
    calm = found(every(MINUTES, busy), every(HOURS, quiet))
    assert list(risen(calm)) == []  # Sixty times as much as at night, for everybody.


def test_an_asset_that_gains_on_its_own_past_rises() -> None:
    usual = dict.fromkeys(range(8), 60)
    minutes = every(MINUTES, dict.fromkeys(range(8), 1))
    for one in minutes[20:]:
        one[3] = 5
    (first, *_) = risen(found(minutes, every(HOURS, usual)))
    assert first == 3


def test_being_new_is_not_rising() -> None:
    usual = dict.fromkeys(range(8), 60)
    hours = every(HOURS, usual)
    for one in hours[-3:]:
        one[8] = 60  # As many as the others from its first hour on.
    calm = found(every(MINUTES, dict.fromkeys(range(9), 1)), hours)
    assert calm.first[8] == HOURS - 3
    assert abs(calm.rise[8] - 1) < 0.05


def test_one_minute_of_reloads_lifts_nothing() -> None:
    usual = dict.fromkeys(range(8), 600)
    minutes = every(MINUTES, dict.fromkeys(range(8), 10))
    minutes[30][9] = 2_000
    told = found(minutes, every(HOURS, usual))
    assert told.recent[9] == 2_000
    assert told.steady[9] < 100
    assert 9 not in risen(told)


def test_few_hits_are_no_news() -> None:
    told = found([{1: 1}, {1: 1}, *every(MINUTES - 2, {})], every(HOURS, {}))
    assert told.prior == PRIOR_HITS_MIN
    assert list(risen(told)) == []


def test_nothing_at_all_is_no_news() -> None:
    told = found(every(MINUTES, {}), every(HOURS, {}))
    assert list(risen(told)) == []
    assert np.isfinite(told.rise).all()
