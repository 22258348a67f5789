"""Earnings over HTTP and by command: closed once, corrected by entries, told as table and page, traced to sessions."""

import csv
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
from footfall.flow.store.watch_log import WatchRow, rows_of_day, save_rows
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
        yield made


def ask(stage: Stage, method: str, target: str = "", body: object = None) -> Reply:
    data = b"" if body is None else json.dumps(body).encode()
    return asked_of(stage, method, f"earnings{target}", data)


def asked_of(stage: Stage, method: str, target: str, data: bytes = b"") -> Reply:
    scopes = ("admin", "audience", "read")
    made = stage.runner.run(stage.state.desk.change("abc", lambda one: one.add_secret_key("abc", scopes)))
    headers = {"content-type": "application/json", "authorization": f"Bearer {made.text}"}
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
    page = ask(stage, "GET", "/first%20days?format=html")
    assert "Studio A" in page.text
    assert "sandbox" in page.headers["content-security-policy"]
    right = ask(stage, "POST", "/first%20days/corrections", {"reason": "vouchers", "pool": 1_100})
    assert (right.status, right.json()["amount"], right.json()["entry"]) == (201, 99, 1)
    entries = ask(stage, "GET", "/first%20days").json()["entries"]
    assert entries[0] == told[0]
    assert sum(line["amount"] for entry in entries for line in entry["lines"]) == 1_100
    assert [one["name"] for one in ask(stage, "GET").json()["periods"]] == ["first days"]


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
    ],
)
def test_terms_that_cannot_be_are_refused_with_a_reason(stage: Stage, wrong: dict[str, Any], status: int) -> None:
    reply = ask(stage, "POST", body={**TERMS, **wrong})
    assert reply.status == status
    assert reply.json()["detail"]
    assert ask(stage, "GET").json() == {"periods": []}
    assert ask(stage, "GET", "/first%20days").status == 404
