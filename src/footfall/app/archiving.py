"""The archive's worker as a process of an instance: limited, of low priority, and ended when its memory grows."""

import logging
import os
import resource
import secrets
import time
from collections.abc import Callable
from pathlib import Path
from random import Random

from footfall.app import child
from footfall.app.archive_capturing import Capturer, why_not
from footfall.app.archive_run import Worker
from footfall.app.link import Link
from footfall.app.settings import Settings
from footfall.values.clock import SystemClock

NICE = 10  # Counting and answering come first.
OPEN_FILES_MAX = 4_096
LOOK_EVERY_S = 5.0
LOOK_AGAIN_S = 30.0

_log = logging.getLogger(__name__)


def limit_process(settings: Settings) -> None:
    """Bound what this process and its browsers may take; address space is not, since Chromium reserves terabytes."""
    os.nice(NICE)
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    for what, wanted in (
        (resource.RLIMIT_NOFILE, OPEN_FILES_MAX),
        (resource.RLIMIT_NPROC, settings.archive_processes_max),
    ):
        _, hard = resource.getrlimit(what)
        bound = wanted if hard == resource.RLIM_INFINITY else min(wanted, hard)
        resource.setrlimit(what, (bound, bound))


def resident_bytes() -> int:
    """Return the memory that this process has, without its browsers, whose pages are watched one by one."""
    return int(Path("/proc/self/statm").read_text().split()[1]) * resource.getpagesize()


def worker_of(settings: Settings) -> Worker:
    """Return a worker of a data directory."""
    chance = Random(secrets.token_bytes(16))  # noqa: S311 - how long a retry waits
    return Worker(settings, SystemClock(), chance, Capturer(settings))


def is_over(settings: Settings, told: Callable[[float], bool]) -> Callable[[float], bool]:
    """Return what waits, and says that it is over when that is told or the memory is used up."""
    looks_at = time.monotonic()

    def wait(seconds: float) -> bool:
        nonlocal looks_at
        if time.monotonic() >= looks_at:
            looks_at = time.monotonic() + LOOK_EVERY_S
            if resident_bytes() > settings.archive_worker_bytes_max:
                _log.warning("the archive's worker has grown past archive_worker_bytes_max; it begins anew")
                return True
        return told(seconds)

    return wait


def serve_link(settings: Settings, link: Link) -> None:
    """Work until the parent says stop or is gone."""

    def told(seconds: float) -> bool:
        messages = link.receive(timeout_s=seconds)
        return messages is None or ["stop"] in messages

    is_told = False
    while (refusal := why_not(settings)) is not None:  # It goes on as soon as somebody has installed it.
        if not is_told:
            _log.warning("pages wait to be archived: %s", refusal)
            is_told = True
        if told(LOOK_AGAIN_S):
            return
    worker_of(settings).run(is_over(settings, told))


def main() -> None:
    """Run the process."""
    settings, link = child.begin("archive")
    limit_process(settings)
    link.send(["ready"])
    serve_link(settings, link)
