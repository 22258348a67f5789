"""The picture of a page: tiles from the top to the end, each taken, checked, hashed and encoded by itself.

One picture of a tall page comes back empty, or repeats itself, without an error; tiles do not.
"""

import asyncio
import base64
import hashlib
import io
from collections.abc import Coroutine, Sequence
from dataclasses import dataclass
from typing import TypeVar

from PIL import Image

from footfall.adapters.chromium.framing import foreign_frames
from footfall.adapters.chromium.lines import Line
from footfall.adapters.chromium.worlds import World
from footfall.ports.capturing import TILE_PX_MAX, WIDTH_PX, CaptureFailed, Reason, Tile

BITS_PER_PIXEL_MAX = 1.0  # Above it are photographs, which take a quarter as much with losses that nobody sees.
DRAWN_BITS_PER_PIXEL_MAX = 3.5  # as the browser sends it: text has two, photographs have from four on.
SAMPLE_PX = 16  # rows of a strip that tells whether what is between them is photographs
SAMPLES = 12
QUALITY = 80
LOSSLESS_EFFORT = 30
METHOD_LOSSLESS = 1
METHOD_LOSSY = 2
THUMBNAIL_PX = (320, 400)  # the first two screens
T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Picture:
    """A picture as it was taken."""

    tiles: Sequence[Tile]
    thumbnail: bytes
    pixels_sha256: str


async def take_picture(line: Line, world: World, *, height_px: int) -> Picture:
    """Take the picture of a page down to a height."""
    patches = await foreign_frames(line, world, height_px=height_px)
    pixels = hashlib.sha256(f"{WIDTH_PX}x{height_px}:".encode())
    encoding: list[asyncio.Task[Tile]] = []
    thumbnail = b""
    drawing = _begun(_drawn(line, 0, height_px))
    try:
        for top_px in range(0, height_px, TILE_PX_MAX):
            data = await drawing
            # While one tile is read, hashed and encoded the next is drawn.
            if top_px + TILE_PX_MAX < height_px:
                drawing = _begun(_drawn(line, top_px + TILE_PX_MAX, height_px))
            image = await asyncio.to_thread(_decoded, data, min(TILE_PX_MAX, height_px - top_px))
            for patch in patches:
                patch.put_into(image, top_px)
            await asyncio.to_thread(pixels.update, image.tobytes())
            encoding.append(_begun(asyncio.to_thread(_tile, image, len(data) * 3 // 4)))
            thumbnail = thumbnail or await asyncio.to_thread(_thumbnail, image)
        return Picture(await asyncio.gather(*encoding), thumbnail, pixels.hexdigest())
    finally:
        for task in (drawing, *encoding):
            task.cancel()


def _begun(work: Coroutine[None, None, T]) -> asyncio.Task[T]:
    return asyncio.get_running_loop().create_task(work)


async def _drawn(line: Line, top_px: int, height_px: int) -> str:
    """Return a part of the page as the browser draws it, as PNG in base 64."""
    tall_px = min(TILE_PX_MAX, height_px - top_px)
    clip = {"x": 0, "y": top_px, "width": WIDTH_PX, "height": tall_px, "scale": 1}
    told = await line.ask(
        "Page.captureScreenshot",
        {"format": "png", "optimizeForSpeed": True, "captureBeyondViewport": True, "clip": clip},
    )
    return str(told["data"])


def _decoded(data: str, height_px: int) -> Image.Image:
    image = Image.open(io.BytesIO(base64.b64decode(data))).convert("RGB") if data else None
    if image is None or image.size != (WIDTH_PX, height_px):  # An empty picture comes without an error.
        raise CaptureFailed(Reason.CRASHED, "The browser could not draw the page.")
    return image


def _tile(image: Image.Image, drawn_bytes: int) -> Tile:
    """Return a tile without losses, or, when it is photographs, with such that nobody sees."""
    return Tile(_lossless_unless_large(image, drawn_bytes) or _lossy(image), image.width, image.height)


def _lossless_unless_large(image: Image.Image, drawn_bytes: int) -> bytes | None:
    """Return a tile without losses; nothing when that is large, which is mostly known without having tried."""
    if _bits_per_pixel(drawn_bytes, image) > DRAWN_BITS_PER_PIXEL_MAX:
        return None
    sample = _sample(image)
    if _bits_per_pixel(len(_lossless(sample)), sample) > BITS_PER_PIXEL_MAX:
        return None
    data = _lossless(image)
    return data if _bits_per_pixel(len(data), image) <= BITS_PER_PIXEL_MAX else None


def _sample(image: Image.Image) -> Image.Image:
    """Return strips of a tile, below each other; all of it when it is no taller than they are."""
    if image.height <= SAMPLES * SAMPLE_PX:
        return image
    sample = Image.new("RGB", (image.width, SAMPLES * SAMPLE_PX))
    for number in range(SAMPLES):
        top = number * (image.height - SAMPLE_PX) // (SAMPLES - 1)
        sample.paste(image.crop((0, top, image.width, top + SAMPLE_PX)), (0, number * SAMPLE_PX))
    return sample


def _bits_per_pixel(size: int, image: Image.Image) -> float:
    return size * 8 / (image.width * image.height)


def _lossless(image: Image.Image) -> bytes:
    into = io.BytesIO()
    image.save(into, "WEBP", lossless=True, quality=LOSSLESS_EFFORT, method=METHOD_LOSSLESS)
    return into.getvalue()


def _lossy(image: Image.Image) -> bytes:
    into = io.BytesIO()
    image.save(into, "WEBP", quality=QUALITY, method=METHOD_LOSSY)
    return into.getvalue()


def _thumbnail(image: Image.Image) -> bytes:
    width, height = THUMBNAIL_PX
    shown = image.crop((0, 0, image.width, min(image.height, image.width * height // width)))
    return _lossy(shown.reduce(shown.width // width))
