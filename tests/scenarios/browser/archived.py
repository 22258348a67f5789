"""Captures beside a running instance, kept as its worker keeps them; their pictures are bands of colour."""

import io
from collections.abc import Generator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import datetime
from hashlib import sha256
from pathlib import Path
from random import Random

from PIL import Image

from footfall.app.archive_control import Archive
from footfall.app.archive_opening import open_archive
from footfall.app.settings import Settings
from footfall.archive import keeping, keys, queueing, requests
from footfall.archive.addresses import same_page_key
from footfall.archive.captures import Request
from footfall.archive.stored import new_id
from footfall.ports.capturing import WIDTH_PX, Captured, Exchange, Frame, Stop, Tile
from footfall.ports.searching import Text
from footfall.values.clock import SystemClock

BAND_PX = 240
TILE_BANDS = 3  # in one tile, so that bands lie in several
THUMBNAIL_PX = 320


@dataclass(frozen=True, slots=True)
class Page:
    """A page as somebody would have seen it."""

    url: str
    title: str
    text: str
    bands: Sequence[str]  # colours, from top to bottom


@contextmanager
def opened(data: Path) -> Generator[Archive]:
    """Open the archive of a running instance."""
    archive = open_archive(Settings(data_dir=str(data)), SystemClock())
    try:
        yield archive.archive
    finally:
        archive.close()


def keep(archive: Archive, page: Page, *, brand: str, person: str, at: datetime, is_shared: bool = False) -> str:
    """Keep a page for a member as if a browser had seen it at that moment; return the capture's id."""
    now_ms, at_us = SystemClock().now_ms(), round(at.timestamp() * 1_000_000)
    asked = ask(archive, page, brand=brand, person=person, at=at, is_shared=is_shared)
    waiting = next(one for one in queueing.waiting(archive.table, limit=100) if one.request.id == asked.id)
    begun = queueing.begin(archive.table, waiting, now_ms=now_ms)
    assert begun is not None
    seen_then = seen(page, at_us=at_us + 7)
    capture = keeping.store(archive.table, archive.blobs, begun, seen_then, keywords=["harbour"], now_ms=now_ms)
    keeping.keep(archive.table, asked.id, attempt=begun.attempts, now_ms=now_ms)
    archive.searching.add(
        Text(capture.id, capture.spaces, capture.at_us, capture.url, page.title, page.text, capture.keywords)
    )
    return capture.id


def ask(archive: Archive, page: Page, *, brand: str, person: str, at: datetime, is_shared: bool = False) -> Request:
    """Have a member ask for a page at that moment."""
    at_us = round(at.timestamp() * 1_000_000)
    asked = Request(
        id=new_id(now_ms=at_us // 1_000, random=Random(page.title).randbytes(10)), brand=brand,
        space=keys.member_space(person), by=person, typed=page.url, url=page.url, key=same_page_key(page.url),
        at_us=at_us, is_shared=is_shared,
    )  # fmt: skip
    return requests.ask(archive.table, asked, now_ms=SystemClock().now_ms())


def seen(page: Page, *, at_us: int) -> Captured:
    """Return what a browser would tell of the page."""
    document = f"<!doctype html><title>{len(page.title)}</title><p>{page.text.split(chr(10))[0]}</p>"
    groups = [page.bands[start : start + TILE_BANDS] for start in range(0, len(page.bands), TILE_BANDS)]
    tiles = [Tile(drawn(group), WIDTH_PX, BAND_PX * len(group)) for group in groups]
    return Captured(
        url=page.url, final_url=page.url, canonical_url=None, at_us=at_us, took_ms=2_300, status=200,
        title=page.title, language="en", text=page.text, frames=[Frame(page.url, document)], tiles=tiles,
        thumbnail=drawn(page.bands[:TILE_BANDS], width_px=THUMBNAIL_PX),
        exchanges=[Exchange(page.url, "GET", 200, at_us, [], [("content-type", "text/html")], document.encode())],
        height_px=BAND_PX * len(page.bands), stop=Stop.BOTTOM, pending_images=0,
        pixels_sha256=sha256(" ".join(page.bands).encode()).hexdigest(), timings_ms={"load": 800, "scroll": 1_200},
    )  # fmt: skip


def drawn(bands: Sequence[str], *, width_px: int = WIDTH_PX) -> bytes:
    """Return a picture of bands, each with a bar of another colour at its left, as WebP."""
    scale = width_px / WIDTH_PX
    height_px = round(BAND_PX * scale)
    picture = Image.new("RGB", (width_px, height_px * len(bands)))
    for number, colour in enumerate(bands):
        picture.paste(colour, (0, number * height_px, width_px, (number + 1) * height_px))
        picture.paste("black", (0, number * height_px, width_px // 4, number * height_px + height_px // 8))
    out = io.BytesIO()
    picture.save(out, "WEBP", lossless=True)
    return out.getvalue()
