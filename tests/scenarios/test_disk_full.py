"""A full disk: senders are told, readers notice nothing, and with the space the service comes back."""

import contextlib
import os
import subprocess
from collections.abc import Generator
from pathlib import Path

import pytest

from tests.scenarios.instance import Answer, Instance, Starter, hit, until

DISK_BYTES = 24 * 1_048_576
SPARE_BYTES = 1_500_000  # So that the disk becomes full in the middle of the work, not before it.
FILLING = 150  # batches of 40 kB that hardly compress
BACK_S_MAX = 15.0  # Five are promised; the rest is for a machine that is busy with something else.


@pytest.fixture
def disk(tmp_path: Path) -> Generator[Path]:
    """A small disk of its own."""
    place = tmp_path / "disk"
    place.mkdir()
    mount = ["mount", "-t", "tmpfs", "-o", f"size={DISK_BYTES}", "tmpfs", str(place)]
    if os.geteuid() != 0 or subprocess.run(mount, capture_output=True, check=False).returncode != 0:
        pytest.skip("only root may mount the small disk that this test fills; run it as root")
    yield place
    subprocess.run(["umount", "--lazy", str(place)], check=True)


def fill(disk: Path, *, spare_bytes: int = 0) -> Path:
    """Take every free byte but some."""
    filler = disk / "filler"
    with filler.open("wb", buffering=0) as file:
        for piece in (bytes(65_536), bytes(512)):
            with contextlib.suppress(OSError):
                while True:
                    file.write(piece)
        file.truncate(max(0, file.tell() - spare_bytes))
    return filler


def batch(instance: Instance, number: int) -> Answer:
    # Different ids and urls: what does not compress fills the pages that the files still have inside.
    hits = [hit(f"asset-{one}", "full", url=f"https://x/{os.urandom(400).hex()}") for one in range(50)]
    return instance.post(hits, {"Idempotency-Key": f"batch-{number}"})


def test_a_full_disk_is_said_reads_go_on_and_it_recovers(starter: Starter, disk: Path) -> None:
    instance = starter.start(disk / "data")
    acknowledged = 0
    for number in range(20):
        assert batch(instance, number).status == 202
        acknowledged += 50
    assert instance.listed("full") == {f"asset-{one}": 20 for one in range(50)}
    filler = fill(disk, spare_bytes=SPARE_BYTES)
    answers = [batch(instance, 1_000 + number) for number in range(FILLING)]
    fitted = sum(answer.status == 202 for answer in answers)
    acknowledged += 50 * fitted
    answer = answers[-1]
    assert {one.status for one in answers} <= {202, 503}
    assert answer.status == 503
    problem = answer.json()
    print(f"{fitted} batches fitted in; then: {problem['detail']}")
    assert answer.headers["content-type"] == "application/problem+json"
    assert "retry-after" in answer.headers
    assert "disk is full" in problem["detail"]
    until(instance.said, lambda said: "counting waits, nothing is lost" in said, seconds=10)
    # Hits in the stream may wait to be counted, so the list has what it had or more, and the ledger adds up.
    for _ in range(5):
        assert min(instance.popular("full").values()) >= 20
        assert instance.ledger("full")["accepted"] == acknowledged
    assert instance.get("/healthz").status == 200
    filler.unlink()
    until(lambda: instance.post(hit("after", "full")).status, lambda status: status == 202, seconds=BACK_S_MAX)
    book = instance.drained("full", seconds=BACK_S_MAX)
    assert book["counted"] == acknowledged + 1
    assert sum(instance.listed("full").values()) == acknowledged + 1
    assert "Traceback" not in instance.said()
    instance.terminate()
    again = starter.start(disk / "data")
    assert again.drained("full")["counted"] == acknowledged + 1
    again.terminate()


def test_a_stop_and_a_start_on_a_full_disk_lose_nothing(starter: Starter, disk: Path) -> None:
    first = starter.start(disk / "data")
    for number in range(10):
        assert batch(first, number).status == 202
    filler = fill(disk)
    first.process.terminate()
    assert first.process.wait(15) in (0, 1)
    second = starter.begin(disk / "data")
    until(lambda: second.process.poll() is not None or "http" in second.said(), bool, seconds=15)
    second.process.terminate()
    assert second.process.wait(15) in (0, 1)
    assert "Traceback" not in second.said()
    filler.unlink()
    third = starter.start(disk / "data")
    assert third.drained("full")["counted"] == 500
    third.terminate()
