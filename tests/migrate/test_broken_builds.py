"""The checker finds what broken builds do to clients of a real move; tests/scenarios prove the right build."""

from pathlib import Path

import pytest

from footfall.ports.relational import Side
from tests.engines.mariadb import MariaDbEngine
from tests.migrate.campaign import APPLICATION, OPERATOR, Campaign, campaign
from tests.migrate.checker import faults

ROUNDS_MAX = 10  # over and back; one is enough for what is broken for good
ACTS_BETWEEN = 200
METRICS = 24  # Clients meet more often where there are few.

BROKEN_APPLICATION = "tests.migrate.broken_application"
BROKEN = {
    "reads trust a remembered side": (("-m", BROKEN_APPLICATION, "remembers"), OPERATOR),
    "a refused write is acknowledged": (("-m", BROKEN_APPLICATION, "swallows"), OPERATOR),
    "a handover asks for no clock": (APPLICATION, ("-m", "tests.migrate.broken_operator")),
}


def found_in(made: Campaign) -> list[str]:
    """Hand over and back, with nobody to follow or write back meanwhile, until the checker finds lost or stale data."""
    made.wait_until(made.is_copied)
    made.mover.end()
    for number in range(ROUNDS_MAX * 2):
        made.go_on(ACTS_BETWEEN)
        if found := [one for one in faults(list(made.crowd.history.acts)) if not one.startswith("refused")]:
            return found
        made.hand_over(Side.OLD if number % 2 else Side.NEW, mover_kills=0, application_kills=0)
    return []


@pytest.mark.parametrize("name", BROKEN)
def test_what_a_broken_build_does_is_found(name: str, mariadb: MariaDbEngine, tmp_path: Path) -> None:
    program, operator = BROKEN[name]
    with campaign(
        mariadb, tmp_path, metrics=METRICS, versions=2, pause_s=0.05, program=program, operator=operator
    ) as made:
        made.crowd.start(readers=3, writers=3)
        found = found_in(made)
        made.crowd.stop()
    assert found != []
    print(name, len(found), found[:3])


def test_nothing_is_found_in_the_same_acts_of_the_right_build(mariadb: MariaDbEngine, tmp_path: Path) -> None:
    with campaign(mariadb, tmp_path, metrics=METRICS, versions=2, pause_s=0.05) as made:
        made.crowd.start(readers=3, writers=3)
        made.wait_until(made.is_copied)
        for side in (Side.NEW, Side.OLD):
            made.hand_over(side, mover_kills=0, application_kills=0)
            made.go_on(ACTS_BETWEEN)
        made.crowd.stop()
        assert faults(made.crowd.history.acts) == []
