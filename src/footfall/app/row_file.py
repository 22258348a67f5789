"""Rows of a CSV or NDJSON file, one after another, each with its line; what is no row is told, not raised."""

import csv
from collections.abc import Generator, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, BinaryIO

import msgspec

from footfall.ports.items import Item, Value
from footfall.values.errors import FootfallError

CELL_BYTES_MAX = 400_000  # No item holds more.


class NotARowFile(FootfallError):
    """The file cannot be read as rows."""


@dataclass(frozen=True, slots=True)
class RowFile:
    """A file of rows, and which of its CSV columns hold numbers."""

    path: Path
    is_csv: bool
    numbers: frozenset[str] = frozenset()


@dataclass(frozen=True, slots=True)
class Row:
    """One row: its attributes, or why it has none."""

    line: int
    item: Item
    refused: str = ""


@dataclass(frozen=True, slots=True)
class Read:
    """A row, and how many bytes of the file have been read for it and those before."""

    row: Row
    bytes_read: int


def row_file(path: Path, *, numbers: frozenset[str] = frozenset()) -> RowFile:
    """Return the file with the kind that its name tells."""
    kinds = {".csv": True, ".ndjson": False, ".jsonl": False}
    if path.suffix.lower() not in kinds:
        raise NotARowFile(f"{path} is neither .csv nor .ndjson nor .jsonl: give it the name of what it holds")
    return RowFile(path, kinds[path.suffix.lower()], numbers)


def rows(file: RowFile) -> Generator[Read]:
    """Yield every row of the file."""
    try:
        with file.path.open("rb") as opened:
            for row in _csv_rows(opened, file) if file.is_csv else _json_rows(opened):
                yield Read(row, opened.tell())
    except (OSError, UnicodeDecodeError, csv.Error) as error:
        raise NotARowFile(f"{file.path} cannot be read: {error}") from error


def _csv_rows(opened: BinaryIO, file: RowFile) -> Iterator[Row]:
    csv.field_size_limit(CELL_BYTES_MAX)
    reader = csv.reader(_texts(opened), strict=True)
    names = next(reader, None)
    if not names or len(set(names)) != len(names) or "" in names:
        raise NotARowFile(f"{file.path} does not begin with a line of column names, each once: {names}")
    if unknown := sorted(file.numbers - set(names)):
        raise NotARowFile(f"{file.path} has no column {', '.join(unknown)}, only {', '.join(names)}")
    for cells in reader:
        if len(cells) == len(names):
            yield _csv_row(reader.line_num, dict(zip(names, cells, strict=True)), file.numbers)
        elif cells:
            yield Row(reader.line_num, {}, refused=f"has {len(cells)} cells, not {len(names)}")


def _texts(opened: BinaryIO) -> Iterator[str]:
    for place, line in enumerate(opened):
        yield line.decode("utf-8" if place else "utf-8-sig")  # Spreadsheets begin their files with a mark.


def _csv_row(line: int, cells: dict[str, str], numbers: frozenset[str]) -> Row:
    item: dict[str, Value] = {name: text for name, text in cells.items() if text}  # An empty cell is no attribute.
    for name in numbers & set(item):
        number = _number(cells[name])
        if number is None:
            return Row(line, {}, refused=f"{name} is not a number")
        item[name] = number
    return Row(line, item)


def _number(text: str) -> int | float | None:
    for kind in (int, float):
        try:
            return kind(text)
        except ValueError:
            continue
    return None


def _json_rows(opened: BinaryIO) -> Iterator[Row]:
    for line, text in enumerate(opened, start=1):
        if not text.strip():
            continue
        try:
            yield Row(line, msgspec.json.decode(text, type=dict[str, Any]))
        except (msgspec.DecodeError, UnicodeDecodeError):
            yield Row(line, {}, refused="is not a JSON object")
