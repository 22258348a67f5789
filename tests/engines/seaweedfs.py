"""SeaweedFS for tests: a real server that speaks S3, started once for a run and ended with it."""

import json
import os
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Generator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any
from uuid import uuid4

import pytest
from botocore.exceptions import BotoCoreError, ClientError

from footfall.adapters.aws.sessions import Ground, client_of
from tests.engines.sharing import KEYS, shared

ACCESS_KEY, SECRET = "footfall", "not-a-secret"  # Of a server that listens on loopback for a minute.
START_S_MAX = 60.0
PORTS: tuple[str, ...] = (
    "master.port", "master.port.grpc", "volume.port", "volume.port.grpc",
    "filer.port", "filer.port.grpc", "s3.port", "s3.port.grpc",
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class Store:
    """A store that speaks S3, and the key that it lets in."""

    endpoint: str
    access_key: str = ACCESS_KEY
    secret: str = SECRET

    def client(self, **config: Any) -> Any:
        """Return a new client that makes each call once, so that retries are the adapter's own."""
        ground = Ground(region="us-east-1", endpoint=self.endpoint, access_key=self.access_key, secret_key=self.secret)
        return client_of("s3", ground, config={"s3": {"addressing_style": "path"}, **config})

    def shared(self) -> Any:
        """Return the client that all tests share, since making one takes longer than using it."""
        return _shared(self)

    def new_bucket(self) -> str:
        """Make an empty bucket and return its name."""
        name = f"footfall-{uuid4().hex[:12]}"
        self.shared().create_bucket(Bucket=name)
        return name


@cache
def _shared(store: Store) -> Any:
    return store.client(max_pool_connections=20)


def remove(store: Store, bucket: str) -> None:
    """Remove a bucket with every object, and every upload that was left unfinished."""
    client = store.shared()
    while keys := [{"Key": one["Key"]} for one in client.list_objects_v2(Bucket=bucket).get("Contents", [])]:
        client.delete_objects(Bucket=bucket, Delete={"Objects": keys, "Quiet": True})
    for left in client.list_multipart_uploads(Bucket=bucket).get("Uploads", []):
        client.abort_multipart_upload(Bucket=bucket, Key=left["Key"], UploadId=left["UploadId"])
    client.delete_bucket(Bucket=bucket)


def free_ports(count: int) -> list[int]:
    """Return ports that nothing listens on."""
    with ExitStack() as held:
        sockets = [held.enter_context(socket.socket()) for _ in range(count)]
        for one in sockets:
            one.bind(("127.0.0.1", 0))
        return [one.getsockname()[1] for one in sockets]


def command(folder: Path, ports: dict[str, int]) -> list[str]:
    """Return the command that starts the server, silent towards its makers and alone on its ports."""
    identity = {
        "name": "tests",
        "credentials": [{"accessKey": key, "secretKey": SECRET} for key in KEYS],
        "actions": ["Admin", "Read", "Write", "List", "Tagging"],
    }
    (folder / "s3.json").write_text(json.dumps({"identities": [identity]}))
    (folder / "data").mkdir()
    flags = {
        "dir": folder / "data", "ip": "127.0.0.1", "ip.bind": "127.0.0.1", "master.telemetry": "false",
        "master.volumeSizeLimitMB": 64, "volume.max": 5_000, "filer": "true", "s3": "true", "s3.port.iceberg": 0,
        "s3.port.lance": 0, "s3.autoCreateBucket": "false", "s3.config": folder / "s3.json", "metricsPort": 0,
        "s3.localSocket": folder / "s3.sock", "filer.localSocket": folder / "filer.sock",
    }  # fmt: skip
    return [
        str(Path(sys.executable).with_name("weed")),
        "server",
        *(f"-{name}={value}" for name, value in {**flags, **ports}.items()),
    ]


@pytest.fixture(scope="session")
def seaweedfs(sharing_place: str | None, tmp_path_factory: pytest.TempPathFactory) -> Generator[Store]:
    with shared(sharing_place, Store, running, tmp_path_factory.mktemp("seaweedfs")) as store:
        yield store


@contextmanager
def running(folder: Path) -> Generator[Store]:
    """Start the server and end it with the block."""
    ports = dict(zip(PORTS, free_ports(len(PORTS)), strict=True))
    with (folder / "log").open("wb") as log:
        server = subprocess.Popen(command(folder, ports), cwd=folder, stdout=log, stderr=log, start_new_session=True)
    try:
        store = Store(f"http://127.0.0.1:{ports['s3.port']}")
        require_up(store, server, folder / "log")
        yield store
    finally:
        # It takes seconds to stop when asked, and nothing of it is wanted afterwards.
        os.killpg(server.pid, signal.SIGKILL)
        server.wait()


def require_up(store: Store, server: "subprocess.Popen[bytes]", log: Path) -> None:
    """Wait until an object can be stored, which is later than until the port answers."""
    ends_at = time.monotonic() + START_S_MAX
    client = store.client(connect_timeout=1, read_timeout=5)
    while server.poll() is None and time.monotonic() < ends_at:
        try:
            bucket = f"is-it-up-{uuid4().hex[:12]}"
            client.create_bucket(Bucket=bucket)
            client.put_object(Bucket=bucket, Key="a", Body=b"1")
        except (BotoCoreError, ClientError):
            time.sleep(0.1)
            continue
        return
    raise AssertionError(f"SeaweedFS did not start in {START_S_MAX:.0f} s:\n{log.read_text()[-3_000:]}")
