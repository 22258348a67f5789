"""A metric's data over HTTP, on a front without sockets: pushed in every form, asked for, and refused with the row."""

import asyncio
import csv
import gzip
import io
import json
import threading
from collections.abc import Generator
from datetime import UTC, datetime, timedelta
from typing import Any
from urllib.parse import quote

import pytest
import zstandard

from footfall.accounts.brands import Brand
from footfall.metrics.definition import definition_from
from footfall.metrics.writing import Saved
from tests.shells.http.metric_desk import Desk, new_desk
from tests.shells.http.stage import NOW_MS, Reply, Stage, asked, staged

SPAN = "from=2026-11-01&to=2026-11-04"
TODAY = datetime.fromtimestamp(NOW_MS / 1_000, UTC).date()


@pytest.fixture(scope="module")
def stage(tmp_path_factory: pytest.TempPathFactory) -> Generator[Stage]:
    with staged(tmp_path_factory.mktemp("data"), brands={"plain": Brand("plain")}) as one:
        yield one


@pytest.fixture
def desk(stage: Stage, request: pytest.FixtureRequest) -> Desk:
    return new_desk(stage, request.node.name)


def push(stage: Stage, desk: Desk, name: str, body: bytes, kind: str = "application/json", **more: str) -> Reply:
    headers = {**desk.headers, "content-type": kind, **{one.replace("_", "-"): text for one, text in more.items()}}
    return stage.ask(f"/v1/metrics/{quote(name, safe='')}/data", method="POST", headers=headers, body=body)


def point(at: str, value: float, **dimensions: str) -> dict[str, Any]:
    return {"at": at, "dimensions": dimensions, "value": value}


def filled(stage: Stage, desk: Desk) -> None:
    """Define two metrics and their ratio, and push three days of both."""
    for name, unit in (("reads", "hits"), ("users", "visitors")):
        desk.add(name, unit=unit, relatedDimensions=["section"])
    desk.add("rate", "reads / users")
    for name, factor in (("reads", 6), ("users", 2)):
        rows = [
            point(f"2026-11-0{day}", factor * day, section=section)
            for day in (1, 2, 3)
            for section in ("news", "a,b:c", "")
        ]
        assert push(stage, desk, name, json.dumps(rows).encode()).status == 200


def values(answer: dict[str, Any]) -> list[tuple[str, str, float | None]]:
    return [(one["period"], "/".join(one["dimensions"].values()), one["value"]) for one in answer["items"]]


def test_points_are_pushed_and_asked_for_by_dimension_and_condition(stage: Stage, desk: Desk) -> None:
    filled(stage, desk)
    answer = desk.json(f"/rate/data?{SPAN}")
    assert values(answer) == [("2026-11-01", "", 3.0), ("2026-11-02", "", 3.0), ("2026-11-03", "", 3.0)]
    assert (answer["unit"], answer["coverage"]["withData"], sorted(answer["versions"])) == (
        "hits/visitors", 3, ["rate", "reads", "users"],
    )  # fmt: skip
    by = desk.json(f"/reads/data?{SPAN}&grain=month&by=section")
    assert values(by) == [("2026-11-01", "", 36.0), ("2026-11-01", "a,b:c", 36.0), ("2026-11-01", "news", 36.0)]
    for where, total in (
        ("section:news", 36), ("section:news,", 72), ("section:", 36), (r"section:a\,b:c", 36),
        (r"section:a\,b:c,news", 72), ("section:nobody", None),
    ):  # fmt: skip
        found = desk.json(f"/reads/data?{SPAN}&grain=month&where={quote(where)}")
        assert [one["value"] for one in found["items"]] == [total], where
    both = desk.json(f"/reads/data?{SPAN}&grain=month&where=section:news&where=section:")
    assert both["where"] == {"section": ["", "news"]}
    assert [one["value"] for one in both["items"]] == [72]


def test_the_same_points_change_nothing_and_new_ones_are_seen_at_once(stage: Stage, desk: Desk) -> None:
    desk.add("reads", unit="hits")
    rows = json.dumps([point("2026-11-01", 5)]).encode()
    first = push(stage, desk, "reads", rows).json()
    assert first == {
        "brand": desk.brand, "metric": "reads", "points": 1, "days": 1, "changedDays": 1, "revision": 1,
    }  # fmt: skip
    assert push(stage, desk, "reads", rows).json() == {**first, "changedDays": 0}
    for value in (7, 8, 9):
        push(stage, desk, "reads", json.dumps([point("2026-11-01", value)]).encode())
        for _ in range(2):  # made, and ready
            assert desk.json(f"/reads/data?{SPAN}")["items"][0]["value"] == value


def test_every_form_of_a_body_is_taken_packed_or_not(stage: Stage, desk: Desk) -> None:
    desk.add("reads", relatedDimensions=["section"])
    lines = b'{"at":"2026-11-01","dimensions":{"section":"x"},"value":1}\n'
    table = b"at,section,value\r\n2026-11-01,x,1\r\n"
    listed = b"[" + lines.strip() + b"]"
    for body, kind, encoding in (
        (listed, "application/json", ""), (lines, "application/x-ndjson", ""), (table, "text/csv; charset=utf-8", ""),
        (gzip.compress(table), "text/csv", "gzip"), (zstandard.compress(lines), "application/x-ndjson", "zstd"),
    ):  # fmt: skip
        told = push(stage, desk, "reads", body, kind, **({"content_encoding": encoding} if encoding else {}))
        assert (told.status, told.json()["points"]) == (200, 1), (kind, encoding)
    assert push(stage, desk, "reads", listed, content_encoding="br").status == 400
    assert push(stage, desk, "reads", listed).json()["revision"] == 1, "all of them said the same"


def test_a_refused_push_names_the_row_and_the_field_and_takes_nothing(stage: Stage, desk: Desk) -> None:
    desk.add("reads", relatedDimensions=["section"])
    desk.add("twice", "reads * 2")
    good = point("2026-11-01", 1, section="x")
    tomorrow, later = str(TODAY + timedelta(1)), str(TODAY + timedelta(2))
    for second, field in (
        ({"at": "2026-11-01"}, "value"), (point("2026-13-01", 1), "at"), (point(later, 1), "at"),
        (point("2026-11-01", 1, planet="x"), "dimensions"), (good, "dimensions"), ({"at": 5, "value": 1}, "at"),
        ({**good, "weight": 2}, "weight"), ({**good, "more": 1}, "more"), (point("2026-11-02", 1e200), "value"),
    ):  # fmt: skip
        told = push(stage, desk, "reads", json.dumps([good, second]).encode())
        assert (told.status, told.json().get("row"), told.json()["field"]) == (400, 2, field), told.text
    assert push(stage, desk, "reads", b"at,value\n2026-11-01,x\n", "text/csv").json()["row"] == 1
    for body in (b"", b"{}", b"[", b"\xff", b"null"):
        assert push(stage, desk, "reads", body).status == 400, body
    assert desk.json(f"/reads/data?{SPAN}")["coverage"]["withData"] == 0
    assert push(stage, desk, "twice", json.dumps([good]).encode()).json()["field"] == "name"
    assert push(stage, desk, "nothing", json.dumps([good]).encode()).status == 404
    assert push(stage, desk, "reads", json.dumps([point(tomorrow, 1)]).encode()).status == 200


def test_a_question_that_makes_no_sense_is_refused_by_its_parameter(stage: Stage, desk: Desk) -> None:
    filled(stage, desk)
    for question, status, field in (
        ("", 400, "from"), ("from=2026-11-01", 400, "to"), (f"{SPAN}&grain=decade", 400, "grain"),
        (f"{SPAN}&grain=hour", 400, "grain"), (f"{SPAN}&by=planet", 400, "by"), (f"{SPAN}&where=news", 400, "where"),
        (f"{SPAN}&where=:news", 400, "where"), (f"{SPAN}&where=planet:x", 400, "where"),
        (f"{SPAN}&colour=1", 400, "colour"),
        (f"{SPAN}&version=9", 404, "version"), (f"{SPAN}&version=x", 400, "version"), (f"{SPAN}&hash=00", 404, "hash"),
        (f"{SPAN}&asOf=2001-01-01T00:00Z", 404, "asOf"), (f"{SPAN}&version=1&hash=00", 400, "hash"),
        (f"{SPAN}&{SPAN}", 400, "from"), (f"{SPAN}&format=xml", 400, "format"),
        ("from=2026-11-04&to=2026-11-01", 400, "to"),
        (f"{SPAN}&by=section&by=section", 400, "by"), (f"{SPAN}&where=section:%FF", 400, "query"),
        (f"{SPAN}&where=section:{'x' * 501}", 400, "where"),
    ):  # fmt: skip
        told = desk.ask("GET", f"/reads/data?{question}")
        assert (told.status, told.json()["field"]) == (status, field), (question, told.text)
    assert desk.ask("GET", f"/nothing/data?{SPAN}").status == 404
    assert desk.ask("DELETE", "/reads/data").status == 405


def test_an_answer_has_the_tag_of_its_bytes_and_comes_as_a_table_too(stage: Stage, desk: Desk) -> None:
    filled(stage, desk)
    first = desk.ask("GET", f"/rate/data?{SPAN}&by=section")
    again = desk.ask("GET", f"/rate/data?by=section&{SPAN}", if_none_match=first.headers["etag"])
    assert (again.status, again.body) == (304, b"")
    table = desk.ask("GET", f"/rate/data?{SPAN}&by=section&format=csv")
    assert table.headers["content-type"].startswith("text/csv")
    assert table.headers["etag"] != first.headers["etag"]
    rows = list(csv.DictReader(io.StringIO(table.text, newline="")))
    assert rows[0] == {"period": "2026-11-01", "section": "", "value": "3.0"}
    assert len(rows) == len(first.json()["items"])
    accepted = desk.ask("GET", f"/rate/data?{SPAN}&by=section", accept="text/csv")
    assert accepted.body == table.body
    tagged = desk.ask("GET", f"/rate/data?{SPAN}&by=section", accept="text/csv", if_none_match=table.headers["etag"])
    assert tagged.status == 304
    push(stage, desk, "users", json.dumps([point("2026-11-01", 1, section="news")]).encode())
    changed = desk.ask("GET", f"/rate/data?{SPAN}&by=section", if_none_match=first.headers["etag"])
    assert changed.status == 200


def test_old_versions_go_on_answering(stage: Stage, desk: Desk) -> None:
    filled(stage, desk)
    before = desk.json("/rate")
    desk.ask("PUT", "/rate", {"valueType": "HYBRID", "hybridFormula": "reads / users * 2", "version": 1})
    for more, value in (("", 6.0), ("&version=1", 3.0), (f"&hash={before['hash']}", 3.0), ("&version=2", 6.0)):
        assert desk.json(f"/rate/data?{SPAN}{more}")["items"][0]["value"] == value, more


def test_a_metric_that_was_removed_takes_its_points_along(stage: Stage, desk: Desk) -> None:
    desk.add("reads")
    push(stage, desk, "reads", json.dumps([point("2026-11-01", 5)]).encode())
    assert desk.json(f"/reads/data?{SPAN}")["coverage"]["withData"] == 1
    assert desk.ask("DELETE", "/reads").status == 200
    assert desk.ask("GET", f"/reads/data?{SPAN}").status == 404
    desk.add("reads")
    assert desk.json(f"/reads/data?{SPAN}")["coverage"]["withData"] == 0


def test_reading_needs_a_key_that_reads_and_pushing_one_that_writes(stage: Stage, desk: Desk) -> None:
    filled(stage, desk)
    rows = json.dumps([point("2026-11-01", 5, section="news")]).encode()
    reader, writer, editor = (Desk(stage, desk.brand, scope) for scope in ("read", "write", "edit"))
    assert [one.ask("GET", f"/rate/data?{SPAN}").status for one in (reader, writer, editor)] == [200, 403, 200]
    assert [push(stage, one, "reads", rows).status for one in (reader, writer, editor)] == [403, 200, 403]
    stage.runner.run(stage.state.desk.change("other", lambda one: one.add(Brand("other"), zone_in_use=None)))
    other = Desk(stage, "other", "admin")
    assert other.ask("GET", f"/rate/data?{SPAN}").status == 404
    assert other.ask("GET", f"/rate/data?{SPAN}&brand={desk.brand}").status == 403
    assert push(stage, other, "reads", rows).status == 404


def test_a_name_with_slashes_has_data(stage: Stage, desk: Desk) -> None:
    desk.add("été/lectures data")
    rows = json.dumps([point("2026-11-01", 5)]).encode()
    assert push(stage, desk, "été/lectures data", rows).status == 200
    found = desk.json(f"/{quote('été/lectures data', safe='')}/data?{SPAN}")
    assert (found["metric"], found["items"][0]["value"]) == ("été/lectures data", 5)


def test_footfalls_own_hits_are_a_metric_that_follows_the_counting(stage: Stage) -> None:
    own = definition_from(
        {"name": "hits", "valueType": "SCALAR", "source": {"counts": "hits"}, "relatedDimensions": ["section"]}
    )
    stage.runner.run(stage.state.metrics.change("plain", lambda one: one.save("plain", Saved(own), by="ann")))
    base = f"/v1/metrics/hits/data?brand=plain&from={TODAY}&to={TODAY + timedelta(1)}"
    for sent in (1, 2):
        stage.send({"brand": "plain", "assetId": "1", "sectionId": 7, "resourceType": "a", "paidType": "f"})
        stage.count()
        for _ in range(2):
            told = stage.ask(f"{base}&by=section").json()
            assert [(one["dimensions"], one["value"]) for one in told["items"]] == [({"section": "7"}, sent)]
    hours = stage.ask(f"{base}&grain=hour").json()
    assert sum(one["value"] or 0 for one in hours["items"]) == 2
    rows = json.dumps([point("2026-11-01", 5)]).encode()
    refused = stage.ask("/v1/metrics/hits/data?brand=plain", method="POST", body=rows)
    assert (refused.status, refused.json()["field"]) == (400, "name")


def test_an_answer_that_is_ready_does_not_wait_for_one_that_is_made(stage: Stage, desk: Desk) -> None:
    filled(stage, desk)
    first = desk.json(f"/rate/data?{SPAN}")
    is_free = threading.Event()
    waits = [one.submit(is_free.wait) for one in stage.state.metrics._makers._threads]
    assert desk.json(f"/rate/data?{SPAN}") == first, "nobody could have made it"
    is_free.set()
    assert all(one.result() for one in waits)


def test_eight_programs_of_a_team_push_at_once_and_all_are_taken(stage: Stage, desk: Desk) -> None:
    desk.add("reads", unit="hits", relatedDimensions=["section"])
    headers = {**desk.headers, "content-type": "application/json"}

    async def many() -> list[Reply]:
        bodies = (json.dumps([point("2026-11-01", n, section=f"s{n}")]).encode() for n in range(20))
        target = "/v1/metrics/reads/data"
        return await asyncio.gather(
            *(asked(stage.application, target, method="POST", headers=headers, body=body) for body in bodies)
        )

    assert {one.status for one in stage.runner.run(many())} == {200}
    assert len(desk.json(f"/reads/data?{SPAN}&grain=month&by=section")["items"]) == 20


def test_an_answer_is_made_while_questions_of_another_brand_take_long(stage: Stage, desk: Desk) -> None:
    filled(stage, desk)
    is_free, makers = threading.Event(), stage.state.metrics._makers
    target = f"/v1/metrics/rate/data?{SPAN}&grain=week"

    async def both() -> Reply:
        slow = [asyncio.create_task(makers.run("another", lambda _: is_free.wait(60))) for _ in range(3)]
        await asyncio.sleep(0)
        reply = await asyncio.wait_for(asked(stage.application, target, method="GET", headers=desk.headers), 30)
        assert not any(one.done() for one in slow)
        is_free.set()
        assert all(await asyncio.gather(*slow))
        return reply

    assert stage.runner.run(both()).status == 200


def test_a_table_is_kept_as_its_answer_is_and_let_go_with_it(stage: Stage, desk: Desk) -> None:
    filled(stage, desk)
    first = desk.ask("GET", f"/rate/data?{SPAN}&by=section&format=csv")
    assert first.status == 200
    is_free, makers = threading.Event(), stage.state.metrics._makers
    waits = [one.submit(is_free.wait) for one in (*makers._threads, stage.state.metrics._reader)]
    for more in ({"target": "&format=csv"}, {"target": "", "accept": "text/csv"}):
        target = f"/rate/data?{SPAN}&by=section{more.pop('target')}"
        again = desk.ask("GET", target, **more)
        assert (again.status, again.body) == (200, first.body), "nobody could have made it"
        for name in ("content-type", "etag", "vary"):
            assert again.headers[name] == first.headers[name]
        assert desk.ask("GET", target, if_none_match=first.headers["etag"], **more).status == 304
    assert desk.ask("GET", f"/rate/data?{SPAN}&by=section").json()["metric"].endswith("rate")
    is_free.set()
    assert all(one.result() for one in waits)
    push(stage, desk, "users", json.dumps([point("2026-11-01", 1, section="news")]).encode())
    assert desk.ask("GET", f"/rate/data?{SPAN}&by=section&format=csv").body != first.body


def test_many_who_want_a_table_at_once_all_get_it(stage: Stage, desk: Desk) -> None:
    filled(stage, desk)
    target = f"/v1/metrics/rate/data?{SPAN}&by=section&format=csv"

    async def many() -> list[Reply]:
        questions = (asked(stage.application, target, method="GET", headers=desk.headers) for _ in range(120))
        return await asyncio.gather(*questions)

    assert {one.status for one in stage.runner.run(many())} == {200}


def test_a_change_that_would_hide_points_is_a_conflict_that_names_users_and_days(stage: Stage, desk: Desk) -> None:
    filled(stage, desk)
    body = {"valueType": "WEIGHTED_AVERAGE", "unit": "hits", "relatedDimensions": ["section"], "version": 1}
    reply = desk.ask("PUT", "/reads", body)
    told = json.loads(reply.body)
    assert (reply.status, told["field"], told["users"], told["days"]) == (409, "valueType", ["rate"], 3)
    assert desk.json(f"/reads/data?{SPAN}")["coverage"]["withData"] == 3


def test_a_deprecated_metric_says_so_with_its_numbers_and_to_whoever_builds_on_it(stage: Stage, desk: Desk) -> None:
    filled(stage, desk)
    assert "deprecation" not in desk.ask("GET", f"/reads/data?{SPAN}").headers
    desk.ask("POST", "/reads/deprecate", {"reason": "prefetched pages", "replacement": "users"})
    for more in ("", "&format=csv", ""):  # The last one was made before, and comes from memory.
        reply = desk.ask("GET", f"/reads/data?{SPAN}{more}")
        assert reply.headers["deprecation"] == f"@{NOW_MS // 1_000}"
        assert reply.headers["link"] == '</v1/metrics/users/data>; rel="successor-version"'
    told = desk.json(f"/rate/data?{SPAN}")["versions"]
    assert told["reads"]["deprecated"] == {"reason": "prefetched pages", "replacement": "users"}
    added = desk.add("more", "reads * 2")
    warning = "'reads' is deprecated: prefetched pages; use 'users' instead"
    assert (added.status, added.json()["warnings"]) == (201, [warning])
    assert "warnings" not in desk.json("/more")
    sent = {**added.json(), "hybridFormula": "reads * 3"}
    assert desk.ask("PUT", "/more", sent).json()["warnings"] == [warning]
    assert "warnings" not in desk.ask("PUT", "/more", {**sent, "version": 2, "hybridFormula": "users * 3"}).json()
