"""A lane without sockets: connections are handed what a client would send, and what they answer is counted."""

import asyncio
from typing import NoReturn

from bench.instance import BRAND
from footfall.accounts.brands import Brand, Brands
from footfall.accounts.keyring import Keyring
from footfall.accounts.nonces import Nonces
from footfall.accounts.proofs import Proofs
from footfall.adapters.embedded.sqlite_table import SqliteTable
from footfall.app.settings import Settings
from footfall.shells.http.access import Access, access_from
from footfall.shells.http.lane import Connection, Exchange, Lane, Route
from footfall.shells.http.lane_limits import LaneLimits
from footfall.values.clock import Clock

ADDRESS = "127.0.0.1"  # which may ask as often as it likes
SETTINGS = Settings(brands={BRAND: Brand(BRAND)})
BRANDS = Brands(SETTINGS.brands, any_brand=False)
LIMITS = LaneLimits(
    body_bytes_max=1_000_000, pending_bytes_max=10_000_000, connections_max=100, head_s_max=1e6, body_s_max=1e6,
    idle_s_max=1e6,
)  # fmt: skip


class Sink(asyncio.Transport):
    """The other end of connections, which only counts the answers; all must have one status."""

    def __init__(self, status: bytes) -> None:
        super().__init__({"peername": (ADDRESS, 1)})
        self._status = status
        self._answers = 0
        self._other = b""

    def write(self, data: bytes | bytearray | memoryview) -> None:
        """Take an answer."""
        self._answers += 1
        if data[9:12] != self._status:
            self._other = bytes(data)

    def require(self, answers: int) -> None:
        """Require that so many answers were given, and none of another status."""
        if self._answers != answers or self._other:
            raise AssertionError(f"{self._answers} answers were given where {answers} should be; {self._other!r}")


def new_access(clock: Clock) -> Access:
    """Return what lets everybody in."""
    keyring = Keyring()
    proofs = Proofs(keyring, Nonces(lambda: SqliteTable(":memory:", clock=clock)), clock=clock)
    return access_from(SETTINGS, BRANDS, keyring, proofs=proofs, clock=clock, people=_nobody)


def new_lane(path: str, route: Route, clock: Clock) -> Lane:
    """Return a lane with one route."""
    return Lane({path.encode(): route}, _nowhere, limits=LIMITS, clock=clock)


def connected(lane: Lane, sink: Sink) -> Connection:
    """Return a new connection, whose answers go to the sink."""
    connection = lane()
    connection.connection_made(sink)
    return connection


def _nobody() -> NoReturn:
    raise AssertionError("nobody signs in here")


def _nowhere(_exchange: Exchange) -> None:
    raise AssertionError("all that is asked for has a route")
