"""The ledger command: a sum that adds up, and a loud one that does not."""

from typing import Any

BOOK = {
    "brand": "abc",
    "accepted": 1_000,
    "counted": 900,
    "duplicate": 40,
    "screened": {"bot": 20, "rate": 10},
    "late": 12,
    "future": 3,
    "unlabelled": 5,
    "dead": 1,
    "inFlight": 9,
}


def test_the_ledger_is_a_table_that_ends_with_its_sum(shell: Any, server: Any) -> None:
    server.answer(BOOK)
    assert shell.run("ledger", "--url", server.url, "--brand", "abc") == 0
    lines = [line.split() for line in shell.printed().splitlines()]
    assert server.asked[0].path == "/v1/ledger?brand=abc"
    assert lines[0][:2] == ["counted", "900"]
    assert ["screened", "30"] in [line[:2] for line in lines]
    assert ["bot", "(20)"] in lines
    assert lines[-1][:2] == ["accepted", "1,000"]
    assert shell.complained() == ""


def test_a_ledger_that_does_not_add_up_fails(shell: Any, server: Any) -> None:
    server.answer(BOOK | {"counted": 899})
    assert shell.run("ledger", "--url", server.url, "--brand", "abc") == 1
    assert "The parts are +1 away from what was accepted" in shell.complained()


def test_json_is_passed_on_as_it_came(shell: Any, server: Any) -> None:
    server.answer(b'{"accepted":1,"counted":1}')
    assert shell.run("ledger", "--url", server.url, "--brand", "abc", "--json") == 0
    assert shell.printed() == '{"accepted":1,"counted":1}\n'
