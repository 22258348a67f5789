"""The files that an export writes: CSV that no spreadsheet takes for formulas, NDJSON, and Parquet."""

import importlib
import os
from collections.abc import Callable, Generator, Iterable, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol, TextIO

from footfall.flow.serve.parameters import CSV, NDJSON
from footfall.flow.serve.tables import csv_lines, json_lines
from footfall.shells.cli.command import WrongUsage
from footfall.values.errors import FootfallError
from footfall.values.window import Window, instant_text

if TYPE_CHECKING:  # Whoever looks for help waits for nothing that is exported with.
    from footfall.flow.serve.exporting import ExportedRow

PARQUET = "parquet"
COLUMNS = ("from", "to", "kind", "assetId", "sectionId", "resourceType", "paidType", "hits")
LABEL = "label"  # One more column, and three, when they are asked for.
UNIQUES = ("uniques", "uniquesAtLeast", "uniquesAtMost")
ROWS_PER_GROUP = 100_000  # Of a Parquet file: what a reader has in memory at a time, some megabytes.


class FileIsThere(WrongUsage):
    """A file of that name exists."""


class NotInstalled(FootfallError):
    """What writes this kind of file is not installed."""


class TakesRows(Protocol):
    """Whatever writes the rows of windows."""

    def write(self, window: Window, rows: "Iterable[ExportedRow]") -> int:
        """Write the rows of a window and return how many there were."""
        ...

    def finish(self) -> None:
        """Write what is left; the file is whole then."""
        ...


class Lines:
    """A file of lines: CSV or NDJSON."""

    def __init__(self, out: TextIO, kind: str, *, more: Sequence[str]) -> None:
        self._out = out
        self._kind = kind
        self._columns: tuple[str, ...] = (*COLUMNS, *more)
        if kind == CSV:
            self._put(csv_lines(self._columns, ()))

    def write(self, window: Window, rows: "Iterable[ExportedRow]") -> int:
        """Write the rows of a window and return how many there were."""
        told = [dict(zip(self._columns, _values(window, row, self._columns), strict=True)) for row in rows]
        if self._kind == CSV:
            head, *lines = csv_lines(self._columns, told)
            assert head
            self._put(lines)
        else:
            self._put(json_lines(told))
        return len(told)

    def finish(self) -> None:
        """Write what is left."""
        self._out.flush()

    def _put(self, lines: Iterable[bytes]) -> None:
        for line in lines:
            self._out.write(line.decode())


class ParquetFile:
    """A Parquet file, written a group of rows at a time."""

    def __init__(self, path: Path, *, more: Sequence[str]) -> None:
        arrow, parquet = arrow_modules()
        self._arrow = arrow
        text = arrow.dictionary(arrow.int32(), arrow.string())
        moment = arrow.timestamp("ms", tz="UTC")
        kinds = (moment, moment, text, arrow.string(), text, text, text, arrow.int64())
        kinds_of_more = {LABEL: text, **dict.fromkeys(UNIQUES, arrow.int64())}
        self._columns = (*COLUMNS, *more)
        self._schema = arrow.schema(
            [*zip(COLUMNS, kinds, strict=True), *((name, kinds_of_more[name]) for name in more)]
        )
        self._writer = parquet.ParquetWriter(str(path), self._schema, compression="zstd")
        self._rows: list[tuple[Any, ...]] = []

    def write(self, window: Window, rows: "Iterable[ExportedRow]") -> int:
        """Write the rows of a window and return how many there were."""
        count = 0
        for row in rows:
            _, _, *values = _values(window, row, self._columns)
            self._rows.append((window.from_ms, window.to_ms, *values))
            count += 1
            if len(self._rows) >= ROWS_PER_GROUP:
                self._put()
        return count

    def finish(self) -> None:
        """Write what is left, and the file's end, without which it is none."""
        self._put()
        self._writer.close()

    def _put(self) -> None:
        if not self._rows:
            return
        columns = zip(*self._rows, strict=True)
        arrays = [
            self._arrow.array(list(values), type=field.type)
            for values, field in zip(columns, self._schema, strict=True)
        ]
        self._writer.write_table(self._arrow.Table.from_arrays(arrays, schema=self._schema))
        self._rows = []


def arrow_modules(load: Callable[[str], Any] = importlib.import_module) -> tuple[Any, Any]:
    """Return Arrow and its Parquet part, or say how to install them."""
    try:
        return load("pyarrow"), load("pyarrow.parquet")
    except ModuleNotFoundError as error:
        raise NotInstalled(
            "Parquet needs Apache Arrow, which is not installed: pip install 'footfall[parquet]', or use --format csv."
        ) from error


@contextmanager
def opened_file(
    name: str, kind: str, *, out: TextIO, overwrite: bool, more: Sequence[str] = ()
) -> Generator[TakesRows]:
    """Open what the rows go to; a file takes its name when it is whole, and is gone when it never will be."""
    if name == "-":
        if kind == PARQUET:
            raise WrongUsage("A Parquet file is no text; name a file.")
        lines = Lines(out, kind, more=more)
        yield lines
        lines.finish()
        return
    target = Path(name)
    if target.exists() and not overwrite:
        raise FileIsThere(f"{name} is there already; name another file, or give --overwrite.")
    part = target.with_name(f".{target.name}.{os.getpid()}.part")
    try:
        with _opened(part, kind, more=more) as rows:
            yield rows
            rows.finish()
        part.replace(target)
    except OSError as error:
        raise CannotWrite(f"{name} cannot be written: {error.strerror or error}.") from error
    finally:
        part.unlink(missing_ok=True)


class CannotWrite(FootfallError):
    """The file cannot be written."""


@contextmanager
def _opened(path: Path, kind: str, *, more: Sequence[str]) -> Generator[TakesRows]:
    if kind == PARQUET:
        yield ParquetFile(path, more=more)
        return
    with path.open("w", encoding="utf-8", newline="") as file:
        yield Lines(file, kind, more=more)


def _values(window: Window, row: "ExportedRow", columns: Sequence[str]) -> tuple[Any, ...]:
    """Return the values of the columns in their order."""
    labels = (row.asset or None, row.section or None, row.resource_type or None, row.paid_type or None)
    values = (instant_text(window.from_ms), instant_text(window.to_ms), row.kind, *labels, row.hits)
    told = row.visitors
    uniques = (None, None, None) if told is None else (told.uniques, told.at_least, told.at_most)
    more = {LABEL: row.label or None, **dict(zip(UNIQUES, uniques, strict=True))}
    return *values, *(more[name] for name in columns[len(values) :])


FORMATS = (CSV, NDJSON, PARQUET)
