"""Watching the memory of pages: one that takes too much is ended, and the browser goes on."""

import asyncio
import contextlib
import os
import signal
from collections.abc import Sequence
from pathlib import Path

from playwright.async_api import Error as BrowserError

from footfall.adapters.chromium.launching import Running, process_ids
from footfall.adapters.chromium.limits import Limits

EVERY_S = 0.25  # A hostile page takes half a gigabyte a second.
PAGE_BYTES = os.sysconf("SC_PAGE_SIZE")


async def watch_memory(running: Running, limits: Limits) -> None:
    """Look at the pages' processes until cancelled, and end those that are over the limit."""
    while not running.ended:
        await asyncio.sleep(EVERY_S)
        if not running.open_jobs:
            continue
        with contextlib.suppress(BrowserError, TimeoutError):
            pids = await asyncio.wait_for(process_ids(running.session, "renderer"), 1)
            for pid in over_limit({pid: resident_bytes(pid) for pid in pids}, limits):
                _end(pid)  # The page that had it is told so by the browser, also when it was one of its frames.


def over_limit(resident: dict[int, int], limits: Limits) -> Sequence[int]:
    """Return the processes to be ended: each that is too large, and the largest when all together are."""
    large = [pid for pid, size in resident.items() if size > limits.renderer_bytes_max]
    if not large and sum(resident.values()) > limits.renderers_bytes_max:
        large = [max(resident, key=lambda pid: resident[pid])]
    return large


def resident_bytes(pid: int) -> int:
    """Return the memory that a process has for itself, or 0 when it has gone: what renderers share is no page's."""
    with contextlib.suppress(OSError, IndexError, ValueError):
        _, resident, shared, *_ = Path(f"/proc/{pid}/statm").read_text(encoding="ascii").split()
        return (int(resident) - int(shared)) * PAGE_BYTES
    return 0


def _end(pid: int) -> None:
    with contextlib.suppress(ProcessLookupError):
        os.kill(pid, signal.SIGKILL)
