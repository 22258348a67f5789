"""What is made in a folder of a group is the group's, and what is made in any other is its owner's alone."""

import os
from collections.abc import Iterator
from pathlib import Path

import pytest

from footfall.app.archive_opening import ARCHIVE_FOLDER, open_archive
from footfall.app.settings import Settings
from footfall.ports.table import Key, Put
from footfall.values.clock import SetClock


@pytest.fixture(autouse=True)
def _private() -> Iterator[None]:
    before = os.umask(0o077)  # as every process of an instance has it
    yield
    os.umask(before)


def modes(data: Path) -> dict[str, int]:
    """Return how open all that an archive consists of is, while it is open itself."""
    opened = open_archive(Settings(data_dir=str(data)), SetClock(0))
    opened.archive.table.put(Put(Key("a", "b"), {}))
    opened.archive.blobs.put("archive/ab/abcd", b"bytes")
    found = {str(path.relative_to(data)): path.stat().st_mode & 0o777 for path in data.rglob("*")}
    opened.close()
    return found


def test_an_archive_in_a_folder_of_its_group_is_the_group_s(tmp_path: Path) -> None:
    (tmp_path / ARCHIVE_FOLDER).mkdir()
    (tmp_path / ARCHIVE_FOLDER).chmod(0o770)
    found = modes(tmp_path)
    assert "archive/archive.db-wal" in found
    assert {mode for name, mode in found.items() if (tmp_path / name).is_dir()} == {0o770}
    assert {mode for name, mode in found.items() if not (tmp_path / name).is_dir()} == {0o660}


def test_any_other_archive_is_its_owner_s_alone(tmp_path: Path) -> None:
    assert {mode & 0o077 for mode in modes(tmp_path).values()} == {0}
