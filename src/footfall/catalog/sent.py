"""An asset in a sender's words, and the way to the one that is kept; a reason for each that cannot be taken."""

import csv
import io
import json
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from footfall.catalog.asset import Asset, require_asset
from footfall.values.errors import Refused
from footfall.values.hit import AT_MS_MAX, AT_MS_MIN, require_number
from footfall.values.window import moment_from_text

NAME_SEPARATOR = ";"  # between the authors or tags in a cell of a table

CELL_SEPARATORS = (",", ";", "\t")  # as spreadsheets write them, by the language they run in
ID_CHARACTERS_SHOWN = 40

FIELDS = (
    "assetId", "title", "address", "image", "sectionId", "resourceType", "paidType", "published", "updated",
    "authors", "tags",
)  # fmt: skip
ALIASES: Mapping[str, str] = {"url": "address"}
KNOWN_NAMES = frozenset({*FIELDS, *ALIASES, "brand"})


@dataclass(frozen=True, slots=True)
class RefusedAsset:
    """Which asset of a request was not taken, and why."""

    index: int
    field: str
    reason: str


@dataclass(slots=True)
class SentAssets:
    """What a body held: assets to keep, refusals to answer, and how many it named in all."""

    count: int = 0
    assets: list[Asset] = field(default_factory=list[Asset])
    refused: list[RefusedAsset] = field(default_factory=list[RefusedAsset])
    ignored: tuple[str, ...] = ()  # columns of a table that no asset has


@dataclass(frozen=True, slots=True)
class Row:
    """A row of a table: the line it begins in, its cells by their names, and why it cannot be read, if so."""

    line: int
    cells: Mapping[str, str]
    reason: str = ""


@dataclass(frozen=True, slots=True)
class CsvTable:
    """A table whose first row was read: its columns that no asset has, and its rows as they come."""

    ignored: tuple[str, ...]
    rows: Iterator[Row]


def assets_from_json(body: bytes, *, brand: str, assets_max: int) -> SentAssets:
    """Return the assets of a body that is one JSON object or an array of them."""
    content = _decoded(body)
    if isinstance(content, list):
        return _each(content, _asset_from_value, brand=brand, assets_max=assets_max)  # pyright: ignore[reportUnknownArgumentType] - whatever was sent
    return _each([content], _asset_from_value, brand=brand, assets_max=assets_max)


def assets_from_lines(body: bytes, *, brand: str, assets_max: int) -> SentAssets:
    """Return the assets of a body that has one JSON object a line."""
    lines = (line for line in body.split(b"\n") if line.strip())
    return _each(lines, _asset_from_line, brand=brand, assets_max=assets_max)


def assets_from_csv(body: bytes, *, brand: str, assets_max: int) -> SentAssets:
    """Return the assets of a body that is a table: a row of names, then a row for each asset."""
    table = table_from_csv(io.StringIO(body.decode("utf-8-sig", "surrogateescape"), newline=""))
    sent = _each(table.rows, _asset_from_row, brand=brand, assets_max=assets_max)
    sent.ignored = table.ignored
    return sent


def table_from_csv(lines: Iterable[str]) -> CsvTable:
    """Read the first row of a table, or refuse one that names no asset; what is not UTF-8 comes as lone surrogates."""
    counted = _Lines(lines)
    first = next((line for line in counted if line.strip()), "")
    separator = separator_in(first)
    if separator is None:
        raise Refused(
            "assetId",
            f"is not in the first row of the table, {first.strip()[:80]!r}; it may have {', '.join(FIELDS)}, "
            "with commas, semicolons or tabs between them",
        )
    counted.unread(first)
    reader = csv.reader(counted, delimiter=separator, strict=True)
    try:
        written = [cell.strip() for cell in next(reader)]
    except csv.Error as error:
        raise Refused("body", f"is not CSV in its first row: {error}") from error
    names = [_name_of(cell) for cell in written]
    named = [name for name in names if name]
    if len(set(named)) != len(named):
        raise Refused("body", "has a name twice in the first row of the table")
    ignored = tuple(cell for cell in written if cell and cell not in KNOWN_NAMES)
    return CsvTable(ignored, _rows(reader, names, counted))


def separator_in(first: str) -> str | None:
    """Return what stands between the names of a table's first row; None when no reading of it names assetId."""
    for separator in CELL_SEPARATORS:
        if any("assetId" in (cell.strip() for cell in row) for row in csv.reader([first], delimiter=separator)):
            return separator
    return None


class _Lines:
    """The lines of a table, counted, each of them refused when it is not UTF-8."""

    def __init__(self, lines: Iterable[str]) -> None:
        self.number = 0
        self._lines = iter(lines)
        self._again = ""

    def __iter__(self) -> Iterator[str]:
        return self

    def __next__(self) -> str:
        if self._again:
            line, self._again = self._again, ""
            return line
        line = next(self._lines)
        self.number += 1
        try:
            line.encode()
        except UnicodeEncodeError as error:
            raise Refused("body", f"is not UTF-8 in line {self.number:,}; save it as UTF-8") from error
        return line

    def unread(self, line: str) -> None:
        self._again = line


def _rows(reader: Iterator[list[str]], names: Sequence[str], lines: _Lines) -> Iterator[Row]:
    while True:
        begins = lines.number + 1
        try:
            row = next(reader)
        except StopIteration:
            return
        except csv.Error as error:
            yield Row(begins, {}, _why_not_csv(error, begins, lines.number))
            continue  # The reader begins anew with the next line.
        cells = {name: cell.strip() for name, cell in zip(names, row, strict=False) if name and cell.strip()}
        if len(row) > len(names) and any(cell.strip() for cell in row[len(names) :]):
            yield Row(begins, cells, f"has {len(row)} cells, the first row has {len(names)}")
        elif cells:
            yield Row(begins, cells)


def _why_not_csv(error: csv.Error, begins: int, ends: int) -> str:
    if "unexpected end" in str(error):
        return f"opens a quote that is never closed; nothing from line {begins:,} on was read"
    if ends > begins:
        return f"is not CSV: {error}; nothing from line {begins:,} to {ends:,} was read, a quote may not be closed"
    return f"is not CSV: {error}"


def fields_from_row(row: Row) -> dict[str, Any]:
    """Return the fields of a table's row as JSON would have them, or refuse a row that cannot be read."""
    if row.reason:
        raise Refused("body", row.reason)
    fields: dict[str, Any] = dict(row.cells)
    for name in ("authors", "tags"):
        if name in fields:
            parts = (part.strip() for part in row.cells[name].split(NAME_SEPARATOR))
            fields[name] = list(dict.fromkeys(part for part in parts if part))
    for name in ("published", "updated"):
        # In a table every cell is text, so one that is all digits is the number that JSON would have.
        if name in fields and row.cells[name].isascii() and row.cells[name].isdigit():
            fields[name] = int(row.cells[name][:20])
    return fields


def asset_from_fields(fields: Mapping[str, Any], *, brand: str) -> Asset:
    """Return the asset that these fields describe, or refuse the first that is wrong."""
    if fields.get("address") is not None and fields.get("url") not in (None, fields["address"]):
        raise Refused("url", "and address are two names of one field; send one of them")
    known = {_name_of(name): value for name, value in fields.items() if value is not None}
    if known.get("brand", brand) != brand:
        raise Refused("brand", f"is {str(known['brand'])[:64]!r}, and these assets are for {brand}")
    if "assetId" not in known:
        raise Refused("assetId", "is missing")
    return require_asset(
        Asset(
            id=_text_or_number("assetId", known["assetId"]),
            title=_text("title", known),
            address=_text("address", known),
            image=_text("image", known),
            section=_text_or_number("sectionId", known.get("sectionId", "")),
            resource_type=_text("resourceType", known),
            paid_type=_text("paidType", known),
            published_ms=_moment("published", known.get("published")),
            updated_ms=_moment("updated", known.get("updated")),
            authors=_names("authors", known.get("authors")),
            tags=_names("tags", known.get("tags")),
        )
    )


def _each(pieces: Iterable[Any], read: Callable[..., Asset], *, brand: str, assets_max: int) -> SentAssets:
    sent = SentAssets()
    for place, piece in enumerate(pieces):
        if place >= assets_max:
            raise Refused("body", f"has more than {assets_max:,} assets, the most that are taken at once")
        sent.count += 1
        try:
            sent.assets.append(read(piece, brand=brand))
        except Refused as error:
            sent.refused.append(RefusedAsset(place, error.field, error.reason))
    return sent


def _decoded(text: bytes) -> Any:
    """Return what a JSON text says; what no asset may have in it is left to be refused by name."""
    try:
        return json.loads(text, object_pairs_hook=_unique, parse_int=_whole_number)
    except RecursionError as error:
        raise Refused("body", "is nested too deep") from error
    except UnicodeDecodeError as error:
        raise Refused("body", f"is not UTF-8 at byte {error.start}") from error
    except ValueError as error:
        hint = "; for one asset a line, send Content-Type: application/x-ndjson" if "Extra data" in str(error) else ""
        raise Refused("body", f"is not JSON: {error}{hint}") from error


def _asset_from_line(line: bytes, *, brand: str) -> Asset:
    return _asset_from_value(_decoded(line), brand=brand)


def _asset_from_value(value: object, *, brand: str) -> Asset:
    if isinstance(value, _Twice):
        raise Refused(value.name if value.name in FIELDS else "body", f"the key {value.name[:40]!r} stands twice")
    if not isinstance(value, dict):
        raise Refused("body", f"must be a JSON object for each asset, not {_kind(value)}")
    return asset_from_fields(value, brand=brand)  # pyright: ignore[reportUnknownArgumentType] - whatever was sent


def _asset_from_row(row: Row, *, brand: str) -> Asset:
    try:
        return asset_from_fields(fields_from_row(row), brand=brand)
    except Refused as error:
        # Who has a table before them finds a row by its line and its id, not by its place in a request.
        asset_id = row.cells.get("assetId", "")[:ID_CHARACTERS_SHOWN]
        place = f"line {row.line:,}, asset {asset_id}" if asset_id else f"line {row.line:,}"
        raise Refused(error.field, f"{error.reason} ({place})") from error


@dataclass(frozen=True, slots=True)
class _Twice:
    """An object in which a key stands twice; kept until it is known whose it is."""

    name: str


def _unique(pairs: list[tuple[str, Any]]) -> dict[str, Any] | _Twice:
    fields = dict(pairs)
    if len(fields) == len(pairs):
        return fields
    seen = set[str]()
    return _Twice(next(name for name, _ in pairs if name in seen or seen.add(name)))


def _whole_number(digits: str) -> int:
    # Python refuses to read thousands of digits, and no number of ours has twenty.
    return int(digits) if len(digits) <= 40 else 10**40


def _name_of(name: str) -> str:
    plain = name.strip()
    return ALIASES.get(plain, plain)


def _text(name: str, fields: Mapping[str, Any]) -> str:
    value = fields.get(name, "")
    if not isinstance(value, str):
        raise Refused(name, f"must be text, not {_kind(value)}")
    return value


def _text_or_number(name: str, value: object) -> str:
    if isinstance(value, int) and not isinstance(value, bool):
        return require_number(name, value)
    if not isinstance(value, str):
        raise Refused(name, f"must be text or a whole number, not {_kind(value)}")
    return value


def _names(name: str, value: object) -> tuple[str, ...]:
    if value is None:
        return ()
    if not isinstance(value, list):
        raise Refused(name, f"must be an array of texts, not {_kind(value)}")
    entries: list[object] = value  # pyright: ignore[reportUnknownVariableType] - whatever was sent
    for entry in entries:
        if not isinstance(entry, str):
            raise Refused(name, f"must be an array of texts, and has {_kind(entry)} in it")
    return tuple(str(entry) for entry in entries)


def _moment(name: str, value: object) -> int | None:
    if value is None or value == "":
        return None
    if isinstance(value, bool) or not isinstance(value, str | int):
        raise Refused(name, f"must be a time as text, or whole milliseconds, not {_kind(value)}")
    if isinstance(value, str):
        return moment_from_text(value, field=name)
    if not AT_MS_MIN <= value <= AT_MS_MAX:
        raise Refused(name, f"is {value}; a number must be milliseconds since 1970, up to the year 9998")
    return value


_KINDS: Mapping[type, str] = {bool: "true or false", type(None): "null", list: "an array", dict: "an object"}


def _kind(value: object) -> str:
    return _KINDS.get(type(value), "text" if isinstance(value, str) else "a number")
