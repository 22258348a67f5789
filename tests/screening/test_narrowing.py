"""A hold is narrowed to what makes a rise: the kinds of agent or the visitors of an attack; readers' hits stay."""

import numpy as np
import pytest

from footfall.screening.findings import Cause, Finding
from footfall.screening.hit_columns import HitColumns
from footfall.screening.judging import MINUTE_MS, Judge, new_learned
from footfall.screening.narrowing import ALL, VISITORS_MAX, Narrowing, goes_on, narrowed
from footfall.screening.usual_agents import UsualAgents
from tests.screening.made_hits import KINDS, START_MS, hits, people, together

STORY, HOSTILE, OTHER = 55, 3, 9
USUAL = UsualAgents(np.arange(1, KINDS + 1, dtype=np.uint64), np.full(KINDS, 100.0))


def readers(count: int, first: int = 1) -> HitColumns:
    """Return hits of people on the story, of all kinds alike."""
    place = np.arange(count)
    return hits(START_MS + 1_000 * place, asset=STORY, visitor=10_000 + first + place, agent=1 + place % KINDS)


def hostile(count: int, agent: int = HOSTILE, *, visitors: int = 10**6, minute: int = 0) -> HitColumns:
    """Return hits of an attack on the story."""
    place = np.arange(count)
    moments = START_MS + minute * MINUTE_MS + 500 * place
    return hits(moments, asset=STORY, visitor=10**9 + 1_000 * minute + place % visitors, agent=agent)


@pytest.mark.parametrize("reading", [0, 40, 120])
@pytest.mark.parametrize("kinds", [1, 6])
def test_few_kinds_that_make_a_rise_are_meant_and_those_of_readers_are_not(reading: int, kinds: int) -> None:
    attack = [hostile(600 // kinds, agent) for agent in range(HOSTILE, HOSTILE + kinds)]
    found = narrowed(Cause.FEW_AGENTS, together(readers(reading), *attack), USUAL, usual_hits=10)
    assert found == Narrowing(agents=tuple(range(HOSTILE, HOSTILE + kinds)))


def test_an_agent_that_nobody_has_seen_is_meant_when_it_makes_the_rise_and_not_for_one_reader() -> None:
    strange, lonely = hostile(300, 60_000), hits([START_MS], asset=STORY, agent=50_000)
    found = narrowed(Cause.FEW_AGENTS, together(readers(80), strange, lonely), USUAL, usual_hits=80)
    assert found.agents == (60_000,)


def test_visitors_who_come_again_and_again_are_meant_by_their_numbers() -> None:
    attack = hostile(300, visitors=20)
    found = narrowed(Cause.FEW_VISITORS, together(readers(80), attack), USUAL, usual_hits=20)
    assert found == Narrowing(visitors=tuple(range(10**9, 10**9 + 20)))


def test_more_visitors_than_can_be_named_and_a_sample_of_them_are_meant_by_their_agents() -> None:
    many = together(readers(80), hostile(5 * VISITORS_MAX, visitors=VISITORS_MAX + 1))
    assert narrowed(Cause.FEW_VISITORS, many, USUAL, usual_hits=20) == Narrowing(agents=(HOSTILE,))
    some = together(readers(80), hostile(300, visitors=20))
    assert narrowed(Cause.FEW_VISITORS, some, USUAL, usual_hits=20, one_of=2) == Narrowing(agents=(HOSTILE,))


def test_a_rise_in_which_no_kind_stands_out_is_meant_whole() -> None:
    assert narrowed(Cause.CLOCKWORK, readers(400), USUAL, usual_hits=10) == ALL


def test_without_anything_to_compare_with_every_kind_that_comes_often_is_meant() -> None:
    nothing = UsualAgents(np.zeros(0, np.uint64), np.zeros(0))
    assert narrowed(Cause.FEW_AGENTS, hostile(100), nothing, usual_hits=10).agents == (HOSTILE,)
    assert narrowed(Cause.FEW_AGENTS, hostile(100), USUAL.without(hits([])), usual_hits=10).agents == (HOSTILE,)


def test_a_case_goes_on_until_another_kind_makes_the_rise() -> None:
    known, window = Narrowing(agents=(HOSTILE,)), together(hostile(100), hostile(50, OTHER))
    assert goes_on(known, known, window)
    assert goes_on(known, ALL, window)  # Readers may be what is left.
    assert not goes_on(known, Narrowing(agents=(HOSTILE, OTHER)), window)
    assert goes_on(known, Narrowing(agents=(HOSTILE, OTHER)), together(hostile(500), hostile(50, OTHER)))
    assert not goes_on(ALL, known, window)
    assert not goes_on(Narrowing(visitors=(1, 2)), known, window)


def judged(attack: dict[int, int], *, minutes: int) -> list[Finding]:
    """Return what is held of a story that people read all the time, under an attack of some agent in some minutes."""
    chance, judge, found = np.random.default_rng(8), Judge(new_learned(seed=1)), list[Finding]()
    for minute in range(minutes):
        judge.add(people(chance, minute))
        moments = START_MS + minute * MINUTE_MS + np.sort(chance.integers(0, MINUTE_MS, 12))
        kinds = chance.integers(1, KINDS + 1, 12)
        judge.add(hits(moments, asset=STORY, visitor=chance.integers(1, 2**40, 12), agent=kinds, referrer=2))
        if minute in attack:
            judge.add(hostile(90, attack[minute], minute=minute))
        found += [one for one in judge.closed(end_ms=START_MS + (minute + 1) * MINUTE_MS) if one.is_held]
    return [one for one in found if one.subject == STORY]


def test_a_few_hundred_hostile_hits_of_one_agent_leave_the_readers_of_a_story_in_the_list() -> None:
    found = judged(dict.fromkeys(range(90, 95), HOSTILE), minutes=110)
    assert {(one.cause, one.agents, one.visitors) for one in found} == {(Cause.FEW_AGENTS, (HOSTILE,), ())}
    assert len({one.from_ms for one in found}) == 1
    assert found[-1].words == "what was suspicious is over"


def test_an_attack_that_changes_its_agent_is_another_case_and_does_not_gather_the_agents_of_readers() -> None:
    turns = {90 + minute: HOSTILE + minute // 12 for minute in range(48)}
    found = judged(turns, minutes=150)
    last = {one.from_ms: one for one in found}
    assert {agent for one in last.values() for agent in one.agents} == set(turns.values())
    assert all(len(one.agents) <= 2 for one in found)
    assert all(one.to_ms - one.from_ms <= 40 * MINUTE_MS for one in found)
