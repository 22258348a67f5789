"""Answers of the replay's origin: policy, kinds, ranges, and nothing but the capture of the token."""

import http.client
import socket
from contextlib import ExitStack

from footfall.archive.replay_resources import digest_of
from footfall.archive.replay_tokens import token_for
from footfall.ports.capturing import Frame
from footfall.shells.http.archive_replay import AT_ONCE_MAX, Answer, replay_answer
from footfall.values.clock import SystemClock
from tests.archive.captured_pages import exchange
from tests.shells.http.replay_ground import SECRET, Shelf, headers_of, replaying

SHOWN_ON = "https://footfall.example"
FILM = bytes(range(256)) * 200


def shelf() -> Shelf:
    made = Shelf()
    frames = [
        Frame("https://site.example/", "<p>page<iframe src=/in></iframe>"),
        Frame("https://site.example/in", "<p>in"),
    ]
    made.keep(
        "01PAGE",
        frames,
        [
            exchange("https://site.example/film", FILM, "video/mp4"),
            exchange("https://site.example/a.css", b"p{background:url(b.png)}", "text/css; charset=latin1"),
            exchange("https://site.example/s.js", b"alert(1)", "text/javascript"),
            exchange("https://site.example/page", b"<script>alert(1)</script><p>old", "text/html"),
        ],
    )
    made.keep("01OTHER", [Frame("https://other.example/", "<p>of somebody else")], [])
    return made


MADE = shelf()


def path_to(url: str = "", *, what: str = "r", id: str = "01PAGE") -> str:
    token = token_for(id, secret=SECRET, now_ms=SystemClock().now_ms())
    return f"/{token}/{what}/{digest_of(url)}" if url else f"/{token}/{what}"


def answered(path: str, *, range_header: str = "") -> Answer:
    return replay_answer(path, range_header=range_header, reader=MADE.reader(), shown_on=SHOWN_ON)


def test_every_answer_has_the_policy_under_which_nothing_acts() -> None:
    paths = [
        path_to(what=""),
        path_to(what="f/1"),
        path_to("https://site.example/film"),
        path_to(what="f/9"),
        "/",
        "/x",
    ]
    for path in paths:
        headers = headers_of(answered(path).headers)
        policy = headers["Content-Security-Policy"]
        assert policy.startswith("default-src 'none'; ")
        assert "; sandbox" in policy
        assert "script-src" not in policy
        assert "allow-" not in policy
        assert headers["X-Content-Type-Options"] == "nosniff"
        assert headers["Referrer-Policy"] == "no-referrer"
        assert "Set-Cookie" not in headers
    assert f"frame-ancestors {SHOWN_ON}" in headers_of(answered(path_to(what="")).headers)["Content-Security-Policy"]


def test_parts_of_a_capture_come_under_their_kinds() -> None:
    page = answered(path_to(what="") + "?utm=1")
    assert (page.status, headers_of(page.headers)["Content-Type"]) == (200, "text/html; charset=utf-8")
    assert b"page" in page.body
    assert answered(path_to(what="f/1")).body.endswith(b"<body><p>in</p></body></html>")
    styles = answered(path_to("https://site.example/a.css"))
    assert headers_of(styles.headers)["Content-Type"] == "text/css; charset=utf-8"
    assert digest_of("https://site.example/b.png").encode() in styles.body
    assert (
        headers_of(answered(path_to("https://site.example/s.js")).headers)["Content-Type"] == "application/octet-stream"
    )
    assert b"script" not in answered(path_to("https://site.example/page")).body


def test_films_are_given_in_the_parts_that_are_asked_for() -> None:
    film = path_to("https://site.example/film")
    for header, first, last in (("bytes=0-99", 0, 99), ("bytes=51100-", 51_100, 51_199), ("bytes=-10", 51_190, 51_199)):
        part = answered(film, range_header=header)
        assert part.status == 206
        assert headers_of(part.headers)["Content-Range"] == f"bytes {first}-{last}/51200"
        assert part.body == FILM[first : last + 1]
    assert answered(film, range_header="bytes=99999-").status == 416
    for header in ("", "bytes=5-1", "bytes=a-b", "bytes=-", "items=0-1", "bytes=0-1,5-6"):
        whole = answered(film, range_header=header)
        assert (whole.status, whole.body) == (200, FILM)


def test_a_page_says_of_what_moment_and_of_what_address_it_is_and_its_parts_do_not() -> None:
    headers = headers_of(answered(path_to(what="")).headers)
    assert headers["Memento-Datetime"].endswith(" GMT")
    assert headers["Link"].endswith('; rel="original"')
    assert "Memento-Datetime" not in headers_of(answered(path_to(what="f/1")).headers)


def test_a_token_opens_nothing_but_its_capture() -> None:
    other = path_to(what="", id="01OTHER")
    assert b"somebody else" in answered(other).body
    assert b"somebody else" not in answered(path_to(what="")).body
    token = path_to(what="").removesuffix("/").removeprefix("/")
    for path in ("", "/", "/01PAGE", f"/{token}x/", f"/{token.replace('01PAGE', '01OTHER')}/", f"/{token}/../01OTHER/"):
        refused = answered(path)
        assert refused.status == 404
        assert b"page" not in refused.body.replace(b"a replayed page", b"")
    for rest in ("r/", "r/nonsense", "f/x", "f/99999999999", "to/%%%", "to/amF2YXNjcmlwdDp4", "what/1"):
        assert answered(f"/{token}/{rest}").status == 404, rest


def test_a_capture_that_was_removed_is_shown_no_more() -> None:
    made = shelf()
    reader = made.reader()
    assert replay_answer(path_to(what=""), range_header="", reader=reader, shown_on=SHOWN_ON).status == 200
    made.captures.clear()
    assert replay_answer(path_to(what=""), range_header="", reader=reader, shown_on=SHOWN_ON).status == 404


def test_a_server_answers_get_and_head_and_refuses_the_rest() -> None:
    with replaying(MADE, shown_on=SHOWN_ON) as replay:
        told: dict[str, tuple[int, bytes]] = {}
        for method in ("GET", "HEAD", "POST", "OPTIONS"):
            connection = http.client.HTTPConnection("127.0.0.1", replay.port, timeout=20)
            connection.request(method, path_to("https://site.example/film"), headers={"Cookie": "a=b"})
            answer = connection.getresponse()
            told[method] = (answer.status, answer.read())
            connection.close()
    assert told["GET"] == (200, FILM)
    assert told["HEAD"] == (200, b"")
    assert told["POST"][0] == told["OPTIONS"][0] == 501


def test_who_comes_and_says_nothing_keeps_nobody_from_being_heard() -> None:
    with replaying(MADE, shown_on=SHOWN_ON) as replay, ExitStack() as stack:
        for _ in range(60):
            stack.enter_context(socket.create_connection(("127.0.0.1", replay.port), timeout=20))
        connection = http.client.HTTPConnection("127.0.0.1", replay.port, timeout=20)
        connection.request("GET", path_to(what=""))
        assert connection.getresponse().status == 200
        for _ in range(AT_ONCE_MAX - 60):
            stack.enter_context(socket.create_connection(("127.0.0.1", replay.port), timeout=20))
        late = stack.enter_context(socket.create_connection(("127.0.0.1", replay.port), timeout=20))
        assert late.recv(12) == b"HTTP/1.1 503"
