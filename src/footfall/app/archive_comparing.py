"""Two captures beside each other, as programs and pages read it: what of the text and of the picture is the same."""

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from footfall.app.archive_control import Archive, Asker, capture_of
from footfall.app.archive_told import Document, document_of_line
from footfall.archive.captures import Capture
from footfall.archive.references import bytes_of
from footfall.archive.stored import line_of

if TYPE_CHECKING:  # It brings numpy along.
    from footfall.archive.comparing import PictureDifference, TextDifference
    from footfall.archive.picture_rows import Picture

EQUAL = "equal"


def compared(archive: Archive, asker: Asker, ids: Sequence[str]) -> Document:
    """Return what two captures have in common and what not; whoever asks may see both."""
    from footfall.archive.comparing import picture_difference, text_difference

    earlier, later = (capture_of(archive, asker, id) for id in ids)
    texts = text_difference(archive.text(earlier), archive.text(later))
    pictures = picture_difference(_picture(archive, earlier), _picture(archive, later))
    is_same = earlier.text.sha256 == later.text.sha256 and earlier.pixels_sha256 == later.pixels_sha256
    return {
        "a": document_of_line(line_of(earlier)),
        "b": document_of_line(line_of(later)),
        "isSame": is_same,
        "text": list(_pieces(texts)),
        "picture": {"bands": list(_bands(pictures)), "changedShare": _changed_share(pictures, later)},
    }


def passages(before: str, after: str) -> tuple[list[str], list[str]]:
    """Return the sentences that only the later of two texts has, and those that only the earlier one has."""
    from footfall.archive.comparing import Kind, text_difference

    changed = [part for part in text_difference(before, after).parts if part.kind is not Kind.SAME]
    return [one for part in changed for one in part.after], [one for part in changed for one in part.before]


def _picture(archive: Archive, capture: Capture) -> "Picture":
    from footfall.archive.picture_rows import Picture

    heights = [tile.height_px for tile in capture.tiles]
    return Picture(heights, lambda number: bytes_of(archive.blobs, capture.tiles[number].blob))


def _pieces(found: "TextDifference") -> Iterator[Document]:
    from footfall.archive.comparing import Kind

    for part in found.parts:
        if part.kind is Kind.SAME:
            yield {"kind": EQUAL, "text": "\n".join(part.after)}
            continue
        # What was changed is told as what went and what came in its place.
        for kind, sentences in (("removed", part.before), ("added", part.after)):
            if sentences:
                yield {"kind": kind, "text": "\n".join(sentences)}


def _bands(found: "PictureDifference") -> Iterator[Document]:
    from footfall.archive.comparing import Kind

    for band in found.bands:
        end = band.after_top + band.after_px
        boxes = [box for box in found.boxes if band.kind is Kind.CHANGED and band.after_top <= box.top < end]
        yield {
            "kind": EQUAL if band.kind is Kind.SAME else band.kind.value,
            "aTop": band.before_top,
            "aHeight": band.before_px,
            "bTop": band.after_top,
            "bHeight": band.after_px,
            "boxes": [[box.left, box.top, box.width_px, box.height_px] for box in boxes],
        }


def _changed_share(found: "PictureDifference", later: Capture) -> float:
    """Return which part of all rows differs: of both pictures, laid beside each other."""
    rows = sum(tile.height_px for tile in later.tiles) + found.removed_px
    return round(min(1.0, (found.added_px + found.removed_px + found.changed_px) / max(1, rows)), 4)
