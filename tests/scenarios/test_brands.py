"""Brands and keys on a running instance: added, used, rotated, changed and removed without a restart."""

import json
import re
from collections.abc import Iterator
from typing import Any

import pytest

from footfall.app import control_socket
from footfall.app.control import run_offline
from footfall.app.control_errors import ControlFailed
from footfall.app.settings import Settings
from tests.scenarios.instance import Answer, Instance, Starter, footfall, until

HIT = {"assetId": "7", "sectionId": 1, "resourceType": "article", "paidType": "free"}


@pytest.fixture(scope="module")
def instance(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Instance]:
    folder = tmp_path_factory.mktemp("brands")
    starter = Starter(folder)
    yield starter.start(folder / "data", "--brand", "open:Asia/Kolkata", "--brand", "plain", dev=False)
    starter.end_all()


def told(instance: Instance, do: str, brand: str, **more: Any) -> Any:
    return control_socket.ask(instance.data, {"do": do, "brand": brand, **more}, lambda _share: None)


def send(instance: Instance, key: str, *, count: int = 1) -> Answer:
    return instance.call("POST", "/v1/hits", json.dumps([HIT] * count).encode(), bearer(key))


def bearer(key: str) -> dict[str, str]:
    return {"Authorization": f"Bearer {key}"}


def counted(instance: Instance, key: str) -> int:
    """Return how many hits the key's brand has counted, once all of them are."""

    def book() -> dict[str, Any]:
        return instance.call("GET", "/v1/ledger", headers=bearer(key)).json()

    return until(book, lambda it: it["inFlight"] == 0, seconds=15)["counted"]


def items(instance: Instance, path: str, key: str = "") -> list[tuple[str, int]]:
    answer = instance.call("GET", path, headers=bearer(key) if key else {})
    return [(item["assetId"], item["hits"]) for item in answer.json()["items"]] if answer.status == 200 else []


def test_a_brand_added_by_command_works_at_once_and_counts_in_its_zone(instance: Instance) -> None:
    data = str(instance.data)
    run = footfall("brands", "add", "abc", "--data", data, "--zone", "Asia/Kathmandu", "--url", instance.url)
    assert run.returncode == 0, run.stderr
    public, secret = re.findall(r"ffpub_\w+", run.stdout)[0], re.findall(r"ffsec_\w+", run.stdout)[0]
    assert f'<script async src="{instance.url}/footfall.js" data-key="{public}"></script>' in run.stdout
    assert send(instance, secret, count=3).status == 202
    reader = {"User-Agent": "Mozilla/5.0 (X11; rv:132.0) Gecko/20100101 Firefox/132.0"}
    assert instance.call("POST", f"/v1/hits?key={public}", json.dumps(HIT).encode(), reader).status == 202
    assert counted(instance, secret) == 4
    until(lambda: items(instance, "/v1/popular?brand=abc&period=day"), lambda it: it == [("7", 4)], seconds=15)
    day = instance.get("/v1/popular?brand=abc&period=week").json()
    assert day["from"].endswith("T18:15Z"), day  # Midnight in Kathmandu, 5:45 ahead of UTC.


def test_a_key_is_rotated_without_a_request_lost_and_revoked_at_once(instance: Instance) -> None:
    told(instance, "brands-add", "rotating")
    admin = told(instance, "keys-add", "rotating", scopes=["admin"])["key"]
    old = told(instance, "keys-add", "rotating", scopes=["write"])
    assert send(instance, old["key"]).status == 202
    answer = instance.call("POST", f"/v1/keys/{old['id']}/rotate", b'{"graceSeconds":3600}', bearer(admin))
    assert answer.status == 201
    new = answer.json()
    assert [send(instance, key).status for key in (old["key"], new["key"])] == [202, 202]
    assert instance.call("DELETE", f"/v1/keys/{old['id']}", headers=bearer(admin)).status == 200
    assert [send(instance, key).status for key in (old["key"], new["key"])] == [401, 202]
    assert instance.call("DELETE", f"/v1/keys/{old['id']}", headers=bearer(admin)).status == 404
    assert counted(instance, admin) == 4


def test_a_brands_rules_change_while_it_runs(instance: Instance) -> None:
    secret = told(instance, "brands-add", "changing")["secretKey"]
    admin = bearer(told(instance, "keys-add", "changing", scopes=["admin"])["key"])
    assert send(instance, secret).status == 202
    until(lambda: items(instance, "/v1/popular?brand=changing"), lambda it: it == [("7", 1)], seconds=15)
    changes = {"isPublic": False, "periods": {"twodays": {"span": "48h", "grain": "1h", "cache": "60s"}}}
    answer = instance.call("PATCH", "/v1/brand", json.dumps(changes).encode(), admin)
    assert (answer.status, answer.json()["isPublic"]) == (200, False)
    assert instance.get("/v1/popular?brand=changing").status == 401
    private = instance.call("GET", "/v1/popular?brand=changing", headers=bearer(secret))
    assert private.headers["cache-control"].startswith("private,")
    own = "/v1/popular?brand=changing&period=twodays"
    until(lambda: items(instance, own, secret), lambda it: it == [("7", 1)], seconds=15)
    assert instance.get("/v1/popular?brand=open&period=twodays").status == 400
    refused = instance.call("PATCH", "/v1/brand", b'{"zone":"UTC"}', admin)
    assert (refused.status, refused.json()["field"]) == (400, "zone")
    for path in ("/v1/brand?foo=1", "/v1/keys?foo=1"):
        refused = instance.call("GET", path, headers=admin)
        assert (refused.status, refused.json()["field"]) == (400, "foo")


def test_a_brand_lowers_its_limits_by_itself_and_the_operator_alone_raises_them(instance: Instance) -> None:
    told(instance, "brands-add", "bounded", changes={"limits": {"keyPerS": 50, "keyBurst": 50}})
    admin = bearer(told(instance, "keys-add", "bounded", scopes=["admin"])["key"])
    for limits in ({"keyPerS": 0}, {"keyPerS": 51}, {"keyBurst": 51}, {"addressPerS": 1_000_000}):
        refused = instance.call("PATCH", "/v1/brand", json.dumps({"limits": limits}).encode(), admin)
        assert (refused.status, refused.json()["field"]) == (400, f"limits.{next(iter(limits))}")
    lowered = instance.call("PATCH", "/v1/brand", b'{"limits":{"keyPerS":40}}', admin)
    assert (lowered.status, lowered.json()["limits"]["keyPerS"]) == (200, 40)
    assert told(instance, "brands-change", "bounded", changes={"limits": {"keyPerS": 0}})["limits"]["keyPerS"] == 0


def test_keys_are_made_and_listed_over_http(instance: Instance) -> None:
    told(instance, "brands-add", "listing")
    admin = bearer(told(instance, "keys-add", "listing", scopes=["admin"], label="root")["key"])
    asked = {"scopes": ["read"], "label": "dashboard", "expires": "2999-01-01T00:00:00Z"}
    made = instance.call("POST", "/v1/keys", json.dumps(asked).encode(), admin)
    assert (made.status, made.json()["expires"]) == (201, "2999-01-01T00:00Z")
    listed = instance.call("GET", "/v1/keys", headers=admin).json()["keys"]
    assert [one["label"] for one in listed] == ["", "first", "root", "dashboard"]
    assert [one["lastUsed"] is not None for one in listed] == [False, False, True, False]
    assert made.json()["key"] not in json.dumps(listed)
    assert instance.call("GET", "/v1/ledger", headers=bearer(made.json()["key"])).status == 200
    for wrong in (b"[]", b"{", b'{"scopes":"read"}', b'{"scopes":["all"]}', b'{"kind":"other"}', b'{"what":1}'):
        assert instance.call("POST", "/v1/keys", wrong, admin).status == 400, wrong


def test_an_open_brand_gets_keys_when_it_is_added_and_keeps_its_hits(instance: Instance) -> None:
    assert instance.post({**HIT, "brand": "open"}).status == 202
    assert instance.ledger("open")["accepted"] == 1
    with pytest.raises(ControlFailed, match="Asia/Kolkata"):
        told(instance, "brands-add", "open", zone="UTC")
    secret = told(instance, "brands-add", "open")["secretKey"]
    assert instance.post({**HIT, "brand": "open"}).status == 401
    assert send(instance, secret).status == 202
    assert counted(instance, secret) == 2


def test_a_removed_brand_takes_nothing_and_tells_nothing(instance: Instance) -> None:
    secret = told(instance, "brands-add", "leaving")["secretKey"]
    assert send(instance, secret).status == 202
    assert footfall("brands", "remove", "leaving", "--data", str(instance.data)).returncode == 2
    run = footfall("brands", "remove", "leaving", "--data", str(instance.data), "--yes")
    assert run.returncode == 0, run.stderr
    assert send(instance, secret).status == 401
    assert instance.post({**HIT, "brand": "leaving"}).status == 401
    assert instance.get("/v1/popular?brand=leaving").status == 401
    assert instance.get("/v1/ledger?brand=leaving").status == 401


def test_what_was_added_is_there_after_a_restart_with_its_last_use(starter: Starter) -> None:
    data = starter.folder / "data"
    settings = Settings(data_dir=str(data))
    added = run_offline(settings, {"do": "brands-add", "brand": "abc"}, lambda _share: None)
    first = starter.start(data, dev=False)
    assert send(first, added["secretKey"]).status == 202
    first.terminate()
    listed = run_offline(settings, {"do": "keys-list", "brand": "abc"}, lambda _share: None)["keys"]
    used = {one["kind"]: one["lastUsed"] for one in listed}
    assert used["public"] is None
    assert re.fullmatch(r"\d{4}-\d\d-\d\dT\d\d:00Z", used["secret"])
    again = starter.start(data, dev=False)
    assert counted(again, added["secretKey"]) == 1
    assert send(again, added["secretKey"]).status == 202


def test_pages_tell_an_address_where_it_stands_and_a_secret_key_nothing(instance: Instance) -> None:
    reader = {"X-Forwarded-For": "198.51.100.7"}
    answer = instance.call("GET", "/v1/ledger?brand=plain", headers=reader)
    assert answer.status == 200
    assert answer.headers["ratelimit-policy"] == '"address";q=500;w=10'
    assert answer.headers["ratelimit"].startswith('"address";r=')
    secret = told(instance, "brands-add", "unlimited")["secretKey"]
    free = instance.call("GET", "/v1/ledger", headers={**reader, **bearer(secret)})
    assert (free.status, "ratelimit" in free.headers) == (200, False)
