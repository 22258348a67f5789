"""What an answer's head says of limits, on the lane as lines and on pages as headers."""

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

from footfall.accounts.limits import Standing

if TYPE_CHECKING:  # A function that only takes hits starts without it.
    from starlette.types import ASGIApp, Message, Receive, Scope, Send

LINES = "limit_lines"  # where a page's answer finds what to say about limits


class TellingLimits:
    """An application whose answers say where the asker stands with the limits."""

    def __init__(self, application: "ASGIApp") -> None:
        self._application = application

    async def __call__(self, scope: "Scope", receive: "Receive", send: "Send") -> None:
        """Pass the request on, and put the lines on the head of its answer."""

        async def told(message: "Message") -> None:
            if message["type"] == "http.response.start":
                lines: bytes = scope.get("state", {}).get(LINES, b"")
                message["headers"] = [*message.get("headers", ()), *_headers_from(lines)]
            await send(message)

        await self._application(scope, receive, told)


def limit_lines(standings: Sequence[Standing]) -> bytes:
    """Return the lines of a head that tell of limits: none where there is no limit."""
    if not standings:
        return b""
    if len(standings) == 1:
        one = standings[0]
        return f"ratelimit-policy: {one.policy}\r\nratelimit: {one.state}\r\n".encode("ascii")
    policies, states = ", ".join(one.policy for one in standings), ", ".join(one.state for one in standings)
    return f"ratelimit-policy: {policies}\r\nratelimit: {states}\r\n".encode("ascii")


def _headers_from(lines: bytes) -> Iterable[tuple[bytes, bytes]]:
    for line in lines.split(b"\r\n")[:-1]:
        name, _, value = line.partition(b": ")
        yield name, value
