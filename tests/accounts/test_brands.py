"""Brands: which names exist, and what happens to the others."""

import threading

import pytest

from footfall.accounts.brands import MADE_UP_BRANDS_MAX, Brand, Brands, UnknownBrand
from footfall.values.errors import Refused


@pytest.mark.parametrize("name", ["a", "abc", "0day", "blog.example-news_2", "x" * 64])
def test_a_good_name_is_taken(name: str) -> None:
    assert Brand(name).name == name


@pytest.mark.parametrize("name", ["", "Abc", "-abc", ".abc", "_abc", "a b", "a#b", "a@b", "ä", "x" * 65, "abc\n"])
def test_a_bad_name_is_refused_with_the_rule(name: str) -> None:
    with pytest.raises(Refused, match="1 to 64 of a-z") as caught:
        Brand(name)
    assert caught.value.field == "brand"


def test_a_brand_counts_in_utc_and_counts_unlabelled_hits_unless_told() -> None:
    assert Brand("abc") == Brand("abc", zone="UTC", unlabelled="count")


@pytest.mark.parametrize("zone", ["Mars/Olympus", "", "../etc/passwd", "Europe", "Europe/Helsinki\0"])
def test_a_zone_that_does_not_exist_is_refused(zone: str) -> None:
    with pytest.raises(Refused) as caught:
        Brand("abc", zone=zone)
    assert caught.value.field == "zone"


def test_a_third_way_with_unlabelled_hits_is_refused() -> None:
    with pytest.raises(Refused, match="neither 'count' nor 'hold'"):
        Brand("abc", unlabelled="drop")  # pyright: ignore[reportArgumentType]


def test_a_known_brand_is_found() -> None:
    brand = Brand("abc", zone="Asia/Kolkata")
    brands = Brands({"abc": brand}, any_brand=False)
    assert brands.brand("abc") is brand
    assert brands.names() == ["abc"]


def test_an_unknown_brand_is_refused_and_told_how_to_be_added() -> None:
    with pytest.raises(UnknownBrand) as caught:
        Brands({}, any_brand=False).brand("news.fi")
    assert caught.value.field == "brand"
    assert '[brands."news.fi"]' in caught.value.reason
    assert "--brand news.fi" in caught.value.reason


def test_a_malformed_name_is_refused_even_where_any_brand_goes() -> None:
    brands = Brands({}, any_brand=True)
    with pytest.raises(Refused, match="not a brand name"):
        brands.brand("No Such Name")
    assert brands.names() == []


def test_any_brand_makes_brands_on_the_fly_and_keeps_them() -> None:
    brands = Brands({}, any_brand=True)
    assert brands.brand("new") is brands.brand("new")
    assert brands.names() == ["new"]


def test_brands_made_on_the_fly_are_limited_and_known_ones_take_no_room() -> None:
    brands = Brands({"abc": Brand("abc")}, any_brand=True)
    for number in range(MADE_UP_BRANDS_MAX):
        brands.brand(f"made-{number}")
    with pytest.raises(Refused, match="1,000 brands"):
        brands.brand("one-more")
    assert brands.brand("made-0").name == "made-0"
    assert brands.brand("abc").name == "abc"


def test_threads_that_name_the_same_new_brand_get_the_same_one() -> None:
    brands = Brands({}, any_brand=True)
    found: list[Brand] = []
    threads = [threading.Thread(target=lambda: found.append(brands.brand("same"))) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert {id(brand) for brand in found} == {id(brands.brand("same"))}
