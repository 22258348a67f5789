"""People on a running instance: the first day of an owner and an editor, and what no session ever reaches.

The routes come from the list that the server's own description is made of, so a new one cannot be forgotten.
"""

import itertools
import json
import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import pytest

from footfall.accounts.people import MAY, ROLES
from footfall.accounts.sessions import COOKIE
from footfall.shells.http.described.operation import Operation
from footfall.shells.http.openapi import OPERATIONS
from tests.scenarios.instance import Answer, Instance, Starter, footfall

PASSWORD = "a horse that reads"
MINE, VICTIM, NOBODY = "mine", "zzvictimzz", "zznobodyzz"
MARKS = (b"zztitle", b"zzlabel", b"zzmember", b"zzasset")
BODY = {"role": "admin", "assetId": "zz", "title": "intruder", "scopes": ["admin"], "place": 1}


@dataclass(slots=True)
class Person:
    """Somebody with a browser."""

    instance: Instance
    cookie: str = ""
    csrf: str = ""

    def ask(self, method: str, path: str, document: Any = None) -> Answer:
        headers = {"Origin": self.instance.url, "X-Footfall-CSRF": self.csrf}
        if self.cookie:
            headers["Cookie"] = f"{COOKIE}={self.cookie}"
        body = None if document is None else json.dumps(document).encode()
        answer = self.instance.call(method, path, body, headers)
        if found := re.match(rf"{COOKIE}=([^;]*);", answer.headers.get("set-cookie", "")):
            self.cookie, self.csrf = found[1], answer.json().get("csrf") or ""
        return answer


def command(instance: Instance, *argv: str) -> Any:
    done = footfall(*argv, "--data", str(instance.data), "--json")
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


def joined(instance: Instance, brand: str, role: str, name: str) -> Person:
    """Return somebody who took an invitation that the operator made."""
    link: str = command(instance, "people", "invite", "--brand", brand, "--role", role)["link"]
    person = Person(instance)
    account = {"email": f"{name}@example.com", "password": PASSWORD, "name": name}
    answer = person.ask("POST", "/v1/invitations/accept", {"token": link.partition("#")[2], **account})
    assert answer.status == 201, answer
    return person


@pytest.fixture(scope="module")
def instance(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Instance]:
    folder = tmp_path_factory.mktemp("people")
    starter = Starter(folder)
    yield starter.start(folder / "data", "--set", "limit_address_per_s=0", dev=False)
    starter.end_all()


@pytest.fixture(scope="module")
def owner(instance: Instance) -> Person:
    code = re.search(r"takes the code ([a-z0-9-]+)\n", instance.said())
    assert code is not None
    assert command(instance, "people", "setup-code")["code"] == code[1]
    person = Person(instance)
    account = {"email": "owner@example.com", "password": PASSWORD, "name": "Olga"}
    answer = person.ask("POST", "/v1/setup", {"code": code[1], **account, "brand": MINE})
    assert answer.status == 201, answer
    return person


@pytest.fixture(scope="module")
def victims_member(instance: Instance, owner: Person) -> str:
    """Make another brand with members, keys and data, and return the id of one of its members."""
    command(instance, "brands", "add", VICTIM, "--title", "zztitle", "--public", "no")
    admin = joined(instance, VICTIM, "admin", "zzmember")
    assert admin.ask("POST", f"/v1/keys?brand={VICTIM}", {"scopes": ["read"], "label": "zzlabel"}).status == 201
    assert admin.ask("PUT", f"/v1/edits/pins/zzasset?brand={VICTIM}", {"place": 1}).status == 200
    members = owner.ask("GET", f"/v1/members?brand={VICTIM}").json()["members"]
    return str(members[0]["id"])


def paths_of(operation: Operation, brand: str, person_id: str) -> Iterator[str]:
    for one in (person_id, "zzasset") if "{" in operation.path else ("",):
        path = operation.path.replace("{brand}", brand)
        yield re.sub(r"\{\w+\}", one, path) + f"?brand={brand}"


def test_the_first_day_of_an_owner_and_an_editor(instance: Instance, owner: Person) -> None:
    editor = joined(instance, MINE, "editor", "eddy")
    hit = {"assetId": "7", "sectionId": 1, "resourceType": "article", "paidType": "free"}
    key = next(one["key"] for one in owner.ask("GET", f"/v1/keys?brand={MINE}").json()["keys"])
    assert instance.call("POST", f"/v1/hits?key={key}", json.dumps(hit).encode()).status == 202
    assert owner.ask("PATCH", f"/v1/brand?brand={MINE}", {"isPublic": False}).status == 200
    lists = editor.ask("GET", f"/v1/popular?brand={MINE}")
    assert (lists.status, lists.headers["vary"]) == (200, "authorization, cookie")
    assert lists.headers["cache-control"].startswith("private")
    assert Person(instance).ask("GET", f"/v1/popular?brand={MINE}").status == 401
    assert editor.ask("PUT", f"/v1/edits/pins/7?brand={MINE}", {"place": 1}).status == 200
    assert editor.ask("GET", f"/v1/keys?brand={MINE}").status == 403
    # A cookie is nothing where pages send hits.
    assert editor.ask("POST", f"/v1/hits?brand={MINE}", hit).status in (400, 401)
    link = command(instance, "people", "reset", "eddy@example.com")["link"]
    new = {"token": link.partition("#")[2], "password": "two horses that read"}
    assert Person(instance).ask("POST", "/v1/password/reset/accept", new).status == 200
    assert editor.ask("GET", f"/v1/popular?brand={MINE}").status == 401
    assert editor.ask("POST", "/v1/session", {"email": "eddy@example.com", "password": new["password"]}).status == 200
    command(instance, "people", "remove", "eddy@example.com")
    assert editor.ask("GET", "/v1/session").json()["person"] is None
    acts = [one["act"] for one in command(instance, "people", "history")["items"]]
    assert {"person-added", "signed-in", "reset-asked", "password-reset", "person-removed"} <= set(acts)


def test_no_route_takes_a_session_of_another_brand(instance: Instance, owner: Person, victims_member: str) -> None:
    del owner
    stranger = joined(instance, MINE, "admin", "stranger")
    changing = ("POST", "PUT", "PATCH", "DELETE")
    tried = 0
    for operation in OPERATIONS:
        if not operation.scope or operation.path == "/v1/top/brands":
            continue
        for path in paths_of(operation, VICTIM, victims_member):
            body = BODY if operation.method in changing else None
            answer = stranger.ask(operation.method, path, body)
            assert answer.status in (400, 401, 403), (operation.method, path, answer)
            assert not any(mark in answer.body for mark in MARKS if mark.decode() not in path), (path, answer.body)
            none = stranger.ask(operation.method, path.replace(VICTIM, NOBODY), body)
            assert (answer.status, told(answer)) == (none.status, told(none)), path
            tried += 1
    assert tried > 40
    assert stranger.ask("GET", f"/v1/top/brands?brand={VICTIM}").status in (401, 403)


def told(answer: Answer) -> str:
    """Return what an answer says, less the name that was asked for."""
    text = answer.body.decode("utf-8", "replace").replace(VICTIM, "NAME").replace(NOBODY, "NAME")
    return re.sub(r'"requestId":"[^"]*"', "", text)


def test_a_role_does_what_its_scopes_allow_and_no_more(instance: Instance, owner: Person) -> None:
    owner.ask("PATCH", f"/v1/brand?brand={MINE}", {"isPublic": False})
    people = {role: joined(instance, MINE, role, f"r{role}") for role in ROLES}
    for operation, (role, person) in itertools.product(OPERATIONS, people.items()):
        scope = operation.scope
        if scope in ("", "hits") or operation.path in ("/v1/password", "/v1/top/brands"):
            continue
        if operation.method == "DELETE" and role == "admin":
            continue  # What an administrator may remove is looked at elsewhere.
        for path in paths_of(operation, MINE, "p_nobody"):
            answer = person.ask(operation.method, path, {} if operation.method != "GET" else None)
            is_refused = answer.status == 403
            assert is_refused == (scope not in MAY[role]), (role, operation.method, path, answer)


def test_the_gauges_are_an_owner_s_wherever_they_are_and_no_administrator_s(instance: Instance, owner: Person) -> None:
    admin = joined(instance, MINE, "admin", "gauger")
    for person, status in ((owner, 200), (admin, 403)):
        far = {"X-Forwarded-For": "203.0.113.9", "Cookie": f"{COOKIE}={person.cookie}"}
        assert instance.call("GET", "/metrics", headers=far).status == status
