"""Rows of a captured picture: what each looks like in a few bytes, read tile by tile so that memory stays bounded.

A tile that was kept without losses tells exactly whether two rows are equal. One of photographs was kept with losses
that depend on where in the tile a row stands; its rows are equal when they look equal.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from importlib import import_module
from io import BytesIO
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from xxhash import xxh3_64_intdigest

from footfall.ports.errors import Corrupt
from footfall.values.web_urls import NotInstalled

BLOCKS = 32  # across a row: 40 pixels each
TOLERANCE = 10  # of 255: what losses change in the mean of a block; measured, 8 in one row of a thousand
PIXEL_TOLERANCE = 48  # of 255: what losses change in one pixel, beside edges of colours
PIXELS_MAX = 20_000_000  # of one tile; four times what a capture makes


class Span(NamedTuple):
    """Some that follow each other, from the first to the one behind the last."""

    start: int
    stop: int

    @property
    def size(self) -> int:
        """Return how many they are."""
        return self.stop - self.start


@dataclass(frozen=True, slots=True)
class Picture:
    """A picture in tiles from the top; `read` returns the bytes of one."""

    heights_px: Sequence[int]
    read: Callable[[int], bytes]

    @property
    def height_px(self) -> int:
        """Return how high the whole picture is."""
        return sum(self.heights_px)


@dataclass(frozen=True, slots=True)
class Rows:
    """What every row looks like."""

    hashes: NDArray[np.uint64]
    looks: NDArray[np.uint8]  # means of colours, BLOCKS x 3 for each row
    is_lossy: NDArray[np.bool_]

    def __len__(self) -> int:
        return len(self.hashes)

    def within(self, span: Span) -> "Rows":
        """Return some of the rows."""
        part = slice(*span)
        return Rows(self.hashes[part], self.looks[part], self.is_lossy[part])


class PixelReader:
    """Reads stretches of a picture; keeps one tile decoded."""

    def __init__(self, picture: Picture) -> None:
        self._picture = picture
        self._at = -1
        self._pixels: NDArray[np.uint8] = np.zeros((0, 1, 3), np.uint8)

    def between(self, top: int, bottom: int) -> NDArray[np.uint8]:
        """Return the pixels of some rows, which should be few."""
        parts: list[NDArray[np.uint8]] = []
        begin = 0
        for number, height in enumerate(self._picture.heights_px):
            first, last = max(top, begin), min(bottom, begin + height)
            if first < last:
                parts.append(self._tile(number)[first - begin : last - begin])
            begin += height
        width = min((part.shape[1] for part in parts), default=1)
        return np.concatenate([part[:, :width] for part in parts]) if parts else np.zeros((0, 1, 3), np.uint8)

    def _tile(self, number: int) -> NDArray[np.uint8]:
        if self._at != number:
            self._pixels = pixels_of(self._picture.read(number), height_px=self._picture.heights_px[number])
            self._at = number
        return self._pixels


def rows_of(picture: Picture) -> Rows:
    """Return what the rows of a picture look like."""
    hashes: list[int] = []
    looks: list[NDArray[np.uint8]] = []
    lossy: list[NDArray[np.bool_]] = []
    for number, height in enumerate(picture.heights_px):
        data = picture.read(number)
        pixels = pixels_of(data, height_px=height)
        hashes += [xxh3_64_intdigest(row.tobytes()) for row in pixels]
        looks.append(_looks(pixels))
        lossy.append(np.full(height, b"VP8L" not in data[12:40]))  # The chunk that a picture without losses has.
    if not looks:
        return Rows(np.zeros(0, np.uint64), np.zeros((0, BLOCKS * 3), np.uint8), np.zeros(0, np.bool_))
    return Rows(np.array(hashes, np.uint64), np.concatenate(looks), np.concatenate(lossy))


def equal_rows(old: Rows, before: Span, new: Rows, after: Span) -> NDArray[np.bool_]:
    """Tell which rows of two stretches of one height are equal."""
    one, other = old.within(before), new.within(after)
    is_same = one.hashes == other.hashes
    is_lossy = one.is_lossy | other.is_lossy
    if is_lossy.any():
        apart = np.abs(one.looks.astype(np.int16) - other.looks.astype(np.int16)).max(axis=1)
        is_same |= is_lossy & (apart <= TOLERANCE)
    return is_same


def pixels_of(data: bytes, *, height_px: int) -> NDArray[np.uint8]:
    """Return a tile's pixels; raise Corrupt when it is no picture of that height."""
    library = _pillow()
    try:
        with library.open(BytesIO(data)) as image:
            if image.height != height_px or image.width * image.height > PIXELS_MAX:
                raise Corrupt(
                    f"a tile is {image.width} x {image.height} pixels, not {height_px} high: verify the archive"
                )
            return np.asarray(image.convert("RGB"))
    except (OSError, ValueError, SyntaxError) as error:
        raise Corrupt(f"a tile of {len(data)} bytes is no picture ({error}): verify the archive") from error


def _looks(pixels: NDArray[np.uint8]) -> NDArray[np.uint8]:
    width = pixels.shape[1]
    edges = [width * number // BLOCKS for number in range(BLOCKS)]  # A block of a narrow picture may have no width.
    sums = np.add.reduceat(pixels, edges, axis=1, dtype=np.uint32)
    widths = [max(1, right - left) for left, right in zip(edges, [*edges[1:], width], strict=True)]
    means = sums // np.array(widths, np.uint32)[None, :, None]
    return means.astype(np.uint8).reshape(len(pixels), -1)


def _pillow() -> Any:
    # Imported where it is used: only who compares pictures needs it.
    try:
        return import_module("PIL.Image")
    except ImportError as error:
        raise NotInstalled(
            f"reading pictures needs Pillow, which is not installed: `pip install 'footfall[archive]'` ({error})"
        ) from error
