"""Judging finds what programs do and tells it once, however often its process ends, and gives way to everything."""

from collections.abc import Mapping, Sequence
from pathlib import Path

import pytest

from footfall.app.judging_steps import BEHIND_MS_MAX, Pace
from footfall.flow.stream.records import RULES, RULES_OF_LOGS, VERSION, Pack
from footfall.ports.errors import Unavailable
from footfall.screening.verdicts import State, Verdict
from tests.app.judged_stage import BRAND, MINUTE_MS, START_MS, Stage, appended, key_of, people_and_a_program, run


@pytest.fixture
def stage(tmp_path: Path) -> Stage:
    return Stage(tmp_path)


def end_of(stage: Stage, *, minutes: int) -> None:
    stage.clock.set(START_MS + minutes * MINUTE_MS + 10_000)


def test_a_story_that_a_program_loads_is_held(stage: Stage) -> None:
    hits = people_and_a_program(stage.stream, start_ms=START_MS)
    end_of(stage, minutes=30)
    judging = stage.judging()
    run(judging)
    told = stage.told()
    assert {(subject, cause, state) for subject, cause, state, _ in told} == {("story", "few-agents", "held")}
    assert judging.report.verdicts == len(told)
    assert judging.report.hits == hits
    assert (judging.report.sampled_out, judging.report.left_out, judging.behind_ms()) == (0, 0, 0)


def test_a_brand_that_filters_needs_nobody_to_confirm(stage: Stage) -> None:
    people_and_a_program(stage.stream, start_ms=START_MS)
    end_of(stage, minutes=30)
    stage.filtering.add(BRAND)
    run(stage.judging())
    assert {state for _, _, state, _ in stage.told()} == {"confirmed"}


def test_shards_are_judged_together(tmp_path: Path) -> None:
    found: list[object] = []
    for shards in (1, 3):
        stage = Stage(tmp_path / str(shards), shards=shards)
        people_and_a_program(stage.stream, start_ms=START_MS)
        end_of(stage, minutes=30)
        run(stage.judging())
        found.append([(subject, cause) for subject, cause, _, _ in stage.told()])
        assert all(change.since.keys() == {f"s{n:02d}" for n in range(shards)} for change in stage.store.changes(BRAND))
    assert found[0] == found[1]


def test_a_judge_that_is_killed_at_any_minute_loses_nothing_and_tells_nothing_twice(tmp_path: Path) -> None:
    whole, killed = Stage(tmp_path / "whole"), Stage(tmp_path / "killed")
    for stage in (whole, killed):
        people_and_a_program(stage.stream, start_ms=START_MS)
    judging = whole.judging()
    for minute in range(31):
        for stage, one in ((whole, judging), (killed, None)):
            end_of(stage, minutes=minute)
            run(one or stage.judging())  # The other begins each minute as a new process does.
    assert killed.told() == whole.told() != []


def test_what_was_stored_and_not_yet_kept_is_not_told_again(stage: Stage) -> None:
    people_and_a_program(stage.stream, start_ms=START_MS)
    end_of(stage, minutes=30)

    def killed_after(brand: str, verdicts: Sequence[Verdict], *, since: Mapping[str, int]) -> int:
        stage.store.find(brand, verdicts, since=since)
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        run(stage.judging(find=killed_after))
    assert len(stage.told()) == 1
    run(stage.judging())
    assert len(set(stage.told())) == len(stage.told()) > 1


def test_what_could_not_be_stored_waits(stage: Stage) -> None:
    people_and_a_program(stage.stream, start_ms=START_MS)
    end_of(stage, minutes=30)
    is_away = [True]

    def away(brand: str, verdicts: Sequence[Verdict], *, since: Mapping[str, int]) -> int:
        if is_away[0]:
            raise Unavailable("the disk is away")
        return stage.store.find(brand, verdicts, since=since)

    judging = stage.judging(find=away)
    run(judging)
    assert stage.told() == []
    is_away[0] = False
    run(judging)
    assert stage.told() != []


@pytest.mark.parametrize("kind", ["log", "replay", "late", "screened"])
def test_hits_whose_arrival_says_nothing_are_not_judged(stage: Stage, kind: str) -> None:
    keys = [key_of("story")] * 200
    columns: Mapping[str, Mapping[str, object]] = {
        "log": {"rules": RULES_OF_LOGS, "at_ms": [START_MS - 1] * 200, "trusted": True},
        "replay": {"replays": (1, "late"), "trusted": True},
        "late": {"at_ms": [START_MS - 2 * 86_400_000] * 200},
        "screened": {"screened": dict.fromkeys(range(200), "bot-agent")},
    }
    for minute in range(10):
        fields: dict[str, object] = {
            "version": VERSION,
            "rules": RULES,
            "keys": keys,
            "agents": [1] * 200,
            **columns[kind],
        }
        fields["arrived_at_ms"] = START_MS + minute * MINUTE_MS
        appended(stage.stream, Pack(**fields))  # pyright: ignore[reportArgumentType]
    end_of(stage, minutes=10)
    run(stage.judging())
    assert stage.told() == []


def test_what_an_operator_releases_is_learned_once(stage: Stage) -> None:
    people_and_a_program(stage.stream, start_ms=START_MS)
    end_of(stage, minutes=30)
    judging = stage.judging()
    run(judging)
    (held, *_), _ = stage.store.page(BRAND, is_settled=False, limit=10)
    released = stage.store.settle(BRAND, held.id, State.RELEASED, by="key", since={})
    end_of(stage, minutes=31)
    run(judging)
    judging.keep()
    assert stage.memories.of(BRAND, version=0).version == released.version


def test_a_judge_that_cannot_follow_goes_on_with_what_is_new(stage: Stage) -> None:
    end_of(stage, minutes=0)
    appended(stage.stream, Pack(VERSION, RULES, START_MS, [key_of("a")]))
    judging = stage.judging()
    run(judging)
    stage.clock.advance(BEHIND_MS_MAX + 5 * MINUTE_MS)
    assert judging.step()  # It is behind now, and has two minutes to change that.
    assert judging.report.skipped_ms == 0
    stage.clock.advance(BEHIND_MS_MAX + MINUTE_MS)
    assert judging.step()
    assert judging.report.skipped_ms > 5 * MINUTE_MS
    assert judging.behind_ms() < MINUTE_MS


def test_brands_with_more_hits_are_judged_first_and_the_others_are_told_of(stage: Stage) -> None:
    judging = stage.judging(Pace(brands_max=2))
    told: list[tuple[int, int]] = []
    for minute in range(3):
        for name, hits in (("a", 5), ("b", 1), ("c", 9)):
            pack = Pack(VERSION, RULES, START_MS + minute * MINUTE_MS, [key_of("1")] * hits)
            appended(stage.stream, pack, brand=name)
        end_of(stage, minutes=minute + 1)
        run(judging)
        told.append((judging.report.hits, judging.report.left_out))
    # The first minute has no room for c, which then takes that of b.
    assert told == [(6, 9), (20, 10), (34, 11)]
    assert judging.report.brands == 2


def test_a_flood_is_judged_by_a_sample_and_that_is_told(stage: Stage) -> None:
    people_and_a_program(stage.stream, start_ms=START_MS)
    end_of(stage, minutes=30)
    judging = stage.judging(Pace(hits_max=60, visitors_max=60))
    run(judging)
    assert judging.report.sampled_out > judging.report.hits / 2


def test_what_an_operator_released_is_only_told_the_next_time_also_by_another_judge(stage: Stage) -> None:
    people_and_a_program(stage.stream, start_ms=START_MS)
    end_of(stage, minutes=30)
    run(stage.judging())
    (held,), _ = stage.store.page(BRAND, is_settled=False, limit=10)
    stage.store.settle(BRAND, held.id, State.RELEASED, by="key", since={})
    before = len(stage.told())
    people_and_a_program(stage.stream, start_ms=START_MS + 60 * MINUTE_MS)
    end_of(stage, minutes=90)
    run(stage.judging())
    again = {(subject, state) for subject, _, state, _ in stage.told()[before:]}
    assert ("story", "found") in again
    assert not any(state == "held" for _, state in again)
