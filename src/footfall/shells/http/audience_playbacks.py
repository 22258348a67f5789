"""/v1/audience/playbacks: places to play, kept by beats, and answered in time even when the table does not."""

import asyncio
from collections.abc import Mapping
from contextlib import suppress
from http import HTTPStatus
from typing import TYPE_CHECKING, Any

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from footfall.shells.http.audience_asking import (
    Endpoint,
    after_of,
    audience_brand,
    limit_of,
    require_fields,
    require_only,
)
from footfall.shells.http.brands import document_in, told
from footfall.shells.http.site import Site

if TYPE_CHECKING:  # Nobody loads the audience before somebody asks for it.
    from footfall.app.audience_playing import Attempt

PLAYBACKS = "/v1/audience/playbacks"


def playback_routes(state: Site) -> list[Route]:
    """Return the routes of playback limits."""
    return [
        Route(PLAYBACKS, _playbacks(state), methods=["GET", "POST"]),
        Route(f"{PLAYBACKS}/beat", _beat(state), methods=["POST"]),
        Route(f"{PLAYBACKS}/end", _end(state), methods=["POST"]),
        Route(f"{PLAYBACKS}/stop", _stop(state), methods=["POST"]),
        Route(f"{PLAYBACKS}/ended", _ended(state), methods=["GET"]),
    ]


def _playbacks(state: Site) -> Endpoint:
    async def playbacks(request: Request) -> Response:
        from footfall.app.audience_history import id_from
        from footfall.app.audience_playbacks import ask_from, playing_now

        brand = await audience_brand(request, state)
        if request.method == "GET":
            require_only(request, "member")
            member = id_from(request.query_params.get("member"), field="member")
            return told(await state.audience.asked(brand, lambda audience: playing_now(audience, brand, member)))
        require_only(request)
        document = await document_in(request)
        require_fields(document, "member", "session", "device", "deviceId", "asset", "plan", "stop")
        member = id_from(document.get("member"), field="member")
        attempt = state.audience.playing().admit(brand, member, ask_from(document, state.settings))
        return await _answered(state, attempt, status=HTTPStatus.CREATED)

    return playbacks


def _beat(state: Site) -> Endpoint:
    async def beat(request: Request) -> Response:
        brand, member, session, _ = await _session(state, request)
        return await _answered(state, state.audience.playing().beat(brand, member, session))

    return beat


def _end(state: Site) -> Endpoint:
    async def end(request: Request) -> Response:
        brand, member, session, _ = await _session(state, request)
        return await _answered(state, state.audience.playing().end(brand, member, session))

    return end


def _stop(state: Site) -> Endpoint:
    async def stop(request: Request) -> Response:
        from footfall.app.audience_history import text_from
        from footfall.app.audience_playbacks import NAME_BYTES_MAX
        from footfall.audience.playbacks import Why

        brand, member, session, document = await _session(state, request, "by")
        by = text_from(document.get("by", ""), field="by", bytes_max=NAME_BYTES_MAX)
        return await _answered(state, state.audience.playing().end(brand, member, session, why=Why.STOPPED, by=by))

    return stop


def _ended(state: Site) -> Endpoint:
    async def ended_(request: Request) -> Response:
        from footfall.app.audience_history import id_from
        from footfall.app.audience_playbacks import ended

        brand = await audience_brand(request, state)
        require_only(request, "member", "day", "limit", "after")
        given = request.query_params
        member = id_from(given["member"], field="member") if "member" in given else ""
        day, limit, after = given.get("day", ""), limit_of(request), after_of(request)
        return told(
            await state.audience.asked(
                brand, lambda audience: ended(audience, brand, member=member, day=day, limit=limit, after=after)
            )
        )

    return ended_


async def _session(state: Site, request: Request, *more: str) -> tuple[str, str, str, Mapping[str, Any]]:
    from footfall.app.audience_history import id_from

    brand = await audience_brand(request, state)
    require_only(request)
    document = await document_in(request)
    require_fields(document, "member", "session", *more)
    member, session = (id_from(document.get(name), field=name) for name in ("member", "session"))
    return brand, member, session, document


async def _answered(state: Site, attempt: "Attempt", *, status: HTTPStatus = HTTPStatus.OK) -> Response:
    """Wait for the table as long as a player does, and tell what it said, or what is remembered."""
    from footfall.app.audience_playbacks import document_of_told

    if attempt.future is not None:
        loop, is_done = asyncio.get_running_loop(), asyncio.Event()

        def wake(_: object) -> None:
            with suppress(RuntimeError):  # The server has stopped meanwhile, and nobody waits.
                loop.call_soon_threadsafe(is_done.set)

        attempt.future.add_done_callback(wake)
        with suppress(TimeoutError):
            await asyncio.wait_for(is_done.wait(), timeout=attempt.within_s)
    document = document_of_told(attempt.answer(), interval_ms=state.settings.audience_beat_ms)
    return told(document, status=status)
