"""What the sources computed, computed again: where they are right, and by how much they are not."""

from decimal import ROUND_HALF_UP, Decimal

import pytest

from footfall.app.price_files import shipped_prices
from footfall.planning.compared_archive import (
    ARK_ROUNDED,
    ArkPrices,
    ArkUse,
    ark_prices,
    as_reported,
    scenario_usd,
    sending_in_2020,
    whole_usd,
)
from footfall.planning.compared_compute import (
    THESIS_ALWAYS,
    THESIS_BATCH,
    THESIS_FUNCTION,
    batch_runs,
    container_price,
    equal_memory_mb,
    even_batch_seconds,
    even_requests,
    function_price,
    month_by_minutes_usd,
)
from footfall.planning.compared_tables import (
    AURORA_VIRGINIA,
    DYNAMODB_IRELAND,
    break_evens,
    months_until_reserved_pays,
    rows_of_window,
    unit_hour_usd,
)

REGION = shipped_prices().region("us-east-1")


def cents(amount: Decimal, places: int = 2) -> Decimal:
    return amount.quantize(Decimal(1).scaleb(-places), rounding=ROUND_HALF_UP)


def test_the_thesis_takes_an_hours_price_for_a_minutes() -> None:
    assert cents(month_by_minutes_usd(THESIS_ALWAYS)) == Decimal("260.85")
    assert month_by_minutes_usd(THESIS_ALWAYS) / THESIS_ALWAYS.month_usd() == 60
    assert cents(THESIS_ALWAYS.month_usd()) == Decimal("4.35")
    assert cents(THESIS_BATCH.month_usd()) == Decimal("8.89")


def test_a_batch_job_is_always_cheaper_in_the_smallest_function_and_not_in_one_of_equal_power() -> None:
    assert batch_runs() == 28_800
    assert even_batch_seconds(THESIS_FUNCTION, THESIS_BATCH, memory_mb=128) is None
    even = even_batch_seconds(THESIS_FUNCTION, THESIS_BATCH, memory_mb=equal_memory_mb())
    assert even is not None
    assert cents(even, 1) == Decimal("28.6")
    for seconds, is_function in ((even - 1, True), (even + 1, False)):
        function = THESIS_FUNCTION.run_usd(duration_ms=seconds * 1_000, memory_mb=equal_memory_mb()) * 28_800
        assert (function < THESIS_BATCH.batch_usd(28_800, seconds=seconds)) is is_function


@pytest.mark.parametrize("duration_ms", [100, 200, 500, 1_000])
def test_at_the_crossing_both_cost_the_same(duration_ms: int) -> None:
    for function, container in ((THESIS_FUNCTION, THESIS_BATCH), (function_price(REGION), container_price(REGION))):
        requests = even_requests(function, container.month_usd(), duration_ms=duration_ms)
        each = function.run_usd(duration_ms=duration_ms)
        assert requests * each <= container.month_usd() < (requests + 1) * each


def test_a_second_of_runs_crosses_at_millions_not_at_hundreds_of_them() -> None:
    assert even_requests(THESIS_FUNCTION, month_by_minutes_usd(THESIS_ALWAYS), duration_ms=1_000) == 114_259_458
    assert even_requests(THESIS_FUNCTION, THESIS_BATCH.month_usd(), duration_ms=1_000) == 3_892_509


def test_the_thesis_table_and_database_cost_what_it_says() -> None:
    assert cents(DYNAMODB_IRELAND.month_usd(write_units=50, read_units=250, gb=3)) == Decimal("54.50")
    assert cents(AURORA_VIRGINIA.month_usd(io_per_s=50, gb=3)) == Decimal("86.44")


def test_provisioned_units_win_from_29_percent_of_steady_use_on() -> None:
    shares = {one.way: cents(one.share * 100, 1) for one in break_evens(REGION, "wcu")}
    assert shares == {
        "provisioned": Decimal("28.9"),
        "reserved for one year": Decimal("13.3"),
        "reserved for three years": Decimal("6.6"),
    }


@pytest.mark.parametrize(("unit", "years", "saved"), [("wcu", 1, 54), ("rcu", 1, 54), ("wcu", 3, 77), ("rcu", 3, 77)])
def test_reserved_units_save_what_the_vendor_promises(unit: str, years: int, saved: int) -> None:
    share = unit_hour_usd(REGION, unit, years=years) / unit_hour_usd(REGION, unit)
    assert cents((1 - share) * 100, 0) == saved
    assert months_until_reserved_pays(REGION, unit, years=years) == share * 12 * years


def test_a_row_of_the_thesis_pays_for_nine_times_its_bytes() -> None:
    window = rows_of_window()
    assert (window.row_bytes, window.write_units, window.read_units) == (117, 500, 7.5)


def test_arks_parts_are_right_but_for_two_digits() -> None:
    each = as_reported(ArkUse(), ArkPrices())
    assert cents(each.functions, 5) == ARK_ROUNDED.functions
    assert cents(each.table, 7) == ARK_ROUNDED.table
    assert cents(each.pictures, 7) == Decimal("0.0022461")
    assert ARK_ROUNDED.pictures == Decimal("0.0022246")


@pytest.mark.parametrize(
    ("users", "stated"), [(10, "0.2746"), (1_000, "27.4626"), (1_000_000, "27498.06")], ids=["10", "1,000", "1,000,000"]
)
def test_arks_scenarios_follow_from_its_parts(users: int, stated: str) -> None:
    found = scenario_usd(ARK_ROUNDED, ArkUse(), ArkPrices(), users=users)
    assert found.quantize(Decimal(stated), rounding=ROUND_HALF_UP) == Decimal(stated)


def test_what_ark_leaves_out_costs_more_than_what_it_has() -> None:
    use, prices = ArkUse(), ArkPrices()
    whole = whole_usd(use, prices, sending_in_2020(REGION), users=1_000)
    counted = scenario_usd(as_reported(use, prices), use, prices, users=1_000)
    assert whole.pictures == as_reported(use, prices).pictures * 1_000 * 21, "1 + 2 + ... + 6 months of pictures"
    assert whole.sent > 30 * counted
    now = whole_usd(use, ark_prices(REGION), REGION.price("transfer.out-gb"), users=10)
    assert now.sent == 0, "100 GB a month are free today"
