"""Labels from the catalogue win where it has them, are as new as the last write, and stay within their memory."""

import pytest

from footfall.adapters.embedded.sqlite_table import SqliteTable
from footfall.catalog.asset import Asset
from footfall.catalog.catalogue import Catalogue
from footfall.catalog.labels import KnownLabels
from footfall.ports.table import Item, Key
from footfall.values.clock import SetClock
from tests.simulation.grounds import TroubledTable

HIT = ("1", "sent section", "sent type", "sent paid")


class Counted(TroubledTable):
    """A table that counts how often it is read."""

    reads = 0

    def get(self, key: Key) -> Item | None:
        self.reads += 1
        return super().get(key)


@pytest.fixture
def ground() -> SqliteTable:
    return SqliteTable(":memory:", clock=SetClock(0))


def put(ground: SqliteTable, *assets: Asset) -> None:
    Catalogue(ground, SetClock(0)).put("abc", assets)


def test_the_catalogue_s_labels_win_and_those_it_lacks_stay_as_sent(ground: SqliteTable) -> None:
    put(ground, Asset("1", section="7", paid_type="free"))
    labels = KnownLabels(ground)
    assert labels.labelled("abc", [HIT, ("2", "a", "b", "c")]) == [
        ("1", "7", "sent type", "free"),
        ("2", "a", "b", "c"),
    ]


def test_labels_are_those_of_the_last_write(ground: SqliteTable) -> None:
    labels = KnownLabels(ground)
    assert labels.labelled("abc", [HIT]) == [HIT]
    for section in ("7", "8"):
        put(ground, Asset("1", section=section))
        labels.forget("abc", ["1"])
        assert labels.labelled("abc", [HIT])[0][1] == section
    Catalogue(ground, SetClock(0)).delete("abc", ["1"])
    labels.forget_all()
    assert labels.labelled("abc", [HIT]) == [HIT]


def test_a_brand_without_a_catalogue_is_looked_up_once(ground: SqliteTable) -> None:
    table = Counted(ground)
    labels = KnownLabels(table)
    hits = [(str(number), "", "", "") for number in range(50)]
    assert all(labels.labelled("abc", hits) is hits for _ in range(20))
    assert table.reads == 1


def test_an_asset_is_looked_up_once_whether_it_is_known_or_not(ground: SqliteTable) -> None:
    put(ground, Asset("1", section="7"))
    table = Counted(ground)
    labels = KnownLabels(table)
    for _ in range(10):
        labels.labelled("abc", [HIT, ("2", "", "", "")])
    assert table.reads == 3
    assert labels.of("abc", "1") == ("7", "", "")
    assert labels.of("abc", "2") is None
    assert table.reads == 3


def test_what_is_asked_for_stays_at_hand_and_the_rest_makes_room(ground: SqliteTable) -> None:
    put(ground, *(Asset(str(number), section=str(number)) for number in range(100)))
    table = Counted(ground)
    labels = KnownLabels(table, assets_max=10)
    for number in range(100):
        assert labels.of("abc", str(number)) == (str(number), "", "")
        assert labels.of("abc", "0") == ("0", "", "")
    assert table.reads == 100
    assert labels.of("abc", "1") == ("1", "", "")
    assert table.reads == 101


def test_an_asset_that_was_written_is_forgotten_wherever_it_was_kept(ground: SqliteTable) -> None:
    put(ground, *(Asset(str(number), section="old") for number in range(8)))
    labels = KnownLabels(ground, assets_max=10)
    for number in range(8):
        labels.of("abc", str(number))
    put(ground, *(Asset(str(number), section="new") for number in range(8)))
    labels.forget("abc", [str(number) for number in range(8)])
    assert {labels.of("abc", str(number)) for number in range(8)} == {("new", "", "")}


def test_assets_that_are_hit_and_not_known_are_told_of(ground: SqliteTable) -> None:
    put(ground, Asset("1"))
    told: list[tuple[str, str, str]] = []
    labels = KnownLabels(ground, on_unknown=lambda *what: told.append(what))
    assert labels.wants_addresses
    labels.notice("abc", [("1", "https://news.example/1"), ("2", "https://news.example/2")])
    assert told == [("abc", "2", "https://news.example/2")]
    silent = KnownLabels(ground)
    assert not silent.wants_addresses
    silent.notice("abc", [("2", "https://news.example/2")])
