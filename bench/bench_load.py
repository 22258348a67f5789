"""Load: rows of a CSV into DynamoDB Local with `footfall load`, against the engine's own limit in the same run.

Sketch. The engine needs some 300 us of processor time for an item of 230 bytes in a batch of 25, the client 130 to
250 us; on two cores that is about 3,000 items a second whatever is done around it. The limit is measured by the same
number of processes that send requests which lie ready, and do nothing else. Reading the file, checking every item and
keeping the mark may cost 30 % of that. The start of the processes is part of the load, not of the limit.
"""

import os
import time
from collections.abc import Sequence
from multiprocessing import get_context
from multiprocessing.synchronize import Barrier
from pathlib import Path
from typing import Any

from bench.plan import Plan
from bench.results import Row, row
from footfall.adapters.aws.dynamodb_items import stored_from_item
from footfall.adapters.aws.sessions import Ground, client_of
from footfall.app.loading import LoadOrder, load, put_from_row
from footfall.app.row_file import row_file, rows
from footfall.ports.table import BATCH_ITEMS_MAX, Put
from tests.engines.dynamodb import REGION, VARIABLES, DynamoDbEngine, running

ITEMS = 40_000
PROCESSES = 2
ROUNDS = 2
WARM_ITEMS = 2_000


def run(plan: Plan) -> list[Row]:
    """Measure limit and load in turns, and compare the better of each."""
    os.environ.update(VARIABLES)
    count = plan.scaled(ITEMS)
    file = _file(plan.directory / "rows.csv", count)
    with running(plan.directory) as engine:
        _limit(engine, _file(plan.directory / "warm.csv", WARM_ITEMS))
        limits, loads = zip(*((_limit(engine, file), _loaded(engine, file)) for _ in range(ROUNDS)), strict=True)
    return [
        row(f"batch writes that lie ready, {PROCESSES} processes", max(limits), "items/s"),
        row(f"footfall load, {PROCESSES} processes", max(loads), "items/s"),
        row("footfall load, of the engine's limit", max(loads) / max(limits), "", at_least=0.7),
    ]


def _file(path: Path, count: int) -> Path:
    lines = [f"abc#D#2026-11-{n % 28:02d},{n:08d}#{n * 7919},news,article,free,{'x' * 140}\n" for n in range(count)]
    path.write_text("pk,sk,sectionId,resourceType,paidType,title\n" + "".join(lines))
    return path


def _loaded(engine: DynamoDbEngine, file: Path) -> float:
    names = engine.names(engine.client())
    order = LoadOrder(row_file(file), names.table, Ground(region=REGION, endpoint=engine.endpoint), PROCESSES)
    began = time.monotonic()
    written = load(order, starts_over=True, on_share=lambda _: None).written
    return written / (time.monotonic() - began)


def _limit(engine: DynamoDbEngine, file: Path) -> float:
    names = engine.names(engine.client())
    requests: list[dict[str, Any]] = []
    for read in rows(row_file(file)):
        put = put_from_row(names, read.row)
        assert isinstance(put, Put), "the file is our own"
        requests.append({"PutRequest": {"Item": stored_from_item(names, put.key, put.item, expires_at_ms=None)}})
    spawning = get_context("spawn")
    started = spawning.Barrier(PROCESSES + 1)
    writers = [
        spawning.Process(target=_send, args=(engine.endpoint, names.table, requests[one::PROCESSES], started))
        for one in range(PROCESSES)
    ]
    for writer in writers:
        writer.start()
    started.wait()
    began = time.monotonic()
    for writer in writers:
        writer.join()
    assert all(writer.exitcode == 0 for writer in writers), "every item is written"
    return len(requests) / (time.monotonic() - began)


def _send(endpoint: str, table: str, requests: Sequence[dict[str, Any]], started: Barrier) -> None:
    client = client_of("dynamodb", Ground(region=REGION, endpoint=endpoint))
    client.describe_table(TableName=table)
    started.wait()
    for start in range(0, len(requests), BATCH_ITEMS_MAX):
        client.batch_write_item(RequestItems={table: requests[start : start + BATCH_ITEMS_MAX]})
