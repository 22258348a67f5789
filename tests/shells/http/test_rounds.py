"""Rounds go on whatever one of them fails with, and end when they are told to."""

import asyncio
import logging

import pytest

from footfall.ports.errors import Unavailable
from footfall.shells.http.rounds import Rounds


def test_a_round_that_fails_is_told_and_followed_by_others_until_they_are_stopped(
    caplog: pytest.LogCaptureFixture,
) -> None:
    async def main() -> int:
        done: list[int] = []
        enough = asyncio.Event()

        async def do() -> float:
            done.append(len(done))
            if len(done) == 1:
                raise Unavailable("the disk is away")
            if len(done) == 2:
                raise ZeroDivisionError
            if len(done) == 4:
                enough.set()
                await asyncio.Event().wait()  # It is in the middle of something.
            return 0.0

        rounds = Rounds("watches", do, every_s=0.0)
        await rounds.stop()  # Of what was never started, too.
        rounds.start()
        await enough.wait()
        await rounds.stop()
        await asyncio.sleep(0)
        return len(done)

    with caplog.at_level(logging.WARNING):
        assert asyncio.run(main()) == 4
    assert [one.getMessage() for one in caplog.records] == [
        "watches wait for the next round: the disk is away",
        "a round of watches failed",
    ]
