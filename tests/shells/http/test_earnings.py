"""Earnings over HTTP and by command: closed once, corrected by entries, told as table and page, traced to sessions."""

import csv
import gzip
import io
import json
from collections.abc import Generator
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from footfall.accounts.brands import Brand
from footfall.app import wiring
from footfall.app.settings import Settings
from footfall.flow.store import keys
from footfall.flow.store.watch_log import WatchRow, member_digest, rows_of_day, save_rows
from footfall.ports.table import Delete, everything
from footfall.values.window import Grain, window_of
from tests.shells.http.stage import NOW_MS, Reply, Stage, staged

ZONE = "Asia/Kathmandu"
DAY = window_of(NOW_MS - 3 * 86_400_000, Grain.DAY, ZONE)
TERMS: dict[str, Any] = {
    "name": "first days",
    "from": "2026-11-12",
    "to": "2026-11-13",
    "currency": "EUR",
    "pool": 1_001,
    "owners": {"film": {"Studio A": 3, "Studio B": 1}},
}


def row(session: str, asset: str, ms: int, *, member: str = "", shard: int = 0) -> tuple[WatchRow, int]:
    made = WatchRow(
        brand="abc", day_ms=DAY.from_ms, shard=shard, session=session, number=0, asset=asset, section="", series="",
        resource_type="", paid_type="", member=member, device="", from_ms=DAY.from_ms + 1_000,
        to_ms=DAY.from_ms + 1_000 + ms, ms=ms, duration_ms=0, beats=9, seen=b"",
    )  # fmt: skip
    return made, NOW_MS + 10**10


@pytest.fixture
def stage(tmp_path: Path) -> Generator[Stage]:
    with staged(tmp_path, brands={}) as made:
        made.runner.run(made.state.desk.change("abc", lambda one: one.add(Brand("abc", zone=ZONE), zone_in_use=None)))
        settings = Settings(data_dir=str(tmp_path))
        with closing(wiring.open_store(settings, made.clock)) as store:
            save_rows(store, [row("s1", "film", 600_000, member="ann"), row("s2", "show", 300_000, member="bo")])
        made.counting.step()  # Nothing waits to be counted, and counting knows it.
        yield made


def ask(stage: Stage, method: str, target: str = "", body: object = None) -> Reply:
    data = b"" if body is None else json.dumps(body).encode()
    return asked_of(stage, method, f"earnings{target}", data)


def acts(stage: Stage) -> list[dict[str, Any]]:
    """Return what the trail says of earnings and erasures, the oldest first."""
    made = stage.runner.run(stage.state.desk.change("abc", lambda one: one.add_secret_key("abc", ("admin",))))
    told = stage.ask("/v1/audit", headers={"authorization": f"Bearer {made.text}"}).json()["items"]
    return [one for one in reversed(told) if one["act"].startswith(("period", "thing"))]


def asked_of(
    stage: Stage, method: str, target: str, data: bytes = b"", *, more_headers: dict[str, str] | None = None
) -> Reply:
    scopes = ("admin", "audience", "read")
    made = stage.runner.run(stage.state.desk.change("abc", lambda one: one.add_secret_key("abc", scopes)))
    headers = {"content-type": "application/json", "authorization": f"Bearer {made.text}", **(more_headers or {})}
    return stage.ask(f"/v1/audience/{target}", method=method, headers=headers, body=data)


def test_a_period_is_closed_once_told_in_three_forms_and_corrected_by_an_entry(stage: Stage) -> None:
    closed = ask(stage, "POST", body=TERMS)
    assert closed.status == 201, closed.text
    assert closed.json()["milliseconds"] == 900_000
    again = ask(stage, "POST", body={**TERMS, "pool": 5})
    assert (again.status, "correction" in again.text) == (409, True)
    told = ask(stage, "GET", "/first%20days").json()["entries"]
    assert [(line["asset"], line["owner"], line["shown"]) for line in told[0]["lines"]] == [
        ("film", "Studio A", "5.00"),
        ("film", "Studio B", "1.67"),
        ("show", "", "3.34"),
    ]
    rows = list(csv.DictReader(io.StringIO(ask(stage, "GET", "/first%20days?format=csv").text)))
    assert sum(round(float(one["amount"]) * 100) for one in rows) == 1_001
    assert {(one["firstDay"], one["lastDay"], one["zone"]) for one in rows} == {("2026-11-12", "2026-11-12", ZONE)}
    page = ask(stage, "GET", "/first%20days?format=html")
    assert "Studio A" in page.text
    assert "<p>12 November 2026 (Asia/Kathmandu), divided" in page.text
    assert "sandbox" in page.headers["content-security-policy"]
    right = ask(stage, "POST", "/first%20days/corrections", {"reason": "vouchers", "pool": 1_100})
    assert (right.status, right.json()["amount"], right.json()["entry"]) == (201, 99, 1)
    entries = ask(stage, "GET", "/first%20days").json()["entries"]
    assert entries[0] == told[0]
    assert sum(line["amount"] for entry in entries for line in entry["lines"]) == 1_100
    assert [one["name"] for one in ask(stage, "GET").json()["periods"]] == ["first days"]
    closing, correcting = acts(stage)
    assert (closing["act"], closing["subject"], closing["details"]["amount"]) == (
        "period-closed",
        "first days",
        "10.01 EUR",
    )
    assert (correcting["act"], correcting["details"]["reason"], correcting["details"]["entry"]) == (
        "period-corrected",
        "vouchers",
        1,
    )


def test_a_dry_run_shows_what_would_be_written_and_writes_nothing(stage: Stage) -> None:
    shown = ask(stage, "POST", body={**TERMS, "dryRun": True})
    assert (shown.status, shown.json()["dryRun"], shown.json()["warnings"]) == (200, True, [])
    assert [line["amount"] for line in shown.json()["lines"]] == [500, 167, 334]
    early = ask(stage, "POST", body={**TERMS, "to": "2026-11-16", "dryRun": True})
    assert (early.status, "close it after" in early.json()["warnings"][0]) == (200, True)
    empty = ask(stage, "POST", body={**TERMS, "from": "2026-11-10", "to": "2026-11-11", "dryRun": True})
    assert ("nothing was watched" in empty.json()["warnings"][0], empty.json()["undivided"]) == (True, 1_001)
    assert (ask(stage, "GET").json(), acts(stage)) == ({"periods": []}, [])
    assert ask(stage, "POST", body=TERMS).status == 201
    right = ask(stage, "POST", "/first%20days/corrections", {"reason": "x", "pool": 2_000, "dryRun": True})
    assert (right.status, right.json()["amount"]) == (200, 999)
    assert len(ask(stage, "GET", "/first%20days").json()["entries"]) == 1


def test_a_day_is_divided_once_and_a_wrong_end_is_put_right_by_a_correction(stage: Stage) -> None:
    assert ask(stage, "POST", body={**TERMS, "to": "2026-11-14"}).status == 201
    twice = ask(stage, "POST", body={**TERMS, "name": "13", "from": "2026-11-13", "to": "2026-11-14"})
    assert (twice.status, "'first days'" in twice.json()["detail"]) == (409, True)
    right = ask(stage, "POST", "/first%20days/corrections", {"reason": "a day too many", "to": "2026-11-13"})
    assert (right.status, right.json()["to"], right.json()["amount"]) == (201, "2026-11-12T18:15Z", 0)
    assert ask(stage, "POST", body={**TERMS, "name": "13", "from": "2026-11-13", "to": "2026-11-14"}).status == 201


def test_a_correction_over_a_log_that_has_changed_waits_for_a_word(stage: Stage, tmp_path: Path) -> None:
    assert ask(stage, "POST", body=TERMS).status == 201
    with closing(wiring.open_store(Settings(data_dir=str(tmp_path)), stage.clock)) as store:
        for one in everything(store, keys.watched_partition("abc", DAY.from_ms, 0)):
            store.delete(Delete(one.key))  # as it is when they have expired
    correction = {"reason": "vouchers", "pool": 1_100}
    refused = ask(stage, "POST", "/first%20days/corrections", correction)
    assert (refused.status, len(ask(stage, "GET", "/first%20days").json()["entries"])) == (409, 1)
    assert "had 15.000 minutes and has 0.000" in refused.json()["detail"]
    anew = ask(stage, "POST", "/first%20days/corrections", {**correction, "anew": True})
    assert (anew.status, anew.json()["undivided"], len(anew.json()["warnings"])) == (201, 1_100, 1)


def test_a_period_is_not_closed_while_counting_is_behind(stage: Stage) -> None:
    stage.clock.advance(3 * 86_400_000)
    behind = ask(stage, "POST", body={**TERMS, "from": "2026-11-15", "to": "2026-11-16"})
    assert (behind.status, "counting has read" in behind.json()["detail"]) == (409, True)
    stage.counting.step()
    assert ask(stage, "POST", body={**TERMS, "from": "2026-11-15", "to": "2026-11-16"}).status == 201


def test_a_log_that_is_too_long_for_the_time_of_a_request_is_told_and_nothing_is_written(
    stage: Stage, monkeypatch: pytest.MonkeyPatch
) -> None:
    with monkeypatch.context() as hurried:
        hurried.setattr(stage.state.counters, "reading_s_max", 0.0)  # as when a function has read for its ten seconds
        refused = ask(stage, "POST", body=TERMS)
        assert (refused.status, "by command" in refused.json()["detail"]) == (409, True)
        assert (ask(stage, "GET").json(), acts(stage)) == ({"periods": []}, [])
    assert ask(stage, "POST", body=TERMS).status == 201
    monkeypatch.setattr(stage.state.counters, "reading_s_max", 0.0)
    correction = {"reason": "x", "pool": 2_000}
    assert ask(stage, "POST", "/first%20days/corrections", correction).status == 409
    assert ask(stage, "GET", "/first%20days/trace?asset=film&cent=1").status == 409
    assert len(ask(stage, "GET", "/first%20days").json()["entries"]) == 1


def test_fees_of_a_hundred_thousand_members_are_taken_over_http(stage: Stage) -> None:
    fees = {"ann": 700, **{f"m-{n:06d}": 999 for n in range(100_000)}}
    terms = {**TERMS, "method": "member-centric", "fees": fees, "dryRun": True}
    del terms["pool"]
    body = gzip.compress(json.dumps(terms).encode())
    assert len(body) < Settings().http_body_bytes_max
    reply = asked_of(stage, "POST", "earnings", body, more_headers={"content-encoding": "gzip"})
    assert (reply.status, reply.json()["amount"]) == (200, 99_900_700)


def test_a_cent_is_traced_to_the_session_that_earned_it_until_its_rows_are_gone(stage: Stage, tmp_path: Path) -> None:
    centric = {**TERMS, "method": "member-centric", "fees": {"ann": 700, "bo": 301}, "owners": {}}
    del centric["pool"]
    assert ask(stage, "POST", body=centric).status == 201
    traced = ask(stage, "GET", "/first%20days/trace?asset=show&cent=301").json()
    assert (traced["of"], traced["member"], traced["watched"][0]["session"]) == (301, "bo", "s2")
    assert ask(stage, "GET", "/first%20days/trace?asset=show&cent=302").status == 400
    with closing(wiring.open_store(Settings(data_dir=str(tmp_path)), stage.clock)) as store:
        save_rows(store, [row("s3", "film", 1)])
    gone = ask(stage, "GET", "/first%20days/trace?asset=show&cent=1")
    assert (gone.status, "watch log" in gone.json()["detail"]) == (409, True)


def test_an_erased_member_is_named_nowhere_and_what_was_closed_stays(stage: Stage, tmp_path: Path) -> None:
    centric = {**TERMS, "method": "member-centric", "fees": {"ann": 700, "bo": 301}, "owners": {}}
    del centric["pool"]
    assert ask(stage, "POST", body=centric).status == 201
    before = ask(stage, "GET", "/first%20days").json()
    (mine,) = [json.loads(line) for line in asked_of(stage, "GET", "personal?of=member:ann").text.splitlines()]
    assert (mine["part"], mine["session"], mine["milliseconds"]) == ("watched", "s1", 600_000)
    assert asked_of(stage, "DELETE", "personal?of=member:ann").json()["done"]
    assert asked_of(stage, "DELETE", "personal?of=member:ann").json()["done"]  # as whoever goes on does
    assert asked_of(stage, "GET", "personal?of=member:ann").text == ""
    with closing(wiring.open_store(Settings(data_dir=str(tmp_path)), stage.clock)) as store:
        # A session that was open comes to a row after its member was erased.
        save_rows(store, [row("s4", "film", 60_000, member="ann")])
        told = asked_of(stage, "GET", "watched?day=2026-11-12")
        assert sorted(one["milliseconds"] for one in told.json()["items"]) == [60_000, 300_000, 600_000]
        assert ("ann" in told.text, "s1" in told.text, "bo" in told.text) == (False, False, True)
        assert {one.member for one in rows_of_day(store, "abc", DAY.from_ms, shards=1)} == {"ann", "bo"}
        stage.clock.advance(11 * 60_000)
        stage.counting.step()
        assert {one.member for one in rows_of_day(store, "abc", DAY.from_ms, shards=1)} == {"", "bo"}
    assert asked_of(stage, "GET", "watched?day=2026-11-12").json() == told.json()
    assert ask(stage, "GET", "/first%20days").json() == before
    assert ask(stage, "GET", "/first%20days/trace?asset=film&cent=1").status == 409


def test_an_erasure_is_in_the_trail_once_and_does_not_say_of_whom(stage: Stage) -> None:
    scopes = ("audience",)
    made = stage.runner.run(stage.state.desk.change("abc", lambda one: one.add_secret_key("abc", scopes)))
    headers = {"authorization": f"Bearer {made.text}"}
    for _ in range(3):  # as whoever goes on until it is done
        assert stage.ask("/v1/audience/personal?of=member:ann", method="DELETE", headers=headers).status == 200
    assert stage.ask("/v1/audience/personal?of=wizard:ann", method="DELETE", headers=headers).status == 400
    (act,) = acts(stage)
    assert (act["act"], act["subject"]) == ("thing-erased", f"member, digest {member_digest('ann')}")
    assert "ann" not in json.dumps(act)
    stage.clock.advance(2 * 3_600_000)
    assert stage.ask("/v1/audience/personal?of=member:ann", method="DELETE", headers=headers).status == 200
    assert len(acts(stage)) == 2


@pytest.mark.parametrize(
    ("wrong", "status"),
    [
        ({"to": "2026-11-16"}, 409),  # Beats of yesterday may still come.
        ({"from": "2026-02-30"}, 400),
        ({"to": "2026-11-01"}, 400),
        ({"pool": -1}, 400),
        ({"pool": 1.5}, 400),
        ({"currency": "euro"}, 400),
        ({"owners": {"film": {"A": 0}}}, 400),
        ({"fees": {"ann": 5}}, 400),
        ({"reason": "because"}, 400),
        ({"bonus": 5}, 400),
        ({"name": "x" * 301}, 400),
        ({"name": "2026/10"}, 400),
        ({"anew": True}, 400),
        ({"pool": 0, "method": "member-centric", "fees": {"": 500}}, 400),
    ],
)
def test_terms_that_cannot_be_are_refused_with_a_reason(stage: Stage, wrong: dict[str, Any], status: int) -> None:
    reply = ask(stage, "POST", body={**TERMS, **wrong})
    assert reply.status == status
    assert reply.json()["detail"]
    assert ask(stage, "GET").json() == {"periods": []}
    assert ask(stage, "GET", "/first%20days").status == 404
