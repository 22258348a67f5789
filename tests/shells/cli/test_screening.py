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
    assert ["person", "8,000", "80.00%", "shown"] in lines
    assert ["suspected", "500", "5.00%", "left", "out"] in lines
    assert "Reasons of all hits since the beginning, not of this span:" in shell.printed()
    assert ["bot-agent", "bot", "41,000"] in lines
    assert ["reload", "suspected", "9,100"] in lines
    assert ["7", "450", "50", "90.00%", "The", "harbour"] in lines
    assert "leave suspected hits out" in shell.printed()


def test_what_observe_shows_and_what_was_refused_is_told(shell: Any, server: Any) -> None:
    server.answer({**FOUND, "suspectedAreShown": True, "refused": {"signature-forged": 1_200}})
    assert shell.run("screening", "--url", server.url, "--brand", "abc") == 0
    lines = [line.split() for line in shell.printed().splitlines()]
    assert ["suspected", "500", "5.00%", "shown"] in lines
    assert ["signature-forged", "1,200"] in lines


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


DIGEST: dict[str, Any] = {
    "brand": "abc",
    "day": "2026-11-14",
    "from": "2026-11-13T22:00Z",
    "to": "2026-11-14T22:00Z",
    "exact": False,
    "hits": 10_000,
    "hitsBefore": 9_000,
    "labels": [{"label": "person", "hits": 8_000, "share": 0.8, "hitsBefore": 8_100, "change": -100}],
    "reasons": {"reload": 70},
    "items": [{"assetId": "a|b", "suspected": 450, "persons": 50, "share": 0.9}],
    "found": 2,
    "settled": 0,
    "foundVerdicts": [
        {"kind": "asset", "subject": "7", "cause": "clockwork", "state": "held", "by": "judge", "words": "even"}
    ],
    "settledVerdicts": [],
    "acts": [{"at": "2026-11-14T10:00Z", "by": "key-1", "act": "asset-hidden", "subject": "7"}],
}


def test_a_digest_is_printed_as_markdown(shell: Any, server: Any) -> None:
    server.answer(DIGEST)
    named = ("--url", server.url, "--brand", "abc")
    assert shell.run("screening", "digest", *named, "--day", "2026-11-14", "--markdown") == 0
    assert server.asked[0].path == "/v1/screening/digest?brand=abc&day=2026-11-14"
    lines = shell.printed().splitlines()
    assert lines[0] == "# abc, 2026-11-14"
    assert "+1,000 to the day before. Not every count is proven." in lines[2]
    assert "| person | 8,000 | 80.00% | -100 |" in lines
    assert "| reload | suspected | 70 |" in lines
    assert "| a\\|b | 450 | 50 | 90% |  |" in lines
    assert "## Found: 2" in lines
    assert "And 1 more." in lines
    assert "| 2026-11-14T10:00Z | key-1 | asset-hidden | 7 |" in lines


def test_a_digest_is_printed_as_it_was_answered(shell: Any, server: Any) -> None:
    server.answer(DIGEST)
    assert shell.run("screening", "digest", "--url", server.url, "--brand", "abc", "--json") == 0
    assert '"day":"2026-11-14"' in shell.printed()
    server.answers[:] = []
    server.answer({"items": []})
    assert shell.run("screening", "digest", "--url", server.url, "--brand", "abc") != 0
    assert "is no digest" in shell.complained()


def test_words_that_go_with_another_question_are_wrong_usage(shell: Any, server: Any) -> None:
    assert shell.run("screening", "digest", "--url", server.url, "--brand", "abc", "--period", "day") == 2
    assert shell.run("screening", "--url", server.url, "--brand", "abc", "--day", "2026-11-14") == 2


def test_reasons_of_days_say_since_when(shell: Any, server: Any) -> None:
    server.answer({**FOUND, "reasonsSince": "2026-11-14T00:00:31Z"})
    assert shell.run("screening", "--url", server.url, "--brand", "abc") == 0
    assert "Reasons of the whole days around it, from 2026-11-14T00:00:31Z to now:" in shell.printed()
