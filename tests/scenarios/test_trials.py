"""Rules tried on the past over HTTP: what would change is told, nothing is, and one trial goes on at a time."""

import itertools
import json
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any, cast

import pytest

from footfall.app import trying as trying_past
from footfall.app.kept_settings import kept_settings
from footfall.values.clock import SystemClock
from footfall.values.window import HOUR_MS
from tests.scenarios.instance import Answer, Instance, Starter, footfall, hit

TRY = "/v1/screening/try"
REPEATS = 12


def keyed(data: Path, scope: str) -> dict[str, str]:
    made = footfall("keys", "add", "--data", str(data), "--brand", "abc", "--scope", scope)
    return {"Authorization": f"Bearer {made.stdout.strip()}"}


@pytest.fixture
def instance(starter: Starter, data: Path) -> Instance:
    made = json.loads(footfall("brands", "add", "abc", "--data", str(data), "--json").stdout)
    instance = starter.start(data, dev=False)
    key = {"Authorization": f"Bearer {made['secretKey']}"}
    hits = [hit("again", visitor="one"), hit("other", visitor="two", url="https://www.example.com/preview/1")]
    for _ in range(REPEATS):
        assert instance.post(hits[:1], key).status == 202
    assert instance.post(hits[1:], key).status == 202
    return instance


def tried(instance: Instance, key: dict[str, str], document: Any) -> Answer:
    return instance.call("POST", TRY, json.dumps(document).encode(), key)


def test_what_would_change_is_told_and_nothing_is_changed(instance: Instance, data: Path) -> None:
    edit, read = keyed(data, "edit"), keyed(data, "read")
    in_use = json.loads(instance.call("GET", TRY, None, edit).body)
    assert (in_use["mode"], in_use["rules"]["repeatsMax"]) == ("observe", 10)
    wanted = {"rules": {"repeatsMax": 3, "paths": ["/preview/*"], "agents": ["Example"]}, "mode": "filter"}
    answer = tried(instance, edit, wanted)
    assert answer.status == 200, answer.body
    told = json.loads(answer.body)
    assert (told["complete"], told["hits"], told["changed"]) == (True, REPEATS + 1, 8)
    assert {one["reason"]: (one["before"], one["after"]) for one in told["reasons"]} == {
        "reload": (2, 9),
        "rule-path": (0, 1),
    }
    assert told["examples"] == [{"assetId": "again", "hits": 7}, {"assetId": "other", "hits": 1}]
    assert [one["rule"] for one in told["notTried"]] == ["agents"]
    # Those in use change nothing, and still are.
    assert json.loads(tried(instance, edit, {}).body)["changed"] == 0
    assert json.loads(instance.call("GET", TRY, None, edit).body) == in_use
    assert tried(instance, read, {}).status == 403


def test_a_trial_that_ends_early_says_so_and_tells_of_what_it_saw(
    instance: Instance, data: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    settings, clock = kept_settings(str(data)), SystemClock()
    assert settings is not None
    now_ms = clock.now_ms()
    order = trying_past.TryOrder({"repeatsMax": 3}, now_ms - HOUR_MS, now_ms, brand="abc")
    looks = itertools.count()
    monkeypatch.setattr(trying_past, "LOOKED_EVERY", 1)
    report = trying_past.tried(
        settings, order, clock=clock, on_share=lambda _share: None, is_over=lambda _hits: next(looks) >= 5
    )
    (told,) = cast("list[dict[str, Any]]", report["brands"])
    assert (told["complete"], told["hits"], told["changed"]) == (False, 5, 2)
    assert told["arrivedUntil"].endswith("Z")


def test_two_trials_at_once_are_one_too_many(instance: Instance, data: Path) -> None:
    edit = keyed(data, "edit")
    with ThreadPoolExecutor(max_workers=6) as threads:
        statuses = sorted(one.status for one in threads.map(lambda _: tried(instance, edit, {}), range(6)))
    assert set(statuses) == {200, 429}, statuses
    assert tried(instance, edit, {}).status == 200
    assert not instance.child("footfall.app.trial_process")


@pytest.mark.parametrize(
    ("document", "field"),
    [
        ({"rules": {"repeatsMax": -1}}, "repeatsMax"),
        ({"rules": []}, "rules"),
        ({"rules": {"cheese": 1}}, "cheese"),
        ({"mode": "guess"}, "mode"),
        ({"since": "2026-11-15T14:30Z"}, "since"),
        ({"from": 7}, "from"),
        ({"from": "2026-11-13T00:00Z", "to": "2026-11-15T00:00Z"}, "from"),
        ({"to": "2026-11-13T00:00Z", "from": "2026-11-13T00:00Z"}, "from"),
        ({}, "brand"),  # Nobody came yet.
    ],
)
def test_what_cannot_be_tried_is_refused_by_its_name(
    trying: tuple[Instance, dict[str, str]], document: Any, field: str
) -> None:
    answer = tried(*trying, document)
    assert (answer.status, json.loads(answer.body)["field"]) == (400, field)


@pytest.fixture(scope="module")
def trying(tmp_path_factory: pytest.TempPathFactory) -> Any:
    folder = tmp_path_factory.mktemp("trying")
    starter, data = Starter(folder), folder / "data"
    footfall("brands", "add", "abc", "--data", str(data))
    try:
        yield starter.start(data, dev=False), keyed(data, "edit")
    finally:
        starter.end_all()
