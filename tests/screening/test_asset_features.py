"""An asset's five minutes as numbers: how many kinds of visitor it has, against what is usual."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from footfall.screening.asset_features import HITS_MIN, SLOTS, AssetFeature, AssetPoints, AssetWindow
from tests.screening.made_hits import MINUTE_MS, START_MS, hits, people, together


def filled(count: int = 200, *, minutes: int = SLOTS, **columns: int | np.ndarray) -> AssetWindow:
    """Return a window of people with one asset of a test in the last minute."""
    chance, window = np.random.default_rng(3), AssetWindow()
    for minute in range(minutes):
        usual = people(chance, minute)
        moments = START_MS + minute * MINUTE_MS + np.sort(chance.integers(0, MINUTE_MS, count))
        window.begin_slot()
        window.add(usual)
        window.add(hits(moments, **columns) if minute == minutes - 1 else together())
    return window


def row_of(points: AssetPoints, asset: int = 1) -> dict[str, float]:
    place = points.asset.tolist().index(asset)
    return {feature.name: float(points.points[place, feature]) for feature in AssetFeature}


def test_an_asset_with_too_few_hits_is_not_judged() -> None:
    assert 1 not in filled(HITS_MIN - 1).points().asset.tolist()
    assert 1 in filled(HITS_MIN).points().asset.tolist()


def test_one_agent_has_fewer_kinds_than_usual_and_people_have_as_many() -> None:
    chance = np.random.default_rng(4)
    one = filled(200, visitor=np.arange(1, 201), agent=9).points()
    many = filled(200, visitor=np.arange(1, 201), agent=chance.integers(1, 41, 200)).points()
    assert row_of(one)["AGENTS"] < -4
    assert row_of(one)["AGENT_SHIFT"] > 2
    assert row_of(many)["AGENTS"] == pytest.approx(0, abs=0.4)
    assert row_of(many)["AGENT_SHIFT"] == pytest.approx(0, abs=0.5)


def test_hits_whose_agent_nobody_knows_say_nothing_of_kinds() -> None:
    silent = row_of(filled(200, visitor=np.arange(1, 201), agent=0).points())
    assert (silent["AGENTS"], silent["AGENT_SHIFT"]) == (0, 0)
    mixed = filled(200, visitor=np.arange(1, 201), agent=np.where(np.arange(200) < 100, 0, 9)).points()
    assert row_of(mixed)["AGENTS"] < -4


def test_features_say_what_an_asset_had() -> None:
    found = row_of(filled(200, visitor=np.arange(200) % 50 + 1, referrer=np.arange(200) % 2, late_ms=3_000).points())
    assert found["HITS"] == pytest.approx(np.log2(201))
    assert found["REPEATS"] == 2
    assert found["ONCE"] == 0
    assert found["BARE"] == 0.5
    assert found["REFERRERS"] == 1
    assert found["DELAY"] == 2


def test_what_is_held_does_not_tell_what_is_usual() -> None:
    attacked = filled(5_000, visitor=np.arange(1, 5_001), agent=9)
    masked = row_of(attacked.points())["AGENTS"]
    seen = row_of(attacked.points(without=np.array([1], np.uint64)))["AGENTS"]
    assert seen < masked - 1


def test_a_window_is_five_minutes() -> None:
    window = AssetWindow()
    for minute in range(SLOTS + 1):
        window.begin_slot()
        window.add(hits(START_MS + minute * MINUTE_MS + np.arange(50) * 1_000, asset=1 if minute == 0 else 2))
    found = window.points()
    assert found.asset.tolist() == [2]
    assert found.hits.tolist() == [50.0 * SLOTS]


def test_a_flood_is_sampled_by_visitor_so_that_memory_is_bounded() -> None:
    window = AssetWindow(slot_hits_max=2_000)
    count = 20_000
    window.add(hits(START_MS + np.arange(count), visitor=np.arange(count) // 4 + 1, agent=np.arange(count) % 40 + 1))
    found = window.points()
    assert sum(len(slot) for slot, _ in window._slots) <= 2_000
    assert found.hits[0] == pytest.approx(count, rel=0.2)
    assert 2.0 ** row_of(found)["REPEATS"] == pytest.approx(4, rel=0.01)


@settings(max_examples=40, deadline=None)
@given(
    st.lists(
        st.tuples(st.integers(0, 50_000), st.integers(1, 3), st.integers(0, 6), st.integers(1, 4)),
        max_size=150,
    )
)
def test_hits_visitors_and_spans_are_those_of_a_plain_count(rows: list[tuple[int, int, int, int]]) -> None:
    window = AssetWindow(hits_min=1)
    columns = np.array(rows, np.int64).reshape(-1, 4)
    window.add(hits(START_MS + columns[:, 0], asset=columns[:, 1], visitor=columns[:, 2], agent=columns[:, 3]))
    found = window.points()
    for place, asset in enumerate(found.asset.tolist()):
        own = [one for one in rows if one[1] == asset]
        # Whoever has no visitor is one of his own, unless it has the number of one that came.
        known, nobody = {one[2] for one in own} - {0}, sum(one[2] == 0 for one in own)
        assert found.hits[place] == len(own)
        assert max(len(known), nobody) <= found.visitors[place] <= len(known) + nobody
        assert found.first_ms[place] == START_MS + min(one[0] for one in own)
        assert found.last_ms[place] == START_MS + max(one[0] for one in own)
    assert found.asset.tolist() == sorted({one[1] for one in rows})
    assert np.isfinite(found.points).all()


def test_one_visitor_who_floods_does_not_fill_the_memory() -> None:
    window = AssetWindow(slot_hits_max=1_000)
    for _ in range(3):
        window.add(hits(START_MS + np.arange(5_000)))
        assert len(window._slots[-1][0]) <= 1_000


def test_a_clock_is_steadier_than_chance_and_a_flood_is_not_taken_for_one() -> None:
    clock, chance, flood = AssetWindow(), AssetWindow(), AssetWindow()
    clock.add(hits(START_MS + np.arange(200) * 250))
    chance.add(hits(START_MS + np.sort(np.random.default_rng(1).integers(0, 50_000, 200))))
    flood.add(hits(START_MS + np.arange(50_000) // 2))
    assert row_of(clock.points())["STEADINESS"] == 6
    assert row_of(chance.points())["STEADINESS"] == pytest.approx(0, abs=0.4)
    assert row_of(flood.points())["STEADINESS"] == 0


def test_of_a_sample_too_a_few_hits_say_nothing() -> None:
    window, count = AssetWindow(slot_hits_max=1_000), 8_000
    asset = np.where(np.arange(count) % 100 == 0, 1, 2)  # eighty hits, of which an eighth or less is kept
    window.add(hits(START_MS + np.arange(count), asset=asset, visitor=np.arange(count) + 1))
    assert window.points().asset.tolist() == [2]
