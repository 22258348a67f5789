"""Loading a file of rows into a DynamoDB table, several processes at a time, going on where it stopped.

A key always goes to the same process, so the last row with it is the one that stays.
"""

import signal
import time
from collections import Counter, deque
from collections.abc import Callable, Generator, Sequence
from concurrent.futures import Future, ProcessPoolExecutor
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from multiprocessing import get_context
from pathlib import Path
from random import Random
from typing import Any

import msgspec
import xxhash

from footfall.adapters.aws.counting_calls import CountedCalls, Second
from footfall.adapters.aws.dynamodb_items import Names
from footfall.adapters.aws.dynamodb_setup import names_of_table
from footfall.adapters.aws.dynamodb_table import DynamoDbTable
from footfall.adapters.aws.sessions import Ground, client_of
from footfall.app.row_file import Row, RowFile, rows
from footfall.ports.errors import TooLarge
from footfall.ports.table import BATCH_ITEMS_MAX, Key, Put, Unfit, require_fits, require_moment
from footfall.values.clock import SystemClock

CHUNK_ROWS = 2_000
CHUNK_BYTES = 8_000_000
CHUNKS_WAITING_MAX = 4  # Enough that no process waits for the reader, little enough to be kept in memory.
EXAMPLES_MAX = 5
MARK_SUFFIX = ".loaded"


@dataclass(frozen=True, slots=True)
class LoadOrder:
    """What to load, and where."""

    file: RowFile
    table: str
    ground: Ground
    processes: int


@dataclass(slots=True)
class Loaded:
    """What came of it."""

    skipped: int = 0  # rows of an earlier run
    written: int = 0
    attempts: int = 0
    refused: Counter[str] = field(default_factory=Counter[str])
    examples: dict[str, list[int]] = field(default_factory=dict[str, list[int]])

    def refuse(self, reason: str, line: int) -> None:
        """Count a row that was not written."""
        self.refused[reason] += 1
        lines = self.examples.setdefault(reason, [])
        if len(lines) < EXAMPLES_MAX:
            lines.append(line)


class Mark(msgspec.Struct, frozen=True):
    """How far an earlier run has come, and with which file into which table."""

    table: str
    endpoint: str | None
    file_bytes: int
    changed_at_ns: int
    rows: int


@dataclass(frozen=True, slots=True)
class _Sent:
    rows: int
    bytes_read: int
    parts: Sequence["Future[_Written]"]


@dataclass(frozen=True, slots=True)
class _Written:
    items: int
    attempts: int
    seconds: Sequence[Second]


def load(
    order: LoadOrder, *, starts_over: bool, on_share: Callable[[float], None], counted: CountedCalls | None = None
) -> Loaded:
    """Write every row of the file and return what came of it; the mark tells the next run where to go on.

    What all processes ask of the table is added to `counted` while it goes on.
    """
    names = names_of_table(client_of("dynamodb", order.ground), order.table)
    done = 0 if starts_over else marked_rows(order)
    loaded = Loaded(skipped=done)
    file_bytes = order.file.path.stat().st_size
    waiting: deque[_Sent] = deque()

    def settle() -> None:
        nonlocal done
        sent = waiting[0]
        for part in sent.parts:
            written = part.result()
            loaded.written += written.items
            loaded.attempts += written.attempts
            if counted is not None:
                counted.attempted(written.attempts)
                counted.take_over(written.seconds)
        waiting.popleft()
        done += sent.rows
        _keep_mark(order, done)
        on_share(min(1.0, sent.bytes_read / max(1, file_bytes)))

    with _writers(order, names) as writers:
        for sent in _sent(order, names, loaded, writers):
            waiting.append(sent)
            if len(waiting) > CHUNKS_WAITING_MAX:
                settle()
        while waiting:
            settle()
    mark_path(order.file.path).unlink(missing_ok=True)
    return loaded


def mark_path(file: Path) -> Path:
    """Return where the mark of a file lies: beside it."""
    return file.with_name(file.name + MARK_SUFFIX)


def marked_rows(order: LoadOrder) -> int:
    """Return how many rows an earlier run has dealt with; none when the file or the table is another one."""
    try:
        mark = msgspec.json.decode(mark_path(order.file.path).read_bytes(), type=Mark)
    except (OSError, msgspec.DecodeError):
        return 0
    return mark.rows if mark == _mark(order, mark.rows) else 0


def _mark(order: LoadOrder, count: int) -> Mark:
    about = order.file.path.stat()
    return Mark(order.table, order.ground.endpoint, about.st_size, about.st_mtime_ns, count)


def _keep_mark(order: LoadOrder, count: int) -> None:
    path = mark_path(order.file.path)
    new = path.with_name(path.name + ".new")
    new.write_bytes(msgspec.json.encode(_mark(order, count)))
    new.replace(path)  # So that a crash leaves the old mark or the new one.


def _sent(order: LoadOrder, names: Names, loaded: Loaded, writers: Sequence[ProcessPoolExecutor]) -> Generator[_Sent]:
    chunk: list[Row] = []
    began = read_bytes = 0
    for place, read in enumerate(rows(order.file)):
        if place < loaded.skipped:
            began = read.bytes_read
            continue
        chunk.append(read.row)
        read_bytes = read.bytes_read
        if len(chunk) == CHUNK_ROWS or read_bytes - began >= CHUNK_BYTES:
            yield _Sent(len(chunk), read_bytes, _dealt(chunk, names, loaded, writers))
            chunk, began = [], read_bytes
    if chunk:
        yield _Sent(len(chunk), read_bytes, _dealt(chunk, names, loaded, writers))


def _dealt(
    chunk: Sequence[Row], names: Names, loaded: Loaded, writers: Sequence[ProcessPoolExecutor]
) -> "list[Future[_Written]]":
    parts: list[dict[Key, Put]] = [{} for _ in writers]
    for row in chunk:
        put = row.refused or put_from_row(names, row)
        if isinstance(put, str):
            loaded.refuse(put, row.line)
            continue
        writer = xxhash.xxh3_64_intdigest(f"{put.key.partition}\0{put.key.sort}".encode()) % len(writers)
        parts[writer][put.key] = put
    return [writer.submit(_write, list(part.values())) for writer, part in zip(writers, parts, strict=True) if part]


def put_from_row(names: Names, row: Row) -> Put | str:
    """Return the write that the row stands for, or why it stands for none."""
    item = dict(row.item)
    partition, sort, expiry = (item.pop(name, None) for name in (names.partition, names.sort, names.expiry))
    if not isinstance(partition, str) or not isinstance(sort, str):
        return f"has no text in {names.partition} and {names.sort}, the table's keys"
    try:
        expires_at_ms = None if expiry is None else int(str(expiry)) * 1_000
        put = Put(Key(partition, sort), item, expires_at_ms=expires_at_ms)
        require_fits(put.key, put.item)
        require_moment(put.expires_at_ms)
    except TooLarge:
        return "is larger than an item may be, or its key is"
    except Unfit:
        return "holds what no table can hold"
    except ValueError:
        return f"{names.expiry} is no moment in whole seconds"
    return put


# --- in the writing processes -----------------------------------------------------------------------

_table: DynamoDbTable | None = None


@contextmanager
def _writers(order: LoadOrder, names: Names) -> Generator[list[ProcessPoolExecutor]]:
    # Each has one process, so that what is handed to it is written in that order.
    spawning = get_context("spawn")
    with ExitStack() as opened:
        writers = [
            ProcessPoolExecutor(1, mp_context=spawning, initializer=_open, initargs=(order.ground, names))
            for _ in range(order.processes)
        ]
        for writer in writers:
            opened.callback(writer.shutdown, wait=True, cancel_futures=True)
        yield writers


def _open(ground: Ground, names: Names) -> None:
    global _table
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # The parent ends us, when what is under way is written.
    client: Any = client_of("dynamodb", ground)
    chance = Random()  # noqa: S311 - it spreads waits and guards nothing
    _table = DynamoDbTable(client, names, clock=SystemClock(), chance=chance, pause=time.sleep)


def _write(puts: Sequence[Put]) -> _Written:
    assert _table is not None, "the pool opens the table first"
    before = _table.counted.attempts
    for start in range(0, len(puts), BATCH_ITEMS_MAX):
        _table.write(puts[start : start + BATCH_ITEMS_MAX])
    return _Written(len(puts), _table.counted.attempts - before, _table.counted.hand_over())
