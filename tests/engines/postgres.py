"""PostgreSQL for tests: a real server of Debian's packages, with a database for each test."""

import os
import subprocess
from collections.abc import Generator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from uuid import uuid4

import psycopg
import pytest

from tests.engines.mariadb import folder_of
from tests.engines.seaweedfs import free_ports
from tests.engines.serving import serving


@dataclass(frozen=True, slots=True)
class PostgresEngine:
    """Where the server listens."""

    port: int
    name = "postgres"

    def connected(self, database: str | None = None, **more: Any) -> Any:
        """Return a connection as an application has it."""
        return psycopg.connect(host="127.0.0.1", port=self.port, user="postgres", dbname=database or "postgres", **more)

    def new_database(self, schema: str = "") -> str:
        """Make an empty database, or one with the tables of a schema's text; return its address."""
        name = f"t{uuid4().hex[:16]}"
        with self.connected(autocommit=True) as connection:
            connection.execute(f"CREATE DATABASE {name} STRATEGY FILE_COPY")
        if schema:
            with self.connected(name) as connection:
                connection.execute(schema)
        return f"postgresql://postgres@127.0.0.1:{self.port}/{name}"

    def drop(self, name: str) -> None:
        """Remove a database with whoever is still connected."""
        with self.connected(autocommit=True) as connection:
            connection.execute(f"DROP DATABASE {name} WITH (FORCE)")


def programs() -> Path:
    """Return where Debian keeps the server's programs, of the newest version that is there."""
    return max(Path("/usr/lib/postgresql").glob("*/bin/postgres"), key=lambda path: int(path.parts[-3])).parent


@pytest.fixture(scope="session")
def postgres() -> Generator[PostgresEngine]:
    with folder_of("postgres") as folder, running(folder) as engine:
        yield engine


@contextmanager
def running(folder: Path) -> Generator[PostgresEngine]:
    """Run a server with its data in the folder."""
    engine = PostgresEngine(free_ports(1)[0])
    # It refuses to be root.
    as_user = ["runuser", "-u", "postgres", "--"] if os.geteuid() == 0 else []
    make = [
        *as_user, programs() / "initdb", "-D", folder / "data", "-A", "trust", "-U", "postgres", "-E", "UTF8",
        "--locale=C.UTF-8", "--no-sync",
    ]  # fmt: skip
    subprocess.run(make, check=True, capture_output=True, cwd="/")
    settings = {
        "listen_addresses": "127.0.0.1", "unix_socket_directories": folder, "fsync": "off",
        "synchronous_commit": "off", "full_page_writes": "off", "max_connections": 200, "deadlock_timeout": "100ms",
        "dynamic_shared_memory_type": "mmap",  # in its folder, which goes with it, however it ends
    }  # fmt: skip
    command = [*as_user, programs() / "postgres", "-D", folder / "data", "-p", str(engine.port)]
    command += [word for name, value in settings.items() for word in ("-c", f"{name}={value}")]
    with serving(command, folder, variables={}, ask=lambda: engine.connected().close()):
        yield engine
