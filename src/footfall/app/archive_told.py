"""The archive as programs and pages read it: requests, lines, captures and watches as documents."""

from datetime import UTC, datetime, timedelta
from typing import Any
from urllib.parse import quote

from footfall.archive import keys
from footfall.archive.captures import Capture, Request, Tombstone
from footfall.archive.stored import Line, line_of
from footfall.archive.watching import Turn, Watch, document_of_rule
from footfall.values.window import instant_text

CAPTURES = "/v1/archive/captures"
PAGE = "/archive/capture"  # of the dashboard

Document = dict[str, Any]

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)


def moment_text(at_us: int) -> str:
    """Return a moment to the microsecond, in UTC."""
    moment = _EPOCH + timedelta(microseconds=at_us)
    return moment.isoformat(timespec="microseconds").removesuffix("+00:00") + "Z"


def document_of_request(request: Request) -> Document:
    """Return a request as whoever asked reads it."""
    return {
        "id": request.id,
        "url": request.url,
        "typed": request.typed,
        "state": request.state.value,
        "attempts": request.attempts,
        "reason": None if request.reason is None else request.reason.value,
        "says": request.says,
        "capture": request.capture,
        "at": moment_text(request.at_us),
        "by": request.by,
    }


def document_of_line(line: Line) -> Document:
    """Return what a list shows of a capture."""
    return {
        "id": line.id,
        "url": line.url,
        "finalUrl": line.final_url,
        "title": line.title,
        "at": moment_text(line.at_us),
        "status": line.status,
        "heightPx": line.height_px,
        "sameAs": line.same_as,
        "isShared": line.is_shared,
        "isHeld": line.is_held,
        "by": line.by,
    }


def document_of_capture(capture: Capture, brand: str, *, replay: str | None, permanent: str) -> Document:
    """Return all that is told of a capture; its bytes have addresses of their own."""

    def file(name: str) -> str:
        return f"{CAPTURES}/{capture.id}/{name}?brand={quote(brand, safe='')}"

    return {
        **document_of_line(line_of(capture)),
        "widthPx": capture.width_px,
        "tiles": [
            {"heightPx": one.height_px, "url": file(f"tiles/{number}")} for number, one in enumerate(capture.tiles)
        ],
        "thumbnail": file("thumbnail"),
        "text": file("text"),
        "wacz": file("wacz"),
        "replay": replay,
        "keywords": list(capture.keywords),
        "language": capture.language,
        "tookMs": capture.took_ms,
        "timings": dict(sorted(capture.timings_ms.items())),
        "pendingImages": capture.pending_images,
        "stop": capture.stop.value,
        "bytes": capture.size_bytes,
        "outsideUrl": capture.outside_url,
        "canonicalUrl": capture.canonical_url,
        "heldBy": capture.held_by,
        "pixelsSha256": capture.pixels_sha256,
        "permanent": permanent,
    }


def document_of_tombstone(stone: Tombstone) -> Document:
    """Return what stayed of a capture that was removed."""
    return {
        "id": stone.id,
        "at": moment_text(stone.at_us),
        "removedAt": instant_text(stone.removed_at_ms),
        "removedBy": stone.removed_by,
        "why": stone.why,
    }


def document_of_watch(watch: Watch, turn: Turn) -> Document:
    """Return a watch, and how far it has come."""
    return {
        "id": watch.id,
        "name": watch.name,
        "rule": document_of_rule(watch.rule),
        "isOn": watch.is_on,
        "alert": {"places": list(watch.alerts)} if watch.alerts else None,
        "lastAt": None if turn.last_at_ms is None else moment_text(turn.last_at_ms * 1_000),
        "nextAt": moment_text(turn.next_at_ms * 1_000) if watch.is_on and turn.next_at_ms else None,
        "says": turn.says,
    }


def permanent_path(capture_id: str, brand: str) -> str:
    """Return where the dashboard shows a capture."""
    return f"{PAGE}/{quote(capture_id, safe='')}?brand={quote(brand, safe='')}"


def is_in_brand(capture: Capture | Tombstone, brand: str) -> bool:
    """Tell whether all of a brand's members see a capture."""
    return keys.brand_space(brand) in capture.spaces
