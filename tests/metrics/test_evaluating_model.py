"""Any metric over any points: what is evaluated in columns is what a person works out row by row."""

import math
from datetime import date, timedelta
from random import Random
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from footfall.metrics.calendar import PeriodGrain, edges_between
from tests.metrics.model import COUNTRIES, DAYS, SECTIONS, START, Group, Model, Row, World, world_from
from tests.metrics.stage import Stage


def told(rows: list[Row], kind: str) -> list[dict[str, Any]]:
    """Return rows as they are pushed."""
    return [
        {
            "at": row.day.isoformat(),
            "dimensions": row.dimensions,
            **({"values": row.values} if kind == "PERCENTILE" else {"value": row.value}),
            **({"weight": row.weight} if kind == "WEIGHTED_AVERAGE" else {}),
        }
        for row in rows
    ]


def staged(world: World) -> Stage:
    stage = Stage()
    stage.define(*world.definitions.values())
    for name, rows in world.rows.items():
        stage.push(name, told(rows, world.definitions[name].value_type))
    return stage


def compare(world: World, stage: Stage, chance: Random) -> None:
    name = chance.choice(list(world.definitions))
    first = START + timedelta(chance.randint(0, DAYS - 1))
    end = first + timedelta(chance.choice([1, 7, 31, 60, 90]))
    grain = chance.choice([one for one in PeriodGrain if one is not PeriodGrain.HOUR])
    by: Group = chance.choice([(), ("section",), ("section", "country"), ("country",)])
    where = chance.choice([{}, {}, {"country": ["fi"]}, {"section": ["", "sport"]}])
    answer = stage.ask(name, first=first.isoformat(), to=end.isoformat(), grain=grain, by=list(by), where=where)
    found = {(one["period"], tuple(one["dimensions"].values())): one["value"] for one in answer["items"]}
    groups = sorted({group for _, group in found})
    edges = edges_between(first.toordinal(), end.toordinal(), grain, "UTC")
    model = Model(world, by, where, groups)
    for at in range(len(edges)):
        start, stop = (date.fromordinal(one) for one in edges.bounds[at : at + 2])
        for group in groups:
            expected, got = model.value(name, start, stop, group), found[start.isoformat(), group]
            where_it_is = (world.definitions[name], start, stop, group, expected, got)
            if expected is None or got is None:
                assert expected is got, where_it_is
            else:
                assert math.isclose(expected, got, rel_tol=1e-9, abs_tol=1e-9), where_it_is
    if not by:
        assert groups == [()]
    assert set(groups) <= {
        tuple(dict(zip(("section", "country"), pair, strict=True))[one] for one in by)
        for pair in ((section, country) for section in SECTIONS for country in COUNTRIES)
    }


@given(st.integers(0, 2**32))
def test_evaluating_agrees_with_a_plain_recount(seed: int) -> None:
    chance = Random(seed)
    world = world_from(chance)
    stage = staged(world)
    for _ in range(4):
        compare(world, stage, chance)


@pytest.mark.soak
def test_evaluating_agrees_with_a_plain_recount_of_many_worlds() -> None:
    for seed in range(3_000):
        chance = Random(seed)
        world = world_from(chance)
        stage = staged(world)
        for _ in range(10):
            compare(world, stage, chance)
