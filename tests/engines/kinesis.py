"""kinesis-local for tests: a server that speaks Kinesis, with shards that split, merge and end."""

import os
import signal
import subprocess
import time
from collections.abc import Generator
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from uuid import uuid4

import pytest
from botocore.exceptions import BotoCoreError, ClientError

from footfall.adapters.aws.sessions import Ground, client_of
from scripts.kinesis_local import require_kinesis_local
from tests.engines.seaweedfs import free_ports

START_S_MAX = 60.0
_DURATIONS = (
    "CREATE_STREAM", "DELETE_STREAM", "SPLIT_SHARD", "MERGE_SHARDS", "UPDATE_SHARD_COUNT", "DESCRIBE_STREAM_CONSUMER",
    "STOP_STREAM_ENCRYPTION", "START_STREAM_ENCRYPTION", "UPDATE_STREAM_MODE",
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class KinesisEngine:
    """Where the server listens."""

    endpoint: str

    def client(self) -> Any:
        """Return a client as the product makes it."""
        ground = Ground(
            region="us-east-1", endpoint=self.endpoint, access_key="000000000001", secret_key="not-a-secret"
        )
        return client_of("kinesis", ground)

    def new_stream(self, *, kinesis_shards: int = 1) -> str:
        """Make an empty stream and return its name."""
        name = f"hits-{uuid4().hex[:12]}"
        client = self.client()
        client.create_stream(StreamName=name, ShardCount=kinesis_shards)
        require_active(client, name)
        return name


def require_active(client: Any, name: str) -> None:
    """Wait until the stream may be written, read and divided."""
    ends_at = time.monotonic() + START_S_MAX
    while time.monotonic() < ends_at:
        about = client.describe_stream_summary(StreamName=name)["StreamDescriptionSummary"]
        if about["StreamStatus"] == "ACTIVE":
            return
        time.sleep(0.01)
    raise AssertionError(f"{name} was not active in {START_S_MAX:.0f} s")


@pytest.fixture(scope="session")
def kinesis(tmp_path_factory: pytest.TempPathFactory) -> Generator[KinesisEngine]:
    folder = tmp_path_factory.mktemp("kinesis")
    package = require_kinesis_local()
    plain, tls = free_ports(2)
    variables = {
        **os.environ,
        "KINESIS_MOCK_PLAIN_PORT": str(plain),
        "KINESIS_MOCK_TLS_PORT": str(tls),
        "KINESIS_MOCK_CERT_PATH": str(package / "server.json"),
        "LOG_LEVEL": "ERROR",
        "SHARD_LIMIT": "5000",
        **{f"{name}_DURATION": "5ms" for name in _DURATIONS},
    }
    command = ["node", str(package / "main.js")]
    with (folder / "log").open("wb") as log:
        server = subprocess.Popen(command, cwd=folder, env=variables, stdout=log, stderr=log, start_new_session=True)
    try:
        engine = KinesisEngine(f"http://127.0.0.1:{plain}")
        require_up(engine, server, folder / "log")
        yield engine
    finally:
        os.killpg(server.pid, signal.SIGKILL)
        server.wait()


def require_up(engine: KinesisEngine, server: "subprocess.Popen[bytes]", log: Path) -> None:
    """Wait until it answers."""
    ends_at = time.monotonic() + START_S_MAX
    client = engine.client()
    while server.poll() is None and time.monotonic() < ends_at:
        try:
            client.list_streams()
        except (BotoCoreError, ClientError):
            time.sleep(0.05)
            continue
        return
    raise AssertionError(f"kinesis-local did not start in {START_S_MAX:.0f} s:\n{log.read_text()[-3_000:]}")
