"""The commands trending and series: the questions they ask and what they draw."""

from typing import Any
from urllib.parse import parse_qsl, urlsplit

RISING: dict[str, Any] = {
    "brand": "abc",
    "from": "2026-11-15T13:01Z",
    "to": "2026-11-15T14:01Z",
    "exact": True,
    "basis": "hits",
    "hits": 5120,
    "baseline": {"from": "2026-11-14T13:00Z", "to": "2026-11-15T13:00Z", "hits": 96400},
    "prior": 8.2,
    "items": [
        {
            "rank": 1,
            "assetId": "7\x1b[31m",
            "rise": 9.3071,
            "hits": 1312,
            "steadyHits": 298.4,
            "expected": 24.8,
            "baselineHits": 2100,
            "baselineHours": 9,
            "sectionId": 563,
            "resourceType": None,
            "paidType": None,
            "title": "Harbour",
        }
    ],
}
SERIES: dict[str, Any] = {
    "brand": "abc",
    "grain": "hour",
    "zone": "UTC",
    "from": "2026-11-15T12:00Z",
    "to": "2026-11-15T15:00Z",
    "exact": False,
    "keptSince": "2026-11-15T13:00Z",
    "final": False,
    "hits": 9000,
    "hitsAtMost": None,
    "points": [
        {"from": "2026-11-15T12:00Z", "hits": None},
        {"from": "2026-11-15T13:00Z", "hits": 6000, "hitsAtMost": 6010},
        {"from": "2026-11-15T14:00Z", "hits": 3000, "open": True},
    ],
    "previous": {"compared": {"points": 1, "hits": 6000, "hitsBefore": 4000, "change": 0.5}},
    "lastWeek": {"compared": {"points": 1, "hits": 6000, "hitsBefore": 0, "change": None}},
    "weekdays": [{"weekday": "monday", "days": 0, "hits": 0, "hitsPerDay": None}],
}


def test_what_rises_is_a_table_with_the_numbers_behind_each_rank(shell: Any, server: Any) -> None:
    server.answer(RISING)
    assert shell.run("trending", "--url", server.url, "--brand", "abc", "--section", "563", "--limit", "5") == 0
    asked = urlsplit(server.asked[0].path)
    assert (asked.path, parse_qsl(asked.query)) == (
        "/v1/trending",
        [("brand", "abc"), ("limit", "5"), ("section", "563")],
    )
    lines = [line.split() for line in shell.printed().splitlines()]
    assert lines[2][:2] == ["1", "9.31x"]
    assert lines[2][3:] == ["1,312", "298.4", "24.8", "2,100", "9", "563", "Harbour"]
    assert "\x1b" not in shell.printed()


def test_nothing_rises_is_said(shell: Any, server: Any) -> None:
    server.answer({**RISING, "items": []})
    assert shell.run("trending", "--url", server.url, "--brand", "abc") == 0
    assert "Nothing rises." in shell.printed()


def test_a_series_is_drawn_with_bars_bounds_and_what_it_is_compared_with(shell: Any, server: Any) -> None:
    server.answer(SERIES)
    flags = "--grain hour --last 3 --compare previous --compare lastWeek --weekdays"
    assert shell.run("series", "--url", server.url, "--brand", "abc", "--asset", "/a b", *flags.split()) == 0
    asked = urlsplit(server.asked[0].path)
    assert asked.path == "/v1/assets/%2Fa%20b/series"
    assert parse_qsl(asked.query) == [
        ("brand", "abc"),
        ("grain", "hour"),
        ("last", "3"),
        ("compare", "previous"),
        ("compare", "lastWeek"),
        ("profile", "weekday"),
    ]
    printed = shell.printed()
    assert "nothing is kept from before 2026-11-15T13:00Z" in printed
    assert "the span before: +50.0% (6,000 after 4,000, in 1 windows that are over)" in printed
    assert "a week earlier: nothing to compare with" in printed
    assert "gone" in printed
    assert "█" * 40 + " at most 6,010" in printed
    assert "█" * 20 + " …" in printed
    assert "no whole day" in printed


def test_a_series_is_printed_as_it_came_when_a_format_is_asked_for(shell: Any, server: Any) -> None:
    server.answer(b"span,from,hits\r\nasked,2026-11-15T12:00Z,3\r\n")
    span = ("--from", "2026-11-15T12:00Z", "--to", "2026-11-15T13:00Z", "--section", "news")
    assert shell.run("series", "--url", server.url, "--brand", "abc", *span, "--format", "csv") == 0
    assert shell.printed().splitlines() == ["span,from,hits", "asked,2026-11-15T12:00Z,3"]
    assert ("format", "csv") in parse_qsl(urlsplit(server.asked[0].path).query)


def test_labels_do_not_go_with_an_asset(shell: Any, server: Any) -> None:
    assert shell.run("series", "--url", server.url, "--brand", "abc", "--asset", "1", "--section", "news") == 2
    assert "leave them out" in shell.complained()


def test_something_else_than_a_footfall_is_noticed(shell: Any, server: Any) -> None:
    server.answer({"hello": "world"})
    assert shell.run("series", "--url", server.url, "--brand", "abc") == 3
    assert shell.run("trending", "--url", server.url, "--brand", "abc") == 3


def test_a_series_of_visitors_is_drawn_with_the_visitors_of_its_whole_span(shell: Any, server: Any) -> None:
    points = [
        {"from": "2026-11-15T12:00Z", "uniques": None},
        {"from": "2026-11-15T13:00Z", "uniques": 2_000, "uniquesAtLeast": 1_950, "uniquesAtMost": 2_060},
        {"from": "2026-11-15T14:00Z", "uniques": 10, "uniquesAtLeast": 10, "uniquesAtMost": 10, "open": True},
    ]
    about = {"measure": "uniques", "uniquesAre": "visitors", "uniques": 2_004, "uniquesAtLeast": 1_955}
    compared = {"points": 1, "uniques": 2_000, "uniquesBefore": 4_000, "change": -0.5}
    days = [{"weekday": "monday", "days": 2, "uniquesPerDay": 1_500.5}]
    answer = {**SERIES, **about, "uniquesAtMost": None, "points": points, "weekdays": days}
    del answer["lastWeek"]
    server.answer({**answer, "previous": {"compared": compared}})
    assert shell.run("series", "--url", server.url, "--brand", "abc", "--measure", "uniques") == 0
    assert ("measure", "uniques") in parse_qsl(urlsplit(server.asked[0].path).query)
    printed = shell.printed()
    assert "2,004 visitors · 95 %: 1,955 to unknown" in " ".join(printed.split())
    assert "the span before: -50.0% (2,000 after 4,000, in 1 windows that are over)" in printed
    assert "█" * 40 + " at most 2,060" in printed
    assert "1,500.5 a day over 2" in printed


def test_rises_that_visitors_tell_are_shown_in_visitors(shell: Any, server: Any) -> None:
    item = {**RISING["items"][0], "steadyUniques": 231.5, "baselineUniques": 150}
    item |= {"uniques": 240, "uniquesAtLeast": 235, "uniquesAtMost": 246}
    for name in ("steadyHits", "baselineHits"):
        del item[name]
    server.answer({**RISING, "basis": "visitors", "items": [item]})
    assert shell.run("trending", "--url", server.url, "--brand", "abc") == 0
    lines = [line.split() for line in shell.printed().splitlines()]
    assert "told from visitors" in " ".join(shell.printed().split())
    assert [
        "#",
        "rise",
        "asset",
        "visitors",
        "95",
        "%",
        "steady",
        "expected",
        "before",
        "hours",
        "section",
        "title",
    ] in lines
    assert any(line[3:8] == ["240", "235", "to", "246", "231.5"] for line in lines)
