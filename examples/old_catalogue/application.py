"""A small catalogue of metrics on the old schema: seven acts in SQL of its own, while footfall moves the database.

    python application.py --source mysql://... --table data/metrics.db --mapping mapping.yaml --port 8090

What concerns the move is `both`: it asks who answers for a metric and calls either the SQL or the function beside it that
does the same to the rows as the new side holds them.
"""

import argparse
import json
import sys
import threading
from collections.abc import Callable
from contextlib import ExitStack, suppress
from dataclasses import replace
from datetime import UTC, datetime
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from footfall.app.moving import both_sides, mapping_from
from footfall.migrate.counted import Counted
from footfall.migrate.routing import BothSides, Mode
from footfall.ports.relational import Document


class NoSuchMetric(Exception):
    """There is no metric of this id."""


class OldDatabase:
    """The application's own connection, and its own SQL; MariaDB and PostgreSQL understand all of it."""

    def __init__(self, source: str) -> None:
        parts = urlsplit(source)
        place = {"host": parts.hostname, "user": parts.username, "password": parts.password or ""}
        name = parts.path[1:]
        if parts.scheme in ("mysql", "mariadb"):
            import pymysql

            self._connection: Any = pymysql.connect(**place, port=parts.port or 3306, database=name, charset="utf8mb4")
        else:
            import psycopg

            self._connection = psycopg.connect(**place, port=parts.port or 5432, dbname=name)

    def done(self, act: Callable[[Any], Any]) -> Any:
        """Do something in a transaction, which nothing stays of when it fails."""
        try:
            with self._connection.cursor() as cursor:
                answer = act(cursor)
            self._connection.commit()
        except BaseException:
            self._connection.rollback()
            raise
        return answer

    def close(self) -> None:
        """Let go of the connection."""
        self._connection.close()

    def seen(self, look: Callable[[Any], Any]) -> Any:
        """Read in one snapshot: what one statement sees is not removed before the next one looks."""

        def act(cursor: Any) -> Any:
            cursor.execute("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ")
            return look(cursor)

        return self.done(act)

    def number_of(self, table: str, name: str) -> int:
        """Return the number of a group or a dimension, which is made if there is none of that name."""
        found = self.done(lambda cursor: number_of(cursor, table, name))
        if found is None:
            with suppress(Exception):  # Another was faster.
                return self.done(lambda cursor: insert_name(cursor, table, name))
            found = self.done(lambda cursor: number_of(cursor, table, name))
        return found


class Metrics:
    """The seven acts, each told twice: in SQL, and as a function of the rows that the new side holds."""

    def __init__(self, old: OldDatabase, both: BothSides) -> None:
        self.old, self.both = old, both

    def get(self, key: str) -> dict[str, Any]:
        def in_sql(cursor: Any) -> dict[str, Any]:
            cursor.execute("SELECT name, created_by, deprecated_by FROM metrics WHERE id = %s", (key,))
            row = cursor.fetchone()
            if row is None:
                raise NoSuchMetric(key)
            cursor.execute(
                "SELECT version, updated_by FROM metric_version WHERE metric_id = %s ORDER BY version", (key,)
            )
            versions = [list(one) for one in cursor.fetchall()]
            told = {"name": row[0], "createdBy": row[1], "deprecatedBy": row[2], "versions": versions}
            return {**told, "dimensions": dimensions_of(cursor, key)}

        def in_rows(document: Document | None) -> dict[str, Any]:
            root = required(document, key).root
            versions = [[row["version"], row["updated_by"]] for row in document.parts["versions"]]
            told = {"createdBy": root["created_by"], "deprecatedBy": root["deprecated_by"], "versions": versions}
            dimensions = sorted(row["dimension_id.name"] for row in document.parts["dimensions"])
            return {"name": root["name"], **told, "dimensions": dimensions}

        return self.both.read(key, old=lambda: self.old.seen(in_sql), new=in_rows)

    def add(self, name: str, by: str) -> str:
        def in_sql(cursor: Any) -> str:
            cursor.execute(
                "INSERT INTO metrics (name, created_at, created_by) VALUES (%s, %s, %s) RETURNING id",
                (name, now_sql(), by),
            )
            key = cursor.fetchone()[0]
            insert_version(cursor, key, 1, by)
            return str(key)

        def in_rows(key: str) -> tuple[Document, str]:
            root = {"id": int(key), "name": name, "metric_group_id": None, "created_at": now_text(), "created_by": by}
            gone = {"deprecated_at": None, "deprecated_by": None, "deprecated_reason": None}
            parts = {"versions": [version_row(key, 1, by)], "relationships": [], "dimensions": []}
            return Document({**root, **gone}, parts), key

        return self.both.create(old=lambda: self.old.done(in_sql), make=in_rows)

    def update(self, key: str, by: str) -> int:
        def in_sql(cursor: Any) -> int:
            lock(cursor, key)
            cursor.execute("SELECT MAX(version) FROM metric_version WHERE metric_id = %s", (key,))
            number = cursor.fetchone()[0] + 1
            insert_version(cursor, key, number, by)
            return number

        def in_rows(document: Document | None) -> tuple[Document, int]:
            found = required(document, key)
            versions = found.parts["versions"]
            number = max(row["version"] for row in versions) + 1
            parts = {**found.parts, "versions": [*versions, version_row(key, number, by)]}
            return replace(found, parts=parts), number

        return self.both.write(key, old=lambda: self.old.done(in_sql), change=in_rows)

    def deprecate(self, key: str, by: str, reason: str) -> None:
        def in_sql(cursor: Any) -> None:
            lock(cursor, key)
            cursor.execute(
                "UPDATE metrics SET deprecated_at = %s, deprecated_by = %s, deprecated_reason = %s WHERE id = %s",
                (now_sql(), by, reason, key),
            )

        def in_rows(document: Document | None) -> tuple[Document, None]:
            found = required(document, key)
            told = {"deprecated_at": now_text(), "deprecated_by": by, "deprecated_reason": reason}
            return replace(found, root={**found.root, **told}), None

        self.both.write(key, old=lambda: self.old.done(in_sql), change=in_rows)

    def rename(self, key: str, name: str) -> None:
        def in_sql(cursor: Any) -> None:
            lock(cursor, key)
            cursor.execute("UPDATE metrics SET name = %s WHERE id = %s", (name, key))

        def in_rows(document: Document | None) -> tuple[Document, None]:
            found = required(document, key)
            return replace(found, root={**found.root, "name": name}), None

        self.both.write(key, old=lambda: self.old.done(in_sql), change=in_rows)

    def set_dimensions(self, key: str, names: list[str]) -> None:
        """Give a metric dimensions instead of those it had; its group is its own."""
        # Groups and the names of dimensions are no metric's: they stay where they are, whichever side metrics are on.
        group = self.old.number_of("metric_groups", f"of metric {key}")
        numbers = {self.old.number_of("dimensions", name): name for name in names}

        def in_sql(cursor: Any) -> None:
            lock(cursor, key)
            cursor.execute("UPDATE metrics SET metric_group_id = %s WHERE id = %s", (group, key))
            cursor.execute("SELECT dimension_id FROM dimensions_metric_groups WHERE metric_group_id = %s", (group,))
            had = {number for (number,) in cursor.fetchall()}
            insert = "INSERT INTO dimensions_metric_groups (dimension_id, metric_group_id) VALUES (%s, %s)"
            for number in sorted(numbers.keys() - had):
                cursor.execute(insert, (number, group))
            delete = "DELETE FROM dimensions_metric_groups WHERE dimension_id = %s AND metric_group_id = %s"
            for number in sorted(had - numbers.keys()):
                cursor.execute(delete, (number, group))

        def in_rows(document: Document | None) -> tuple[Document, None]:
            found = required(document, key)
            rows = [
                {"dimension_id": number, "dimension_id.name": name, "metric_group_id": group}
                for number, name in sorted(numbers.items())
            ]
            root = {**found.root, "metric_group_id": group}
            return replace(found, root=root, parts={**found.parts, "dimensions": rows}), None

        self.both.write(key, old=lambda: self.old.done(in_sql), change=in_rows)

    def delete(self, key: str) -> None:
        def in_sql(cursor: Any) -> None:
            lock(cursor, key)
            cursor.execute("DELETE FROM metric_version WHERE metric_id = %s", (key,))
            cursor.execute("DELETE FROM metric_relationships WHERE consumer_metric = %s", (key,))
            cursor.execute("DELETE FROM metrics WHERE id = %s", (key,))

        def in_rows(document: Document | None) -> tuple[None, None]:
            required(document, key)
            return None, None

        self.both.write(key, old=lambda: self.old.done(in_sql), change=in_rows)


def lock(cursor: Any, key: str) -> None:
    cursor.execute("SELECT id FROM metrics WHERE id = %s FOR UPDATE", (key,))
    if cursor.fetchone() is None:
        raise NoSuchMetric(key)


def number_of(cursor: Any, table: str, name: str) -> int | None:
    cursor.execute(f"SELECT id FROM {table} WHERE name = %s", (name,))
    row = cursor.fetchone()
    return None if row is None else row[0]


def insert_name(cursor: Any, table: str, name: str) -> int:
    cursor.execute(f"INSERT INTO {table} (name) VALUES (%s) RETURNING id", (name,))
    return cursor.fetchone()[0]


def dimensions_of(cursor: Any, key: str) -> list[str]:
    cursor.execute(
        "SELECT dimensions.name FROM metrics JOIN dimensions_metric_groups"
        " ON dimensions_metric_groups.metric_group_id = metrics.metric_group_id"
        " JOIN dimensions ON dimensions.id = dimension_id WHERE metrics.id = %s",
        (key,),
    )
    return sorted(name for (name,) in cursor.fetchall())


def insert_version(cursor: Any, key: object, number: int, by: str) -> None:
    cursor.execute(
        "INSERT INTO metric_version (metric_id, version, value_type, aggregation_style, updated_at, updated_by)"
        " VALUES (%s, %s, 'SCALAR', 'SUM', %s, %s)",
        (key, number, now_sql(), by),
    )


def version_row(key: str, number: int, by: str) -> dict[str, Any]:
    empty = ("aggregation_param", "chained_metric", "chained_metric.name", "chain_cutoff_date", "hybrid_formula")
    kind = {"value_type": "SCALAR", "aggregation_style": "SUM"}
    told = {"metric_id": int(key), "version": number, **kind, "updated_at": now_text(), "updated_by": by}
    return {**told, **dict.fromkeys(empty)}


def required(document: Document | None, key: str) -> Document:
    if document is None:
        raise NoSuchMetric(key)
    return document


def now_text() -> str:
    return datetime.now(UTC).strftime("%Y-%m-%dT%H:%M:%S.%fZ")


def now_sql() -> str:
    return datetime.now(UTC).strftime("%Y-%m-%d %H:%M:%S.%f")


class Server(ThreadingHTTPServer):
    """Answers each connection in a thread of its own, which opens both sides for itself."""

    daemon_threads = True
    request_queue_size = 100

    def __init__(self, given: argparse.Namespace) -> None:
        super().__init__(("127.0.0.1", given.port), Handler)
        self.given = given
        self.mapping = mapping_from(Path(given.mapping))
        self.counted = Counted()

    def opened(self, stack: ExitStack) -> Metrics:
        both = stack.enter_context(
            both_sides(
                self.mapping, source=self.given.source, table=Path(self.given.table), mode=Mode(self.given.mode),
                counted=self.counted,
            )
        )  # fmt: skip
        return Metrics(OldDatabase(self.given.source), both)


class Handler(BaseHTTPRequestHandler):
    """POST /metrics, GET and DELETE /metrics/ID, POST /metrics/ID/{versions,deprecate,rename,dimensions}, GET /counted."""

    protocol_version = "HTTP/1.1"
    wbufsize = 65_536  # Head and body in one packet: two would wait for each other's acknowledgement.
    server: Server

    def handle(self) -> None:
        with ExitStack() as stack:
            self.metrics = self.server.opened(stack)
            super().handle()

    def do_GET(self) -> None:  # noqa: N802 - as the library calls it
        _, *path = self.path.split("/")
        if path == ["counted"]:
            self._tell(200, self.server.counted.document())
        else:
            self._do(lambda: self.metrics.get(path[1]))

    def do_DELETE(self) -> None:  # noqa: N802 - as the library calls it
        self._do(lambda: self.metrics.delete(self.path.split("/")[2]))

    def do_POST(self) -> None:  # noqa: N802 - as the library calls it
        sent = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        match self.path.split("/")[1:]:
            case ["metrics"]:
                self._do(lambda: {"id": self.metrics.add(sent["name"], sent["by"])})
            case ["metrics", key, "versions"]:
                self._do(lambda: {"version": self.metrics.update(key, sent["by"])})
            case ["metrics", key, "deprecate"]:
                self._do(lambda: self.metrics.deprecate(key, sent["by"], sent.get("reason", "")))
            case ["metrics", key, "rename"]:
                self._do(lambda: self.metrics.rename(key, sent["name"]))
            case ["metrics", key, "dimensions"]:
                self._do(lambda: self.metrics.set_dimensions(key, sent["dimensions"]))
            case _:
                self._tell(404, {"error": "no such page"})

    def _do(self, act: Callable[[], Any]) -> None:
        try:
            self._tell(200, act())
        except NoSuchMetric as error:
            self._tell(404, {"error": f"there is no metric {error}"})
        except Exception as error:  # noqa: BLE001 - whoever asked is told, and the next is answered
            print(f"{type(error).__name__}: {error}", file=sys.stderr, flush=True)
            self._tell(500, {"error": f"{type(error).__name__}: {error}"})

    def _tell(self, status: int, answer: Any) -> None:
        body = json.dumps(answer).encode()
        self.send_response(status)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, format: str, *args: Any) -> None:  # noqa: A002 - as the library calls it
        """Say nothing of what went well."""


def main() -> None:
    """Serve until killed."""
    parser = argparse.ArgumentParser()
    for name in ("--source", "--table", "--mapping"):
        parser.add_argument(name, required=True)
    parser.add_argument("--port", type=int, required=True)
    parser.add_argument("--mode", default="old", choices=[str(one) for one in Mode])
    server = Server(parser.parse_args())
    print(f"ready on port {server.server_address[1]}", flush=True)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    threading.Event().wait()


if __name__ == "__main__":
    main()
