"""A supervisor hears what it is told, and one that is not there is no trouble."""

import os
import socket
from pathlib import Path

import pytest

from footfall.app.supervisor import Supervisor, supervisor


def test_a_supervisor_hears_the_state(tmp_path: Path) -> None:
    with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as listening:
        listening.bind(str(tmp_path / "notify"))
        Supervisor(str(tmp_path / "notify")).tell("READY=1")
        assert listening.recv(100) == b"READY=1"


def test_an_address_that_is_no_file_is_reached() -> None:
    name = f"footfall-test-{os.getpid()}"
    with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as listening:
        listening.bind("\0" + name)
        Supervisor("@" + name).tell("STOPPING=1")
        assert listening.recv(100) == b"STOPPING=1"


def test_a_supervisor_that_is_gone_changes_nothing(tmp_path: Path) -> None:
    Supervisor(str(tmp_path / "gone")).tell("READY=1")
    Supervisor().tell("READY=1")


@pytest.mark.parametrize(
    ("variables", "every_s"),
    [
        ({"NOTIFY_SOCKET": "/x", "WATCHDOG_USEC": "30000000"}, 15.0),
        ({"NOTIFY_SOCKET": "/x", "WATCHDOG_USEC": "30000000", "WATCHDOG_PID": str(os.getpid())}, 15.0),
        ({"NOTIFY_SOCKET": "/x", "WATCHDOG_USEC": "30000000", "WATCHDOG_PID": "1"}, None),
        ({"NOTIFY_SOCKET": "/x", "WATCHDOG_USEC": "soon"}, None),
        ({"NOTIFY_SOCKET": "/x"}, None),
        ({"WATCHDOG_USEC": "30000000"}, None),
        ({}, None),
    ],
)
def test_a_watchdog_is_told_twice_in_its_time(
    monkeypatch: pytest.MonkeyPatch, variables: dict[str, str], every_s: float | None
) -> None:
    for name in ("NOTIFY_SOCKET", "WATCHDOG_USEC", "WATCHDOG_PID"):
        monkeypatch.delenv(name, raising=False)
    for name, value in variables.items():
        monkeypatch.setenv(name, value)
    assert supervisor().alive_every_s == every_s
