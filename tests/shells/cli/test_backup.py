"""`footfall backup` and `restore`: what they say and how they end."""

import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from tests.app.directories import contents, make_directory, record_of


@pytest.fixture
def data(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setattr("os.nice", lambda _by: 0)  # It would last for all tests that follow in this process.
    make_directory(tmp_path / "data", record_of("1"))
    return tmp_path / "data"


def test_a_backup_is_written_and_restored(shell: Any, data: Path, tmp_path: Path) -> None:
    assert shell.run("backup", "--data", str(data), str(tmp_path / "b")) == 0
    assert shell.complained().startswith(f"Backed up {data} as of 2026-11-15T14:30Z: store.db (")
    assert shell.run("restore", str(tmp_path / "b"), "--data", str(tmp_path / "new")) == 0
    assert shell.printed().startswith(f"Restored {tmp_path / 'new'} as of 2026-11-15T14:30Z (made by footfall ")
    assert "stream.db" in contents(tmp_path / "new")


def test_executions_are_in_no_backup_and_whoever_makes_one_is_told(shell: Any, data: Path, tmp_path: Path) -> None:
    (data / "workflows.db").touch()
    assert shell.run("backup", "--data", str(data), str(tmp_path / "b")) == 0
    assert "workflows.db is not in it: restored, its executions would run a second time" in shell.complained()
    assert shell.run("restore", str(tmp_path / "b"), "--data", str(tmp_path / "new")) == 0
    assert "workflows.db" not in contents(tmp_path / "new")


def test_a_replaced_directory_is_named(shell: Any, data: Path, tmp_path: Path) -> None:
    assert shell.run("backup", "--data", str(data), str(tmp_path / "b")) == 0
    assert shell.run("restore", str(tmp_path / "b"), "--data", str(data)) == 1
    assert "--replace" in shell.complained()
    assert shell.run("restore", str(tmp_path / "b"), "--data", str(data), "--replace") == 0
    assert f"kept in {data}.before-20261115T1430" in shell.printed()


def test_a_backup_goes_through_a_pipe(data: Path, tmp_path: Path) -> None:
    footfall = f"{sys.executable} -m footfall.shells.cli.main"
    line = f"{footfall} backup --data {data} - | {footfall} restore - --data {tmp_path / 'new'}"
    ran = subprocess.run(
        ["bash", "-o", "pipefail", "-c", line], capture_output=True, text=True, check=False, timeout=60
    )
    assert (ran.returncode, ran.stdout[:8]) == (0, "Restored"), ran.stderr
    assert set(contents(tmp_path / "new")) == {"store.db", "stream.db", "settings.json"}


def test_a_restore_has_to_be_told_its_place(shell: Any, tmp_path: Path) -> None:
    assert shell.run("restore", str(tmp_path / "b")) == 2
    assert "--data" in shell.complained()


def test_a_damaged_backup_is_code_1_and_a_sentence(shell: Any, tmp_path: Path) -> None:
    (tmp_path / "b").write_bytes(b"x" * 100)
    assert shell.run("restore", str(tmp_path / "b"), "--data", str(tmp_path / "new")) == 1
    assert "is no backup of footfall's" in shell.complained()
    assert not (tmp_path / "new").exists()


def test_a_directory_that_is_not_there_is_code_1(shell: Any, tmp_path: Path) -> None:
    assert shell.run("backup", "--data", str(tmp_path / "gone"), str(tmp_path / "b")) == 1
    assert "--data" in shell.complained()
