"""Histories and playback limits over HTTP, on a front without sockets: what is told, asked, refused and kept apart."""

import json
from collections.abc import Generator
from typing import Any
from urllib.parse import quote

import pytest

from footfall.accounts.brands import Brand
from tests.shells.http.stage import Reply, Stage, staged

HOUR_MS = 3_600_000


class Server:
    """A publisher's server with a key for its audience."""

    def __init__(self, stage: Stage, brand: str, *scopes: str) -> None:
        self.stage, self.brand = stage, brand
        made = stage.runner.run(stage.state.desk.change(brand, lambda one: one.add_secret_key(brand, scopes)))
        self.headers = {"authorization": f"Bearer {made.text}"}

    def ask(self, method: str, target: str, body: Any = None) -> Reply:
        data = b"" if body is None else body if isinstance(body, bytes) else json.dumps(body).encode()
        return self.stage.ask(f"/v1/audience/{target}", method=method, headers=self.headers, body=data)

    def json(self, target: str, *, method: str = "GET", body: Any = None, status: int = 200) -> dict[str, Any]:
        reply = self.ask(method, target, body)
        assert reply.status == status, reply.text
        return reply.json()

    def watched(self, asset: str, percent: int, **more: Any) -> dict[str, Any]:
        self.stage.clock.advance(1_000)
        told = {"member": "ann", "asset": asset, "positionMs": HOUR_MS * percent // 100, "durationMs": HOUR_MS, **more}
        return self.json("history", method="POST", body=told)


@pytest.fixture(scope="module")
def stage(tmp_path_factory: pytest.TempPathFactory) -> Generator[Stage]:
    with staged(
        tmp_path_factory.mktemp("data"), brands={"plain": Brand("plain")}, audience_plans="one=1, two=2",
        audience_answer_ms=10_000,
    ) as one:  # fmt: skip
        yield one


@pytest.fixture
def server(stage: Stage, request: pytest.FixtureRequest) -> Server:
    name = f"b{abs(hash(request.node.name)) % 10**12}"
    stage.runner.run(stage.state.desk.change(name, lambda one: one.add(Brand(name), zone_in_use=None)))
    return Server(stage, name, "audience")


def test_a_member_resumes_sees_what_is_recent_and_what_comes_next(server: Server) -> None:
    series = "Der Untergang / #1 “é”"
    assert server.watched("e1", 95, series=series) | {"at": ""} == {
        "member": "ann", "asset": "e1", "series": series, "state": "watched", "newest": True, "at": "",
    }  # fmt: skip
    assert server.watched("e2", 2, series=series)["state"] == "ignored"
    server.watched("film", 40, device="phone")
    point = server.json("history/resume?member=ann&asset=film")["point"]
    assert (point["positionMs"], point["state"], point["device"]) == (HOUR_MS * 4 // 10, "in-progress", "phone")
    assert server.json("history/resume?member=ann&asset=never")["point"] is None
    page = server.json("history/recent?member=ann&limit=1")
    assert [one["series"] for one in page["series"]] == ["film"]
    rest = server.json(f"history/recent?member=ann&limit=1&after={page['after']}")
    assert [one["series"] for one in rest["series"]] == [series]
    assert [one["asset"] for one in server.json("history/continue?member=ann")["series"]] == ["film"]
    of = f"member=ann&series={quote(series)}"
    assert server.json(f"history/series?{of}")["episodes"][0]["timesWatched"] == 1
    assert server.json(f"history/latest?{of}")["latest"]["asset"] == "e1"
    assert server.ask("GET", f"history/next?{of}").status == 400  # Nobody told the order.
    order = f"history/series/{quote(series, safe='')}/episodes"
    assert server.json(order, method="PUT", body={"episodes": ["e1", "e2", "e3"]})["episodes"] == ["e1", "e2", "e3"]
    assert server.json(order)["episodes"] == ["e1", "e2", "e3"]
    assert server.json(f"history/next?{of}")["next"] == "e2"
    assert server.json(f"history/next?{of}", method="POST", body={"episodes": ["e1", "e9"]})["next"] == "e9"
    assert server.json("history/hide", method="POST", body={"member": "ann", "series": "film"})["hidden"]
    assert server.json("history/continue?member=ann")["series"] == []
    assert len(server.ask("GET", "history/export?member=ann").text.splitlines()) == 4
    server.json(f"history?{of}&asset=e1", method="DELETE")
    assert server.json(f"history/series?{of}")["episodes"] == []
    assert server.ask("DELETE", "history?member=ann").status == 400
    server.json("history?member=ann&all=true", method="DELETE")
    assert server.ask("GET", "history/export?member=ann").text == ""


def test_whoever_leaves_out_the_series_of_an_episode_is_told_what_to_name(server: Server) -> None:
    server.watched("e1", 40, series="dark")
    server.watched("film", 40)
    unnamed = server.json("history/resume?member=ann&asset=e1")
    assert (unnamed["point"], "`series`" in unnamed["note"]) == (None, True)
    assert "note" not in server.json("history/resume?member=ann&asset=e1&series=dark")
    assert "note" not in server.json("history/resume?member=ann&asset=e2&series=dark")
    assert "note" not in server.json("history/resume?member=ann&asset=film")
    assert "`series`" in server.json("history?member=ann&asset=e1", method="DELETE")["note"]
    assert server.json("history/resume?member=ann&asset=e1&series=dark")["point"]["asset"] == "e1"
    assert "note" not in server.json("history?member=ann&asset=film", method="DELETE")
    assert "note" not in server.json("history?member=ann&asset=e1&series=dark", method="DELETE")
    assert server.json("history/recent?member=ann")["series"] == []


def test_several_events_come_at_once_and_a_wrong_one_says_which(server: Server) -> None:
    events = [{"member": 7, "asset": n, "positionMs": 900, "durationMs": 1_000} for n in range(100)]
    came = server.json("history", method="POST", body={"events": events})["events"]
    assert (len(came), {one["state"] for one in came}) == (100, {"watched"})
    wrong = server.ask("POST", "history", {"events": [*events[:3], {**events[3], "positionMs": -4}]})
    assert (wrong.status, wrong.json()["field"]) == (400, "events[3].positionMs")


@pytest.mark.parametrize(
    ("body", "field"),
    [
        ({}, "asset"),
        ({"member": "a", "asset": "x"}, "positionMs"),
        ({"member": "a", "asset": "x", "positionMs": 1.5}, "positionMs"),
        ({"member": "a", "asset": "x", "positionMs": 10**20}, "positionMs"),
        ({"member": "a", "asset": "x", "positionMs": 1, "durationMs": -1}, "durationMs"),
        ({"member": "a", "asset": "x", "positionMs": 1, "creditsMs": -1}, "creditsMs"),
        ({"member": "a" * 257, "asset": "x", "positionMs": 1}, "member"),
        ({"member": "a\x00", "asset": "x", "positionMs": 1}, "member"),
        ({"member": "a", "asset": "x", "positionMs": 1, "at": "yesterday"}, "at"),
        ({"member": "a", "asset": "x", "positionMs": 1, "at": 12}, "at"),
        ({"member": "a", "asset": "x", "positionMs": 1, "sequence": -1}, "sequence"),
        ({"member": "a", "asset": "x", "positionMs": 1, "ended": "yes"}, "ended"),
        ({"member": "a", "asset": "x", "positionMs": 1, "rating": 5}, "rating"),
        ({"events": []}, "events"),
        (b"{" + b" " * 1_000_000, "body"),
        (b'{"member": "\xff"}', "body"),
    ],
)
def test_bad_input_is_refused_with_the_field_that_is_wrong(server: Server, body: Any, field: str) -> None:
    reply = server.ask("POST", "history", body)
    assert (reply.status, reply.json()["field"]) == (400, field)


@pytest.mark.parametrize(
    ("target", "field"),
    [
        ("history/resume?member=ann&asset=caf%ff", "asset"),
        ("history/recent?member=%ff", "member"),
        ("history/series/caf%ff/episodes", "id"),
        ("followers?of=member:%ff", "of"),
        ("personal?of=member:%ff", "of"),
    ],
)
def test_bytes_that_are_no_text_are_refused_and_not_taken_for_another_id(
    server: Server, target: str, field: str
) -> None:
    reply = server.ask("GET", target)
    assert (reply.status, reply.json()["field"]) == (400, field)
    assert "is not UTF-8" in reply.json()["detail"]


def test_a_day_that_is_none_is_refused_in_the_words_that_were_sent(server: Server) -> None:
    for day in ("2026-11-17x", "2026-02-30", "yesterday"):
        reply = server.ask("GET", f"playbacks/ended?day={day}")
        assert (reply.status, reply.json()["field"]) == (400, "day")
        assert f"{day!r} is no day" in reply.json()["detail"]


def test_who_is_stopped_by_an_operator_is_not_told_that_too_many_play(server: Server) -> None:
    for session in ("s1", "s2", "s3"):  # s1 gives way, since two may play
        body = {"member": "ann", "session": session, "asset": "film", "device": f"{session}'s tv", "plan": "two"}
        server.json("playbacks", method="POST", body=body, status=201)
        server.stage.clock.advance(10)
    server.json("playbacks/stop", method="POST", body={"member": "ann", "session": "s3", "by": "the desk"})
    said = {
        session: server.ask("POST", "playbacks/beat", {"member": "ann", "session": session}).json()["detail"]
        for session in ("s1", "s3")
    }
    assert said == {
        "s1": "this playback was stopped by s3's tv, since no more may play at once; ask for a place to play again",
        "s3": "this playback was stopped by the desk; ask for a place to play again",
    }


def test_places_are_given_kept_refused_stopped_and_told_of(server: Server) -> None:
    def ask(session: str, **more: Any) -> Reply:
        server.stage.clock.advance(10)
        told = {"member": "ann", "session": session, "asset": "film", "device": f"{session}'s tv", **more}
        return server.ask("POST", "playbacks", told)

    first = ask("s1", plan="two").json()
    assert (first["recorded"], first["beatMs"], len(first["playing"])) == (True, 30_000, 1)
    ask("s2", plan="two")
    third = ask("s3", plan="two")
    assert (third.status, [one["session"] for one in third.json()["over"]]) == (201, ["s1"])
    gone = server.ask("POST", "playbacks/beat", {"member": "ann", "session": "s1"})
    assert (gone.status, gone.json()["why"], gone.json()["by"]) == (410, "stopped", "s3's tv")
    beat = server.json("playbacks/beat", method="POST", body={"member": "ann", "session": "s2"})
    assert (beat["recorded"], beat["session"], len(beat["playing"])) == (True, "s2", 2)
    assert server.json("playbacks?member=ann")["playing"] == beat["playing"]
    assert ask("s4", plan="gold").json()["field"] == "plan"
    ended = server.json("playbacks/end", method="POST", body={"member": "ann", "session": "s2"})
    assert ended["over"][0]["why"] == "ended"
    server.json("playbacks/stop", method="POST", body={"member": "ann", "session": "s3", "by": "the desk"})
    past = server.json("playbacks/ended?member=ann")["ended"]
    assert [(one["session"], one["why"]) for one in past] == [("s3", "stopped"), ("s2", "ended"), ("s1", "stopped")]
    day, found, after = past[0]["endedAt"][:10], 0, ""
    while after is not None:
        page = server.json(f"playbacks/ended?day={day}{after and '&after='}{after}")
        found, after = found + len(page["ended"]), page["after"]
    assert found == 3
    for target in ("playbacks/ended", "playbacks/ended?day=2026-13-01", "playbacks/ended?day=x&member=ann"):
        assert server.ask("GET", target).status == 400


def test_whoever_has_no_key_for_the_audience_is_told_nothing(server: Server, stage: Stage) -> None:
    assert stage.ask("/v1/audience/history/recent?member=ann&brand=plain").status == 401
    reader = Server(stage, server.brand, "read")
    assert reader.ask("GET", "history/recent?member=ann").status == 403
    assert reader.ask("POST", "playbacks/beat", {"member": "ann", "session": "s"}).status == 403


def test_all_that_is_kept_of_a_member_is_handed_out_and_erased_together(server: Server) -> None:
    server.watched("film", 50)
    server.ask("POST", "playbacks", {"member": "ann", "session": "s", "asset": "film"})
    lines = [json.loads(line) for line in server.ask("GET", "personal?of=member:ann").text.splitlines()]
    assert {line["part"] for line in lines} == {"history", "playbacks"}
    assert server.json("personal?of=member:ann", method="DELETE")["done"]
    assert server.ask("GET", "personal?of=member:ann").text == ""
