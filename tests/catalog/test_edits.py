"""Editors' acts come back as they were put, end by themselves, are bounded, and tell readers that they changed."""

import pytest

from footfall.adapters.embedded.sqlite_table import SqliteTable
from footfall.catalog.asset import Asset
from footfall.catalog.catalogue import Catalogue
from footfall.catalog.edits import HIDDEN_MAX, PINS_MAX, Acts, Hidden, Pin, require_act
from footfall.values.clock import SetClock
from footfall.values.errors import Refused

NOW_MS = 1_794_744_000_000
PIN = Pin(asset="1", place=2, by="key", at_ms=NOW_MS, sections=("563",), periods=("day",), until_ms=NOW_MS + 10)
HIDE = Hidden(asset="2", by="key", at_ms=NOW_MS, reason="wrong", until_ms=NOW_MS + 20)


def catalogue(clock: SetClock | None = None) -> Catalogue:
    clock = clock or SetClock(NOW_MS)
    return Catalogue(SqliteTable(":memory:", clock=clock), clock)


def test_acts_come_back_as_they_were_put_and_of_one_brand_only() -> None:
    edits = catalogue().edits
    edits.put("abc", PIN)
    edits.put("abc", HIDE)
    assert edits.acts("abc") == Acts((PIN,), (HIDE,))
    assert (edits.pinned("abc", "1"), edits.hidden("abc", "2")) == (PIN, HIDE)
    assert edits.acts("xyz") == Acts()


def test_an_act_in_the_place_of_another_replaces_it() -> None:
    edits = catalogue().edits
    edits.put("abc", PIN)
    edits.put("abc", Pin(asset="1", place=1, by="other", at_ms=NOW_MS))
    assert edits.acts("abc").pins == (Pin(asset="1", place=1, by="other", at_ms=NOW_MS),)


def test_what_was_taken_back_is_gone() -> None:
    edits = catalogue().edits
    edits.put("abc", PIN)
    edits.put("abc", HIDE)
    edits.unpin("abc", "1")
    edits.show("abc", "2")
    assert not edits.acts("abc")


def test_an_act_ends_by_itself_for_those_who_read_it_and_for_those_who_have_it() -> None:
    clock = SetClock(NOW_MS)
    edits = catalogue(clock).edits
    edits.put("abc", PIN)
    edits.put("abc", HIDE)
    held = edits.acts("abc")
    clock.advance(10)
    assert edits.acts("abc") == held.at(clock.now_ms()) == Acts((), (HIDE,))
    clock.advance(10)
    assert edits.acts("abc") == held.at(clock.now_ms()) == Acts()


def test_pins_come_in_the_order_of_their_places_and_the_later_one_first() -> None:
    edits = catalogue().edits
    for asset, place, at_ms in (("a", 3, 5), ("b", 1, 5), ("c", 3, 6), ("d", 3, 6)):
        edits.put("abc", Pin(asset=asset, place=place, by="key", at_ms=at_ms))
    assert [pin.asset for pin in edits.acts("abc").pins] == ["b", "c", "d", "a"]


def test_every_act_is_told_and_the_catalogue_is_still_as_new() -> None:
    known = catalogue()
    assert (known.versions("abc"), known.edits.changes()) == ((0, 0), 0)
    known.edits.put("abc", PIN)
    known.edits.unpin("abc", "1")
    assert (known.versions("abc"), known.edits.changes()) == ((0, 2), 2)
    assert known.version("abc") == 0


def test_assets_and_acts_are_told_beside_each_other() -> None:
    known = catalogue()
    known.edits.put("abc", PIN)
    known.put("abc", [Asset("1")])
    known.edits.put("abc", HIDE)
    known.put("abc", [Asset("2")])
    assert known.versions("abc") == (2, 2)
    assert known.changed_since("abc", 0) == {"1", "2"}


@pytest.mark.parametrize("most", [PINS_MAX, HIDDEN_MAX])
def test_there_are_only_so_many(most: int) -> None:
    edits = catalogue().edits

    def act(number: int) -> Pin | Hidden:
        asset = str(number)
        if most == PINS_MAX:
            return Pin(asset=asset, place=1, by="key", at_ms=NOW_MS)
        return Hidden(asset=asset, by="key", at_ms=NOW_MS)

    for number in range(most):
        edits.put("abc", act(number))
    edits.require_room("abc", act(0))
    with pytest.raises(Refused, match=f"more than the {most:,}"):
        edits.require_room("abc", act(most))


@pytest.mark.parametrize(
    ("act", "field"),
    [
        (Pin(asset="", place=1, by="key", at_ms=0), "assetId"),
        (Pin(asset="a" * 257, place=1, by="key", at_ms=0), "assetId"),
        (Pin(asset="a", place=0, by="key", at_ms=0), "place"),
        (Pin(asset="a", place=101, by="key", at_ms=0), "place"),
        (Pin(asset="a", place=1, by="key", at_ms=0, sections=("",)), "sections"),
        (Pin(asset="a", place=1, by="key", at_ms=0, sections=("s" * 65,)), "sections"),
        (Pin(asset="a", place=1, by="key", at_ms=0, periods=tuple(map(str, range(31)))), "periods"),
        (Pin(asset="a", place=1, by="key", at_ms=7, until_ms=7), "until"),
        (Hidden(asset="a", by="key", at_ms=7, until_ms=6), "until"),
        (Hidden(asset="a", by="key", at_ms=0, reason="r" * 301), "reason"),
        (Hidden(asset="a", by="key", at_ms=0, reason="\x07"), "reason"),
    ],
)
def test_an_act_that_cannot_be_is_refused_by_its_field(act: Pin | Hidden, field: str) -> None:
    with pytest.raises(Refused) as refused:
        require_act(act)
    assert refused.value.field == field
