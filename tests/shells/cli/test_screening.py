"""The screening command: labels, reasons and suspects as tables."""

from typing import Any

FOUND = {
    "brand": "abc",
    "from": "2026-11-14T14:00Z",
    "to": "2026-11-15T15:00Z",
    "exact": True,
    "suspectedAreShown": False,
    "hits": 10_000,
    "labels": [
        {"label": "person", "hits": 8_000, "share": 0.8},
        {"label": "bot", "hits": 1_500, "share": 0.15},
        {"label": "suspected", "hits": 500, "share": 0.05},
    ],
    "reasons": {"bot-agent": 41_000, "reload": 9_100},
    "items": [{"rank": 1, "assetId": "7", "suspected": 450, "persons": 50, "share": 0.9, "title": "The harbour"}],
}


def test_what_was_found_is_shown_as_tables(shell: Any, server: Any) -> None:
    server.answer(FOUND)
    assert shell.run("screening", "--url", server.url, "--brand", "abc", "--period", "day") == 0
    assert server.asked[0].path == "/v1/screening?brand=abc&limit=10&period=day"
    lines = [line.split() for line in shell.printed().splitlines()]
    assert ["person", "8,000", "80.00%"] in lines
    assert ["bot-agent", "bot", "41,000"] in lines
    assert ["reload", "suspected", "9,100"] in lines
    assert ["7", "450", "50", "90.00%", "The", "harbour"] in lines
    assert "leave suspected hits out" in shell.printed()


def test_a_span_takes_the_place_of_a_period(shell: Any, server: Any) -> None:
    server.answer(FOUND)
    ends = ("--from", "2026-11-14T00:00Z", "--to", "2026-11-15T00:00Z")
    assert shell.run("screening", "--url", server.url, "--brand", "abc", *ends) == 0
    assert "from=2026-11-14T00%3A00Z&to=2026-11-15T00%3A00Z" in server.asked[0].path
    assert "period" not in server.asked[0].path
    assert shell.run("screening", "--url", server.url, "--brand", "abc", "--period", "day", *ends) == 2


def test_an_answer_that_is_none_is_not_shown(shell: Any, server: Any) -> None:
    server.answer({"items": []})
    assert shell.run("screening", "--url", server.url, "--brand", "abc") != 0
    assert "tells of no labels" in shell.complained()
