"""A server for tests in a process of its own: started, waited for, and ended with the block, whatever happens in it."""

import os
import signal
import subprocess
import time
from collections.abc import Callable, Generator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path

import psycopg
import pymysql
from botocore.exceptions import BotoCoreError, ClientError

from tests.engines.seaweedfs import START_S_MAX


@contextmanager
def serving(
    command: Sequence[str | Path], folder: Path, *, variables: Mapping[str, str], ask: Callable[[], object]
) -> Generator[None]:
    """Run the command until the block ends; the block begins when the server answers what it is asked."""
    environment = {**os.environ, **variables}
    with (folder / "log").open("wb") as log:
        server = subprocess.Popen(command, cwd=folder, env=environment, stdout=log, stderr=log, start_new_session=True)
    try:
        _require_up(server, ask, folder / "log")
        yield
    finally:
        os.killpg(server.pid, signal.SIGKILL)
        server.wait()


def _require_up(server: "subprocess.Popen[bytes]", ask: Callable[[], object], log: Path) -> None:
    ends_at = time.monotonic() + START_S_MAX
    while server.poll() is None and time.monotonic() < ends_at:
        try:
            ask()
        except (BotoCoreError, ClientError, psycopg.Error, pymysql.Error):
            time.sleep(0.05)
            continue
        return
    raise AssertionError(f"the server did not start in {START_S_MAX:.0f} s:\n{log.read_text()[-3_000:]}")
