"""The desk: what it changes on disk is in memory at once, and last uses are written once an hour."""

import asyncio
from collections.abc import Callable, Coroutine
from pathlib import Path
from typing import Any

import pytest

from footfall.accounts.brands import Brand, Brands, KeyNeeded
from footfall.accounts.keyring import HOUR_MS, Keyring, UnknownKey
from footfall.accounts.proof_counts import ProofCounts
from footfall.app import wiring
from footfall.app.settings import Settings
from footfall.shells.http.desk import Desk
from footfall.values.clock import SetClock
from footfall.values.errors import Refused

NOW_MS = 472_222 * HOUR_MS + 1_234


class House:
    """A desk on a directory."""

    def __init__(self, folder: Path) -> None:
        self.clock = SetClock(NOW_MS)
        self.brands, self.keyring = Brands({"open": Brand("open", zone="Asia/Kolkata")}, any_brand=False), Keyring()
        self.counts = ProofCounts()
        settings = Settings(data_dir=str(folder))
        self.desk = Desk(
            lambda: wiring.open_accounts(settings, self.clock),
            self.brands,
            self.keyring,
            counts=self.counts,
            clock=self.clock,
        )


def staged(folder: Path, work: Callable[[House], Coroutine[Any, Any, None]]) -> None:
    async def run() -> None:
        house = House(folder)
        await house.desk.start(open_brands=(Brand("open", zone="Asia/Kolkata"),))
        try:
            await work(house)
        finally:
            await house.desk.stop()

    asyncio.run(run())


def test_a_change_is_in_memory_when_it_is_told_and_after_a_restart(tmp_path: Path) -> None:
    texts: list[str] = []

    async def add(house: House) -> None:
        await house.desk.change("abc", lambda register: register.add(Brand("abc", title="T"), zone_in_use=None))
        new = await house.desk.change("abc", lambda register: register.add_secret_key("abc", ["read"]))
        texts.append(new.text)
        assert house.brands.brand("abc").title == "T"
        assert house.keyring.caller(new.text, now_ms=NOW_MS).brand == "abc"

    async def remove(house: House) -> None:
        assert house.keyring.caller(texts[0], now_ms=NOW_MS).brand == "abc"
        await house.desk.change("abc", lambda register: register.remove("abc"))
        with pytest.raises(UnknownKey):
            house.keyring.caller(texts[0], now_ms=NOW_MS)
        with pytest.raises(KeyNeeded):
            house.brands.brand("abc")

    async def look(house: House) -> None:
        assert house.brands.names() == ["open"]
        with pytest.raises(KeyNeeded):
            house.brands.brand("abc")

    for work in (add, remove, look):
        staged(tmp_path, work)


def test_a_change_that_is_refused_leaves_memory_as_the_disk_is(tmp_path: Path) -> None:
    async def work(house: House) -> None:
        with pytest.raises(Refused, match="were counted in 'UTC'"):
            await house.desk.change(
                "abc", lambda register: register.add(Brand("abc", zone="Asia/Tokyo"), zone_in_use="UTC")
            )
        assert house.brands.names() == ["open"]
        assert not house.brands.has_stored

    staged(tmp_path, work)


def test_the_zones_of_open_brands_are_noted_at_the_start(tmp_path: Path) -> None:
    async def work(house: House) -> None:
        assert await house.desk.look(lambda register: register.zone_in_use("open")) == "Asia/Kolkata"

    staged(tmp_path, work)


def test_last_uses_are_written_to_the_hour_and_once_in_it(tmp_path: Path) -> None:
    async def work(house: House) -> None:
        await house.desk.change("abc", lambda register: register.add(Brand("abc"), zone_in_use=None))
        new = await house.desk.change("abc", lambda register: register.add_secret_key("abc", ["read"]))
        for _ in range(3):
            house.keyring.caller(new.text, now_ms=NOW_MS)
            await house.desk.note_uses()
        keys = await house.desk.look(lambda register: register.keys("abc"))
        assert [key.used_at_ms for key in keys] == [NOW_MS // HOUR_MS * HOUR_MS]
        assert house.keyring.uses_to_note() == []
        house.clock.advance(HOUR_MS)
        await house.desk.note_uses()  # The hour turns.
        house.keyring.caller(new.text, now_ms=NOW_MS + HOUR_MS)
        await house.desk.note_uses()
        keys = await house.desk.look(lambda register: register.keys("abc"))
        assert [key.used_at_ms for key in keys] == [NOW_MS // HOUR_MS * HOUR_MS + HOUR_MS]

    staged(tmp_path, work)
