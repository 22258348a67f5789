"""At the door a hit gets the catalogue's labels, frozen into its record; what is to be held is held without them."""

import json
from collections.abc import Generator

import pytest

from footfall.accounts.brands import Brand, Brands
from footfall.adapters.embedded.secret_table import SecretTable
from footfall.adapters.embedded.sqlite_table import SqliteTable
from footfall.catalog.asset import Asset
from footfall.catalog.catalogue import Catalogue
from footfall.catalog.labels import KnownLabels
from footfall.flow.collect.accept import Acceptance, Request, entries_of_singles
from footfall.flow.collect.parse import parse_hits, parse_one
from footfall.flow.collect.senders import Salts, Sender
from footfall.flow.stream.records import HitKey, Pack, pack_from_record
from footfall.values.clock import SetClock

NOW_MS = 1_794_744_000_000
SENDER = Sender("192.0.2.1", "Agent", wants_privacy=False)
BRANDS = Brands({"abc": Brand("abc"), "strict": Brand("strict", unlabelled="hold")}, any_brand=False)


@pytest.fixture
def ground() -> SqliteTable:
    table = SqliteTable(":memory:", clock=SetClock(NOW_MS))
    known = [Asset("1", section="7", resource_type="article"), Asset("2", title="No labels")]
    for brand in ("abc", "strict"):
        Catalogue(table, SetClock(NOW_MS)).put(brand, known)
    return table


@pytest.fixture
def acceptance(ground: SqliteTable) -> Generator[Acceptance]:
    with_salts = SecretTable(":memory:", clock=SetClock(NOW_MS))
    salts = Salts(with_salts, random_bytes=lambda size: b"s" * size)
    yield Acceptance(BRANDS, salts, shards=1, labels=KnownLabels(ground))
    with_salts.close()


def packed(acceptance: Acceptance, *hits: dict[str, object]) -> Pack:
    parsed = parse_hits(json.dumps(hits).encode(), lines=False, hits_max=100)
    (entry,) = acceptance.entries(parsed, Request(NOW_MS, SENDER, is_batch=True))
    return pack_from_record(entry.data)


def alone(acceptance: Acceptance, hit: dict[str, object]) -> Pack:
    single = acceptance.single(parse_one(json.dumps(hit).encode()), SENDER, arrived_at_ms=NOW_MS)
    (entry,) = entries_of_singles([single], shards=1)
    return pack_from_record(entry.data)


def lean(asset: str, brand: str = "abc", **more: object) -> dict[str, object]:
    return {"brand": brand, "assetId": asset, "sectionId": 5, "resourceType": "", "paidType": "free", **more}


@pytest.mark.parametrize(
    ("asset", "key"),
    [("1", ("1", "7", "article", "free")), ("2", ("2", "5", "", "free")), ("3", ("3", "5", "", "free"))],
)
@pytest.mark.parametrize("more", [{}, {"url": "https://news.example/"}])
def test_a_hit_is_counted_under_the_catalogue_s_labels(
    acceptance: Acceptance, asset: str, key: HitKey, more: dict[str, object]
) -> None:
    hit = lean(asset) | more
    assert packed(acceptance, hit, hit | {"assetId": int(asset)}).keys == [key, key]
    assert alone(acceptance, hit).keys == [key]


def test_a_brand_that_holds_holds_what_neither_sender_nor_catalogue_has_a_type_for(acceptance: Acceptance) -> None:
    hits = [lean(asset, brand="strict") for asset in ("1", "2", "3")]
    pack = packed(acceptance, *hits, lean("4", brand="strict", resourceType="video"))
    assert pack.screened == {1: "unlabelled", 2: "unlabelled"}
    assert pack.keys[0] == ("1", "7", "article", "free")
    assert [alone(acceptance, hit).screened for hit in hits] == [None, {0: "unlabelled"}, {0: "unlabelled"}]


def test_without_a_catalogue_hits_stay_as_they_were_sent() -> None:
    salts = Salts(SecretTable(":memory:", clock=SetClock(NOW_MS)), random_bytes=lambda size: b"s" * size)
    empty = KnownLabels(SqliteTable(":memory:", clock=SetClock(NOW_MS)))
    for labels in (None, empty):
        acceptance = Acceptance(BRANDS, salts, shards=1, labels=labels)
        assert packed(acceptance, lean("1")).keys == [("1", "5", "", "free")]


def test_unknown_assets_with_an_address_are_told_of(ground: SqliteTable) -> None:
    salts = Salts(SecretTable(":memory:", clock=SetClock(NOW_MS)), random_bytes=lambda size: b"s" * size)
    told: list[tuple[str, str, str]] = []
    labels = KnownLabels(ground, on_unknown=lambda *what: told.append(what))
    acceptance = Acceptance(BRANDS, salts, shards=1, labels=labels)
    packed(acceptance, lean("1", url="https://news.example/1"), lean("8", url="https://news.example/8"), lean("9"))
    alone(acceptance, lean("7", url="https://news.example/7"))
    assert told == [("abc", "8", "https://news.example/8"), ("abc", "7", "https://news.example/7")]
