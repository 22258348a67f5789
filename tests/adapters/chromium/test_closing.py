"""A browser is closed when the process that drives it has gone before, as after Ctrl+C: nothing is told of that."""

import gc
import logging
import os
import signal
import time
from pathlib import Path

import pytest

from footfall.adapters.chromium.chromium_capturing import ChromiumCapturing
from footfall.adapters.gate.gate_proxy import GateProxy

WAIT_S = 60


def drivers() -> list[int]:
    """Return our children that drive browsers."""
    found: list[int] = []
    for task in Path("/proc/self/task").iterdir():
        for pid in (task / "children").read_text().split():
            if "run-driver" in Path(f"/proc/{pid}/cmdline").read_text():
                found.append(int(pid))
    return found


def test_a_driver_that_was_interrupted_with_us_is_no_news_and_what_else_fails_is(
    gate: GateProxy, caplog: pytest.LogCaptureFixture
) -> None:
    with caplog.at_level(logging.INFO), ChromiumCapturing(gate, now_us=lambda: 0) as capturing:
        before = drivers()
        capturing.start()
        (driver,) = set(drivers()) - set(before)
        os.kill(driver, signal.SIGKILL)
        give_up_at = time.monotonic() + WAIT_S
        while drivers() != before:  # Until it was waited for, by whom nothing more is read from it.
            assert time.monotonic() < give_up_at
            time.sleep(0.02)
        loop = capturing._loop
        loop.call_soon_threadsafe(loop.call_exception_handler, {"message": "a fault of ours"})
        capturing.close()
        gc.collect()
    assert [one.getMessage() for one in caplog.records if one.name == "asyncio"] == ["a fault of ours"]
