"""/v1/alerts on a front: who may do what, what is shown, and rounds that take lists from ready answers."""

import asyncio
import json
from pathlib import Path
from typing import Any

from footfall.accounts.alert_evaluation import ListAsked
from footfall.accounts.brands import Brand
from footfall.app.alerting import assets_from_answer, question_of
from footfall.shells.http.alerting import answer_to
from footfall.shells.http.answers import Answers
from tests.engines.webhook import webhook_receiver
from tests.shells.http.stage import Reply, Stage, staged

HOOK = "https://hooks.example.com/secret"
WANTED: dict[str, Any] = {"name": "Up", "kind": "asset-passes", "hits": 5, "window": "hour", "webhooks": [HOOK]}


def key_of(stage: Stage, brand: str, scope: str) -> dict[str, str]:
    new = stage.runner.run(stage.state.desk.change(brand, lambda register: register.add_secret_key(brand, (scope,))))
    return {"authorization": f"Bearer {new.text}"}


def with_brand(stage: Stage, name: str) -> None:
    stage.runner.run(stage.state.desk.change(name, lambda register: register.add(Brand(name), zone_in_use=None)))


def asked(stage: Stage, headers: dict[str, str], method: str, path: str, document: Any = None) -> Reply:
    body = b"" if document is None else json.dumps(document).encode()
    return stage.ask(path, method=method, headers=headers, body=body)


def test_an_alert_is_made_shown_changed_rotated_and_removed(tmp_path: Path) -> None:
    with staged(tmp_path, brands={}) as stage:
        with_brand(stage, "abc")
        admin, reader = key_of(stage, "abc", "admin"), key_of(stage, "abc", "read")
        made = asked(stage, admin, "POST", "/v1/alerts", WANTED)
        assert made.status == 201
        alert = made.json()
        assert alert["secret"].startswith("ffhook_")
        shown = asked(stage, admin, "GET", "/v1/alerts").json()["alerts"]
        assert shown == [{name: value for name, value in alert.items() if name != "secret"}]
        read = asked(stage, reader, "GET", "/v1/alerts").json()["alerts"][0]
        assert read["webhooks"] == ["https://hooks.example.com/…"]
        path = f"/v1/alerts/{alert['id']}"
        changed = asked(stage, admin, "PUT", path, {**WANTED, "hits": 9, "isOn": False}).json()
        assert (changed["hits"], changed["isOn"]) == (9, False)
        rotated = asked(stage, admin, "POST", f"{path}/rotate")
        assert rotated.status == 201
        assert rotated.json()["secret"] != alert["secret"]
        assert asked(stage, admin, "DELETE", path).status == 200
        assert asked(stage, admin, "DELETE", path).status == 404
        acts = {one["act"] for one in asked(stage, admin, "GET", "/v1/audit").json()["items"]}
        assert acts >= {"alert-removed", "alert-rotated", "alert-changed", "alert-added"}


def test_whoever_may_not_change_a_brand_changes_none_of_its_alerts(tmp_path: Path) -> None:
    with staged(tmp_path, brands={}) as stage:
        with_brand(stage, "abc")
        with_brand(stage, "other")
        admin, reader, other = (
            key_of(stage, "abc", "admin"), key_of(stage, "abc", "read"), key_of(stage, "other", "admin"),
        )  # fmt: skip
        path = f"/v1/alerts/{asked(stage, admin, 'POST', '/v1/alerts', WANTED).json()['id']}"
        for method, where in (("PUT", path), ("DELETE", path), ("POST", f"{path}/test"), ("POST", f"{path}/rotate")):
            assert asked(stage, reader, method, where, WANTED).status == 403
            assert asked(stage, {}, method, where, WANTED).status == 401
            assert asked(stage, other, method, where, WANTED).status == 404
        assert asked(stage, reader, "POST", "/v1/alerts", WANTED).status == 403
        assert asked(stage, {}, "GET", "/v1/alerts?brand=abc").status == 401
        assert asked(stage, other, "GET", "/v1/alerts").json()["alerts"] == []
        assert asked(stage, other, "GET", "/v1/alerts/history").json()["items"] == []
        assert asked(stage, other, "GET", "/v1/alerts?brand=abc").status == 403
        assert asked(stage, admin, "PUT", "/v1/alerts/history", WANTED).status == 405


def test_what_cannot_be_is_refused_with_its_field(tmp_path: Path) -> None:
    with staged(tmp_path, brands={}) as stage:
        with_brand(stage, "abc")
        admin = key_of(stage, "abc", "admin")
        for field, changes in (
            ("webhooks", {"webhooks": ["https://127.0.0.1/"]}),
            ("webhooks", {"webhooks": ["http://hooks.example.com/"]}),
            ("emails", {"emails": ["desk@example.com"]}),
            ("golden", {"golden": True}),
        ):
            refused = asked(stage, admin, "POST", "/v1/alerts", {**WANTED, **changes})
            assert (refused.status, refused.json()["field"]) == (400, field)
        for query in ("limit=0", "limit=x", "after=x", "golden=1"):
            assert asked(stage, admin, "GET", f"/v1/alerts/history?{query}").status == 400


def test_a_test_is_sent_now_and_what_came_back_is_told(tmp_path: Path) -> None:
    with webhook_receiver() as receiver, staged(tmp_path, brands={}, alerts_private_places=True) as stage:
        with_brand(stage, "abc")
        admin = key_of(stage, "abc", "admin")
        receiver.answers = [(500, {})]
        made = asked(stage, admin, "POST", "/v1/alerts", {**WANTED, "webhooks": [receiver.url]}).json()
        told = asked(stage, admin, "POST", f"/v1/alerts/{made['id']}/test").json()["deliveries"]
        assert told == [{"to": receiver.url, "isTaken": False, "said": "500 Internal Server Error"}]
        assert json.loads(receiver.bodies[0])["alert"] == {"id": made["id"], "name": "Up"}


def test_the_list_that_an_alert_looks_at_is_a_question_that_readers_could_ask() -> None:
    asked_for = ListAsked("abc", "5,6", 1_794_744_000_000, 1_794_747_600_000)
    assert question_of(asked_for) == (
        "brand=abc&edited=false&from=2026-11-15T12%3A00Z&section=5%5C%2C6&to=2026-11-15T13%3A00Z"
    )

    async def told() -> bytes | None:
        questions: list[Any] = []

        def ask(message: Any) -> bool:
            questions.append(message)
            return True

        answers = Answers(ask, bytes_max=1_000_000)
        waiting = asyncio.ensure_future(answer_to(answers, question_of(asked_for)))
        await asyncio.sleep(0)
        assert questions == [["ask", [question_of(asked_for)]]]
        body = b'{"items":[{"assetId":"a","hits":3,"title":"T"}]}'
        answers.on_message(["answers", [[question_of(asked_for), 1, "", '"e"', 30, body]]])
        return await waiting

    found = asyncio.run(told())
    assert found is not None
    (one,) = assets_from_answer(found)
    assert (one.asset, one.hits, one.title) == ("a", 3, "T")
