"""The lane under strain: what a stranger cannot make us hold, and how long it may take."""

import asyncio
import socket
from dataclasses import replace

import pytest

from footfall.shells.http import lane as lane_module
from footfall.shells.http.lane import HEAD_BYTES_MAX, Connection, Exchange
from footfall.shells.http.wire import response
from tests.shells.http.clients import LIMITS, Slow, echo, get, post, refused, run, served, until


def test_who_expects_a_word_for_too_large_a_body_gets_only_the_problem() -> None:
    async def work() -> None:
        async with served({}, echo) as here:
            client = await here.connect()
            await client.send(b"POST / HTTP/1.1\r\nhost: x\r\nexpect: 100-continue\r\ncontent-length: 10001\r\n\r\n")
            assert (await client.answer()).status == 413

    run(work())


def test_a_body_too_large_is_refused_by_its_length_and_by_its_chunks() -> None:
    async def work() -> None:
        async with served({}, echo) as here:
            client = await here.connect()
            assert (await client.ask(post(bytes(10_000)))).status == 200
            assert await refused(here, post(bytes(10_001))) == 413
            chunked = b"POST / HTTP/1.1\r\nhost: x\r\ntransfer-encoding: chunked\r\n\r\n"
            assert await refused(here, chunked + b"1000\r\n" + bytes(4_096) + b"\r\n2000\r\n" + bytes(8_192)) == 413
            assert (
                await refused(here, b"GET / HTTP/1.1\r\nhost: x\r\ncontent-length: 10001\r\n\r\n" + bytes(10_001))
                == 413
            )
            assert here.lane.buffered_bytes == 0

    run(work())


def test_a_head_too_large_is_refused() -> None:
    async def work() -> None:
        async with served({}, echo) as here:
            client = await here.connect()
            assert (await client.ask(get("/" + "a" * (HEAD_BYTES_MAX - 100)))).status == 200
            assert await refused(here, get("/" + "a" * HEAD_BYTES_MAX)) == 431
            assert await refused(here, get("/", f"x: {'a' * HEAD_BYTES_MAX}")) == 431
            assert await refused(here, get("/", *[f"x-{n}: {'a' * 100}" for n in range(200)])) == 431

    run(work())


def test_slow_heads_and_bodies_are_given_up(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(lane_module, "SWEEP_S", 0.05)
    monkeypatch.setattr(lane_module, "LINGER_S", 0.1)

    async def work() -> None:
        limits = replace(LIMITS, head_s_max=0.2, body_s_max=0.2, idle_s_max=0.2)
        async with served({}, echo, limits=limits) as here:
            silent, slow_head, slow_body, slow_chunks, idle = [await here.connect() for _ in range(5)]
            await slow_head.send(b"GET / HTTP/1.1\r\nhost: x\r\nx-a")
            await slow_body.send(b"POST / HTTP/1.1\r\nhost: x\r\ncontent-length: 50\r\n\r\nabc")
            await slow_chunks.send(b"POST / HTTP/1.1\r\nhost: x\r\ntransfer-encoding: chunked\r\n\r\n5\r\nabc")
            assert (await idle.ask(get("/"))).status == 200
            assert (await slow_head.answer()).status == 408
            assert (await slow_body.answer()).status == 408
            assert (await slow_chunks.answer()).status == 408
            assert [await client.rest() for client in (silent, idle, slow_body)] == [b"", b"", b""]
            await until(lambda: not here.lane.connections)
            assert here.lane.buffered_bytes == 0

    run(work())


def test_a_head_that_trickles_is_given_up_however_often_a_byte_comes(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(lane_module, "SWEEP_S", 0.05)
    monkeypatch.setattr(lane_module, "LINGER_S", 0.3)

    async def work() -> None:
        async with served({}, echo, limits=replace(LIMITS, head_s_max=0.3)) as here:
            client = await here.connect()
            await client.send(b"GET / HTTP/1.1\r\n")
            for number in range(200):
                if client.reader.at_eof() or not here.lane.connections:
                    break
                client.writer.write(b"x-%d: 1\r\n" % number)
                await asyncio.sleep(0.02)
            assert (await client.answer()).status == 408

    run(work())


def test_a_route_that_takes_its_time_is_waited_for(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(lane_module, "SWEEP_S", 0.02)

    async def work() -> None:
        slow = Slow()
        limits = replace(LIMITS, head_s_max=0.1, body_s_max=0.1, idle_s_max=0.1)
        async with served({}, slow, limits=limits) as here:
            client = await here.connect()
            await client.send(post(b"hit"))
            await asyncio.sleep(0.4)
            slow.answer_next()
            assert (await client.answer()).body == b"POST / hit"

    run(work())


def test_one_connection_too_many_is_told_so_and_room_is_made_again() -> None:
    async def work() -> None:
        async with served({}, echo, limits=replace(LIMITS, connections_max=3)) as here:
            clients = [await here.connect() for _ in range(3)]
            for client in clients:
                assert (await client.ask(get("/"))).status == 200
            answer = await (await here.connect()).answer()
            assert (answer.status, answer.headers["retry-after"]) == (503, "1")
            for client in here.clients[2:]:
                client.close()
            await until(lambda: len(here.lane.connections) == 2)
            assert (await (await here.connect()).ask(get("/"))).status == 200

    run(work())


def test_more_bodies_than_can_be_held_are_turned_away() -> None:
    async def work() -> None:
        async with served({}, echo, limits=replace(LIMITS, pending_bytes_max=20_000)) as here:
            senders = [await here.connect() for _ in range(4)]
            for sender in senders[:3]:
                await sender.send(post(bytes(9_000))[:-2_000])
            answers = [asyncio.create_task(sender.answer()) for sender in senders[:3]]
            done, waiting = await asyncio.wait(answers, timeout=10, return_when=asyncio.FIRST_COMPLETED)
            assert [task.result().status for task in done] == [429]
            assert [task.result().headers["retry-after"] for task in done] == ["1"]
            for sender in senders[:3]:
                await sender.send(bytes(2_000))
            assert [answer.status for answer in await asyncio.gather(*waiting)] == [200, 200]
            assert here.lane.buffered_bytes == 0

    run(work())


def test_bodies_that_wait_behind_a_slow_request_are_counted_as_held() -> None:
    async def work() -> None:
        slow = Slow()
        async with served({b"/slow": slow}, echo, limits=replace(LIMITS, pending_bytes_max=50_000)) as here:
            client = await here.connect()
            await client.send(get("/slow") + post(bytes(9_000)) * 4)
            await until(lambda: here.lane.buffered_bytes == 36_000)
            await client.send(post(bytes(9_000)) * 4)
            await asyncio.sleep(0.05)
            assert here.lane.buffered_bytes <= 50_000
            slow.answer_next()
            statuses = [(await client.answer()).status for _ in range(7)]
            assert statuses == [200] * 6 + [429]
            assert await client.rest() == b""
            assert here.lane.buffered_bytes == 0

    run(work())


def test_waiting_bodies_are_let_go_with_their_connection() -> None:
    async def work() -> None:
        slow = Slow()
        async with served({b"/slow": slow}, echo) as here:
            client = await here.connect()
            await client.send(get("/slow") + post(bytes(9_000)) * 3 + post(bytes(9_000))[:-100])
            await until(lambda: here.lane.buffered_bytes == 35_900)
            client.reset()
            await until(lambda: not here.lane.connections)
            assert here.lane.buffered_bytes == 0
            slow.answer_next()

    run(work())


def test_a_client_that_does_not_read_makes_us_hold_little_and_is_let_go(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(lane_module, "SWEEP_S", 0.05)

    async def work() -> None:
        held: list[int] = []

        def large(exchange: Exchange) -> None:
            exchange.reply(response(200, bytes(100_000)))
            connection = exchange.connection
            assert isinstance(connection, Connection)
            assert connection._transport is not None
            held.append(connection._transport.get_write_buffer_size())

        async with served({}, large, limits=replace(LIMITS, head_s_max=0.5, idle_s_max=0.5)) as here:
            with socket.create_connection(("127.0.0.1", here.port)) as client:
                client.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4_096)
                client.setblocking(False)
                await asyncio.get_running_loop().sock_sendall(client, get("/") * 20)
                for _ in range(200):
                    try:
                        client.send(get("/") * 100)
                    except BlockingIOError:
                        break
                    await asyncio.sleep(0)
                await until(lambda: not here.lane.connections)
            assert len(held) < 200
            assert max(held) < 1_000_000

    run(work())


def test_two_thousand_idle_connections_disturb_nobody() -> None:
    async def work() -> None:
        async with served({}, echo) as here:
            loop = asyncio.get_running_loop()
            idle = [socket.socket() for _ in range(2_000)]
            for one in idle:
                one.setblocking(False)
            await asyncio.gather(*(loop.sock_connect(one, ("127.0.0.1", here.port)) for one in idle))
            await until(lambda: len(here.lane.connections) == 2_000)
            client = await here.connect()
            assert (await client.ask(get("/"))).status == 200
            await loop.sock_sendall(idle[-1], get("/last"))
            assert (await loop.sock_recv(idle[-1], 1_000)).endswith(b"GET /last ")
            for one in idle:
                one.close()
            await until(lambda: len(here.lane.connections) == 1)

    run(work())
