"""A question reads no more than one question may, however short the formula is that asks for it."""

from collections.abc import Iterator
from typing import Any

import pytest

from footfall.metrics import budget
from footfall.metrics.calendar import PeriodGrain, day_from, edges_between
from footfall.metrics.day_points import DayPoints
from footfall.metrics.points import Points
from footfall.values.errors import Refused
from tests.metrics.stage import Stage, hybrid, scalar

YEARS: dict[str, Any] = {"first": "2002-01-01", "to": "2026-01-02"}


def bombed() -> Stage:
    """Return metrics of which each is many shifts of the one before."""
    stage = Stage()
    stage.define(scalar("reads", "section"))
    for level, name in enumerate(("reads", "b0", "b1", "b2")):
        shifts = (f"shift({name}, {n + 1} {('day', 'week', 'month', 'year')[level]})" for n in range(30))
        stage.define(hybrid(f"b{level}", " + ".join(shifts)))
    return stage


@pytest.mark.parametrize(("name", "span"), [("b1", YEARS), ("b3", {"first": "2026-01-01", "to": "2026-01-02"})])
def test_shifts_of_shifts_are_refused_with_their_number_before_anything_is_read(
    name: str, span: dict[str, Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    stage = bombed()
    days: list[str] = []

    def read(_: Points, __: str, of: str, *, first: int, end: int) -> Iterator[tuple[int, DayPoints]]:
        days.append(f"{of} {first} {end}")
        yield from ()

    monkeypatch.setattr(Points, "read", read)
    with pytest.raises(Refused, match=r"take 50\d,\d\d\d days and there are more; .* at most 500,000") as refused:
        stage.ask(name, **span)
    assert refused.value.field == "to"
    assert days == []


def test_shifts_of_shifts_over_a_short_span_are_answered() -> None:
    stage = bombed()
    stage.push("reads", [{"at": "2025-12-20", "value": 1}])
    assert stage.values("b1", first="2026-01-01", to="2026-01-02") == [None]
    assert stage.ask("b1", first="2026-01-01", to="2026-01-02")["coverage"]["metrics"]["reads"]["withData"] > 0


def test_points_of_all_readings_together_are_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    stage = bombed()
    stage.push("reads", [{"at": f"2026-01-{day:02d}", "value": 1} for day in range(1, 29)])
    monkeypatch.setattr(budget, "ROWS_MAX", 100)
    stage.ask("reads", first="2026-01-01", to="2026-02-01")
    with pytest.raises(Refused, match="more than 100 points together"):
        stage.ask("b0", first="2026-01-01", to="2026-02-01")


def test_values_that_are_worked_on_are_bounded_with_their_groups(monkeypatch: pytest.MonkeyPatch) -> None:
    stage = bombed()
    stage.push("reads", [{"at": "2026-01-05", "dimensions": {"section": f"s{n}"}, "value": 1} for n in range(10)])
    monkeypatch.setattr(budget, "CELLS_READ_MAX", 2_000)
    stage.ask("b0", first="2026-01-01", to="2026-02-01")
    with pytest.raises(Refused, match="at most 2,000 are worked on") as refused:
        stage.ask("b0", first="2026-01-01", to="2026-02-01", by=["section"])
    assert refused.value.field == "by"


def test_hours_are_counted_as_hours() -> None:
    spent = budget.Budget()
    first, end = (day_from(text, field="from") for text in ("2026-01-01", "2026-12-31"))
    edges = edges_between(first, end, PeriodGrain.HOUR, "Europe/Helsinki")
    spent.take_reading(edges)
    assert spent.read == len(edges) == 364 * 24
