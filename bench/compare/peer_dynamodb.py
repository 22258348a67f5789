"""The page-hit-counter thesis' new system: rows of its chapter 6 in DynamoDB (DynamoDB Local), top 500 of every window.

Its counting is a stream's business: a log of bodies, synced, stands for Kinesis, and hits are added up in memory by
windows of five minutes and an hour, from the log again after a crash. When a window is over its assets with at least as
many hits as the 500th are written, a row each. Its API reads whole windows, keeps them (LRU) and filters afterwards.
"""

import os
import socket
from collections import Counter
from collections.abc import Sequence
from datetime import UTC, datetime
from heapq import nlargest
from importlib import import_module
from operator import itemgetter
from pathlib import Path
from typing import Any

from bench.compare.bodies_log import BodiesLog
from bench.compare.protocol import WINDOW_MS, Hit, Question, by_window
from bench.compare.servers import HOST, Server, free_port
from bench.compare.traffic import BRANDS
from scripts.engines import DYNAMODB_LOCAL

KEPT = 500
HOUR_MS = 3_600_000
GRAINS = {"F": WINDOW_MS, "H": HOUR_MS}
TABLE = "pagehits"
KEYS = (("hashKey", "HASH"), ("rangeKey", "RANGE"))
NOBODY = {"aws_access_key_id": "compare", "aws_secret_access_key": "not-a-secret", "region_name": "eu-north-1"}


class DynamoDbRows:
    """One table, one counter."""

    group_bodies = 10

    def __init__(self) -> None:
        self._open: dict[tuple[str, int], Counter[Hit]] = {}  # by grain and window
        self._cached: dict[tuple[str, str, int], list[dict[str, Any]]] = {}
        self._log: BodiesLog | None = None
        self._last_ms = 0
        self._server: Server | None = None
        self._client: Any = None

    def start(self, folder: Path) -> None:
        """Start the table's server, and count what the log holds."""
        port, place = free_port(), folder / "dynamodb"
        place.mkdir(exist_ok=True)
        jar = DYNAMODB_LOCAL.require()
        command = [
            "java", "-Xmx1g", f"-Djava.library.path={jar.parent / 'DynamoDBLocal_lib'}", "-jar", str(jar),
            "-dbPath", str(place), "-sharedDb", "-disableTelemetry", "-port", str(port),
        ]  # fmt: skip
        variables = {"PATH": os.environ.get("PATH", os.defpath), "DDB_LOCAL_TELEMETRY": "0"}
        self._server = Server(command, folder / "dynamodb.log", variables=variables)
        self._client = import_module("boto3").client("dynamodb", endpoint_url=f"http://{HOST}:{port}", **NOBODY)
        self._server.wait_for(lambda: socket.create_connection((HOST, port), 1).close())
        if TABLE not in self._client.list_tables()["TableNames"]:
            self._make_table()
        self._log = BodiesLog(folder / "stream.log")
        self._count_log()

    def load(self, bodies: Sequence[bytes], *, now_ms: int) -> None:
        """Log bodies and add them up; a window is written when it is over, which is what settling stands for."""
        assert self._log is not None
        self._log.append(bodies, now_ms=now_ms)
        self._add(bodies, now_ms=now_ms)

    def settle(self) -> None:
        """Write every window, as if time had passed."""
        for (grain, window), counts in self._open.items():
            self._write(grain, window, counts)
        self._open = {}

    def listed(self, question: Question) -> list[tuple[int, int]]:
        """Read whole windows, then filter: five minutes for an hour, hours for more."""
        is_short = question.from_ms is not None and (question.to_ms or 0) - question.from_ms <= HOUR_MS
        totals: Counter[int] = Counter()
        for row in self._rows(question, "F" if is_short else "H"):
            if question.section is None or int(row["sectionId"]["N"]) == question.section:
                hits, _, asset = row["rangeKey"]["S"].partition("#")
                totals[int(asset)] += int(hits)
        return nlargest(question.limit, totals.items(), key=itemgetter(1))

    def count_again(self) -> None:
        """Read the log again and write every window anew into an empty table."""
        self._client.delete_table(TableName=TABLE)
        self._make_table()
        self._open, self._cached = {}, {}
        self._count_log()
        self.settle()

    def total(self) -> int:
        """Add the rows of all hours up, read anew; hits of small assets are in none."""
        everything = [Question(brand, None) for brand in BRANDS]
        keys = [(one.brand, "H", window) for one in everything for window in self._windows(one, "H")]
        return sum(int(row["rangeKey"]["S"].partition("#")[0]) for key in keys for row in self._read(*key))

    def stop(self) -> None:
        """Stop the server."""
        if self._server is not None:
            self._server.stop()
        if self._log is not None:
            self._log.close()

    def _add(self, bodies: Sequence[bytes], *, now_ms: int) -> None:
        for window, counts in by_window(bodies, now_ms=now_ms).items():
            self._last_ms = max(self._last_ms, window)
            for grain, length_ms in GRAINS.items():
                held = self._open.setdefault((grain, window - window % length_ms), Counter())
                held.update(counts)

    def _count_log(self) -> None:
        assert self._log is not None
        for at_ms, body in self._log.arrived():
            self._add([body], now_ms=at_ms)

    def _write(self, grain: str, window: int, counts: Counter[Hit]) -> None:
        for brand in BRANDS:
            own = [(hit, hits) for hit, hits in counts.items() if hit.brand == brand]
            least = nlargest(KEPT, (hits for _, hits in own))[-1] if own else 0
            rows = [_row(hit, hits, grain, window) for hit, hits in own if hits >= least]
            for first in range(0, len(rows), 25):  # as many as one call may carry
                left: Any = {TABLE: [{"PutRequest": {"Item": row}} for row in rows[first : first + 25]]}
                while left:
                    left = self._client.batch_write_item(RequestItems=left).get("UnprocessedItems")

    def _rows(self, question: Question, grain: str) -> list[dict[str, Any]]:
        found: list[dict[str, Any]] = []
        for window in self._windows(question, grain):
            key = (question.brand, grain, window)
            if key not in self._cached:
                self._cached[key] = self._read(*key)
            found += self._cached[key]
        return found

    def _windows(self, question: Question, grain: str) -> range:
        length_ms = GRAINS[grain]
        if question.from_ms is not None and question.to_ms is not None:
            return range(question.from_ms - question.from_ms % length_ms, question.to_ms, length_ms)
        last = self._last_ms - self._last_ms % length_ms
        return range(last - 23 * length_ms, last + 1, length_ms)

    def _read(self, brand: str, grain: str, window: int) -> list[dict[str, Any]]:
        asked = {"KeyConditionExpression": "hashKey = :key", "ScanIndexForward": False, "TableName": TABLE}
        values = {":key": {"S": _hash_key(brand, grain, window)}}
        pages = self._client.get_paginator("query").paginate(**asked, ExpressionAttributeValues=values)
        return [row for page in pages for row in page["Items"]]

    def _make_table(self) -> None:
        self._client.create_table(
            TableName=TABLE,
            BillingMode="PAY_PER_REQUEST",
            AttributeDefinitions=[{"AttributeName": name, "AttributeType": "S"} for name, _ in KEYS],
            KeySchema=[{"AttributeName": name, "KeyType": kind} for name, kind in KEYS],
        )


def _hash_key(brand: str, grain: str, window: int) -> str:
    return f"{brand}#{grain}#{datetime.fromtimestamp(window / 1_000, UTC):%Y-%m-%dT%H:%M}"


def _row(hit: Hit, hits: int, grain: str, window: int) -> dict[str, Any]:
    """Return a row as table 6.1 of the thesis shows it."""
    return {
        "hashKey": {"S": _hash_key(hit.brand, grain, window)},
        "rangeKey": {"S": f"{hits:08}#{hit.assetId}"},
        "sectionId": {"N": str(hit.sectionId)},
        "resourceType": {"S": hit.resourceType},
        "paidType": {"S": hit.paidType},
        "expirationTime": {"N": str((window + GRAINS[grain]) // 1_000 + 600)},
    }
