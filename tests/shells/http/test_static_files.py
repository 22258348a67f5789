"""The page's files, asked for over a real connection to a lane."""

import asyncio

from footfall.shells.http.lane import Exchange, Lane, LaneLimits
from footfall.shells.http.static_files import static_routes, static_text
from footfall.values.clock import SystemClock

LIMITS = LaneLimits(
    body_bytes_max=1_000,
    pending_bytes_max=10_000,
    connections_max=10,
    head_s_max=5.0,
    body_s_max=5.0,
    idle_s_max=5.0,
)


def asked(request: str) -> tuple[int, dict[str, str], bytes]:
    """Return status, headers and body of the answer to a request that ends its connection."""

    async def ask() -> bytes:
        def nowhere(exchange: Exchange) -> None:
            raise AssertionError(exchange.target)

        server = await asyncio.get_running_loop().create_server(
            Lane(static_routes(), nowhere, limits=LIMITS, clock=SystemClock()), "127.0.0.1", 0
        )
        async with server:
            reader, writer = await asyncio.open_connection(*server.sockets[0].getsockname())
            writer.write(request.encode())
            answer = await reader.read()
            writer.close()
            return answer

    head, _, body = asyncio.run(ask()).partition(b"\r\n\r\n")
    status, *lines = head.decode().split("\r\n")
    return int(status.split()[1]), dict(line.split(": ", 1) for line in lines), body


def get(path: str, *, method: str = "GET", more: str = "") -> tuple[int, dict[str, str], bytes]:
    return asked(f"{method} {path} HTTP/1.1\r\nhost: x\r\nconnection: close\r\n{more}\r\n")


def test_a_file_is_sent_whole_with_its_guards() -> None:
    status, headers, body = get("/static/page.css")
    assert status == 200
    assert body.decode() == static_text("page.css")
    assert headers["content-type"].startswith("text/css")
    assert "default-src 'none'" in headers["content-security-policy"]
    assert headers["x-content-type-options"] == "nosniff"


def test_an_unchanged_file_is_not_sent_again() -> None:
    etag = get("/static/page.css")[1]["etag"]
    status, headers, body = get("/static/page.css", more=f'if-none-match: "other", {etag}\r\n')
    assert (status, body, headers["etag"]) == (304, b"", etag)
    assert get("/static/page.css", more='if-none-match: "other"\r\n')[0] == 200


def test_head_sends_no_body_and_other_methods_are_refused() -> None:
    assert get("/static/page.css", method="HEAD")[2] == b""
    status, headers, _ = get("/static/page.css", method="DELETE")
    assert (status, headers["allow"]) == (405, "GET, HEAD")
