"""MariaDB for tests: a real server of Debian's packages, with a database for each test."""

import os
import subprocess
from collections.abc import Generator
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from uuid import uuid4

import pymysql
import pytest

from tests.engines.seaweedfs import free_ports
from tests.engines.serving import serving

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


@pytest.fixture(scope="session")
def mariadb(tmp_path_factory: pytest.TempPathFactory) -> Generator[MariaDbEngine]:
    folder = tmp_path_factory.mktemp("mariadb")
    own_by(folder, "nobody")
    engine = MariaDbEngine(free_ports(1)[0])
    as_nobody = ["--no-defaults", *(["--user=nobody"] if os.geteuid() == 0 else []), f"--datadir={folder / 'data'}"]
    install = ["mariadb-install-db", *as_nobody, "--auth-root-authentication-method=normal", "--skip-test-db"]
    subprocess.run(install, check=True, capture_output=True, env={**os.environ, "PATH": PLACES})
    command = [
        "/usr/bin/env", "mariadbd", *as_nobody, f"--socket={folder / 'socket'}", f"--port={engine.port}",
        "--bind-address=127.0.0.1", f"--pid-file={folder / 'pid'}", "--innodb-flush-log-at-trx-commit=2",
        "--innodb-buffer-pool-size=64M", "--performance-schema=OFF",
    ]  # fmt: skip
    with serving(command, folder, variables={"PATH": PLACES}, ask=lambda: engine.connected().close()):
        yield engine


def own_by(folder: Path, user: str) -> None:
    """Let a server that does not run as root use a folder, and pass through those above it."""
    if os.geteuid() != 0:
        return
    subprocess.run(["chown", user, folder], check=True)
    for above in folder.parents:
        if above.stat().st_uid == os.geteuid() and above != Path("/") and not above.stat().st_mode & 0o001:
            above.chmod(above.stat().st_mode | 0o011)
