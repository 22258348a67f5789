"""Follows as a publisher has them: over HTTP, killed wherever it hurts, each that was answered counted once."""

import http.client
import json
import os
import random
import sqlite3
import time
from collections import Counter
from contextlib import closing
from pathlib import Path
from typing import Any
from urllib.parse import urlencode

import pytest

from footfall.app import wiring
from footfall.app.settings import Settings
from footfall.audience.things import thing_from_key
from footfall.values.clock import SystemClock
from footfall.values.groups import follows_name, unfollows_name
from tests.audience.followed_windows import Followed, by_window, followed, in_all
from tests.scenarios.instance import Instance, Starter, balanced, footfall, until

BRAND = "abc"
MEMBERS = [f"member:{number}" for number in range(8)]
TARGETS = ["series:dark", "author:7", "member:0", "asset:a#b"]
PAUSE_S = 0.005  # between two acts; a round comes once a second
ACTS_UNTIL_KILLED_MAX = 20_000

# Every process runs this before anything else: the front of it is killed, with all others, at one place of its code.
KILLED = """
import os, signal

def die_at(owner, name, call, *, is_after=False):
    whole, calls = getattr(owner, name), [0]
    def cut_short(*args, **kwargs):
        calls[0] += 1
        done = whole(*args, **kwargs) if is_after else None
        if calls[0] == call:
            os.killpg(os.getpgid(0), signal.SIGKILL)
        return done if is_after else whole(*args, **kwargs)
    setattr(owner, name, cut_short)

point = os.environ.get("KILL_AT", "")
if point == "before the append":
    from footfall.audience import follow_feed
    die_at(follow_feed, "marked_entries", 2)
elif point == "in the middle of the append":
    from footfall.adapters.embedded.sqlite_stream import SqliteStream
    die_at(SqliteStream, "_move", 2, is_after=True)
elif point == "after the append":
    from footfall.adapters.embedded.sqlite_changes import SqliteChanges
    die_at(SqliteChanges, "forget", 3)
elif point == "after forgetting":
    from footfall.adapters.embedded.sqlite_changes import SqliteChanges
    die_at(SqliteChanges, "forget", 2, is_after=True)
elif point == "in the middle of a follow":
    from footfall.adapters.embedded.sqlite_table import SqliteTable
    from footfall.ports.table import Put
    whole, calls = SqliteTable._do, [0]
    def cut_short(self, action):
        size = whole(self, action)
        if isinstance(action, Put) and "#f#" in action.key.partition:
            calls[0] += 1
            if calls[0] == 5:
                os.killpg(os.getpgid(0), signal.SIGKILL)
        return size
    SqliteTable._do = cut_short
"""
POINTS = (
    "before the append", "in the middle of the append", "after the append", "after forgetting",
    "in the middle of a follow",
)  # fmt: skip


class Members:
    """What members did, as far as they were answered."""

    def __init__(self, chance: random.Random, key: dict[str, str]) -> None:
        self._chance = chance
        self.key = key
        self.live: set[tuple[str, str]] = set()
        self.blocked: set[tuple[str, str]] = set()
        self.came: Counter[Followed] = Counter()
        self.went: Counter[Followed] = Counter()

    def act(self, instance: Instance, act: tuple[str, str, str] | None = None) -> tuple[str, str, str] | None:
        """Do something, or the same again; return it if it was not answered."""
        way, member, target = act or self._something()
        names = {"blocker": target, "blocked": member} if "block" in way else {"follower": member, "target": target}
        method = "PUT" if way in ("follow", "block") else "DELETE"
        path = "blocks" if "block" in way else "follows"
        try:
            answer = instance.call(method, f"/v1/audience/{path}?{urlencode(names)}", headers=self.key)
        except (http.client.HTTPException, OSError):
            return way, member, target
        is_refused = way == "follow" and (member, target) in self.blocked
        assert (answer.status >= 400) == is_refused, (way, answer.body)
        self._note(way, member, target)
        return None

    def _something(self) -> tuple[str, str, str]:
        way = self._chance.choices(("follow", "unfollow", "block", "unblock"), (60, 25, 5, 10))[0]
        member, target = self._chance.choice(MEMBERS), self._chance.choice(TARGETS)
        return (way, member, target) if member != target else ("follow", "member:1", target)

    def _note(self, way: str, member: str, target: str) -> None:
        edge, what = (member, target), followed(thing_from_key(member), thing_from_key(target))
        if way == "unblock":
            self.blocked.discard(edge)
        elif way == "follow":
            if edge not in self.live | self.blocked:
                self.live.add(edge)
                self.came[what] += 1
            return
        if way == "block":
            self.blocked.add(edge)
        if way in ("block", "unfollow") and edge in self.live:
            self.live.discard(edge)
            self.went[what] += 1


def key_of(data: Path) -> dict[str, str]:
    """Return what proves that somebody may write the brand's audience."""
    flags = ("--data", str(data))
    assert footfall("brands", "add", BRAND, *flags).returncode == 0
    made = footfall("keys", "add", *flags, "--brand", BRAND, "--scope", "audience", "--scope", "read", "--json")
    assert made.returncode == 0, made.stderr
    return {"Authorization": f"Bearer {json.loads(made.stdout)['key']}"}


def told(instance: Instance, key: dict[str, str], came: int, went: int) -> dict[str, Any]:
    """Return the ledger once all follows are in it."""

    def is_all(book: dict[str, Any]) -> bool:
        counted = [(book.get(name) or {"counted": 0})["counted"] for name in ("follows", "unfollows")]
        return counted == [came, went]

    return until(lambda: balanced(instance.call("GET", "/v1/ledger", headers=key)), is_all, seconds=15)


def windows(data: Path, name: str, *, from_ms: int) -> Counter[Followed]:
    settings, clock = Settings(data_dir=str(data)), SystemClock()
    with closing(wiring.open_store(settings, clock, read_only=True)) as store:
        return in_all(by_window(store, clock, name, from_ms=from_ms, to_ms=clock.now_ms() + 60_000))


def test_follows_that_were_answered_are_counted_once_wherever_the_instance_is_killed(
    starter: Starter, data: Path, tmp_path: Path
) -> None:
    killing = tmp_path / "killing"
    killing.mkdir()
    (killing / "sitecustomize.py").write_text(KILLED)
    path = os.pathsep.join([str(killing), *filter(None, [os.environ.get("PYTHONPATH")])])
    members, began_ms, unanswered = Members(random.Random(57), key_of(data)), SystemClock().now_ms(), None
    for point in POINTS:
        instance = starter.start(data, env={"PYTHONPATH": path, "KILL_AT": point})
        for _ in range(ACTS_UNTIL_KILLED_MAX):
            unanswered = members.act(instance, unanswered)
            if unanswered is not None:
                break
            time.sleep(PAUSE_S)
        else:
            raise AssertionError(f"it was never killed {point}: {instance.said()}")
        assert instance.process.wait(10) == -9
        instance.kill()
    instance = starter.start(data)
    while unanswered is not None:
        unanswered = members.act(instance, unanswered)
    for _ in range(40):
        assert members.act(instance) is None
    came, went = members.came.total(), members.went.total()
    book = told(instance, members.key, came, went)
    assert came > 40
    assert went > 10
    for name, total in (("follows", came), ("unfollows", went)):
        assert book[name] == {"accepted": total, "counted": total, "duplicate": 0, "dead": 0, "inFlight": 0}
    assert (book["accepted"], book["counted"]) == (0, 0)  # They are no hits.
    assert windows(data, follows_name(BRAND), from_ms=began_ms) == members.came
    assert windows(data, unfollows_name(BRAND), from_ms=began_ms) == members.went
    said = instance.get("/metrics").body.decode()
    assert "footfall_follows_waiting_seconds 0.0" in said
    assert "footfall_follows_told_total 0.0" not in said
    instance.terminate()


@pytest.mark.parametrize("is_killed", [False, True], ids=["stopped", "killed"])
def test_follows_of_an_audience_that_was_written_without_an_instance_are_counted_when_one_starts(
    starter: Starter, data: Path, *, is_killed: bool
) -> None:
    began_ms, key = SystemClock().now_ms(), key_of(data)
    instance = starter.start(data)
    flags = ("--data", str(data), "--brand", BRAND)
    instance.kill() if is_killed else instance.terminate()
    for number in range(3):
        done = footfall("audience", "follow", f"member:{number}", "series:dark", *flags)
        assert done.returncode == 0, done.stderr
    assert footfall("audience", "unfollow", "member:1", "series:dark", *flags).returncode == 0
    doctor = footfall("doctor", "--data", str(data))
    assert "Follows or unfollows still have to be counted." in doctor.stdout
    instance = starter.start(data)
    told(instance, key, 3, 1)
    assert windows(data, follows_name(BRAND), from_ms=began_ms) == {("series", "series", "member"): 3}
    assert windows(data, unfollows_name(BRAND), from_ms=began_ms) == {("series", "series", "member"): 1}
    doctor = footfall("doctor", "--data", str(data))
    assert "Follows are in the stream up to the newest." in doctor.stdout
    # What a stop leaves behind is nothing: the last follow is counted before the end.
    query = urlencode({"follower": "member:9", "target": "series:dark"})
    assert instance.call("PUT", f"/v1/audience/follows?{query}", headers=key).status == 200
    instance.terminate()
    assert windows(data, follows_name(BRAND), from_ms=began_ms).total() == 4
    with closing(sqlite3.connect(data / "audience.db")) as file:
        assert file.execute("SELECT count(*) FROM changes").fetchone() == (0,)
    with closing(sqlite3.connect(data / "stream.db")) as file:
        assert file.execute("SELECT count(*) FROM mark").fetchone() == (1,)


def test_neither_who_follows_nor_what_is_followed_is_in_the_stream(starter: Starter, data: Path) -> None:
    key = key_of(data)
    instance = starter.start(data)
    for way in ("PUT", "DELETE"):
        query = urlencode({"follower": "member:jane-the-reader", "target": "series:dark"})
        assert instance.call(way, f"/v1/audience/follows?{query}", headers=key).status == 200
    told(instance, key, 1, 1)
    with closing(wiring.open_stream(Settings(data_dir=str(data)), SystemClock(), read_only=True)) as stream:
        records = [record for shard in range(stream.shards) for record in stream.read(shard, after=0)]
    assert {record.group for record in records} == {follows_name(BRAND), unfollows_name(BRAND)}
    assert all(b"series" in record.data for record in records)
    assert not any(name in record.data for record in records for name in (b"dark", b"jane"))
    instance.terminate()


def test_the_name_of_an_erased_member_is_in_no_file_whether_they_followed_or_were_followed(
    starter: Starter, data: Path
) -> None:
    key, erased = key_of(data), "member:jane-the-reader"
    instance = starter.start(data)
    for follower, target in ((erased, "series:dark"), ("member:7", erased), ("member:8", erased)):
        query = urlencode({"follower": follower, "target": target})
        assert instance.call("PUT", f"/v1/audience/follows?{query}", headers=key).status == 200
    told(instance, key, 3, 0)
    done = footfall("audience", "erase", erased, "--yes", "--data", str(data), "--brand", BRAND)
    assert done.returncode == 0, done.stderr
    told(instance, key, 3, 3)  # That they ended is counted without a name, too.
    instance.terminate()
    with closing(wiring.open_stream(Settings(data_dir=str(data)), SystemClock(), read_only=True)) as stream:
        records = [record for shard in range(stream.shards) for record in stream.read(shard, after=0)]
    assert len(records) >= 2
    assert not any(b"jane" in record.data for record in records)
    for name in ("stream.db", "store.db"):
        for file in data.glob(f"{name}*"):
            assert b"jane" not in file.read_bytes(), file
    with closing(sqlite3.connect(data / "audience.db")) as file:
        assert not any("jane" in line for line in file.iterdump())


def test_a_restored_backup_counts_what_was_followed_by_then_once_and_goes_on(starter: Starter, data: Path) -> None:
    key, restored = key_of(data), data.parent / "restored"
    began_ms = SystemClock().now_ms()
    members = Members(random.Random(4), key)
    instance = starter.start(data)
    for _ in range(60):
        assert members.act(instance) is None
    done = footfall("backup", "--data", str(data), str(data.parent / "backup"))  # Some are on their way at that moment.
    assert done.returncode == 0, done.stderr
    came, went = members.came.copy(), members.went.copy()
    for _ in range(60):
        assert members.act(instance) is None
    told(instance, key, members.came.total(), members.went.total())
    instance.terminate()
    done = footfall("restore", str(data.parent / "backup"), "--data", str(restored))
    assert done.returncode == 0, done.stderr
    instance = starter.start(restored)
    told(instance, key, came.total(), went.total())
    query = urlencode({"follower": "member:new", "target": "series:dark"})
    assert instance.call("PUT", f"/v1/audience/follows?{query}", headers=key).status == 200
    told(instance, key, came.total() + 1, went.total())
    came["series", "series", "member"] += 1
    assert windows(restored, follows_name(BRAND), from_ms=began_ms) == came
    assert windows(restored, unfollows_name(BRAND), from_ms=began_ms) == went
    instance.terminate()
