"""Two captures beside each other, as programs and pages read it: what of the text and of the picture is the same."""

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from footfall.app.archive_control import Archive, Asker, capture_of
from footfall.app.archive_told import Document, document_of_line
from footfall.archive.captures import Capture
from footfall.archive.references import bytes_of
from footfall.archive.stored import line_of

if TYPE_CHECKING:
    from footfall.archive.comparing import Band, Box, PictureDifference, TextPart
    from footfall.archive.picture_rows import Picture


def compared(archive: Archive, asker: Asker, ids: Sequence[str]) -> Document:
    """Return what two captures have in common and what not; whoever asks may see both."""
    earlier, later = (capture_of(archive, asker, id) for id in ids)
    return {
        "a": document_of_line(line_of(earlier)),
        "b": document_of_line(line_of(later)),
        "isSame": _is_same(earlier, later),
        **_differences(archive, earlier, later),
    }


def _is_same(earlier: Capture, later: Capture) -> bool:
    return earlier.text.sha256 == later.text.sha256 and earlier.pixels_sha256 == later.pixels_sha256


def _differences(archive: Archive, earlier: Capture, later: Capture) -> Document:
    # They bring numpy along, which nobody waits for who compares nothing.
    from footfall.archive.comparing import picture_difference, text_difference

    texts = text_difference(archive.text(earlier), archive.text(later))
    pictures = picture_difference(_picture(archive, earlier), _picture(archive, later))
    height_px = max(sum(tile.height_px for tile in one.tiles) for one in (earlier, later))
    return {
        "text": [piece for part in texts.parts for piece in _pieces(part)],
        "picture": {
            "bands": [_document_of_band(band, pictures.boxes) for band in pictures.bands],
            "changedShare": _changed_share(pictures, width_px=later.width_px, height_px=height_px),
        },
    }


def _picture(archive: Archive, capture: Capture) -> "Picture":
    from footfall.archive.picture_rows import Picture

    tiles = capture.tiles
    return Picture([tile.height_px for tile in tiles], lambda number: bytes_of(archive.blobs, tiles[number].blob))


def _pieces(part: "TextPart") -> Iterator[Document]:
    """Yield what a part was and what it is; what is the same in both is told once."""
    if part.kind == "same":
        yield {"kind": "equal", "text": " ".join(part.after)}
        return
    for kind, sentences in (("removed", part.before), ("added", part.after)):
        if sentences:
            yield {"kind": kind, "text": " ".join(sentences)}


def _document_of_band(band: "Band", boxes: "Sequence[Box]") -> Document:
    within = range(band.after_top, band.after_top + band.after_px)
    return {
        "kind": "equal" if band.kind == "same" else band.kind.value,
        "aTop": band.before_top,
        "aHeight": band.before_px,
        "bTop": band.after_top,
        "bHeight": band.after_px,
        "boxes": [[one.left, one.top, one.width_px, one.height_px] for one in boxes if one.top in within],
    }


def _changed_share(pictures: "PictureDifference", *, width_px: int, height_px: int) -> float:
    """Return how much of the taller picture was put in, taken out or drawn otherwise."""
    drawn_px = sum(box.width_px * box.height_px for box in pictures.boxes) / max(1, width_px)
    return round(min(1.0, (pictures.added_px + pictures.removed_px + drawn_px) / max(1, height_px)), 4)
