"""A stop under load: it ends within ten seconds, well, and everything acknowledged is there afterwards."""

import http.client
import json
import signal
import threading
import time
from pathlib import Path

from tests.scenarios.instance import Starter, free_port, hit
from tests.scenarios.test_crowds import HEAD, connected
from tests.scenarios.witness import Witness, settled


def test_a_stop_under_load_loses_nothing(starter: Starter, data: Path) -> None:
    port = free_port()
    instance = starter.start(data, port=port)
    witness = Witness(port)
    with witness.sending():
        for _ in range(2):
            time.sleep(0.7)
            took_s = instance.terminate()
            print(f"stopped under load in {took_s:.2f} s")
            assert "did not finish in time" not in instance.said()
            instance = starter.start(data, port=port)
        witness.check()
    settled(port, witness.books)
    assert witness.books.acknowledged.total() > 200  # A stop of an idle server proves nothing.
    instance.terminate()


def test_a_stop_with_much_to_count_counts_it_first_or_later_but_never_not(starter: Starter, data: Path) -> None:
    instance = starter.start(data)
    body = json.dumps([hit(number, "much") for number in range(5_000)]).encode()
    statuses: list[int] = []

    def send() -> None:
        for _ in range(5):
            statuses.append(instance.call("POST", "/v1/hits", body).status)

    senders = [threading.Thread(target=send) for _ in range(4)]
    for sender in senders:
        sender.start()
    for sender in senders:
        sender.join()
    instance.terminate()
    again = starter.start(data)
    assert again.drained("much")["counted"] == statuses.count(202) * 5_000 > 0
    again.terminate()


def test_a_second_signal_changes_nothing(starter: Starter, data: Path) -> None:
    instance = starter.start(data)
    assert instance.post(hit(1, "twice")).status == 202
    instance.process.send_signal(signal.SIGTERM)
    time.sleep(0.01)
    instance.process.send_signal(signal.SIGTERM)
    instance.process.send_signal(signal.SIGINT)
    assert instance.process.wait(10) == 0, instance.said()
    assert "Traceback" not in instance.said()
    again = starter.start(data)
    assert again.drained("twice")["counted"] == 1
    again.terminate()


def test_a_signal_while_it_starts_ends_it_soon(starter: Starter, data: Path) -> None:
    for wait_s in (0.0, 0.2, 0.35, 0.5):
        instance = starter.begin(data)
        time.sleep(wait_s)
        began = time.monotonic()
        instance.process.terminate()
        # Before it has said what a signal should do, the system ends it.
        assert instance.process.wait(10) in (0, -signal.SIGTERM)
        assert time.monotonic() - began < 10
        assert "Traceback" not in instance.said()
    starter.start(data).terminate()


def test_clients_that_are_slow_or_idle_do_not_hold_up_a_stop(starter: Starter, data: Path) -> None:
    instance = starter.start(data)
    body = json.dumps(hit(1, "slow")).encode()
    with connected(instance.port) as half, connected(instance.port) as idle, connected(instance.port) as deaf:
        half.sendall(HEAD % len(body) + body[:10])
        idle.sendall(b"GET /healthz HTTP/1.1\r\nHost: x\r\n\r\n")
        assert idle.recv(100).startswith(b"HTTP/1.1 200")
        # Asks for much and reads none of it.
        deaf.setblocking(False)
        try:
            for _ in range(2_000):
                deaf.send(b"GET / HTTP/1.1\r\nHost: x\r\n\r\n" * 10)
        except BlockingIOError:
            pass
        kept = http.client.HTTPConnection("127.0.0.1", instance.port, timeout=10)
        kept.request("POST", "/v1/hits", body)
        assert kept.getresponse().read() == b'{"accepted":1,"duplicates":0}'
        took_s = instance.terminate()
        kept.close()
    print(f"stopped in {took_s:.2f} s with slow, idle and deaf clients")
    again = starter.start(data)
    assert again.drained("slow")["counted"] == 1
    again.terminate()
