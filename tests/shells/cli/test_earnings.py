"""The earnings command: a period is shown before it is closed, closed once, corrected, traced, and in the trail."""

import json
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from footfall.accounts.brands import Brand
from footfall.adapters.embedded.sqlite_table import SqliteTable
from footfall.app.kept_settings import keep_settings
from footfall.app.settings import Settings
from footfall.flow.store.checkpoints import Checkpoint, save_checkpoint
from footfall.flow.store.watch_log import WatchRow, save_rows
from footfall.shells.cli.command import Exit
from footfall.values.window import DAY_MS
from tests.shells.cli.conftest import NOW_MS

DAY_FROM_MS = NOW_MS - NOW_MS % DAY_MS - 3 * DAY_MS
TERMS = {"name": "2026-11-12", "from": "2026-11-12", "to": "2026-11-13", "currency": "EUR", "pool": 1_001}


def row_in(shard: int, session: str) -> WatchRow:
    return WatchRow(
        brand="daily", day_ms=DAY_FROM_MS, shard=shard, session=session, number=4, asset="film", section="", series="",
        resource_type="", paid_type="", member="ann", device="", from_ms=DAY_FROM_MS, to_ms=DAY_FROM_MS + 60_000,
        ms=60_000, duration_ms=0, beats=6, seen=b"",
    )  # fmt: skip


@pytest.fixture
def ask(shell: Any, tmp_path: Path) -> Any:
    (tmp_path / "footfall.toml").write_text('[brands.daily]\nzone = "UTC"\n')
    with closing(SqliteTable(tmp_path / "store.db", clock=shell.clock)) as store:
        save_rows(store, [(row_in(0, "s1"), NOW_MS + 10**10)])

    def run(*words: str, wanted: Exit = Exit.OK, sent: Any = None) -> str:
        before = len(shell.printed())
        if sent is not None:
            (tmp_path / "terms.json").write_text(json.dumps(sent))
            words = (*words, str(tmp_path / "terms.json"))
        assert shell.run("earnings", *words, "--brand", "daily", "--data", str(tmp_path)) == wanted
        return str(shell.printed()[before:])

    return run


def test_a_period_is_shown_closed_once_corrected_and_traced_and_stands_in_the_trail(
    ask: Any, shell: Any, tmp_path: Path
) -> None:
    ask("close", sent=TERMS, wanted=Exit.FAILED)
    assert "counting has read nothing yet of shard 0" in shell.complained()
    with closing(SqliteTable(tmp_path / "store.db", clock=shell.clock)) as store:
        save_checkpoint(store, 0, Checkpoint(number=1, passed_ms=NOW_MS), replaces=None)
    shown = ask("close", "--dry-run", sent=TERMS)
    assert ("film" in shown, shown.splitlines()[-1]) == (True, "Nothing was written.")
    assert ask("list") == "No period was closed.\n"
    assert "10.01" in ask("close", sent=TERMS)
    ask("close", sent={**TERMS, "name": "again"}, wanted=Exit.FAILED)
    correction = {"name": "2026-11-12", "reason": "vouchers", "pool": 900}
    assert "-1.01" in ask("correct", sent=correction)
    assert ask("csv", "2026-11-12").splitlines()[2].split(",")[5:7] == ["0.000", "-1.01"]
    assert ask("csv", "2026-11-12").splitlines()[2].endswith(",2026-11-12,2026-11-12,UTC")
    assert "12 November 2026 (UTC)" in ask("page", "2026-11-12")
    traced = json.loads(ask("trace", "2026-11-12", "--asset", "film", "--cent", "900", "--json"))
    assert [(one["session"], one["day"]) for one in traced["watched"]] == [("s1", "2026-11-12T00:00Z")]
    assert shell.run("audit", "--data", str(tmp_path), "--brand", "daily", "--json") == Exit.OK
    acts = json.loads(shell.printed().splitlines()[-1])["items"]
    assert [(one["act"], one["subject"]) for one in acts] == [
        ("period-corrected", "2026-11-12"),
        ("period-closed", "2026-11-12"),
    ]


def test_a_correction_of_a_log_that_has_expired_needs_a_word_more(ask: Any, shell: Any, tmp_path: Path) -> None:
    with closing(SqliteTable(tmp_path / "store.db", clock=shell.clock)) as store:
        save_checkpoint(store, 0, Checkpoint(number=1, passed_ms=NOW_MS), replaces=None)
    ask("close", sent=TERMS)
    shell.clock.advance(10**10 + 1)
    correction = {"name": "2026-11-12", "reason": "vouchers", "pool": 900}
    ask("correct", sent=correction, wanted=Exit.FAILED)
    assert "had 1.000 minutes and has 0.000" in shell.complained()
    assert "nothing was watched" in ask("correct", "--anew", "--dry-run", sent=correction)


def test_all_shards_that_the_instance_has_are_read_though_the_command_line_does_not_name_them(
    ask: Any, shell: Any, tmp_path: Path
) -> None:
    keep_settings(Settings(data_dir=str(tmp_path), stream_shards=2, brands={"daily": Brand("daily")}))
    with closing(SqliteTable(tmp_path / "store.db", clock=shell.clock)) as store:
        save_rows(store, [(row_in(1, "s2"), NOW_MS + 10**10)])
        for shard in range(2):
            save_checkpoint(store, shard, Checkpoint(number=1, passed_ms=NOW_MS), replaces=None)
    (closed,) = json.loads(ask("close", "--json", sent=TERMS))["entries"]
    assert closed["milliseconds"] == 120_000
