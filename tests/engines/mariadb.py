"""MariaDB for tests: a real server of Debian's packages, with a database for each test."""

import os
import shutil
import subprocess
import tempfile
from collections.abc import Generator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from uuid import uuid4

import pymysql
import pytest

from tests.engines.seaweedfs import free_ports
from tests.engines.serving import serving

ROOM_BYTES = 4 * 2**30  # of memory that must be free for servers to lie in it
PLACES = f"{os.environ.get('PATH', os.defpath)}:/usr/sbin:/sbin"  # Servers lie where only root's path looks.


@dataclass(frozen=True, slots=True)
class MariaDbEngine:
    """Where the server listens."""

    port: int
    name = "mariadb"

    def connected(self, database: str | None = None, **more: Any) -> Any:
        """Return a connection as an application has it."""
        return pymysql.connect(host="127.0.0.1", port=self.port, user="root", database=database, **more)

    def new_database(self, schema: str = "") -> str:
        """Make an empty database, or one with the tables of a schema's text; return its address."""
        name = f"t{uuid4().hex[:16]}"
        connection = self.connected()
        with connection, connection.cursor() as cursor:
            cursor.execute(f"CREATE DATABASE {name} CHARACTER SET utf8mb4")
            cursor.execute(f"USE {name}")
            for statement in schema.split(";"):
                if statement.strip():
                    cursor.execute(statement)
        return f"mariadb://root@127.0.0.1:{self.port}/{name}"

    def drop(self, name: str) -> None:
        """Remove a database."""
        connection = self.connected()
        with connection, connection.cursor() as cursor:
            cursor.execute(f"DROP DATABASE {name}")


@pytest.fixture(scope="session")
def mariadb() -> Generator[MariaDbEngine]:
    with folder_of("nobody") as folder, running(folder) as engine:
        yield engine


@contextmanager
def running(folder: Path) -> Generator[MariaDbEngine]:
    """Run a server with its data in the folder."""
    engine = MariaDbEngine(free_ports(1)[0])
    # A server that starts clears the folder of temporary tables, also of those that are another's.
    variables = {"PATH": PLACES, "TMPDIR": str(folder)}
    as_nobody = ["--no-defaults", *(["--user=nobody"] if os.geteuid() == 0 else []), f"--datadir={folder / 'data'}"]
    install = ["mariadb-install-db", *as_nobody, "--auth-root-authentication-method=normal", "--skip-test-db"]
    made = subprocess.run(install, check=False, capture_output=True, text=True, env={**os.environ, **variables})
    assert made.returncode == 0, made.stdout + made.stderr
    command = [
        "/usr/bin/env", "mariadbd", *as_nobody, f"--socket={folder / 'socket'}", f"--port={engine.port}",
        "--bind-address=127.0.0.1", f"--pid-file={folder / 'pid'}", "--innodb-flush-log-at-trx-commit=0",
        "--innodb-flush-method=nosync", "--innodb-doublewrite=OFF",
        "--innodb-buffer-pool-size=64M", "--performance-schema=OFF",
    ]  # fmt: skip
    with serving(command, folder, variables=variables, ask=lambda: engine.connected().close()):
        yield engine


@contextmanager
def folder_of(user: str) -> Generator[Path]:
    """Make a folder for a server that refuses to be root, outside of those that only root may enter."""
    memory = Path("/dev/shm")  # Thousands of small files are made and removed: a disk takes seconds for it.
    has_room = memory.is_dir() and shutil.disk_usage(memory).free > ROOM_BYTES
    with tempfile.TemporaryDirectory(prefix="footfall-", dir=memory if has_room else None) as name:
        if os.geteuid() == 0:
            shutil.chown(name, user)
        yield Path(name)
