"""What an exchange needs of whoever carries it: a connection of the lane, or one event of a function."""

from collections.abc import Iterable
from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from footfall.shells.http.lane import Exchange


class Line(Protocol):
    """The way back to whoever asked."""

    @property
    def peer(self) -> str:
        """Return the address at the other end."""
        ...

    @property
    def is_open(self) -> bool:
        """Tell whether an answer can still arrive."""
        ...

    def answer(self, exchange: "Exchange", whole: bytes) -> None:
        """Send the answer to the request in progress."""
        ...

    def answer_part(self, exchange: "Exchange", part: bytes, *, is_last: bool) -> None:
        """Send some of an answer."""
        ...

    async def writable(self) -> None:
        """Wait until more can be sent."""
        ...


class TellsRefusals(Protocol):
    """Names refused requests and writes them down."""

    def id_of(self, headers: Iterable[tuple[bytes, bytes]]) -> str:
        """Return the request's id."""
        ...

    def log(self, status: int, body: bytes, *, request_id: str, method: bytes, target: bytes) -> None:
        """Write one line about a refused request."""
        ...


class Carrier(Protocol):
    """What all answers share: the Date header's line, and the book of refusals."""

    @property
    def date(self) -> bytes:
        """Return the Date header's line; empty where somebody else adds it."""
        ...

    @property
    def refusals(self) -> TellsRefusals:
        """Return the book of refusals."""
        ...
