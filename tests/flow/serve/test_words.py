"""The catalogue in lists: what is shown, what its filters let through, and that they are proven like any other."""

import random
from collections import Counter
from collections.abc import Sequence
from typing import Any

import msgspec
import numpy as np
import pytest

from footfall.adapters.embedded.sqlite_table import SqliteTable
from footfall.catalog.asset import Asset
from footfall.catalog.catalogue import Catalogue
from footfall.flow.serve import words as words_module
from footfall.flow.serve.members import NAME_COST
from footfall.flow.serve.popular import popular
from footfall.flow.serve.query import PopularQuery
from footfall.flow.serve.words import Words
from footfall.flow.store.columns import Columns, CountKey, columns_from_counts, ident_of
from footfall.flow.store.cutting import cut
from footfall.values.clock import SetClock
from footfall.values.window import Grain, moment_from_text
from tests.flow.serve.counting import plain_list, plain_totals
from tests.flow.serve.test_popular import HOURS, board_of, minutes_of

MORNING, NOON = moment_from_text("2026-11-15T08:00Z"), moment_from_text("2026-11-15T12:00Z")
ASSETS = [
    Asset("1", title="One", address="https://example.com/1", image="/1.png", published_ms=MORNING, authors=("Ann",)),
    Asset("2", title="Two", authors=("Ann", "Bo, Jr"), tags=("x", "y"), published_ms=NOON),
    Asset("/three", tags=("y",), authors=("Cy",)),
    Asset("unread", tags=("x",), authors=("Dee",)),
]
COUNTS: dict[CountKey, int] = {
    ("1", "563", "article", "free"): 9,
    ("2", "563", "article", "free"): 5,
    ("/three", "12", "video", "paid"): 7,
    ("4", "12", "video", "paid"): 8,
}


def catalogue_of(assets: Sequence[Asset], brand: str = "abc") -> Catalogue:
    clock = SetClock(NOON)
    catalogue = Catalogue(SqliteTable(":memory:", clock=clock), clock)
    if assets:
        catalogue.put(brand, assets)
    return catalogue


def words_of(assets: Sequence[Asset] = ASSETS) -> Words:
    catalogue = catalogue_of(assets)
    return Words(lambda: catalogue)


def body_of(query: PopularQuery, words: Words) -> dict[str, Any]:
    return msgspec.json.decode(popular(minutes_of(COUNTS), query, words).body)


def listed(words: Words, **filters: Any) -> list[str]:
    return [item["assetId"] for item in body_of(PopularQuery("abc", **filters), words)["items"]]


def test_what_is_known_of_an_asset_is_shown_and_nothing_else() -> None:
    items = body_of(PopularQuery("abc"), words_of())["items"]
    known = ("title", "address", "image", "published")
    assert [{name: item[name] for name in known if name in item} for item in items] == [
        {"title": "One", "address": "https://example.com/1", "image": "/1.png", "published": "2026-11-15T08:00Z"},
        {},
        {},
        {"title": "Two", "published": "2026-11-15T12:00Z"},
    ]
    assert list(items[0])[-5:] == ["paidType", "title", "address", "image", "published"]


def test_without_a_catalogue_lists_are_as_they_were() -> None:
    plain = popular(minutes_of(COUNTS), PopularQuery("abc")).body
    assert popular(minutes_of(COUNTS), PopularQuery("abc"), words_of([])).body == plain
    assert b"title" not in plain


@pytest.mark.parametrize(
    ("filters", "assets"),
    [
        ({"authors": ("Ann",)}, ["1", "2"]),
        ({"authors": ("Ann", "Cy")}, ["1", "/three", "2"]),
        ({"authors": ("Bo, Jr",)}, ["2"]),
        ({"tags": ("y",)}, ["/three", "2"]),
        ({"tags": ("x", "y"), "authors": ("Cy", "Dee")}, ["/three"]),
        ({"published_after_ms": MORNING}, ["1", "2"]),
        ({"published_after_ms": MORNING + 1}, ["2"]),
        ({"published_after_ms": MORNING, "tags": ("y",)}, ["2"]),
        ({"exclude": ("1", "nobody", "/three")}, ["4", "2"]),
        ({"authors": ("Ann",), "exclude": ("1",)}, ["2"]),
        ({"authors": ("Ann", "Cy"), "sections": ("12",)}, ["/three"]),
        ({"authors": ("Ann", "Cy"), "limit": 2}, ["1", "/three"]),
        ({"tags": ("x",), "exclude": ("2",)}, []),
        ({"authors": ("nobody",)}, []),
    ],
)
def test_filters_let_through_what_matches_any_value_of_each(filters: dict[str, Any], assets: list[str]) -> None:
    assert listed(words_of(), **filters) == assets


def test_a_filter_that_no_asset_matches_is_an_empty_list_that_is_proven_whatever_was_cut() -> None:
    board = board_of([cut(columns_from_counts(COUNTS), 1)], periods=HOURS, grain=Grain.HOUR)
    for query in (PopularQuery("abc", "hours", authors=("nobody",)), PopularQuery("abc", "hours", tags=("z",))):
        answer = popular(board, query, words_of())
        assert (answer.exact, msgspec.json.decode(answer.body)["items"]) == (True, [])
    assert not popular(board, PopularQuery("abc", "hours", tags=("x",)), words_of()).exact


def test_a_brand_without_a_catalogue_has_no_assets_that_match() -> None:
    assert listed(words_of([]), authors=("Ann",)) == []
    assert listed(Words(lambda: None), published_after_ms=0) == []


def test_a_catalogue_that_changes_is_followed() -> None:
    catalogue = catalogue_of(ASSETS)
    words = Words(lambda: catalogue)
    assert listed(words, authors=("Ann",)) == ["1", "2"]
    version = words.look("abc")
    catalogue.put("abc", [Asset("4", title="Four", authors=("Ann",)), Asset("1", title="Uno")])
    catalogue.delete("abc", ["2"])
    assert words.look("abc") > version
    assert listed(words, authors=("Ann",)) == ["4"]
    titles = {item["assetId"]: item.get("title") for item in body_of(PopularQuery("abc"), words)["items"]}
    assert titles == {"1": "Uno", "4": "Four", "/three": None, "2": None}


def test_many_changes_at_once_are_read_anew(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(words_module, "CHANGED_MAX", 2)
    catalogue = catalogue_of(ASSETS)
    words = Words(lambda: catalogue)
    assert listed(words, tags=("y",)) == ["/three", "2"]
    catalogue.put("abc", [Asset(one, tags=("y",)) for one in ("1", "4", "5")])
    words.look("abc")
    assert listed(words, tags=("y",)) == ["1", "4", "/three", "2"]


def test_following_changes_gives_what_reading_anew_gives() -> None:
    chance = random.Random(4)
    catalogue = catalogue_of(ASSETS)
    following = Words(lambda: catalogue)
    queries = [
        PopularQuery("abc", authors=("a", "b")),
        PopularQuery("abc", authors=("c",)),
        PopularQuery("abc", tags=("t",), published_after_ms=5),
        PopularQuery("abc", published_after_ms=8),
    ]
    for _ in range(40):
        ids = [str(chance.randrange(30)) for _ in range(3)]
        if chance.random() < 0.3:
            catalogue.delete("abc", ids)
        else:
            made = [
                Asset(one, authors=(chance.choice("abc"),), tags=("t",), published_ms=chance.randrange(10))
                for one in ids
            ]
            catalogue.put("abc", made)
        following.look("abc")
        for query in queries:
            mine, anew = following.members(query), Words(lambda: catalogue).members(query)
            assert mine is not None
            assert anew is not None
            assert mine.tolist() == anew.tolist()


def test_memory_is_bounded_whatever_is_asked(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(words_module, "MEMBERS_MAX", 500)
    monkeypatch.setattr(words_module, "SHOWN_BYTES_MAX", 3_000)
    words = words_of([Asset(str(number), title="t", authors=("Ann",), published_ms=number) for number in range(8)])
    for number in range(40):
        members = words.members(PopularQuery("abc", published_after_ms=number, authors=("Ann", f"stranger {number}")))
        assert members is not None
        assert len(members) == max(0, 8 - number)
        words.shown("abc", [str(number), "x"])
        assert words._brands["abc"].members.cost <= 500 + 3 * NAME_COST
        assert words._shown_bytes <= 3_000 + 4 * words_module.ASSET_BYTES
    words.forget("abc")
    assert words._shown_bytes == 0


def test_an_asset_that_only_shares_its_ident_with_one_that_matches_is_not_listed() -> None:
    class Coarse(Words):
        """Words in which the ident of an asset that matches is another asset's as well."""

        def members(self, query: PopularQuery) -> Any:
            found = super().members(query)
            return None if found is None else np.union1d(found, [np.uint64(ident_of("4"))])

    catalogue = catalogue_of(ASSETS)
    words = Coarse(lambda: catalogue)
    assert listed(words, authors=("Ann",)) == ["1", "2"]
    assert listed(words, authors=("Ann",), limit=1) == ["1"]


def cut_hours(chance: random.Random) -> tuple[Counter[CountKey], list[Columns]]:
    truth = Counter[CountKey]()
    kept: list[Columns] = []
    for _ in range(4):
        counts = Counter[CountKey]()
        for _ in range(chance.randrange(4, 14)):
            asset = chance.choice("0123456789abcdef")
            section = "563" if asset in "02468ace" else chance.choice(["12", "563"])
            counts[asset, section, "", ""] += chance.choice([1, 2, 3, 30])
        truth.update(counts)
        kept.append(cut(columns_from_counts(counts), chance.choice([0, 0, 1, 3])))
    return truth, kept


@pytest.mark.parametrize("seed", range(4))
def test_with_the_catalogues_filters_exact_means_proven_and_the_bounds_hold(seed: int) -> None:
    chance = random.Random(seed)
    exact = 0
    for _ in range(25):
        truth, kept = cut_hours(chance)
        board = board_of(kept, periods=HOURS, grain=Grain.HOUR)
        members = chance.sample("0123456789abcdefgh", chance.randrange(1, 6))
        words = words_of([Asset(one, tags=("t",)) for one in members])
        excluded = tuple(sorted(chance.sample("0123456789abcdef", 2)))
        for tags, exclude in ((("t",), ()), (("t",), excluded), ((), excluded)):
            query = PopularQuery(
                "abc",
                "hours",
                tags=tags,
                exclude=exclude,
                sections=chance.choice([(), ("12",)]),
                limit=chance.choice([1, 3, 100]),
            )
            answer = popular(board, query, words)
            wanted = {
                key: hits for key, hits in truth.items() if key[0] not in exclude and (not tags or key[0] in members)
            }
            items = msgspec.json.decode(answer.body)["items"]
            exact += answer.exact
            if answer.exact:
                found = [(item["assetId"], item["hits"]) for item in items]
                assert found == plain_list(wanted, query, query.limit)
            else:
                totals = plain_totals(wanted, query)
                assert all(item["hits"] <= totals[item["assetId"]] <= item["hitsAtMost"] for item in items)
    assert exact > 5
