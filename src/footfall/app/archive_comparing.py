"""Two captures beside each other, as programs and pages read it: what of the text and of the picture is the same."""

from collections.abc import Sequence

from footfall.app.archive_control import Archive, Asker, capture_of
from footfall.app.archive_told import Document, document_of_line
from footfall.archive.captures import Capture
from footfall.archive.stored import line_of


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
    return {"text": [], "picture": {"bands": [], "changedShare": 0.0}}
