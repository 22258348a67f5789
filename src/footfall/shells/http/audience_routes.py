"""/v1/audience: whom members follow, where they were, what plays, what it earned; all handed out and erased."""

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from footfall.shells.http.audience_asking import Endpoint, after_of, audience_brand, lines_told, one_of, require_only
from footfall.shells.http.audience_earnings import earnings_routes
from footfall.shells.http.audience_history import history_routes
from footfall.shells.http.audience_playbacks import playback_routes
from footfall.shells.http.brands import actor_of, told
from footfall.shells.http.follow_routes import follow_routes
from footfall.shells.http.site import Site

PERSONAL = "/v1/audience/personal"


def audience_routes(state: Site) -> list[Route]:
    """Return the routes of all parts of the audience."""
    return [
        *follow_routes(state),
        *history_routes(state),
        *playback_routes(state),
        *earnings_routes(state),
        Route(PERSONAL, _personal(state), methods=["GET", "DELETE"]),
    ]


def _personal(state: Site) -> Endpoint:
    async def personal(request: Request) -> Response:
        from footfall.app.audience_personal import erase_some, kept
        from footfall.audience.kept_lists import some_rows

        brand = await audience_brand(request, state)
        require_only(request, "of", *(["after"] if request.method == "GET" else []))
        of, after = one_of(request, "of"), after_of(request)
        if request.method == "DELETE":
            await _note_erasure(request, state, brand, of)
            erased = await state.audience.asked(
                brand, lambda audience: erase_some(audience, brand, audience.kinds.thing_from(of, field="of"))
            )
            return told({"of": of, "erased": erased.items, "done": erased.is_done})
        # Some at a time: of a series that a million follow it is much, and others wait for the same threads.
        some = await state.audience.asked(
            brand,
            lambda audience: some_rows(kept(audience, brand, audience.kinds.thing_from(of, field="of")), after=after),
        )
        return lines_told(request, some)

    return personal


async def _note_erasure(request: Request, state: Site, brand: str, of: str) -> None:
    from footfall.app.audience_acts import erasure_note, note_erasure
    from footfall.app.audience_settings import kinds_of

    note = erasure_note(brand, kinds_of(state.settings).thing_from(of, field="of"), by=actor_of(request))
    now_ms = state.clock.now_ms()
    await state.desk.look(lambda register: note_erasure(register.trail, note, now_ms=now_ms))
