"""Questions about who came, by label and by visitors, with the status that each is to get on either ground."""

from collections.abc import Mapping

from footfall.values.window import HOUR_MS, instant_text
from tests.shells.lambdas.proved import Request, bearer


def _asked(method: str, target: str, status: int, headers: Mapping[str, str] | None = None) -> Request:
    return method, target, status, headers or {}, b""


def screened(reading: str) -> list[Request]:
    """Return questions about labels; `reading` is a key that may read the brand of keys."""
    return [
        _asked("GET", "/v1/popular?brand=open&include=bot&include=ai&period=day", 200),
        _asked("GET", "/v1/popular?brand=open&include=all&period=day", 200),
        _asked("GET", "/v1/popular?brand=open&include=person", 400),
        _asked("GET", "/v1/series?brand=open&include=suspected", 200),
        _asked("GET", "/v1/screening?brand=open&period=day", 200),
        _asked("GET", "/v1/screening?brand=open&format=csv", 200),
        _asked("GET", "/v1/screening?brand=open&section=1", 400),
        _asked("GET", "/v1/screening?brand=abc", 401),
        _asked("GET", "/v1/screening?period=day", 200, bearer(reading)),
        _asked("OPTIONS", "/v1/screening", 204),
        _asked("POST", "/v1/screening?brand=open", 405),
        _asked("GET", "/v1/screening/digest?brand=abc", 401),
        _asked("GET", "/v1/screening/digest?day=2026-11-14", 404, bearer(reading)),
        _asked("GET", "/v1/screening/digest?brand=open&day=yesterday", 400),
        _asked("GET", "/v1/screening/digest?brand=open&format=pdf", 400),
    ]


def visited(*, hour_ms: int) -> list[Request]:
    """Return questions about visitors of the hours before one."""
    span = f"from={instant_text(hour_ms - 2 * HOUR_MS)}&to={instant_text(hour_ms)}"
    return [
        *(
            _asked("GET", f"/v1/popular?brand=open&sort=uniques&{one}", 200)
            for one in ("period=day", "period=week&limit=3", "period=day&section=1&tag=harbour", "format=csv", span)
        ),
        _asked("GET", "/v1/popular?brand=open&sort=visitors", 400),
        _asked("GET", "/v1/top/sections?brand=open&period=day&sort=uniques", 200),
        _asked("GET", "/v1/top/sections?brand=open&resourceType=video&sort=uniques", 400),
        _asked("GET", "/v1/top/types?brand=open&sort=uniques", 400),
        _asked("GET", "/v1/top/brands?brand=open&brand=plain&period=day&sort=uniques", 200),
        _asked("GET", "/v1/top/brands?brand=open&brand=plain&format=csv&period=day&sort=uniques", 200),
        _asked("GET", "/v1/series?brand=open&compare=previous&measure=uniques", 200),
        _asked("GET", "/v1/series?brand=open&measure=uniques&section=1&section=2", 200),
        _asked("GET", "/v1/series?brand=open&measure=uniques&paidType=free", 400),
        _asked("GET", "/v1/series?brand=open&grain=day&measure=uniques&profile=weekday&format=ndjson", 200),
        _asked("GET", "/v1/assets/1/series?brand=open&measure=uniques", 200),
    ]
