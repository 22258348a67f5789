"""/v1/keys: a brand's keys, for its administrators: listed, made, revoked, rotated."""

from collections.abc import Awaitable, Callable, Mapping
from http import HTTPStatus
from typing import Any, cast

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from footfall.accounts.documents import document_of_key
from footfall.accounts.keys import ADMIN, GRACE_MS, NewKey
from footfall.accounts.register import Register
from footfall.app.brand_control import key_told, require_grace_ms
from footfall.shells.http.access import brand_of
from footfall.shells.http.brands import actor_of, document_in, require_no_parameters, told
from footfall.shells.http.site import Site
from footfall.values.errors import Refused
from footfall.values.window import moment_from_text

Endpoint = Callable[[Request], Awaitable[Response]]

_OF_NEW = ("kind", "scopes", "label", "expires")


def key_routes(state: Site) -> list[Route]:
    """Return the routes of a brand's keys."""
    return [
        Route("/v1/keys", _keys(state), methods=["GET", "POST"]),
        Route("/v1/keys/{id}", _key(state), methods=["DELETE"]),
        Route("/v1/keys/{id}/rotate", _rotation(state), methods=["POST"]),
    ]


def _keys(state: Site) -> Endpoint:
    async def keys(request: Request) -> Response:
        name = (await brand_of(request, state, scope=ADMIN)).name
        require_no_parameters(request)
        if request.method == "POST":
            asked, by = await document_in(request), actor_of(request)
            new = await state.desk.change(name, lambda register: _added(register.acting(by), name, asked))
            return told(key_told(new), status=HTTPStatus.CREATED)
        await state.desk.note_uses()  # So that what is shown is of this hour.
        records = await state.desk.look(lambda register: register.keys(name))
        return told({"brand": name, "keys": [document_of_key(one) for one in records]})

    return keys


def _key(state: Site) -> Endpoint:
    async def key(request: Request) -> Response:
        name = (await brand_of(request, state, scope=ADMIN)).name
        require_no_parameters(request)
        by, key_id = actor_of(request), str(request.path_params["id"])
        revoked = await state.desk.change(name, lambda register: register.acting(by).revoke(name, key_id))
        return told({"revoked": document_of_key(revoked)})

    return key


def _rotation(state: Site) -> Endpoint:
    async def rotation(request: Request) -> Response:
        name = (await brand_of(request, state, scope=ADMIN)).name
        require_no_parameters(request)
        asked = await document_in(request)
        _require_only(asked, ("graceSeconds",))
        grace_s = asked.get("graceSeconds", GRACE_MS // 1_000)
        grace_ms = require_grace_ms(grace_s * 1_000 if type(grace_s) is int else grace_s)
        by, key_id = actor_of(request), str(request.path_params["id"])
        new = await state.desk.change(
            name, lambda register: register.acting(by).rotate(name, key_id, grace_ms=grace_ms, is_operator=False)
        )
        return told(key_told(new), status=HTTPStatus.CREATED)

    return rotation


def _added(register: Register, brand: str, asked: Mapping[str, Any]) -> NewKey:
    _require_only(asked, _OF_NEW)
    kind, label = asked.get("kind", "secret"), asked.get("label", "")
    if not isinstance(label, str):
        raise Refused("label", "is not a text")
    if kind == "public":
        if "scopes" in asked or "expires" in asked:
            raise Refused("kind", "is public: such a key sends hits and does not end by itself; leave out the rest")
        return register.add_public_key(brand, label=label)
    if kind not in ("secret", "signing"):
        raise Refused("kind", "is none of 'public', 'secret' and 'signing'")
    expires_at_ms = _expiry(asked.get("expires"))
    if kind == "signing":
        if "scopes" in asked:
            raise Refused("scopes", "is not for a signing key, which signs and may do nothing else; leave it out")
        return register.add_signing_key(brand, label=label, expires_at_ms=expires_at_ms)
    scopes: object = asked.get("scopes")
    if not isinstance(scopes, list) or not all(isinstance(one, str) for one in cast("list[object]", scopes)):
        raise Refused("scopes", 'is not a list of scopes, such as ["write"]')
    return register.add_secret_key(brand, cast("list[str]", scopes), label=label, expires_at_ms=expires_at_ms)


def _expiry(value: object) -> int | None:
    if value is not None and not isinstance(value, str):
        raise Refused("expires", "is not a moment such as 2027-01-01T00:00:00Z")
    return None if value is None else moment_from_text(value, field="expires")


def _require_only(asked: Mapping[str, Any], known: tuple[str, ...]) -> None:
    for name in asked:
        if name not in known:
            raise Refused(name[:64] or "body", f"is not asked for here; what may be said is {', '.join(known)}")
