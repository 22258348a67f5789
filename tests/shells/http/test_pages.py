"""The pages beside the hot lane: what they say, what they refuse, and what they never let through."""

from collections.abc import Generator
from pathlib import Path

import pytest

from footfall.adapters.embedded.sqlite_stream import SqliteStream
from tests.shells.http.stage import NOW_MS, Reply, Stage, asked, staged

PAGES = ("/v1/ledger", "/readyz", "/metrics", "/v1/plan")
PARTS = ("counted", "duplicate", "late", "future", "unlabelled", "dead", "inFlight")
DAY_MS = 86_400_000


@pytest.fixture
def stage(tmp_path: Path) -> Generator[Stage]:
    with staged(tmp_path) as opened:
        yield opened


def require_problem(reply: Reply, status: int, says: str) -> dict[str, object]:
    assert reply.status == status
    assert reply.headers["content-type"] == "application/problem+json"
    assert reply.headers["cache-control"] == "no-store"
    document = reply.json()
    assert document["status"] == status
    assert says in str(document["detail"])
    return document


# Every page.


@pytest.mark.parametrize("path", PAGES)
def test_every_page_answers(stage: Stage, path: str) -> None:
    stage.make_ready()
    reply = stage.ask(path + ("?brand=abc" if path == "/v1/ledger" else ""))
    assert reply.status == 200
    assert reply.body
    assert reply.headers["content-length"] == str(len(reply.body))


@pytest.mark.parametrize("path", PAGES)
def test_head_has_the_headers_of_get(stage: Stage, path: str) -> None:
    target = path + ("?brand=abc" if path == "/v1/ledger" else "")
    stage.make_ready()
    head, got = stage.ask(target, method="HEAD"), stage.ask(target)
    assert head.status == got.status
    if path == "/metrics":  # Its numbers change from one moment to the next, and so may its length.
        head.headers["content-length"] = got.headers["content-length"]
    assert head.headers == got.headers


@pytest.mark.parametrize("path", PAGES)
def test_another_method_is_refused_with_the_methods_that_are_allowed(stage: Stage, path: str) -> None:
    reply = stage.ask(path, method="DELETE")
    require_problem(reply, 405, "DELETE")
    assert reply.headers["allow"] == "GET, HEAD"


@pytest.mark.parametrize("path", ["/nothing", "/v1", "/v1/ledger/", "/static/", "/static/index.html", "/static/../x"])
def test_anything_else_is_a_problem_that_names_the_path(stage: Stage, path: str) -> None:
    require_problem(stage.ask(path), 404, path)


@pytest.mark.parametrize("target", ["/v1/ledger?brand=abc", "/v1/ledger", "/readyz", "/none"])
def test_every_answer_is_guarded(stage: Stage, target: str) -> None:
    headers = stage.ask(target).headers
    policy = headers["content-security-policy"].split("; ")
    assert {"default-src 'none'", "script-src 'self'", "style-src 'self'", "frame-ancestors 'none'"} <= set(policy)
    assert "unsafe" not in headers["content-security-policy"]
    assert headers["x-content-type-options"] == "nosniff"
    assert headers["referrer-policy"] == "no-referrer"


def test_a_defect_is_a_problem_and_is_raised_for_the_log(stage: Stage) -> None:
    stage.state.stream = None  # pyright: ignore[reportAttributeAccessIssue] - a defect of ours
    reply = stage.runner.run(asked(stage.application, "/", method="GET", headers={}))
    require_problem(reply, 500, "its log says why")
    assert isinstance(reply.raised, AttributeError)


# The ledger.


def test_the_lines_of_a_ledger_add_up(stage: Stage) -> None:
    stage.send(
        {"brand": "abc", "assetId": 1},
        {"brand": "abc", "assetId": 2, "id": "once"},
        {"brand": "abc", "assetId": 2, "id": "once"},
        {"brand": "abc", "assetId": 3, "at": NOW_MS - 2 * DAY_MS},
        {"brand": "abc", "assetId": 4, "at": NOW_MS + DAY_MS},
    )
    stage.append("abc", data=b"not a record", weight=7)
    stage.count()
    stage.send({"brand": "abc", "assetId": 5})
    book = stage.ask("/v1/ledger?brand=abc").json()
    assert book["accepted"] == 13
    assert {name: book[name] for name in PARTS} == {
        "counted": 2, "duplicate": 1, "late": 1, "future": 1, "unlabelled": 0, "dead": 7, "inFlight": 1,
    }  # fmt: skip
    assert book["accepted"] == sum(book[name] for name in PARTS) + sum(book["screened"].values())


def test_a_ledger_says_since_when_raw_hits_are_kept(stage: Stage) -> None:
    stage.send({"brand": "abc", "assetId": 1})
    stage.count()
    assert stage.ask("/v1/ledger?brand=abc").json()["rawSince"] is None
    stage.stream.trim(0, through=1)
    assert stage.ask("/v1/ledger?brand=abc").json()["rawSince"] == "2026-11-15T14:30:00.001Z"


def test_a_ledger_is_never_kept_by_caches(stage: Stage) -> None:
    assert stage.ask("/v1/ledger?brand=abc").headers["cache-control"] == "no-store"


def test_the_ledger_of_an_unknown_brand_is_not_found_and_the_field_is_named(stage: Stage) -> None:
    document = require_problem(stage.ask("/v1/ledger?brand=nobody"), 404, "'nobody' is not a brand here")
    assert document["field"] == "brand"


@pytest.mark.parametrize(
    ("query", "field", "says"),
    [
        ("", "brand", "missing"),
        ("?brand=", "brand", "missing"),
        ("?brand=abc&brand=def", "brand", "twice"),
        ("?brand=abc&since=1", "since", "not a parameter"),
        ("?brand=%3Cb%3E", "brand", "not a brand name"),
        ("?brand=%ff", "brand", "not a brand name"),
        ("?brand=" + "a" * 65, "brand", "not a brand name"),
    ],
)
def test_a_question_that_makes_no_sense_is_refused_and_the_field_is_named(
    stage: Stage, query: str, field: str, says: str
) -> None:
    assert require_problem(stage.ask(f"/v1/ledger{query}"), 400, says)["field"] == field


def test_a_ledger_that_does_not_balance_is_not_shown(stage: Stage) -> None:
    stage.send({"brand": "abc", "assetId": 1})
    stage.count()
    assert isinstance(stage.stream, SqliteStream)
    stage.stream._db.execute("UPDATE appended SET weight = 0")
    require_problem(stage.ask("/v1/ledger?brand=abc"), 500, "add up to 1 hits, but only 0")


# Readiness.


def test_a_front_is_ready_when_both_processes_are_up(stage: Stage) -> None:
    stage.make_ready()
    reply = stage.ask("/readyz")
    assert (reply.status, reply.json()) == (200, {"status": "ready"})


def test_a_front_that_is_not_ready_names_what_is_missing(stage: Stage) -> None:
    stage.state.counting.is_ready.set()
    reply = stage.ask("/readyz")
    document = require_problem(reply, 503, "answering")
    assert "counting" not in str(document["detail"])
    assert reply.headers["retry-after"]


def test_a_front_that_drains_is_not_ready(stage: Stage) -> None:
    stage.make_ready()
    stage.state.lane.drain()
    require_problem(stage.ask("/readyz"), 503, "stopping")
