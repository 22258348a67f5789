"""One brand never reads or writes another's data: every route, every verb, every key that is not the brand's.

The routes come from the list that the server's own description is made of, so a new one cannot be forgotten. The
victim's data is full of marks; no answer that it did not ask for holds one of them, and nothing of it changes.
"""

import base64
import http.client
import itertools
import json
import re
from collections.abc import Iterator, Mapping
from contextlib import closing
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

from footfall.app import control_socket
from footfall.shells.http.routes import ROUTES
from tests.scenarios.instance import Answer, Instance, Starter, taken, until

VICTIM, NOBODY, MINE = "zzvictimzz", "zznobodyzz", "mine"
MARKS = ("zzasset", "zzsection", "zztitle", "zzbrandtitle", "zzlabel", "zzauthor", "zzorigin")
UNLIMITED = ("--set", "limit_address_per_s=0")
VERBS = ("GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS")
NONCE = re.compile(r'nonce="[^"]*"')  # of the dashboard's page: another one for each answer


@dataclass(slots=True)
class Tenant:
    """A brand with keys of every kind and some data."""

    name: str
    keys: dict[str, str] = field(default_factory=dict[str, str])  # the texts
    ids: dict[str, str] = field(default_factory=dict[str, str])


@dataclass(slots=True)
class Attempt:
    """One request that is not the victim's."""

    verb: str
    path: str
    headers: Mapping[str, str]
    body: bytes = b""

    def names_victim(self) -> bool:
        said = f"{self.path} {dict(self.headers)} {self.body.decode()}"
        return VICTIM in said

    def __str__(self) -> str:
        return f"{self.verb} {self.path} {dict(self.headers)} {self.body.decode()}"


class Visitor:
    """One kept connection from somewhere out in the world."""

    def __init__(self, port: int) -> None:
        self._line = http.client.HTTPConnection("127.0.0.1", port, timeout=30)

    def send(self, attempt: Attempt) -> Answer:
        headers = {"X-Forwarded-For": "203.0.113.9", **attempt.headers}
        try:
            return self._exchange(attempt, headers)
        except (http.client.HTTPException, ConnectionError):
            self._line.close()
            return self._exchange(attempt, headers)

    def _exchange(self, attempt: Attempt, headers: dict[str, str]) -> Answer:
        self._line.request(attempt.verb, attempt.path, attempt.body or None, headers)
        answer = taken(self._line.getresponse())
        if answer.headers.get("content-type", "").startswith("text/event-stream"):
            self._line.close()
        return answer

    def close(self) -> None:
        self._line.close()


def bearer(key: str) -> dict[str, str]:
    return {"Authorization": f"Bearer {key}"}


def told(instance: Instance, do: str, brand: str, **more: Any) -> Any:
    return control_socket.ask(instance.data, {"do": do, "brand": brand, **more}, lambda _share: None)


def tenant(instance: Instance, name: str, mark: str, **changes: Any) -> Tenant:
    """Add a brand, make its keys, and fill it with data that bears its mark."""
    title = {"title": f"{mark}brandtitle", "origins": [f"https://{mark}origin.example.com"]}
    added = told(instance, "brands-add", name, changes={**title, **changes})
    one = Tenant(name, keys={"public": added["publicKey"]})
    for scope in ("write", "read", "admin"):
        made = told(instance, "keys-add", name, scopes=[scope], label=f"{mark}label")
        one.keys[scope], one.ids[scope] = made["key"], made["id"]
    revoked = told(instance, "keys-add", name, scopes=["admin"])
    told(instance, "keys-revoke", name, id=revoked["id"])
    one.keys["revoked"], one.ids["revoked"] = revoked["key"], revoked["id"]
    hit = {"assetId": f"{mark}asset", "sectionId": f"{mark}section", "resourceType": "article", "paidType": "free"}
    asset = {"assetId": f"{mark}asset", "title": f"{mark}title", "authors": [f"{mark}author"]}
    assert instance.call("POST", "/v1/hits", json.dumps([hit] * 3).encode(), bearer(one.keys["write"])).status == 202
    assert instance.call("PUT", "/v1/assets", json.dumps(asset).encode(), bearer(one.keys["write"])).status == 200
    until(lambda: listed(instance, one), lambda items: [item.get("hits") for item in items] == [3], seconds=15)
    return one


def listed(instance: Instance, one: Tenant) -> list[dict[str, Any]]:
    answer = instance.call("GET", f"/v1/popular?brand={one.name}", headers=bearer(one.keys["read"]))
    return answer.json()["items"] if answer.status == 200 else []


def everything_of(instance: Instance, one: Tenant) -> dict[str, Any]:
    """Return all that a brand can see of itself."""
    admin = bearer(one.keys["admin"])
    seen = {path: instance.call("GET", path, headers=admin) for path in ("/v1/ledger", "/v1/brand", "/v1/keys")}
    assert {answer.status for answer in seen.values()} == {200}
    keys = [{**key, "lastUsed": None} for key in seen["/v1/keys"].json()["keys"]]
    assets = instance.call("GET", "/v1/assets", headers=admin)
    assert assets.status == 200
    return {
        "ledger": seen["/v1/ledger"].json(),
        "brand": seen["/v1/brand"].json(),
        "keys": keys,
        "assets": assets.json(),
        "popular": [(item["assetId"], item["hits"]) for item in listed(instance, one)],
    }


def credentials(victim: Tenant, mine: Tenant) -> dict[str, tuple[str, dict[str, str]]]:
    """Return what somebody may send who has no right to the victim's data: a query and headers, by a name."""
    secret = victim.keys["admin"]
    found: dict[str, tuple[str, dict[str, str]]] = {"no key": ("", {})}
    for kind in ("public", "write", "read", "admin"):
        found[f"my {kind} key"] = ("", bearer(mine.keys[kind]))
    found["my public key in the address"] = (f"key={mine.keys['public']}", {})
    found["a revoked key of the victim's"] = ("", bearer(victim.keys["revoked"]))
    found["a cut key"] = ("", bearer(secret[:-1]))
    found["a key without its secret"] = ("", bearer(f"ffsec_{victim.ids['admin']}_"))
    found["my secret under the victim's id"] = ("", bearer(f"ffsec_{victim.ids['admin']}_{mine.keys['admin'][-40:]}"))
    found["a key's id as a public key"] = ("", bearer(f"ffpub_{victim.ids['admin']}"))
    found["a secret key in the address"] = (f"key={secret}", {})
    found["a secret key in a cookie"] = ("", {"Cookie": f"key={secret}", "X-Api-Key": secret})
    found["a secret key as a password"] = (
        "", {"Authorization": "Basic " + base64.b64encode(f"x:{secret}".encode()).decode()},
    )  # fmt: skip
    return found


def bodies(verb: str, name: str) -> Iterator[bytes]:
    if verb in ("GET", "HEAD", "OPTIONS"):
        yield b""
        return
    hit = {"assetId": "intruder", "sectionId": 1, "resourceType": "article", "paidType": "free"}
    yield json.dumps({**hit, "brand": name, "title": "intruder"}).encode()
    if verb == "POST":
        yield json.dumps([{**hit, "brand": name, "hits": 1}]).encode()


def attempts(victim: Tenant, mine: Tenant, name: str) -> Iterator[Attempt]:
    """Return every route and verb with every wrong credential, naming the brand in the address and in the body."""
    own = set(mine.keys.values())
    for route, (query, headers) in itertools.product(ROUTES, credentials(victim, mine).values()):
        ids = [victim.ids["read"], "zzasset"] if "{id}" in route else [""]
        for verb, key_id, named in itertools.product(VERBS, ids, (f"brand={name}", "")):
            path = route.replace("{id}", key_id)
            whole = "&".join(part for part in (named, query) if part)
            for body in bodies(verb, name):
                if body and not named and any(key in f"{headers} {query}" for key in own):
                    continue  # Without a brand in the address a key of mine may well write my own data.
                yield Attempt(verb, f"{path}?{whole}" if whole else path, headers, body)


def marks_in(answer: Answer, attempt: Attempt) -> list[str]:
    """Return the victim's marks in an answer, less those that the request itself brought."""
    whole = f"{answer.status} {dict(answer.headers)}".encode() + answer.body
    brought = f"{attempt.path} {attempt.body.decode()}"
    marks = [*MARKS, VICTIM]
    return [mark for mark in marks if mark.encode() in whole and mark not in brought]


@pytest.fixture(scope="module")
def instance(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Instance]:
    folder = tmp_path_factory.mktemp("isolation")
    starter = Starter(folder)
    yield starter.start(folder / "data", *UNLIMITED, dev=False)
    starter.end_all()


@pytest.mark.parametrize("every", [pytest.param(1, marks=pytest.mark.soak), 3])
def test_no_route_gives_away_or_takes_a_byte_of_another_brand(every: int, starter: Starter, data: Path) -> None:
    instance = starter.start(data, *UNLIMITED, dev=False)
    victim = tenant(instance, VICTIM, "zz", isPublic=False)
    mine = tenant(instance, MINE, "own", isPublic=False)
    before = everything_of(instance, victim)
    assert all(mark in json.dumps(before) for mark in ("zzasset", "zztitle", "zzbrandtitle", "zzlabel", "zzorigin"))
    with closing(Visitor(instance.port)) as visitor:
        pairs = zip(attempts(victim, mine, VICTIM), attempts(victim, mine, NOBODY), strict=True)
        for real, none in itertools.islice(pairs, None, None, every):
            answer = visitor.send(real)
            assert marks_in(answer, real) == [], str(real)
            if real.names_victim():  # Nobody learns whether there is such a brand.
                assert _without_names(answer) == _without_names(visitor.send(none)), str(real)
    assert everything_of(instance, victim) == before


def _without_names(answer: Answer) -> tuple[int, str, str]:
    """Return an answer less the name that was asked for and what is new in each: what is left must not differ."""
    text = answer.body.decode("utf-8", "replace").replace(VICTIM, "NAME").replace(NOBODY, "NAME")
    text = NONCE.sub("", text)
    try:
        document = {**json.loads(text), "requestId": ""}
    except (ValueError, TypeError):
        document = text
    problem = answer.headers.get("footfall-problem", "").replace(VICTIM, "NAME").replace(NOBODY, "NAME")
    return answer.status, json.dumps(document), problem


def test_a_brands_own_keys_do_what_their_scopes_allow_and_no_more(instance: Instance) -> None:
    mine = tenant(instance, "scoped", "own", isPublic=False)
    asset = b'{"assetId":"7","title":"t"}'
    hit = b'{"assetId":"7","sectionId":1,"resourceType":"article","paidType":"free"}'
    doings = {
        "hits": ("POST", "/v1/hits", hit),
        "write": ("PUT", "/v1/assets", asset),
        "read": ("GET", "/v1/ledger", b""),
        "lists": ("GET", "/v1/popular", b""),
        "admin": ("GET", "/v1/keys", b""),
    }
    allowed = {
        "public": {"hits"},
        "write": {"hits", "write"},
        "read": {"read", "lists"},
        "admin": set(doings),
    }
    page = {"Origin": "https://ownorigin.example.com"}
    for kind, (doing, (verb, path, body)) in itertools.product(allowed, doings.items()):
        answer = instance.call(verb, path, body or None, {**bearer(mine.keys[kind]), **page})
        expected = {True: (200, 202), False: (403,)}[doing in allowed[kind]]
        assert answer.status in expected, (kind, doing, answer)


def test_a_public_brands_lists_are_open_and_everything_else_of_it_is_not(instance: Instance) -> None:
    victim = tenant(instance, "zzpubliczz", "zz")
    assert instance.get("/v1/popular?brand=zzpubliczz").status == 200
    for path in ("/v1/ledger?brand=zzpubliczz", "/v1/assets?brand=zzpubliczz", "/v1/brand?brand=zzpubliczz"):
        assert instance.get(path).status == 401, path
    assert "zzpubliczz" not in instance.get("/").body.decode()
    assert everything_of(instance, victim)["ledger"]["accepted"] == 3


def test_the_gauges_are_for_the_operators_networks_alone(instance: Instance) -> None:
    assert instance.get("/metrics").status == 200
    answer = instance.call("GET", "/metrics", headers={"X-Forwarded-For": "203.0.113.9"})
    assert answer.status == 403
    assert "http_metrics_networks" in answer.json()["detail"]
