"""`footfall screen try`: what rules would have changed, printed for people and for programs, and nothing is changed."""

import json
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from footfall.app import wiring
from footfall.app.settings import Settings
from footfall.flow.stream.records import RULES, VERSION, Pack, record_from_pack
from footfall.ports.stream import Entry
from footfall.values.clock import SetClock
from footfall.values.window import HOUR_MS
from tests.shells.cli.conftest import NOW_MS

SPAN = ("--from", "2026-11-15T12:00Z", "--to", "2026-11-15T15:00Z")
CLERK = bytes([7] * 8)


@pytest.fixture
def data(tmp_path: Path) -> Path:
    """Return a data directory with hits of two brands in two shards, some of them one visitor's."""
    directory = tmp_path / "data"
    directory.mkdir()
    (directory / "footfall.toml").write_text('stream_shards = 2\n[brands.abc]\nscreening = "filter"\n')
    settings = Settings(data_dir=str(directory), stream_shards=2, dev=True)
    with closing(wiring.open_stream_to_write(settings, SetClock(NOW_MS))) as stream:
        for number in range(8):
            at_ms = NOW_MS - HOUR_MS + number * 1_000
            pack = Pack(
                *(VERSION, RULES, at_ms, [("bought", "", "", ""), ("read", "", "", ""), ("/preview/1", "", "", "")]),
                visitors=[CLERK, bytes([number] * 8), b""],
                screened={1: "bot-agent"} if number == 0 else None,
            )
            stream.append([Entry(number % 2, "abc", 3, record_from_pack(pack), at_ms)])
        other = Pack(VERSION, RULES, NOW_MS - HOUR_MS, [("/preview/2", "", "", "")])
        stream.append([Entry(0, "xyz", 1, record_from_pack(other), NOW_MS - HOUR_MS)])
        stream.append([Entry(0, "abc~uniques", 1, b"no hits", NOW_MS - HOUR_MS)])
    return directory


@pytest.fixture
def rules(tmp_path: Path) -> str:
    file = tmp_path / "rules.json"
    file.write_text('{"paths": ["/preview/*"], "repeatsMax": 3, "addresses": ["203.0.113.0/24"]}', encoding="utf-8")
    return str(file)


def kept(directory: Path) -> dict[str, bytes]:
    """Return the files, without those that SQLite has beside a database that is open."""
    return {path.name: path.read_bytes() for path in directory.iterdir() if not path.name.endswith(("-shm", "-wal"))}


def test_a_program_reads_what_would_change(data: Path, rules: str, shell: Any) -> None:
    before = kept(data)
    named = ("--data", str(data), "--rules", rules, *SPAN, "--json")
    assert shell.run("screen", "try", *named, "--brand", "abc") == 0
    told = json.loads(shell.printed())
    (one,) = told["brands"]
    assert (one["brand"], one["mode"], one["hits"], one["changed"]) == ("abc", "filter", 24, 13)
    assert one["withoutVisitor"] == 8
    reasons = {row["reason"]: (row["label"], row["before"], row["after"]) for row in one["reasons"]}
    assert reasons == {
        "bot-agent": ("bot", 1, 1),
        "reload": ("suspected", 0, 5),
        "rule-path": ("blocked", 0, 8),
    }
    labels = {row["label"]: (row["before"], row["after"]) for row in one["labels"]}
    assert labels["person"] == (23, 10)
    assert [
        (row["assetId"], row["rank"], row["rankBefore"], row["hits"], row["hitsBefore"]) for row in one["items"]
    ] == [
        ("read", 1, 3, 7, 7),
        ("bought", 2, 2, 3, 8),
        ("/preview/1", None, 1, 0, 8),
    ]
    assert [row["rule"] for row in told["notTried"]] == ["addresses"]
    assert kept(data) == before


def test_a_person_reads_tables_and_which_rules_could_not_be_tried(data: Path, rules: str, shell: Any) -> None:
    assert shell.run("screen", "try", "--data", str(data), "--rules", rules, *SPAN) == 0
    printed = shell.printed()
    assert "13 of 24 hits would have another reason." in printed
    assert "1 of 1 hits would have another reason." in printed  # of the other brand
    assert "Not tried: addresses (1): addresses are not stored" in printed
    assert "8 hits have no stored visitor" in printed
    assert "Nothing was changed." in shell.complained()


def test_another_mode_shows_another_list(data: Path, rules: str, shell: Any) -> None:
    named = ("--data", str(data), "--rules", rules, *SPAN, "--json", "--brand", "abc")
    assert shell.run("screen", "try", *named, "--mode", "observe") == 0
    (one,) = json.loads(shell.printed())["brands"]
    assert one["shown"] == {"before": 23, "after": 15}


@pytest.mark.parametrize(
    ("words", "code"),
    [
        (("--from", "2026-11-15T15:00Z", "--to", "2026-11-15T12:00Z"), 2),
        ((*SPAN, "--brand", "nobody"), 4),
        (("--from", "2026-11-15T12:00Z", "--mode", "sleep"), 2),
    ],
)
def test_what_cannot_be_tried_is_refused(words: tuple[str, ...], code: int, data: Path, rules: str, shell: Any) -> None:
    assert shell.run("screen", "try", "--data", str(data), "--rules", rules, *words) == code


def test_hits_that_are_gone_cannot_be_tried(data: Path, rules: str, shell: Any) -> None:
    settings = Settings(data_dir=str(data), stream_shards=2, dev=True)
    with closing(wiring.open_stream_to_write(settings, SetClock(NOW_MS))) as stream:
        for shard in range(2):
            stream.trim(shard, through=stream.tip(shard))
    named = ("--data", str(data), "--rules", rules, "--brand", "abc", "--from", "2026-11-15T12:00Z")
    assert shell.run("screen", "try", *named) == 4
    assert "are kept since" in shell.complained()
