"""One instance per data directory."""

import contextlib
import fcntl
import os
import time
from pathlib import Path

from footfall.values.errors import FootfallError

LOCK_FILE = "lock"
WAIT_S = 3.0  # The children of an instance that was just killed need a moment to notice.


class InUse(FootfallError):
    """Another instance runs on the data directory."""


class NoDirectory(FootfallError):
    """The data directory cannot be made or written."""


def take_lock(directory: Path, *, wait_s: float = WAIT_S) -> int:
    """Take the directory for this process and its children, or raise InUse; return the lock's file number."""
    number = _opened(directory)
    give_up_at = time.monotonic() + wait_s
    while True:
        try:
            fcntl.flock(number, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError as error:
            if time.monotonic() < give_up_at:
                time.sleep(0.02)
                continue
            owner = os.pread(number, 32, 0).decode("ascii", "replace").strip() or "unknown"
            os.close(number)
            raise InUse(
                f"{directory} is in use by another footfall (process {owner}); stop it, or name another directory "
                "with --data"
            ) from error
        _sign(number)
        os.set_inheritable(number, True)  # noqa: FBT003 - the system's signature
        return number


def _opened(directory: Path) -> int:
    try:
        directory.mkdir(parents=True, exist_ok=True)
        return os.open(directory / LOCK_FILE, os.O_RDWR | os.O_CREAT, 0o600)
    except OSError as error:
        raise NoDirectory(
            f"{directory} cannot hold data: {error.strerror}; name a directory that may be written with --data"
        ) from error


def _sign(number: int) -> None:
    """Leave the process's number for the sentence that a second instance prints; a full disk is no reason to stop."""
    with contextlib.suppress(OSError):
        os.ftruncate(number, 0)
        os.pwrite(number, f"{os.getpid()}\n".encode("ascii"), 0)
