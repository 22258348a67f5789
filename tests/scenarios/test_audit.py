"""The audit trail on a running instance and on a directory without one: what operators and editors did is told."""

import json
import time
from typing import Any

from footfall.app import control_socket
from footfall.values.window import instant_text
from tests.scenarios.instance import Instance, Starter, footfall, until

HIT = {"assetId": "7", "sectionId": 1, "resourceType": "article", "paidType": "free"}


def test_what_was_done_by_command_and_over_http_is_told_newest_first(starter: Starter) -> None:
    instance = starter.start(starter.folder / "data", dev=False)
    secret = told(instance, "brands-add")["secretKey"]
    made = told(instance, "keys-add", kind="secret", scopes=["admin"])
    admin, server = bearer(made["key"]), bearer(secret)
    before = len(acts(instance, admin))
    assert call(instance, "PATCH", "/v1/brand", admin, {"title": "The ABC"}) == 200
    assert call(instance, "POST", "/v1/keys", admin, {"kind": "signing"}) == 201
    assert call(instance, "PUT", "/v1/assets", admin, [{"assetId": "7", "title": "A"}]) == 200
    assert call(instance, "DELETE", "/v1/assets/8", admin) == 404
    assert call(instance, "DELETE", "/v1/assets/7", admin) == 200
    assert call(instance, "POST", "/v1/uniques/readers", server, ["a"]) == 202
    assert call(instance, "DELETE", "/v1/uniques/readers", server) == 202
    assert call(instance, "PUT", "/v1/uniques/readers/sketch", server, ["no sketch"]) == 400
    done = [(one["by"], one["act"], one["subject"]) for one in reversed(acts(instance, admin)[:-before])]
    assert [one for one in done if one[1] != "key-added"] == [
        (made["id"], "brand-changed", "abc"),
        (made["id"], "asset-deleted", "7"),
        (secret.split("_")[1], "counter-deleted", "readers"),
    ]
    assert [one[:2] for one in done if one[1] == "key-added"] == [(made["id"], "key-added")]
    assert call(instance, "GET", "/v1/audit", server) == 403
    assert call(instance, "GET", "/v1/audit?limit=0", admin) == 400
    assert call(instance, "GET", "/v1/audit?page=2", admin) == 400
    first = instance.call("GET", "/v1/audit?limit=2", headers=admin).json()
    second = instance.call("GET", f"/v1/audit?limit=1&after={first['after']}", headers=admin).json()
    assert [*first["items"], *second["items"]] == acts(instance, admin)[:3]


def test_recounts_and_replays_are_told_whether_an_instance_runs_or_not(starter: Starter) -> None:
    instance = starter.start(starter.folder / "data", dev=False)
    data = ("--data", str(instance.data), "--brand", "abc")
    admin = bearer(told(instance, "brands-add") and told(instance, "keys-add", scopes=["admin"])["key"])
    now_ms = int(time.time() * 1_000) // 60_000 * 60_000
    assert call(instance, "POST", "/v1/hits", admin, [{**HIT, "at": now_ms - 3 * 86_400_000}]) == 202
    span = ("--from", instant_text(now_ms - 600_000), "--to", instant_text(now_ms - 300_000))
    assert footfall("recount", *data, *span).returncode == 0
    until(lambda: instance.call("GET", "/v1/ledger", headers=admin).json()["late"], lambda it: it == 1, seconds=15)
    assert told(instance, "side-replay", kind="late", all=True)["replayed"] == 1
    replayed, recounted = acts(instance, admin)[:2]
    assert (replayed["act"], replayed["by"], replayed["subject"]) == ("aside-replayed", "command line", "all")
    assert replayed["details"] == {"kind": "late", "records": 1}
    assert (recounted["act"], recounted["subject"]) == ("recount-asked", f"{span[1]} to {span[3]}")
    shown = footfall("audit", *data, "--limit", "3")
    assert "aside-replayed" in shown.stdout
    assert "--after" in shown.stderr
    instance.terminate()
    assert footfall("recount", *data, *span).returncode == 0
    listed = json.loads(footfall("audit", *data, "--json").stdout)["items"]
    assert [one["act"] for one in listed[:3]] == ["recount-asked", "aside-replayed", "recount-asked"]


def told(instance: Instance, do: str, **more: Any) -> Any:
    return control_socket.ask(instance.data, {"do": do, "brand": "abc", **more}, lambda _share: None)


def bearer(key: str) -> dict[str, str]:
    return {"Authorization": f"Bearer {key}"}


def acts(instance: Instance, admin: dict[str, str]) -> list[dict[str, Any]]:
    answer = instance.call("GET", "/v1/audit", headers=admin)
    assert answer.status == 200, answer.body
    return answer.json()["items"]


def call(instance: Instance, method: str, target: str, headers: dict[str, str], body: object = None) -> int:
    sent = None if body is None else json.dumps(body).encode()
    return instance.call(method, target, sent, headers).status
