"""One instance per data directory: a second one is refused with a sentence, and a dead one is in nobody's way."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from footfall.app.lock import InUse, NoDirectory, take_lock


def test_a_second_instance_is_refused_with_the_first_one_s_number(tmp_path: Path) -> None:
    lock = take_lock(tmp_path / "new" / "data")
    try:
        with pytest.raises(InUse, match=rf"data is in use by another footfall \(process {os.getpid()}\)"):
            take_lock(tmp_path / "new" / "data", wait_s=0)
    finally:
        os.close(lock)
    os.close(take_lock(tmp_path / "new" / "data", wait_s=0))


def test_the_lock_goes_with_the_process_that_had_it(tmp_path: Path) -> None:
    take = "from footfall.app.lock import take_lock; take_lock(pathlib.Path(sys.argv[1]))"
    code = f"import pathlib, sys; {take}; print(flush=True); input()"
    command = [sys.executable, "-c", code, str(tmp_path)]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, bufsize=0) as holder:
        assert holder.stdout is not None
        holder.stdout.readline()
        with pytest.raises(InUse, match=str(holder.pid)):
            take_lock(tmp_path, wait_s=0)
        holder.kill()
        holder.wait()
        os.close(take_lock(tmp_path, wait_s=1))


def test_a_directory_that_cannot_be_made_is_refused_with_the_reason(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("in the way")
    with pytest.raises(NoDirectory, match="cannot hold data"):
        take_lock(tmp_path / "file" / "data")
