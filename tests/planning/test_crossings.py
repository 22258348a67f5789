"""Where one way becomes cheaper than another is told at the traffic where it does, and not at a point of the curve."""

from functools import cache

import numpy as np
import pytest

from footfall.planning.alternatives import machines
from footfall.planning.crossings import Crossing, Curve, changes, crossings, scaled_workloads
from footfall.planning.site import LISTS_PER_DAY_MAX, Readers, Stack
from footfall.planning.summary_sizes import Floats
from footfall.planning.workload import Workload
from tests.planning.sites import region, site

DAY = 1_440
PER_DAY = np.geomspace(1e6, 1e10, 5)


def scaled(per_day: Floats, *, readers: Readers | None = None, stack: Stack | None = None) -> list[Workload]:
    return scaled_workloads(site(), readers or Readers(), stack or Stack(), site().traffic.hits(DAY), per_day)


@cache
def crossed(*, arm: bool = False) -> dict[str, Crossing]:
    day = site().traffic.hits(DAY)
    works = scaled(PER_DAY, stack=Stack(arm=arm))
    found = crossings(works, PER_DAY, region(), after_days=365, peak_share=float(day.max() / day.sum()))
    return {one.name: one for one in found}


def test_curves_change_places_where_they_cross() -> None:
    at = np.geomspace(1, 1e4, 5)
    curves = (Curve("rises", at), Curve("stays", np.full(5, 100.0)))
    (first, one), (second, other) = changes(at, curves)
    assert (first, one, other) == (1.0, "rises", "stays")
    assert second == pytest.approx(100, rel=0.01)


def test_a_way_that_ends_is_the_cheapest_exactly_as_far_as_it_goes() -> None:
    at = np.geomspace(1, 1e4, 5)
    curves = (Curve("aws", np.full(5, 100.0)), Curve("machine", np.full(5, 1.0), ends_at=250.0))
    assert [name for _, name in changes(at, curves)] == ["machine", "aws"]
    assert changes(at, curves)[1][0] == pytest.approx(250, rel=1e-9)


@pytest.mark.parametrize(("place", "after"), [(0, "one machine, 8 cores"), (1, "AWS")])
def test_a_machine_is_told_to_be_enough_for_just_the_traffic_that_it_carries(place: int, after: str) -> None:
    at = next(at for at, way in crossed()["machine"].at if way == after)
    before, beyond = scaled(np.array([at * 0.999, at * 1.001]))
    assert machines(before, region(), after_days=365)[place].fits
    assert not machines(beyond, region(), after_days=365)[place].fits


def test_a_curve_is_drawn_up_to_its_end() -> None:
    machine = crossed()["machine"]
    for curve in machine.curves[1:]:
        known = machine.per_day[~np.isnan(curve.usd)]
        assert known.max() == pytest.approx(curve.ends_at)


def test_lists_of_traffic_that_nobody_asked_about_are_no_reason_to_refuse_a_plan() -> None:
    (work,) = scaled(np.array([1e10]), readers=Readers(LISTS_PER_DAY_MAX / 10))
    assert work.readers.lists_per_day == LISTS_PER_DAY_MAX


def test_functions_on_arm_are_compared_at_their_own_price() -> None:
    on_x86, on_arm = (crossed(arm=arm)["functions"].curves for arm in (False, True))
    assert np.all(on_arm[0].usd < on_x86[0].usd)
    assert np.array_equal(on_arm[1].usd, on_x86[1].usd)


def test_what_is_left_out_of_the_tasks_is_said() -> None:
    assert "load balancer" in crossed()["functions"].says
