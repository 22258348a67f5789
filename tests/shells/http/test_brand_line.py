"""Brands share threads: one of each at a time, in turn, whoever goes away meanwhile."""

import asyncio
from collections.abc import Awaitable, Callable
from contextlib import suppress
from threading import Event

import pytest

from footfall.shells.http.brand_line import BrandLine


def with_line(threads: int, act: Callable[[BrandLine], Awaitable[None]]) -> None:
    async def run() -> None:
        line = BrandLine(threads, name="test")
        try:
            await act(line)
        finally:
            await line.stop(lambda _: None)

    asyncio.run(run())


def test_a_slow_question_of_one_brand_does_not_hold_up_another() -> None:
    async def act(line: BrandLine) -> None:
        go_on = Event()
        slow = [asyncio.create_task(line.run("slow", lambda _: go_on.wait(30))) for _ in range(5)]
        await asyncio.sleep(0)
        assert await asyncio.wait_for(line.run("other", lambda _: "at once"), 20) == "at once"
        assert not any(one.done() for one in slow)
        go_on.set()
        assert await asyncio.gather(*slow) == [True] * 5

    with_line(2, act)


def test_brands_come_in_turn_however_much_one_of_them_asks() -> None:
    async def act(line: BrandLine) -> None:
        go_on, done = Event(), list[str]()

        def note(what: str) -> Callable[[int], None]:
            return lambda _: done.append(what)

        first = asyncio.create_task(line.run("a", lambda _: go_on.wait(30)))
        await asyncio.sleep(0)
        asked = [("a", "a1"), ("a", "a2"), ("a", "a3"), ("b", "b1"), ("c", "c1"), ("b", "b2")]
        tasks = [asyncio.create_task(line.run(brand, note(what))) for brand, what in asked]
        await asyncio.sleep(0)
        go_on.set()
        await asyncio.gather(first, *tasks)
        assert done == ["a1", "b1", "c1", "a2", "b2", "a3"]

    with_line(1, act)


def test_a_brand_gets_the_thread_that_knows_its_windows_when_that_is_free() -> None:
    async def act(line: BrandLine) -> None:
        go_on = Event()
        first = asyncio.create_task(line.run("a", lambda thread: (go_on.wait(30), thread)[1]))
        await asyncio.sleep(0)
        assert await line.run("b", lambda thread: thread) == 1
        go_on.set()
        assert await first == 0
        assert [await line.run("b", lambda thread: thread) for _ in range(3)] == [1, 1, 1]

    with_line(2, act)


def test_whoever_goes_away_leaves_the_thread_to_others_when_its_work_is_done() -> None:
    async def act(line: BrandLine) -> None:
        go_on = Event()
        working = asyncio.create_task(line.run("a", lambda _: go_on.wait(30)))
        await asyncio.sleep(0)
        waiting = asyncio.create_task(line.run("a", lambda _: None))
        await asyncio.sleep(0)
        for one in (working, waiting):
            one.cancel()
            with suppress(asyncio.CancelledError):
                await one
        other = asyncio.create_task(line.run("b", lambda _: "b"))
        await asyncio.sleep(0)
        assert not other.done()
        go_on.set()
        assert await asyncio.wait_for(other, 20) == "b"
        assert await line.run("a", lambda _: "a") == "a"

    with_line(1, act)


def test_what_a_question_raises_is_told_and_the_thread_goes_on() -> None:
    async def act(line: BrandLine) -> None:
        def fail(_: int) -> None:
            raise ValueError("no")

        with pytest.raises(ValueError, match="no"):
            await line.run("a", fail)
        assert await line.run("a", lambda _: 1) == 1

    with_line(1, act)
