"""An alert in a real instance: raised once, delivered signed, and carried through a kill between the two."""

import json
from pathlib import Path
from typing import Any

from footfall.client import verified_message
from tests.engines.webhook import Receiver, webhook_receiver
from tests.scenarios.instance import Instance, Starter, footfall, hit, until

ENV = {"FOOTFALL_ALERTS_EVERY_S": "1", "FOOTFALL_ALERTS_PRIVATE_PLACES": "true"}


def asked(instance: Instance, key: str, method: str, path: str, body: object = None) -> Any:
    sent = None if body is None else json.dumps(body).encode()
    answer = instance.call(method, path, sent, {"authorization": f"Bearer {key}"})
    assert answer.status in (200, 201), answer.body
    return answer.json()


def keys_of(data: Path, brand: str) -> tuple[str, str]:
    made = json.loads(footfall("brands", "add", brand, "--data", str(data), "--json").stdout)
    admin = footfall("keys", "add", "--data", str(data), "--brand", brand, "--scope", "admin", "--json")
    return made["secretKey"], json.loads(admin.stdout)["key"]


def events(instance: Instance, key: str) -> list[dict[str, Any]]:
    return asked(instance, key, "GET", "/v1/alerts/history")["items"]


def messages(receiver: Receiver, secret: str) -> list[dict[str, Any]]:
    """Return what was received, each signed with the secret."""
    received = zip(receiver.bodies, receiver.headers, strict=True)
    return [dict(verified_message(secret, body, headers["footfall-signature"])) for body, headers in received]


def test_an_alert_is_told_once_and_arrives_although_the_instance_is_killed_before(
    starter: Starter, tmp_path: Path
) -> None:
    data = tmp_path / "data"
    with webhook_receiver() as receiver:
        receiver.answers = [(503, {})] * 50
        instance = starter.start(data, dev=False, env=ENV)
        write, admin = keys_of(data, "abc")
        other_write, other_admin = keys_of(data, "other")
        wanted = {"name": "Up", "kind": "asset-passes", "hits": 3, "window": "day", "webhooks": [receiver.url]}
        secret = asked(instance, admin, "POST", "/v1/alerts", wanted)["secret"]
        sent = [{**hit("a7"), "brand": "abc"}] * 4
        assert instance.post(sent, {"authorization": f"Bearer {write}"}).status == 202
        others = [{**hit("b8"), "brand": "other"}] * 4
        assert instance.post(others, {"authorization": f"Bearer {other_write}"}).status == 202
        until(
            lambda: events(instance, admin),
            lambda seen: bool(seen and seen[0]["deliveries"][0]["attempts"]),
            seconds=20,
        )
        instance.kill()
        tried = len(receiver.bodies)
        receiver.answers = []
        instance = starter.start(data, dev=False, env=ENV)
        seen = until(
            lambda: events(instance, admin), lambda seen: seen[0]["deliveries"][0]["state"] == "delivered", seconds=30
        )
        assert len(seen) == 1
        assert seen[0]["deliveries"][0]["said"] == "200 OK"
        told = messages(receiver, secret)
        assert len(told) == tried + 1
        assert {one["id"] for one in told} == {seen[0]["id"]}
        assert told[0]["about"]["asset"] == "a7"
        assert told[0]["about"]["hits"] == 4
        tried_out = footfall("alerts", "test", seen[0]["alert"]["id"], "--data", str(data), "--brand", "abc")
        assert (tried_out.returncode, tried_out.stdout) == (0, f"taken  {receiver.url}  200 OK\n")
        assert asked(instance, other_admin, "GET", "/v1/alerts")["alerts"] == []
        assert events(instance, other_admin) == []
        instance.terminate()
