"""What a judge has learned outlives it: it goes on alike, and bytes that are not whole are refused."""

import msgspec
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from footfall.screening.findings import Cause
from footfall.screening.judge_state import MAGIC, VERSION, bytes_from_learned, learned_from_bytes
from footfall.screening.judging import Case, Learned, new_learned
from footfall.sketches.errors import NotASketch, UnknownSketchVersion
from footfall.sketches.frames import FRAME_BYTES, framed

narrowed = st.lists(st.integers(0, 2**64 - 1), max_size=3).map(tuple)
cases = st.dictionaries(
    st.integers(0, 2**64 - 1),
    st.builds(Case, st.integers(0, 2**53), st.integers(0, 2**53), st.sampled_from(Cause), narrowed, narrowed),
    max_size=5,
)


def taught(points: int = 300) -> Learned:
    chance, learned = np.random.default_rng(1), new_learned(seed=5)
    learned.visitor_threshold.add(learned.visitors.judged(chance.normal(size=(points, 9)).tolist()))
    learned.asset_threshold.add(learned.assets.judged(chance.normal(size=(points, 10)).tolist()))
    learned.usual = {7: 12.5, 2**64 - 1: 3.0}
    return learned


@settings(max_examples=10, deadline=None)
@given(cases, cases, st.dictionaries(st.integers(0, 2**64 - 1), st.floats(0, 1e9), max_size=5))
def test_it_comes_back_as_it_was(visitors: dict[int, Case], assets: dict[int, Case], usual: dict[int, float]) -> None:
    learned = taught(80)
    learned.visitor_cases, learned.asset_cases, learned.usual = visitors, assets, usual
    again = learned_from_bytes(bytes_from_learned(learned))
    assert (again.visitor_cases, again.asset_cases, again.usual) == (visitors, assets, usual)
    assert bytes_from_learned(again) == bytes_from_learned(learned)


def test_it_goes_on_as_if_nothing_had_happened() -> None:
    learned = taught()
    again = learned_from_bytes(bytes_from_learned(learned))
    points = np.random.default_rng(2).normal(size=(50, 9)).tolist()
    assert again.visitors.judged(points) == learned.visitors.judged(points)
    assert again.visitor_threshold.value == learned.visitor_threshold.value
    assert again.asset_threshold.value == learned.asset_threshold.value


def test_bytes_that_are_not_whole_are_refused() -> None:
    state = bytes_from_learned(taught(80))
    for broken in (b"", state[:40], state[:-1], state[:60] + b"x" + state[61:]):
        with pytest.raises(NotASketch):
            learned_from_bytes(broken)


def test_another_version_is_refused_as_such() -> None:
    content = bytes_from_learned(taught(80))[FRAME_BYTES:]
    with pytest.raises(UnknownSketchVersion):
        learned_from_bytes(framed(MAGIC, VERSION + 1, content))


@pytest.mark.parametrize(
    ("place", "value"),
    [(0, b""), (2, b"1234567"), (2, np.array([np.nan], "<f8").tobytes()), (4, {1: float("inf")}), (5, {"a": 1})],
)
def test_parts_that_nothing_has_are_refused(place: int, value: object) -> None:
    parts: list[object] = msgspec.msgpack.decode(bytes_from_learned(taught(80))[FRAME_BYTES:], strict=False)
    parts[place] = value
    with pytest.raises(NotASketch):
        learned_from_bytes(framed(MAGIC, VERSION, msgspec.msgpack.encode(parts)))


def test_a_forest_of_other_features_is_refused() -> None:
    parts: list[object] = msgspec.msgpack.decode(bytes_from_learned(taught(80))[FRAME_BYTES:], strict=False)
    parts[0] = parts[1]
    with pytest.raises(NotASketch, match="10 features, here are 9"):
        learned_from_bytes(framed(MAGIC, VERSION, msgspec.msgpack.encode(parts)))
