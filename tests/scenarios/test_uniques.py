"""Named counters as a user has them: killed while values come, none that was acknowledged is lost, none is stored."""

import http.client
import os
import random
import signal
import threading
import time
from pathlib import Path

from tests.scenarios.instance import COUNTING, Instance, Starter, footfall, free_port, until
from tests.scenarios.test_privacy_scan import contents

KILLS = 6
SENT_TOGETHER = 5
ACKNOWLEDGED_BETWEEN = 4 * SENT_TOGETHER  # Kills of an idle server prove nothing.
SECRET = "reader-whom-nobody-may-find"


def estimate(instance: Instance, name: str) -> int:
    answer = instance.get(f"/v1/uniques/{name}?brand=abc")
    return answer.json()["estimate"] if answer.status == 200 else -answer.status


def drained(instance: Instance) -> dict[str, int]:
    """Wait until every accepted value is in a line of the ledger, and return the lines."""

    def look() -> dict[str, int]:
        return instance.get("/v1/ledger?brand=abc").json().get("uniques", {"inFlight": 1})

    return until(look, lambda lines: not lines["inFlight"], seconds=15)


def send(instance: Instance, name: str, *values: str, **headers: str) -> int:
    named = {word.replace("_", "-"): value for word, value in headers.items()}
    lines = "".join(f'"{value}"\n' for value in values).encode()
    return instance.call(
        "POST", f"/v1/uniques/{name}?brand=abc", lines, {"content-type": "application/x-ndjson", **named}
    ).status


def test_every_value_that_was_acknowledged_is_there_after_kills_at_any_moment(starter: Starter, data: Path) -> None:
    chance, port, acknowledged = random.Random(7), free_port(), set[str]()
    instance = starter.start(data, port=port)
    stopping = threading.Event()

    def keep_sending() -> None:
        number = 0
        while not stopping.is_set():
            number += 1
            values = [f"value-{number}-{place}" for place in range(SENT_TOGETHER)]
            try:
                if send(instance, "killed", *values) == 202:
                    acknowledged.update(values)
            except (OSError, http.client.HTTPException):
                time.sleep(0.02)  # It was killed; the next one takes what comes.

    sender = threading.Thread(target=keep_sending)
    sender.start()
    for kill in range(KILLS):
        before = len(acknowledged)
        until(lambda: len(acknowledged), lambda now, before=before: now >= before + ACKNOWLEDGED_BETWEEN, seconds=15)
        time.sleep(chance.uniform(0.0, 0.3))
        if kill % 2:
            instance.kill()
            instance = starter.start(data, port=port)
        elif (victim := instance.child(COUNTING)) is not None:
            os.kill(victim, signal.SIGKILL)
    stopping.set()
    sender.join()
    lines = drained(instance)
    assert (
        lines["accepted"] == lines["counted"] + lines["duplicate"] >= len(acknowledged) >= KILLS * ACKNOWLEDGED_BETWEEN
    )
    answer = instance.get("/v1/uniques/killed?brand=abc").json()
    assert answer["lower"] <= lines["counted"]
    assert answer["upper"] >= len(acknowledged)
    assert send(instance, "killed", *sorted(acknowledged)[:1_000]) == 202
    drained(instance)
    # Whatever is sent again was there: nothing that was acknowledged is new to the counter.
    assert instance.get("/v1/uniques/killed?brand=abc").json() == answer


def test_a_counter_s_life_from_its_first_value_to_its_end(starter: Starter, data: Path, tmp_path: Path) -> None:
    instance = starter.start(data)
    assert send(instance, "caf%C3%A9", SECRET, "b") == 202
    drained(instance)
    assert estimate(instance, "caf%C3%A9") == 2
    flags = ("--url", instance.url, "--brand", "abc")
    assert "3 accepted" in footfall("uniques", "add", *flags, "café", "b", "c", "d").stdout
    drained(instance)
    assert footfall("uniques", "show", *flags, "café").stdout.split()[:3] == ["distinct", "values", "4"]
    for kind in ("hll", "theta"):
        file = tmp_path / kind
        assert footfall("uniques", "export", *flags, "café", "--kind", kind, "--file", str(file)).returncode == 0
        assert footfall("uniques", "import", *flags, "copy", "--kind", kind, "--file", str(file)).returncode == 0
    drained(instance)
    shown = footfall("uniques", "union", *flags, "café", "--intersect", "copy", "--json").stdout
    assert '"estimate":4' in shown
    assert footfall("uniques", "delete", *flags, "copy").returncode == 0
    drained(instance)
    gone = footfall("uniques", "show", *flags, "copy")
    assert (gone.returncode, "no counter here" in gone.stderr) == (4, True)
    theta = (tmp_path / "theta").read_bytes()
    assert instance.call("PUT", "/v1/uniques/new/sketch?kind=theta&brand=abc", theta).status == 404
    for bad in ("%FF", "%ED%A0%80", "x" * 257, ""):
        assert instance.get(f"/v1/uniques/{bad}?brand=abc").status == 400
    instance.terminate()
    found = {name for name, content in contents(data) if SECRET.encode() in content}
    assert found == set()
    assert SECRET.encode() not in instance.log.read_bytes()
