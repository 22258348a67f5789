"""What is installed for a comparison: what its peers need and no more, and one that fails keeps nobody from theirs."""

from collections.abc import Sequence
from pathlib import Path

import pytest

from bench.compare import installing
from bench.compare.installing import require_servers, wanted
from bench.compare.peers import PEERS
from scripts.debian import NotInstalled


@pytest.mark.parametrize(
    ("words", "peers"),
    [
        ([], list(PEERS)),
        (["--only", "redis", "--hits", "1000", "--fresh"], ["redis"]),
        (["--only", "redis", "--only", "flink"], ["redis", "flink"]),
    ],
)
def test_those_who_are_named_are_installed_or_all(words: list[str], peers: list[str]) -> None:
    assert wanted(words) == peers


def test_a_server_that_cannot_be_installed_does_not_keep_the_others_from_it(monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[str] = []

    def install(packages: Sequence[str]) -> None:
        asked.extend(packages)
        if packages == ["default-jre-headless"]:
            raise NotInstalled("no Java here")

    monkeypatch.setattr(installing, "install", install)
    monkeypatch.setattr(installing.shutil, "which", lambda *_args, **_named: None)
    monkeypatch.setattr(Path, "glob", lambda *_: iter(()))
    assert list(require_servers(["flink", "postgres", "redis"])) == ["no Java here"]
    assert asked == ["default-jre-headless", "postgresql", "redis-server"]
    asked.clear()
    assert list(require_servers(["redis", "duckdb"])) == []
    assert asked == ["redis-server"]
