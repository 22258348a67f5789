"""The rule against gaming: steep and by few kinds is held, by many it is not, and what is held stays so for longer."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from footfall.screening.asset_features import AssetFeature, AssetPoints
from footfall.screening.findings import Cause
from footfall.screening.gaming import AGENTS_ENOUGH, AGENTS_LEAST, REPEATS_MAX, RISE_MIN, STEADY, suspicion_of

STEEP = RISE_MIN + 1


def found(*, agents: float = 1.0, repeats: float = 1.0, steady: float = 0.0, kinds: float = 3.0) -> AssetPoints:
    """Return one asset with so many of the usual kinds of agent, hits of each visitor, and evenness."""
    point = np.zeros((1, len(AssetFeature)))
    point[0, [AssetFeature.AGENTS, AssetFeature.REPEATS, AssetFeature.STEADINESS]] = (
        np.log2(agents),
        np.log2(repeats),
        steady,
    )
    number, moment = np.ones(1), np.zeros(1, np.int64)
    people = 100 * number, 100 * number / repeats
    return AssetPoints(np.ones(1, np.uint64), *people, moment, moment, kinds * number, number, number, point)


@pytest.mark.parametrize(
    ("asset", "cause"),
    [
        (found(agents=0.1), Cause.FEW_AGENTS),
        (found(repeats=5.0), Cause.FEW_VISITORS),
        (found(steady=3.0), Cause.CLOCKWORK),
    ],
)
def test_a_steep_rise_by_few_kinds_is_held_and_a_slow_one_is_not(asset: AssetPoints, cause: Cause) -> None:
    suspicion = suspicion_of(asset, 0, rise=STEEP, is_held=False)
    assert suspicion is not None
    assert suspicion.cause is cause
    assert suspicion.words.startswith("100 hits in five minutes, 8.0 times what is usual")
    assert suspicion_of(asset, 0, rise=RISE_MIN - 0.1, is_held=False) is None


def test_what_is_held_stays_so_until_there_are_clearly_more_kinds() -> None:
    between = found(agents=(AGENTS_LEAST + AGENTS_ENOUGH) / 2)
    assert suspicion_of(between, 0, rise=STEEP, is_held=False) is None
    assert suspicion_of(between, 0, rise=0, is_held=True) is not None
    assert suspicion_of(found(agents=AGENTS_ENOUGH + 0.1), 0, rise=STEEP, is_held=True) is None


@given(st.floats(0, 20), st.floats(AGENTS_LEAST + 0.01, 4), st.floats(1, REPEATS_MAX - 0.01), st.floats(-3, STEADY))
def test_no_rise_is_held_that_has_many_kinds(rise: float, agents: float, repeats: float, steady: float) -> None:
    asset = found(agents=agents, repeats=repeats, steady=steady)
    assert suspicion_of(asset, 0, rise=rise, is_held=False) is None


def test_readers_of_one_application_are_not_few_kinds() -> None:
    assert suspicion_of(found(agents=0.2, kinds=12.0), 0, rise=STEEP, is_held=False) is None
    assert suspicion_of(found(agents=0.2, kinds=12.0), 0, rise=STEEP, is_held=True) is not None
    assert suspicion_of(found(agents=0.2, kinds=15.0), 0, rise=STEEP, is_held=True) is None
