"""`footfall archive` on a directory: it says why nothing happens, and what it makes is nobody else's to read."""

import os
from contextlib import closing
from pathlib import Path

import pytest

from footfall.adapters.embedded import workflow_layout
from footfall.app.archive_opening import ARCHIVE_FOLDER, open_archive
from footfall.app.archive_run import WORKFLOWS_FILE
from footfall.app.settings import Settings
from footfall.archive import queueing, requests
from footfall.ports.capturing import Reason
from footfall.shells.cli.archive import LOOKS_IN_SILENCE
from footfall.values.clock import SetClock
from tests.archive.archive_world import BRAND, World
from tests.shells.cli.conftest import Shell


@pytest.fixture
def data(tmp_path: Path, shell: Shell) -> Path:
    assert shell.run("brands", "add", "abc", "--data", str(tmp_path / "data")) == 0
    return tmp_path / "data"


def wait_for_a_page(shell: Shell, data: Path, *, fails_after: int) -> int:
    """Wait for a page that fails in the end, as a person at a terminal does."""

    def on_pause(_seconds: float) -> None:
        if len(shell.pauses) != fails_after:
            return
        with closing(open_archive(Settings(data_dir=str(data)), shell.clock)) as opened:
            (one,) = queueing.waiting(opened.table, limit=2)
            begun = queueing.begin(opened.table, one, now_ms=shell.clock.now_ms())
            assert begun is not None
            requests.fail(opened.table, begun, reason=Reason.NOT_FOUND, says="Gone.", now_ms=shell.clock.now_ms())

    shell.on_pause = on_pause
    return shell.run("archive", "news.example", "--brand", "abc", "--wait", "--data", str(data))


def test_whoever_waits_in_vain_is_told_once_how_to_start_a_worker(shell: Shell, data: Path) -> None:
    assert wait_for_a_page(shell, data, fails_after=3 * LOOKS_IN_SILENCE) == 1
    assert shell.complained().count("No worker has taken it: start one with `footfall archive worker`") == 1


def test_whoever_waits_for_a_busy_worker_is_told_how_many_do(shell: Shell, data: Path) -> None:
    (data / ARCHIVE_FOLDER).mkdir()
    lock = workflow_layout.take_lock(data / WORKFLOWS_FILE)
    assert wait_for_a_page(shell, data, fails_after=2 * LOOKS_IN_SILENCE) == 1
    os.close(lock)
    assert "A worker runs and is busy with others: 1 pages wait." in shell.complained()


def test_nothing_is_said_of_a_page_that_is_begun_at_once(shell: Shell, data: Path) -> None:
    assert wait_for_a_page(shell, data, fails_after=2) == 1
    assert "worker" not in shell.complained()


@pytest.mark.parametrize("words", [("list", "--brand", "abc"), ("worker",), ("news.example", "--brand", "abc")])
def test_a_directory_that_is_not_there_is_said_to_be_none(shell: Shell, tmp_path: Path, words: tuple[str, ...]) -> None:
    assert shell.run("archive", *words, "--data", str(tmp_path / "typo")) == 1
    assert (
        shell.complained()
        == f"footfall: {tmp_path / 'typo'} is not a directory with footfall's data; name it with --data.\n"
    )
    assert not (tmp_path / "typo").exists()


def test_what_commands_make_is_readable_by_its_owner_alone(shell: Shell, data: Path) -> None:
    before = os.umask(0o022)  # a person's
    try:
        assert shell.run("archive", "list", "--brand", "abc", "--data", str(data)) == 0
        assert os.umask(0o022) == 0o022
    finally:
        os.umask(before)
    made = [data / ARCHIVE_FOLDER, *(data / ARCHIVE_FOLDER).rglob("*")]
    assert len(made) > 4
    assert {path.stat().st_mode & 0o077 for path in made} == {0}


def test_an_operator_holds_releases_and_removes_any_capture_and_it_is_written_down(shell: Shell, data: Path) -> None:
    with closing(open_archive(Settings(data_dir=str(data)), shell.clock)) as opened:
        world = World(opened.table, opened.archive.blobs, SetClock(shell.clock.now_ms()))
        kept = world.kept("ann", "https://news.example/", "A private page.")

    assert shell.run("brands", "add", BRAND, "--data", str(data)) == 0

    def admin(*words: str) -> int:
        return shell.run("archive", "admin", *words, "--data", str(data))

    assert [admin("hold", kept.id), admin("hold", kept.id)] == [0, 0]
    assert admin("remove", kept.id, "--why", "asked for") == 4
    assert "legal hold" in shell.complained()
    assert admin("release", kept.id) == 0
    assert admin("remove", kept.id) == 2
    assert admin("remove", kept.id, "--why", "asked for") == 0
    assert admin("remove", kept.id, "--why", "again") == 4
    before = len(shell.printed())
    assert shell.run("audit", "--brand", BRAND, "--data", str(data), "--json") == 0
    told = shell.printed()[before:]
    assert "news.example" not in told  # It was never the brand's to see.
    assert [told.count(act) for act in ("capture-held", "capture-released", "capture-removed")] == [1, 1, 1]
