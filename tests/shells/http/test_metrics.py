"""Metric definitions over HTTP, on a front without sockets: what is answered, refused, and written down."""

import asyncio
import json
from collections import Counter
from collections.abc import Generator
from random import Random
from typing import Any
from urllib.parse import quote

import pytest

from footfall.accounts.brands import Brand
from tests.metrics.formulas import text_by_chance
from tests.shells.http.metric_desk import Desk, new_desk
from tests.shells.http.stage import Reply, Stage, asked, staged


@pytest.fixture(scope="module")
def stage(tmp_path_factory: pytest.TempPathFactory) -> Generator[Stage]:
    with staged(tmp_path_factory.mktemp("data"), brands={"plain": Brand("plain")}) as one:
        yield one


@pytest.fixture
def desk(stage: Stage, request: pytest.FixtureRequest) -> Desk:
    return new_desk(stage, request.node.name)


def test_a_metric_is_added_read_back_and_found(desk: Desk) -> None:
    added = desk.add("reads", unit="hits", relatedDimensions=["section"], title="Reads", description="Pages read")
    assert (added.status, added.json()["version"]) == (201, 1)
    assert desk.add("visitors", unit="visitors", relatedDimensions=["section", "country"]).status == 201
    both = desk.add("reads_per_visitor", "reads / visitors").json()
    assert (both["unit"], both["consumedMetrics"]) == ("hits/visitors", ["reads", "visitors"])
    assert desk.json("/reads") == added.json()
    page = desk.json("?limit=2")
    assert [one["name"] for one in page["items"]] == ["reads", "reads_per_visitor"]
    assert page["items"][1]["dimensions"] == ["section"]
    assert [one["name"] for one in desk.json(f"?after={page['after']}")["items"]] == ["visitors"]
    for question, names in (
        ("q=PAGES", ["reads"]), ("prefix=reads_", ["reads_per_visitor"]), ("valueType=HYBRID", ["reads_per_visitor"]),
        ("uses=visitors", ["reads_per_visitor"]), ("deprecated=true", []), ("q=reads&limit=1", ["reads"]),
    ):  # fmt: skip
        assert [one["name"] for one in desk.json(f"?{question}")["items"]] == names, question


def test_an_answer_has_a_tag_that_saves_reading_it_again(desk: Desk) -> None:
    desk.add("reads")
    first = desk.ask("GET", "/reads")
    assert first.headers["etag"] == f'"1-{first.json()["hash"]}"'
    assert desk.ask("GET", "/reads", if_none_match=first.headers["etag"]).status == 304


def test_of_two_people_who_save_at_once_one_wins_and_the_other_is_told_what_changed(desk: Desk) -> None:
    desk.add("reads", title="Reads")
    tag = desk.ask("GET", "/reads").headers["etag"]
    document = {"valueType": "SCALAR", "title": "Pages read", "version": 1, "reason": "plainer"}
    assert desk.ask("PUT", "/reads", document).json()["version"] == 2
    late = desk.ask("PUT", "/reads", {**document, "title": "All reads"})
    assert late.status == 409
    assert (late.json()["basedOn"], late.json()["newest"]) == (1, 2)
    assert late.json()["differences"] == [{"field": "title", "before": "Reads", "after": "Pages read"}]
    by_tag = desk.ask("PUT", "/reads", {"valueType": "SCALAR", "title": "All reads"}, if_match=tag)
    assert (by_tag.status, by_tag.json()["newest"]) == (412, 2)
    same = desk.ask("PUT", "/reads", {**document, "version": 2})
    assert (same.status, same.json()["version"]) == (200, 2), "what means the same makes no version"


def test_of_two_people_who_deprecate_or_restore_at_once_the_other_is_told_what_changed(desk: Desk) -> None:
    desk.add("reads", title="Reads")
    tag = desk.ask("GET", "/reads").headers["etag"]
    gone = desk.ask("POST", "/reads/deprecate", {"reason": "counts twice", "version": 1})
    assert (gone.status, gone.json()["version"]) == (200, 2)
    for act in ("deprecate", "restore"):
        late = desk.ask("POST", f"/reads/{act}", {"reason": "mine", "version": 1})
        assert (late.status, late.json()["newest"]) == (409, 2)
        assert "deprecatedReason" in {one["field"] for one in late.json()["differences"]}
        by_tag = desk.ask("POST", f"/reads/{act}", {"reason": "mine"}, if_match=tag)
        assert (by_tag.status, by_tag.json()["newest"]) == (412, 2)
        assert desk.ask("POST", f"/reads/{act}", {"reason": "mine", "version": 0}).status == 400
    assert desk.json("/reads")["deprecatedReason"] == "counts twice"
    back = desk.ask("POST", "/reads/restore", {"version": 2}, if_match=gone.headers["etag"])
    assert (back.status, back.json()["version"]) == (200, 3)
    assert desk.ask("POST", "/reads/deprecate", {"reason": "on whatever is newest"}).status == 200


def test_of_many_who_save_at_once_one_wins_and_all_others_are_told_what_changed(stage: Stage, desk: Desk) -> None:
    desk.add("reads", title="Reads")

    async def many() -> list[Reply]:
        bodies = (json.dumps({"valueType": "SCALAR", "title": str(n), "version": 1}).encode() for n in range(30))
        return await asyncio.gather(
            *(
                asked(stage.application, "/v1/metrics/reads", method="PUT", headers=desk.headers, body=body)
                for body in bodies
            )
        )

    replies = stage.runner.run(many())
    assert Counter(one.status for one in replies) == {200: 1, 409: 29}


def test_what_was_read_can_be_sent_back_with_a_change(desk: Desk) -> None:
    desk.add("reads", unit="hits")
    read = desk.ask("GET", "/reads")
    changed = desk.ask("PUT", "/reads", {**read.json(), "title": "Reads"}, if_match=read.headers["etag"])
    assert (changed.status, changed.json()["version"]) == (200, 2)
    assert changed.json()["hash"] == read.json()["hash"], "a title changes no number"


def test_every_version_stays_and_can_be_told_apart(desk: Desk) -> None:
    first = desk.add("reads", relatedDimensions=["section"]).json()
    for number in range(1, 12):
        dimensions = ["section", f"d{number}"]
        document = {"valueType": "SCALAR", "relatedDimensions": dimensions, "version": number}
        assert desk.ask("PUT", "/reads", document).status == 200
    versions = desk.json("/reads/versions")
    assert [one["version"] for one in versions["items"]] == list(range(12, 0, -1))
    assert versions["items"][-1]["relatedDimensions"] == ["section"]
    page = desk.json("/reads/versions?limit=3&before=4")
    assert ([one["version"] for one in page["items"]], "before" in page) == ([3, 2, 1], False)
    assert desk.json("/reads?version=1") == first
    assert desk.json(f"/reads?hash={first['hash']}")["version"] == 1
    assert desk.json("/reads?asOf=2100-01-01T00:00:00Z")["version"] == 12
    diff = desk.json("/reads/diff?from=1&to=2")
    assert diff["differences"] == [
        {"field": "relatedDimensions", "before": ["section"], "after": ["d1", "section"]}
    ]  # fmt: skip
    assert desk.json("/reads/diff")["from"] == 11
    for wrong, status in (
        ("?version=13", 404), ("?hash=00", 404), ("?asOf=2001-01-01T00:00:00Z", 404), ("?version=0", 400),
        ("?version=1&hash=00", 400), ("?asOf=yesterday", 400), ("/diff?from=99", 404), ("/versions?limit=0", 400),
    ):  # fmt: skip
        assert desk.ask("GET", f"/reads{wrong}").status == status, wrong


@pytest.mark.parametrize(
    ("formula", "at", "words"),
    [
        ("reads +* 2", 8, "should stand"),
        ("reads / readz", 9, "there is no metric 'readz'"),
        ("reads + minutes", 9, "minutes"),
        ('reads * "unfinished', 9, "does not end"),
        ("reads $ 2", 7, "no part of a formula"),
    ],
)
def test_a_refused_formula_is_told_with_its_character(desk: Desk, formula: str, at: int, words: str) -> None:
    desk.add("reads", unit="hits")
    desk.add("minutes", unit="minutes")
    refused = desk.add("derived", formula)
    assert (refused.status, refused.json()["field"], refused.json()["at"]) == (400, "hybridFormula", at), refused.text
    assert words in refused.json()["detail"]
    assert desk.ask("GET", "/derived").status == 404


def test_a_circle_is_refused_with_its_way(desk: Desk) -> None:
    desk.add("a")
    desk.add("b", "a * 2")
    desk.add("c", "b * 2")
    refused = desk.ask("PUT", "/b", {"valueType": "HYBRID", "hybridFormula": "c + a", "version": 1})
    assert (refused.status, refused.json()["path"]) == (400, ["b", "c", "b"])


def test_what_is_used_is_deprecated_and_not_removed(desk: Desk) -> None:
    desk.add("reads", unit="hits")
    desk.add("twice", "reads * 2")
    refused = desk.ask("DELETE", "/reads")
    assert (refused.status, refused.json()["users"]) == (409, ["twice"])
    assert desk.ask("POST", "/reads/deprecate", {}).status == 400
    assert desk.ask("POST", "/reads/deprecate", {"reason": "old", "replacement": "nobody"}).status == 400
    gone = desk.ask("POST", "/reads/deprecate", {"reason": "counts robots", "replacement": "twice"}).json()
    assert (gone["deprecatedReason"], gone["replacement"], gone["version"]) == ("counts robots", "twice", 2)
    assert [one["name"] for one in desk.json("?deprecated=true")["items"]] == ["reads"]
    back = desk.ask("POST", "/reads/restore").json()
    assert (back["version"], "deprecatedAt" in back) == (3, False)
    assert desk.ask("POST", "/reads/restore", {}).status == 400
    assert [desk.ask("DELETE", f"/{one}").status for one in ("twice", "reads", "reads")] == [200, 200, 404]


def test_a_lineage_goes_both_ways(desk: Desk) -> None:
    desk.add("a")
    desk.add("b")
    desk.add("c", "a + b")
    desk.add("d", "c * 2")
    lineage = desk.json("/c/lineage")
    assert [(one["name"], one["depth"]) for one in lineage["needs"]] == [("a", 1), ("b", 1)]
    assert [(one["name"], one["depth"], one["consumes"]) for one in lineage["usedBy"]] == [("d", 1, ["c"])]
    assert [(one["name"], one["depth"]) for one in desk.json("/a/lineage")["usedBy"]] == [("c", 1), ("d", 2)]
    assert [one["name"] for one in desk.json("/a/lineage?depth=1")["usedBy"]] == ["c"]
    assert desk.ask("GET", "/nobody/lineage").status == 404


@pytest.mark.parametrize(
    "name", ["Leser pro Tag", "読者数", "a/b c", "100 %", "été", "مشاهدات", "🙂", 'quo"te\\d', "?&#"]
)
def test_a_name_may_be_written_in_any_script(desk: Desk, name: str) -> None:
    assert desk.add(name, unit="hits").status == 201
    path = "/" + quote(name, safe="")
    assert desk.json(path)["name"] == name
    escaped = name.replace("\\", "\\\\").replace('"', '\\"')
    assert desk.add("twice", f'"{escaped}" * 2').json()["consumedMetrics"] == [name]
    assert [one["name"] for one in desk.json(f"{path}/lineage")["usedBy"]] == ["twice"]
    assert desk.ask("POST", f"{path}/deprecate", {"reason": "why not"}).status == 200
    assert [one["version"] for one in desk.json(f"{path}/versions")["items"]] == [2, 1]


@pytest.mark.parametrize("name", ["", " a", "a\nb", "a/../b", "a/", "/a", "a/versions", "x" * 201, "\ud800"])
def test_what_no_address_can_say_is_no_name(desk: Desk, name: str) -> None:
    refused = desk.ask("POST", "", {"name": name, "valueType": "SCALAR"})
    assert (refused.status, refused.json()["field"]) == (400, "name" if name != "\ud800" else "body")


def test_forms_of_one_name_are_one_metric(desk: Desk) -> None:
    assert desk.add("e\u0301te\u0301").json()["name"] == "\u00e9t\u00e9"
    assert desk.add("\u00e9t\u00e9").status == 409
    assert desk.json("/" + quote("e\u0301te\u0301"))["version"] == 1


def test_brands_do_not_see_each_others_metrics(stage: Stage, desk: Desk) -> None:
    desk.add("reads", unit="hits")
    stage.runner.run(stage.state.desk.change("other", lambda one: one.add(Brand("other"), zone_in_use=None)))
    other = Desk(stage, "other", "edit", "read")
    assert other.json("")["items"] == []
    for method, target in (("GET", "/reads"), ("DELETE", "/reads"), ("GET", "/reads/lineage")):
        assert other.ask(method, target).status == 404
    assert other.add("twice", "reads * 2").status == 400
    assert other.add("reads", unit="reads").json()["version"] == 1
    assert desk.json("/reads")["unit"] == "hits"


def test_who_may_read_may_not_change(stage: Stage, desk: Desk) -> None:
    desk.add("reads")
    reader = Desk(stage, desk.brand, "read")
    assert reader.ask("GET", "/reads").status == 200
    for method, target in (("POST", ""), ("PUT", "/reads"), ("DELETE", "/reads"), ("POST", "/reads/deprecate")):
        assert reader.ask(method, target, {}).status == 403
    assert stage.ask("/v1/metrics/reads").status == 401
    assert stage.ask("/v1/metrics?brand=plain").status == 200, "a brand without keys is open to readers"
    assert stage.ask("/v1/metrics?brand=plain", method="POST", body=b"{}").status == 401


def test_what_is_done_is_in_the_audit_trail_and_what_is_refused_is_not(stage: Stage, desk: Desk) -> None:
    desk.add("reads", unit="hits")
    desk.add("reads")
    desk.add("broken", "reads +")
    desk.ask(
        "PUT", "/reads", {"valueType": "SCALAR", "unit": "hits", "title": "Reads", "version": 1, "reason": "a title"}
    )
    desk.ask("PUT", "/reads", {"valueType": "SCALAR", "unit": "hits", "title": "Reads", "version": 2})
    desk.ask("POST", "/reads/deprecate", {"reason": "old"})
    desk.ask("DELETE", "/reads")
    brand = desk.brand
    entries, _ = stage.runner.run(stage.state.desk.look(lambda one: one.trail.page(brand, limit=50)))
    told = {(one.act, one.subject) for one in entries if one.act.startswith("metric-")}
    assert told == {(f"metric-{act}", "reads") for act in ("added", "changed", "deprecated", "removed")}
    assert sum(one.act.startswith("metric-") for one in entries) == 4


@pytest.mark.parametrize(
    ("method", "target", "body", "field"),
    [
        ("GET", "?colour=red", None, "colour"),
        ("GET", "?valueType=GOLD", None, "valueType"),
        ("GET", "?deprecated=perhaps", None, "deprecated"),
        ("GET", "?limit=0", None, "limit"),
        ("POST", "", {"name": "x", "valueType": "GOLD"}, "valueType"),
        ("POST", "", {"name": "x", "valueType": "SCALAR", "colour": 1}, "colour"),
        ("POST", "", {"name": "x", "valueType": "SCALAR", "unit": "hits//"}, "unit"),
        ("POST", "", {"name": "x", "valueType": "PERCENTILE", "aggregationStyle": "PERCENTILE"}, "aggregationParam"),
        ("POST", "", {"name": "x", "valueType": "SCALAR", "chainedMetric": "y"}, "chainCutoffDate"),
        ("POST", "", {"name": "x", "valueType": "HYBRID"}, "hybridFormula"),
        ("PUT", "/x", {"valueType": "SCALAR"}, "version"),
        ("PUT", "/x", {"valueType": "SCALAR", "version": "1"}, "version"),
        ("PUT", "/x", {"name": "y", "valueType": "SCALAR", "version": 1}, "name"),
    ],
)
def test_what_is_wrong_is_named(desk: Desk, method: str, target: str, body: Any, field: str) -> None:
    refused = desk.ask(method, target, body)
    assert (refused.status, refused.json()["field"]) == (400, field), refused.text


def test_texts_by_chance_are_defined_or_refused_at_a_character_over_http(desk: Desk) -> None:
    for name in ("hits", "visits", "a.b", "paid reads"):
        assert desk.add(name, unit="hits").status == 201
    chance, statuses = Random(11), Counter[int]()
    for number in range(300):
        text = text_by_chance(chance)
        reply = desk.ask("POST", "", {"name": f"h{number}", "valueType": "HYBRID", "hybridFormula": text})
        statuses[reply.status] += 1
        if reply.status != 201:
            problem = reply.json()
            assert reply.status == 400, (text, reply.text)
            assert 1 <= problem.get("at", 1) <= len(text) + 1, (text, problem)
    assert set(statuses) <= {201, 400}
    assert statuses[400] > 200


def test_a_key_that_defines_is_told_by_its_label(stage: Stage, desk: Desk) -> None:
    desk.add("by_id")
    assert len(desk.json("/by_id")["createdBy"]) == 16
    labelled = stage.runner.run(
        stage.state.desk.change(desk.brand, lambda one: one.add_secret_key(desk.brand, ["edit"], label="nightly job"))
    )
    desk.headers = {"authorization": f"Bearer {labelled.text}"}
    desk.add("by_label")
    assert desk.json("/by_label")["createdBy"] == f"nightly job ({labelled.record.id})"


def test_a_hybrid_has_the_dimensions_of_what_it_needs_and_its_tag_follows_them(desk: Desk) -> None:
    desk.add("reads", relatedDimensions=["section"])
    assert desk.add("twice", "reads * 2").json()["dimensions"] == ["section"]
    first = desk.ask("GET", "/twice")
    assert (first.json()["dimensions"], first.json()["relatedDimensions"]) == (["section"], [])
    tag = first.headers["etag"]
    assert desk.ask("GET", "/twice", if_none_match=tag).status == 304
    document = {"valueType": "SCALAR", "relatedDimensions": ["country", "section"], "version": 1}
    assert desk.ask("PUT", "/reads", document).status == 200
    again = desk.ask("GET", "/twice", if_none_match=tag)
    assert (again.status, again.json()["dimensions"]) == (200, ["country", "section"])
    changed = {**again.json(), "title": "Twice"}
    del changed["version"]
    assert desk.ask("PUT", "/twice", changed, if_match=tag).json()["version"] == 2


def test_a_version_is_written_in_one_way_and_a_hash_in_either_case(desk: Desk) -> None:
    told = desk.add("reads").json()
    assert desk.json(f"/reads?hash={told['hash'].upper()}") == desk.json("/reads")
    for target in ("/reads?version=01", "/reads/diff?from=01", "/reads/data?version=01&from=2026-01-01&to=2026-01-02"):
        refused = desk.ask("GET", target)
        assert (refused.status, refused.json()["field"]) == (400, "from" if "diff" in target else "version"), target
    assert desk.ask("GET", "/reads?version=10").status == 404


def test_two_ways_to_say_which_version_are_refused_in_the_same_words(desk: Desk) -> None:
    desk.add("reads")
    which = "version=1&hash=abc"
    first = desk.ask("GET", f"/reads?{which}")
    second = desk.ask("GET", f"/reads/data?{which}&from=2026-01-01&to=2026-01-02")
    assert (first.status, first.json()) == (second.status, second.json())
    assert first.json()["detail"].startswith("hash: and version cannot both say which version is meant")
