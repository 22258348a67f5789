"""Metrics of what footfall counts itself over HTTP: all of them at once, and what their conditions may name."""

from collections.abc import Generator

import pytest

from footfall.accounts.brands import Brand
from tests.shells.http.metric_desk import Desk, new_desk
from tests.shells.http.stage import Stage, staged


@pytest.fixture(scope="module")
def stage(tmp_path_factory: pytest.TempPathFactory) -> Generator[Stage]:
    with staged(tmp_path_factory.mktemp("data"), brands={"plain": Brand("plain")}) as one:
        yield one


@pytest.fixture
def desk(stage: Stage, request: pytest.FixtureRequest) -> Desk:
    return new_desk(stage, request.node.name)


def test_footfalls_own_counts_are_defined_once_under_the_names_that_are_free(stage: Stage, desk: Desk) -> None:
    desk.add("reads", source={"counts": "hits"})
    desk.add("minutes", unit="minutes")
    told = {"brand": desk.brand, "there": {"hits": "reads"}, "taken": ["minutes"]}
    first = desk.ask("POST", "/own")
    added = ["visitors", "viewers", "playbacks", "completions", "follows", "unfollows"]
    assert (first.status, first.json()) == (200, {**told, "added": added})
    assert [one["name"] for one in desk.json("")["items"]] == sorted([*added, "reads", "minutes"])
    assert desk.json("/unfollows")["unit"] == "follows"
    acts = stage.ask(f"/v1/audit?brand={desk.brand}", headers=desk.headers).json()["items"]
    assert [(one["act"], one["subject"]) for one in acts[:6]] == [("metric-added", name) for name in reversed(added)]
    assert desk.ask("POST", "/own").json() == {
        **told,
        "there": {"hits": "reads"} | {one: one for one in added},
        "added": [],
    }


def test_what_is_sent_with_the_wish_for_own_counts_is_refused(stage: Stage, desk: Desk) -> None:
    assert desk.ask("POST", "/own", {"counts": "hits"}).json()["field"] == "counts"
    assert desk.ask("POST", "/own?limit=3").json()["field"] == "limit"
    reader = Desk(stage, desk.brand, "read")
    assert reader.ask("POST", "/own").status == 403
    assert desk.json("")["items"] == []


@pytest.mark.parametrize("dimension", ["kind", "followerKind"])
@pytest.mark.parametrize("counts", ["follows", "unfollows"])
def test_a_kind_that_there_is_not_is_refused_with_those_that_there_are(desk: Desk, dimension: str, counts: str) -> None:
    wrong = desk.add("new", source={"counts": counts, "where": {dimension: ["series", "serie"]}})
    assert (wrong.status, wrong.json()["field"]) == (400, f"source.where.{dimension}")
    assert "'serie' is not a kind here; those are member, series, asset, author, actor" in wrong.json()["detail"]
    assert desk.add("new", source={"counts": counts, "where": {dimension: ["series"]}}).status == 201
    change = {"valueType": "SCALAR", "source": {"counts": counts, "where": {dimension: ["serie"]}}, "version": 1}
    assert desk.ask("PUT", "/new", change).json()["field"] == f"source.where.{dimension}"


def test_labels_of_hits_and_dimensions_of_points_are_named_as_senders_name_them(desk: Desk) -> None:
    assert desk.add("serials", source={"counts": "hits", "where": {"resourceType": ["serie"]}}).status == 201
    assert desk.add("orders", relatedDimensions=["kind"]).status == 201


def test_a_metric_may_be_named_own(desk: Desk) -> None:
    assert desk.add("own").status == 201
    assert desk.json("/own")["name"] == "own"
    assert desk.ask("PUT", "/own", {"valueType": "SCALAR", "title": "Ours", "version": 1}).json()["version"] == 2
    assert desk.ask("DELETE", "/own").status == 200
