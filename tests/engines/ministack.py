"""ministack for tests: AWS in one process, which lists S3's names as S3 does and deploys templates."""

import os
import signal
import subprocess
import sys
import time
from collections.abc import Generator
from pathlib import Path

import pytest
from botocore.exceptions import BotoCoreError, ClientError

from tests.engines.seaweedfs import START_S_MAX, Store, free_ports


@pytest.fixture(scope="session")
def ministack(tmp_path_factory: pytest.TempPathFactory) -> Generator[Store]:
    folder = tmp_path_factory.mktemp("ministack")
    (port,) = free_ports(1)
    variables = {**os.environ, "GATEWAY_PORT": str(port), "LOG_LEVEL": "ERROR", "TMPDIR": str(folder)}
    program = Path(sys.executable).with_name("ministack")
    with (folder / "log").open("wb") as log:
        server = subprocess.Popen([program], cwd=folder, env=variables, stdout=log, stderr=log, start_new_session=True)
    try:
        store = Store(f"http://127.0.0.1:{port}")
        require_up(store, server, folder / "log")
        yield store
    finally:
        os.killpg(server.pid, signal.SIGKILL)
        server.wait()


def require_up(store: Store, server: "subprocess.Popen[bytes]", log: Path) -> None:
    """Wait until it answers."""
    ends_at = time.monotonic() + START_S_MAX
    client = store.client(connect_timeout=1, read_timeout=5)
    while server.poll() is None and time.monotonic() < ends_at:
        try:
            client.list_buckets()
        except (BotoCoreError, ClientError):
            time.sleep(0.05)
            continue
        return
    raise AssertionError(f"ministack did not start in {START_S_MAX:.0f} s:\n{log.read_text()[-3_000:]}")
