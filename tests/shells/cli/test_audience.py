"""The audience command works on the directory's table: what it does, prints, and refuses."""

import json
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from footfall.adapters.embedded.sqlite_table import SqliteTable
from footfall.audience.history import record
from footfall.audience.history_next import keep_episodes
from footfall.audience.keys import AUDIENCE_INDEXES
from footfall.audience.playbacks_kept import admit
from footfall.flow.store.completions import Seen, add_to_completions
from footfall.flow.store.watch_log import Viewers, WatchRow, save_rows, save_viewers
from footfall.shells.cli.command import Exit
from footfall.values.clock import SystemClock
from footfall.values.window import instant_text
from tests.audience.history_stage import ask as a_place
from tests.audience.history_stage import means, watched


@pytest.fixture
def ask(shell: Any, tmp_path: Path) -> Any:
    (tmp_path / "footfall.toml").write_text('[brands.daily]\nzone = "UTC"\n')

    def run(*words: str, wanted: Exit = Exit.OK) -> str:
        before = len(shell.printed())
        assert shell.run("audience", *words, "--brand", "daily", "--data", str(tmp_path)) == wanted
        return str(shell.printed()[before:])

    return run


def test_follows_are_made_listed_and_erased(ask: Any, shell: Any, tmp_path: Path) -> None:
    assert ask("follow", "member:1", "series:dark").startswith("member:1 follows series:dark since 20")
    assert ask("is-following", "member:2", "series:dark") == "member:2 does not follow series:dark.\n"
    assert ask("counts", "series:dark") == "series:dark follows 0, 1 follow it.\n"
    assert [line.split()[0] for line in ask("followers", "series:dark").splitlines()] == ["thing", "member:1"]
    assert ask("feed", "member:1") == "There is nothing.\n"
    assert ask("spread", "series:dark", "--expect", "2000000") == "The followers of series:dark lie in 64 shards.\n"
    assert json.loads(ask("following", "member:1", "--json"))["items"][0]["thing"] == "series:dark"
    assert json.loads(ask("export", "member:1"))["thing"] == "series:dark"
    assert ask("block", "series:dark", "member:1") == "series:dark blocks member:1.\n"
    assert ask("make-private", "member:1") == "member:1 is private.\n"
    ask("erase", "member:1", wanted=Exit.USAGE)
    assert ask("erase", "member:1", "--yes").endswith("items of member:1 are gone.\n")
    assert shell.run("audit", "--data", str(tmp_path), "--brand", "daily", "--json") == Exit.OK
    (act,) = json.loads(shell.printed().splitlines()[-1])["items"]
    assert (act["act"], act["subject"][:15]) == ("thing-erased", "member, digest ")
    assert ask("followers", "series:dark") == "There is nothing.\n"
    assert ask("kinds").split() == ["member", "series", "asset", "author", "actor"]


def test_what_was_published_is_told_in_feeds_and_taken_back(ask: Any) -> None:
    ask("follow", "member:1", "series:dark")
    told = ask("publish", "series:dark", "--id", "s1e2", "--about", '{"title": "Lies"}')
    assert told.startswith("series:dark published s1e2 at 20")
    assert json.loads(ask("feed", "member:1", "--json"))["items"][0]["about"] == {"title": "Lies"}
    ask("publish", "series:dark", wanted=Exit.USAGE)
    ask("publish", "series:dark", "--id", "x", "--about", "no JSON", wanted=Exit.USAGE)
    assert ask("unpublish", "series:dark", "--id", "s1e2") == "s1e2 of series:dark is in no feed.\n"
    assert ask("feed", "member:1") == "There is nothing.\n"


def test_what_makes_no_sense_is_refused_with_a_sentence(ask: Any, shell: Any, tmp_path: Path) -> None:
    ask("resume", "member:1", "series:dark", wanted=Exit.USAGE)
    assert "series:dark is no asset; name one as in asset:42." in shell.complained()
    ask("follow", "member:1", wanted=Exit.USAGE)
    ask("follow", "member:1", "member:1", wanted=Exit.REFUSED)
    ask("follow", "wizard:1", "member:1", wanted=Exit.REFUSED)
    assert shell.run("audience", "kinds", "--brand", "unknown", "--data", str(tmp_path)) == Exit.REFUSED


def test_a_history_and_what_plays_are_shown_hidden_removed_and_stopped(ask: Any, tmp_path: Path) -> None:
    now_ms = SystemClock().now_ms()
    with closing(SqliteTable(tmp_path / "audience.db", clock=SystemClock(), indexes=AUDIENCE_INDEXES)) as table:
        record(table, "daily", watched("e1", 95, now_ms - 1, member="7", series="dark"), now_ms=now_ms)
        record(table, "daily", watched("film", 40, now_ms, member="7"), now_ms=now_ms)
        keep_episodes(table, "daily", "dark", ["e1", "e2"])
        admit(table, "daily", "7", a_place("tv"), now_ms=now_ms, means=means())
    assert [line.split()[0] for line in ask("history", "member:7").splitlines()] == ["series", "film", "dark"]
    assert json.loads(ask("history", "member:7", "series:dark", "--json"))["episodes"][0]["timesWatched"] == 1
    assert [line.split()[0] for line in ask("continue", "member:7").splitlines()] == ["series", "film"]
    assert ask("next", "member:7", "series:dark") == "e2\n"
    ask("hide", "member:7", "series:film")
    assert ask("continue", "member:7") == "There is nothing.\n"
    assert ask("show", "member:7", "series:film") == "Lists have it again.\n"
    ask("show", "member:7", "series:nothing", wanted=Exit.REFUSED)
    assert [line.split()[0] for line in ask("continue", "member:7").splitlines()] == ["series", "film"]
    assert ask("resume", "member:7", "asset:film").startswith("film: in-progress, at 0:24:00 of 1:00:00, ")
    assert ask("resume", "member:7", "asset:e1", "series:dark").startswith("e1: watched, at 0:57:00 of 1:00:00, ")
    assert ask("resume", "member:7", "asset:never", "series:dark") == "There is nothing.\n"
    unnamed = ask("resume", "member:7", "asset:e1").splitlines()
    assert (unnamed[0], "as in series:42" in unnamed[1]) == ("There is nothing.", True)
    assert json.loads(ask("resume", "member:7", "asset:film", "--json"))["point"]["positionMs"] == 1_440_000
    ask("forget", "member:7", "series:dark")
    assert json.loads(ask("history", "member:7", "series:dark", "--json"))["episodes"] == []
    assert "device of tv" in ask("playbacks", "member:7")
    assert ask("stop", "member:7").startswith("1 playbacks are stopped")
    assert ask("playbacks", "member:7") == "Nothing plays.\n"
    assert "the operator" in ask("ended", "member:7")
    ask("history", "series:dark", wanted=Exit.USAGE)
    ask("hide", "member:7", "series:nothing", wanted=Exit.REFUSED)
    ask("erase", "member:7", "--yes")
    assert ask("ended", "member:7") == "There is nothing.\n"


def test_one_episode_of_a_series_is_removed_and_the_others_stay(ask: Any, shell: Any, tmp_path: Path) -> None:
    now_ms = SystemClock().now_ms()
    with closing(SqliteTable(tmp_path / "audience.db", clock=SystemClock(), indexes=AUDIENCE_INDEXES)) as table:
        for number, asset in enumerate(["e1", "e2"]):
            told = watched(asset, 40, now_ms - 9 + number, member="7", series="dark")
            record(table, "daily", told, now_ms=now_ms)
        record(table, "daily", watched("film", 40, now_ms - 10, member="7"), now_ms=now_ms)

    def left() -> list[str]:
        return [one["asset"] for one in json.loads(ask("history", "member:7", "--json"))["series"]]

    assert left() == ["e2", "film"]
    unnamed = ask("forget", "member:7", "asset:e2").splitlines()
    assert (unnamed[0], "as in series:42" in unnamed[1]) == ("Nothing was there.", True)
    assert left() == ["e2", "film"]
    assert ask("forget", "member:7", "asset:e2", "series:dark") == "It is removed.\n"
    assert left() == ["e1", "film"]
    assert ask("forget", "member:7", "asset:film") == "It is removed.\n"
    assert left() == ["e1"]
    ask("forget", "member:7", "series:dark", "asset:e1", wanted=Exit.USAGE)
    assert "series:dark is no asset" in shell.complained()
    ask("forget", "member:7", "member:8", wanted=Exit.USAGE)
    ask("forget", "member:7", wanted=Exit.USAGE)


def test_who_watches_how_far_and_what_was_watched_is_told_from_the_store(ask: Any, shell: Any, tmp_path: Path) -> None:
    assert ask("viewers", wanted=Exit.REFUSED) == "Nothing was counted here yet.\n"
    now_ms = shell.clock.now_ms()
    day_ms = now_ms // 86_400_000 * 86_400_000
    seen = ((1 << 50) - 1).to_bytes(13, "little")
    rows = [
        WatchRow(
            brand="daily", day_ms=day_ms, shard=0, session=name, number=0, asset="film", section="", series="",
            resource_type="", paid_type="", member=name[1:], device="", from_ms=day_ms, to_ms=day_ms + 60_000,
            ms=60_000, duration_ms=120_000, beats=7, seen=seen,
        )
        for name in ("s1", "s2")
    ]  # fmt: skip
    with closing(SqliteTable(tmp_path / "store.db", clock=shell.clock)) as table:
        save_rows(table, [(row, now_ms + 10**9) for row in rows])
        parts = [Seen(1, row.ms, 1, int.from_bytes(row.seen, "little")) for row in rows]
        add_to_completions(
            table, 0, {("daily", "film", day_ms): parts}, through=1, expires_at_ms=lambda _: now_ms + 10**9
        )
        playing = Viewers(
            at_ms=now_ms, until_ms=now_ms + 60_000, total=3, sections=[("", 3)], assets=[("film", 2), ("show", 1)]
        )
        save_viewers(table, "daily", 0, playing)
    assert ask("viewers").startswith("3 watch now.\n")
    assert json.loads(ask("viewers", "--json", "--limit", "1"))["assets"] == [{"assetId": "film", "viewers": 2}]
    day = instant_text(day_ms)[:10]
    told = ask("completion", "asset:film", "--from", day, "--to", day)
    assert told.startswith("film: 2 playbacks that are over, 2")
    assert [line.split() for line in told.splitlines()[5:8]] == [["40", "2"], ["50", "2"], ["60", "0"]]
    assert json.loads(ask("completion", "asset:film", "--from", day, "--json"))["milliseconds"] == 120_000
    ask("completion", "series:film", wanted=Exit.USAGE)
    ask("completion", "asset:film", "--from", "yesterday", wanted=Exit.REFUSED)
    first = json.loads(ask("watched", "asset:film", "--day", day, "--limit", "1", "--json"))
    rest = json.loads(ask("watched", "--day", day, "--after", first["after"], "--json"))
    assert {one["member"] for one in first["items"] + rest["items"]} == {"1", "2"}
    assert json.loads(ask("export", "member:1"))["session"] == "s1"
    ask("erase", "member:1", "--yes")
    assert [one.get("member") for one in json.loads(ask("watched", "--day", day, "--json"))["items"]].count("1") == 0
    assert ask("export", "member:1") == ""
