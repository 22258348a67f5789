"""The catalogue gives back what was put, finds it by every way in, and survives being killed between any two writes."""

from collections.abc import Callable

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from footfall.adapters.embedded.sqlite_table import SqliteTable
from footfall.catalog import keys
from footfall.catalog.asset import Asset
from footfall.catalog.catalogue import ASSETS_PER_CHANGE, CHANGES_KEPT_MS, Catalogue, links_of
from footfall.ports.errors import Changed
from footfall.ports.table import Item, Put, Table, Update, everything
from footfall.values.clock import SetClock
from tests.simulation.grounds import Killed, KilledTable, TroubledTable

NOW_MS = 1_794_744_000_000
ONE = Asset(
    "1",
    title="One",
    address="https://news.example/one",
    image="https://news.example/one.jpg",
    section="563",
    resource_type="article",
    paid_type="free",
    published_ms=NOW_MS,
    updated_ms=NOW_MS + 1,
    authors=("Ann", "Bo#b"),
    tags=("sea", "sky"),
)


def table() -> SqliteTable:
    return SqliteTable(":memory:", clock=SetClock(NOW_MS))


def catalogue(on: Table | None = None, clock: SetClock | None = None) -> Catalogue:
    return Catalogue(on or table(), clock or SetClock(NOW_MS))


def test_an_asset_comes_back_as_it_was_put() -> None:
    known = catalogue()
    known.put("abc", [ONE, Asset("2")])
    assert known.get("abc", ["1", "2", "3", "1"]) == {"1": ONE, "2": Asset("2")}


def test_a_brand_sees_nothing_of_another() -> None:
    known = catalogue()
    known.put("abc", [ONE])
    assert known.get("xyz", ["1"]) == {}
    assert known.members("xyz", tag="sea") == frozenset()
    assert known.page("xyz", "", 10) == []
    assert known.version("xyz") == 0


def test_an_asset_is_found_by_author_tag_and_time_together() -> None:
    known = catalogue()
    known.put("abc", [ONE, Asset("2", tags=("sea",), published_ms=NOW_MS - 1), Asset("3", authors=("Ann",))])
    assert known.members("abc", tag="sea") == {"1", "2"}
    assert known.members("abc", author="Ann") == {"1", "3"}
    assert known.members("abc", author="Bo#b") == {"1"}
    assert known.members("abc", author="Ann", tag="sea") == {"1"}
    assert known.members("abc", published_after_ms=NOW_MS) == {"1"}
    assert known.members("abc", published_after_ms=-5) == {"1", "2"}
    assert known.members("abc", tag="sea", published_after_ms=NOW_MS + 1) == frozenset()
    assert known.members("abc", tag="nowhere", author="Ann") == frozenset()
    assert known.members("abc") == {"1", "2", "3"}


def test_assets_are_told_in_the_order_in_which_they_were_published() -> None:
    known = catalogue()
    known.put("abc", [ONE, Asset("2", published_ms=5), Asset("3"), Asset("4#x", published_ms=NOW_MS + 1)])
    assert known.published("abc") == [(5, "2"), (NOW_MS, "1"), (NOW_MS + 1, "4#x")]
    assert known.published("xyz") == []


def test_an_asset_that_is_put_again_is_not_found_by_what_it_was_before() -> None:
    known = catalogue()
    known.put("abc", [ONE])
    known.put("abc", [Asset("1", authors=("Cy",), tags=("sky",))])
    assert known.get("abc", ["1"]) == {"1": Asset("1", authors=("Cy",), tags=("sky",))}
    assert known.members("abc", tag="sea") == frozenset()
    assert known.members("abc", author="Ann") == frozenset()
    assert known.members("abc", published_after_ms=0) == frozenset()
    assert known.members("abc", author="Cy", tag="sky") == {"1"}


def test_a_deleted_asset_is_found_no_more_and_counted_once() -> None:
    known = catalogue()
    known.put("abc", [ONE, Asset("2", tags=("sea",))])
    assert known.delete("abc", ["1", "1", "7"]) == 1
    assert known.delete("abc", ["1"]) == 0
    assert known.get("abc", ["1"]) == {}
    assert known.members("abc", tag="sea") == {"2"}


def test_of_two_with_one_id_the_later_stays() -> None:
    known = catalogue()
    known.put("abc", [ONE, Asset("1", tags=("last",))])
    assert known.members("abc", tag="sea") == frozenset()
    assert known.members("abc", tag="last") == {"1"}


def test_pages_follow_each_other_in_the_order_of_ids() -> None:
    known = catalogue()
    known.put("abc", [Asset(str(number)) for number in range(40)])
    first = known.page("abc", "", 15)
    second = known.page("abc", first[-1].id, 100)
    assert [one.id for one in [*first, *second]] == sorted(str(number) for number in range(40))


def test_the_version_grows_with_every_change_and_names_what_changed() -> None:
    known = catalogue()
    versions = [known.version("abc")]
    for act in (
        lambda: known.put("abc", [ONE]),
        lambda: known.put("abc", [Asset("2")]),
        lambda: known.delete("abc", ["1"]),
    ):
        act()
        versions.append(known.version("abc"))
    assert versions == sorted(set(versions))
    assert versions[0] == 0
    assert known.changed_since("abc", versions[1]) == {"1", "2"}
    assert known.changed_since("abc", versions[2]) == {"1"}
    assert known.changed_since("abc", versions[3]) == frozenset()


def test_what_changed_too_long_ago_is_said_to_be_unknown() -> None:
    clock = SetClock(NOW_MS)
    known = Catalogue(SqliteTable(":memory:", clock=clock), clock)
    known.put("abc", [ONE])
    clock.advance(CHANGES_KEPT_MS)
    known.put("abc", [Asset("2")])
    assert known.changed_since("abc", 0) is None
    assert known.changed_since("abc", 1) == {"2"}


def test_a_second_writer_is_found_out() -> None:
    ground = table()
    rival = catalogue(ground)

    class Overtaken(TroubledTable):
        def update(self, update: Update) -> Item:
            if update.key == keys.version("abc") and rival.version("abc") == 1:
                ground.put(Put(update.key, {"number": 7}))
            return super().update(update)

    catalogue(ground).put("abc", [ONE])
    with pytest.raises(Changed):
        catalogue(Overtaken(ground, is_ordered=True)).put("abc", [Asset("2")])


def acts() -> list[Callable[[Catalogue], object]]:
    """Return changes of every kind, some larger than one intent names."""
    many = [Asset(f"m{number}", tags=(f"t{number % 3}", "m"), published_ms=number) for number in range(20)]
    return [
        lambda known: known.put("abc", [ONE, Asset("2", tags=("sea",))]),
        lambda known: known.put("abc", many),
        lambda known: known.put("abc", [Asset("1", authors=("Cy",), tags=("sky", "new"), published_ms=5)]),
        lambda known: known.delete("abc", ["2", "m3", "m19"]),
    ]


def stored(ground: SqliteTable, known: Catalogue) -> object:
    """Return all assets and, for each link, what it leads to; a link that is missing or left over shows."""
    found = known.page("abc", "", 1_000)
    names = {name for asset in found for name in asset.tags} | {"sea", "sky", "new", "m", "t0", "t1", "t2"}
    writers = {name for asset in found for name in asset.authors} | {"Ann", "Bo#b", "Cy"}
    return (
        found,
        {name: known.members("abc", tag=name) for name in names},
        {name: known.members("abc", author=name) for name in writers},
        [link.key for link in everything(ground, keys.published_partition("abc"))],
        ground.get(keys.intent("abc")),
    )


def played(*, writes: int, is_ordered: bool) -> tuple[object, bool]:
    """Make the changes, killed once after so many writes; return what is stored and whether it came to that."""
    ground = table()
    known = catalogue(KilledTable(ground, writes=writes, is_ordered=is_ordered))
    was_killed = False
    for act in acts():
        try:
            act(known)
        except Killed:
            was_killed = True
            known = catalogue(ground)
            known.finish("abc")
            assert_links_are_whole(ground, known)
            act(known)
    return stored(ground, known), was_killed


def assert_links_are_whole(ground: SqliteTable, known: Catalogue) -> None:
    """Hold every link against the asset that it leads to, both ways."""
    wanted = {link for asset in known.page("abc", "", 1_000) for link in links_of("abc", asset)}
    partitions = {link.partition for link in wanted} | {
        *(keys.tag_partition("abc", name) for name in ("sea", "sky", "new", "m", "t0", "t1", "t2")),
        *(keys.author_partition("abc", name) for name in ("Ann", "Bo#b", "Cy")),
        keys.published_partition("abc"),
    }
    there = {found.key for partition in partitions for found in everything(ground, partition)}
    assert there == wanted
    assert ground.get(keys.intent("abc")) is None


@pytest.mark.parametrize("is_ordered", [True, False])
def test_a_writer_killed_between_any_two_writes_leaves_nothing_that_stays_wrong(is_ordered: bool) -> None:
    expected, was_killed = played(writes=1_000_000, is_ordered=is_ordered)
    assert not was_killed
    for writes in range(1_000):
        found, was_killed = played(writes=writes, is_ordered=is_ordered)
        assert found == expected, f"killed after {writes} writes"
        if not was_killed:
            return
    raise AssertionError("the changes never came to their end")


def test_readers_learn_of_a_change_that_was_cut_short_once_it_is_finished() -> None:
    ground = table()
    catalogue(ground).put("abc", [ONE])
    with pytest.raises(Killed):
        # The intent and the links are there, the asset and the version are not.
        catalogue(KilledTable(ground, writes=3, is_ordered=True)).put("abc", [Asset("1", tags=("new",))])
    known = catalogue(ground)
    version = known.version("abc")
    known.finish("abc")
    assert known.changed_since("abc", version) == {"1"}


names = st.lists(st.sampled_from(["a", "b", "c#d", "ä"]), unique=True, max_size=3).map(tuple)
some_assets = st.builds(
    Asset,
    id=st.sampled_from([str(number) for number in range(ASSETS_PER_CHANGE + 4)]),
    title=st.text(max_size=5),
    section=st.sampled_from(["", "1"]),
    published_ms=st.none() | st.integers(0, 3),
    authors=names,
    tags=names,
)
changes = st.lists(
    st.lists(some_assets, max_size=30) | st.lists(st.sampled_from(["1", "2", "x"]), max_size=3), max_size=6
)


@given(changes)
@settings(max_examples=40, deadline=None)
def test_the_catalogue_agrees_with_a_plain_dict(made: list[list[Asset] | list[str]]) -> None:
    known, plain = catalogue(), dict[str, Asset]()
    for change in made:
        if change and isinstance(change[0], str):
            ids = [one for one in change if isinstance(one, str)]
            assert known.delete("abc", ids) == len({one for one in ids if one in plain})
            plain = {key: asset for key, asset in plain.items() if key not in ids}
        else:
            sent = [one for one in change if isinstance(one, Asset)]
            known.put("abc", sent)
            plain |= {asset.id: asset for asset in sent}
    assert {asset.id: asset for asset in known.page("abc", "", 1_000)} == plain
    for name in ("a", "b", "c#d", "ä"):
        assert known.members("abc", tag=name) == {key for key, asset in plain.items() if name in asset.tags}
        assert known.members("abc", author=name) == {key for key, asset in plain.items() if name in asset.authors}
    later = {key for key, asset in plain.items() if asset.published_ms is not None and asset.published_ms >= 2}
    assert known.members("abc", published_after_ms=2) == later
