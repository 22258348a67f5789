"""The popular command: the question it asks and the table it draws."""

from pathlib import Path
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


def test_what_editors_did_is_marked_and_may_be_left_aside(shell: Any, server: Any) -> None:
    pinned = {**item(4, None, "p", 0), "rank": None, "pinned": True}
    server.answer({**ANSWER, "hidden": 2, "items": [pinned, {**ITEMS[2], "pinned": True}, ITEMS[0]]})
    assert shell.run("popular", "--url", server.url, "--brand", "abc", "--as-counted") == 0
    assert ("edited", "false") in parse_qsl(urlsplit(server.asked[0].path).query)
    lines = shell.printed().splitlines()
    assert "2 hidden by editors" in lines[0]
    assert [line.split()[:2] for line in lines[2:]] == [["*", "-"], ["*", "3"], ["1", "▲"]]


def test_the_question_holds_every_filter(shell: Any, server: Any) -> None:
    server.answer(ANSWER)
    flags = "--period week --section 563 --section sport&x --type article --paid free --paid paid --limit 7 --closed"
    assert shell.run("popular", "--url", server.url, "--brand", "abc", *flags.split()) == 0
    asked = urlsplit(server.asked[0].path)
    assert asked.path == "/v1/popular"
    assert parse_qsl(asked.query) == [
        ("brand", "abc"),
        ("limit", "7"),
        ("period", "week"),
        ("section", "563"),
        ("section", "sport&x"),
        ("resourceType", "article"),
        ("paidType", "free"),
        ("paidType", "paid"),
        ("closed", "true"),
    ]


def test_a_span_is_asked_for_by_its_ends_instead_of_a_period(shell: Any, server: Any) -> None:
    server.answer({name: value for name, value in ANSWER.items() if name != "period"})
    flags = "--from 2026-10-01T00:00+03:00 --to 2026-11-01T00:00Z --author Ann --tag a --tag b,c --exclude 7"
    flags += " --published-after 2026-09-01T00:00:01Z"
    assert shell.run("popular", "--url", server.url, "--brand", "abc", *flags.split()) == 0
    assert parse_qsl(urlsplit(server.asked[0].path).query) == [
        ("brand", "abc"),
        ("limit", "20"),
        ("from", "2026-09-30T21:00Z"),
        ("to", "2026-11-01T00:00Z"),
        ("publishedAfter", "2026-09-01T00:00:01Z"),
        ("author", "Ann"),
        ("tag", "a"),
        ("tag", "b,c"),
        ("exclude", "7"),
    ]
    assert shell.printed().startswith("abc · 2026-11-14T15:00Z to 2026-11-15T15:00Z · exact")


def test_a_span_and_a_period_do_not_go_together(shell: Any, server: Any) -> None:
    flags = "--from 2026-10-01T00:00Z --to 2026-11-01T00:00Z --period day"
    assert shell.run("popular", "--url", server.url, "--brand", "abc", *flags.split()) == 2
    assert "--period and --closed do not go with --from and --to" in shell.complained()
    assert not server.asked


def test_titles_are_shown_when_there_are_any(shell: Any, server: Any) -> None:
    server.answer(ANSWER | {"items": [ITEMS[0] | {"title": "Rain\x1b[2J again"}, ITEMS[1]]})
    assert shell.run("popular", "--url", server.url, "--brand", "abc") == 0
    lines = shell.printed().splitlines()
    assert lines[1].split()[-1] == "title"
    assert "Rain" in lines[2]
    assert "\x1b[2J" not in lines[2]


def test_windows_that_are_gone_are_told(shell: Any, server: Any) -> None:
    server.answer(ANSWER | {"exact": False, "keptSince": "2024-10-17T00:00Z"})
    assert shell.run("popular", "--url", server.url, "--brand", "abc") == 0
    assert "nothing is kept from before 2024-10-17T00:00Z" in shell.printed()


def test_a_key_is_read_from_a_file(shell: Any, server: Any, tmp_path: Path) -> None:
    server.answer(ANSWER)
    (tmp_path / "key").write_text("ffsec_abc\n")
    assert shell.run("popular", "--url", server.url, "--brand", "abc", "--secret-file", str(tmp_path / "key")) == 0
    assert server.asked[0].headers["authorization"] == "Bearer ffsec_abc"
    assert shell.run("popular", "--url", server.url, "--brand", "abc", "--secret-file", str(tmp_path / "none")) == 1
    assert "cannot be read" in shell.complained()


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


def test_a_list_that_is_still_being_read_is_asked_for_again_and_not_for_ever(shell: Any, server: Any) -> None:
    for _ in range(2):
        server.answer({"detail": "the list was not ready in time; try again"}, status=503, headers={"Retry-After": "2"})
    server.answer(ANSWER)
    assert shell.run("popular", "--url", server.url, "--brand", "abc") == 0
    assert shell.pauses == [2.0, 2.0]
    server.answers[:] = [(503, b'{"detail":"not now"}', {})]
    assert shell.run("popular", "--url", server.url, "--brand", "abc") == 4
    assert len(server.asked) == 3 + 10
    assert "not now" in shell.complained()


def test_a_list_by_visitors_shows_them_with_their_bounds_and_says_what_they_are(shell: Any, server: Any) -> None:
    counted = item(1, None, "7", 1_300, 563, "article", "free")
    del counted["change"]
    visitors = {"uniques": 1_204, "uniquesAtLeast": 1_166, "uniquesAtMost": 1_245}
    about = {"sort": "uniques", "uniquesAre": "visitorDays", "membersProven": False, "exact": True}
    server.answer({**ANSWER, **about, "items": [{**counted, **visitors}]})
    assert shell.run("popular", "--url", server.url, "--brand", "abc", "--period", "day", "--sort", "uniques") == 0
    assert ("sort", "uniques") in parse_qsl(urlsplit(server.asked[0].path).query)
    lines = [line.split() for line in shell.printed().splitlines()]
    assert "visitors of each day, added up unless the brand sends ids of its own" in " ".join(shell.printed().split())
    assert "others may belong here, too" in " ".join(shell.printed().split())
    assert ["#", "asset", "visitors", "95", "%", "hits", "section", "type", "paid"] in lines
    assert ["1", "7", "1,204", "1,166", "to", "1,245", "1,300", "563", "article", "free"] in lines
