"""A function behind an HTTP API: an event becomes a request, the routes of an instance answer it, and it goes back."""

import asyncio
import logging
from http import HTTPStatus
from typing import Any, Protocol

from footfall.shells.http.problems import problem
from footfall.shells.lambdas.function_routes import FunctionRoutes
from footfall.shells.lambdas.function_site import FunctionSite
from footfall.shells.lambdas.http_event import Event, EventLine, answer_from_whole, exchange_from_event, peer_of
from footfall.shells.lambdas.start import begin

_log = logging.getLogger(__name__)


class Context(Protocol):
    """What Lambda tells of an invocation and of the function."""

    @property
    def aws_request_id(self) -> str:
        """Return the invocation's id."""
        ...

    @property
    def memory_limit_in_mb(self) -> str | int:
        """Return the memory that the function may take."""
        ...


class HttpFunction:
    """One function's process: what it holds is made with its first event and kept for those that follow."""

    def __init__(self, process: str, *, may_write: bool = False) -> None:
        self._process = process
        self._may_write = may_write  # brands, keys and the catalogue, and which keys were used
        self._runner: asyncio.Runner | None = None
        self._site: FunctionSite | None = None
        self._routes: FunctionRoutes | None = None

    def answer(self, event: Event, context: Context) -> dict[str, Any]:
        """Return the answer to an event's request."""
        if self._runner is None:
            self._runner = asyncio.Runner()
        return self._runner.run(self._answer(event, context))

    async def _answer(self, event: Event, context: Context) -> dict[str, Any]:
        site, routes = self._opened(context)
        site.request_id = context.aws_request_id
        if self._may_write and site.desk.is_noting_due:
            # Before the event's own hits: were the table slow after those, Lambda might end the function between hits
            # that are stored and the answer that says so, and their sender would send them again.
            await site.desk.note_uses()
            site.desk.store_counts()
        answer = await answered(site, routes, event)
        site.tell_units()
        return answer

    def _opened(self, context: Context) -> tuple[FunctionSite, FunctionRoutes]:
        if self._site is None or self._routes is None:
            settings, clock = begin(self._process)
            memory_mb = int(context.memory_limit_in_mb)
            self._site = FunctionSite(settings, clock, memory_mb=memory_mb, read_only=not self._may_write)
            self._routes = FunctionRoutes(self._site)
        return self._site, self._routes


async def answered(site: FunctionSite, routes: FunctionRoutes, event: Event) -> dict[str, Any]:
    """Return the answer of the event's route."""
    # First, as nothing that may wait for a table comes between hits that are stored and the answer that says so.
    site.audience.catch_up()
    line = EventLine(peer_of(event), site.refusals)
    exchange = exchange_from_event(event, line)
    if len(exchange.body) > site.settings.http_body_bytes_max:
        detail = f"the body has more than {site.settings.http_body_bytes_max:,} bytes; send smaller batches"
        exchange.reply(problem(HTTPStatus.REQUEST_ENTITY_TOO_LARGE, detail=detail))
    else:
        try:
            routes.route(exchange.target.partition(b"?")[0])(exchange)
        except Exception:  # noqa: BLE001 - a defect of ours must not leave a client without an answer
            _log.exception("a route failed")
            exchange.reply(problem(HTTPStatus.INTERNAL_SERVER_ERROR, detail="this is a defect of footfall"))
    whole = await line.answered
    site.audience.tell()
    return answer_from_whole(whole)
