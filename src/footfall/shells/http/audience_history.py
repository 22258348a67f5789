"""/v1/audience/history: where members are in what they watch, told by the servers that know who they are."""

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from footfall.shells.http.audience_asking import (
    Endpoint,
    after_of,
    audience_brand,
    limit_of,
    lines_told,
    require_fields,
    require_only,
)
from footfall.shells.http.brands import document_in, told
from footfall.shells.http.site import Site
from footfall.values.errors import Refused

if TYPE_CHECKING:  # Nobody loads the audience before somebody asks for it.
    from footfall.app.audience_opening import Audience

HISTORY = "/v1/audience/history"
EPISODES = f"{HISTORY}/series/{{id:path}}/episodes"

Answer = Mapping[str, object]
Question = Callable[["Audience", str], Answer]  # with the brand


def history_routes(state: Site) -> list[Route]:
    """Return the routes of histories."""
    return [
        Route(HISTORY, _history(state), methods=["POST", "DELETE"]),
        Route(f"{HISTORY}/resume", _asked(state, _resume), methods=["GET"]),
        Route(f"{HISTORY}/latest", _asked(state, _latest), methods=["GET"]),
        Route(f"{HISTORY}/recent", _asked(state, _recent), methods=["GET"]),
        Route(f"{HISTORY}/continue", _asked(state, _going_on), methods=["GET"]),
        Route(f"{HISTORY}/series", _asked(state, _series), methods=["GET"]),
        Route(EPISODES, _episodes(state), methods=["GET", "PUT", "DELETE"]),
        Route(f"{HISTORY}/next", _next(state), methods=["GET", "POST"]),
        Route(f"{HISTORY}/hide", _hidden(state, hide=True), methods=["POST"]),
        Route(f"{HISTORY}/show", _hidden(state, hide=False), methods=["POST"]),
        Route(f"{HISTORY}/export", _export(state), methods=["GET"]),
    ]


def _history(state: Site) -> Endpoint:
    async def history(request: Request) -> Response:
        from footfall.app.audience_history import events_from, tell

        brand = await audience_brand(request, state)
        if request.method == "DELETE":
            return await _remove(state, brand, request)
        require_only(request)
        document = await document_in(request)
        events = events_from(document, now_ms=state.clock.now_ms())
        came = await state.audience.asked(brand, lambda audience: tell(audience, brand, events))
        return told({"events": came} if "events" in document else came[0])

    return history


async def _remove(state: Site, brand: str, request: Request) -> Response:
    """Remove an asset, a series, or, when neither is named, the whole history."""
    from footfall.app.audience_history import remove

    require_only(request, "member", "series", "asset", "all")
    member, series, asset = _id(request, "member"), _maybe(request, "series"), _maybe(request, "asset")
    if not (series or asset) and request.query_params.get("all") != "true":
        raise Refused("series", "or asset is missing; all=true removes the whole history")
    return told(await state.audience.asked(brand, lambda one: remove(one, brand, member, series=series, asset=asset)))


def _asked(state: Site, question_of: Callable[[Request], Question]) -> Endpoint:
    async def asked(request: Request) -> Response:
        brand = await audience_brand(request, state)
        question = question_of(request)
        return told(await state.audience.asked(brand, lambda audience: question(audience, brand)))

    return asked


def _resume(request: Request) -> Question:
    from footfall.app.audience_history import resume

    require_only(request, "member", "series", "asset")
    member, series, asset = _id(request, "member"), _maybe(request, "series"), _id(request, "asset")
    return lambda audience, brand: resume(audience, brand, member, series=series, asset=asset)


def _latest(request: Request) -> Question:
    from footfall.app.audience_history import latest

    require_only(request, "member", "series")
    member, series = _id(request, "member"), _id(request, "series")
    return lambda audience, brand: latest(audience, brand, member, series=series)


def _series(request: Request) -> Question:
    from footfall.app.audience_history import series_of

    require_only(request, "member", "series")
    member, series = _id(request, "member"), _id(request, "series")
    return lambda audience, brand: series_of(audience, brand, member, series=series)


def _recent(request: Request) -> Question:
    from footfall.app.audience_history import recent

    require_only(request, "member", "limit", "after")
    member, limit, after = _id(request, "member"), limit_of(request), after_of(request)
    return lambda audience, brand: recent(audience, brand, member, limit=limit, after=after)


def _going_on(request: Request) -> Question:
    from footfall.app.audience_history import going_on

    require_only(request, "member", "limit", "after")
    member, limit, after = _id(request, "member"), limit_of(request), after_of(request)
    return lambda audience, brand: going_on(audience, brand, member, limit=limit, after=after)


def _next(state: Site) -> Endpoint:
    async def next_(request: Request) -> Response:
        from footfall.app.audience_history import next_up
        from footfall.audience.history_next import require_episodes

        brand = await audience_brand(request, state)
        require_only(request, "member", "series", "skipInProgress", "rewatching")
        member, series = _id(request, "member"), _id(request, "series")
        skips, rewatching = _switch(request, "skipInProgress"), _switch(request, "rewatching")
        episodes = None
        if request.method == "POST":
            document = await document_in(request)
            require_fields(document, "episodes")
            episodes = require_episodes(document.get("episodes"))
        return told(
            await state.audience.asked(
                brand,
                lambda audience: next_up(
                    audience, brand, member, series=series, episodes=episodes, skip_in_progress=skips,
                    rewatching=rewatching,
                ),
            )
        )  # fmt: skip

    return next_


def _episodes(state: Site) -> Endpoint:
    async def episodes(request: Request) -> Response:
        from footfall.audience import history_next

        brand = await audience_brand(request, state)
        require_only(request)
        series = _required(str(request.path_params["id"]), "id")
        sent = await _sent_episodes(request) if request.method == "PUT" else ()

        def answer(audience: "Audience") -> Answer:
            if request.method == "PUT":
                history_next.keep_episodes(audience.table, brand, series, sent)
            elif request.method == "DELETE":
                history_next.forget_episodes(audience.table, brand, series)
            else:
                return {"series": series, "episodes": history_next.episodes_of(audience.table, brand, series)}
            return {"series": series, "episodes": sent}

        return told(await state.audience.asked(brand, answer))

    return episodes


async def _sent_episodes(request: Request) -> tuple[str, ...]:
    from footfall.audience.history_next import require_episodes

    document = await document_in(request)
    require_fields(document, "episodes")
    return require_episodes(document.get("episodes"))


def _hidden(state: Site, *, hide: bool) -> Endpoint:
    async def hidden(request: Request) -> Response:
        from footfall.app.audience_history import id_from
        from footfall.audience import history_removing as removing

        brand = await audience_brand(request, state)
        require_only(request)
        document = await document_in(request)
        require_fields(document, "member", "series")
        member, series = (id_from(document.get(name), field=name) for name in ("member", "series"))
        now_ms = state.clock.now_ms()

        def change(audience: "Audience") -> bool:
            if hide:
                return removing.hide(audience.table, brand, member, series=series, now_ms=now_ms)
            return removing.show(audience.table, brand, member, series=series)

        is_there = await state.audience.asked(brand, change)
        return told({"member": member, "series": series, "hidden": hide and is_there, "known": is_there})

    return hidden


def _export(state: Site) -> Endpoint:
    async def export(request: Request) -> Response:
        from footfall.audience.history_removing import kept
        from footfall.audience.kept_lists import some_rows

        brand = await audience_brand(request, state)
        require_only(request, "member", "after")
        member, after = _id(request, "member"), after_of(request)
        some = await state.audience.asked(
            brand, lambda audience: some_rows([kept(audience.table, brand, member)], after=after)
        )
        return lines_told(request, some)

    return export


def _id(request: Request, name: str) -> str:
    return _required(request.query_params.get(name, ""), name)


def _maybe(request: Request, name: str) -> str:
    return _id(request, name) if name in request.query_params else ""


def _required(text: str, name: str) -> str:
    from footfall.app.audience_history import id_from

    return id_from(text, field=name)


def _switch(request: Request, name: str) -> bool:
    text = request.query_params.get(name, "false")
    if text not in ("true", "false"):
        raise Refused(name, f"{text[:40]!r} is neither true nor false")
    return text == "true"
