"""The gate as whoever speaks to it sees it: tokens, limits, what it says, and what it passes on."""

import base64
import contextlib
import socket
import socketserver
import threading
from collections.abc import Callable, Generator

import pytest

from footfall.adapters.gate.gate_proxy import GateProxy, NoSuchJob
from footfall.adapters.gate.jobs import Limits, TooManyJobs
from footfall.adapters.gate.passing import Ends, dialled
from footfall.ports.capturing import Reason
from footfall.values.public_addresses import Policy

WAIT_S_MAX = 20.0
Answer = Callable[[socket.socket, bytes], None]


@contextlib.contextmanager
def host(answer: Answer) -> Generator[tuple[int, list[bytes]]]:
    """Serve on loopback, and yield the port and the heads that came."""
    heads: list[bytes] = []

    class Handler(socketserver.BaseRequestHandler):
        def handle(self) -> None:
            head = b""
            while b"\r\n\r\n" not in head and (data := self.request.recv(65_536)):
                head += data
            heads.append(head)
            with contextlib.suppress(OSError):
                answer(self.request, head)

    with socketserver.ThreadingTCPServer(("127.0.0.1", 0), Handler) as server:
        server.daemon_threads = True
        threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True).start()
        yield server.server_address[1], heads
        server.shutdown()


def hello(line: socket.socket, _head: bytes) -> None:
    line.sendall(
        b"HTTP/1.1 200 OK\r\nContent-Length: 5\r\nConnection: keep-alive\r\nX-Footfall-Blocked: forged\r\n"
        b"Keep-Alive: 9\r\n\r\nhello"
    )


def endless(line: socket.socket, _head: bytes) -> None:
    line.sendall(b"HTTP/1.1 200 OK\r\n\r\n")
    while True:
        line.sendall(b"x" * 65_536)


def silent(line: socket.socket, _head: bytes) -> None:
    while line.recv(65_536):
        pass


def gate_to(port: int, limits: Limits | None = None) -> GateProxy:
    return GateProxy(Policy(frozenset({("site.example", port)})), limits, resolve=lambda _host, _port: ["127.0.0.1"])


def connected(gate: GateProxy) -> socket.socket:
    return socket.create_connection(("127.0.0.1", int(gate.address.rpartition(":")[2])), timeout=WAIT_S_MAX)


def said(gate: GateProxy, token: str, first: str, *more: str) -> bytes:
    """Return everything that the gate says to a head."""
    with connected(gate) as line:
        line.sendall("\r\n".join([first, *more, *proof(token), "", ""]).encode("latin-1"))
        return everything(line)


def everything(line: socket.socket) -> bytes:
    answer = b""
    with contextlib.suppress(ConnectionResetError):
        while data := line.recv(65_536):
            answer += data
    return answer


def proof(token: str) -> list[str]:
    return [f"Proxy-Authorization: Basic {base64.b64encode(f'job:{token}'.encode()).decode()}"] if token else []


def status(answer: bytes) -> int:
    return int(answer.split(b" ", 2)[1])


def test_nobody_passes_without_the_token_of_an_open_job() -> None:
    with host(hello) as (port, heads), gate_to(port) as gate:
        closed = gate.open_job()
        gate.close_job(closed)
        url = f"GET http://site.example:{port}/ HTTP/1.1"
        answers = [said(gate, token, url) for token in ("", "wrong", closed)]
        answers.append(said(gate, "", f"CONNECT site.example:{port} HTTP/1.1"))
        answers.append(said(gate, "", url, "Proxy-Authorization: Bearer x"))
        answers.append(said(gate, "", url, "Proxy-Authorization: Basic %%%"))
        assert [status(answer) for answer in answers] == [407] * 6
        assert all(b"Proxy-Authenticate: Basic" in answer for answer in answers)
        assert heads == []
        for asked in (gate.job, gate.close_job):
            with pytest.raises(NoSuchJob):
                asked(closed)


def test_a_request_is_passed_on_without_what_is_between_browser_and_gate() -> None:
    with host(hello) as (port, heads), gate_to(port) as gate:
        token = gate.open_job()
        answer = said(
            gate,
            token,
            f"GET http://SITE.example:{port}/a?b=c HTTP/1.1",
            "Host: elsewhere.example",
            "Proxy-Connection: keep-alive",
            "Connection: keep-alive, X-Between",
            "X-Between: 1",
            "X-Kept: 2",
        )
        head = heads[0].decode()
        assert head.startswith(f"GET /a?b=c HTTP/1.1\r\nHost: SITE.example:{port}\r\n")
        assert [name for name in ("Proxy", "elsewhere", "X-Between", "keep-alive") if name in head] == []
        assert "X-Kept: 2\r\nConnection: close\r\n" in head
        # A browser is told to use the connection no more, and never hears in our name what a host says.
        assert answer == b"HTTP/1.1 200 OK\r\nContent-Length: 5\r\nConnection: close\r\n\r\nhello"
        seen = gate.close_job(token)
        assert (seen.hosts, seen.connections, seen.blocked, seen.is_over) == (("site.example",), 1, (), None)
        assert seen.bytes == len(head) + len(hello_bytes())


def hello_bytes() -> bytes:
    near, far = socket.socketpair()
    with near, far:
        hello(far, b"")
        return near.recv(65_536)


def test_a_tunnel_carries_bytes_both_ways() -> None:
    def echo(line: socket.socket, head: bytes) -> None:
        line.sendall(head)

    with host(echo) as (port, _), gate_to(port) as gate, connected(gate) as line:
        token = gate.open_job()
        line.sendall("\r\n".join([f"CONNECT site.example:{port} HTTP/1.1", *proof(token), "", ""]).encode())
        assert line.recv(65_536) == b"HTTP/1.1 200 Connection established\r\n\r\n"
        line.sendall(b"\x16\x03 whatever \r\n\r\n")
        assert everything(line) == b"\x16\x03 whatever \r\n\r\n"
        assert gate.job(token).bytes == 2 * len(b"\x16\x03 whatever \r\n\r\n")


def test_a_websocket_may_be_asked_for_without_a_tunnel() -> None:
    def switch(line: socket.socket, _head: bytes) -> None:
        line.sendall(b"HTTP/1.1 101 Switching\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n\x81\x02hi")

    with host(switch) as (port, heads), gate_to(port) as gate:
        answer = said(
            gate,
            gate.open_job(),
            f"GET http://site.example:{port}/ HTTP/1.1",
            "Connection: Upgrade",
            "Upgrade: websocket",
        )
        assert b"Connection: Upgrade\r\nUpgrade: websocket\r\n" in heads[0]
        assert answer.endswith(b"Connection: Upgrade\r\nUpgrade: websocket\r\n\r\n\x81\x02hi")


@pytest.mark.parametrize(
    "first",
    [
        "GET https://site.example:PORT/ HTTP/1.1", "GET ftp://site.example:PORT/ HTTP/1.1", "GET / HTTP/1.1",
        "GET http://a@site.example:PORT/ HTTP/1.1", "GET http://site.example:PORT\\@x/ HTTP/1.1",
        "GET http://site%2eexample:PORT/ HTTP/1.1", "GET http://[::1/ HTTP/1.1", "GET file:///etc/passwd HTTP/1.1",
        "CONNECT site.example HTTP/1.1", "CONNECT site.example:0 HTTP/1.1", "CONNECT site.example:65536 HTTP/1.1",
        "CONNECT http://site.example:PORT/ HTTP/1.1", "GET http://site.example:PORT/ HTTP/2", "\x16\x03\x01",
        "GET  http://site.example:PORT/ HTTP/1.1", "get x y z", "GET http://site.example:PORT/ HTTP/1.1 x",
    ],
)  # fmt: skip
def test_what_no_browser_writes_is_refused(first: str) -> None:
    with host(hello) as (port, heads), gate_to(port) as gate:
        answer = said(gate, gate.open_job(), first.replace("PORT", str(port)))
        assert status(answer) == 400
        assert heads == []


def test_a_refused_host_is_told_and_remembered_with_its_reason() -> None:
    def addresses(name: str, _port: int) -> list[str]:
        if name == "nowhere.example":
            raise OSError("no such name")
        return {"inner.example": ["10.0.0.1"], "mixed.example": ["93.184.215.14", "127.0.0.1"]}.get(name, ["127.0.0.1"])

    with host(hello) as (port, heads):
        closed_port = free_port()
        policy = Policy(frozenset({("site.example", closed_port)}), ports=frozenset({80, 443, port}))
        with GateProxy(policy, resolve=addresses) as gate:
            token = gate.open_job()
            hosts = [
                "127.0.0.1",
                "inner.example",
                "mixed.example",
                "localhost",
                "clients2.google.com",
                "nowhere.example",
            ]
            answers = [said(gate, token, f"GET http://{name}:{port}/ HTTP/1.1") for name in hosts]
            answers.append(said(gate, token, "CONNECT edgedl.me.gvt1.com:443 HTTP/1.1"))
            answers.append(said(gate, token, f"CONNECT site.example:{closed_port} HTTP/1.1"))
            assert [status(answer) for answer in answers] == [403] * 5 + [502, 403, 502]
            assert [b"X-Footfall-Blocked: blocked-address" in answer for answer in answers] == [True] * 5 + [
                False,
                True,
                False,
            ]
            assert b"X-Footfall-Failed: no-such-host" in answers[5]
            assert b"X-Footfall-Failed: no-connection" in answers[7]
            seen = gate.job(token)
            assert [refusal.host for refusal in seen.blocked] == [*hosts[:5], "edgedl.me.gvt1.com"]
            refusal = seen.refusal_of("nowhere.example", port)
            assert refusal is not None
            assert (refusal.reason, seen.refusal_of("never.example", 80)) == (Reason.NO_SUCH_HOST, None)
            assert heads == []


def test_a_connection_that_ends_elsewhere_than_it_was_sent_is_refused() -> None:
    with host(hello) as (port, heads):

        async def astray(_address: str, _port: int) -> Ends:
            return await dialled("127.0.0.1", port)

        with GateProxy(Policy(), resolve=lambda _host, _port: ["93.184.215.14"], dial=astray) as gate:
            answer = said(gate, gate.open_job(), "GET http://news.example/ HTTP/1.1")
        assert b"X-Footfall-Blocked" in answer
        assert b"127.0.0.1" in answer
        assert b"".join(heads) == b""


def test_a_name_is_resolved_once_for_each_connection_and_every_address_is_tried() -> None:
    asked: list[str] = []
    tried: list[str] = []

    def addresses(name: str, _port: int) -> list[str]:
        asked.append(name)
        return ["127.0.0.9", "127.0.0.1"]

    async def dial(address: str, port: int) -> Ends:
        tried.append(address)
        if address == "127.0.0.9":
            raise ConnectionRefusedError
        return await dialled(address, port)

    with host(hello) as (port, _):
        policy = Policy(frozenset({("site.example", port)}))
        with GateProxy(policy, resolve=addresses, dial=dial) as gate:
            assert status(said(gate, gate.open_job(), f"GET http://site.example:{port}/ HTTP/1.1")) == 200
    assert (asked, tried) == (["site.example"], ["127.0.0.9", "127.0.0.1"])


def test_an_endless_answer_ends_with_the_job_s_bytes_and_nothing_passes_any_more() -> None:
    with host(endless) as (port, _), gate_to(port) as gate:
        token, other = gate.open_job(bytes_max=1_000_000), gate.open_job(bytes_max=2_000_000)
        url = f"GET http://site.example:{port}/ HTTP/1.1"
        assert len(said(gate, token, url)) <= 1_100_000
        assert gate.job(token).is_over is Reason.TOO_LARGE
        assert b"X-Footfall-Failed: too-large" in said(gate, token, url)
        assert len(said(gate, other, url)) > 1_100_000  # One job's limit is not another's.


def test_a_host_that_says_nothing_ends_with_the_job_s_time() -> None:
    with host(silent) as (port, _), gate_to(port) as gate:
        token = gate.open_job(time_ms_max=200)
        assert said(gate, token, f"GET http://site.example:{port}/ HTTP/1.1") == b""
        assert gate.job(token).is_over is Reason.TOO_SLOW


def test_closing_a_job_ends_its_connections_and_no_other_s() -> None:
    with host(silent) as (port, _), gate_to(port) as gate, connected(gate) as line, connected(gate) as other:
        tokens = [gate.open_job(), gate.open_job()]
        for one, token in zip((line, other), tokens, strict=True):
            one.sendall("\r\n".join([f"CONNECT site.example:{port} HTTP/1.1", *proof(token), "", ""]).encode())
            assert one.recv(65_536).startswith(b"HTTP/1.1 200")
        gate.close_job(tokens[0])
        assert everything(line) == b""
        other.settimeout(0.1)
        with pytest.raises(TimeoutError):
            other.recv(1)


def test_a_job_has_so_many_connections_at_a_time_and_the_gate_so_many_jobs() -> None:
    with (
        host(silent) as (port, _),
        gate_to(port, Limits(connections_max=1, jobs_max=1)) as gate,
        connected(gate) as line,
    ):
        token = gate.open_job()
        with pytest.raises(TooManyJobs):
            gate.open_job()
        first = f"CONNECT site.example:{port} HTTP/1.1"
        line.sendall("\r\n".join([first, *proof(token), "", ""]).encode())
        assert line.recv(65_536).startswith(b"HTTP/1.1 200")
        assert b"X-Footfall-Failed: too-large" in said(gate, token, first)


@pytest.mark.parametrize(
    "answer", [b"", b"hello", b"HTTP/1.1 407 Tell me\r\nProxy-Authenticate: Basic\r\n\r\n", b"HTTP/1.1 2"]
)
def test_an_answer_that_is_none_is_no_connection(answer: bytes) -> None:
    with host(lambda line, _: line.sendall(answer)) as (port, _), gate_to(port) as gate:
        told = said(gate, gate.open_job(), f"GET http://site.example:{port}/ HTTP/1.1")
        assert b"X-Footfall-Failed: no-connection" in told


def test_an_old_server_s_answer_is_understood() -> None:
    def old(line: socket.socket, _head: bytes) -> None:
        line.sendall(b"HTTP/1.1 103 Early Hints\r\nLink: x\r\n\r\nHTTP/1.0 200\nA: b\n\nhello")

    with host(old) as (port, _), gate_to(port) as gate:
        told = said(gate, gate.open_job(), f"GET http://site.example:{port} HTTP/1.1")
        assert told.endswith(b"HTTP/1.0 200\r\nA: b\r\nConnection: close\r\n\r\nhello")


def test_the_gate_ends_with_everything_it_began() -> None:
    before = {thread.name for thread in threading.enumerate()}
    with host(silent) as (port, _):
        gate = gate_to(port)
        gate.start()
        line = connected(gate)
        line.sendall("\r\n".join([f"CONNECT site.example:{port} HTTP/1.1", *proof(gate.open_job()), "", ""]).encode())
        assert line.recv(65_536).startswith(b"HTTP/1.1 200")
        gate.close()
        gate.close()
        assert everything(line) == b""
        line.close()
        assert "gate" not in {thread.name for thread in threading.enumerate()} - before


def free_port() -> int:
    with socket.create_server(("127.0.0.1", 0)) as found:
        return found.getsockname()[1]
