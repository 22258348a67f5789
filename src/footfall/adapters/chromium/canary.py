"""The canary: before a browser takes captures it is asked to reach this machine, and must come to the gate instead.

A setting of the environment, or another version, may let a browser past its proxy without a word.
"""

import asyncio
import contextlib

from playwright.async_api import Error as BrowserError
from playwright.async_api import ProxySettings

from footfall.adapters.chromium.launching import Running
from footfall.adapters.gate.gate_proxy import GateProxy
from footfall.ports.errors import PortError

TRIAL_MS = 5_000
HOSTS = ("127.0.0.1", "localhost", "[::1]")
ANSWER = b"HTTP/1.1 200 OK\r\nContent-Length: 0\r\nConnection: close\r\n\r\n"


class Leaks(PortError):
    """The browser reaches this machine past the gate, so nothing is captured with it."""


async def require_no_leak(running: Running, gate: GateProxy) -> None:
    """Raise Leaks when the browser reaches a server of ours on loopback."""
    reached: list[str] = []

    async def answer(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        reached.append("reached")
        writer.write(ANSWER)
        writer.close()

    server = await asyncio.start_server(answer, "localhost", 0)
    token = gate.open_job(time_ms_max=TRIAL_MS * len(HOSTS) * 2)
    try:
        port = int(server.sockets[0].getsockname()[1])
        proxy = gate.browser_proxy(token)
        for has_ticket in (True, False):  # What the browser does of its own accord has none.
            await _try(running, port, proxy=ProxySettings(**proxy) if has_ticket else None)
    finally:
        server.close()
        asked = gate.job(token).refusals
        with contextlib.suppress(TimeoutError):  # It lets nothing more through in any case.
            await asyncio.to_thread(gate.close_job, token)
    if not reached and not asked:
        raise Leaks("this Chromium never came to the gate with a page of this machine, so nothing is captured with it")
    if reached:
        raise Leaks(
            "this Chromium reaches this machine past the gate, so nothing is captured with it; look for "
            "PLAYWRIGHT_DISABLE_FORCED_CHROMIUM_PROXIED_LOOPBACK in the environment and for flags of its own"
        )


async def _try(running: Running, port: int, *, proxy: ProxySettings | None) -> None:
    context = await running.browser.new_context(proxy=proxy) if proxy else await running.browser.new_context()
    try:
        page = await context.new_page()
        for host in HOSTS:
            with contextlib.suppress(BrowserError):
                await page.goto(f"http://{host}:{port}/", timeout=TRIAL_MS)
    finally:
        await context.close()
