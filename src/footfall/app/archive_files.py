"""The bytes of a capture as they are handed out: parts of the picture, text, document, and what was recorded.

A function on AWS answers no more than 6 MB. What is larger is fetched from the bucket itself, by an address that holds
for minutes and is given to those who may see the capture.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from io import BytesIO
from typing import Final
from zipfile import ZipFile

from footfall.app.archive_control import Archive
from footfall.archive.captures import Capture, Kept
from footfall.archive.packing import exchanges_from, frames_from
from footfall.archive.references import bytes_of, name_of
from footfall.archive.removing import NoSuchCapture
from footfall.ports.blobs import AddressedBlobs

WEBP, TEXT, HTML = "image/webp", "text/plain; charset=utf-8", "text/html; charset=utf-8"
HANDED_OUT = "handed-out/"  # where files lie that were made for somebody; the bucket removes them after a day
ADDRESS_S = 300  # for a download to begin
WARC, WACZ = "application/warc", "application/wacz"
_LONG: Final[Mapping[str, tuple[str, str]]] = {
    "picture": ("png", "image/png"),
    "warc": ("warc.gz", WARC),
    "wacz": ("wacz", WACZ),
}
LONG: Final = frozenset(_LONG)  # They are made when they are asked for.


@dataclass(frozen=True, slots=True)
class File:
    """Bytes to hand out."""

    data: bytes
    kind: str
    etag: str
    attachment: str = ""  # its name, for what no browser may open as a page of ours
    stored: str = ""  # the name of the object that has the same bytes


@dataclass(frozen=True, slots=True)
class Elsewhere:
    """Bytes that are fetched from where they lie."""

    address: str


def handed_out(
    archive: Archive, capture: Capture, name: str, *, number: str, bytes_max: int | None
) -> File | Elsewhere:
    """Return one of a capture's files, or where it is fetched if it is larger than an answer may be."""
    blobs = archive.blobs
    if bytes_max is None or not isinstance(blobs, AddressedBlobs):
        return file_of(archive, capture, name, number=number)
    made = f"{HANDED_OUT}{capture.id}.{name}"
    if name in LONG and blobs.size_bytes(made) is not None:
        suffix, kind = _LONG[name]
        return Elsewhere(blobs.address_of(made, seconds=ADDRESS_S, kind=kind, attachment=f"{capture.id}.{suffix}"))
    file = file_of(archive, capture, name, number=number)
    if len(file.data) <= bytes_max:
        return file
    if not file.stored:
        blobs.put(made, file.data)
    stored = file.stored or made
    return Elsewhere(blobs.address_of(stored, seconds=ADDRESS_S, kind=file.kind, attachment=file.attachment))


def file_of(archive: Archive, capture: Capture, name: str, *, number: str = "0") -> File:
    """Return one of a capture's files; raise NoSuchCapture when it has none of that name."""
    if name == "tiles":
        return _tile(archive, capture, number)
    make = _FILES.get(name)
    if make is None:
        raise NoSuchCapture("file", f"{name[:40]!r} is none of a capture's; those are {', '.join(('tiles', *_FILES))}")
    return make(archive, capture)


def _tile(archive: Archive, capture: Capture, number: str) -> File:
    if not (number.isascii() and number.isdigit() and len(number) <= 4 and int(number) < len(capture.tiles)):
        raise NoSuchCapture("number", f"{number[:20]!r} is no tile of it: it has {len(capture.tiles)}, from 0")
    blob = capture.tiles[int(number)].blob
    return _as_stored(archive, blob, WEBP)


def _thumbnail(archive: Archive, capture: Capture) -> File:
    return _as_stored(archive, capture.thumbnail, WEBP)


def _text(archive: Archive, capture: Capture) -> File:
    return _as_stored(archive, capture.text, TEXT)


def _as_stored(archive: Archive, kept: Kept, kind: str) -> File:
    return File(bytes_of(archive.blobs, kept), kind, f'"{kept.sha256}"', stored=name_of(kept.sha256))


def _html(archive: Archive, capture: Capture) -> File:
    frames = frames_from(bytes_of(archive.blobs, capture.html))
    page = frames[0].html if frames else ""
    return File(page.encode("utf-8", "replace"), HTML, f'"{capture.html.sha256}"', f"{capture.id}.html")


def _picture(archive: Archive, capture: Capture) -> File:
    from footfall.archive.picture_file import png_of
    from footfall.archive.picture_rows import Picture

    if not capture.tiles:
        raise NoSuchCapture("file", "of this capture there is no picture")
    tiles = capture.tiles
    whole = Picture([tile.height_px for tile in tiles], lambda number: bytes_of(archive.blobs, tiles[number].blob))
    return _as_made(capture, "picture", png_of(whole))


def _warc(archive: Archive, capture: Capture) -> File:
    with ZipFile(BytesIO(_packed(archive, capture))) as pack:
        name = next(one for one in pack.namelist() if one.endswith(".warc.gz"))
        return _as_made(capture, "warc", pack.read(name))


def _wacz(archive: Archive, capture: Capture) -> File:
    return _as_made(capture, "wacz", _packed(archive, capture))


def _as_made(capture: Capture, name: str, data: bytes) -> File:
    suffix, kind = _LONG[name]
    return File(data, kind, f'"{name}-{capture.id}"', f"{capture.id}.{suffix}")


def _packed(archive: Archive, capture: Capture) -> bytes:
    from footfall.archive.wacz import Contents, wacz_of

    blobs = archive.blobs
    return wacz_of(
        Contents(
            capture=capture,
            exchanges=exchanges_from(bytes_of(blobs, capture.records), lambda digest: bytes_of(blobs, digest)),
            tiles=(bytes_of(blobs, tile.blob) for tile in capture.tiles),
            thumbnail=bytes_of(blobs, capture.thumbnail),
            text=archive.text(capture),
        )
    )


_FILES: Final[Mapping[str, Callable[[Archive, Capture], File]]] = {
    "thumbnail": _thumbnail,
    "picture": _picture,
    "text": _text,
    "html": _html,
    "warc": _warc,
    "wacz": _wacz,
}
