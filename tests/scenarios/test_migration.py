"""A catalogue is moved, back and forth, under traffic and kills: nothing is lost, stale, invented or refused."""

import json
from pathlib import Path

import pytest

from footfall.migrate.verifying import Verifier
from footfall.ports.relational import Side
from footfall.values.clock import SystemClock
from tests.migrate.campaign import Campaign, campaign
from tests.migrate.checker import Kind, Outcome, faults
from tests.migrate.moving_stage import Engine

ACTS_MIN = 600  # half of them after each handover, at some sixty a second


def prove(made: Campaign) -> None:
    """Stop the traffic, let both sides come to rest, and prove what was seen."""
    made.crowd.stop()
    made.note_counts()
    made.wait_until(made.is_quiet)
    made.read_all()
    acts = made.crowd.history.acts
    found = faults(acts)
    for key in {one.partition(":")[0] for one in found}:  # Nobody finds the cause of what cannot be seen again.
        print(*(act for act in acts if act.key == key), sep="\n")
    assert found == []
    require_traffic(made)
    with made.ground() as ground:
        told = Verifier(ground, "at the end").verify(now_ms=SystemClock().now_ms())
    assert told.differences == ()
    assert told.is_sound
    assert (told.behind, told.left, told.set_aside) == (0, 0, 0)
    (made.folder / "told.json").write_text(json.dumps(figures(made)), encoding="utf-8")
    print(json.dumps(figures(made)))


def require_traffic(made: Campaign) -> None:
    """What was proven was worth it: all kinds of acts, on both sides, and nobody refused."""
    acts = made.crowd.history.acts
    assert len(acts) >= ACTS_MIN
    assert {act.kind for act in acts if act.outcome is Outcome.DONE} == set(Kind)
    assert [act.told for act in acts if act.outcome is Outcome.REFUSED] == []
    assert min(made.counted[event] for event in ("reads.old", "reads.new", "writes.old", "writes.new")) > 0


def traffic(made: Campaign) -> None:
    """Wait until enough was done since the last handover, however slow the machine is."""
    made.go_on(ACTS_MIN // 2)
    made.wait_until(lambda: {act.kind for act in made.crowd.history.acts if act.outcome is Outcome.DONE} == set(Kind))


def figures(made: Campaign) -> dict[str, object]:
    """Return what a person wants to know of a campaign."""
    acts = made.crowd.history.acts
    taken = sorted((act.end - act.start) * 1_000 for act in acts if act.outcome is Outcome.DONE)
    return {
        "acts": len(acts),
        "writes": sum(act.kind is not Kind.READ for act in acts),
        "unknown": sum(act.outcome is Outcome.UNKNOWN for act in acts),
        "ms": {share: round(taken[int(len(taken) * share)], 1) for share in (0.5, 0.9, 0.99)},
        "sides": {event: times for event, times in sorted(made.counted.items()) if event[:5] in ("reads", "write")},
        "blockedMs": dict(sorted(made.blocked_ms.items())),
        "handedOverIn": [round(seconds, 1) for seconds in made.handed_over],
        "kills": {"mover": made.mover.kills, "application": made.application.kills, "switch": made.switches_killed},
    }


# A tenth of the long campaign, on one engine.
@pytest.mark.parametrize(("name", "metrics"), [pytest.param("mariadb", 600, marks=pytest.mark.soak), ("postgres", 200)])
def test_a_catalogue_goes_over_and_back_under_traffic_and_kills(
    name: str, metrics: int, request: pytest.FixtureRequest, tmp_path: Path
) -> None:
    engine: Engine = request.getfixturevalue(name)
    with campaign(engine, tmp_path, metrics=metrics, versions=5, pause_s=0.1) as made:
        made.crowd.start(readers=4, writers=2)
        for side in (Side.NEW, Side.OLD):
            made.hand_over(side, mover_kills=5, application_kills=1)
            made.storm(0.3)
            traffic(made)
        prove(made)
    assert (made.mover.kills, made.application.kills) == (10, 2)


@pytest.mark.soak
@pytest.mark.parametrize("name", ["mariadb", "postgres"])
def test_a_large_catalogue_goes_over_and_back_ten_times(
    name: str, request: pytest.FixtureRequest, tmp_path: Path
) -> None:
    engine: Engine = request.getfixturevalue(name)
    with campaign(engine, tmp_path, metrics=20_000, versions=5, pause_s=0.1) as made:
        made.crowd.start(readers=20, writers=5)  # some 200 reads and 50 writes a second
        for number in range(20):
            side = Side.OLD if number % 2 else Side.NEW
            made.hand_over(side, mover_kills=5, application_kills=1)
            made.storm(2.0)
            traffic(made)
        prove(made)
    assert (made.mover.kills, made.application.kills) == (100, 20)
