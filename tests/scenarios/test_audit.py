"""The audit trail on a running instance and on a directory without one: what operators and editors did is told."""

import json
import time
from typing import Any

from footfall.app import control
from footfall.values.window import instant_text
from tests.scenarios.instance import Instance, Starter, footfall, until

HIT = {"assetId": "7", "sectionId": 1, "resourceType": "article", "paidType": "free"}


def test_what_was_done_by_command_and_over_http_is_told_newest_first(starter: Starter) -> None:
    instance = starter.start(starter.folder / "data", dev=False)
    data = str(instance.data)

    def told(do: str, **more: Any) -> Any:
        return control.ask(instance.data, {"do": do, "brand": "abc", **more}, lambda _share: None)

    secret = told("brands-add")["secretKey"]
    made = told("keys-add", kind="secret", scopes=["admin"])
    admin = {"Authorization": f"Bearer {made['key']}"}
    before = len(acts(instance, admin))
    assert call(instance, "PATCH", "/v1/brand", admin, {"title": "The ABC"}) == 200
    assert call(instance, "POST", "/v1/keys", admin, {"kind": "signing"}) == 201
    assert call(instance, "PUT", "/v1/assets", admin, [{"assetId": "7", "title": "A"}]) == 200
    assert call(instance, "DELETE", "/v1/assets/8", admin) == 404
    assert call(instance, "DELETE", "/v1/assets/7", admin) == 200
    assert call(instance, "POST", "/v1/uniques/readers", {"Authorization": f"Bearer {secret}"}, ["a"]) == 202
    assert call(instance, "DELETE", "/v1/uniques/readers", {"Authorization": f"Bearer {secret}"}) == 202
    old_ms = int(time.time() * 1_000) - 3 * 86_400_000
    assert call(instance, "POST", "/v1/hits", admin, [{**HIT, "at": old_ms}]) == 202
    now_ms = int(time.time() * 1_000) // 60_000 * 60_000
    span = ("--from", instant_text(now_ms - 600_000), "--to", instant_text(now_ms - 300_000))
    told("recount", from_ms=now_ms - 600_000, to_ms=now_ms - 300_000)
    until(lambda: instance.call("GET", "/v1/ledger", headers=admin).json()["late"], lambda it: it == 1, seconds=15)
    assert told("side-replay", kind="late", all=True)["replayed"] == 1
    secret_id = secret.split("_")[1]
    done = acts(instance, admin)[:-before]
    assert [(one["by"], one["act"]) for one in reversed(done)] == [
        (made["id"], "brand-changed"),
        (made["id"], "key-added"),
        (made["id"], "asset-deleted"),
        (secret_id, "counter-deleted"),
        ("command line", "recount-asked"),
        ("command line", "aside-replayed"),
    ]
    assert done[0]["details"] == {"kind": "late", "records": 1}
    assert call(instance, "GET", "/v1/audit", {"Authorization": f"Bearer {secret}"}) == 403
    assert call(instance, "GET", "/v1/audit?limit=0", admin) == 400
    assert call(instance, "GET", "/v1/audit?page=2", admin) == 400
    first = instance.call("GET", "/v1/audit?limit=2", headers=admin).json()
    second = instance.call("GET", f"/v1/audit?limit=1&after={first['after']}", headers=admin).json()
    assert [*first["items"], *second["items"]] == acts(instance, admin)[:3]
    shown = footfall("audit", "--data", data, "--brand", "abc", "--limit", "3")
    assert "aside-replayed" in shown.stdout
    assert "--after" in shown.stderr
    instance.terminate()
    assert footfall("recount", "--data", data, "--brand", "abc", *span).returncode == 0
    run = footfall("audit", "--data", data, "--brand", "abc", "--json")
    assert json.loads(run.stdout)["items"][0]["act"] == "recount-asked"


def acts(instance: Instance, admin: dict[str, str]) -> list[dict[str, Any]]:
    answer = instance.call("GET", "/v1/audit", headers=admin)
    assert answer.status == 200, answer.body
    return answer.json()["items"]


def call(instance: Instance, method: str, target: str, headers: dict[str, str], body: object = None) -> int:
    sent = None if body is None else json.dumps(body).encode()
    return instance.call(method, target, sent, headers).status
