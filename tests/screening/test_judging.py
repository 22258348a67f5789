"""Programs are found among people, with the reason; people who run to one story are not."""

import numpy as np

from footfall.screening.findings import Cause, Finding, SubjectKind
from footfall.screening.hit_columns import HitColumns
from footfall.screening.judging import ASSET_LEASE_MS, MINUTE_MS, Judge, new_learned
from tests.screening.made_hits import KINDS, START_MS, hits, people, together

STORY = 55
BOT = 4_242


def judged(judge: Judge, extra: dict[int, HitColumns] | None = None, *, minutes: int, first: int = 0) -> list[Finding]:
    """Return what is found in minutes of people, with more in some of them."""
    chance = np.random.default_rng(8)
    found: list[Finding] = []
    for minute in range(first, first + minutes):
        usual = people(chance, minute)
        more = (extra or {}).get(minute)
        judge.add(usual)
        judge.add(together() if more is None else more)
        found += judge.closed(end_ms=START_MS + (minute + 1) * MINUTE_MS)
    return found


def of_story(minute: int, count: int, **columns: int | np.ndarray) -> HitColumns:
    moments = START_MS + minute * MINUTE_MS + np.random.default_rng(minute).integers(0, MINUTE_MS, count)
    return hits(np.sort(moments), asset=STORY, **columns)


def held(found: list[Finding], kind: SubjectKind) -> list[Finding]:
    return [one for one in found if one.kind is kind and one.is_held]


def test_people_alone_are_left_alone() -> None:
    assert [one for one in judged(Judge(new_learned(seed=1)), minutes=120) if one.is_held] == []


def test_a_program_that_drips_is_found_with_its_rhythm() -> None:
    drips = {
        minute: hits(START_MS + minute * MINUTE_MS + np.array([0, 30_000]), asset=STORY, visitor=BOT)
        for minute in range(80, 120)
    }
    found = held(judged(Judge(new_learned(seed=1)), drips, minutes=120), SubjectKind.VISITOR)
    assert {one.subject for one in found} == {BOT}
    assert {one.from_ms for one in found} == {START_MS + 80 * MINUTE_MS}
    assert found[0].cause is Cause.UNUSUAL_VISITOR
    assert "evenness of the time between hits higher than usual" in found[-1].words
    assert abs(sum(note.attribution for note in found[-1].notes) - found[-1].score) < 0.01


def test_a_rise_by_one_kind_of_agent_is_held_and_the_hold_ends_with_it() -> None:
    bots = {minute: of_story(minute, 80, visitor=np.arange(80) + 80 * minute, agent=3) for minute in range(60, 80)}
    found = held(judged(Judge(new_learned(seed=1)), bots, minutes=100), SubjectKind.ASSET)
    assert {one.subject for one in found} == {STORY}
    assert {one.cause for one in found} == {Cause.FEW_AGENTS}
    assert {one.from_ms for one in found} == {found[0].from_ms}
    assert found[0].from_ms <= START_MS + 60 * MINUTE_MS
    assert max(one.to_ms for one in found) >= START_MS + 80 * MINUTE_MS
    assert max(one.to_ms for one in found) <= START_MS + 84 * MINUTE_MS + ASSET_LEASE_MS
    assert "kinds of agent where" in found[0].words


def test_a_rise_by_few_visitors_is_held() -> None:
    farm = {
        minute: of_story(minute, 60, visitor=np.arange(60) % 20 + 1, agent=1 + np.arange(60) % KINDS)
        for minute in range(60, 70)
    }
    found = held(judged(Judge(new_learned(seed=1)), farm, minutes=75), SubjectKind.ASSET)
    assert found
    assert {one.cause for one in found} == {Cause.FEW_VISITORS}


def test_a_viral_story_is_not_held() -> None:
    chance = np.random.default_rng(2)
    readers = {
        minute: of_story(
            minute,
            400,
            visitor=chance.integers(1, 2**40, 400),
            agent=chance.integers(1, KINDS + 1, 400),
            referrer=chance.integers(0, 4, 400),
        )
        for minute in range(60, 90)
    }
    assert held(judged(Judge(new_learned(seed=1)), readers, minutes=100), SubjectKind.ASSET) == []


def test_a_hold_ends_early_when_people_come() -> None:
    chance = np.random.default_rng(2)
    bots = {minute: of_story(minute, 80, visitor=np.arange(80) + 80 * minute, agent=3) for minute in range(60, 66)}
    crowd = {
        minute: of_story(minute, 900, visitor=chance.integers(1, 2**40, 900), agent=chance.integers(1, KINDS + 1, 900))
        for minute in range(66, 90)
    }
    found = held(judged(Judge(new_learned(seed=1)), bots | crowd, minutes=90), SubjectKind.ASSET)
    assert found[-1].to_ms <= START_MS + 70 * MINUTE_MS
    assert found[-1].words == "what was suspicious is over"
    assert found[-1].cause is found[0].cause


def test_the_same_hits_give_the_same_findings() -> None:
    drips = {
        minute: hits(START_MS + minute * MINUTE_MS + np.array([0, 30_000]), asset=STORY, visitor=BOT)
        for minute in range(40, 90)
    }
    one, other = (judged(Judge(new_learned(seed=1)), drips, minutes=90) for _ in range(2))
    assert one == other


def test_what_was_released_is_learned() -> None:
    judge = Judge(new_learned(seed=1))
    seen = judge.learned.visitors.seen
    judge.learn(SubjectKind.VISITOR, [1.0] * 9)
    judge.learn(SubjectKind.ASSET, [1.0] * 10)
    assert (judge.learned.visitors.seen, judge.learned.assets.seen) == (seen + 1, 1)
