"""Capacity, limits, cheaper ways, crossings, sensitivity and advice: each against what can be said of it by hand."""

import re
from dataclasses import replace
from decimal import Decimal
from functools import cache

import numpy as np
import pytest

from footfall.planning.advice import About, advice, against
from footfall.planning.alternatives import alternatives, measured_per_s
from footfall.planning.bill import bill_of
from footfall.planning.capacity import break_even_share, capacity_costs, followed_by_hour
from footfall.planning.limits import Raised, limits_of, shards_for, with_asset
from footfall.planning.plan import Asked, Plan, all_figures, plan
from footfall.planning.scales import scale_of
from footfall.planning.sensitivity import sensitivity
from footfall.planning.site import Readers, Site, Stack
from footfall.planning.throttling import throttling
from footfall.planning.traffic import Constant, Rhythm, Spike, Sum
from footfall.planning.traffic_popularity import Popularity
from footfall.planning.workload import workload_of_minutes
from footfall.values.errors import Refused
from tests.planning.sites import book, even_work, region, site, whole_plan, work


def test_provisioned_wins_from_29_percent_of_steady_use_on() -> None:
    assert break_even_share(region()).value == pytest.approx(0.2889, abs=0.0001)


def test_steady_use_is_cheaper_provisioned_and_reserved_cheaper_still() -> None:
    busy = replace(
        even_work(),
        written=replace(
            even_work().written, units={kind: np.full(1_440, 60.0 * 1_000 / 9) for kind in even_work().written.units}
        ),
    )
    ways = {way.name: way.usd for way in capacity_costs(busy, region(), months=1 / 30).ways}
    # A thousand units a second, at 70 % of what is provisioned.
    assert ways["on demand"] > ways["provisioned"] > ways["reserved 1 y"] > ways["reserved 3 y"]
    writes = Decimal(1_000 * 86_400 * 30) * region().price("dynamodb.write-request").each
    assert ways["on demand"] == pytest.approx(writes, rel=Decimal("0.01"))


def test_auto_scaling_is_paid_for_as_the_simulated_table_has_its_units() -> None:
    busy = work(500e6, counting=32, kinesis=16)
    seen = next(way for way in throttling(busy, seed=0).ways if way.name == "auto scaling")
    units = seen.outcome.writes.capacity
    offered = busy.writes[seen.first_minute : seen.first_minute + len(units)] / 60
    assert followed_by_hour(offered).sum() == pytest.approx(units.sum() / 60, rel=0.03)


def test_auto_scaling_comes_down_slowly_and_that_is_paid_for() -> None:
    # A busy quarter at the end of every other hour: each hour's own peak is 10 or 1,000 units.
    per_s = np.tile(np.concatenate([np.full(105, 7.0), np.full(15, 700.0)]), 12)
    units = followed_by_hour(per_s)
    assert len(units) == 24
    quiet = units[2::2]
    assert (quiet > 100).all(), "what was raised for the hour before is still there"


def test_a_table_beyond_the_quota_is_followed_too() -> None:
    per_s = np.full(1_440, 700_000.0)
    assert followed_by_hour(per_s) == pytest.approx([1_000_000.0] * 24, rel=0.001)


def test_less_than_a_hundred_units_cannot_be_reserved() -> None:
    ways = capacity_costs(work(1e6), region(), months=7 / 30)
    assert [way.is_empty for way in ways.ways] == [False, False, False, True, True]


def test_shards_keep_the_busiest_minute_under_the_alarm() -> None:
    for per_s in (100, 650, 2_000, 10_000):
        kinesis, counting = shards_for(site(), per_s * 60)
        stack = Stack(counting_shards=counting, kinesis_shards=kinesis)
        busy = plan(
            Asked(Site(Constant(per_s * 86_400), site().popularity), Readers(), stack, kinesis, counting),
            book(),
            region(),
            whole=False,
        )
        used = next(one.share for one in busy.limits if one.name == "kinesis-records")
        assert used <= 0.701
        assert counting >= 2 * kinesis or counting == 256


def fullest(per_s: float, kinesis: int) -> float:
    """Return the records a second of the shard that has the hottest asset and its part of all others."""
    hottest = site().hottest_share()
    return per_s * (hottest + (1 - hottest) / kinesis)


def test_more_traffic_never_has_fewer_shards_until_one_asset_fills_its_own() -> None:
    ends = 1_000 / site().hottest_share()
    shards = [shards_for(site(), per_s * 60)[0] for per_s in np.linspace(10, 0.999 * ends, 300)]
    assert shards == sorted(shards)


def test_no_shard_is_too_full_if_any_number_of_them_helps() -> None:
    ends = 1_000 / site().hottest_share()
    for per_s in np.linspace(10, 1.5 * ends, 300):
        kinesis, _ = shards_for(site(), per_s * 60)
        assert fullest(per_s, kinesis) <= 1_000 or fullest(per_s, 200) > 1_000


def test_an_asset_that_fills_a_shard_is_not_answered_with_all_the_shards_there_are() -> None:
    assert shards_for(site(), 1_200 * 60, hottest_hits=1_100 * 60)[0] == 2


def test_fewer_shards_than_that_ring_the_alarm() -> None:
    kinesis, counting = shards_for(site(), 5_000 * 60)
    tight = plan(
        Asked(Site(Constant(5_000 * 86_400), site().popularity), Readers(), Stack(), kinesis - 1, counting),
        book(),
        region(),
        whole=False,
    )
    assert next(one.share for one in tight.limits if one.name == "kinesis-records") > 0.7


def test_an_asset_that_goes_viral_fills_its_shard_whatever_there_are() -> None:
    viral = Spike(600, 3_000 * 60)
    busy = Site(Sum((Rhythm(10e6), viral)), Popularity(1_000), viral=viral)
    made = plan(Asked(busy, Readers(), Stack(), 100, 200), book(), region(), whole=False)
    hot = next(one for one in made.limits if one.name == "hot-asset")
    assert hot.share == pytest.approx(3.0, rel=0.05)
    assert hot.raised is Raised.NEVER
    assert made.first.multiple < 1
    assert any(one.about is About.REKEY and one.is_due for one in advice(made))


def test_a_hot_asset_is_in_a_request_once_however_many_of_its_hits_are_there() -> None:
    assert with_asset(1_000, 0.5, 1) == pytest.approx(500)
    assert with_asset(1_000, 0.5, 100) == pytest.approx(1_000)
    assert with_asset(1_000, 0.001, 10) == pytest.approx(10, rel=0.01)


def test_limits_are_reached_at_the_multiple_that_is_told() -> None:
    now = {one.name: one for one in limits_of(work())}
    twice = {one.name: one for one in limits_of(work(100e6))}
    for name in ("kinesis-records", "api-requests", "all-shards", "hot-asset"):
        assert twice[name].share == pytest.approx(2 * now[name].share, rel=0.03)
        assert now[name].share * now[name].multiple == pytest.approx(1)


def test_ids_are_a_limit_only_where_hits_bring_them() -> None:
    assert not any(one.name == "ids" for one in limits_of(work()))
    with_ids = plan(Asked(replace(site(), ids=1.0), Readers(), Stack()), book(), region(), whole=False)
    limit = next(one for one in with_ids.limits if one.name == "ids")
    assert float(limit.used.value) == pytest.approx(50e6 / with_ids.work.stack.counting_shards, rel=0.02)


def test_cheaper_ways_save_what_they_say() -> None:
    made = whole_plan()
    assert [one.saves for one in made.cheaper] == sorted((one.saves for one in made.cheaper), reverse=True)
    for one in made.cheaper:
        assert made.bill.usd - Decimal(one.cost.value) == one.saves
        assert one.saves > 0
    assert {"machine", "batches", "no-edge-for-hits"} <= {one.name for one in made.cheaper}


def test_a_machine_carries_between_what_was_measured_of_single_hits_and_of_batches() -> None:
    assert measured_per_s(1) == 19_528
    assert measured_per_s(100) == measured_per_s(1_000) == 384_785


def test_hits_and_batches_move_the_bill_most() -> None:
    moved = whole_plan().moved
    assert {moved[0].name, moved[1].name} == {"hits", "hits of a request"}
    hits = next(one for one in moved if one.name == "hits")
    assert hits.low_usd < whole_plan().bill.usd < hits.high_usd


def test_a_plan_is_the_same_for_the_same_seed_and_all_its_numbers_have_reasons() -> None:
    one, other = (plan(Asked(site(1e6), Readers(1e4), Stack(), seed=4), book(), region()) for _ in range(2))
    assert one.bill.usd == other.bill.usd
    assert [simulated.outcome.digest() for simulated in one.throttling.ways] == [
        simulated.outcome.digest() for simulated in other.throttling.ways
    ]
    figures = all_figures(one)
    assert len(figures) > 100
    assert all(figure.why.endswith((".", "first day")) for figure in figures)


def test_growth_makes_later_months_dearer() -> None:
    from footfall.planning.traffic import Grown

    grown = plan(Asked(replace(site(1e6), traffic=Grown(Rhythm(1e6), 0.1)), Readers(), Stack()), book(), region())
    usd = [one.usd for one in grown.stored]
    assert usd == sorted(usd)
    assert usd[-1] > 4 * usd[0]


def test_advice_speaks_of_scaling_keys_and_capacity() -> None:
    said = advice(whole_plan())
    assert [one.about for one in said[:3]] == [About.SCALE, About.REKEY, About.RESERVE]
    assert not any(one.is_due for one in said[:3])


def test_a_stack_with_too_few_shards_is_told_to_scale() -> None:
    made = plan(Asked(site(), Readers(), Stack(), 1, 4), book(), region(), whole=False)
    (scale,) = [one for one in advice(made) if one.about is About.SCALE]
    assert scale.is_due
    assert "--shards 2" in scale.says


def test_plan_and_actual_that_differ_are_told_apart() -> None:
    planned = plan(Asked(site(10e6), Readers(), Stack()), book(), region(), whole=False)
    actual = plan(Asked(site(50e6), Readers(), Stack()), book(), region(), whole=False)
    said = list(against(planned, actual))
    assert any(one.is_due and "hits a day" in one.says and "5 times" in one.says for one in said)
    assert not any(one.is_due for one in against(planned, planned))


def test_more_kinesis_than_counting_shards_are_refused() -> None:
    with pytest.raises(Refused, match="no hit would go to the others"):
        plan(Asked(site(), Readers(), Stack(), 4, 2), book(), region())


def test_a_month_without_a_hit_is_refused() -> None:
    with pytest.raises(Refused, match="not a single hit"):
        plan(Asked(site(0.0), Readers(), Stack()), book(), region())


def test_what_one_stack_cannot_carry_is_divided_among_several() -> None:
    one, many = scale_of(1e9, region(), batch=1), scale_of(1e11, region(), batch=1)
    assert one.stacks == 1
    assert many.stacks > 10
    assert many.work.stack.kinesis_shards <= 200
    assert many.usd == many.bill.usd * many.stacks
    assert 90 < many.usd / one.usd < 110


def test_a_thousand_brands_keep_the_count_function_waiting_and_shards_do_not_help() -> None:
    many = Site(Rhythm(20e6), Popularity(2_000, brands=1_000))
    made = plan(Asked(many, Readers(), Stack()), book(), region(), whole=False)
    limit = next(one for one in made.limits if one.name == "counting-time")
    assert limit.multiple < 1
    assert limit.do.startswith("batches, since events are full before their time")
    in_batches = replace(many, batch=50)
    shares = [counting_share(in_batches, Stack(freshness_s=seconds)) for seconds in (60, 300)]
    assert shares[1] < shares[0] / 2 < limit.share / 4


def counting_share(of: Site, stack: Stack) -> float:
    made = plan(Asked(of, Readers(), stack), book(), region(), whole=False)
    return next(one.share for one in made.limits if one.name == "counting-time")


@cache
def beyond() -> Plan:
    """Return a month with more than every quota."""
    return plan(Asked(site(100e9), Readers(), Stack()), book(), region(), whole=False)


def test_traffic_beyond_every_quota_is_planned_and_told_not_to_fit() -> None:
    assert beyond().first.multiple < 0.1
    assert beyond().work.stack.kinesis_shards == 200
    assert advice(beyond())[0].is_due


def test_a_day_beyond_every_quota_is_refused_in_part_and_still_compared() -> None:
    month = beyond().work
    midnight = int(np.argmax(month.hits)) // 1_440 * 1_440
    busy = workload_of_minutes(month.site, month.stack, Readers(), month.hits[midnight : midnight + 1_440])
    assert throttling(busy, seed=0, minutes=10).ways[0].refused_share > 0
    bill = bill_of(busy, region())
    assert sensitivity(busy, bill, region(), after_days=365)
    assert alternatives(busy, bill, region(), book(), after_days=365)


def test_dollars_for_hits_that_would_be_refused_are_told_with_the_stacks_that_they_need() -> None:
    says = beyond().refused or ""
    assert says.startswith("That is for all of this traffic, and the fullest of 200 Kinesis shards takes")
    needed = int(re.findall(r"some ([\d,]+) stacks", says)[0].replace(",", ""))
    assert needed * 200 * 1_000 * 0.7 == pytest.approx(float(beyond().work.hits.max()) / 60, rel=0.1)


def test_too_few_shards_are_told_beside_the_dollars_and_enough_are_not() -> None:
    few = plan(Asked(site(200e6), Readers(), Stack(), 1, 4), book(), region(), whole=False)
    assert (few.refused or "").endswith("refuses the rest.")
    assert whole_plan().refused is None
