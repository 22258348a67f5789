"""Servers on loopback for the gate's tests: an inner one that nobody may reach, a stranger's, and names for both."""

import asyncio
import contextlib
import http.server
import socket
import threading
from collections.abc import Generator, Sequence
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import unquote

from footfall.adapters.gate.passing import Ends, dialled
from tests.adapters.gate.attacks import FRAMES, HEADERS, Attack, page_with_all

PUBLIC = "93.184.215.14"  # what a stranger's names stand for, as far as the gate is told
STRANGER = "attack.example"
NAMES = {
    STRANGER: ["127.0.0.1"],
    "loopback.example": ["127.0.0.1"],
    "mixed.example": [PUBLIC, "127.0.0.1"],
    "mapped.example": ["::ffff:127.0.0.1"],
    "six.example": ["::1"],
    "any.example": ["0.0.0.0"],
    "private.example": ["10.0.0.5"],
    "metadata.example": ["169.254.169.254"],
    "nat64.example": ["64:ff9b::7f00:1"],
    "tunnel.example": ["2002:7f00:1::"],
}


@dataclass
class Inner:
    """What must never be reached: it remembers every connection, and of those that speak HTTP what they asked for."""

    port: int = 0
    reached: set[str] = field(default_factory=set)  # own addresses that somebody connected to
    lines: list[str] = field(default_factory=list)

    async def answer(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self.reached.add(writer.get_extra_info("sockname")[0])
        with contextlib.suppress(OSError):
            self.lines.append((await reader.readline()).decode("latin-1").strip())
            writer.write(
                b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nAccess-Control-Allow-Origin: *\r\n"
                b"Access-Control-Allow-Headers: *\r\nAccess-Control-Allow-Methods: *\r\nContent-Length: 6\r\n"
                b"Connection: close\r\n\r\nsecret"
            )
            await writer.drain()
        writer.close()


class Ear(asyncio.DatagramProtocol):
    """Hears datagrams at one of the inner server's addresses."""

    def __init__(self, inner: Inner, host: str) -> None:
        self._inner = inner
        self._host = host

    def datagram_received(self, data: bytes, addr: object) -> None:
        self._inner.reached.add(self._host)


@contextlib.contextmanager
def inner_server(addresses: Sequence[str]) -> Generator[Inner]:
    """Serve on one port of many loopback addresses."""
    inner = Inner(port=_free_port())
    loop = asyncio.new_event_loop()
    hosts = ["127.0.0.1", *addresses, *(["::1"] if _has_ipv6() else [])]
    server = loop.run_until_complete(asyncio.start_server(inner.answer, hosts, inner.port))
    ears = [loop.run_until_complete(_heard(inner, host)) for host in addresses]
    thread = threading.Thread(target=loop.run_forever, daemon=True)
    thread.start()
    try:
        yield inner
    finally:
        asyncio.run_coroutine_threadsafe(_closed(server, ears), loop).result(10)
        loop.call_soon_threadsafe(loop.stop)
        thread.join(10)
        loop.close()


@dataclass
class Said:
    """What the stranger answers."""

    status: int
    text: str
    headers: dict[str, str] = field(default_factory=dict)


def said_at(known: dict[str, Attack], path: str, query: str) -> Said:
    """Return the stranger's page at a path."""
    folder, _, rest = path.strip("/").partition("/")
    names = {attack.host: name for name, attack in known.items()}
    match folder:
        case "all":
            return Said(200, page_with_all(known))
        case "redirect":
            return Said(int(rest), "", {"Location": unquote(query)})
        case "frame":
            return Said(200, known[names[rest]].filled(FRAMES[names[rest]]))
        case "header":
            header, value = HEADERS[names[rest]]
            return Said(200, "<img src=/x.png>", {header: known[names[rest]].filled(value)})
        case "worker.js":
            code = f'fetch("{unquote(query.removeprefix("to="))}",{{mode:"no-cors"}})'
            return Said(200, code, {"Content-Type": "text/javascript"})
        case _:
            return Said(404 if folder else 200, "<title>stranger</title>")


@contextlib.contextmanager
def stranger_server(known: dict[str, Attack]) -> Generator[int]:
    """Serve a stranger's site, and yield its port."""

    class Pages(http.server.BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            path, _, query = self.path.partition("?")
            said = said_at(known, path, query)
            self.rfile.read(int(self.headers.get("content-length", "0")))
            self.send_response(said.status)
            for name, value in {"Content-Type": "text/html", "Cache-Control": "no-store", **said.headers}.items():
                self.send_header(name, value)
            self.end_headers()
            self.wfile.write(said.text.encode())

        def do_POST(self) -> None:
            self.do_GET()

        def log_message(self, format: str, *args: Any) -> None:
            pass

    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), Pages) as server:
        thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True)
        thread.start()
        yield server.server_address[1]
        server.shutdown()


class Internet:
    """The names that the gate is told of; `rebind.example` is public when it is first asked for, then inner."""

    def __init__(self, stranger_port: int) -> None:
        self.asked: list[str] = []
        self.dialled: list[tuple[str, int]] = []
        self._stranger_port = stranger_port

    def addresses(self, host: str, port: int) -> Sequence[str]:
        self.asked.append(host)
        if host == "rebind.example":
            return [PUBLIC if self.asked.count(host) == 1 else "127.0.0.1"]
        if host in NAMES:
            return NAMES[host]
        with contextlib.suppress(OSError):  # An address stands for itself, as the machine's own resolver has it.
            found = socket.getaddrinfo(host, port, proto=socket.IPPROTO_TCP, flags=socket.AI_NUMERICHOST)
            return [str(one[4][0]) for one in found]
        raise OSError(f"no such name: {host}")

    async def dial(self, address: str, port: int) -> Ends:
        self.dialled.append((address, port))
        if address != PUBLIC:
            return await dialled(address, port)
        reader, writer = await dialled("127.0.0.1", self._stranger_port)
        writer.__class__ = Abroad
        return reader, writer


class Abroad(asyncio.StreamWriter):
    """A connection whose far end passes for the public address."""

    def get_extra_info(self, name: str, default: Any = None) -> Any:
        return (PUBLIC, 80) if name == "peername" else super().get_extra_info(name, default)


async def _heard(inner: Inner, host: str) -> asyncio.DatagramTransport:
    loop = asyncio.get_running_loop()
    ear, _ = await loop.create_datagram_endpoint(lambda: Ear(inner, host), local_addr=(host, inner.port))
    return ear


async def _closed(server: asyncio.Server, ears: Sequence[asyncio.DatagramTransport]) -> None:
    server.close()
    for ear in ears:
        ear.close()
    others = asyncio.all_tasks() - {asyncio.current_task()}
    for task in others:
        task.cancel()
    await asyncio.gather(*others, return_exceptions=True)


def _free_port() -> int:
    with socket.create_server(("127.0.0.1", 0)) as found:
        return found.getsockname()[1]


def _has_ipv6() -> bool:
    with contextlib.suppress(OSError), socket.create_server(("::1", 0), family=socket.AF_INET6):
        return True
    return False
