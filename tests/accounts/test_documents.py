"""Brands and keys as JSON: what is told, and what may be changed."""

from typing import Any

import msgspec
import pytest

from footfall.accounts.brands import Brand, BrandLimits
from footfall.accounts.documents import changed_brand, document_of_brand, document_of_key, require_not_lifted
from footfall.accounts.keys import new_secret_key
from footfall.accounts.limits import Limits, Rate
from footfall.values.errors import Refused
from footfall.values.period import RETENTION_MS, Period
from footfall.values.window import Grain

ABC = Brand("abc", zone="Asia/Kolkata")


def changed(**changes: Any) -> Brand:
    return changed_brand(ABC, changes, retention_ms=RETENTION_MS)


def test_a_brand_is_changed_by_what_its_document_says() -> None:
    brand = changed(
        title="T",
        origins=["https://a.example.com", "https://a.example.com"],
        isPublic=False,
        unlabelled="hold",
        periods={"twodays": {"span": "2d", "grain": "1h", "cache": "90s"}},
        limits={"keyPerS": 5, "addressBurst": 7},
    )
    assert brand == Brand(
        "abc",
        zone="Asia/Kolkata",
        unlabelled="hold",
        title="T",
        origins=("https://a.example.com",),
        is_public=False,
        periods={"twodays": Period("twodays", count=48, grain=Grain.HOUR, cache_s=90)},
        limits=BrandLimits(key_per_s=5, address_burst=7),
    )
    document = document_of_brand(brand)
    assert document["periods"] == {"twodays": {"span": "2d", "grain": "1h", "cache": "90s"}}
    again = {name: value for name, value in document.items() if name not in ("brand", "zone")}
    assert changed_brand(ABC, msgspec.json.decode(msgspec.json.encode(again)), retention_ms=RETENTION_MS) == brand


def test_what_is_not_named_stays() -> None:
    assert changed() == ABC


def test_one_limit_is_changed_and_the_others_stay() -> None:
    before = Brand("abc", limits=BrandLimits(key_per_s=5, key_burst=6))
    after = changed_brand(before, {"limits": {"keyPerS": None}}, retention_ms=RETENTION_MS)
    assert after.limits == BrandLimits(key_burst=6)


@pytest.mark.parametrize(
    ("changes", "field"),
    [
        ({"zone": "UTC"}, "zone"),
        ({"brand": "def"}, "brand"),
        ({"name": "def"}, "name"),
        ({"title": 7}, "title"),
        ({"title": "a\nb"}, "title"),
        ({"title": "ä" * 101}, "title"),
        ({"origins": "https://a.example.com"}, "origins"),
        ({"origins": [7]}, "origins"),
        ({"origins": ["*"]}, "origins"),
        ({"origins": [f"https://a{n}.example.com" for n in range(101)]}, "origins"),
        ({"isPublic": "yes"}, "isPublic"),
        ({"unlabelled": "drop"}, "unlabelled"),
        ({"periods": []}, "periods"),
        ({"periods": {"a": {"span": "1h"}}}, "periods.a"),
        ({"periods": {"a": {"span": "1h", "grain": "1h", "cache": 7}}}, "periods.a.cache"),
        ({"periods": {"a": {"span": "90m", "grain": "1h", "cache": "9s"}}}, "periods.a.span"),
        ({"periods": {f"p{n}": {"span": "1h", "grain": "1h", "cache": "9s"} for n in range(21)}}, "periods"),
        ({"limits": 5}, "limits"),
        ({"limits": {"keyPerS": -1}}, "limits.key_per_s"),
        ({"limits": {"keyPerS": True}}, "limits.key_per_s"),
        ({"limits": {"perDay": 1}}, "limits.perDay"),
    ],
)
def test_what_cannot_be_is_refused_with_its_field(changes: dict[str, Any], field: str) -> None:
    with pytest.raises(Refused) as caught:
        changed_brand(ABC, changes, retention_ms=RETENTION_MS)
    assert caught.value.field == field


def test_a_period_that_needs_windows_for_longer_than_they_are_kept_is_refused() -> None:
    kept = {"span": "25h", "grain": "1m", "cache": "30s"}
    with pytest.raises(Refused, match="choose a coarser grain"):
        changed(periods={"long": kept})
    assert changed(periods={"long": {**kept, "span": "24h"}}).periods["long"].count == 24 * 60


def test_the_document_of_a_secret_key_does_not_tell_the_secret() -> None:
    new = new_secret_key("abc", ["read"], label="x", now_ms=0, random_bytes=bytes, expires_at_ms=None)
    told = msgspec.json.encode(document_of_key(new.record)).decode()
    assert new.text not in told
    assert new.text.rpartition("_")[2] not in told


@pytest.mark.parametrize(
    ("before", "after", "field"),
    [
        ({}, {"key_per_s": 0}, "limits.keyPerS"),
        ({}, {"key_per_s": 11}, "limits.keyPerS"),
        ({}, {"key_burst": 21}, "limits.keyBurst"),
        ({}, {"address_per_s": 0}, "limits.addressPerS"),
        ({}, {"address_burst": 41}, "limits.addressBurst"),
        ({"key_per_s": 5}, {}, "limits.keyPerS"),
        ({"key_per_s": 5}, {"key_per_s": 6}, "limits.keyPerS"),
        ({}, {"key_per_s": 10, "key_burst": 20, "address_per_s": 1, "address_burst": 0}, ""),
        ({"key_per_s": 0}, {"key_per_s": 1_000, "key_burst": 1_000}, ""),
        ({"key_per_s": 1_000, "key_burst": 50}, {"key_per_s": 900, "key_burst": 50}, ""),
        ({"key_per_s": 1_000}, {}, ""),
    ],
)
def test_a_brand_may_lower_its_limits_and_not_lift_them(
    before: dict[str, int], after: dict[str, int], field: str
) -> None:
    was, would_be = Brand("abc", limits=BrandLimits(**before)), Brand("abc", limits=BrandLimits(**after))
    limits = Limits(key=Rate(10, 20), address=Rate(30, 40))
    if not field:
        require_not_lifted(was, would_be, limits=limits)
        return
    with pytest.raises(Refused, match="operator") as caught:
        require_not_lifted(was, would_be, limits=limits)
    assert caught.value.field == field
