"""The compare command: which questions it asks of both servers, and what it calls a difference."""

import json
import threading
from collections.abc import Generator
from http.server import ThreadingHTTPServer
from pathlib import Path
from random import Random
from typing import Any
from urllib.parse import parse_qs, urlsplit

import pytest

from footfall.shells.cli.differences import Tolerance, differences
from footfall.shells.cli.questions import drawn_questions, known_from
from tests.shells.cli.conftest import Recorded, handler_for


def item(rank: int, change: int | None, asset: str, hits: int, *labels: Any) -> dict[str, Any]:
    names = ("sectionId", "resourceType", "paidType")
    return {"rank": rank, "change": change, "assetId": asset, "hits": hits, **dict(zip(names, labels, strict=True))}


ITEMS = [
    item(1, 0, "a", 100, 563, "article", "free"),
    item(2, 1, "b", 98, "x,y", "video", "paid"),
    item(3, None, "c", 50, 563, None, None),
]
ANSWER: dict[str, Any] = {
    "brand": "abc",
    "period": "day",
    "from": "2026-11-14T15:00Z",
    "to": "2026-11-15T15:00Z",
    "exact": True,
    "items": ITEMS,
}
NONE = Tolerance()


@pytest.fixture
def other() -> Generator[Recorded]:
    """Return a second server beside the first."""
    recorded = Recorded()
    listening = ThreadingHTTPServer(("127.0.0.1", 0), handler_for(recorded))
    listening.daemon_threads = True
    recorded.url = f"http://127.0.0.1:{listening.server_address[1]}"
    thread = threading.Thread(target=listening.serve_forever, kwargs={"poll_interval": 0.01})
    thread.start()
    yield recorded
    listening.shutdown()
    listening.server_close()
    thread.join()


def changed(**items: dict[str, Any]) -> dict[str, Any]:
    """Return the answer with some of its items changed."""
    return {**ANSWER, "items": [{**item, **items.get(str(item["assetId"]), {})} for item in ITEMS]}


def compare(shell: Any, server: Any, other: Any, *flags: str) -> int:
    return shell.run("compare", "--left", server.url, "--right", other.url, *flags)


def found(left: dict[str, Any], right: dict[str, Any], tolerance: Tolerance = NONE) -> list[tuple[str, str]]:
    return [(one.what, one.asset) for one in differences("q", left, right, tolerance=tolerance)]


def test_the_same_lists_are_the_same(shell: Any, server: Any, other: Any) -> None:
    server.answer({**ANSWER, "revision": 7, "final": False})
    other.answer({**ANSWER, "revision": 9, "final": True, "keptSince": "2026-01-01T00:00Z"})
    assert compare(shell, server, other, "--brand", "abc", "--queries", "20") == 0
    assert shell.printed() == "20 questions: 20 answers are the same, 0 differ.\n"
    assert shell.complained() == ""


def test_both_are_asked_the_same_questions_made_of_their_labels(shell: Any, server: Any, other: Any) -> None:
    server.answer(ANSWER)
    other.answer(changed(a={"sectionId": "only-right"}))
    compare(shell, server, other, "--brand", "abc", "--queries", "60", "--seed", "3")
    asked = [one.path for one in server.asked if one.path != "/v1/brand"]
    assert asked[6:] == [one.path for one in other.asked if one.path != "/v1/brand"][6:]
    given = [parse_qs(urlsplit(path).query) for path in asked]
    assert {query["period"][0] for query in given} == {"justnow", "day", "week"}
    assert {value for query in given for value in query.get("section", [])} == {"563", r"x\,y", "only-right"}
    assert {value for query in given for value in query.get("resourceType", [])} == {"article", "video"}
    assert any("closed" in query for query in given)


def test_every_difference_is_a_line_and_the_exit_code_says_so(shell: Any, server: Any, other: Any) -> None:
    server.answer(ANSWER)
    other.answer(changed(a={"rank": 2, "hits": 97}, b={"rank": 1}))
    assert compare(shell, server, other, "--brand", "abc", "--queries", "1") == 4
    lines = [line.split() for line in shell.printed().splitlines()]
    assert lines[0] == ["question", "what", "asset", "left", "right"]
    assert [line[1:] for line in lines[1:4]] == [
        ["rank", "a", "1", "2"],
        ["hits", "a", "100", "97"],
        ["rank", "b", "2", "1"],
    ]
    assert shell.printed().endswith("1 questions: 0 answers are the same, 1 differ.\n")


def test_differences_as_json(shell: Any, server: Any, other: Any) -> None:
    server.answer(ANSWER)
    other.answer(changed(c={"hits": 51}))
    assert compare(shell, server, other, "--brand", "abc", "--queries", "1", "--json") == 4
    told = json.loads(shell.printed())
    assert (told["asked"], told["same"], told["refused"]) == (1, 0, 0)
    assert told["differences"] == [
        {"query": "brand=abc&period=justnow", "what": "hits", "asset": "c", "left": 50, "right": 51}
    ]


def test_questions_of_a_file_are_asked_as_they_stand(shell: Any, server: Any, other: Any, tmp_path: Path) -> None:
    server.answer(ANSWER)
    other.answer(ANSWER)
    asked = tmp_path / "asked.txt"
    asked.write_text("# yesterday\nbrand=abc&section=7\n\nhttps://x.example/v1/popular?brand=abc&tag=%C3%A9\n")
    assert compare(shell, server, other, "--file", str(asked)) == 0
    paths = ["/v1/popular?brand=abc&section=7", "/v1/popular?brand=abc&tag=%C3%A9"]
    assert [one.path for one in server.asked] == [one.path for one in other.asked] == paths


def test_a_window_that_closes_between_two_answers_is_no_difference(
    shell: Any, server: Any, other: Any, tmp_path: Path
) -> None:
    (tmp_path / "asked").write_text("brand=abc\n")
    server.answer(ANSWER)
    other.answer({**ANSWER, "to": "2026-11-15T15:01Z"})
    other.answer(ANSWER)
    assert compare(shell, server, other, "--file", str(tmp_path / "asked")) == 0
    assert len(other.asked) == 2


def test_spans_that_stay_apart_are_told(shell: Any, server: Any, other: Any, tmp_path: Path) -> None:
    (tmp_path / "asked").write_text("brand=abc\n")
    server.answer(ANSWER)
    other.answer({**ANSWER, "to": "2026-11-15T15:01Z"})
    assert compare(shell, server, other, "--file", str(tmp_path / "asked")) == 4
    assert "2026-11-15T15:01Z" in shell.printed()
    assert len(other.asked) == 3


def test_a_question_that_one_server_refuses_is_a_difference(shell: Any, server: Any, other: Any) -> None:
    server.answer(ANSWER)
    other.answer({"title": "Not Found", "detail": "There is no such brand."}, status=404)
    assert compare(shell, server, other, "--brand", "abc", "--queries", "1") == 4
    assert shell.printed().splitlines()[1].split()[1:] == ["status", "200", "404"]


def test_when_both_refuse_everything_nothing_was_compared(shell: Any, server: Any, other: Any) -> None:
    for one in (server, other):
        one.answer({"title": "Unauthorized"}, status=401)
    assert compare(shell, server, other, "--brand", "abc", "--queries", "5") == 1
    assert "refused all of the 5 questions; see --secret-file" in shell.complained()


def test_each_server_gets_its_own_key(shell: Any, server: Any, other: Any, tmp_path: Path) -> None:
    for one, name in ((server, "left"), (other, "right")):
        one.answer(ANSWER)
        (tmp_path / name).write_text(f"key-{name}\n")
    files = ["--secret-file", str(tmp_path / "left"), "--right-secret-file", str(tmp_path / "right")]
    assert compare(shell, server, other, "--brand", "abc", "--queries", "1", *files) == 0
    assert {one.headers["authorization"] for one in server.asked} == {"Bearer key-left"}
    assert {one.headers["authorization"] for one in other.asked} == {"Bearer key-right"}


def test_a_busy_server_is_waited_for(shell: Any, server: Any, other: Any) -> None:
    server.answer(b"", status=503, headers={"Retry-After": "2"})
    server.answer(ANSWER)
    other.answer(ANSWER)
    assert compare(shell, server, other, "--brand", "abc", "--period", "day", "--queries", "1") == 0
    assert shell.pauses == [2.0]


@pytest.mark.parametrize(
    ("flags", "code", "says"),
    [
        ([], 2, "--brand"),
        (["--file", "/nowhere"], 1, "cannot be read"),
        (["--brand", "abc", "--queries", "0"], 2, "whole number from 1"),
        (["--brand", "abc", "--tolerance", "-1"], 2, "above 0"),
    ],
)
def test_what_cannot_be_compared_is_said(
    shell: Any, server: Any, other: Any, capfd: Any, flags: list[str], code: int, says: str
) -> None:
    assert compare(shell, server, other, *flags) == code
    assert says in shell.complained() + capfd.readouterr().err


def test_something_else_than_a_list_is_told(shell: Any, server: Any, other: Any) -> None:
    server.answer(ANSWER)
    other.answer({"hello": 1})
    assert compare(shell, server, other, "--brand", "abc", "--queries", "1") == 3
    assert "not a list" in shell.complained()


def test_labels_change_bounds_and_exactness_are_compared() -> None:
    assert found(ANSWER, {**ANSWER, "exact": False}) == [("exact", "")]
    assert found(ANSWER, changed(a={"sectionId": 564, "change": 3, "hitsAtMost": 120})) == [
        ("hitsAtMost", "a"),
        ("sectionId", "a"),
        ("change", "a"),
    ]
    assert found(ANSWER, changed(a={"title": "x", "address": "y"})) == []
    assert found(ANSWER, {**ANSWER, "items": ITEMS[:2]}) == [("only left", "c")]
    assert found({**ANSWER, "items": ITEMS[1:]}, ANSWER) == [("only right", "a")]


def test_open_lists_may_be_apart_within_the_tolerance() -> None:
    few = Tolerance(5)
    swapped = changed(a={"rank": 2, "hits": 99}, b={"rank": 1, "hits": 100})
    assert found(ANSWER, swapped, few) == []
    assert found(ANSWER, changed(a={"hits": 94}), few) == [("hits", "a")]
    far = changed(b={"rank": 3}, c={"rank": 2})
    assert found(ANSWER, far, few) == [("rank", "b"), ("rank", "c")]
    last = {**ANSWER, "items": [*ITEMS[:2], {**ITEMS[2], "assetId": "d", "hits": 51}]}
    assert found(ANSWER, last, few) == []
    assert found(ANSWER, {**ANSWER, "items": [*ITEMS[:2], {**ITEMS[2], "assetId": "d", "hits": 70}]}, few) == [
        ("only left", "c"),
        ("only right", "d"),
    ]


def test_closed_lists_have_to_be_the_same_whatever_the_tolerance() -> None:
    left, right = {**ANSWER, "revision": 1}, {**changed(a={"hits": 101}), "revision": 2}
    assert found(left, right, Tolerance(50)) == [("hits", "a")]


def test_the_same_number_draws_the_same_questions() -> None:
    known = [known_from("abc", ["day", "week"], ITEMS)]
    first, second, third = (drawn_questions(known, 50, chance=Random(chance)) for chance in (1, 1, 2))
    assert first == second != third
    assert first[:4] == third[:4]
    assert len(first) == 50
