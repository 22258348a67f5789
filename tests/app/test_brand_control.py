"""What an operator asks about brands and keys on a directory that no instance runs on."""

import stat
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from footfall.accounts.brands import Brand, UnknownBrand
from footfall.accounts.keyring import Keyring
from footfall.accounts.register import AlreadyThere, UnknownKeyId
from footfall.app import control, wiring
from footfall.app.kept_settings import keep_settings
from footfall.app.lock import InUse, take_lock
from footfall.app.settings import Settings
from footfall.ports.stream import Entry
from footfall.values.clock import SystemClock
from footfall.values.errors import Refused


def asked(folder: Path, do: str, brand: str = "abc", **more: Any) -> Any:
    settings = Settings(data_dir=str(folder))
    return control.run_offline(settings, {"do": do, "brand": brand, **more}, lambda _share: None)


def keyring(folder: Path, brand: str) -> Keyring:
    with closing(wiring.open_accounts(Settings(data_dir=str(folder)), SystemClock())) as opened:
        found = Keyring()
        found.replace(brand, opened.register.keys(brand))
        return found


def test_an_added_brand_has_a_public_and_a_secret_key_that_work(tmp_path: Path) -> None:
    added = asked(tmp_path / "new", "brands-add", zone="Europe/Helsinki", changes={"title": "T", "isPublic": False})
    assert (added["brand"], added["zone"], added["title"], added["isPublic"]) == ("abc", "Europe/Helsinki", "T", False)
    keys, now_ms = keyring(tmp_path / "new", "abc"), SystemClock().now_ms()
    assert keys.caller(added["publicKey"], now_ms=now_ms).may == {"hits"}
    assert keys.caller(added["secretKey"], now_ms=now_ms).may == {"write", "read", "hits"}


def test_what_is_kept_is_for_the_owner_alone_and_holds_no_secret(tmp_path: Path) -> None:
    added = asked(tmp_path / "new", "brands-add")
    files = [path for path in (tmp_path / "new").iterdir() if path.is_file()]
    assert all(stat.S_IMODE(path.stat().st_mode) & 0o077 == 0 for path in files)
    secret = added["secretKey"].rpartition("_")[2].encode()
    assert [path.name for path in files if secret in path.read_bytes()] == []


def test_a_brand_is_listed_shown_changed_and_removed(tmp_path: Path) -> None:
    asked(tmp_path, "brands-add", "def")
    asked(tmp_path, "brands-add")
    assert [one["brand"] for one in asked(tmp_path, "brands-list", "")["brands"]] == ["abc", "def"]
    assert asked(tmp_path, "brands-change", changes={"origins": ["https://a.example.com"]})["zone"] == "UTC"
    shown = asked(tmp_path, "brands-show")
    assert (shown["origins"], len(shown["keys"]), shown["isOpen"]) == (["https://a.example.com"], 2, False)
    asked(tmp_path, "brands-remove")
    assert [one["brand"] for one in asked(tmp_path, "brands-list", "")["brands"]] == ["def"]
    with pytest.raises(UnknownBrand):
        asked(tmp_path, "brands-show")


def test_keys_are_added_listed_rotated_and_revoked(tmp_path: Path) -> None:
    asked(tmp_path, "brands-add")
    new = asked(tmp_path, "keys-add", scopes=["admin"], label="me")
    assert new["key"].startswith(f"ffsec_{new['id']}_")
    successor = asked(tmp_path, "keys-rotate", id=new["id"], grace_ms=0)
    assert (successor["scopes"], successor["label"]) == (["admin"], "me")
    asked(tmp_path, "keys-revoke", id=successor["id"])
    listed = asked(tmp_path, "keys-list")["keys"]
    assert sorted(one["kind"] for one in listed) == ["public", "secret"]
    assert asked(tmp_path, "keys-add", kind="public")["key"].startswith("ffpub_")
    with pytest.raises(UnknownKeyId):
        asked(tmp_path, "keys-revoke", id=successor["id"])
    with pytest.raises(Refused, match="366 days"):
        asked(tmp_path, "keys-rotate", id=listed[0]["id"], grace_ms="long")


def test_a_brand_of_the_settings_is_open_until_it_is_added_and_keeps_its_zone(tmp_path: Path) -> None:
    named = Brand("abc", zone="Asia/Kolkata", unlabelled="hold")
    keep_settings(Settings(data_dir=str(tmp_path), brands={"abc": named}))
    assert [one["isOpen"] for one in asked(tmp_path, "brands-list", "")["brands"]] == [True]
    with pytest.raises(UnknownBrand, match="brands add abc"):
        asked(tmp_path, "keys-add", scopes=["read"])
    with pytest.raises(Refused, match="were counted in 'Asia/Kolkata'"):
        asked(tmp_path, "brands-add", zone="UTC")
    added = asked(tmp_path, "brands-add")
    assert (added["zone"], added["unlabelled"]) == ("Asia/Kolkata", "hold")
    with pytest.raises(AlreadyThere):
        asked(tmp_path, "brands-add")


def test_a_brand_whose_hits_were_taken_without_a_zone_is_added_in_utc_alone(tmp_path: Path) -> None:
    settings, clock = Settings(data_dir=str(tmp_path)), SystemClock()
    with closing(wiring.open_stream(settings, clock)) as stream:
        stream.append([Entry(0, "abc", 1, b"x", clock.now_ms())])
    with pytest.raises(Refused, match="were counted in 'UTC'"):
        asked(tmp_path, "brands-add", zone="Asia/Kolkata")
    assert asked(tmp_path, "brands-add")["zone"] == "UTC"


def test_a_brand_that_was_removed_comes_back_in_its_own_zone_alone(tmp_path: Path) -> None:
    settings, clock = Settings(data_dir=str(tmp_path)), SystemClock()
    asked(tmp_path, "brands-add", zone="Asia/Kolkata")
    with closing(wiring.open_stream(settings, clock)) as stream:
        stream.append([Entry(0, "abc", 1, b"x", clock.now_ms())])
    asked(tmp_path, "brands-remove")
    with pytest.raises(Refused, match="were counted in 'Asia/Kolkata'"):
        asked(tmp_path, "brands-add", zone="UTC")
    assert asked(tmp_path, "brands-add", zone="Asia/Kolkata")["zone"] == "Asia/Kolkata"


def test_a_directory_in_use_is_left_alone(tmp_path: Path) -> None:
    take_lock(tmp_path)
    with pytest.raises(InUse):
        asked(tmp_path, "brands-add")


@pytest.mark.parametrize("brand", ["", "Ab", "a#b", None])
def test_a_name_that_cannot_be_a_brands_is_refused(tmp_path: Path, brand: Any) -> None:
    for do in ("brands-add", "brands-show", "brands-remove", "keys-add", "keys-list"):
        with pytest.raises(Refused, match="is not a brand name"):
            asked(tmp_path, do, brand)
