"""A server that answers as it is told, and clients that do not outlive their test."""

from collections.abc import Callable, Generator
from typing import Any

import pytest

from footfall.client import Footfall, Options
from tests.client.listener import Listener, listening

Opening = Callable[..., Footfall]
QUICK = Options(linger_ms=20, timeout_ms=5_000, close_ms=2_000)


@pytest.fixture
def listener() -> Generator[Listener]:
    with listening() as listener:
        yield listener


@pytest.fixture
def opened(listener: Listener) -> Generator[Opening]:
    """Return a function that opens a client of the listener."""
    clients: list[Footfall] = []

    def opening(**more: Any) -> Footfall:
        chosen: dict[str, Any] = {"brand": "abc", "options": QUICK, **more}
        clients.append(Footfall(listener.url, **chosen))
        return clients[-1]

    yield opening
    listener.gate.set()
    for client in clients:
        client.close(0.5)
