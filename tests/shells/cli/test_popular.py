"""The popular command: the question it asks and the table it draws."""

from typing import Any
from urllib.parse import parse_qsl, urlsplit


def item(rank: int, change: int | None, asset: str, hits: int, *labels: Any) -> dict[str, Any]:
    section, resource_type, paid_type = labels or (None, None, None)
    counted = {"rank": rank, "change": change, "assetId": asset, "hits": hits}
    return counted | {"sectionId": section, "resourceType": resource_type, "paidType": paid_type}


ITEMS = [
    item(1, 2, "132141398", 12_258, 563, "article", "free"),
    item(2, -1, "777", 90),
    item(3, 0, "x", 9, "sport", "video", "paid"),
    item(4, None, "y", 8, 1, "video", "paid"),
]
ANSWER: dict[str, Any] = {
    "brand": "abc",
    "period": "day",
    "from": "2026-11-14T15:00Z",
    "to": "2026-11-15T15:00Z",
    "exact": True,
    "items": ITEMS,
}


def test_the_list_is_a_table_with_rank_change_asset_hits_and_labels(shell: Any, server: Any) -> None:
    server.answer(ANSWER)
    assert shell.run("popular", "--url", server.url, "--brand", "abc", "--period", "day") == 0
    lines = [line.split() for line in shell.printed().splitlines()]
    assert shell.printed().startswith("abc · day · 2026-11-14T15:00Z to 2026-11-15T15:00Z · exact")
    assert lines[1] == ["#", "change", "asset", "hits", "section", "type", "paid"]
    assert lines[2] == ["1", "▲", "2", "132141398", "12,258", "563", "article", "free"]
    assert lines[3] == ["2", "▼", "1", "777", "90"]
    assert lines[4] == ["3", "=", "x", "9", "sport", "video", "paid"]
    assert lines[5] == ["4", "new", "y", "8", "1", "video", "paid"]
    assert shell.complained() == ""


def test_the_question_holds_every_filter(shell: Any, server: Any) -> None:
    server.answer(ANSWER)
    flags = "--period week --section 563 --section sport&x --type article --paid free --paid paid --limit 7 --closed"
    assert shell.run("popular", "--url", server.url, "--brand", "abc", *flags.split()) == 0
    asked = urlsplit(server.asked[0].path)
    assert asked.path == "/v1/popular"
    assert parse_qsl(asked.query) == [
        ("brand", "abc"),
        ("period", "week"),
        ("limit", "7"),
        ("section", "563"),
        ("section", "sport&x"),
        ("resourceType", "article"),
        ("paidType", "free"),
        ("paidType", "paid"),
        ("closed", "true"),
    ]


def test_an_address_may_have_a_path(shell: Any, server: Any) -> None:
    server.answer(ANSWER)
    assert shell.run("popular", "--url", server.url + "/behind/", "--brand", "abc") == 0
    assert server.asked[0].path.startswith("/behind/v1/popular?brand=abc")


def test_a_list_that_is_not_exact_says_so_and_shows_its_bounds(shell: Any, server: Any) -> None:
    first = ITEMS[0] | {"hitsAtMost": 12_300}
    server.answer(ANSWER | {"exact": False, "items": [first]})
    assert shell.run("popular", "--url", server.url, "--brand", "abc") == 0
    assert "not exact: hits are at least these" in shell.printed()
    assert "at most" in shell.printed()
    assert "12,300" in shell.printed()


def test_a_closed_list_shows_its_revision(shell: Any, server: Any) -> None:
    server.answer(ANSWER | {"revision": "a1b2", "final": False})
    assert shell.run("popular", "--url", server.url, "--brand", "abc", "--closed") == 0
    assert "revision a1b2, not final yet" in shell.printed()


def test_an_empty_list_says_so(shell: Any, server: Any) -> None:
    server.answer(ANSWER | {"items": []})
    assert shell.run("popular", "--url", server.url, "--brand", "abc") == 0
    assert "Nothing was seen in this span." in shell.printed()


def test_json_is_passed_on_as_it_came(shell: Any, server: Any) -> None:
    server.answer(b'{"items":[],"brand":"abc"}')
    assert shell.run("popular", "--url", server.url, "--brand", "abc", "--json") == 0
    assert shell.printed() == '{"items":[],"brand":"abc"}\n'


def test_an_asset_that_would_steer_the_terminal_cannot(terminal: Any, server: Any) -> None:
    first = ITEMS[0] | {"assetId": "\x1b[2J\x07[red]boo\u202e", "sectionId": "[bold]s"}
    server.answer(ANSWER | {"items": [first]})
    assert terminal.run("popular", "--url", server.url, "--brand", "abc") == 0
    printed = terminal.printed()
    assert "\x1b[2J" not in printed
    assert "\x07" not in printed
    assert "\u202e" not in printed
    assert "[red]boo" in printed
    assert "[bold]s" in printed


def test_a_long_asset_is_whole_when_the_output_is_a_pipe(shell: Any, server: Any) -> None:
    first = ITEMS[0] | {"assetId": "a" * 256}
    server.answer(ANSWER | {"items": [first]})
    assert shell.run("popular", "--url", server.url, "--brand", "abc") == 0
    assert "a" * 256 in shell.printed()
