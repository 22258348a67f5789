"""/v1/screening/verdicts: what waits for an operator, why, and the operator's decision."""

from collections.abc import Awaitable, Callable
from typing import Any

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from footfall.accounts.keys import EDIT, READ
from footfall.accounts.register import Register
from footfall.shells.http.access import brand_of
from footfall.shells.http.brands import actor_of, document_in, require_no_parameters, told
from footfall.shells.http.site import Site
from footfall.values.errors import Refused

VERDICTS, VERDICT = "/v1/screening/verdicts", "/v1/screening/verdicts/{id}"
PAGE_DEFAULT, PAGE_MAX = 100, 1_000
SOUGHT = ("state", "kind", "cause")

Endpoint = Callable[[Request], Awaitable[Response]]


def verdict_routes(state: Site) -> list[Route]:
    """Return the routes of a brand's verdicts."""
    return [
        Route(VERDICTS, _verdicts(state), methods=["GET", "POST"]),
        Route(VERDICT, _verdict(state), methods=["GET", "POST"]),
    ]


def _verdicts(state: Site) -> Endpoint:
    async def verdicts(request: Request) -> Response:
        # Judging stands on numpy, which a site without verdicts never loads.
        from footfall.accounts.verdict_queue import document_of_page, sought

        if request.method == "POST":
            return await _decide_on_many(request, state)
        name = (await brand_of(request, state, scope=READ)).name
        for parameter in request.query_params:
            if parameter not in ("brand", "key", "limit", "after", *SOUGHT):
                known = ", ".join((*SOUGHT, "limit and after"))
                raise Refused(parameter[:64] or "query", f"is not a parameter here; those are {known}")
        given = request.query_params
        wanted = sought(given.get("state", "held"), given.get("kind", ""), given.get("cause", ""))
        limit, after = _limit(request), given.get("after", "")

        def page(register: Register) -> dict[str, Any]:
            return document_of_page(register.verdicts, name, wanted, limit=limit, after=after)

        return told(await state.desk.look(page))

    return verdicts


async def _decide_on_many(request: Request, state: Site) -> Response:
    from footfall.accounts.verdict_documents import state_of_decision
    from footfall.accounts.verdict_queue import decided_on, require_ids

    name = (await brand_of(request, state, scope=EDIT)).name
    require_no_parameters(request)
    document = await document_in(request)
    for field in document:
        if field not in ("decision", "ids"):
            raise Refused(field[:64], "is not a field here; those are decision and ids")
    wanted, ids = state_of_decision(document.get("decision")), require_ids(document.get("ids"))
    by, since_ms = actor_of(request), state.raw_since_ms()

    def decide(register: Register) -> dict[str, Any]:
        return decided_on(register.verdicts, name, ids, wanted, by=by, raw_since_ms=since_ms)

    return told(await state.desk.look(decide))


def _verdict(state: Site) -> Endpoint:
    async def verdict(request: Request) -> Response:
        from footfall.accounts.verdict_documents import decided, document_of_verdict, state_of_decision

        is_decision = request.method == "POST"
        name = (await brand_of(request, state, scope=EDIT if is_decision else READ)).name
        require_no_parameters(request)
        asked = str(request.path_params["id"])
        if not is_decision:
            found = await state.desk.look(lambda register: register.verdicts.verdict(name, asked))
            return told(document_of_verdict(found))
        document = await document_in(request)
        for field in document:
            if field != "decision":
                raise Refused(field[:64], "is not a field here; the only one is decision")
        wanted, by, since_ms = state_of_decision(document.get("decision")), actor_of(request), state.raw_since_ms()

        def decide(register: Register) -> Any:
            return decided(register.verdicts, name, asked, wanted, by=by, raw_since_ms=since_ms)

        return told(await state.desk.look(decide))

    return verdict


def _limit(request: Request) -> int:
    text = request.query_params.get("limit", str(PAGE_DEFAULT))
    if not (text.isascii() and text.isdigit() and len(text) <= 4 and 1 <= int(text) <= PAGE_MAX):
        raise Refused("limit", f"{text[:20]!r} is not a whole number from 1 to {PAGE_MAX:,}")
    return int(text)
