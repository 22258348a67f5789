"""Who decides on what judging found: whoever may edit a brand's lists, and nobody who only reads them."""

from collections.abc import Generator
from pathlib import Path

import pytest

from footfall.screening.findings import Cause, SubjectKind
from footfall.screening.verdicts import State, Verdict
from tests.shells.http.people_stage import Browser, invited, set_up
from tests.shells.http.stage import NOW_MS, Stage, staged

HOUR_MS = 3_600_000


@pytest.fixture
def stage(tmp_path: Path) -> Generator[Stage]:
    with staged(tmp_path, brands={}) as opened:
        yield opened


@pytest.fixture
def owner(stage: Stage) -> Browser:
    return set_up(stage, brand="abc", title="The ABC", zone="Europe/Helsinki")


def held(stage: Stage, subject: str) -> str:
    verdict = Verdict(
        SubjectKind.VISITOR, subject, NOW_MS - HOUR_MS, NOW_MS, Cause.WALK, State.HELD, NOW_MS, changed_at_ms=NOW_MS
    )
    stage.runner.run(stage.state.desk.look(lambda register: register.verdicts.find("abc", [verdict], since={})))
    return verdict.id


def test_an_editor_decides_on_one_and_on_many_and_the_trail_names_them(stage: Stage, owner: Browser) -> None:
    one, two = held(stage, "61c8f0a2b44d9e10"), held(stage, "71c8f0a2b44d9e10")
    editor = invited(owner, "abc", "editor", "ed@example.com")
    reply = editor.ask("POST", f"/v1/screening/verdicts/{one}?brand=abc", {"decision": "release"})
    assert (reply.status, reply.json()["state"], "Ed" in reply.json()["by"]) == (200, "released", True)
    many = editor.ask("POST", "/v1/screening/verdicts?brand=abc", {"decision": "confirm", "ids": [two, "none"]}).json()
    assert (many["decided"], [one.get("problem", "") != "" for one in many["items"]]) == (1, [False, True])
    trail = owner.ask("GET", "/v1/audit?brand=abc").json()["items"]
    decided = [act["by"] for act in trail if act["act"].startswith("verdict-")]
    assert len(decided) == 2
    assert all("Ed" in by for by in decided), decided


def test_a_viewer_sees_the_queue_and_decides_on_nothing(stage: Stage, owner: Browser) -> None:
    one = held(stage, "61c8f0a2b44d9e10")
    viewer = invited(owner, "abc", "viewer", "vera@example.com")
    assert viewer.ask("GET", "/v1/screening/verdicts?brand=abc").json()["waiting"] == 1
    assert viewer.ask("POST", f"/v1/screening/verdicts/{one}?brand=abc", {"decision": "release"}).status == 403
    many = {"decision": "release", "ids": [one]}
    assert viewer.ask("POST", "/v1/screening/verdicts?brand=abc", many).status == 403
