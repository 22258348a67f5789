"""Images that are known again in a picture: a square whose colour is the image's number, on something like a photo."""

import io
from collections import Counter
from collections.abc import Sequence
from functools import cache
from itertools import product

import numpy as np
from PIL import Image

from footfall.ports.capturing import Tile

WIDTH_PX, HEIGHT_PX = 800, 600
SQUARE_PX = 200
LEVELS = (0, 85, 170, 255)
# Saturated alone: what is like a photo is grey, and a page is white.
COLOURS = tuple(colour for colour in product(LEVELS, repeat=3) if max(colour) - min(colour) >= 170)
SPARSE = 8  # Every eighth pixel of every eighth row tells enough.
TOLERANCE = 30
SEEN_MIN = (SQUARE_PX // SPARSE) ** 2 * 8 // 10
BAND_PX = 500


@cache
def image(number: int) -> bytes:
    """Return the image with a number, as JPEG."""
    chance = np.random.Generator(np.random.PCG64(number))
    grey = chance.integers(70, 190, (HEIGHT_PX // 20, WIDTH_PX // 20), dtype=np.uint8)
    photo = Image.fromarray(grey).resize((WIDTH_PX, HEIGHT_PX), Image.Resampling.BICUBIC).convert("RGB")
    pixels = np.asarray(photo).astype(np.int16) + chance.integers(-9, 10, (HEIGHT_PX, WIDTH_PX, 3), dtype=np.int16)
    photo = Image.fromarray(np.clip(pixels, 0, 255).astype(np.uint8))
    left, top = (WIDTH_PX - SQUARE_PX) // 2, (HEIGHT_PX - SQUARE_PX) // 2
    photo.paste(COLOURS[number % len(COLOURS)], (left, top, left + SQUARE_PX, top + SQUARE_PX))
    into = io.BytesIO()
    photo.save(into, "JPEG", quality=85, subsampling=0)
    return into.getvalue()


def numbers_in(tiles: Sequence[Tile]) -> dict[int, int]:
    """Return which images a picture has, and how many pixels of each were seen."""
    seen: Counter[int] = Counter()
    for tile in tiles:
        pixels = decoded(tile)[::SPARSE, ::SPARSE].reshape(-1, 3).astype(np.int16)
        saturated = pixels[pixels.max(axis=1) - pixels.min(axis=1) >= 120]
        if len(saturated):
            distance = np.abs(saturated[:, None, :] - np.array(COLOURS, dtype=np.int16)[None]).max(axis=2)
            nearest = distance.argmin(axis=1)[distance.min(axis=1) <= TOLERANCE]
            seen.update(nearest.tolist())
    return {number: count for number, count in sorted(seen.items()) if count >= SEEN_MIN}


def decoded(tile: Tile) -> np.ndarray:
    """Return a tile's pixels."""
    return np.asarray(Image.open(io.BytesIO(tile.data)).convert("RGB"))


def column(tiles: Sequence[Tile], x_px: int) -> list[tuple[int, int, int]]:
    """Return one column of a picture, from its top to its end."""
    rows = np.concatenate([decoded(tile)[:, x_px] for tile in tiles])
    return [(int(row[0]), int(row[1]), int(row[2])) for row in rows]


def band_colour(number: int) -> tuple[int, int, int]:
    """Return the colour of a band of a tall page, which no other one has."""
    return (37 * number + 11) % 256, (91 * number + 40) % 256, (151 * number + 7) % 256
