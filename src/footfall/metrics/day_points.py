"""The points of one metric on one day as columns, and as the bytes that lie in the table (docs/formats/metrics.md).

Dimensions are coded by dictionaries, and rows lie in the order of theirs, so that equal content is equal bytes.
"""

import threading
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import msgspec
import numpy as np
import zstandard
from msgspec import Struct
from numpy.typing import NDArray

from footfall.metrics.definition import ValueType
from footfall.ports.errors import Corrupt
from footfall.sketches.errors import NotASketch
from footfall.sketches.frames import content_of, framed

VERSION = 1
CONTENT_BYTES_MAX = 64_000_000  # which a damaged length cannot make us set aside more than

_MAGIC = b"ffmp"
_LEVEL = 3

Floats = NDArray[np.float64]
Codes = NDArray[np.int64]
Key = tuple[str, ...]


class _Written(Struct, array_like=True, frozen=True):
    """What the frame holds, compressed."""

    kind: str
    names: list[str]
    tables: list[list[str]]
    codes: list[bytes]
    values: bytes
    weights: bytes
    sketches: list[bytes]


@dataclass(frozen=True, slots=True)
class Row:
    """One point: its value, or the sketch that stands for many."""

    value: float = 0.0
    weight: float = 0.0
    sketch: bytes = b""


@dataclass(frozen=True, slots=True)
class DayPoints:
    """The points of a day; `tables` has the values of each dimension, and `codes` says which of them a row has."""

    kind: ValueType
    names: tuple[str, ...]
    tables: tuple[tuple[str, ...], ...]
    codes: tuple[Codes, ...]
    values: Floats
    weights: Floats
    sketches: tuple[bytes, ...]

    def __len__(self) -> int:
        return len(self.sketches) if self.kind is ValueType.PERCENTILE else len(self.values)


def keyed(points: DayPoints, names: Sequence[str]) -> dict[Key, Row]:
    """Return the rows by their values of these dimensions; one that the points do not have is empty text."""
    columns = [_texts(points, name) for name in names]
    keys = zip(*columns, strict=True) if columns else [()] * len(points)
    if points.kind is ValueType.PERCENTILE:
        return {key: Row(sketch=sketch) for key, sketch in zip(keys, points.sketches, strict=True)}
    weights = points.weights.tolist() or [0.0] * len(points)
    return {key: Row(value, weight) for key, value, weight in zip(keys, points.values.tolist(), weights, strict=True)}


def _texts(points: DayPoints, name: str) -> list[str]:
    if name not in points.names:
        return [""] * len(points)
    at = points.names.index(name)
    table = points.tables[at]
    return [table[code] for code in points.codes[at].tolist()]


def points_from(kind: ValueType, names: Sequence[str], rows: Mapping[Key, Row]) -> DayPoints:
    """Return rows as columns, in their one order; a dimension that none of them tells is left out."""
    keys = sorted(rows)
    told = [(name, [key[at] for key in keys]) for at, name in enumerate(names)]
    columns = [(name, texts) for name, texts in told if any(texts)]
    tables = tuple(tuple(sorted(set(texts))) for _, texts in columns)
    codes = tuple(_coded(texts, table) for (_, texts), table in zip(columns, tables, strict=True))
    ordered = [rows[key] for key in keys]
    is_percentile, is_weighted = kind is ValueType.PERCENTILE, kind is ValueType.WEIGHTED_AVERAGE
    return DayPoints(
        kind,
        tuple(name for name, _ in columns),
        tables,
        codes,
        _floats([] if is_percentile else [row.value for row in ordered]),
        _floats([row.weight for row in ordered] if is_weighted else []),
        tuple(row.sketch for row in ordered) if is_percentile else (),
    )


def merged(
    before: DayPoints | None, kind: ValueType, names: Sequence[str], rows: Mapping[Key, Row]
) -> tuple[DayPoints, bool]:
    """Return the points with these rows in the place of those of the same dimensions, and whether that changes them.

    What a metric has no dimension for any more does not tell two points apart: the new one stands for all such.
    Points of another kind than the metric has today cannot be read, and go.
    """
    if before is None or before.kind is not kind:
        return points_from(kind, names, rows), True
    all_names = tuple(sorted({*names, *before.names}))
    kept = keyed(before, all_names)
    places = [all_names.index(name) for name in names]
    kept = {key: row for key, row in kept.items() if tuple(key[at] for at in places) not in rows}
    for key, row in rows.items():
        told = dict(zip(names, key, strict=True))
        kept[tuple(told.get(name, "") for name in all_names)] = row
    made = points_from(kind, all_names, kept)
    return made, bytes_from_points(made) != bytes_from_points(before)


def _coded(texts: Sequence[str], table: Sequence[str]) -> Codes:
    numbers = {text: number for number, text in enumerate(table)}
    return np.fromiter((numbers[text] for text in texts), np.int64, len(texts))


def _floats(numbers: Sequence[float]) -> Floats:
    return np.array(numbers, np.float64)


def bytes_from_points(points: DayPoints) -> bytes:
    """Return the points as they are stored."""
    written = _Written(
        points.kind.value,
        list(points.names),
        [list(table) for table in points.tables],
        [
            codes.astype(_code_type(len(table))).tobytes()
            for codes, table in zip(points.codes, points.tables, strict=True)
        ],
        points.values.astype("<f8").tobytes(),
        points.weights.astype("<f8").tobytes(),
        list(points.sketches),
    )
    return framed(_MAGIC, VERSION, _zstandard.compress(msgspec.msgpack.encode(written)))


def checksum_of(data: bytes) -> str:
    """Return the checksum that bytes of points have in their frame."""
    return data[len(_MAGIC) : len(_MAGIC) + 8].hex()


def points_from_bytes(data: bytes) -> DayPoints:
    """Return the points that bytes of the table hold, or raise Corrupt."""
    try:
        content = content_of(data, magic=_MAGIC, version=VERSION, what="a day's points")
        if zstandard.frame_content_size(content) > CONTENT_BYTES_MAX:
            raise ValueError(f"it says that it holds more than {CONTENT_BYTES_MAX:,} bytes")  # noqa: TRY301 - told with the others
        plain = _zstandard.decompress(content, max_output_size=CONTENT_BYTES_MAX)
        written = _decoder.decode(plain)
        points = DayPoints(
            ValueType(written.kind),
            tuple(written.names),
            tuple(map(tuple, written.tables)),
            tuple(
                np.frombuffer(codes, _code_type(len(table))).astype(np.int64)
                for codes, table in zip(written.codes, written.tables, strict=True)
            ),
            np.frombuffer(written.values, "<f8"),
            np.frombuffer(written.weights, "<f8"),
            tuple(written.sketches),
        )
    except (NotASketch, zstandard.ZstdError, msgspec.MsgspecError, ValueError) as error:
        raise Corrupt(f"a day's points cannot be read: {error}; push the day again") from error
    if any(len(codes) != len(points) for codes in points.codes):
        raise Corrupt("a day's points have columns of different lengths; push the day again")
    return points


def _code_type(values: int) -> str:
    return "<u1" if values <= 1 << 8 else "<u2"


class _Zstandard(threading.local):
    """What compresses and what undoes it, for each thread its own: they are not made for two at once."""

    def __init__(self) -> None:
        self.compress = zstandard.ZstdCompressor(level=_LEVEL).compress
        self.decompress = zstandard.ZstdDecompressor().decompress


_decoder = msgspec.msgpack.Decoder(_Written)
_zstandard = _Zstandard()
