"""An asset in a sender's words, and the way to the one that is kept; a reason for each that cannot be taken."""

import csv
import io
import json
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from footfall.catalog.asset import Asset, require_asset
from footfall.values.errors import Refused
from footfall.values.hit import AT_MS_MAX, AT_MS_MIN, require_number
from footfall.values.window import moment_from_text

NAME_SEPARATOR = ";"  # between the authors or tags in a cell of a table

TOO_LONG = ""  # Stands for a row's name when it has more cells than names.

FIELDS = (
    "assetId", "title", "address", "image", "sectionId", "resourceType", "paidType", "published", "updated",
    "authors", "tags",
)  # fmt: skip
ALIASES: Mapping[str, str] = {"url": "address"}


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
    try:
        text = body.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise Refused("body", f"is not UTF-8 at byte {error.start}") from error
    return _each(rows_from_csv(io.StringIO(text, newline="")), _asset_from_row, brand=brand, assets_max=assets_max)


def rows_from_csv(lines: Iterable[str]) -> Iterator[Mapping[str, str]]:
    """Yield the rows of a table by the names in its first row, or refuse a table that has none that we know."""
    reader = csv.reader(lines, strict=True)
    try:
        names = [_name_of(cell) for cell in next(reader, list[str]())]
        if "assetId" not in names:
            raise Refused("assetId", f"is not in the first row of the table; it may have {', '.join(FIELDS)}")
        if len(set(names)) != len(names):
            raise Refused("body", "has a name twice in the first row of the table")
        for row in reader:
            if len(row) > len(names):
                yield {TOO_LONG: f"has {len(row)} cells, the first row has {len(names)}"}
            elif row:
                yield {name: cell.strip() for name, cell in zip(names, row, strict=False) if cell.strip()}
    except csv.Error as error:
        raise Refused("body", f"is not CSV in line {reader.line_num}: {error}") from error


def fields_from_row(row: Mapping[str, str]) -> dict[str, Any]:
    """Return the fields of a table's row as JSON would have them, or refuse a row that has too many cells."""
    if TOO_LONG in row:
        raise Refused("body", row[TOO_LONG])
    fields: dict[str, Any] = dict(row)
    for name in ("authors", "tags"):
        if name in fields:
            parts = (part.strip() for part in row[name].split(NAME_SEPARATOR))
            fields[name] = list(dict.fromkeys(part for part in parts if part))
    for name in ("published", "updated"):
        # In a table every cell is text, so one that is all digits is the number that JSON would have.
        if name in fields and row[name].isascii() and row[name].isdigit():
            fields[name] = int(row[name][:20])
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


def _asset_from_row(row: Mapping[str, str], *, brand: str) -> Asset:
    return asset_from_fields(fields_from_row(row), brand=brand)


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
