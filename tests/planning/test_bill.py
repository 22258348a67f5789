"""The bill: each line a quantity and a price, each price with its source, and sums that hold to the last cent."""

from dataclasses import replace
from decimal import Decimal

import pytest

from footfall.planning.bill import Part, bill_of
from footfall.planning.figures import Origin, walked
from footfall.planning.site import Readers, Site, Stack
from footfall.planning.traffic import Constant
from footfall.planning.traffic_popularity import Popularity
from footfall.planning.workload import workload
from tests.planning.sites import book, even_work, region, work


def line(name: str, bill: object) -> Decimal:
    return next(Decimal(figure.value) for _, figure in bill.lines if figure.name == f"bill.{name}")  # type: ignore[attr-defined]


def test_parts_are_the_sums_of_their_lines_and_the_bill_is_theirs() -> None:
    bill = bill_of(work(), region())
    for part, figure in bill.parts().items():
        assert figure.value == sum((Decimal(one.value) for of, one in bill.lines if of is part), Decimal(0))
    assert bill.usd == sum((Decimal(one.value) for _, one in bill.lines), Decimal(0))


def test_every_line_leads_to_a_price_with_a_source() -> None:
    for _, figure in bill_of(work(), region()).lines:
        prices = [one for one in walked([figure]) if one.origin is Origin.PRICED]
        assert prices, figure.name
        assert all("https://" in one.source for one in prices)


def test_requests_of_an_even_day_are_billed_by_hand() -> None:
    # 100 hits a second are 259,200,000 in 30 days: below the first tier's 300 million.
    bill = bill_of(even_work(), region())
    assert line("api-requests", bill) == pytest.approx(Decimal("259.2"))
    assert line("edge-requests", bill) == pytest.approx(Decimal("259.2"))
    assert line("stream-shards", bill) == Decimal(720) * region().price("kinesis.shard-hour").usd
    assert line("alarms", bill) == Decimal("3.6")


def test_hits_that_pass_the_edge_by_cost_nothing_there() -> None:
    through = workload(Site(Constant(1e6), Popularity(100)), Stack(edge=False), Readers(), days=1)
    assert bill_of(through, region()).parts()[Part.CLOUDFRONT].value == 0


def test_answers_that_pass_the_edge_by_go_out_at_the_region_s_price() -> None:
    site = Site(Constant(50e6), Popularity(100))
    past = bill_of(workload(site, Stack(edge=False), Readers(), days=1), region())
    # 1.5 billion answers of 350 bytes are 525 GB.
    assert line("api-bytes", past) == pytest.approx(525 * region().price("transfer.out-gb").usd)
    behind = bill_of(workload(site, Stack(), Readers(), days=1), region())
    assert "bill.api-bytes" not in [figure.name for _, figure in behind.lines]


def test_a_month_costs_the_same_whether_a_day_or_a_week_is_looked_at() -> None:
    site = Site(Constant(1e7), Popularity(1_000))
    day, week = (workload(site, Stack(), Readers(1e5), days=days) for days in (1, 7))
    assert bill_of(day, region()).usd == pytest.approx(bill_of(week, region()).usd, rel=Decimal("0.01"))


def test_another_region_has_other_prices() -> None:
    assert bill_of(work(), book().region("eu-central-1")).usd > bill_of(work(), region()).usd


def test_more_is_stored_after_a_year_than_after_a_month() -> None:
    assert line("table-storage", bill_of(work(), region(), after_days=365)) > line(
        "table-storage", bill_of(work(), region(), after_days=30)
    )


def test_keeping_hits_for_a_day_saves_the_longer_retention() -> None:
    whole = even_work()
    shorter = replace(whole, stack=replace(whole.stack, retention_h=24))
    saved = bill_of(whole, region()).usd - bill_of(shorter, region()).usd
    assert saved == region().cost("kinesis.extended-retention-shard-hour", 720)
