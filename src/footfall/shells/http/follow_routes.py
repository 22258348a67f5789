"""/v1/audience/follows and its like: who follows what, blocks, requests, publications and feeds."""

from collections.abc import Callable, Mapping
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
    one_of,
    require_fields,
    require_only,
)
from footfall.shells.http.brands import document_in, told
from footfall.shells.http.site import Site
from footfall.shells.http.static_files import GUARDS

if TYPE_CHECKING:
    from footfall.app.audience_follows import Document, FollowActs

HERE = "/v1/audience"
FOLLOWS, CHECK = f"{HERE}/follows", f"{HERE}/follows/check"
BLOCKS, REQUESTS, PRIVACY = f"{HERE}/blocks", f"{HERE}/requests", f"{HERE}/privacy"
PUBLICATIONS, COUNTS, SUGGESTIONS = f"{HERE}/publications", f"{HERE}/counts", f"{HERE}/suggestions"

Act = Callable[["FollowActs"], "Document"]


def follow_routes(state: Site) -> list[Route]:
    """Return the routes of the follow graph."""
    return [
        Route(FOLLOWS, _follows(state), methods=["GET", "PUT", "DELETE"]),
        Route(CHECK, _check(state), methods=["POST"]),
        Route(f"{HERE}/following", _following(state), methods=["GET"]),
        Route(COUNTS, _counts(state), methods=["GET"]),
        Route(SUGGESTIONS, _suggestions(state), methods=["GET"]),
        Route(BLOCKS, _blocks(state), methods=["GET", "PUT", "DELETE"]),
        Route(REQUESTS, _requests(state), methods=["GET", "POST"]),
        Route(PRIVACY, _privacy(state), methods=["GET", "PUT"]),
        Route(PUBLICATIONS, _publications(state), methods=["GET", "PUT", "DELETE"]),
        *(Route(f"{HERE}/{name}", _list(state, name), methods=["GET"]) for name in ("followers", "mutual", "feed")),
    ]


async def _asked(state: Site, brand: str, act: Act) -> Response:
    from footfall.app.audience_follows import FollowActs

    return told(await state.audience.asked(brand, lambda audience: act(FollowActs(audience, brand))))


def _follows(state: Site) -> Endpoint:
    async def follows(request: Request) -> Response:
        brand = await audience_brand(request, state)
        require_only(request, "follower", "target")
        follower, target = one_of(request, "follower"), one_of(request, "target")
        acts: Mapping[str, Act] = {
            "PUT": lambda acts: acts.follow(follower, target),
            "DELETE": lambda acts: acts.unfollow(follower, target),
        }
        return await _asked(state, brand, acts.get(request.method, lambda acts: acts.state(follower, target)))

    return follows


def _check(state: Site) -> Endpoint:
    async def check(request: Request) -> Response:
        brand = await audience_brand(request, state)
        require_only(request)
        document = await _document(request, "follower", "targets")
        return await _asked(state, brand, lambda acts: acts.check(document.get("follower"), document.get("targets")))

    return check


def _following(state: Site) -> Endpoint:
    async def following(request: Request) -> Response:
        brand = await audience_brand(request, state)
        require_only(request, "of", "kind", "limit", "after")
        of, limit, after = one_of(request, "of"), limit_of(request), after_of(request)
        kind = request.query_params.get("kind", "")
        return await _asked(state, brand, lambda acts: acts.following(of, limit=limit, after=after, kind=kind))

    return following


def _list(state: Site, name: str) -> Endpoint:
    async def one_list(request: Request) -> Response:
        brand = await audience_brand(request, state)
        require_only(request, "of", "limit", "after")
        of, limit, after = one_of(request, "of"), limit_of(request), after_of(request)
        return await _asked(state, brand, lambda acts: getattr(acts, name)(of, limit=limit, after=after))

    return one_list


def _counts(state: Site) -> Endpoint:
    async def counts(request: Request) -> Response:
        brand = await audience_brand(request, state)
        require_only(request, "of")
        of = one_of(request, "of")
        return await _asked(state, brand, lambda acts: acts.counts(of))

    return counts


def _suggestions(state: Site) -> Endpoint:
    async def suggestions(request: Request) -> Response:
        brand = await audience_brand(request, state)
        require_only(request, "of", "kind", "limit")
        of, limit, kind = one_of(request, "of"), limit_of(request), request.query_params.get("kind", "")
        return await _asked(state, brand, lambda acts: acts.suggestions(of, limit=limit, kind=kind))

    return suggestions


def _blocks(state: Site) -> Endpoint:
    listed = _list(state, "blocks")

    async def blocks(request: Request) -> Response:
        if request.method == "GET":
            return await listed(request)
        brand = await audience_brand(request, state)
        require_only(request, "blocker", "blocked")
        blocker, blocked, is_on = one_of(request, "blocker"), one_of(request, "blocked"), request.method == "PUT"
        return await _asked(state, brand, lambda acts: acts.block(blocker, blocked, is_on=is_on))

    return blocks


def _requests(state: Site) -> Endpoint:
    listed = _list(state, "requests")

    async def requests(request: Request) -> Response:
        if request.method == "GET":
            return await listed(request)
        brand = await audience_brand(request, state)
        require_only(request)
        document = await _document(request, "target", "follower", "decision")
        asked = [document.get(name) for name in ("target", "follower", "decision")]
        return await _asked(state, brand, lambda acts: acts.decide(*asked))

    return requests


def _privacy(state: Site) -> Endpoint:
    async def privacy(request: Request) -> Response:
        brand = await audience_brand(request, state)
        require_only(request, "of")
        of = one_of(request, "of")
        if request.method == "GET":
            return await _asked(state, brand, lambda acts: acts.privacy(of))
        document = await _document(request, "private")
        return await _asked(state, brand, lambda acts: acts.set_privacy(of, private=document.get("private")))

    return privacy


def _publications(state: Site) -> Endpoint:
    listed = _list(state, "published")

    async def publications(request: Request) -> Response:
        if request.method == "GET":
            return await listed(request)
        brand = await audience_brand(request, state)
        if request.method == "PUT":
            require_only(request)
            document = await _document(request, "thing", "id", "at", "about")
            return await _asked(state, brand, lambda acts: acts.publish(document))
        require_only(request, "of", "id")
        of, id = one_of(request, "of"), request.query_params.get("id", "")
        await _asked(state, brand, lambda acts: {"gone": acts.unpublish(of, id)})
        return Response(status_code=HTTPStatus.NO_CONTENT, headers={**GUARDS, "cache-control": "no-store"})

    return publications


async def _document(request: Request, *names: str) -> dict[str, Any]:
    document = await document_in(request)
    require_fields(document, *names)
    return document
