"""A function's site in the tests' own process, on any ground and any clock."""

import asyncio
from collections.abc import Callable, Generator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import msgspec

from footfall.app.settings import Settings
from footfall.ports.stream import Stream
from footfall.shells.lambdas.function_routes import FunctionRoutes
from footfall.shells.lambdas.function_site import FunctionSite
from footfall.shells.lambdas.http_function import answered
from footfall.values.clock import Clock
from tests.shells.lambdas.api import Reply, event_of, reply_from


@dataclass(slots=True)
class Staged:
    """The site of one function, and the loop that it lives on."""

    site: FunctionSite
    routes: FunctionRoutes
    runner: asyncio.Runner

    def call(
        self,
        method: str,
        target: str,
        body: Any = b"",
        headers: Mapping[str, str] | None = None,
        *,
        source_ip: str = "192.0.2.1",
    ) -> Reply:
        """Send a request as the API does."""
        sent = body if isinstance(body, bytes) else msgspec.json.encode(body)
        event = event_of(method, target, body=sent, headers=headers, source_ip=source_ip)
        return reply_from(self.runner.run(answered(self.site, self.routes, event)))


@contextmanager
def staged(
    settings: Settings,
    clock: Clock,
    *,
    memory_mb: int = 512,
    open_stream: Callable[[Settings, Clock], Stream] | None = None,
) -> Generator[Staged]:
    """Make a site and let go of it with the block."""
    with asyncio.Runner() as runner:
        site = FunctionSite(settings, clock, memory_mb=memory_mb, open_stream=open_stream)
        site.request_id = "0123456789"
        yield Staged(site, FunctionRoutes(site), runner)
        for table in site.tables:
            getattr(table, "close")()  # noqa: B009 - every opened table has it, the port does not ask for it
