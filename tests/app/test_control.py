"""What an operator asks of a data directory: over the socket of the one that runs, or by being it."""

import json
import os
import socket
import threading
from collections.abc import Callable, Generator, Mapping
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any

import pytest

from footfall.accounts.brands import Brand
from footfall.app import wiring
from footfall.app.control import answer_about_aside, asked_from, run_offline
from footfall.app.control_errors import ControlFailed
from footfall.app.control_socket import ask, socket_path
from footfall.app.lock import InUse, take_lock
from footfall.app.settings import Settings
from footfall.flow.store.checkpoints import Lines, load_checkpoint
from footfall.flow.stream import records
from footfall.flow.stream.beats import VERSION as BEATS_VERSION
from footfall.flow.stream.beats import Beats, record_from_beats
from footfall.flow.stream.raw import StreamRaw
from footfall.flow.stream.records import RULES, VERSION, Pack, record_from_pack
from footfall.ports.stream import Entry
from footfall.values.clock import SystemClock
from footfall.values.errors import Refused
from footfall.values.groups import follows_name, pings_group, unfollows_name
from footfall.values.window import DAY_MS, HOUR_MS, MINUTE_MS, instant_text
from tests.app.stage import NOON_MS, Instance
from tests.audience.followed_windows import by_window

LATE_MS = NOON_MS - 2 * DAY_MS


def asked(instance: Instance, **request: object) -> Any:
    return answer_about_aside(
        instance.table, StreamRaw(instance.stream), {"brand": "abc", **request}, clock=instance.clock
    )


def lines_of(instance: Instance, group: str = "abc") -> Lines:
    checkpoint = load_checkpoint(instance.table, 0)
    assert checkpoint is not None
    return checkpoint.lines[group]


def with_late_hits() -> Instance:
    instance = Instance()
    for number in range(3):
        instance.send(str(number), "x", at_ms=LATE_MS)
        instance.count()
    return instance


def test_set_aside_hits_are_listed_page_by_page() -> None:
    instance = with_late_hits()
    page = asked(instance, do="side-list", kind="late", limit=2)
    assert page == {
        "items": [{"position": f"0:{at}", "hits": 2, "reason": "late"} for at in (1, 2)],
        "more": True,
    }
    rest = asked(instance, do="side-list", kind="late", limit=2, after="0:2")
    assert [item["position"] for item in rest["items"]] == ["0:3"]
    assert rest["more"] is False
    assert asked(instance, do="side-list") == {"items": [], "more": False}


def test_one_record_is_shown_with_its_hits() -> None:
    shown = json.loads(json.dumps(asked(with_late_hits(), do="side-show", kind="late", position="0:2")))
    assert (shown["position"], shown["reason"]) == ("0:2", "late")
    named = {"assetId": "1", "sectionId": "news", "resourceType": "article", "paidType": "free"}
    assert shown["hits"][0] == {**named, "at": instant_text(LATE_MS)}
    assert shown["arrived"] == instant_text(NOON_MS + 2_000)
    assert len(shown["hits"]) == 2


def test_beats_that_were_set_aside_are_listed_and_shown_and_not_replayed() -> None:
    instance = Instance()
    beats = Beats(
        "ffpg", BEATS_VERSION, NOON_MS, [("film", "", "", "")] * 2, ["s1", "s2"], [4, 7], [NOON_MS, LATE_MS],
        [1_000, 41_200], bytes([0, 1]), aside={1: "late"},
    )  # fmt: skip
    instance.stream.append([Entry(0, pings_group("abc"), 2, record_from_beats(beats), NOON_MS)])
    instance.count()
    pings = {"of": "pings", "kind": "late"}
    assert asked(instance, do="side-list", kind="late")["items"] == []
    (item,) = asked(instance, do="side-list", **pings)["items"]
    assert item == {"position": "0:1", "pings": 1, "reason": "late"}
    assert asked(instance, do="side-show", position="0:1", **pings)["pings"] == [
        {
            "session": "s2", "sequence": 7, "assetId": "film", "playhead": 41.2, "state": "paused",
            "at": instant_text(LATE_MS),
        }
    ]  # fmt: skip
    for wrong in ({**pings, "do": "side-replay", "all": True}, {"do": "side-list", "of": "letters"}):
        with pytest.raises(Refused) as refused:
            asked(instance, **wrong)
        assert refused.value.field == "of"
    with pytest.raises(Refused, match="listed and shown, not replayed: a beat counts after the one before it"):
        asked(instance, do="side-replay", position="0:1", **pings)


@pytest.mark.parametrize(("of", "named"), [("follows", follows_name), ("unfollows", unfollows_name)])
def test_follows_that_could_not_be_read_are_counted_once_at_their_time_when_they_can_be(
    of: str, named: Callable[[str], str], monkeypatch: pytest.MonkeyPatch
) -> None:
    instance, group = Instance(), named("abc")
    kinds = ("series", "series", "member", "")
    later = Pack(VERSION + 1, RULES, NOON_MS, [kinds] * 2, at_ms=[LATE_MS] * 2, trusted=True)
    instance.stream.append([Entry(0, group, 2, record_from_pack(later), NOON_MS)])
    instance.count()
    assert asked(instance, do="side-list")["items"] == []
    (item,) = asked(instance, do="side-list", of=of)["items"]
    # Named as what they are, and as many as were taken: that is known though nobody can read them.
    assert item == {"position": "0:1", of: 2, "reason": "a pack of version 2; this release reads version 1"}
    assert "bytes" in asked(instance, do="side-show", of=of, position="0:1")
    left = asked(instance, do="side-replay", of=of, all=True)
    assert (left.entries, left.left) == ([], 1)
    with pytest.raises(Refused, match=f"not among the dead {of} of abc;"):
        asked(instance, do="side-replay", of=of, position="0:9")

    monkeypatch.setattr(records, "VERSION", VERSION + 1)  # the upgrade
    shown = asked(instance, do="side-show", of=of, position="0:1")
    assert shown[of] == [{"kind": "series", "followerKind": "member", "at": instant_text(LATE_MS)}] * 2
    entries = asked(instance, do="side-replay", of=of, all=True).entries
    for _ in range(2):  # A second time changes nothing.
        instance.stream.append(entries)
        instance.count()
        assert (lines_of(instance, group).dead, lines_of(instance, group).counted) == (0, 2)
    counted = by_window(instance.table, instance.clock, group, from_ms=LATE_MS, to_ms=LATE_MS + MINUTE_MS)
    assert counted == {(LATE_MS, kinds[:3]): 2}
    assert asked(instance, do="side-list", of=of) == {"items": [], "more": False}
    assert instance.stream.appended() == {group: 2}


def test_a_record_that_cannot_be_read_is_shown_as_it_is() -> None:
    instance = Instance()
    instance.stream.append([Entry(0, "abc", 3, b"\xc1\x02", NOON_MS)])
    instance.count()
    (item,) = asked(instance, do="side-list")["items"]
    assert item["hits"] == 3
    assert "not a pack of hits" in item["reason"]
    assert asked(instance, do="side-show", position="0:1")["bytes"] == "c102"
    with pytest.raises(Refused, match="still cannot be read"):
        asked(instance, do="side-replay", position="0:1")
    left = asked(instance, do="side-replay", all=True)
    assert (left.entries, left.left) == ([], 1)
    assert "still cannot be read" in left.report()["reason"]


def test_one_record_or_all_are_replayed_and_the_ledger_still_balances() -> None:
    instance = with_late_hits()
    instance.stream.append(asked(instance, do="side-replay", kind="late", position="0:2").entries)
    instance.count()
    assert (lines_of(instance).late, lines_of(instance).counted) == (4, 2)
    entries = asked(instance, do="side-replay", kind="late", all=True).entries
    assert len(entries) == 2
    for _ in range(2):  # A second time changes nothing.
        instance.stream.append(entries)
        instance.count()
        assert (lines_of(instance).late, lines_of(instance).counted) == (0, 6)
    assert asked(instance, do="side-replay", kind="late", all=True).report() == {"replayed": 0}
    assert instance.stream.appended() == {"abc": 6}


def test_hits_that_are_still_to_come_are_left_where_they_are() -> None:
    instance = Instance()
    instance.send("1", at_ms=NOON_MS + HOUR_MS)
    instance.send("1", at_ms=NOON_MS + 9 * HOUR_MS)
    instance.count()
    instance.clock.set(NOON_MS + 2 * HOUR_MS)
    report = asked(instance, do="side-replay", kind="future", all=True).report()
    assert (report["replayed"], report["left"]) == (1, 1)
    assert "whose time has not come yet" in report["reason"]


@pytest.mark.parametrize(
    ("request_", "field"),
    [
        ({"do": "side-list", "kind": "counted"}, "kind"),
        ({"do": "side-list", "brand": "No Brand"}, "brand"),
        ({"do": "dance"}, "do"),
        ({"do": "side-show", "position": "0:9"}, "position"),
    ],
)
def test_what_cannot_be_asked_is_refused(request_: dict[str, object], field: str) -> None:
    with pytest.raises(Refused) as refused:
        asked(Instance(), **request_)
    assert refused.value.field == field


def test_a_recount_is_asked_for_in_milliseconds() -> None:
    assert asked_from({"brand": "abc", "from_ms": 1, "to_ms": 2}) == ("abc", 1, 2)
    with pytest.raises(Refused, match="whole milliseconds"):
        asked_from({"brand": "abc", "from_ms": "1", "to_ms": 2})


# --- a directory that nobody runs on ---------------------------------------------------------------


def offline(tmp_path: Path, *, at_ms: int) -> tuple[Settings, int]:
    """Return the settings of a directory with a hit that was not counted yet, and when it came."""
    settings = Settings(data_dir=str(tmp_path), brands={"abc": Brand("abc")})
    clock = SystemClock()
    now_ms = clock.now_ms()
    with closing(wiring.open_stream(settings, clock)) as stream:
        pack = Pack(VERSION, RULES, now_ms, [("1", "", "", "")], at_ms=[now_ms + at_ms])
        stream.append([Entry(0, "abc", 1, record_from_pack(pack), now_ms)])
    return settings, now_ms


def test_a_recount_offline_counts_what_is_there_first(tmp_path: Path) -> None:
    settings, now_ms = offline(tmp_path, at_ms=0)
    request = {"do": "recount", "brand": "abc", "from_ms": now_ms - HOUR_MS, "to_ms": now_ms}
    report = run_offline(settings, request, lambda _: None)
    assert (report["changed"], report["hits"]) == (0, 1)


def test_a_replay_offline_is_counted_at_once(tmp_path: Path) -> None:
    settings, _ = offline(tmp_path, at_ms=-3 * DAY_MS)
    listed = run_offline(settings, {"do": "side-list", "brand": "abc", "kind": "late"}, lambda _: None)
    assert [item["position"] for item in listed["items"]] == ["0:1"]
    request = {"do": "side-replay", "brand": "abc", "kind": "late", "all": True}
    assert run_offline(settings, request, lambda _: None) == {"replayed": 1}
    assert run_offline(settings, request, lambda _: None) == {"replayed": 0}
    listed = run_offline(settings, {"do": "side-list", "brand": "abc", "kind": "late"}, lambda _: None)
    assert listed == {"items": [], "more": False}


def test_a_directory_in_use_is_left_alone(tmp_path: Path) -> None:
    settings, _ = offline(tmp_path, at_ms=0)
    lock = take_lock(tmp_path)
    try:
        with pytest.raises(InUse):
            run_offline(settings, {"do": "side-list", "brand": "abc"}, lambda _: None)
    finally:
        os.close(lock)


# --- a directory that somebody runs on -------------------------------------------------------------


@contextmanager
def answering(directory: Path, answers: list[Mapping[str, Any]]) -> Generator[list[Any]]:
    """Listen on the control socket of a directory and give these answers to whatever is asked."""
    heard: list[Any] = []
    with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as listener:
        with socket_path(directory) as path:
            listener.bind(path)
        listener.listen()

        def serve() -> None:
            line, _ = listener.accept()
            with line, line.makefile("rwb") as both:
                heard.append(json.loads(both.readline()))
                both.write(b"".join(json.dumps(answer).encode() + b"\n" for answer in answers))

        thread = threading.Thread(target=serve)
        thread.start()
        yield heard
        thread.join(10)


def test_the_instance_that_runs_is_asked_over_its_socket(tmp_path: Path) -> None:
    told: list[float] = []
    deep = tmp_path.joinpath(*["a-rather-long-name"] * 8)  # Longer than a socket's path may be.
    deep.mkdir(parents=True)
    with answering(deep, [{"progress": 0.25}, {"progress": 1}, {"done": {"hits": 3}}]) as heard:
        assert ask(deep, {"do": "recount"}, told.append) == {"hits": 3}
    assert (heard, told) == ([{"do": "recount"}], [0.25, 1.0])


@pytest.mark.parametrize(
    ("answers", "sentence"),
    [([{"error": "not today"}], "not today"), ([], "went away"), ([{"what": 1}], "makes no sense")],
)
def test_what_an_instance_cannot_do_is_told(tmp_path: Path, answers: list[Mapping[str, Any]], sentence: str) -> None:
    with answering(tmp_path, answers), pytest.raises(ControlFailed, match=sentence):
        ask(tmp_path, {"do": "recount"}, lambda _: None)


def test_a_directory_without_a_socket_has_no_instance(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError):
        ask(tmp_path, {}, lambda _: None)
