"""What was typed becomes traffic, and what cannot be is refused with a sentence."""

from datetime import date
from pathlib import Path

import pytest

from footfall.app.planning_inputs import LISTS_SHARE, Given, Shape, asked, prices, shaped, viral_of
from footfall.app.planning_traces import traced
from footfall.planning.site import Stack
from footfall.planning.traffic import DAY_MINUTES
from footfall.values.errors import Refused

WEEK = 7 * DAY_MINUTES
TODAY = date(2026, 11, 17)


def test_a_rhythm_has_the_hits_that_were_said() -> None:
    for month in range(3):
        hits = shaped(Shape(1e6)).hits(30 * DAY_MINUTES, start_minute=month * 30 * DAY_MINUTES)
        assert float(hits.sum()) == pytest.approx(30e6)
    flat = shaped(Shape(1e6, evening_times=1.0)).hits(WEEK)
    assert float(flat.max()) == pytest.approx(float(flat.min()))


def test_a_spike_comes_on_top_and_is_one_assets_alone() -> None:
    shape = Shape(1e6, spike_times=20)
    viral = viral_of(shape)
    assert viral is not None
    assert float(viral.hits(30 * DAY_MINUTES).max()) == pytest.approx(20 * 1e6 / DAY_MINUTES)
    more = float(shaped(shape).hits(30 * DAY_MINUTES).sum()) - float(shaped(Shape(1e6)).hits(30 * DAY_MINUTES).sum())
    assert more == pytest.approx(float(viral.hits(30 * DAY_MINUTES).sum()))
    assert viral_of(Shape(1e6)) is None


def test_growth_is_by_the_month() -> None:
    grown = shaped(Shape(1e6, evening_times=1.0, growth=0.5))
    assert float(grown.hits(1, start_minute=43_830)[0]) == pytest.approx(1.5 * float(grown.hits(1)[0]))


def test_assets_are_divided_among_brands_and_lists_follow_the_hits() -> None:
    made = asked(shaped(Shape(1e6)), Given(assets=100, brands=4), Stack(), per_day=1e6)
    assert made.site.popularity.assets == 25
    assert made.readers.lists_per_day == 1e6 * LISTS_SHARE


@pytest.mark.parametrize(
    ("shape", "given", "says"),
    [
        (Shape(0.0), Given(), "nothing to plan for"),
        (Shape(1e20), Given(), "more than everybody on Earth"),
        (Shape(1e6), Given(assets=3, brands=5), "3 assets are fewer than 5 brands"),
        (Shape(1e6), Given(assets=10**9), "not between 1 and 50000000"),
    ],
)
def test_what_cannot_be_is_refused(shape: Shape, given: Given, says: str) -> None:
    with pytest.raises(Refused, match=says):
        asked(shaped(shape), given, Stack(), per_day=shape.per_day)


def test_a_trace_is_traffic_with_its_mean_day(tmp_path: Path) -> None:
    path = tmp_path / "trace.csv"
    path.write_text("time,hits\n" + "".join(f"2026-11-02T{hour:02d}:00:00Z,{600 * (hour + 1)}\n" for hour in range(24)))
    traffic, per_day, told = traced(path)
    assert per_day == pytest.approx(600 * 300, rel=0.05)
    assert float(traffic.hits(DAY_MINUTES).sum()) == pytest.approx(per_day)
    assert isinstance(told, tuple)


@pytest.mark.parametrize("text", ["", "hello\n", "time,hits\n2026-11-02T00:00Z,1\n2026-11-02T00:01Z,-4\n"])
def test_a_trace_that_is_none_is_refused(tmp_path: Path, text: str) -> None:
    path = tmp_path / "trace.csv"
    path.write_text(text)
    with pytest.raises(Refused, match="trace"):
        traced(path)


def test_a_trace_that_is_not_there_is_refused(tmp_path: Path) -> None:
    with pytest.raises(Refused, match="cannot be read"):
        traced(tmp_path / "none.csv")


def test_prices_come_with_footfall_or_from_a_file(tmp_path: Path) -> None:
    assert prices(None, today=TODAY).region("us-east-1").price("lambda.request").usd > 0
    with pytest.raises(Refused, match="cannot be read"):
        prices(str(tmp_path / "none.yaml"), today=TODAY)
