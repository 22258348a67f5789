"""The routes of the description, which is made when somebody asks for it: most instances never are, and it takes long.

With it come the words of every route, so that it would be a third of all that a start reads.
"""

from collections.abc import Iterable

from footfall.shells.http.lane import Exchange, Route


class LateDescription:
    """Makes the description once, and holds it against the routes that there are."""

    def __init__(self) -> None:
        self._made: dict[bytes, Route] = {}
        self._served: tuple[str, ...] = ()

    def routes(self) -> dict[bytes, Route]:
        """Return the routes of the description."""
        return {path: self._route(path) for path in (b"/openapi.json", b"/docs", b"/static/docs.css")}

    def covers(self, paths: Iterable[str]) -> None:
        """Remember what is served: all of it has to be in the description."""
        self._served = tuple(paths)

    def _route(self, path: bytes) -> Route:
        def answer(exchange: Exchange) -> None:
            if not self._made:
                from footfall.shells.http.description import description_routes
                from footfall.shells.http.routes import require_described

                require_described(self._served)
                self._made.update(description_routes())
            self._made[path](exchange)

        return answer
