"""What only files can do wrong: stray files, dead writers, full and broken disks."""

import errno
import os
from pathlib import Path

import pytest

from footfall.adapters.embedded.file_blobs import FileBlobs
from footfall.ports.blobs import everything
from footfall.ports.errors import NoSpace, Unavailable


def names(blobs: FileBlobs) -> list[str]:
    return [blob.name for blob in everything(blobs)]


def everything_under(root: Path) -> list[str]:
    return sorted(str(path.relative_to(root)) for path in root.rglob("*"))


def test_files_are_there_for_the_next_process(tmp_path: Path) -> None:
    FileBlobs(tmp_path / "data" / "blobs").put("a/b", b"1")
    assert FileBlobs(tmp_path / "data" / "blobs").get("a/b") == b"1"


def test_files_stay_inside_the_root_and_leave_nothing_behind(tmp_path: Path) -> None:
    blobs = FileBlobs(tmp_path / "root")
    blobs.put("a/..b/%2E%2E/c", b"1")
    assert everything_under(tmp_path)[0] == "root"
    assert all(path.startswith("root") for path in everything_under(tmp_path))
    blobs.delete("a/..b/%2E%2E/c")
    assert everything_under(tmp_path) == ["root", "root/objects", "root/unfinished"]


def test_files_of_others_are_not_objects(tmp_path: Path) -> None:
    blobs = FileBlobs(tmp_path)
    blobs.put("a", b"1")
    for stranger in ["README", ".DS_Store", "%61@", "%ff@", "%FF@", "UPPER@", "..@", "~b@", "a@@"]:
        (tmp_path / "objects" / stranger).write_bytes(b"?")
    (tmp_path / "objects" / "folder@").mkdir()
    (tmp_path / "objects" / "link@").symlink_to(tmp_path / "objects" / "README")
    assert names(blobs) == ["a"]


def test_unfinished_files_of_the_dead_are_swept_at_the_start_and_those_of_the_living_are_not(tmp_path: Path) -> None:
    FileBlobs(tmp_path)
    (tmp_path / "unfinished" / "left").write_bytes(b"half")
    living = FileBlobs(tmp_path)
    assert everything_under(tmp_path / "unfinished") == []
    with living._unfinished_file(b"half") as unfinished:
        FileBlobs(tmp_path)
        assert unfinished.exists()


@pytest.mark.parametrize("verb", ["put", "put_new"])
@pytest.mark.parametrize("code", [errno.ENOSPC, errno.EDQUOT])
def test_a_full_disk_keeps_the_old_object(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, verb: str, code: int
) -> None:
    blobs = FileBlobs(tmp_path)
    blobs.put("old", b"old")

    def full(_: int) -> None:
        raise OSError(code, os.strerror(code))

    with monkeypatch.context() as patched:
        patched.setattr(os, "fsync", full)
        with pytest.raises(NoSpace, match="free some"):
            getattr(blobs, verb)("old" if verb == "put" else "new", b"new")
    assert blobs.get("old") == b"old"
    assert names(blobs) == ["old"]
    assert everything_under(tmp_path / "unfinished") == []
    blobs.put("new", b"new")


def test_a_broken_disk_is_told_in_the_words_of_the_port(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    blobs = FileBlobs(tmp_path)

    def broken(_: int) -> None:
        raise OSError(errno.EIO, os.strerror(errno.EIO))

    monkeypatch.setattr(os, "fsync", broken)
    with pytest.raises(Unavailable, match="disk"):
        blobs.put("a", b"1")


def test_a_root_too_long_for_the_longest_name_is_refused(tmp_path: Path) -> None:
    with pytest.raises(Unavailable, match="shorter"):
        FileBlobs(tmp_path / "/".join(["x" * 100] * 8))


def test_a_folder_that_goes_while_it_is_looked_at_is_made_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    blobs = FileBlobs(tmp_path)
    make, gone = Path.mkdir, iter([FileExistsError(errno.EEXIST, "as told by a race")])

    def mkdir(path: Path, mode: int = 0o777, *, parents: bool = False, exist_ok: bool = False) -> None:
        for error in gone:
            raise error
        make(path, mode, parents=parents, exist_ok=exist_ok)

    monkeypatch.setattr(Path, "mkdir", mkdir)
    blobs.put("a/b", b"1")
    assert blobs.get("a/b") == b"1"


def test_a_file_in_the_place_of_a_folder_is_told(tmp_path: Path) -> None:
    blobs = FileBlobs(tmp_path)
    (tmp_path / "objects" / "a").write_bytes(b"?")
    with pytest.raises(Unavailable, match=r"a file is in its place|Not a directory"):
        blobs.put("a/b", b"1")
