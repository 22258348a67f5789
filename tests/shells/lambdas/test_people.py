"""People's accounts on both grounds: the same requests, the same statuses, the same words, the same cookies."""

import json
import re
import time
from collections.abc import Callable, Generator, Mapping
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from footfall.accounts.sessions import COOKIE
from footfall.adapters.embedded.sqlite_table import SqliteTable
from footfall.app import control_socket, wiring
from footfall.app.aws_control import run_on_aws
from footfall.values.clock import SystemClock
from tests.engines.dynamodb import VARIABLES, DynamoDbEngine
from tests.engines.kinesis import KinesisEngine
from tests.engines.lambda_runtime import RunHandler
from tests.scenarios.instance import Answer, Starter
from tests.shells.lambdas.api import Reply, api_on, place_on
from tests.shells.lambdas.test_same_answers import keys_in

PASSWORD, ID = "a horse that reads", {"x-request-id": "a-request-of-the-tests"}
COMPARED = ("cache-control", "content-type", "vary", "www-authenticate")
# What differs by chance or by the moment: cookies, ids, times, addresses of the ground itself.
OWN = re.compile(
    r'p_[a-z2-7]{16}|"[A-Za-z0-9_-]{32}"|"[0-9a-f]{16}"|"[a-z2-7]{16}"|20\d\d-[-:.T0-9]+Z|https?://[^/"]+|~[a-z2-7~]+'
)

Call = Callable[[str, str, bytes | None, Mapping[str, str]], Answer | Reply]


@dataclass(slots=True)
class Side:
    """One ground: its API, and its operator."""

    call: Call
    operator: Callable[[Mapping[str, Any]], Mapping[str, Any]]

    def link(self, **request: Any) -> str:
        return str(self.operator(request)["link"]).partition("#")[2]


@dataclass(slots=True)
class Twin:
    """One person with a browser on each ground, doing the same on both."""

    sides: tuple[Side, Side]
    cookies: list[str]
    csrf: list[str]

    def ask(self, status: int, method: str, path: str, *documents: Any, **headers: str) -> None:
        """Send a request to both grounds; what is sent may differ where a link of the ground's own is in it."""
        answers = [
            self._one(n, method, path, documents[min(n, len(documents) - 1)] if documents else None, headers)
            for n in (0, 1)
        ]
        told = [_without_own(one.body) for one in answers]
        assert [one.status for one in answers] == [status, status], (method, path, [one.body for one in answers])
        assert told[0] == told[1], (method, path)
        for name in COMPARED:
            assert answers[0].headers.get(name) == answers[1].headers.get(name), (method, path, name)

    def _one(self, n: int, method: str, path: str, document: Any, headers: Mapping[str, str]) -> Answer | Reply:
        sent = {**ID, "sec-fetch-site": "same-origin", "x-footfall-csrf": self.csrf[n]}
        sent |= {"cookie": f"{COOKIE}={self.cookies[n]}"} if self.cookies[n] else {}
        sent |= {name.replace("_", "-"): value for name, value in headers.items()}
        answer = self.sides[n].call(method, path, None if document is None else json.dumps(document).encode(), sent)
        if "set-cookie" in answer.headers:
            found = re.fullmatch(
                rf"{COOKIE}=([^;]*); Path=/; Secure; HttpOnly; SameSite=Lax; Max-Age=(?:2592000|0)",
                answer.headers["set-cookie"],
            )
            assert found is not None
            self.cookies[n], self.csrf[n] = found[1], json.loads(answer.body).get("csrf") or ""
        return answer


def _without_own(body: bytes) -> str:
    return OWN.sub("OWN", body.decode())


@pytest.fixture
def sides(
    tmp_path: Path,
    dynamodb: DynamoDbEngine,
    kinesis: KinesisEngine,
    run_handler: RunHandler,
    monkeypatch: pytest.MonkeyPatch,
) -> Generator[tuple[Side, Side]]:
    for name, value in VARIABLES.items():
        monkeypatch.setenv(name, value)
    place = place_on(dynamodb, kinesis, brands={}, aws_freshness_s=1)
    data = tmp_path / "data"
    data.mkdir(mode=0o700)
    with closing(SqliteTable(data / wiring.ACCOUNTS_FILE, clock=SystemClock())) as table:
        keys_in(table)
    keys_in(wiring.open_accounts(place.settings, SystemClock()).table)
    starter = Starter(tmp_path)
    instance, api = starter.start(data, dev=False), api_on(run_handler, place)
    yield (
        Side(instance.call, lambda request: control_socket.ask(data, request, lambda _share: None)),
        Side(api.call, lambda request: run_on_aws(place.settings, request, lambda _share: None)),
    )
    starter.end_all()


def person(name: str, **more: Any) -> dict[str, Any]:
    return {"email": f"{name}@example.com", "password": PASSWORD, "name": name.title(), **more}


def twin(sides: tuple[Side, Side]) -> Twin:
    return Twin(sides, ["", ""], ["", ""])


def joined(sides: tuple[Side, Side], name: str, role: str, brand: str = "abc") -> Twin:
    links = [one.link(do="people-invite", brand=brand, role=role) for one in sides]
    someone = twin(sides)
    someone.ask(201, "POST", "/v1/invitations/accept", *(person(name, token=link) for link in links))
    return someone


def test_an_instance_and_the_functions_treat_people_alike(sides: tuple[Side, Side]) -> None:
    owner, nobody = twin(sides), twin(sides)
    nobody.ask(200, "GET", "/v1/session")
    codes = [one.operator({"do": "people-setup-code"})["code"] for one in sides]
    nobody.ask(403, "POST", "/v1/setup", person("owner", code="wrong"))
    nobody.ask(403, "POST", "/v1/setup", person("owner"), sec_fetch_site="cross-site")
    owner.ask(201, "POST", "/v1/setup", *(person("owner", code=code) for code in codes))
    owner.ask(200, "GET", "/v1/session")
    nobody.ask(401, "POST", "/v1/session", {"email": "owner@example.com", "password": "wrong"})
    nobody.ask(401, "POST", "/v1/session", {"email": "nobody@example.com", "password": "wrong"})
    nobody.ask(403, "POST", "/v1/register", person("new"))
    _look_at_brands(sides, owner, nobody)
    _change_passwords(sides, owner, nobody)


def _look_at_brands(sides: tuple[Side, Side], owner: Twin, nobody: Twin) -> None:
    viewer, stranger = joined(sides, "vera", "viewer"), joined(sides, "stan", "admin", "xyz")
    for path in ("/v1/popular?brand=abc", "/v1/counters?brand=abc", "/v1/assets?brand=abc"):
        viewer.ask(200, "GET", path)
        stranger.ask(403, "GET", path)
        nobody.ask(401, "GET", path)
    viewer.ask(400, "GET", "/v1/counters")
    viewer.ask(403, "GET", "/v1/keys?brand=abc")
    viewer.ask(403, "PUT", "/v1/edits/pins/7?brand=abc", {"place": 1})
    owner.ask(200, "GET", "/v1/members?brand=abc")
    owner.ask(403, "PATCH", "/v1/brand?brand=abc", {"title": "T"}, x_footfall_csrf="x")
    owner.ask(403, "PATCH", "/v1/brand?brand=abc", {"title": "T"}, sec_fetch_site="same-site")
    owner.ask(200, "PATCH", "/v1/brand?brand=abc", {"title": "T"})
    owner.ask(201, "POST", "/v1/invitations", {"brand": "abc", "role": "editor"})
    owner.ask(400, "POST", "/v1/invitations", {"brand": "abc", "role": "king"})
    owner.ask(200, "GET", "/v1/invitations?brand=abc")
    owner.ask(404, "DELETE", "/v1/invitations/nothing?brand=abc")
    owner.ask(404, "PUT", "/v1/members/p_nobody?brand=abc", {"role": "viewer"})
    nobody.ask(404, "POST", "/v1/invitations/offer", {"token": "abc~x~y"})
    nobody.ask(400, "POST", "/v1/invitations/offer?token=abc~x~y", {})


def _change_passwords(sides: tuple[Side, Side], owner: Twin, nobody: Twin) -> None:
    owner.ask(200, "GET", "/v1/sessions")
    owner.ask(401, "POST", "/v1/password", {"old": "wrong", "new": "two horses that read"})
    owner.ask(200, "POST", "/v1/password", {"old": PASSWORD, "new": "two horses that read"})
    nobody.ask(202, "POST", "/v1/password/reset", {"email": "owner@example.com"})
    links = [one.link(do="people-reset", email="owner@example.com") for one in sides]
    nobody.ask(404, "POST", "/v1/password/reset/accept", {"token": "p~x", "password": PASSWORD})
    nobody.ask(200, "POST", "/v1/password/reset/accept", *({"token": one, "password": PASSWORD} for one in links))
    owner.ask(401, "GET", "/v1/sessions")
    owner.ask(200, "POST", "/v1/session", {"email": "owner@example.com", "password": PASSWORD})
    owner.ask(200, "DELETE", "/v1/session")
    histories = [one.operator({"do": "people-history-show"}) for one in sides]
    assert [one["act"] for one in histories[0]["items"]] == [one["act"] for one in histories[1]["items"]]
    assert [list(one["failedSignIns"].values()) for one in histories] == [[3], [3]]


def test_a_function_takes_the_same_time_to_answer_whether_there_is_an_account(sides: tuple[Side, Side]) -> None:
    sides[1].operator({"do": "people-add", "email": "ann@example.com", "is_owner": True})
    for email in ("ann@example.com", "nobody@example.com"):
        began_s = time.monotonic()
        sent = json.dumps({"email": email}).encode()
        assert sides[1].call("POST", "/v1/password/reset", sent, {}).status == 202
        assert time.monotonic() - began_s >= 1.0  # Not before a full second, whatever there was to do.
