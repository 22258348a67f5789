"""The lane on real sockets: what HTTP/1.1 asks for."""

import asyncio

import pytest

from footfall.shells.http.lane import Exchange
from footfall.shells.http.wire import response
from tests.shells.http.clients import Slow, echo, get, post, refused, run, served, until


def test_a_connection_is_kept_and_asked_again() -> None:
    async def work() -> None:
        async with served({}, echo) as here:
            client = await here.connect()
            for number in range(5):
                answer = await client.ask(get(f"/{number}"))
                assert (answer.status, answer.body) == (200, b"GET /%d " % number)
                assert answer.headers["date"] == "Sun, 15 Nov 2026 12:00:00 GMT"
                assert "connection" not in answer.headers
            assert (here.lane.requests, len(here.lane.connections)) == (5, 1)

    run(work())


def test_routes_are_found_by_path_whatever_the_query() -> None:
    async def work() -> None:
        routes = {b"/a": lambda exchange: exchange.reply(response(200, b"a"))}
        async with served(routes, echo) as here:
            client = await here.connect()
            assert (await client.ask(get("/a?x=1?y"))).body == b"a"
            assert (await client.ask(get("/ab"))).body == b"GET /ab "

    run(work())


def test_who_asks_for_the_end_gets_it() -> None:
    async def work() -> None:
        async with served({}, echo) as here:
            for request in (get("/", "connection: close"), b"GET / HTTP/1.0\r\n\r\n"):
                client = await here.connect()
                answer = await client.ask(request)
                assert (answer.status, answer.headers["connection"]) == (200, "close")
                assert await client.rest() == b""

    run(work())


def test_pipelined_requests_are_answered_in_order() -> None:
    async def work() -> None:
        slow = Slow()
        async with served({b"/slow": slow}, echo) as here:
            client = await here.connect()
            await client.send(get("/1") + get("/slow") + post(b"two", target="/2") + get("/slow") + get("/3"))
            assert (await client.answer()).body == b"GET /1 "
            await until(lambda: len(slow.asked) == 1)
            await asyncio.sleep(0.02)
            slow.answer_next()
            assert (await client.answer()).body == b"GET /slow "
            assert (await client.answer()).body == b"POST /2 two"
            await until(lambda: len(slow.asked) == 1)
            slow.answer_next()
            assert [(await client.answer()).body for _ in range(2)] == [b"GET /slow ", b"GET /3 "]

    run(work())


def test_thousands_of_requests_behind_a_slow_one_are_all_answered() -> None:
    async def work() -> None:
        slow = Slow()
        async with served({b"/slow": slow}, echo) as here:
            client = await here.connect()
            await client.send(get("/slow") + get("/x") * 3_000)
            await until(lambda: len(slow.asked) == 1)
            await asyncio.sleep(0.05)
            slow.answer_next()
            bodies = [(await client.answer()).body for _ in range(3_001)]
            assert bodies == [b"GET /slow ", *[b"GET /x "] * 3_000]
            assert (await client.ask(get("/again"))).body == b"GET /again "

    run(work())


def test_a_client_that_reads_late_gets_everything_in_order() -> None:
    async def work() -> None:
        async with served({}, lambda exchange: exchange.reply(response(200, exchange.target * 10_000))) as here:
            client = await here.connect()
            await client.send(b"".join(get(f"/{number:03}") for number in range(300)))
            await asyncio.sleep(0.1)
            for number in range(300):
                assert (await client.answer()).body == b"/%03d" % number * 10_000

    run(work())


def test_a_request_may_come_byte_by_byte() -> None:
    async def work() -> None:
        async with served({}, echo) as here:
            client = await here.connect()
            for byte in post(b"hit", "x-more: yes"):
                await client.send(bytes([byte]))
                await asyncio.sleep(0)
            assert (await client.answer()).body == b"POST / hit"

    run(work())


def test_a_chunked_body_is_put_together() -> None:
    async def work() -> None:
        async with served({}, echo) as here:
            client = await here.connect()
            head = b"POST /c HTTP/1.1\r\nhost: x\r\ntransfer-encoding: chunked\r\n\r\n"
            await client.send(head + b"3\r\none\r\n")
            await asyncio.sleep(0.01)
            assert (await client.ask(b"4;x=y\r\n two\r\n0\r\n\r\n")).body == b"POST /c one two"

    run(work())


def test_who_expects_a_word_before_sending_gets_it() -> None:
    async def work() -> None:
        async with served({}, echo) as here:
            client = await here.connect()
            await client.send(b"POST / HTTP/1.1\r\nhost: x\r\ncontent-length: 3\r\nexpect: 100-continue\r\n\r\n")
            assert await client.reader.readuntil(b"\r\n\r\n") == b"HTTP/1.1 100 Continue\r\n\r\n"
            assert (await client.ask(b"hit")).body == b"POST / hit"

    run(work())


def test_head_gets_the_head_of_what_get_would() -> None:
    async def work() -> None:
        async with served({}, echo) as here:
            client = await here.connect()
            await client.send(b"HEAD /h HTTP/1.1\r\nhost: x\r\n\r\n" + get("/g"))
            answer = await client.answer(bodiless=True)
            assert (answer.status, answer.headers["content-length"]) == (200, "8")
            assert (await client.answer()).body == b"GET /g "

    run(work())


def test_a_header_that_stands_twice_is_joined_and_one_not_sent_is_empty() -> None:
    async def work() -> None:
        def route(exchange: Exchange) -> None:
            exchange.reply(
                response(200, f"{exchange.header(b'x-a')}|{exchange.header(b'x-b')}|{exchange.peer}".encode())
            )

        async with served({}, route) as here:
            client = await here.connect()
            assert (await client.ask(get("/", "X-A: 1", "x-a: 2"))).body == b"1, 2||127.0.0.1"

    run(work())


def test_the_first_answer_counts() -> None:
    async def work() -> None:
        def twice(exchange: Exchange) -> None:
            echo(exchange)
            exchange.reply(response(500, b""))

        async with served({}, twice) as here:
            client = await here.connect()
            await client.send(get("/1") + get("/2"))
            assert [(await client.answer()).body for _ in range(2)] == [b"GET /1 ", b"GET /2 "]

    run(work())


@pytest.mark.parametrize("upgrade", ["websocket", "h2c"])
def test_the_wish_to_speak_something_else_is_not_heard(upgrade: str) -> None:
    async def work() -> None:
        async with served({}, echo) as here:
            client = await here.connect()
            answer = await client.ask(get("/u", "connection: Upgrade", f"upgrade: {upgrade}"))
            assert (answer.status, answer.body) == (200, b"GET /u ")
            client = await here.connect()
            answer = await client.ask(post(b"hit", "connection: Upgrade", f"upgrade: {upgrade}"))
            assert (answer.status, answer.body) == (200, b"POST / hit")
            assert await refused(here, b"CONNECT x:443 HTTP/1.1\r\nhost: x\r\n\r\n") == 405

    run(work())


@pytest.mark.parametrize(
    "data",
    [b"hello\r\n\r\n", b"\x16\x03\x01\x02\x00\x01\x00", b"GET / HTTP/9.9\r\n\r\n", b"GET\r\n\r\n",
     b"POST / HTTP/1.1\r\nhost: x\r\ncontent-length: x\r\n\r\n", b"GET / HTTP/1.1\r\nbad header\r\n\r\n",
     b"POST / HTTP/1.1\r\nhost: x\r\ncontent-length: 1\r\ncontent-length: 2\r\n\r\n",
     b"POST / HTTP/1.1\r\nhost: x\r\ntransfer-encoding: chunked\r\n\r\nzz\r\n"],
)  # fmt: skip
def test_what_is_not_http_is_refused(data: bytes) -> None:
    async def work() -> None:
        async with served({}, echo) as here:
            assert await refused(here, data) == 400
            await until(lambda: not here.lane.connections)

    run(work())


def test_what_came_before_garbage_is_answered_before_the_refusal() -> None:
    async def work() -> None:
        slow = Slow()
        async with served({b"/slow": slow}, echo) as here:
            client = await here.connect()
            await client.send(post(b"hit", target="/slow") + get("/2") + b"garbage\r\n\r\n")
            await until(lambda: len(slow.asked) == 1)
            await asyncio.sleep(0.02)
            slow.answer_next()
            answers = [await client.answer() for _ in range(3)]
            assert [answer.status for answer in answers] == [200, 200, 400]
            assert answers[0].body == b"POST /slow hit"
            assert await client.rest() == b""

    run(work())


def test_a_client_that_stopped_sending_still_gets_its_answers() -> None:
    async def work() -> None:
        slow = Slow()
        async with served({b"/slow": slow}, echo) as here:
            client = await here.connect()
            await client.send(get("/slow") + get("/2"))
            client.writer.write_eof()
            await until(lambda: len(slow.asked) == 1)
            await asyncio.sleep(0.02)
            slow.answer_next()
            assert [(await client.answer()).body for _ in range(2)] == [b"GET /slow ", b"GET /2 "]
            assert await client.rest() == b""
            await until(lambda: not here.lane.connections)

    run(work())


def test_a_client_that_stops_in_the_middle_is_told_so() -> None:
    async def work() -> None:
        async with served({}, echo) as here:
            client = await here.connect()
            await client.send(post(b"a hit that is cut off")[:-5])
            client.writer.write_eof()
            assert (await client.answer()).status == 400
            await until(lambda: not here.lane.connections)
            assert here.lane.buffered_bytes == 0

    run(work())


def test_a_route_that_fails_is_our_defect_and_not_the_end_of_the_connection(caplog: pytest.LogCaptureFixture) -> None:
    async def work() -> None:
        def broken(exchange: Exchange) -> None:
            raise RuntimeError(exchange.target)

        async with served({b"/broken": broken}, echo) as here:
            client = await here.connect()
            assert (await client.ask(get("/broken"))).status == 500
            assert (await client.ask(get("/2"))).body == b"GET /2 "

    run(work())
    assert "a route failed" in caplog.text


def test_an_answer_made_as_it_goes_is_sent_in_parts_and_the_next_request_follows() -> None:
    async def work() -> None:
        def parts(exchange: Exchange) -> None:
            exchange.stream(b"HTTP/1.1 200 OK\r\ncontent-length: 6\r\n\r\n", is_last=False)
            exchange.stream(b"one", is_last=False)
            asyncio.get_running_loop().call_later(0.02, lambda: exchange.stream(b"two", is_last=True))

        async with served({b"/parts": parts}, echo) as here:
            client = await here.connect()
            await client.send(get("/parts") + get("/2"))
            assert [(await client.answer()).body for _ in range(2)] == [b"onetwo", b"GET /2 "]

    run(work())


def test_draining_ends_idle_connections_at_once_and_busy_ones_with_their_answer() -> None:
    async def work() -> None:
        slow = Slow()
        async with served({b"/slow": slow}, echo) as here:
            idle, busy = await here.connect(), await here.connect()
            await idle.ask(get("/"))
            await busy.send(get("/slow"))
            await until(lambda: len(slow.asked) == 1)
            here.lane.drain()
            assert await idle.rest() == b""
            slow.answer_next()
            answer = await busy.answer()
            assert (answer.body, answer.headers["connection"]) == (b"GET /slow ", "close")
            await until(lambda: not here.lane.connections)

    run(work())
