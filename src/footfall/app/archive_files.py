"""The bytes of a capture as they are handed out: parts of the picture, text, document, and what was recorded."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from io import BytesIO
from typing import Final
from zipfile import ZipFile

from footfall.app.archive_control import Archive
from footfall.archive.captures import Capture
from footfall.archive.packing import exchanges_from, frames_from
from footfall.archive.references import bytes_of
from footfall.archive.removing import NoSuchCapture

WEBP, TEXT, HTML = "image/webp", "text/plain; charset=utf-8", "text/html; charset=utf-8"
WARC, WACZ = "application/warc", "application/wacz"
LONG: Final = frozenset(("warc", "wacz"))  # They are made when they are asked for.


@dataclass(frozen=True, slots=True)
class File:
    """Bytes to hand out."""

    data: bytes
    kind: str
    etag: str
    attachment: str = ""  # its name, for what no browser may open as a page of ours


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
    return File(bytes_of(archive.blobs, blob), WEBP, f'"{blob.sha256}"')


def _thumbnail(archive: Archive, capture: Capture) -> File:
    return File(bytes_of(archive.blobs, capture.thumbnail), WEBP, f'"{capture.thumbnail.sha256}"')


def _text(archive: Archive, capture: Capture) -> File:
    return File(bytes_of(archive.blobs, capture.text), TEXT, f'"{capture.text.sha256}"')


def _html(archive: Archive, capture: Capture) -> File:
    frames = frames_from(bytes_of(archive.blobs, capture.html))
    page = frames[0].html if frames else ""
    return File(page.encode("utf-8", "replace"), HTML, f'"{capture.html.sha256}"', f"{capture.id}.html")


def _warc(archive: Archive, capture: Capture) -> File:
    with ZipFile(BytesIO(_packed(archive, capture))) as pack:
        name = next(one for one in pack.namelist() if one.endswith(".warc.gz"))
        return File(pack.read(name), WARC, f'"warc-{capture.id}"', f"{capture.id}.warc.gz")


def _wacz(archive: Archive, capture: Capture) -> File:
    return File(_packed(archive, capture), WACZ, f'"wacz-{capture.id}"', f"{capture.id}.wacz")


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
    "text": _text,
    "html": _html,
    "warc": _warc,
    "wacz": _wacz,
}
