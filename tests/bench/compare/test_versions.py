"""Versions are those that servers, libraries and git tell; who tells nothing is not guessed at."""

import subprocess
import sys
from pathlib import Path

from bench.compare.peers import FOOTFALL, PEERS
from bench.compare.versions import LIBRARIES, commit_of, libraries, said, version_of
from footfall import __version__


def test_a_library_is_told_by_its_own_environment_and_one_that_is_not_there_by_nobody(tmp_path: Path) -> None:
    told = tmp_path / "venv" / "lib" / "python3.11" / "site-packages" / "duckdb-7.8.9.dist-info"
    told.mkdir(parents=True)
    (told / "METADATA").write_text("Metadata-Version: 2.1\nName: duckdb\nVersion: 7.8.9\n")
    assert list(libraries("venv", ("duckdb", "msgspec"), tmp_path)) == ["duckdb 7.8.9"]
    assert list(libraries("venv-flink", ("msgspec",), tmp_path)) == []
    assert len(list(libraries("", ("msgspec",), tmp_path))) == 1


def test_a_program_that_is_not_there_or_fails_has_said_nothing() -> None:
    assert said(["no-such-program", "--version"], "(.+)") == ""
    assert said([sys.executable, "-c", "print('v=1'); raise SystemExit(1)"], "v=(.+)") == ""
    assert said([sys.executable, "-c", "print('v=1')"], "v=(.+)") == "1"


def test_a_commit_is_told_of_a_clone_alone_and_whether_the_product_differs_from_it(tmp_path: Path) -> None:
    assert commit_of(tmp_path) == ""
    (tmp_path / "src").mkdir()
    (tmp_path / "src" / "product.py").write_text("before")
    by = ["-c", "user.name=somebody", "-c", "user.email=somebody@example.com", "-c", "commit.gpgsign=false"]
    for words in (["init", "-q"], ["add", "."], [*by, "commit", "-q", "-m", "one"]):
        subprocess.run(["git", "-C", str(tmp_path), *words], check=True, capture_output=True)
    told = commit_of(tmp_path)
    assert told.startswith(" at ")
    (tmp_path / "notes").write_text("not the product")
    assert commit_of(tmp_path) == told
    (tmp_path / "src" / "product.py").write_text("after")
    assert commit_of(tmp_path) == f"{told} with changes"


def test_everybody_has_libraries_that_are_told_or_is_the_product() -> None:
    modules = {about.made_by.partition(":")[0].rpartition(".")[2] for about in PEERS.values()}
    assert modules == {*LIBRARIES, "peer_footfall"}
    assert version_of(FOOTFALL).startswith(__version__)
