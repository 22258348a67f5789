"""What an owner of the instance does over HTTP, and nobody else: brands that come later, and the instance's trail."""

from collections.abc import Generator
from pathlib import Path

import pytest

from tests.shells.http.people_stage import Browser, invited, set_up
from tests.shells.http.stage import Stage, staged


@pytest.fixture
def stage(tmp_path: Path) -> Generator[Stage]:
    with staged(tmp_path, brands={}) as opened:
        yield opened


@pytest.fixture
def owner(stage: Stage) -> Browser:
    return set_up(stage, brand="abc", title="The ABC", zone="Europe/Helsinki")


def test_an_owner_adds_a_brand_and_has_it_at_once(owner: Browser) -> None:
    asked = {"brand": "xyz", "title": "The XYZ", "zone": "Europe/Oslo", "screening": "hold"}
    made = owner.ask("POST", "/v1/brands", asked)
    assert made.status == 201, made.text
    told = made.json()
    assert {name: told[name] for name in asked} == asked
    assert told["publicKey"].startswith("ffpub_")
    brands = {one["brand"]: one["role"] for one in owner.ask("GET", "/v1/session").json()["brands"]}
    assert brands == {"abc": "admin", "xyz": "admin"}
    keys = owner.ask("GET", "/v1/keys?brand=xyz").json()["keys"]
    assert [key["kind"] for key in keys] == ["public"]
    acts = owner.ask("GET", "/v1/audit?brand=xyz").json()["items"]
    assert {act["act"] for act in acts} == {"brand-added", "key-added"}
    assert all("Olga Owner" in act["by"] for act in acts), acts


@pytest.mark.parametrize(
    ("asked", "status", "field"),
    [
        ({}, 400, "brand"),
        ({"brand": 7}, 400, "brand"),
        ({"brand": "a b"}, 400, "brand"),
        ({"brand": "xyz", "zone": "Moon/Base"}, 400, "zone"),
        ({"brand": "xyz", "zone": 7}, 400, "zone"),
        ({"brand": "xyz", "screening": "guess"}, 400, "screening"),
        ({"brand": "xyz", "owner": "me"}, 400, "owner"),
        ({"brand": "abc"}, 409, None),
    ],
)
def test_a_brand_that_cannot_be_is_refused_and_none_is_made(
    owner: Browser, asked: dict[str, object], status: int, field: str | None
) -> None:
    refused = owner.ask("POST", "/v1/brands", asked)
    assert (refused.status, refused.json().get("field")) == (status, field), refused.text
    assert [one["brand"] for one in owner.ask("GET", "/v1/session").json()["brands"]] == ["abc"]


def test_an_administrator_of_a_brand_owns_nothing_else(stage: Stage, owner: Browser) -> None:
    admin = invited(owner, "abc", "admin", "ada@example.com")
    assert admin.ask("POST", "/v1/brands", {"brand": "xyz"}).status == 403
    assert admin.ask("GET", "/v1/audit/instance").status == 403
    assert Browser(stage).ask("POST", "/v1/brands", {"brand": "xyz"}).status == 401
    assert owner.ask("POST", "/v1/brands", {"brand": "xyz"}, {"x-footfall-csrf": "guessed"}).status == 403


def test_the_instance_s_trail_tells_who_came_and_how_often_a_password_was_wrong(owner: Browser) -> None:
    invited(owner, "abc", "viewer", "vera@example.com")
    assert Browser(owner.stage).ask("POST", "/v1/session", {"email": "vera@example.com", "password": "x"}).status == 401
    told = owner.ask("GET", "/v1/audit/instance").json()
    assert {"person-added", "signed-in"} <= {one["act"] for one in told["items"]}
    assert sum(told["failedSignIns"].values()) == 1
    first = owner.ask("GET", "/v1/audit/instance?limit=1").json()
    assert len(first["items"]) == 1
    assert owner.ask("GET", f"/v1/audit/instance?limit=1&after={first['after']}").json()["items"] != first["items"]
    assert owner.ask("GET", "/v1/audit/instance?since=7").status == 400


def test_a_brand_s_periods_are_changed_and_shown(owner: Browser) -> None:
    periods = {"weekend": {"span": "2d", "grain": "1h", "cache": "2m"}}
    assert owner.ask("PATCH", "/v1/brand?brand=abc", {"periods": periods}).json()["periods"] == periods
    wrong = owner.ask("PATCH", "/v1/brand?brand=abc", {"periods": {"x": {"span": "7", "grain": "1h", "cache": "2m"}}})
    assert wrong.status == 400, wrong.text


@pytest.mark.parametrize("path", ["/metrics", "/v1/plan"])
def test_an_owner_reads_gauges_and_plan_from_anywhere_and_nobody_else_does(tmp_path: Path, path: str) -> None:
    far = {"x-forwarded-for": "203.0.113.9"}
    with staged(tmp_path, brands={}) as stage:
        owner = set_up(stage, brand="abc")
        admin = invited(owner, "abc", "admin", "ada@example.com")
        stage.make_ready()
        statuses = [one.ask("GET", path, None, far).status for one in (owner, admin, Browser(stage))]
        assert statuses == [200, 403, 403]
        assert Browser(stage).ask("GET", path).status == 200  # a program in the networks
