"""The first day with footfall: start it, send hits, read the list, stop it, start it again."""

import os
import signal
import socket
import subprocess
import time
from collections.abc import Generator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from tests.scenarios.instance import (
    ANSWERING,
    COUNTING,
    Instance,
    Starter,
    children_of,
    footfall,
    hit,
    is_running,
    raw_exchange,
    serve_command,
    typed,
    until,
)

RESTART_S_MAX = 45.0  # Five are promised; the rest is for a machine that is busy with something else.
DEMO_METRICS = {
    *("paid_reads", "paid_share", "reads", "reads_per_visitor", "visitors"),
    *("completed_share", "completions", "follows", "net_follows", "playbacks", "unfollows"),
    *("minutes_per_viewer", "minutes_watched", "viewers"),
}


def test_what_was_sent_is_listed_and_is_still_there_after_a_restart(starter: Starter, data: Path) -> None:
    first = starter.start(data)
    body = b'{"brand":"abc","assetId":132141398,"sectionId":563,"resourceType":"article","paidType":"free"}'
    head = b"POST /v1/hits HTTP/1.1\r\nHost: x\r\nConnection: close\r\nContent-Length: %d\r\n\r\n" % len(body)
    assert raw_exchange(first.port, head + body).startswith(b"HTTP/1.1 202 ")
    sent = typed("send", "--url", first.url, "--brand", "abc", "--asset", "132141398", "--section", "563")
    assert (sent.returncode, sent.stdout) == (0, "1 accepted, 0 refused\n")
    assert first.listed("abc") == {"132141398": 2}
    shown = typed("popular", "--url", first.url, "--brand", "abc", "--period", "day")
    assert "132141398" in shown.stdout
    assert shown.returncode == 0
    took_s = first.terminate()
    print(f"stopped in {took_s:.2f} s")
    second = starter.start(data)
    assert second.listed("abc") == {"132141398": 2}
    book = typed("ledger", "--url", second.url, "--brand", "abc")
    assert book.returncode == 0
    assert next(line.split() for line in book.stdout.splitlines() if "accepted" in line)[:2] == ["accepted", "2"]
    second.terminate()


def test_a_stop_leaves_the_data_and_no_socket(starter: Starter, data: Path) -> None:
    instance = starter.start(data)
    assert (data / "control.sock").is_socket()
    instance.terminate()
    left = {path.name.removesuffix("-wal").removesuffix("-shm") for path in data.iterdir()} - {"blobs"}
    files = {"accounts.db", "catalog.db", "lock", "nonces.db", "salts.db", "settings.json", "store.db", "stream.db"}
    assert left == files


def test_the_demo_has_metrics_with_numbers_and_a_key_to_change_them(starter: Starter, data: Path) -> None:
    instance = starter.start(data, "--demo", "--demo-rate", "150")
    key_file = data / "demo.key"
    assert key_file.stat().st_mode & 0o777 == 0o600
    until(instance.said, lambda said: f"is in {key_file}" in said, seconds=5)
    listed = instance.get("/v1/metrics?brand=demo").json()["items"]
    assert {one["name"] for one in listed} == DEMO_METRICS
    day = datetime.now(UTC).date()
    span = f"from={day - timedelta(days=2)}&to={day + timedelta(days=2)}&grain=year"
    for name in ("reads", "visitors", "reads_per_visitor", "paid_share", "playbacks", "completed_share"):
        path = f"/v1/metrics/{name}/data?brand=demo&{span}"
        until(
            lambda path=path: [one["value"] for one in instance.get(path).json()["items"]],
            lambda values: any(value and value > 0 for value in values),
            seconds=30,
        )
    body = b'{"name": "more", "valueType": "HYBRID", "hybridFormula": "reads * 2"}'
    assert instance.call("POST", "/v1/metrics?brand=demo", body).status == 401
    bearer = {"Authorization": f"Bearer {key_file.read_text().strip()}"}
    assert instance.call("POST", "/v1/metrics", body, bearer).status == 201
    # The brand gets keys of its own, and the invented readers go on.
    assert footfall("brands", "add", "demo", "--data", str(data)).returncode == 0
    before = instance.call("GET", "/v1/ledger?brand=demo", None, bearer).json()["accepted"]
    until(
        lambda: instance.call("GET", "/v1/ledger?brand=demo", None, bearer).json()["accepted"],
        lambda accepted: accepted > before,
        seconds=10,
    )
    assert footfall("metrics", "remove", "more", "--data", str(data), "--brand", "demo").returncode == 0
    assert footfall("metrics", "remove", "paid_share", "--data", str(data), "--brand", "demo").returncode == 0
    instance.terminate()
    assert not key_file.exists()
    again = starter.start(data, "--demo", "--demo-rate", "50")
    assert again.call("GET", "/v1/metrics", None, bearer).status == 401
    bearer = {"Authorization": f"Bearer {key_file.read_text().strip()}"}
    kept = {one["name"] for one in again.call("GET", "/v1/metrics", None, bearer).json()["items"]}
    assert kept == DEMO_METRICS - {"paid_share"}
    until(lambda: again.call("GET", "/v1/popular?period=justnow", None, bearer).json()["items"], bool, seconds=10)
    again.terminate()


def test_without_dev_an_unknown_brand_is_refused_and_a_known_one_is_not(starter: Starter, data: Path) -> None:
    instance = starter.start(data, "--brand", "known:Europe/Helsinki", dev=False)
    refused = instance.post(hit(1, "stranger"))
    assert refused.status in (400, 404)
    assert refused.json()["field"] == "brand"
    assert "stranger" in refused.json()["detail"]
    mixed = instance.post([hit(1, "known"), hit(2, "stranger"), hit(3, "known")])
    assert (mixed.status, mixed.json()["accepted"], mixed.json()["refused"][0]["index"]) == (202, 2, 1)
    assert instance.get("/v1/popular?brand=stranger").status in (400, 404)
    assert instance.get("/v1/ledger?brand=stranger").status in (400, 404)
    assert instance.listed("known") == {"1": 1, "3": 1}
    instance.terminate()


def test_settings_that_cannot_be_used_stop_the_start_with_a_sentence(data: Path) -> None:
    for flags, words in (
        (["--set", "count_flsh_ms=5"], ["count_flsh_ms", "did you mean count_flush_ms?"]),
        (["--set", "count_flush_ms=5"], ["count_flush_ms", "100"]),
        (["--dev", "--host", "0.0.0.0"], ["dev", "loopback"]),
        (["--brand", "abc:Mars/Olympus"], ["abc", "Mars/Olympus"]),
    ):
        ended = typed("serve", "--data", str(data), "--port", "0", *flags)
        assert ended.returncode == 2, ended
        assert all(word in ended.stderr for word in words), ended.stderr
        assert "Traceback" not in ended.stderr
    assert not data.exists()


def test_an_address_or_a_directory_that_cannot_be_had_is_said_in_a_sentence(tmp_path: Path) -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = taken.getsockname()[1]
        ended = typed("serve", "--data", str(tmp_path / "data"), "--port", str(port))
    assert ended.returncode == 1, ended
    assert str(port) in ended.stderr
    assert "Traceback" not in ended.stderr
    file = tmp_path / "file"
    file.write_text("not a directory")
    ended = typed("serve", "--data", str(file), "--port", "0")
    assert ended.returncode == 1, ended
    assert str(file) in ended.stderr
    assert "Traceback" not in ended.stderr


def test_the_number_of_shards_cannot_be_changed_later(starter: Starter, data: Path) -> None:
    instance = starter.start(data, "--set", "stream_shards=3")
    assert instance.post([hit(number) for number in range(50)]).status == 202
    assert len(instance.listed("abc")) == 50
    instance.terminate()
    refused = typed("serve", "--data", str(data), "--port", "0")
    assert refused.returncode == 1
    assert "was made with 3 shards" in refused.stderr
    assert "Traceback" not in refused.stderr


def test_a_second_process_on_the_same_data_is_refused(starter: Starter, data: Path) -> None:
    first = starter.start(data)
    second = subprocess.run(serve_command(data), capture_output=True, text=True, timeout=120, check=False)
    assert second.returncode == 1
    assert f"{data} is in use by another footfall (process {first.process.pid})" in second.stderr
    assert "Traceback" not in second.stderr
    assert first.post(hit(1)).status == 202
    first.terminate()


def test_a_child_that_is_killed_comes_back_and_nothing_is_lost(starter: Starter, data: Path) -> None:
    instance = starter.start(data)
    sent = 0
    for module in (COUNTING, ANSWERING):
        victim = instance.child(module)
        assert victim is not None
        for number in range(40):
            if number == 20:
                os.kill(victim, signal.SIGKILL)
            assert instance.post([hit(asset) for asset in range(10)]).status == 202
            sent += 10
        # Somebody who was killed may still be seen for a moment.
        until(
            lambda module=module: instance.child(module),
            lambda pid, victim=victim: pid not in (None, victim),
            seconds=10,
        )
    until(lambda: instance.get("/readyz").status, lambda status: status == 200, seconds=10)
    assert instance.listed("abc") == {str(asset): sent // 10 for asset in range(10)}
    assert "ended by itself; it starts again" in instance.said()
    instance.terminate()


def test_a_front_that_is_killed_takes_its_children_along_and_a_new_start_is_soon_there(
    starter: Starter, data: Path
) -> None:
    first = starter.start(data)
    assert first.post([hit(asset) for asset in range(100)]).status == 202
    children = children_of(first.process.pid)
    assert len(children) == 2  # The judge starts some seconds later.
    os.kill(first.process.pid, signal.SIGKILL)
    first.process.wait(5)
    began = time.monotonic()
    second = starter.start(data)
    took_s = time.monotonic() - began
    print(f"there again {took_s:.2f} s after a kill")
    assert took_s < RESTART_S_MAX
    until(lambda: [pid for pid in children if is_running(pid)], lambda left: not left, seconds=5)
    assert second.drained("abc")["counted"] == 100
    second.terminate()


def test_a_signal_to_the_whole_group_stops_in_order(starter: Starter, data: Path) -> None:
    # Service supervisors send the signal to every process of a unit, and a terminal does so for Ctrl-C.
    for number in (signal.SIGTERM, signal.SIGINT):
        instance: Instance = starter.start(data)
        assert instance.post(hit(1)).status == 202
        os.killpg(instance.process.pid, number)
        assert instance.process.wait(10) == 0
        assert "ended by itself" not in instance.said()
        assert "Traceback" not in instance.said()
    last = starter.start(data)
    assert last.drained("abc")["counted"] == 2


@pytest.fixture(scope="module")
def demo(tmp_path_factory: pytest.TempPathFactory) -> Generator[Instance]:
    """Start a demo for those who only look at it; they stand last, so that it runs no longer than they do."""
    starter = Starter(tmp_path_factory.mktemp("demo"))
    try:
        instance = starter.start(starter.folder / "data", "--demo", "--demo-rate", "20")
        yield instance
        instance.terminate()
    finally:
        starter.end_all()


def test_demo_traffic_moves_the_list(demo: Instance) -> None:
    before = until(lambda: demo.popular("demo", "justnow"), lambda it: len(it) > 3, seconds=20)
    until(lambda: demo.popular("demo", "justnow"), lambda it: sum(it.values()) > sum(before.values()), seconds=10)
    page = demo.get("/")
    assert page.status == 200
    assert b"demo" in page.body


def test_the_demo_has_an_audience_that_watches_follows_and_resumes(demo: Instance) -> None:
    minutes = "period=day&by=minutes&brand=demo"
    listed = until(
        lambda: demo.get(f"/v1/popular?{minutes}").json().get("items", []),
        lambda items: len(items) > 5 and all(one["minutes"] > 0 and one.get("title") for one in items),
        seconds=30,
    )
    until(lambda: demo.get(f"/v1/popular?{minutes}&of=series").json()["items"], bool, seconds=10)
    sections = demo.get(f"/v1/top/sections?{minutes}").json()["items"]
    assert "drama" in {one["sectionId"] for one in sections}
    viewers = "/v1/audience/viewers?brand=demo"
    until(lambda: demo.get(viewers).json()["viewers"], lambda now: now > 5, seconds=20)
    # Sessions of the last hour that are over have their rows, and so their assets have curves.
    since = datetime.now(UTC).date() - timedelta(days=1)
    curves = [f"/v1/audience/completion?brand=demo&from={since}&asset={one['assetId']}" for one in listed]
    until(lambda: [demo.get(one).json()["playbacks"] for one in curves], lambda some: sum(some) > 10, seconds=20)
    bearer = {"Authorization": f"Bearer {(demo.data / 'demo.key').read_text().strip()}"}

    def told(path: str) -> dict[str, Any]:
        return demo.call("GET", f"/v1/audience/{path}", None, bearer).json()

    followed = [f"followers?of=series:{name}" for name in ("the-harbour", "night-ferry", "old-quarry")]
    until(lambda: [one for path in followed for one in told(path)["items"]], bool, seconds=20)
    recent = [f"history/recent?member=m-{number:03}" for number in range(40)]
    until(lambda: [one for path in recent for one in told(path)["series"]], bool, seconds=20)
    assert demo.get("/v1/audience/followers?of=series:the-harbour&brand=demo").status == 401
