"""Sixteen bits of an agent: the same for ever, never those of nobody, and remembered within bounds."""

from footfall.screening.agent_codes import NOT_KNOWN, REMEMBERED_MAX, AgentCodes, agent_code


def test_an_agent_has_the_same_number_for_ever() -> None:
    assert agent_code("Firefox") == agent_code("Firefox") == FIREFOX
    assert agent_code("") == NOT_KNOWN


def test_no_agent_is_nobody() -> None:
    codes = AgentCodes()
    assert all(0 < codes[f"agent {number}"] < 65_536 for number in range(3 * REMEMBERED_MAX))
    assert len(codes) <= REMEMBERED_MAX


def test_halves_of_surrogates_are_agents_too() -> None:
    assert agent_code("\ud800") > 0


FIREFOX = 15897
