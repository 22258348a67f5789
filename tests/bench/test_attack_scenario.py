"""The day with ten attacks is the same for the same seed, has all of them, and what is measured of it adds up."""

from dataclasses import fields, replace

import numpy as np
import pytest

from bench.attack_door import Doorway
from bench.attack_scenario import Scenario, scenario
from bench.attack_world import AGENTS, ATTACKS, DAY_MS, MANY_KINDS, START_MS, Hits, Truth
from bench.attacks import many_kinds
from bench.bench_attacks import MINUTE_MS, columns_of, held_by, held_ms
from footfall.screening.findings import Cause, Finding, SubjectKind

PEOPLE = 60_000


@pytest.fixture(scope="module")
def day() -> Scenario:
    return scenario(3, human_hits=PEOPLE)


def finding(subject: int, from_ms: int, to_ms: int, kind: SubjectKind = SubjectKind.ASSET) -> Finding:
    return Finding(kind, subject, from_ms, to_ms, Cause.FEW_AGENTS, 1.0, (), "")


def test_a_seed_is_one_day(day: Scenario) -> None:
    again = scenario(3, human_hits=PEOPLE)
    assert all(np.array_equal(getattr(day.hits, one.name), getattr(again.hits, one.name)) for one in fields(Hits))
    assert not np.array_equal(day.hits.asset, scenario(4, human_hits=PEOPLE).hits.asset)


def test_it_has_the_people_and_every_attack_in_the_order_of_arrival(day: Scenario) -> None:
    counts = np.bincount(day.hits.truth, minlength=len(Truth))
    assert counts[Truth.HUMAN] == PEOPLE
    assert all(counts[truth] > 0 for truth in ATTACKS)
    assert all(counts[truth] == 0 for truth in MANY_KINDS)
    assert (np.diff(day.hits.arrived_ms) >= 0).all()
    assert START_MS <= day.hits.arrived_ms[0] <= day.hits.arrived_ms[-1] < START_MS + DAY_MS


def test_the_door_keeps_out_what_it_can_know(day: Scenario) -> None:
    out, truth = Doorway(day).kept_out(), day.hits.truth
    assert out[truth == Truth.FORGED_KEYS].all()
    assert out[truth == Truth.REPLAY].all()
    assert 0.5 < out[truth == Truth.BAD_CLOCK].mean() < 0.9
    assert out[truth == Truth.HUMAN].mean() < 0.001


def test_a_replayed_id_is_out_from_its_second_coming_on_and_a_hit_without_a_key_does_not_claim_one(
    day: Scenario,
) -> None:
    out, hits = Doorway(day).kept_out(), day.hits
    replayed = np.unique(hits.id[hits.truth == Truth.REPLAY])
    first = (hits.truth == Truth.HUMAN) & np.isin(hits.id, replayed)
    assert len(replayed) == first.sum()
    assert out[first].mean() < 0.1
    known = replace(day, hits=replace(hits, has_key=np.zeros(len(hits), np.int64)))
    assert Doorway(known).kept_out().all()


def test_botnets_of_many_kinds_are_a_day_of_their_own() -> None:
    other = scenario(3, human_hits=PEOPLE, attackers=many_kinds)
    for truth, kinds in MANY_KINDS.items():
        whose = other.hits.truth == truth
        assert len(np.unique(other.hits.asset[whose])) == 1
        assert 0.8 * kinds <= len(np.unique(other.hits.agent[whose])) <= kinds <= AGENTS
    assert not np.isin(other.hits.truth, ATTACKS).any()


def test_a_finding_leaves_out_the_hits_of_its_subject_in_its_range(day: Scenario) -> None:
    columns = columns_of(day)
    subject, middle_ms = int(columns.asset[0]), START_MS + DAY_MS // 2
    given_ms = START_MS + DAY_MS // 4
    held, came = held_by([(given_ms, finding(subject, START_MS, middle_ms))], columns)
    assert np.array_equal(held, (columns.asset == subject) & (columns.at_ms >= START_MS) & (columns.at_ms < middle_ms))
    assert np.array_equal(came, held & (columns.arrived_ms >= given_ms))


def test_a_narrowed_finding_leaves_out_the_hits_of_its_kinds_alone(day: Scenario) -> None:
    columns = columns_of(day)
    subject, agent = int(columns.asset[0]), int(columns.agent[0])
    one = replace(finding(subject, START_MS, START_MS + DAY_MS), agents=(agent,))
    held, _ = held_by([(START_MS, one)], columns)
    is_inside = (columns.at_ms >= START_MS) & (columns.at_ms < START_MS + DAY_MS)
    assert np.array_equal(held, (columns.asset == subject) & (columns.agent == agent) & is_inside)


def test_a_hold_lasts_from_when_it_was_given_until_it_ends() -> None:
    given = [
        (100, finding(7, 0, 300)),
        (200, finding(7, 0, 400)),
        (350, finding(7, 0, 350)),
        (900, finding(7, 800, 950)),
    ]
    assert held_ms(given, 7) == 300
    assert held_ms(given, 8) == 0
    assert MINUTE_MS == 60_000
