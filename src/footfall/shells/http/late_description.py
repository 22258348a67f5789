"""The routes of the description, which is made when somebody asks for it: most instances never are, and it takes long.

With it come the words of every route, so that it would be a third of all that a start reads.
"""

import asyncio
import logging
from collections.abc import Iterable
from http import HTTPStatus

from footfall.shells.http.lane import Exchange, Route
from footfall.shells.http.problems import problem

_log = logging.getLogger(__name__)


class LateDescription:
    """Makes the description once, and holds it against the routes that there are."""

    def __init__(self) -> None:
        self._made: dict[bytes, Route] = {}
        self._making: asyncio.Future[None] | None = None
        self._served: tuple[str, ...] = ()

    def routes(self) -> dict[bytes, Route]:
        """Return the routes of the description."""
        return {path: self._route(path) for path in (b"/openapi.json", b"/docs", b"/static/docs.css")}

    def covers(self, paths: Iterable[str]) -> None:
        """Remember what is served: all of it has to be in the description."""
        self._served = tuple(paths)

    def _route(self, path: bytes) -> Route:
        def answer(exchange: Exchange) -> None:
            if self._made:
                self._made[path](exchange)
                return
            if self._making is None:  # In a thread, so that no hit waits for it.
                self._making = asyncio.get_running_loop().run_in_executor(None, self._make)
            self._making.add_done_callback(lambda _done: self._answered(path, exchange))

        return answer

    def _answered(self, path: bytes, exchange: Exchange) -> None:
        if not self._made:
            self._making = None  # Whoever asks next has it tried again.
        self._made.get(path, _failed)(exchange)

    def _make(self) -> None:
        try:
            from footfall.shells.http.description import description_routes
            from footfall.shells.http.routes import require_described

            require_described(self._served)
            self._made = dict(description_routes())
        except Exception:  # noqa: BLE001 - whatever it is, somebody waits for an answer
            _log.exception("the description could not be made")


def _failed(exchange: Exchange) -> None:
    exchange.reply(problem(HTTPStatus.INTERNAL_SERVER_ERROR, detail="footfall failed; its log says why"))
