"""Captures that tests of showing them share."""

from collections.abc import Sequence
from dataclasses import replace
from hashlib import sha256
from io import BytesIO

from PIL import Image

from footfall.archive.captures import Capture, Kept, KeptTile
from footfall.ports.capturing import Exchange, Stop

AT_US = 1_794_916_800_123_456  # 2026-11-17 12:00:00.123456
NO_BYTES = Kept("0" * 64, 0)

CAPTURE = Capture(
    id="01KA5TESTCAPTURE0000000000", brand="b", spaces=["member:p"], by="p", typed="site.example/a",
    url="https://site.example/a", key="site.example/a", final_url="https://site.example/a", canonical_url=None,
    at_us=AT_US, took_ms=900, status=200, title="A “page”", language="en", keywords=["page"], width_px=1_280,
    height_px=800, stop=Stop.BOTTOM, pending_images=0, tiles=[], thumbnail=NO_BYTES, html=NO_BYTES, text=NO_BYTES,
    records=NO_BYTES, pixels_sha256="0" * 64, timings_ms={},
    size_bytes=5_000,
)  # fmt: skip


def captured(**changes: object) -> Capture:
    """Return the capture with other values."""
    return replace(CAPTURE, **changes)  # pyright: ignore[reportArgumentType] - tests know the names


def exchange(
    url: str,
    body: bytes = b"",
    kind: str = "text/html",
    *,
    status: int = 200,
    headers: Sequence[tuple[str, str]] = (),
    method: str = "GET",
) -> Exchange:
    """Return what a site answered."""
    return Exchange(
        url=url,
        method=method,
        status=status,
        at_us=AT_US + 5,
        request_headers=[(":authority", "site.example"), ("accept", "*/*")],
        response_headers=[("content-type", kind), *headers],
        body=body,
    )


def webp(image: Image.Image) -> bytes:
    """Return a picture as tiles are kept."""
    out = BytesIO()
    image.save(out, "WEBP", lossless=True, method=0)
    return out.getvalue()


def tiles_of(image: Image.Image, *, height_px: int) -> list[tuple[bytes, KeptTile]]:
    """Return a picture in tiles, each with what is known of it."""
    found: list[tuple[bytes, KeptTile]] = []
    for top in range(0, image.height, height_px):
        bottom = min(image.height, top + height_px)
        data = webp(image.crop((0, top, image.width, bottom)))
        found.append((data, KeptTile(Kept(sha256(data).hexdigest(), len(data)), bottom - top)))
    return found
