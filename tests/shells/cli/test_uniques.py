"""`footfall uniques`: what is asked of the server, what a person reads, and what makes no sense together."""

from pathlib import Path
from typing import Any

import pytest

from footfall.shells.cli.command import Exit
from footfall.shells.cli.uniques import BATCH_VALUES_MAX
from tests.shells.cli.conftest import Shell

ANSWER = {"estimate": 12_345, "lower": 12_100, "upper": 12_600, "confidence": 0.95, "by": "hll"}


def uniques(server: Any, *argv: str) -> tuple[int, str, str]:
    shell = Shell()
    code = shell.run("uniques", *argv, "--url", server.url, "--brand", "abc")
    return code, shell.printed(), shell.complained()


def test_values_are_sent_as_lines_under_a_key(server: Any) -> None:
    server.answer({"accepted": 2, "duplicates": 0}, status=202)
    assert uniques(server, "add", "a/b", "x", 'y"') == (Exit.OK, "2 accepted, 0 refused\n", "")
    (asked,) = server.asked
    assert (asked.method, asked.path) == ("POST", "/v1/uniques/a%2Fb?brand=abc")
    assert asked.body == b'"x"\n"y\\""\n'
    assert asked.headers["idempotency-key"]


def test_a_file_has_one_value_a_line_and_goes_in_batches(server: Any, tmp_path: Path) -> None:
    server.answer({"accepted": BATCH_VALUES_MAX, "duplicates": 0}, status=202)
    server.answer({"accepted": 1, "refused": [{"index": 0, "field": "data", "reason": "is odd"}]}, status=202)
    file = tmp_path / "values"
    file.write_text("".join(f"value {number}\r\n\n" for number in range(BATCH_VALUES_MAX + 2)))
    code, out, err = uniques(server, "add", "a", "--file", str(file))
    assert (code, out) == (Exit.REFUSED, f"{BATCH_VALUES_MAX + 1:,} accepted, 1 refused\n")
    assert err == f"refused: value {BATCH_VALUES_MAX}: is odd\n"
    assert [one.body.count(b"\n") for one in server.asked] == [BATCH_VALUES_MAX, 2]


def test_an_estimate_is_shown_with_its_bounds(server: Any) -> None:
    server.answer({"brand": "abc", "name": "a", "from": "2026-11-15T00:00Z", "to": "2026-11-16T00:00Z", **ANSWER})
    code, out, _ = uniques(server, "show", "a", "--from", "2026-11-15T00:00Z", "--to", "2026-11-15T12:00Z")
    assert code == Exit.OK
    assert all(word in out for word in ("12,345", "12,100", "12,600", "95%", "Whole days from 2026-11-15T00:00Z"))
    assert server.asked[0].path == "/v1/uniques/a?brand=abc&from=2026-11-15T00%3A00Z&to=2026-11-15T12%3A00Z"


def test_days_that_are_gone_are_told_in_the_place_of_an_upper_bound(server: Any) -> None:
    server.answer({"brand": "abc", "name": "a", "keptSince": "2026-11-15T00:00Z", **ANSWER, "upper": None})
    code, out, _ = uniques(server, "show", "a", "--from", "2026-11-01T00:00Z", "--to", "2026-11-15T12:00Z")
    assert (code, "at most" in out, "Days before 2026-11-15T00:00Z" in out) == (Exit.OK, False, True)


def test_names_of_a_set_are_repeated(server: Any) -> None:
    server.answer({"brand": "abc", **ANSWER})
    uniques(server, "union", "a", "b,c", "--intersect", "d", "--minus", "e", "--minus", "f", "--json")
    assert server.asked[0].path == "/v1/uniques?brand=abc&union=a&union=b%2Cc&intersect=d&minus=e&minus=f"


def test_counters_are_listed_page_after_page(server: Any) -> None:
    server.answer({"brand": "abc", "items": [{"name": "a"}, {"name": "b\u001b[2J"}], "after": "b&c"})
    server.answer({"brand": "abc", "items": [{"name": "café"}]})
    code, out, _ = uniques(server, "list")
    assert (code, out.split("\n")[0], out.split("\n")[-2], "\x1b" in out) == (Exit.OK, "a", "café", False)
    assert [one.path for one in server.asked] == [
        "/v1/counters?brand=abc&limit=1000",
        "/v1/counters?brand=abc&limit=1000&after=b%26c",
    ]


def test_counters_are_listed_as_json_one_a_line(server: Any) -> None:
    server.answer({"brand": "abc", "items": [{"name": "a\nb"}, {"name": "c"}]})
    assert uniques(server, "list", "--json")[:2] == (Exit.OK, '{"name":"a\\nb"}\n{"name":"c"}\n')


def test_a_sketch_is_written_to_a_file_and_read_from_one(server: Any, tmp_path: Path) -> None:
    server.answer(b"\x02\x01sketch")
    file = tmp_path / "a.hll"
    assert uniques(server, "export", "a", "--file", str(file))[0] == Exit.OK
    assert file.read_bytes() == b"\x02\x01sketch"
    assert uniques(server, "import", "b", "--kind", "theta", "--file", str(file))[0] == Exit.OK
    asked = server.asked[1]
    assert (asked.method, asked.path, asked.body) == (
        "PUT",
        "/v1/uniques/b/sketch?brand=abc&kind=theta",
        b"\x02\x01sketch",
    )


@pytest.mark.parametrize(
    "argv",
    [
        ("add", "a"),
        ("add", "a", "x", "--file", "f"),
        ("show", "a", "b"),
        ("delete", "a", "b"),
        ("export", "a"),
        ("import", "a"),
        ("forget", "a"),
        ("show",),
        ("add",),
        ("union",),
        ("list", "a"),
    ],
)
def test_what_makes_no_sense_is_said_before_anything_is_asked(server: Any, argv: tuple[str, ...]) -> None:
    try:
        code = uniques(server, *argv)[0]
    except SystemExit as ended:
        code = ended.code
    assert code == Exit.USAGE
    assert server.asked == []


def test_an_unknown_counter_is_told_with_what_to_do(server: Any) -> None:
    server.answer({"title": "Not Found", "detail": "name: 'a' is no counter here; x", "field": "name"}, status=404)
    code, _, err = uniques(server, "show", "a")
    assert code == Exit.REFUSED
    assert "footfall uniques add makes it" in err
