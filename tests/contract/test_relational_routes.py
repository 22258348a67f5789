"""What a database tells of all routes at once: who is where, what was ever there, and what was made elsewhere."""

from dataclasses import replace

import pytest

from footfall.ports.errors import Changed
from footfall.ports.relational import EPOCH_STEP, EVERYTHING, Document, Outline, Relational, Route, Side
from tests.contract.old_schemas import REDESIGNED, Source
from tests.contract.relational_asking import leave, seen


@pytest.fixture
def relational(source: Source) -> Relational:
    """A catalogue of three metrics, prepared."""
    for number in (1, 2, 10):
        source.add_metric(number)
    opened = source.opened()
    opened.prepare(REDESIGNED)
    return opened


def given(relational: Relational, key: str) -> Route:
    """Hand an entity over to the other side."""
    doubt = leave(relational, REDESIGNED, key)
    assert doubt is not None
    route = replace(doubt, side=Side.NEW)
    assert relational.enter(REDESIGNED, key, route, expects=doubt)
    return route


def remove(source: Source, number: int) -> None:
    source.run("DELETE FROM metric_version WHERE metric_id = %s", number)
    source.run("DELETE FROM metrics WHERE id = %s", number)


def test_entities_are_found_by_their_side_whether_they_are_there_or_gone(
    source: Source, relational: Relational
) -> None:
    given(relational, EVERYTHING)
    given(relational, "2")
    assert leave(relational, REDESIGNED, "10") is not None
    remove(source, 1)
    assert relational.routed(REDESIGNED, Side.OLD, after=None, limit=9) == ["1"]
    assert relational.routed(REDESIGNED, Side.NEW, after=None, limit=9) == ["2"]
    assert relational.routed(REDESIGNED, Side.DOUBT, after=None, limit=9) == ["10"]
    assert relational.sides(REDESIGNED) == {Side.OLD: 1, Side.DOUBT: 1, Side.NEW: 1}


def test_entities_of_a_side_come_in_pages(relational: Relational) -> None:
    first = relational.routed(REDESIGNED, Side.OLD, after=None, limit=2)
    rest = relational.routed(REDESIGNED, Side.OLD, after=first[-1], limit=2)
    assert sorted([*first, *rest]) == ["1", "10", "2"]
    assert relational.routed(REDESIGNED, Side.OLD, after=rest[-1], limit=2) == []


def test_the_last_key_is_the_largest_number_that_ever_was(source: Source, relational: Relational) -> None:
    assert relational.last_key(REDESIGNED) == relational.last_key(REDESIGNED, is_recent=True) == 10
    remove(source, 10)
    assert relational.last_key(REDESIGNED) == relational.last_key(REDESIGNED, is_recent=True) == 10
    relational.done(REDESIGNED, [notice.id for notice in relational.waiting(REDESIGNED, limit=99)])
    assert relational.last_key(REDESIGNED) == 10
    assert relational.last_key(REDESIGNED, is_recent=True) == 2


def test_an_empty_table_has_no_last_key_and_keys_of_text_never_have_one(source: Source) -> None:
    relational = source.opened()
    relational.prepare(REDESIGNED)
    assert relational.last_key(REDESIGNED) == relational.last_key(REDESIGNED, is_recent=True) == 0
    assert relational.last_key(Outline("named", "metrics", "name")) is None


def test_what_was_made_elsewhere_comes_back_in_its_own_epoch_while_everything_is_there(relational: Relational) -> None:
    (one,) = seen(relational, REDESIGNED, "1")
    assert one.document is not None
    versions = [{**one.document.parts["versions"][0], "metric_id": 50}]
    made = Document({**one.document.root, "id": 50, "name": "made"}, {"versions": versions})
    route = given(relational, EVERYTHING)
    # A return of everything was taken back meanwhile.
    assert relational.enter(REDESIGNED, EVERYTHING, replace(route, epoch=3), expects=route)
    assert relational.write_back(REDESIGNED, "50", made, epoch=1, fence=EPOCH_STEP + 1)
    assert relational.routes(REDESIGNED, ["50"])["50"] == Route(Side.NEW, 1, 0, EPOCH_STEP + 1)
    assert relational.enter(REDESIGNED, EVERYTHING, Route(Side.OLD, 4), expects=replace(route, epoch=3))
    with pytest.raises(Changed):
        relational.write_back(REDESIGNED, "51", made, epoch=3, fence=3 * EPOCH_STEP + 1)
    assert relational.routed(REDESIGNED, Side.NEW, after=None, limit=9) == ["50"]
