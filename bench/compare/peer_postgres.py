"""The page-hit-counter thesis' old system: PostgreSQL, upserts into the schema of its figure 4.4, a table a brand.

The thesis keeps a table for each period and one instance for each brand; here is one table of five minutes for each
brand, which is a third of its work. `Aggregated` adds equal hits up before it sends them (COPY into a temporary table,
one merging upsert a brand); `RowAHit` upserts every hit by itself, in batches, as the thesis has it.
"""

import os
import shutil
import subprocess
from collections.abc import Sequence
from datetime import UTC, datetime
from importlib import import_module
from pathlib import Path
from typing import Any

from bench.compare.protocol import CannotCountAgain, Question, by_window, upserts_of
from bench.compare.servers import HOST, Server, free_port
from bench.compare.traffic import BRANDS

# Figure 4.4, word for word but for the table's name.
SCHEMA = """
CREATE TABLE IF NOT EXISTS {table} (
  id BIGSERIAL NOT NULL PRIMARY KEY,
  hit_amount BIGINT,
  asset_id BIGINT,
  resource_type VARCHAR(256),
  section_id BIGINT,
  hit_stmp TIMESTAMP with time zone,
  paid_type VARCHAR(32),
  unique (asset_id, resource_type, section_id, hit_stmp, paid_type)
)
"""
COLUMNS = "hit_amount, asset_id, resource_type, section_id, hit_stmp, paid_type"
ADD = (
    "ON CONFLICT (asset_id, resource_type, section_id, hit_stmp, paid_type) "
    "DO UPDATE SET hit_amount = {table}.hit_amount + excluded.hit_amount"
)
SETTINGS = {"shared_buffers": "512MB", "max_wal_size": "4GB", "synchronous_commit": "on", "fsync": "on"}
USER = "postgres"


class Postgres:
    """One server, one connection that writes."""

    group_bodies = 1_000

    def __init__(self) -> None:
        self._psycopg: Any = import_module("psycopg")
        self._server: Server | None = None
        self._base: Any = None

    def start(self, folder: Path) -> None:
        """Start a server on the folder, which recovers what was committed."""
        programs = max(Path("/usr/lib/postgresql").glob("*/bin"), key=lambda path: int(path.parts[-2]))
        user = USER if os.geteuid() == 0 else None  # It refuses to be root.
        place, port = folder / "postgres", free_port()
        if not place.exists():
            place.mkdir()
            if user is not None:
                shutil.chown(place, user)
            make = [
                programs / "initdb",
                "-D",
                place / "data",
                "-A",
                "trust",
                "-U",
                USER,
                "-E",
                "UTF8",
                "--locale=C.UTF-8",
            ]
            subprocess.run(
                [str(word) for word in make], check=True, capture_output=True, cwd="/", user=user, env=_variables()
            )
        _forget_the_dead(place / "data" / "postmaster.pid")
        command = [str(programs / "postgres"), "-D", str(place / "data"), "-p", str(port)]
        options = SETTINGS | {"listen_addresses": HOST, "unix_socket_directories": str(place)}
        command += [word for name, value in options.items() for word in ("-c", f"{name}={value}")]
        self._server = Server(command, folder / "postgres.log", user=user, variables=_variables())
        address = {"host": HOST, "port": port, "user": USER, "dbname": "postgres", "autocommit": True}
        self._server.wait_for(lambda: self._psycopg.connect(**address).close())
        self._base = self._psycopg.connect(**address)
        for brand in BRANDS:
            self._base.execute(SCHEMA.format(table=_table(brand)))
        self._base.execute(
            "CREATE TEMPORARY TABLE arrived (hit_amount BIGINT, asset_id BIGINT, resource_type VARCHAR(256), "
            "section_id BIGINT, hit_stmp TIMESTAMP with time zone, paid_type VARCHAR(32)) ON COMMIT DELETE ROWS"
        )

    def settle(self) -> None:
        """Do nothing: everything is counted."""

    def listed(self, question: Question) -> list[tuple[int, int]]:
        """Add windows up, with the filter in SQL, as the thesis has it."""
        where, values = "true", list[Any]()
        if question.section is not None:
            where, values = f"{where} AND section_id = %s", [*values, question.section]
        if question.from_ms is not None and question.to_ms is not None:
            where = f"{where} AND hit_stmp >= %s AND hit_stmp < %s"
            values = [*values, _moment(question.from_ms), _moment(question.to_ms)]
        rows = self._base.execute(
            f"SELECT asset_id, sum(hit_amount)::BIGINT AS n FROM {_table(question.brand)} WHERE {where} "
            f"GROUP BY asset_id ORDER BY n DESC LIMIT {question.limit}",
            values,
        )
        return rows.fetchall()

    def count_again(self) -> None:
        """Refuse."""
        raise CannotCountAgain("hits are not kept")

    def total(self) -> int:
        """Add all tables up."""
        sums = " + ".join(f"(SELECT coalesce(sum(hit_amount), 0) FROM {_table(brand)})" for brand in BRANDS)
        return int(self._base.execute(f"SELECT {sums}").fetchone()[0])

    def stop(self) -> None:
        """Stop the server."""
        if self._base is not None:
            self._base.close()
        if self._server is not None:
            self._server.stop()


class Aggregated(Postgres):
    """Equal hits are added up before they are sent."""

    def load(self, bodies: Sequence[bytes], *, now_ms: int) -> None:
        """Copy a group's sums and merge them, in one transaction."""
        sums: dict[str, list[tuple[Any, ...]]] = {}
        for window, counts in by_window(bodies, now_ms=now_ms).items():
            at = _moment(window)
            for hit, hits in counts.items():
                row = (hits, hit.assetId, hit.resourceType, hit.sectionId, at, hit.paidType)
                sums.setdefault(hit.brand, []).append(row)
        with self._base.transaction(), self._base.cursor() as cursor:
            for brand, rows in sums.items():
                with cursor.copy(f"COPY arrived ({COLUMNS}) FROM STDIN") as copy:
                    for row in rows:
                        copy.write_row(row)
                add = ADD.format(table=_table(brand))
                cursor.execute(f"INSERT INTO {_table(brand)} ({COLUMNS}) SELECT {COLUMNS} FROM arrived {add}")
                cursor.execute("DELETE FROM arrived")


class RowAHit(Postgres):
    """Every hit is an upsert."""

    group_bodies = 10

    def load(self, bodies: Sequence[bytes], *, now_ms: int) -> None:
        """Upsert a group's hits, pipelined, in one transaction."""
        rows: dict[str, list[tuple[Any, ...]]] = {}
        for hit, window in upserts_of(bodies, now_ms=now_ms):
            row = (1, hit.assetId, hit.resourceType, hit.sectionId, _moment(window), hit.paidType)
            rows.setdefault(hit.brand, []).append(row)
        with self._base.transaction(), self._base.cursor() as cursor:
            for brand, own in rows.items():
                add = ADD.format(table=_table(brand))
                upsert = f"INSERT INTO {_table(brand)} ({COLUMNS}) VALUES (%s, %s, %s, %s, %s, %s) {add}"
                cursor.executemany(upsert, own)


def _forget_the_dead(told: Path) -> None:
    """Remove the note of a killed server that no init has buried yet: PostgreSQL takes its shadow for a running one."""
    if told.exists():
        stat = Path(f"/proc/{told.read_text(encoding='ascii').split()[0]}/stat")
        if not stat.exists() or stat.read_text(encoding="ascii").rpartition(")")[2].split()[0] == "Z":
            told.unlink()


def _table(brand: str) -> str:
    return f"page_hit_{brand}"


def _moment(at_ms: int) -> datetime:
    return datetime.fromtimestamp(at_ms / 1_000, UTC)


def _variables() -> dict[str, str]:
    return {"PATH": os.defpath, "LC_ALL": "C.UTF-8"}
