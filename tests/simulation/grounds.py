"""Tables that fail: killed between two calls, throttled at random, or without transactions of more than one write.

Each is a real table with trouble in front of it. What it raises is what the port says it may, or a death that
nobody catches.
"""

import random
import shutil
import tempfile
import weakref
from collections.abc import Generator, Sequence
from contextlib import contextmanager
from pathlib import Path

from footfall.adapters.embedded.file_blobs import FileBlobs
from footfall.adapters.embedded.sqlite_table import SqliteTable
from footfall.ports.blobs import PAGE_NAMES_MAX
from footfall.ports.blobs import Page as BlobPage
from footfall.ports.errors import NoSpace, PortError, Throttled
from footfall.ports.table import Action, Delete, Item, Key, Page, Position, Put, Update


class Killed(BaseException):
    """The process is gone; whatever it had in hand is lost."""


class TroubledTable:
    """Passes every call on to a table, and asks for trouble before and after each."""

    def __init__(self, inner: SqliteTable, *, is_ordered: bool = False) -> None:
        self._inner = inner
        self._is_ordered = is_ordered

    def before(self) -> None:
        """Raise whatever happens before a call."""

    def after_write(self) -> None:
        """Raise whatever happens after a call that wrote something."""

    def get(self, key: Key) -> Item | None:
        self.before()
        return self._inner.get(key)

    def put(self, put: Put) -> None:
        with self._write():
            self._inner.put(put)

    def write(self, batch: Sequence[Put | Delete]) -> None:
        with self._write():
            self._inner.write(batch)

    def update(self, update: Update) -> Item:
        with self._write():
            return self._inner.update(update)

    def delete(self, delete: Delete) -> None:
        with self._write():
            self._inner.delete(delete)

    def transact(self, actions: Sequence[Action]) -> None:
        with self._write():
            self._inner.transact(actions)

    def query(
        self,
        partition: str,
        *,
        at_least: Position | None = None,
        at_most: Position | None = None,
        backwards: bool = False,
        limit: int | None = None,
        after: Key | None = None,
        index: str | None = None,
    ) -> Page:
        self.before()
        return self._inner.query(
            partition,
            at_least=at_least,
            at_most=at_most,
            backwards=backwards,
            limit=limit,
            after=after,
            index=index,
        )

    def expire(self, limit: int) -> int:
        with self._write():
            return self._inner.expire(limit)

    @contextmanager
    def together(self) -> Generator[None]:
        """Make the writes inside one; on ordered ground, let each stay as it was written."""
        if self._is_ordered:
            yield
            return
        self.before()
        with self._inner.together():
            yield
            self.before()

    @contextmanager
    def _write(self) -> Generator[None]:
        self.before()
        yield
        self.after_write()


class KilledTable(TroubledTable):
    """A table whose process is killed after so many writes; a death between reads leaves nothing else behind."""

    def __init__(self, inner: SqliteTable, *, writes: int, is_ordered: bool = False) -> None:
        super().__init__(inner, is_ordered=is_ordered)
        self.writes_left = writes

    def before(self) -> None:
        if self.writes_left <= 0:
            raise Killed

    def after_write(self) -> None:
        self.writes_left -= 1
        self.before()


def passing_folder(owner: object) -> Path:
    """Make a folder that goes with its owner."""
    folder = tempfile.mkdtemp(prefix="footfall-")
    weakref.finalize(owner, shutil.rmtree, folder, ignore_errors=True)
    return Path(folder)


class TroubledBlobs:
    """Objects whose process is in the same trouble as the table."""

    def __init__(self, inner: FileBlobs, table: TroubledTable) -> None:
        self._inner = inner
        self._table = table

    def put(self, name: str, data: bytes) -> None:
        self._table.before()
        self._inner.put(name, data)
        self._table.after_write()

    def put_new(self, name: str, data: bytes) -> None:
        self._inner.put_new(name, data)

    def get(self, name: str) -> bytes | None:
        return self._inner.get(name)

    def size_bytes(self, name: str) -> int | None:
        return self._inner.size_bytes(name)

    def delete(self, name: str) -> None:
        self._inner.delete(name)

    def page(self, prefix: str = "", *, after: str | None = None, limit: int = PAGE_NAMES_MAX) -> BlobPage:
        return self._inner.page(prefix, after=after, limit=limit)


class Flaky(TroubledTable):
    """A table that is busy or full now and then, and whose process may be told to die after some calls."""

    def __init__(self, inner: SqliteTable, chance: random.Random, *, rate: float, is_ordered: bool = False) -> None:
        super().__init__(inner, is_ordered=is_ordered)
        self._chance = chance
        self.rate = rate
        self.calls_left: int | None = None

    def before(self) -> None:
        if self.calls_left is not None:
            self.calls_left -= 1
            if self.calls_left <= 0:
                raise Killed
        if self._chance.random() < self.rate:
            raise self._chance.choice(_TROUBLE)


_TROUBLE: Sequence[PortError] = (Throttled("too many writes a second"), NoSpace("the disk is full"))
