"""kinesis-local for tests: a server that speaks Kinesis, with shards that split, merge and end."""

import time
from collections.abc import Generator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any
from uuid import uuid4

import pytest

from footfall.adapters.aws.sessions import Ground, client_of
from scripts.engines import KINESIS_LOCAL
from tests.engines.seaweedfs import free_ports
from tests.engines.serving import serving

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

    def shared(self) -> Any:
        """Return the client of those who need none of their own, since making one takes longer than using it."""
        return _shared(self)

    def new_stream(self, *, kinesis_shards: int = 1) -> str:
        """Make an empty stream and return its name."""
        name = f"hits-{uuid4().hex[:12]}"
        client = self.shared()
        client.create_stream(StreamName=name, ShardCount=kinesis_shards)
        require_active(client, name)
        return name


@cache
def _shared(engine: KinesisEngine) -> Any:
    return engine.client()


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
    with running(tmp_path_factory.mktemp("kinesis")) as engine:
        yield engine


@contextmanager
def running(folder: Path) -> Generator[KinesisEngine]:
    """Start the server and end it with the block."""
    program = KINESIS_LOCAL.require()
    plain, tls = free_ports(2)
    variables = {
        "KINESIS_MOCK_PLAIN_PORT": str(plain),
        "KINESIS_MOCK_TLS_PORT": str(tls),
        "KINESIS_MOCK_CERT_PATH": str(program.with_name("server.json")),
        "LOG_LEVEL": "ERROR",
        "SHARD_LIMIT": "5000",
        **{f"{name}_DURATION": "5ms" for name in _DURATIONS},
    }
    engine = KinesisEngine(f"http://127.0.0.1:{plain}")
    with serving(["node", program], folder, variables=variables, ask=engine.client().list_streams):
        yield engine
