"""Live lists: told when they change, once to each listener, by one ticker for all of them."""

import asyncio
import os
from collections.abc import Callable, Coroutine, Mapping
from typing import Any

import msgspec

from footfall.accounts.brands import Brand, Brands
from footfall.accounts.keyring import Keyring
from footfall.accounts.keys import new_secret_key
from footfall.app.settings import Settings
from footfall.shells.http.access import Access
from footfall.shells.http.answers import Answers
from footfall.shells.http.live import Live, LiveRoute, Pace
from footfall.shells.http.live_questions import live_questions
from footfall.values.clock import SetClock
from tests.shells.http.clients import NOON_MS, Client, Served, echo, get, run, served, until
from tests.shells.http.doorkeepers import doorkeeper
from tests.shells.http.test_answers import Teller, tell

QUICK = Pace(tick_s=0.02, heartbeat_s=5.0, life_s=60.0, listeners_max=50)
PARTS = ("list", "minutes", "visitors")


def brands() -> Brands:
    return Brands({name: Brand(name) for name in ("abc", "other")}, any_brand=False)


class Room:
    """An instance's live route, and the other process that answers for it."""

    def __init__(self, here: Served, live: Live, answers: Answers, teller: Teller) -> None:
        self.here = here
        self.live = live
        self.answers = answers
        self.teller = teller
        self.version = 0

    async def listener(self, *headers: str, brand: str = "abc") -> Client:
        client = await self.here.connect()
        await client.send(get(f"/v1/live?brand={brand}", *headers))
        return client

    def tell(self, number: int, brand: str = "abc") -> None:
        """Let counts change: every part is another one."""
        self.version += 1
        self.answers.on_message(["changed", brand, self.version])
        for part, question in live_questions(brands(), Settings())(brand).items():
            tell(self.answers, question, version=self.version, body=msgspec.json.encode({"of": part, "n": number}))


async def told(client: Client) -> tuple[str, dict[str, Any]]:
    """Return the id and the content of the next event."""
    async with asyncio.timeout(10):
        name = ""
        while True:
            line = (await client.reader.readline()).decode()
            assert line, "the stream ended"
            if line.startswith("id: "):
                name = line[4:].strip()
            if line.startswith("data: "):
                return name, msgspec.json.decode(line[6:], type=dict[str, Any])


def in_room(
    test: Callable[[Room], Coroutine[Any, Any, None]],
    *,
    pace: Pace = QUICK,
    last_hits: Callable[[], Mapping[str, int]] = dict,
    access: Access | None = None,
) -> None:
    async def work() -> None:
        teller = Teller()
        answers = Answers(teller, bytes_max=1_000_000)
        live = Live(answers, live_questions(brands(), Settings()), last_hits, pace=pace)
        keeper = access or doorkeeper(brands(), Keyring(), SetClock(NOON_MS))
        routes = {b"/v1/live": LiveRoute(live, keeper, lambda: b"date: today\r\n")}
        async with served(routes, echo) as here:
            await test(Room(here, live, answers, teller))
            live.stop()

    run(work())


def test_a_listener_is_told_what_there_is_and_then_what_changes() -> None:
    async def test(room: Room) -> None:
        client = await room.listener()
        await until(lambda: len(room.teller.asked) >= len(PARTS))
        room.tell(1)
        first, now = await told(client)
        assert {part: now[part]["n"] for part in PARTS} == dict.fromkeys(PARTS, 1)
        assert now["lastHit"] == "2026-11-15T12:00Z"
        room.tell(2)
        second, now = await told(client)
        assert (now["list"]["n"], first != second) == (2, True)

    in_room(test, last_hits=lambda: {"abc": NOON_MS})


def test_the_first_is_told_as_soon_as_all_of_it_is_there_and_waits_for_no_tick() -> None:
    async def test(room: Room) -> None:
        client = await room.listener()
        await until(lambda: len(room.teller.asked) >= len(PARTS))
        room.tell(1)
        assert (await told(client))[1]["list"]["n"] == 1
        assert (await told(await room.listener()))[1]["list"]["n"] == 1  # Whoever comes then is told at once as well.

    in_room(test, pace=Pace(tick_s=600.0, heartbeat_s=60.0, life_s=600.0, listeners_max=50))


def test_the_head_says_that_it_is_a_stream_which_nobody_keeps() -> None:
    async def test(room: Room) -> None:
        client = await room.listener()
        head = (await client.reader.readuntil(b"\r\n\r\n")).decode()
        assert head.startswith("HTTP/1.1 200 OK\r\n")
        for line in ("content-type: text/event-stream", "cache-control: no-store", "date: today", "connection: close"):
            assert line in head
        assert await client.reader.readline() == b"retry: 3000\n"

    in_room(test)


def test_many_listeners_ask_for_no_more_than_one() -> None:
    async def test(room: Room) -> None:
        clients = [await room.listener() for _ in range(20)]
        await until(lambda: len(room.teller.asked) >= len(PARTS))
        room.tell(1)
        assert {(await told(client))[1]["list"]["n"] for client in clients} == {1}
        assert len(room.teller.asked) == len(PARTS)

    in_room(test)


def test_what_did_not_change_is_not_told_again_and_whoever_comes_back_gets_nothing_twice() -> None:
    async def test(room: Room) -> None:
        client = await room.listener()
        await until(lambda: len(room.teller.asked) >= len(PARTS))
        room.tell(1)
        name, _ = await told(client)
        back = await room.listener(f"last-event-id: {name}")
        room.tell(1)  # The same content in another version.
        await asyncio.sleep(0.1)
        room.tell(2)
        assert (await told(back))[1]["list"]["n"] == 2
        assert (await told(client))[1]["list"]["n"] == 2

    in_room(test)


def test_a_brand_is_not_told_of_another() -> None:
    async def test(room: Room) -> None:
        ours, theirs = await room.listener(), await room.listener(brand="other")
        await until(lambda: len(room.teller.asked) >= 2 * len(PARTS))
        room.tell(1)
        room.tell(2, brand="other")
        assert (await told(ours))[1]["list"]["n"] == 1
        assert (await told(theirs))[1]["list"]["n"] == 2

    in_room(test)


def test_silence_has_a_heart_that_beats() -> None:
    async def test(room: Room) -> None:
        client = await room.listener()
        async with asyncio.timeout(10):
            await client.reader.readuntil(b": still here\n\n")

    in_room(test, pace=Pace(tick_s=0.02, heartbeat_s=0.05))


def test_a_listener_is_let_go_in_time_and_when_the_instance_stops() -> None:
    async def short(room: Room) -> None:
        client = await room.listener()
        async with asyncio.timeout(10):
            assert (await client.reader.read()).startswith(b"HTTP/1.1 200 OK")

    in_room(short, pace=Pace(tick_s=0.02, heartbeat_s=0.02, life_s=0.1))

    async def stopping(room: Room) -> None:
        client = await room.listener()
        await until(lambda: len(room.teller.asked) >= len(PARTS))
        room.live.stop()
        async with asyncio.timeout(10):
            await client.reader.read()
        refused = await room.here.connect()
        assert (await refused.ask(get("/v1/live?brand=abc"))).status == 503

    in_room(stopping)


def test_whoever_may_not_read_any_more_is_let_go_at_the_next_heartbeat_however_busy_the_brand_is() -> None:
    known = Brands({"abc": Brand("abc", is_public=False)}, any_brand=False)
    keyring = Keyring()
    new = new_secret_key("abc", ("read",), label="", now_ms=NOON_MS, random_bytes=os.urandom, expires_at_ms=None)
    keyring.replace("abc", [new.record])

    async def test(room: Room) -> None:
        client = await room.listener(f"authorization: Bearer {new.text}")
        await until(lambda: len(room.teller.asked) >= len(PARTS))
        async with asyncio.timeout(10):
            await client.reader.readuntil(b": still here\n\n")  # It may stay over some heartbeats.
            keyring.replace("abc", [])
            ended = asyncio.ensure_future(client.reader.read())
            for number in range(10_000):  # News come more often than heartbeats.
                room.tell(number)
                await asyncio.sleep(0.01)
                if ended.done():
                    break
            await ended

    pace = Pace(tick_s=0.01, heartbeat_s=0.2)
    in_room(test, pace=pace, access=doorkeeper(known, keyring, SetClock(NOON_MS)))


def test_a_list_that_becomes_private_is_not_told_to_everybody_any_longer() -> None:
    known = Brands({"abc": Brand("abc")}, any_brand=False)

    async def test(room: Room) -> None:
        client = await room.listener()
        async with asyncio.timeout(10):
            await client.reader.readuntil(b": still here\n\n")
            known.take_stored([Brand("abc", is_public=False)])
            await client.reader.read()  # until it ends

    in_room(test, pace=Pace(tick_s=0.02, heartbeat_s=0.05), access=doorkeeper(known, Keyring(), SetClock(NOON_MS)))


def test_nothing_is_asked_for_when_nobody_listens() -> None:
    async def test(room: Room) -> None:
        client = await room.listener()
        await until(lambda: len(room.teller.asked) >= len(PARTS))
        room.tell(1)
        await told(client)
        client.close()
        await until(lambda: not room.here.lane.connections)
        room.tell(2)  # Wakes the one who has left.
        await until(lambda: not room.live._feeds)

    in_room(test, pace=Pace(tick_s=0.02, heartbeat_s=0.05))


def test_too_many_listeners_are_turned_away() -> None:
    async def test(room: Room) -> None:
        await room.listener()
        await until(lambda: room.live.is_full)
        client = await room.here.connect()
        answer = await client.ask(get("/v1/live?brand=abc"))
        assert (answer.status, answer.headers["retry-after"]) == (503, "1")

    in_room(test, pace=Pace(tick_s=0.02, listeners_max=1))


def test_what_cannot_be_listened_to_is_refused() -> None:
    async def test(room: Room) -> None:
        for target, status in (
            ("/v1/live", 400), ("/v1/live?brand=abc&brand=other", 400), ("/v1/live?brand=abc&period=day", 400),
            ("/v1/live?brand=nobody", 404),
        ):  # fmt: skip
            client = await room.here.connect()
            assert (await client.ask(get(target))).status == status, target
        client = await room.here.connect()
        answer = await client.ask(b"POST /v1/live?brand=abc HTTP/1.1\r\nhost: x\r\ncontent-length: 0\r\n\r\n")
        assert (answer.status, answer.headers["allow"]) == (405, "GET, HEAD")

    in_room(test)
