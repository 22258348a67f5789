"""Keeping: what a browser saw becomes bytes under their hash, and then, at once, a capture that everybody finds.

First the rows that refer to bytes, then the bytes, then a draft; and in one transaction the record, its lines, the
count of the day and the end of its request. Whoever does any of it again changes nothing.
"""

from collections.abc import Iterator, Sequence
from dataclasses import replace

from footfall.archive import finding, keys, requests
from footfall.archive.captures import Capture, KeptTile, Request, State
from footfall.archive.packing import pack_frames, pack_records
from footfall.archive.references import Holding, let_go
from footfall.archive.stored import day_of, item_of, item_of_record, line_of, record_from
from footfall.ports.blobs import Blobs
from footfall.ports.capturing import WIDTH_PX, Captured
from footfall.ports.errors import Changed, Throttled
from footfall.ports.table import Absent, Action, Delete, Put, Table, Update
from footfall.values.errors import FootfallError

TRIES_MAX = 10
TITLE_CHARACTERS_MAX = 500
URL_CHARACTERS_MAX = 8_000
DRAFT_KEPT_MS = 7 * 86_400_000
UNCHANGED = "Nothing has changed since the latest capture, which stays the latest."


class NothingToKeep(FootfallError):
    """A request is to be kept, and there is no draft of what was seen."""


def store(
    table: Table, blobs: Blobs, request: Request, captured: Captured, *, keywords: Sequence[str], now_ms: int
) -> Capture:
    """Store all bytes of what was seen, and the draft of a capture.

    What another call for the same request has stored stays, too: nobody can know whether it is what will be kept.
    It goes with the capture.
    """
    holding = Holding(request.id)
    capture = _capture_of(request, captured, holding, keywords)
    holding.store(table, blobs, now_ms=now_ms)
    item = {**item_of_record(capture), "attempt": request.attempts}
    table.put(Put(keys.draft(request.id), item, expires_at_ms=now_ms + DRAFT_KEPT_MS))
    return capture


def keep(table: Table, id: str, *, attempt: int, now_ms: int) -> Request:
    """Keep the draft of a request's capture, and return the request as it ended."""
    for _ in range(TRIES_MAX):
        request = requests.one(table, id)
        if request.state is not State.RUNNING or request.attempts != attempt:
            return request
        draft = table.get(keys.draft(id))
        if draft is None or draft["attempt"] != attempt:
            if requests.one(table, id) != request:
                continue  # Somebody else has kept it in this moment.
            raise NothingToKeep(f"there is no draft of {id} of attempt {attempt}; capture it again")
        capture = record_from({name: value for name, value in draft.items() if name != "attempt"})
        assert isinstance(capture, Capture)
        capture = replace(capture, spaces=spaces_of(request))
        latest = finding.latest(table, capture.spaces, capture.key)
        try:
            done = _keep(table, request, capture, latest, now_ms=now_ms)
        except Changed:
            continue  # It was shared in this moment, or somebody else has kept it.
        if done.capture != id:
            let_go(table, id, now_ms=now_ms)
        return done
    raise Throttled(f"capture {id} is being changed by others all the time; try again")


def has_draft(table: Table, id: str, *, attempt: int) -> bool:
    """Tell whether all that an attempt saw is stored and waits to be kept."""
    draft = table.get(keys.draft(id))
    return draft is not None and draft["attempt"] == attempt


def spaces_of(request: Request) -> Sequence[str]:
    """Return the spaces that a request's capture will lie in, its own first."""
    shared = keys.brand_space(request.brand)
    return [request.space, shared] if request.is_shared and request.space != shared else [request.space]


def lines_in(capture: Capture, space: str) -> Iterator[Action]:
    """Yield what lets a capture be found in one of its spaces."""
    item = item_of(line_of(capture))
    yield Put(keys.line_by_address(space, capture.key, at_us=capture.at_us, id=capture.id), item)
    yield Put(keys.line_by_time(space, at_us=capture.at_us, id=capture.id), item)


def counted_in(capture: Capture, space: str, *, by: int) -> Update:
    """Return what counts a capture on its day; those that lie in two spaces are told, so that nobody counts twice."""
    home = capture.spaces[0]
    also = {} if space == home else {finding.ALSO + home: by}
    return Update(keys.day(space, capture.key, day_of(capture.at_us)), add={"n": by, **also})


def _keep(table: Table, request: Request, capture: Capture, latest: Capture | None, *, now_ms: int) -> Request:
    is_same_text = latest is not None and latest.text.sha256 == capture.text.sha256
    done = replace(request, state=State.DONE, capture=capture.id, reason=None, says="")
    if latest is not None and request.if_changed and is_same_text:
        done = replace(done, capture=latest.id, says=UNCHANGED)
        table.transact([*requests.closing(done, now_ms=now_ms), Delete(keys.draft(request.id))])
        return done
    if latest is not None and is_same_text and latest.pixels_sha256 == capture.pixels_sha256:
        capture = replace(capture, same_as=latest.id)
    actions: list[Action] = [
        Put(keys.capture(capture.id), item_of_record(capture), expects=(Absent(),)),
        Put(keys.one_of(capture.brand, at_us=capture.at_us, id=capture.id), {"id": capture.id}),
        Update(keys.brand(capture.brand), add={"captures": 1, "bytes": capture.size_bytes}),
        Delete(keys.draft(request.id)),
        *requests.closing(done, now_ms=now_ms),
    ]
    for space in capture.spaces:
        actions += [*lines_in(capture, space), counted_in(capture, space, by=1)]
    table.transact(actions)
    return done


def _capture_of(request: Request, captured: Captured, holding: Holding, keywords: Sequence[str]) -> Capture:
    canonical = captured.canonical_url
    return Capture(
        id=request.id,
        brand=request.brand,
        spaces=spaces_of(request),
        by=request.by,
        typed=request.typed,
        url=captured.url,
        key=request.key,
        final_url=captured.final_url[:URL_CHARACTERS_MAX],
        canonical_url=None if canonical is None or len(canonical) > URL_CHARACTERS_MAX else canonical,
        at_us=captured.at_us,
        took_ms=captured.took_ms,
        status=captured.status,
        title=_whole_text(captured.title)[:TITLE_CHARACTERS_MAX],
        language=captured.language[:35],
        keywords=list(keywords),
        width_px=WIDTH_PX,
        height_px=captured.height_px,
        stop=captured.stop,
        pending_images=captured.pending_images,
        tiles=[KeptTile(holding.add(tile.data), tile.height_px) for tile in captured.tiles],
        thumbnail=holding.add(captured.thumbnail),
        html=holding.add(pack_frames(captured.frames)),
        text=holding.add(_whole_text(captured.text).encode()),
        records=holding.add(pack_records(captured.exchanges, holding.add)),
        size_bytes=holding.size_bytes,
        pixels_sha256=captured.pixels_sha256,
        timings_ms=captured.timings_ms,
    )


def _whole_text(text: str) -> str:
    """Return the text without halves of surrogate pairs, which scripts can make and nothing can store."""
    return text.encode("utf-8", "replace").decode()
