"""Every route, once: its methods and what each is for, as the description declares them."""

import re
from collections.abc import Iterable, Mapping

from footfall.shells.http.openapi import OPERATIONS

_PLACE = re.compile(r"\{[^}]*\}")


def _routes() -> dict[str, str]:
    routes: dict[str, list[str]] = {}
    for operation in OPERATIONS:
        routes.setdefault(operation.path, []).append(f"{operation.method}: {operation.says}")
    return {path: " ".join(says) for path, says in routes.items()}


ROUTES: Mapping[str, str] = _routes()


def require_described(paths: Iterable[str]) -> None:
    """Fail when a route is served that nobody described: what is not in the description does not exist for people."""
    described = {_PLACE.sub("{}", path) for path in ROUTES}
    hidden = sorted({path for path in paths if _PLACE.sub("{}", path) not in described})
    assert not hidden, f"not in footfall/shells/http/described: {', '.join(hidden)}"
