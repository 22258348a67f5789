"""What the same answers are expected to: a request and its status, the keys, and the questions about what was."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from footfall.values.window import HOUR_MS, instant_text
from tests.shells.lambdas.listed import screened, visited


@dataclass(frozen=True, slots=True)
class Keys:
    """Keys of two brands, the same on both grounds."""

    secret: str
    public: str
    reading: str
    admin: str
    others: str
    signing: str
    signed: str  # a secret key of the brand that asks for proofs
    signed_public: str
    signed_admin: str
    signed_editor: str


@dataclass(frozen=True, slots=True)
class Asked:
    """A request, and the status that it is to get."""

    method: str
    target: str
    status: int
    headers: Mapping[str, str] = field(default_factory=dict[str, str])
    body: bytes = b""


def bearer(key: str) -> dict[str, str]:
    """Return the header that carries a key."""
    return {"authorization": f"Bearer {key}"}


def history(keys: Keys, *, hour_ms: int) -> list[Asked]:
    """Return the questions about what rises and how things went."""
    span = f"from={instant_text(hour_ms - HOUR_MS)}&to={instant_text(hour_ms)}"
    return [
        Asked("GET", "/v1/popular?brand=open&format=csv&period=day", 200),
        Asked("GET", "/v1/widget?brand=open&title=Mest+l%C3%A4st&lang=sv", 200),
        Asked("HEAD", "/v1/widget?brand=open&section=1&limit=3", 200),
        Asked("GET", "/v1/widget?brand=open&limit=21", 400),
        Asked("GET", "/v1/widget?brand=abc", 401),
        Asked("GET", "/v1/widget?sort=uniques&brand=open", 200),
        Asked("GET", "/v1/widget", 200, bearer(keys.reading)),
        Asked("OPTIONS", "/v1/widget?brand=open", 204),
        Asked("POST", "/v1/widget?brand=open", 405),
        Asked("GET", "/v1/trending?brand=open", 200),
        Asked("GET", "/v1/trending?brand=open&section=1&format=ndjson", 200),
        Asked("GET", "/v1/trending?brand=open&format=csv", 200),
        Asked("GET", "/v1/trending?brand=open&period=day", 400),
        Asked("GET", "/v1/top/sections?brand=open&period=day", 200),
        Asked("GET", "/v1/top/types?brand=open&period=week&limit=1", 200),
        Asked("GET", "/v1/top/brands?brand=open&brand=plain&period=day", 200),
        Asked("GET", "/v1/top/brands?brand=open&brand=abc", 401),
        Asked("GET", "/v1/series?brand=open&compare=previous&compare=lastWeek&profile=weekday", 200),
        Asked("GET", f"/v1/series?brand=open&section=1&{span}", 200),
        Asked("GET", f"/v1/series?brand=open&grain=day&{span}", 400),
        Asked("GET", "/v1/series?brand=abc", 401),
        Asked("GET", "/v1/series?grain=day", 200, bearer(keys.reading)),
        Asked("HEAD", "/v1/series?brand=open", 200),
        Asked("OPTIONS", "/v1/assets/1/series", 204),
        Asked("GET", "/v1/assets/1/series?brand=open", 200),
        Asked("GET", "/v1/assets/sports%2F%C3%A9t%C3%A9%2050%25/series?brand=open&format=csv", 200),
        Asked("DELETE", "/v1/assets/1/series", 405),
        Asked("GET", "/v1/referrers?brand=open&period=never", 400),
        Asked("GET", "/v1/referrers?brand=open&asset=1&section=1", 400),
        Asked("GET", "/v1/referrers?brand=abc", 401),
        Asked("POST", "/v1/referrers?brand=open", 405),
        *(Asked(*one) for one in (*screened(keys.reading), *visited(hour_ms=hour_ms))),
    ]
