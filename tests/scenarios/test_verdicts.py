"""Verdicts on a running instance: an operator confirms and releases, and lists follow, also after a crash."""

import json
import os
import signal
from contextlib import closing
from typing import Any

from footfall.app import wiring
from footfall.app.settings import Settings
from footfall.screening.findings import Cause, SubjectKind
from footfall.screening.verdicts import State, Verdict
from footfall.values.clock import SystemClock
from tests.scenarios.instance import Instance, Starter, footfall, until

HOUR_MS = 3_600_000


def held(instance: Instance, asset: str) -> Verdict:
    """Have a verdict on an asset found, as whoever judges does."""
    now_ms = SystemClock().now_ms()
    found = Verdict(
        *(SubjectKind.ASSET, asset, now_ms - HOUR_MS, now_ms + HOUR_MS, Cause.FEW_AGENTS, State.HELD, now_ms)
    )
    settings = Settings(data_dir=str(instance.data))
    with closing(wiring.open_accounts(settings, SystemClock())) as accounts:
        accounts.register.verdicts.find("abc", [found], since={})
    return found


def hits_by_label(instance: Instance) -> dict[str, int]:
    answer = instance.get("/v1/screening?brand=abc&period=day").json()
    return {one["label"]: one["hits"] for one in answer["labels"] if one["hits"]}


def decided(instance: Instance, found: Verdict, decision: str) -> Any:
    data = ("--data", str(instance.data), "--brand", "abc", "--json")
    (told,) = json.loads(footfall("verdicts", decision, found.id, *data).stdout)["items"]
    return told


def test_an_operator_decides_and_lists_follow_even_when_counting_is_killed(starter: Starter) -> None:
    instance = starter.start(starter.folder / "data")
    assert instance.post([{"brand": "abc", "assetId": asset} for asset in ("1", "1", "2")]).status == 202
    instance.drained("abc")
    found = held(instance, "1")
    until(lambda: hits_by_label(instance), lambda it: it == {"person": 1, "suspected": 2}, seconds=20)
    assert instance.get("/v1/screening?brand=abc&period=day").json()["waiting"] == 1
    assert instance.popular("abc") == {"1": 2, "2": 1}  # The brand observes.

    path = f"/v1/screening/verdicts/{found.id}?brand=abc"
    assert instance.get(path).json()["label"] == "suspected"
    assert instance.call("POST", path, b'{"decision": "confirm"}').status == 401  # An open brand has no administrators.
    told = decided(instance, found, "confirm")
    assert (told["state"], told["label"], "from" in told["recount"]) == ("confirmed", "blocked", True)
    until(lambda: hits_by_label(instance), lambda it: it == {"person": 1, "blocked": 2}, seconds=20)
    assert instance.post({"brand": "abc", "assetId": "1"}).status == 202
    until(lambda: hits_by_label(instance), lambda it: it == {"person": 1, "blocked": 3}, seconds=20)
    assert instance.popular("abc") == {"2": 1}

    counting = instance.child("footfall.app.counting")
    assert counting is not None
    os.kill(counting, signal.SIGKILL)
    data = ("--data", str(instance.data), "--brand", "abc")
    assert decided(instance, found, "release")["label"] == "person"
    until(lambda: hits_by_label(instance), lambda it: it == {"person": 4}, seconds=20)
    assert instance.get("/v1/screening?brand=abc&period=day").json()["waiting"] == 0
    shown = footfall("verdicts", "show", *data, "--state", "settled").stdout
    assert "released" in shown
    assert "few-agents" in shown
    acts = footfall("audit", *data).stdout
    assert "verdict-confirmed" in acts
    assert "verdict-released" in acts
