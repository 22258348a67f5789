"""/v1/archive/captures/ID: a capture and its bytes, and what editors do with it: share, hold, release and remove."""

from collections.abc import Callable, Mapping
from http import HTTPStatus
from typing import Final

from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from footfall.accounts.audit import Note
from footfall.app import archive_control as control
from footfall.app.archive_control import ActOnCapture, Archive, Asker, capture_of
from footfall.app.archive_files import LONG, Elsewhere, File, handed_out
from footfall.app.archive_told import Document, document_of_capture, permanent_path
from footfall.archive.captures import Capture
from footfall.archive.removing import NoSuchCapture
from footfall.shells.http.answers import etag_matches
from footfall.shells.http.archive_asking import Endpoint, asker_of, require_only, viewer_of
from footfall.shells.http.brands import told
from footfall.shells.http.site import Site
from footfall.shells.http.static_files import GUARDS

CAPTURE = "/v1/archive/captures/{id}"
YEAR_S = 31_536_000

Prepare = Callable[[Archive, Asker, str], ActOnCapture]

ACTS: Final[Mapping[str, Prepare]] = {
    "share": control.sharing,
    "unshare": control.unsharing,
    "hold": control.holding,
    "release": control.releasing,
}


def capture_routes(state: Site) -> list[Route]:
    """Return the routes of one capture."""
    return [
        *(Route(f"{CAPTURE}/{name}", _act(state, act), methods=["POST"]) for name, act in ACTS.items()),
        Route(f"{CAPTURE}/tiles/{{number}}", _file(state), methods=["GET"]),
        Route(f"{CAPTURE}/{{file}}", _file(state), methods=["GET"]),
        Route(CAPTURE, _capture(state), methods=["GET", "DELETE"]),
    ]


def told_capture(state: Site, asker: Asker, capture: Capture) -> Document:
    """Return a capture as it is told to whoever asks."""
    told = document_of_capture(
        capture,
        asker.brand,
        replay=state.archive.replay_address(capture.id),
        permanent=state.settings.people_url + permanent_path(capture.id, asker.brand),
    )
    return told if asker.id else {**told, "by": "", "heldBy": None}  # Strangers are told of pages, not of people.


def _capture(state: Site) -> Endpoint:
    async def capture(request: Request) -> Response:
        capture_id = str(request.path_params["id"])
        if request.method == "DELETE":
            asker = await asker_of(request, state)
            require_only(request, "why")
            why, now_ms = request.query_params.get("why", ""), state.clock.now_ms()
            await _done(
                state, asker, lambda archive: control.removal(archive, asker, capture_id, why=why, now_ms=now_ms)
            )
            return Response(status_code=HTTPStatus.NO_CONTENT, headers={**GUARDS, "cache-control": "no-store"})
        viewer = await viewer_of(request, state)
        require_only(request)
        found = await state.archive.asked(viewer.brand, lambda archive: capture_of(archive, viewer, capture_id))
        return told(told_capture(state, viewer, found))

    return capture


def _act(state: Site, prepare: Prepare) -> Endpoint:
    async def act(request: Request) -> Response:
        asker, capture_id = await asker_of(request, state), str(request.path_params["id"])
        require_only(request)
        await _done(state, asker, lambda archive: prepare(archive, asker, capture_id))
        try:
            found = await state.archive.asked(asker.brand, lambda archive: capture_of(archive, asker, capture_id))
        except NoSuchCapture:  # It is another member's alone again.
            return Response(status_code=HTTPStatus.NO_CONTENT)
        return told(told_capture(state, asker, found))

    return act


async def _done(state: Site, asker: Asker, prepare: Callable[[Archive], ActOnCapture]) -> None:
    """Look whether something may be done, write it down, and do it."""
    note: Note | None = await state.archive.asked(asker.brand, lambda archive: prepare(archive).note)
    if note is not None:
        await state.desk.look(lambda register: register.trail.write(note))
    await state.archive.asked(asker.brand, lambda archive: prepare(archive).done())


def _file(state: Site) -> Endpoint:
    async def file(request: Request) -> Response:
        if request.path_params.get("file") in ACTS:  # Those paths are other routes'.
            raise HTTPException(HTTPStatus.METHOD_NOT_ALLOWED, headers={"Allow": "POST"})
        asker = await viewer_of(request, state)
        require_only(request)
        capture_id, name = str(request.path_params["id"]), str(request.path_params.get("file", "tiles"))
        number = str(request.path_params.get("number", "0"))

        def made(archive: Archive) -> File | Elsewhere:
            capture, bytes_max = capture_of(archive, asker, capture_id), state.archive.answer_bytes_max
            return handed_out(archive, capture, name, number=number, bytes_max=bytes_max)

        ask = state.archive.made if name in LONG else state.archive.asked
        return _told_file(request, await ask(asker.brand, made))

    return file


def _told_file(request: Request, file: File | Elsewhere) -> Response:
    """Return bytes that never change, for whoever may see them and no cache between."""
    if isinstance(file, Elsewhere):
        moved = {**GUARDS, "location": file.address, "cache-control": "no-store"}
        return Response(status_code=HTTPStatus.FOUND, headers=moved)
    headers = {
        **GUARDS,
        "content-type": file.kind,
        "cache-control": f"private, max-age={YEAR_S}, immutable",
        "vary": "cookie, authorization",  # Another person at the same browser has other captures.
        "etag": file.etag,
    }
    if file.attachment:
        headers["content-disposition"] = f'attachment; filename="{file.attachment}"'
    if etag_matches(file.etag, request.headers.get("if-none-match", "")):
        return Response(status_code=HTTPStatus.NOT_MODIFIED, headers=headers)
    return Response(file.data, headers=headers)
