"""The register: brands and keys in a real table, and the rules by which they change."""

import secrets
from dataclasses import replace

import pytest

from footfall.accounts.brands import Brand, BrandLimits, UnknownBrand
from footfall.accounts.keyring import Keyring, UnknownKey
from footfall.accounts.keys import KEYS_MAX
from footfall.accounts.register import AlreadyThere, Register, TooManyKeys, UnknownKeyId
from footfall.adapters.embedded.sqlite_table import SqliteTable
from footfall.ports.table import Key
from footfall.values.clock import SetClock
from footfall.values.errors import Refused
from footfall.values.period import Period
from footfall.values.window import Grain

NOW_MS, HOUR_MS, DAY_MS = 1_700_000_000_000, 3_600_000, 86_400_000
ABC = Brand(
    "abc",
    zone="Europe/Helsinki",
    unlabelled="hold",
    title="Ä title",
    origins=("https://www.example.com", "https://*.example.com"),
    is_public=False,
    periods={"twodays": Period("twodays", count=48, grain=Grain.HOUR, cache_s=120)},
    limits=BrandLimits(key_per_s=10, address_burst=0),
)


class Ground:
    """A register on a table in memory."""

    def __init__(self) -> None:
        self.clock = SetClock(NOW_MS)
        self.table = SqliteTable(":memory:", clock=self.clock)
        self.register = Register(self.table, clock=self.clock, random_bytes=secrets.token_bytes)

    def keyring(self, brand: str) -> Keyring:
        keyring = Keyring()
        keyring.replace(brand, self.register.keys(brand))
        return keyring


def added(*brands: Brand) -> Ground:
    ground = Ground()
    for brand in brands:
        ground.register.add(brand, zone_in_use=None)
    return ground


def test_a_brand_comes_back_as_it_was_stored() -> None:
    ground = added(ABC)
    assert ground.register.brand("abc") == ABC
    assert ground.register.brand("def") is None
    assert {name: one.brand for name, one in ground.register.all().items()} == {"abc": ABC}


def test_every_change_makes_the_version_grow() -> None:
    register = Ground().register
    versions = [register.version()]

    def note() -> None:
        versions.append(register.version())

    register.add(ABC, zone_in_use=None)
    note()
    register.change(replace(ABC, title="other"))
    note()
    key_id = register.add_public_key("abc").record.id
    note()
    register.rotate("abc", key_id, grace_ms=HOUR_MS)
    note()
    register.revoke("abc", key_id)
    note()
    register.remove("abc")
    note()
    assert versions == sorted(set(versions))


def test_a_brand_is_not_added_twice() -> None:
    with pytest.raises(AlreadyThere, match="brands change abc"):
        added(ABC).register.add(ABC, zone_in_use=None)


def test_the_zone_of_a_brand_never_changes() -> None:
    ground = added(ABC)
    with pytest.raises(Refused, match="for good") as caught:
        ground.register.change(replace(ABC, zone="UTC"))
    assert caught.value.field == "zone"
    assert ground.register.brand("abc") == ABC


def test_a_brand_whose_hits_were_counted_in_another_zone_is_not_added() -> None:
    ground = Ground()
    with pytest.raises(Refused, match="were counted in 'UTC'"):
        ground.register.add(ABC, zone_in_use="UTC")
    ground.register.add(ABC, zone_in_use="Europe/Helsinki")
    assert ground.register.zone_in_use("abc") == "Europe/Helsinki"


def test_a_removed_brand_is_remembered_by_name_and_zone_and_has_no_keys() -> None:
    ground = added(ABC)
    new = ground.register.add_secret_key("abc", ["admin"])
    ground.register.remove("abc")
    assert ground.register.brand("abc") is None
    assert ground.register.registered("abc").was_removed
    assert ground.register.all()["abc"].was_removed
    assert ground.register.zone_in_use("abc") == "Europe/Helsinki"
    with pytest.raises(UnknownKey):
        ground.keyring("abc").caller(new.text, now_ms=NOW_MS)
    with pytest.raises(UnknownBrand):
        ground.register.remove("abc")


def test_a_brand_with_as_many_keys_as_it_may_have_is_removed_whole() -> None:
    ground = added(ABC)
    for _ in range(KEYS_MAX):
        ground.register.add_public_key("abc")
    with pytest.raises(TooManyKeys, match="revoke those that nobody uses"):
        ground.register.add_public_key("abc")
    ground.register.remove("abc")
    assert ground.register.keys("abc") == []


def test_the_keys_of_a_brand_are_its_own_even_when_names_begin_alike() -> None:
    ground = added(Brand("ab"), Brand("abc"), Brand("ab-c"))
    for name in ("ab", "abc", "ab-c"):
        ground.register.add_public_key(name, label=name)
    for name in ("ab", "abc", "ab-c"):
        assert [record.label for record in ground.register.keys(name)] == [name]


def test_a_key_of_another_brand_can_be_neither_revoked_nor_rotated() -> None:
    ground = added(Brand("abc"), Brand("def"))
    key_id = ground.register.add_secret_key("def", ["read"]).record.id
    with pytest.raises(UnknownKeyId):
        ground.register.revoke("abc", key_id)
    with pytest.raises(UnknownKeyId):
        ground.register.rotate("abc", key_id, grace_ms=0)
    assert [record.id for record in ground.register.keys("def")] == [key_id]


def test_a_rotated_key_works_beside_its_successor_for_the_grace_time() -> None:
    ground = added(ABC)
    old = ground.register.add_secret_key("abc", ["write"], label="cms")
    new = ground.register.rotate("abc", old.record.id, grace_ms=DAY_MS)
    assert (new.record.scopes, new.record.label) == (("write",), "cms")
    for text in (old.text, new.text):
        assert ground.keyring("abc").caller(text, now_ms=NOW_MS + DAY_MS - 1).may == {"write", "hits"}
    with pytest.raises(Refused, match="was rotated before"):
        ground.register.rotate("abc", old.record.id, grace_ms=DAY_MS)
    ground.clock.advance(DAY_MS)
    assert [record.id for record in ground.register.keys("abc")] == [new.record.id]


def test_a_rotation_lengthens_no_life() -> None:
    ground = added(ABC)
    old = ground.register.add_secret_key("abc", ["write"], expires_at_ms=NOW_MS + HOUR_MS)
    new = ground.register.rotate("abc", old.record.id, grace_ms=DAY_MS)
    assert {record.expires_at_ms for record in ground.register.keys("abc")} == {NOW_MS + HOUR_MS}
    assert new.record.expires_at_ms == NOW_MS + HOUR_MS


def test_a_public_key_is_rotated_as_well() -> None:
    ground = added(ABC)
    old = ground.register.add_public_key("abc")
    new = ground.register.rotate("abc", old.record.id, grace_ms=HOUR_MS)
    assert new.record.is_public
    assert {record.text for record in ground.register.keys("abc")} == {old.text, new.text}


def test_a_revoked_key_is_gone_at_once_and_a_late_note_of_its_use_does_not_bring_it_back() -> None:
    ground = added(ABC)
    new = ground.register.add_secret_key("abc", ["read"])
    revoked = ground.register.revoke("abc", new.record.id)
    ground.register.note_uses([(revoked, NOW_MS)])
    assert ground.register.keys("abc") == []


def test_a_use_is_noted_without_a_new_version() -> None:
    ground = added(ABC)
    new = ground.register.add_secret_key("abc", ["read"])
    version = ground.register.version()
    ground.register.note_uses([(new.record, NOW_MS)])
    assert [record.used_at_ms for record in ground.register.keys("abc")] == [NOW_MS]
    assert ground.register.version() == version


def test_no_secret_is_in_the_table() -> None:
    ground = added(ABC)
    new = ground.register.add_secret_key("abc", ["read"])
    item = ground.table.get(Key("keys", f"abc#{new.record.id}"))
    assert item is not None
    assert new.text.rpartition("_")[2] not in repr(item)


def test_the_zones_of_open_brands_are_noted_and_those_of_stored_ones_stay() -> None:
    ground = added(ABC)
    ground.register.note_zones([Brand("abc", zone="UTC"), Brand("def", zone="Asia/Kolkata")])
    assert ground.register.zone_in_use("abc") == "Europe/Helsinki"
    assert ground.register.zone_in_use("def") == "Asia/Kolkata"


def test_a_key_reads_the_other_brands_that_it_was_made_for_and_so_does_its_successor() -> None:
    ground = added(ABC, Brand("def"), Brand("ghi"))
    key = ground.register.add_secret_key("abc", ["read"], also_reads=["def", "abc"])
    assert ground.keyring("abc").caller(key.text, now_ms=NOW_MS).also_reads == ("def",)
    successor = ground.register.rotate("abc", key.record.id, grace_ms=0)
    assert successor.record.also_reads == ("def",)


def test_only_the_operator_makes_another_key_of_one_that_reads_other_brands() -> None:
    ground = added(ABC, Brand("def"))
    key = ground.register.add_secret_key("abc", ["read"], also_reads=["def"])
    with pytest.raises(Refused, match="operator"):
        ground.register.rotate("abc", key.record.id, grace_ms=0, is_operator=False)


@pytest.mark.parametrize(("scopes", "others"), [(["write"], ["def"]), (["read"], ["nobody"])])
def test_a_key_that_reads_nothing_or_a_brand_that_is_not_there_is_refused(scopes: list[str], others: list[str]) -> None:
    ground = added(ABC, Brand("def"))
    with pytest.raises(Refused):
        ground.register.add_secret_key("abc", scopes, also_reads=others)
    assert not ground.register.keys("abc")
