"""Percentiles from KLL sketches: as DataSketches tells them, whoever made the sketch, and nothing that is not one."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from footfall.sketches.errors import NotASketch
from footfall.sketches.quantiles import K, percentiles, quantiles_from_bytes, sketch_from_values
from tests.sketches.theirs import datasketches

FINITE = st.floats(-1e9, 1e9)


def one_percentile(sketches: list[bytes], percent: float) -> float:
    return float(percentiles(sketches, np.zeros(len(sketches), np.int64), 1, percent).values[0])


def sketched(*parts: list[float]) -> list[bytes]:
    return [sketch_from_values(np.array(part)) for part in parts]


@given(st.lists(st.lists(FINITE, min_size=1, max_size=40), min_size=1, max_size=5), st.floats(0, 100))
def test_few_values_have_their_exact_percentile(parts: list[list[float]], percent: float) -> None:
    values = sorted(value for part in parts for value in part)
    at = int(np.ceil(len(values) * percent / 100)) - 1
    assert one_percentile(sketched(*parts), percent) == values[max(at, 0)]
    assert percentiles(sketched(*parts), np.zeros(len(parts), np.int64), 1, percent).is_exact


@pytest.mark.parametrize("percent", [0, 1, 25, 50, 95, 99.9, 100])
def test_many_values_have_it_within_the_error_of_the_sketch(percent: float) -> None:
    parts = np.random.Generator(np.random.PCG64(7)).permutation(100_000).astype(float).reshape(20, -1)
    sketches = [sketch_from_values(part) for part in parts]
    found = one_percentile(sketches, percent)
    assert abs(found - percent * 1_000) <= 0.03 * 100_000
    assert not percentiles(sketches, np.zeros(20, np.int64), 1, percent).is_exact
    if percent in (0, 100):
        assert found == (0 if percent == 0 else 99_999)


def test_what_a_sketch_holds_is_what_datasketches_reads_from_it() -> None:
    for count in (1, 2, 199, 300, 5_000, 100_000):
        sketch = datasketches.kll_doubles_sketch(K)
        sketch.update(np.arange(count, dtype=np.float64))
        told = quantiles_from_bytes(sketch.serialize())
        assert sorted(zip(told.values.tolist(), told.weights.tolist(), strict=True)) == sorted(sketch)
        assert (told.lowest, told.highest, told.weights.sum()) == (0, count - 1, count)


def test_cells_have_their_own_percentiles_and_one_without_values_has_none() -> None:
    cells = np.array([2, 0, 2], np.int64)
    found = percentiles(sketched([1, 2, 3], [7], [4]), cells, 3, 50).values
    assert found.tolist()[::2] == [7, 2]
    assert np.isnan(found[1])
    assert np.isnan(percentiles([], np.empty(0, np.int64), 2, 50).values).all()


@pytest.mark.parametrize("percent", [0, 10, 50, 95, 100])
def test_more_values_than_there_is_room_for_are_told_nearly_as_well(
    percent: float, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("footfall.sketches.quantiles.VALUES_AT_ONCE", 1_000)
    values = np.random.Generator(np.random.PCG64(7)).permutation(20_000).astype(float)
    sketches = [sketch_from_values(part) for part in values.reshape(200, -1)]  # None of them has forgotten any.
    cells = np.arange(200) % 2
    told = percentiles(sketches, cells, 3, percent)
    for cell in range(2):
        mine = np.sort(
            np.concatenate([part for part, of in zip(values.reshape(200, -1), cells, strict=True) if of == cell])
        )
        rank = np.searchsorted(mine, told.values[cell]) / len(mine)
        assert abs(rank - percent / 100) < 0.02
    assert not told.is_exact
    assert np.isnan(told.values[2])


@pytest.mark.parametrize(
    "data",
    [
        b"",
        b"x" * 8,
        datasketches.kll_doubles_sketch(K).serialize(),
        sketch_from_values(np.arange(50.0))[:-3],
        bytes(64),
    ],
)
def test_what_is_no_sketch_of_values_is_refused(data: bytes) -> None:
    with pytest.raises(NotASketch):
        quantiles_from_bytes(data)


def test_a_sketch_of_floats_is_not_one_of_doubles() -> None:
    sketch = datasketches.kll_floats_sketch(K)
    sketch.update(np.arange(101, dtype=np.float32))
    with pytest.raises(NotASketch):
        quantiles_from_bytes(sketch.serialize())


@given(st.data())
def test_damaged_bytes_are_refused_or_read_and_never_more(data: st.DataObject) -> None:
    whole = bytearray(sketch_from_values(np.arange(float(data.draw(st.sampled_from([1, 5, 400]))))))
    for at in data.draw(st.lists(st.integers(0, len(whole) - 1), max_size=6)):
        whole[at] = data.draw(st.integers(0, 255))
    cut = data.draw(st.integers(0, len(whole)))
    damaged = bytes(whole[: cut or None])
    try:
        told = quantiles_from_bytes(damaged)
    except NotASketch:
        return
    assert len(told.values) == len(told.weights)
    assert np.isfinite([one_percentile([damaged], percent) for percent in (0, 50, 100)]).all()


@pytest.mark.parametrize("count", [201, 255, 400, 401, 1_023, 51_199, 100_000])
def test_many_values_give_the_same_bytes_in_any_order_and_datasketches_goes_on_with_them(count: int) -> None:
    values = np.random.default_rng(count).lognormal(size=count)
    data = sketch_from_values(values)
    assert data == sketch_from_values(values[::-1].copy())
    told, theirs = quantiles_from_bytes(data), datasketches.kll_doubles_sketch.deserialize(data)
    assert (told.lowest, told.highest, told.weights.sum()) == (values.min(), values.max(), count)
    assert (theirs.n, theirs.get_min_value(), theirs.get_max_value()) == (count, values.min(), values.max())
    ordered = np.sort(values)
    for share in (0.01, 0.25, 0.5, 0.9, 0.99):
        for found in (theirs.get_quantile(share), one_percentile([data], 100 * share)):
            assert abs(np.searchsorted(ordered, found) / count - share) < 1 / K
    theirs.update(values)
    assert theirs.n == 2 * count
    assert abs(np.searchsorted(ordered, theirs.get_quantile(0.5)) / count - 0.5) < 0.03
