"""What editors do on a running instance: lists show it at once, counts do not know of it, and the trail tells who."""

import json
import time
from pathlib import Path
from typing import Any

import pytest

from footfall.app import control_socket
from footfall.shells.cli.command import Exit
from footfall.values.window import instant_text
from tests.scenarios.instance import Instance, Starter, footfall, until

SHOWN_S = 5.0  # Far more than it takes; no test goes by time.


@pytest.fixture
def instance(starter: Starter) -> Instance:
    """Start an instance whose brand abc has had four hits of a, three of b, two of c and one of d."""
    started = starter.start(starter.folder / "data", dev=False)
    told(started, "brands-add")
    key = told(started, "keys-add", scopes=["write"])["key"]
    hits = [
        {"assetId": one, "sectionId": 1, "resourceType": "article", "visitor": f"v{number}"}
        for number, one in enumerate("aaaabbbccd")
    ]
    assert started.call("POST", "/v1/hits", json.dumps(hits).encode(), bearer(key)).status == 202
    until(lambda: names(started), lambda it: it == ["a", "b", "c", "d"], seconds=15)
    return started


def test_pins_and_hiding_show_in_every_list_and_change_no_count(instance: Instance) -> None:
    made = told(instance, "keys-add", scopes=["edit"])
    editor = bearer(made["key"])
    before = listed(instance)
    assert put(instance, editor, "pins/d", {"place": 1}) == 200
    until(lambda: names(instance), lambda it: it == ["d", "a", "b", "c"], seconds=SHOWN_S)
    first = listed(instance)["items"][0]
    assert (first["rank"], first["hits"], first["pinned"]) == (4, 1, True)
    assert put(instance, editor, "hidden/a", {"reason": "wrong"}) == 200
    until(lambda: names(instance), lambda it: it == ["d", "b", "c"], seconds=SHOWN_S)
    assert listed(instance)["hidden"] == 1
    assert listed(instance, "&edited=false") == before
    assert instance.call("DELETE", "/v1/edits/pins/d", headers=editor).status == 200
    assert instance.call("DELETE", "/v1/edits/hidden/a", headers=editor).status == 200
    until(lambda: listed(instance), lambda it: it == before, seconds=SHOWN_S)


def test_an_act_ends_by_itself(instance: Instance) -> None:
    editor = bearer(told(instance, "keys-add", scopes=["edit"])["key"])
    soon = instant_text(int(time.time() * 1_000) + 2_500)
    assert put(instance, editor, "hidden/a", {"until": soon}) == 200
    until(lambda: names(instance), lambda it: it == ["b", "c", "d"], seconds=SHOWN_S)
    until(lambda: names(instance), lambda it: it == ["a", "b", "c", "d"], seconds=SHOWN_S)
    assert instance.call("GET", "/v1/edits", headers=editor).json() == {"brand": "abc", "pins": [], "hidden": []}


def test_lists_by_visitors_leave_hidden_assets_out_as_well(instance: Instance) -> None:
    editor = bearer(told(instance, "keys-add", scopes=["edit"])["key"])
    before = until(lambda: listed(instance, "&sort=uniques")["items"], lambda it: len(it) == 4, seconds=15)
    assert put(instance, editor, f"hidden/{before[0]['assetId']}", {}) == 200
    found = until(lambda: listed(instance, "&sort=uniques&limit=1"), lambda it: it.get("hidden") == 1, seconds=SHOWN_S)
    assert [(one["rank"], one["assetId"]) for one in found["items"]] == [(2, before[1]["assetId"])]


def test_who_did_what_is_told_and_only_editors_may(instance: Instance) -> None:
    made = told(instance, "keys-add", scopes=["edit"])
    editor = bearer(made["key"])
    admin, reader = (bearer(told(instance, "keys-add", scopes=[one])["key"]) for one in ("admin", "read"))
    pin = {"place": 2, "sections": [1, "x"], "periods": ["day"], "until": "2100-01-01T00:00:00Z"}
    assert put(instance, editor, "pins/a%2Fb%20%C3%A9", pin) == 200
    assert put(instance, admin, "hidden/z", {"reason": "wrong"}) == 200
    assert instance.call("DELETE", "/v1/edits/hidden/z", headers=editor).status == 200
    assert instance.call("DELETE", "/v1/edits/hidden/z", headers=editor).status == 404
    assert instance.call("DELETE", "/v1/edits/pins/z", headers=editor).status == 404
    assert put(instance, reader, "pins/a", {"place": 1}) == 403
    assert put(instance, {}, "pins/a?brand=abc", {"place": 1}) == 401
    assert instance.call("GET", "/v1/edits", headers=reader).status == 403
    told_of = instance.call("GET", "/v1/edits", headers=editor).json()["pins"]
    assert told_of == [
        {
            "assetId": "a/b é",
            "place": 2,
            "sections": ["1", "x"],
            "periods": ["day"],
            "until": "2100-01-01T00:00Z",
            "by": made["id"],
            "at": told_of[0]["at"],
        }
    ]
    items = instance.call("GET", "/v1/audit?limit=3", headers=admin).json()["items"]
    assert [(one["act"], one["subject"]) for one in items] == [
        ("asset-shown", "z"),
        ("asset-hidden", "z"),
        ("asset-pinned", "a/b é"),
    ]
    assert (items[2]["by"], items[0]["by"]) == (made["id"], made["id"])
    assert items[1]["details"] == {"reason": "wrong"}
    assert items[2]["details"] == {"place": 2, "sections": "1, x", "periods": "day", "until": "2100-01-01T00:00Z"}


@pytest.mark.parametrize(
    ("target", "sent", "field"),
    [
        ("pins/a", {}, "place"),
        ("pins/a", {"place": "1"}, "place"),
        ("pins/a", {"place": True}, "place"),
        ("pins/a", {"place": 101}, "place"),
        ("pins/a", {"place": 1, "sections": "1"}, "sections"),
        ("pins/a", {"place": 1, "sections": [1.5]}, "sections"),
        ("pins/a", {"place": 1, "periods": ["month"]}, "periods"),
        ("pins/a", {"place": 1, "until": 7}, "until"),
        ("pins/a", {"place": 1, "until": "2020-01-01T00:00:00Z"}, "until"),
        ("pins/a", {"place": 1, "reason": "x"}, "reason"),
        ("pins/", {"place": 1}, "assetId"),
        ("hidden/a", {"reason": 7}, "reason"),
        ("hidden/a", {"place": 1}, "place"),
        ("hidden/a?other=1", {}, "other"),
    ],
)
def test_what_cannot_be_is_refused_by_its_field(
    editing: tuple[Instance, dict[str, str]], target: str, sent: dict[str, Any], field: str
) -> None:
    instance, editor = editing
    answer = instance.call("PUT", f"/v1/edits/{target}", json.dumps(sent).encode(), editor)
    assert (answer.status, answer.json()["field"]) == (400, field)


@pytest.fixture(scope="module")
def editing(tmp_path_factory: pytest.TempPathFactory) -> Any:
    """Start an instance for all that is refused, and make an editor's key."""
    starter = Starter(tmp_path_factory.mktemp("edits"))
    started = starter.start(starter.folder / "data", dev=False)
    told(started, "brands-add")
    yield started, bearer(told(started, "keys-add", scopes=["edit"])["key"])
    starter.end_all()


def test_the_command_line_does_the_same(instance: Instance, tmp_path: Path) -> None:
    secret = tmp_path / "editor.key"
    secret.write_text(told(instance, "keys-add", scopes=["edit"])["key"])
    flags = ("--url", instance.url, "--secret-file", str(secret))
    assert footfall("edit", "list", *flags).stdout == "Nothing is pinned or hidden.\n"
    assert footfall("edit", "pin", "c", "--place", "1", *flags).stdout == "c is pinned to place 1.\n"
    assert footfall("edit", "hide", "b", "--reason", "wrong", *flags).stdout == "b is hidden.\n"
    until(lambda: names(instance), lambda it: it == ["c", "a", "d"], seconds=SHOWN_S)
    shown = footfall("popular", *flags).stdout
    assert "1 hidden by editors" in shown
    assert "* 3" in shown
    assert "hidden" not in footfall("popular", "--as-counted", *flags).stdout
    table = footfall("edit", "list", *flags).stdout
    assert [line.split()[:2] for line in table.splitlines()[1:]] == [["pinned", "c"], ["hidden", "b"]]
    assert footfall("edit", "unpin", "c", *flags).stdout == "c is not pinned any more.\n"
    assert footfall("edit", "show", "b", *flags).stdout == "b is shown again.\n"
    until(lambda: names(instance), lambda it: it == ["a", "b", "c", "d"], seconds=SHOWN_S)
    assert footfall("edit", "unpin", "c", *flags).returncode == Exit.REFUSED


def told(instance: Instance, do: str, **more: Any) -> Any:
    return control_socket.ask(instance.data, {"do": do, "brand": "abc", **more}, lambda _share: None)


def bearer(key: str) -> dict[str, str]:
    return {"Authorization": f"Bearer {key}"}


def put(instance: Instance, headers: dict[str, str], target: str, sent: dict[str, Any]) -> int:
    return instance.call("PUT", f"/v1/edits/{target}", json.dumps(sent).encode(), headers).status


def listed(instance: Instance, more: str = "") -> dict[str, Any]:
    answer = instance.call("GET", f"/v1/popular?brand=abc&period=day{more}")
    assert answer.status == 200, answer.body
    return answer.json()


def names(instance: Instance) -> list[str]:
    return [item["assetId"] for item in listed(instance)["items"]]
