"""Entities are carried over once and whole, whoever does it and however often, on every ground."""

from collections.abc import Iterator, Sequence
from random import Random
from typing import Any

import pytest

from footfall.metrics import keys as metric_keys
from footfall.metrics.catalogue import MetricCatalogue
from footfall.metrics.definition import definition_from
from footfall.metrics.listing import Listings, Sought
from footfall.metrics.writing import Saved
from footfall.migrate import keys
from footfall.migrate.carrying import UNDERWAY, Carried, Carrier, Outcome
from footfall.migrate.moved import Moved, fence_of, item_of, moved_from
from footfall.ports.errors import Changed
from footfall.ports.relational import Cell, Document, Route, Seen, Side
from footfall.ports.table import Action, Put, Table, everything
from footfall.values.clock import SetClock
from tests.contract.conftest import NewTable
from tests.contract.conftest import new_table as new_table
from tests.migrate.documents import document, hybrid, metric, old_catalogue, primitive, seen, single, version

CLOCK = SetClock(1_794_744_000_000)
MOVING = old_catalogue()


@pytest.fixture
def table(new_table: NewTable) -> Table:
    return new_table(clock=CLOCK)


@pytest.fixture
def catalogue(table: Table) -> MetricCatalogue:
    return MetricCatalogue(table, clock=CLOCK)


def carry(table: Table, *found: Seen, epoch: int = 0, side: Side = Side.OLD, repairs: bool = False) -> list[Carried]:
    carrier = Carrier(table, MOVING.outline, MOVING.target, is_repairing=repairs)
    return carrier.carry(found, {one.key: Route(side, epoch) for one in found})


def outcomes(told: Sequence[Carried]) -> list[str]:
    return [one.outcome.value for one in told]


def everything_of(table: Table, name: str) -> dict[str, object]:
    return {found.key.sort: found.item for found in everything(table, metric_keys.versions("abc", name))}


def test_a_catalogue_reads_what_was_carried_over(table: Table, catalogue: MetricCatalogue) -> None:
    listings = Listings(catalogue)
    assert list(listings.of("abc").found(Sought())) == []
    told = carry(
        table, seen(primitive(1, name="reads")), seen(primitive(2, name="users")), seen(hybrid(3, name="rate"))
    )
    assert outcomes(told) == ["carried"] * 3
    assert [row.name for row in listings.of("abc").found(Sought())] == ["rate", "reads", "users"]
    assert [one.number for one in catalogue.versions("abc", "rate")] == [5, 4, 3, 2, 1]
    assert list(catalogue.users("abc", "reads")) == ["rate"]
    assert catalogue.newest("abc", "rate").updated_by == "editor 5"
    catalogue.save("abc", Saved(definition_from({"name": "more", "valueType": "SCALAR"})), by="x")
    assert len(listings.of("abc").rows) == 4


def test_many_entities_are_one_change_of_the_catalogue_and_all_are_counted(
    table: Table, catalogue: MetricCatalogue
) -> None:
    carry(table, *(seen(primitive(number, versions=2)) for number in range(1, 31)))
    assert catalogue.revision("abc") < 15
    assert table.get(metric_keys.head("abc")) == {"revision": catalogue.revision("abc"), "metrics": 30}
    assert len(set(catalogue.changed_since("abc", 0))) == 30


def test_the_same_again_and_what_is_older_change_nothing(table: Table, catalogue: MetricCatalogue) -> None:
    carry(table, seen(primitive(1, versions=3), clock=7))
    before = (catalogue.revision("abc"), everything_of(table, "metric_1"))
    assert outcomes(carry(table, seen(primitive(1, versions=3), clock=7))) == ["unchanged"]
    assert outcomes(carry(table, seen(primitive(1, versions=2), clock=6))) == ["stale"]
    assert (catalogue.revision("abc"), everything_of(table, "metric_1")) == before


def test_what_an_entity_has_no_more_is_removed_with_the_change(table: Table, catalogue: MetricCatalogue) -> None:
    carry(table, seen(hybrid(1, name="rate", of=("reads", "users"))))
    carry(table, seen(hybrid(1, name="ratio of all", of=("reads", "people"), versions=2), clock=2))
    assert everything_of(table, "rate") == {}
    assert [row.name for row in catalogue.rows("abc")] == ["ratio of all"]
    assert list(everything(table, metric_keys.users("abc", "users"))) == []
    assert table.get(metric_keys.head("abc")) == {"revision": 2, "metrics": 1}
    assert sorted(catalogue.changed_since("abc", 1)) == ["rate", "ratio of all"]


def test_an_entity_that_is_gone_leaves_a_fence_and_its_name_among_the_gone(
    table: Table, catalogue: MetricCatalogue
) -> None:
    carry(table, seen(primitive(1), clock=3))
    assert outcomes(carry(table, seen(None, key="1", clock=4))) == ["carried"]
    assert list(catalogue.rows("abc")) == []
    assert everything_of(table, "metric_1") == {}
    assert outcomes(carry(table, seen(primitive(1), clock=3))) == ["stale"], "a late copy revives nobody"
    assert table.get(keys.gone("metric", "1")) is not None
    assert outcomes(carry(table, seen(primitive(1), clock=5))) == ["carried"]
    assert [row.name for row in catalogue.rows("abc")] == ["metric_1"]


def test_an_entity_that_was_never_seen_is_fenced_when_it_goes(table: Table) -> None:
    assert outcomes(carry(table, seen(None, key="9", clock=2))) == ["carried"]
    assert outcomes(carry(table, seen(primitive(9), clock=1))) == ["stale"]


def test_a_refused_entity_leaves_no_items_and_says_why(table: Table, catalogue: MetricCatalogue) -> None:
    carry(table, seen(primitive(1), clock=1))
    bad = seen(single("metric_1", value_type="BLOB"), clock=2)
    (told,) = carry(table, bad)
    assert (told.outcome, told.reason[:9]) == (Outcome.REFUSED, "valueType")
    assert list(catalogue.rows("abc")) == []
    assert everything_of(table, "metric_1") == {}
    item = table.get(keys.moved("metric", "1"))
    assert item is not None
    assert moved_from(item).refused == told.reason
    assert moved_from(item).document == bad.document, "nothing of it is lost"
    assert carry(table, bad) == [told], "whoever asks again is told the same"
    assert outcomes(carry(table, seen(primitive(1), clock=3))) == ["carried"]
    item = table.get(keys.moved("metric", "1"))
    assert item is not None
    assert "refused" not in item


def test_nothing_is_carried_where_the_table_answers_or_another_epoch_has_begun(table: Table) -> None:
    carry(table, seen(primitive(1), clock=1))
    place = keys.moved("metric", "1")
    table.put(Put(place, item_of(Moved(fence_of(1, 0), Side.NEW, 1, primitive(1)))))
    assert outcomes(carry(table, seen(primitive(1), clock=9))) == ["stale"]
    assert outcomes(carry(table, seen(primitive(1), clock=9), epoch=1)) == ["stale"]
    assert outcomes(carry(table, seen(primitive(1), clock=9), side=Side.DOUBT)) == ["stale"]
    table.put(Put(place, item_of(Moved(fence_of(2, 0), Side.OLD, 2, primitive(1)))))
    assert outcomes(carry(table, seen(primitive(1), clock=9), epoch=0)) == ["stale"]
    assert outcomes(carry(table, seen(primitive(1), clock=9), epoch=2, repairs=True)) == ["carried"]


def test_a_name_that_somebody_else_has_is_not_written_over(table: Table, catalogue: MetricCatalogue) -> None:
    catalogue.save("abc", Saved(definition_from({"name": "metric_1", "valueType": "SCALAR"})), by="x")
    told = carry(table, seen(primitive(1)), seen(primitive(2)))
    assert outcomes(told) == ["refused", "carried"]
    assert "is there already" in told[0].reason
    assert catalogue.newest("abc", "metric_1").created_by == "x"


def test_two_that_change_names_with_each_other_are_both_there(table: Table, catalogue: MetricCatalogue) -> None:
    carry(table, seen(primitive(1, name="a")), seen(primitive(2, name="b")))
    told = carry(table, seen(primitive(1, name="b", versions=1), clock=2), seen(primitive(2, name="a"), clock=2))
    assert outcomes(told) == ["carried"] * 2
    assert [catalogue.newest("abc", name).number for name in "ab"] == [5, 1]
    assert table.get(metric_keys.head("abc")) == {"revision": catalogue.revision("abc"), "metrics": 2}


def large(versions: int, **cells: Any) -> Document:
    rows = [
        version(1, updated_by=f"editor {number}", **cells) | {"version": number} for number in range(1, versions + 1)
    ]
    params = [{"aggregation_param": f"{number / 10}"} for number in range(1, versions + 1)]
    kind = {"value_type": "PERCENTILE", "aggregation_style": "PERCENTILE"}
    return document(metric("large"), [row | param | kind for row, param in zip(rows, params, strict=True)])


def test_an_entity_of_more_items_than_a_transaction_holds_is_written_in_steps(
    table: Table, catalogue: MetricCatalogue
) -> None:
    assert outcomes(carry(table, seen(primitive(2)), seen(large(150)), seen(primitive(3)))) == ["carried"] * 3
    assert len(list(catalogue.versions("abc", "large"))) == 150
    assert catalogue.newest("abc", "large").number == 150
    item = table.get(keys.moved("metric", "1"))
    assert item is not None
    assert UNDERWAY not in item
    assert outcomes(carry(table, seen(large(3), clock=2))) == ["carried"]
    assert len(everything_of(table, "large")) == 7
    assert outcomes(carry(table, seen(None, key="1", clock=3))) == ["carried"]
    assert everything_of(table, "large") == {}


class Stopping:
    """A table that stops, as a process does, before one of the writes that are asked of it."""

    def __init__(self, table: Table, writes: int) -> None:
        self._table = table
        self._left = writes

    def __getattr__(self, name: str) -> object:
        return getattr(self._table, name)

    def put(self, put: Put) -> None:
        self._count()
        self._table.put(put)

    def transact(self, actions: Sequence[Action]) -> None:
        self._count()
        self._table.transact(actions)

    def _count(self) -> None:
        if self._left == 0:
            raise KeyboardInterrupt
        self._left -= 1


@pytest.mark.parametrize("writes", range(5))
def test_whoever_is_stopped_between_steps_is_finished_or_overtaken(table: Table, writes: int) -> None:
    carry(table, seen(large(3), clock=1))
    with pytest.raises(KeyboardInterrupt):
        carry(Stopping(table, writes), seen(large(150), clock=2))  # pyright: ignore[reportArgumentType] - a table that stops
    item = table.get(keys.moved("metric", "1"))
    assert item is not None
    assert item["fence"] == 1, "nobody takes what is half written for the whole"
    if writes % 2:
        assert outcomes(carry(table, seen(large(150), clock=2))) == ["carried"]
        assert len(everything_of(table, "large")) == 301
    else:
        assert outcomes(carry(table, seen(large(2), clock=3))) == ["carried"]
        assert len(everything_of(table, "large")) == 5
        assert outcomes(carry(table, seen(large(150), clock=2))) == ["stale"]


def noisy(noise: Random, number: int) -> dict[str, Cell]:
    return version(1, updated_by=noise.randbytes(5_000).hex()) | {"version": number}


def test_an_entity_whose_rows_are_too_large_for_an_item_is_set_aside(table: Table) -> None:
    noise = Random(1)
    many = document(metric("large"), [noisy(noise, number) for number in range(1, 101)])
    (told,) = carry(table, seen(many))
    assert (told.outcome, "400000 bytes" in told.reason) == (Outcome.REFUSED, True)
    assert everything_of(table, "large") == {}


def test_whoever_repairs_writes_over_what_lies_there(table: Table, catalogue: MetricCatalogue) -> None:
    carry(table, seen(primitive(1)))
    place = metric_keys.version("abc", "metric_1", 2)
    before = table.get(place)
    table.put(Put(place, {"broken": True}))
    assert outcomes(carry(table, seen(primitive(1)))) == ["unchanged"]
    assert outcomes(carry(table, seen(primitive(1)), repairs=True)) == ["carried"]
    assert table.get(place) == before
    assert table.get(metric_keys.head("abc")) == {"revision": 2, "metrics": 1}


def histories(seed: int) -> Iterator[list[Seen]]:
    chance = Random(seed)
    states: list[Seen] = []
    for clock in range(1, 9):
        for id in (1, 2, 3):
            kind = chance.choice(["gone", "bad", "good", "good"])
            found = {"gone": None, "bad": single("x", id=id, value_type="BLOB")}.get(kind)
            if kind == "good":
                found = primitive(id, versions=chance.randint(1, 6), name=f"m{id}{chance.choice('ab')}")
            states.append(Seen(str(id), clock, found))
    while states:
        count = min(len(states), chance.randint(1, 4))
        picked = {one.key: one for one in chance.sample(states, count)}
        yield list(picked.values())
        if chance.random() < 0.7:
            states = [one for one in states if one not in picked.values()]


def test_in_whatever_order_states_arrive_the_newest_stays(new_table: NewTable) -> None:
    for seed in range(6):
        table = new_table(clock=CLOCK)
        newest: dict[str, Seen] = {}
        for batch in histories(seed):
            carry(table, *batch)
            for one in batch:
                newest[one.key] = max(newest.get(one.key, one), one, key=lambda seen: seen.clock)
        fresh = new_table(clock=CLOCK)
        carry(fresh, *newest.values())
        names = [f"m{id}{letter}" for id in (1, 2, 3) for letter in "ab"]
        assert {name: everything_of(table, name) for name in names} == {
            name: everything_of(fresh, name) for name in names
        }
        heads = [one.get(metric_keys.head("abc")) or {} for one in (table, fresh)]
        assert heads[0].get("metrics", 0) == heads[1].get("metrics", 0)


def test_a_catalogue_that_somebody_changes_all_the_time_is_waited_for(table: Table) -> None:
    class Busy(Stopping):
        def _count(self) -> None:
            self._left -= 1
            if self._left >= 0:
                raise Changed("somebody was faster")

    assert outcomes(carry(Busy(table, 5), seen(primitive(1)))) == ["carried"]  # pyright: ignore[reportArgumentType] - a table that is busy
    with pytest.raises(Changed, match="carry it again"):
        carry(Busy(table, 500), seen(primitive(2)))  # pyright: ignore[reportArgumentType] - a table that is busy
