"""The follow graph over HTTP, on a front without sockets: what is answered, to whom, and what is refused."""

import json
from collections.abc import Generator
from typing import Any
from urllib.parse import quote

import pytest

from footfall.accounts.brands import Brand
from footfall.audience import kept_lists
from tests.shells.http.stage import Reply, Stage, staged

BRAND = "daily"
ODD = "member:a/b#c?d=é&🧙 %2F:x"


class Server:
    """A publisher's server with a key."""

    def __init__(self, stage: Stage, brand: str, *scopes: str) -> None:
        self.stage = stage
        made = stage.runner.run(stage.state.desk.change(brand, lambda one: one.add_secret_key(brand, scopes)))
        self.headers = {"authorization": f"Bearer {made.text}"}

    def ask(self, method: str, path: str, body: Any = None, **asked: str) -> Reply:
        query = "&".join(f"{name}={quote(value, safe='')}" for name, value in asked.items())
        data = body if isinstance(body, bytes) else b"" if body is None else json.dumps(body).encode()
        target = f"/v1/audience/{path}" + (f"?{query}" if query else "")
        return self.stage.ask(target, method=method, headers=self.headers, body=data)

    def told(self, method: str, path: str, body: Any = None, **asked: str) -> dict[str, Any]:
        reply = self.ask(method, path, body, **asked)
        assert reply.status == 200, reply.text
        return reply.json()


@pytest.fixture(scope="module")
def stage(tmp_path_factory: pytest.TempPathFactory) -> Generator[Stage]:
    folder = tmp_path_factory.mktemp("data")
    with staged(folder, brands={"open": Brand("open")}, audience_kinds="playlist", audience_follows_max=50) as one:
        for name in (BRAND, "other"):
            one.runner.run(one.state.desk.change(name, lambda desk, name=name: desk.add(Brand(name), zone_in_use=None)))
        yield one


@pytest.fixture
def server(stage: Stage) -> Server:
    return Server(stage, BRAND, "audience")


def test_a_follow_is_made_told_and_ended_whatever_the_ids_hold(server: Server) -> None:
    edge = {"follower": ODD, "target": "playlist:ночь"}
    made = server.told("PUT", "follows", **edge)
    assert (made["state"], made["new"], made["follower"], made["target"]) == ("following", True, *edge.values())
    assert server.told("PUT", "follows", **edge) == {**made, "new": False}
    assert server.told("GET", "follows", **edge)["at"] == made["at"]
    assert server.told("GET", "following", of=ODD, kind="playlist")["items"] == [
        {"thing": "playlist:ночь", "at": made["at"]}
    ]
    assert server.told("GET", "followers", of="playlist:ночь")["items"] == [{"thing": ODD, "at": made["at"]}]
    checked = server.told("POST", "follows/check", {"follower": ODD, "targets": ["series:1", "playlist:ночь"]})
    assert checked["following"] == [{"thing": "playlist:ночь", "at": made["at"]}]
    assert server.told("GET", "counts", of=ODD) == {"thing": ODD, "following": 1, "followers": 0}
    assert server.told("DELETE", "follows", **edge)["changed"] is True
    assert server.told("DELETE", "follows", **edge)["changed"] is False
    assert server.told("GET", "follows", **edge) == {**edge, "state": "none", "at": None}


def test_lists_go_on_where_they_ended(server: Server) -> None:
    for number in range(5):
        server.told("PUT", "follows", follower=f"member:{number}", target="series:paged")
    first = server.told("GET", "followers", of="series:paged", limit="3")
    rest = server.told("GET", "followers", of="series:paged", limit="3", after=first["after"])
    assert {one["thing"] for one in (*first["items"], *rest["items"])} == {f"member:{number}" for number in range(5)}
    assert rest["after"] is None


def test_blocks_privacy_requests_publications_and_feeds_are_there(server: Server) -> None:
    server.told("PUT", "privacy", {"private": True}, of="member:shy")
    assert server.told("GET", "privacy", of="member:shy")["private"] is True
    asked = server.told("PUT", "follows", follower="member:fan", target="member:shy")
    assert asked["state"] == "requested"
    assert [one["thing"] for one in server.told("GET", "requests", of="member:shy")["items"]] == ["member:fan"]
    decision = {"target": "member:shy", "follower": "member:fan", "decision": "approve"}
    assert server.told("POST", "requests", decision)["state"] == "following"
    assert server.ask("POST", "requests", decision).status == 200, "what is so already is no mistake"
    assert server.ask("POST", "requests", {**decision, "follower": "member:no"}).status == 404
    published = server.told("PUT", "publications", {"thing": "member:shy", "id": "p/1", "about": {"title": "ü"}})
    assert server.told("GET", "feed", of="member:fan")["items"] == [published]
    assert server.told("GET", "publications", of="member:shy")["items"] == [published]
    assert server.ask("DELETE", "publications", of="member:shy", id="p/1").status == 204
    assert server.told("GET", "feed", of="member:fan")["items"] == []
    server.told("PUT", "follows", follower="member:shy", target="member:fan")
    assert [one["thing"] for one in server.told("GET", "mutual", of="member:shy")["items"]] == ["member:fan"]
    assert server.told("PUT", "blocks", blocker="member:shy", blocked="member:fan")["changed"] is True
    refused = server.ask("PUT", "follows", follower="member:fan", target="member:shy")
    assert (refused.status, refused.json()["detail"]) == (403, "target: 'member:shy' blocks 'member:fan'")
    assert [one["thing"] for one in server.told("GET", "blocks", of="member:shy")["items"]] == ["member:fan"]
    assert server.told("GET", "suggestions", of="member:fan") == {"items": []}
    assert server.told("DELETE", "blocks", blocker="member:shy", blocked="member:fan")["isBlocked"] is False


def test_what_many_follow_is_handed_out_some_at_a_time(server: Server, monkeypatch: pytest.MonkeyPatch) -> None:
    for number in range(7):
        server.told("PUT", "follows", follower=f"member:{number}", target="series:crowd / &")
    monkeypatch.setattr(kept_lists, "READ_AT_ONCE", 6)
    reply, followers = server.ask("GET", "personal", of="series:crowd / &"), list[str]()
    while True:
        followers += [json.loads(line)["thing"] for line in reply.text.splitlines()]
        if "link" not in reply.headers:
            break
        target, _, rel = reply.headers["link"].partition(">; ")
        assert rel == 'rel="next"'
        reply = server.stage.ask(target[1:], headers=server.headers)
    assert sorted(followers) == [f"member:{number}" for number in range(7)]
    assert server.ask("GET", "personal", of="series:crowd / &", after="nonsense").status == 400


def test_all_of_a_member_is_handed_out_and_erased(server: Server) -> None:
    for number in range(40):
        server.told("PUT", "follows", follower="member:gone", target=f"series:{number}")
    lines = [json.loads(line) for line in server.ask("GET", "personal", of="member:gone").text.splitlines()]
    assert (len(lines), lines[0]["part"], lines[0]["what"]) == (40, "follows", "follows")
    steps = [server.told("DELETE", "personal", of="member:gone") for _ in range(2)]
    assert [(one["done"], one["erased"] > 0) for one in steps] == [(True, True), (True, False)]
    assert server.ask("GET", "personal", of="member:gone").text == ""


@pytest.mark.parametrize(
    ("method", "path", "asked", "body", "status", "says"),
    [
        ("PUT", "follows", {"follower": "member:1", "target": "member:1"}, None, 400, "cannot follow itself"),
        ("PUT", "follows", {"follower": "wizard:1", "target": "member:1"}, None, 400, "'wizard' is not a kind here"),
        ("PUT", "follows", {"follower": "member:1"}, None, 400, "target: is missing"),
        ("PUT", "follows", {"follower": "member:", "target": "member:1"}, None, 400, "has no id"),
        ("PUT", "follows", {"follower": "m" * 99, "target": "member:1"}, None, 400, "names no thing"),
        ("GET", "followers", {"of": "series:1", "after": "x"}, None, 400, "is not what an answer said"),
        ("GET", "followers", {"of": "series:1", "limit": "101"}, None, 400, "limit"),
        ("GET", "followers", {"of": "series:1", "page": "1"}, None, 400, "page: is not a parameter here"),
        ("GET", "following", {"of": "series:1", "kind": "wizard"}, None, 400, "not a kind here"),
        ("POST", "follows/check", {}, {"follower": "member:1", "targets": "x"}, 400, "targets: is missing or no list"),
        ("POST", "follows/check", {}, {"follower": "member:1", "targets": []}, 400, "targets: has 0 things"),
        ("POST", "follows/check", {}, {"targets": [], "no": 1}, 400, "no: is no field here"),
        ("POST", "follows/check", {}, b"x" * 1_000_000, 400, "body: has 1,000,000 bytes"),
        ("POST", "requests", {}, {"target": "member:1", "follower": "member:2"}, 400, "decision: is neither"),
        ("PUT", "publications", {}, {"thing": "member:1", "id": 7}, 400, "id: is missing or no text"),
        ("PUT", "publications", {}, {"thing": "member:1", "id": "7", "at": "2999-01-01T00:00Z"}, 400, "of the past"),
        ("PUT", "privacy", {"of": "member:1"}, {"private": "yes"}, 400, "private: is neither true nor false"),
    ],
)
def test_bad_input_gets_a_clear_answer(
    server: Server, method: str, path: str, asked: dict[str, str], body: Any, status: int, says: str
) -> None:
    reply = server.ask(method, path, body, **asked)
    assert reply.status == status, reply.text
    assert says in reply.json()["detail"]


def test_only_keys_with_the_scope_see_members(stage: Stage, server: Server) -> None:
    server.told("PUT", "follows", follower="member:1", target="series:secret")
    for scopes, status in ((("read", "write", "edit"), 403), (("admin",), 200)):
        assert Server(stage, BRAND, *scopes).ask("GET", "followers", of="series:secret").status == status
    other = Server(stage, "other", "audience").told("GET", "followers", of="series:secret")
    assert other["items"] == []
    for brand in ("open", BRAND):  # Not even an open brand shows its members to everybody.
        assert stage.ask(f"/v1/audience/followers?of=series:secret&brand={brand}").status == 401


def test_whoever_follows_all_that_is_allowed_is_told_so(server: Server) -> None:
    for number in range(50):
        server.told("PUT", "follows", follower="member:full", target=f"series:{number}")
    reply = server.ask("PUT", "follows", follower="member:full", target="series:more")
    assert (reply.status, reply.json()["field"]) == (409, "follower")
