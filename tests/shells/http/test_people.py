"""Accounts of people over HTTP: set-up, sessions, invitations, members, passwords, and what is refused."""

from collections.abc import Generator
from pathlib import Path

import pytest

from footfall.accounts import attempts
from footfall.accounts.brands import Brand
from footfall.app.logs import TextLines
from tests.shells.http.people_stage import PASSWORD, SITE, Browser, invited, set_up
from tests.shells.http.stage import Stage, staged

DAY_MS = 86_400_000


@pytest.fixture
def stage(tmp_path: Path) -> Generator[Stage]:
    with staged(tmp_path, brands={}) as opened:
        yield opened


@pytest.fixture
def owner(stage: Stage) -> Browser:
    return set_up(stage, brand="abc", title="The ABC", zone="Europe/Helsinki")


def test_the_first_run_makes_an_owner_and_a_brand_with_a_key_for_its_pages(stage: Stage) -> None:
    before = Browser(stage).ask("GET", "/v1/session").json()
    assert before == {"person": None, "csrf": None, "brands": [], "register": "closed", "needsSetup": True}
    owner = set_up(stage, brand="abc", title="The ABC", zone="Europe/Helsinki")
    told = owner.ask("GET", "/v1/session").json()
    assert (told["person"]["email"], told["person"]["isOwner"]) == ("owner@example.com", True)
    assert told["brands"] == [
        {"brand": "abc", "title": "The ABC", "zone": "Europe/Helsinki", "periods": [], "role": "admin", "isOpen": False}
    ]
    assert told["needsSetup"] is False
    keys = owner.ask("GET", "/v1/keys?brand=abc").json()["keys"]
    assert [key["kind"] for key in keys] == ["public"]


def test_the_code_works_once_and_a_wrong_one_never(stage: Stage) -> None:
    code = stage.runner.run(stage.state.desk.look(lambda register: register.people.setup_code()))
    person = {"email": "a@example.com", "password": PASSWORD, "name": "A"}
    assert Browser(stage).ask("POST", "/v1/setup", {"code": "abcd-efgh", **person}).status == 403
    assert Browser(stage).ask("POST", "/v1/setup", {**person}).status == 403
    assert Browser(stage).ask("POST", "/v1/setup", {"code": code.upper(), **person}).status == 201
    assert Browser(stage).ask("POST", "/v1/setup", {"code": code, **person, "email": "b@example.com"}).status == 403


def test_a_set_up_that_is_refused_leaves_the_code_and_makes_nothing(stage: Stage) -> None:
    code = stage.runner.run(stage.state.desk.look(lambda register: register.people.setup_code()))
    person = {"code": code, "email": "a@example.com", "password": PASSWORD, "name": "A"}
    for wrong in ({"password": "short"}, {"email": "a"}, {"name": ""}, {"brand": "A B"}, {"brand": "a", "zone": "x"}):
        assert Browser(stage).ask("POST", "/v1/setup", {**person, **wrong}).status == 400, wrong
    assert Browser(stage).ask("POST", "/v1/setup", person).status == 201


def test_signing_in_and_out_and_everywhere(stage: Stage, owner: Browser) -> None:
    second = Browser(stage)
    sent = {"email": "OWNER@example.com ", "password": PASSWORD}
    told = second.ask("POST", "/v1/session", sent)
    assert (told.status, told.json()["person"]["name"]) == (200, "Olga Owner")
    sessions = second.ask("GET", "/v1/sessions").json()["sessions"]
    assert [one["browser"] for one in sessions] == ["Firefox on Linux"] * 2
    assert sorted(one["isThis"] for one in sessions) == [False, True]
    assert second.ask("DELETE", "/v1/session").status == 200
    assert second.cookie == ""
    third = Browser(stage)
    assert third.ask("POST", "/v1/session", sent).status == 200
    assert third.ask("DELETE", "/v1/sessions").json() == {"ended": 2}
    assert owner.ask("GET", "/v1/session").json()["person"] is None
    assert owner.ask("GET", "/v1/sessions").status == 401


def test_a_wrong_password_and_an_unknown_address_are_told_alike(stage: Stage, owner: Browser) -> None:
    del owner
    wrong = Browser(stage).ask("POST", "/v1/session", {"email": "owner@example.com", "password": "wrong"})
    unknown = Browser(stage).ask("POST", "/v1/session", {"email": "nobody@example.com", "password": "wrong"})
    assert (wrong.status, wrong.body) == (unknown.status, unknown.body) == (401, wrong.body)
    failed = stage.runner.run(stage.state.desk.look(lambda register: register.people.failed()))
    assert list(failed.values()) == [2]


@pytest.mark.parametrize("email", ["owner@example.com", "nobody@example.com"])
def test_after_ten_attempts_even_the_right_password_has_to_wait(stage: Stage, owner: Browser, email: str) -> None:
    del owner
    for _ in range(10):
        assert Browser(stage).ask("POST", "/v1/session", {"email": email, "password": "wrong"}).status == 401
    last = Browser(stage).ask("POST", "/v1/session", {"email": email, "password": PASSWORD})
    assert last.status == 429
    assert 1 <= int(last.headers["retry-after"]) <= 900


def test_nobody_is_locked_out_elsewhere_by_whoever_knows_their_address(stage: Stage, owner: Browser) -> None:
    del owner
    wrong, right = ({"email": "owner@example.com", "password": one} for one in ("wrong", PASSWORD))
    statuses = [from_network(stage, 1, wrong) for _ in range(11)]
    assert statuses == [401] * 10 + [429]
    assert from_network(stage, 1, right) == 429
    assert from_network(stage, 2, right) == 200


def test_guesses_from_everywhere_are_bounded_and_let_through_whoever_signed_in_there_before(
    stage: Stage, owner: Browser, monkeypatch: pytest.MonkeyPatch
) -> None:
    del owner
    monkeypatch.setattr(attempts, "SPREAD_MAX", 12)
    wrong, right = ({"email": "owner@example.com", "password": one} for one in ("wrong", PASSWORD))
    assert from_network(stage, 9, right) == 200
    assert [from_network(stage, n, wrong) for n in range(1, 5) for _ in range(3)] == [401] * 12
    assert from_network(stage, 8, right) == 429
    assert from_network(stage, 9, right) == 200
    assert [from_network(stage, 9, wrong) for _ in range(11)] == [401] * 10 + [429]  # And there, too, ten are enough.


def from_network(stage: Stage, network: int, sent: dict[str, str]) -> int:
    far = {"x-forwarded-for": f"203.0.{network}.9"}
    return Browser(stage).ask("POST", "/v1/session", sent, far).status


def test_one_address_may_not_try_many_accounts(stage: Stage, owner: Browser) -> None:
    del owner
    far = {"x-forwarded-for": "203.0.113.9"}
    statuses = [
        Browser(stage).ask("POST", "/v1/session", {"email": f"p{n}@example.com", "password": "x"}, far).status
        for n in range(11)
    ]
    assert statuses == [401] * 10 + [429]
    near = {"x-forwarded-for": "203.0.113.10"}
    sent = {"email": "owner@example.com", "password": PASSWORD}
    assert Browser(stage).ask("POST", "/v1/session", sent, near).status == 200


def test_a_session_ends_after_a_week_without_use_and_after_a_month_in_any_case(stage: Stage, owner: Browser) -> None:
    for _ in range(5):
        stage.clock.set(stage.clock.now_ms() + 5 * DAY_MS)
        assert owner.ask("GET", "/v1/session").json()["person"] is not None
    stage.clock.set(stage.clock.now_ms() + 5 * DAY_MS)
    assert owner.ask("GET", "/v1/session").json()["person"] is None
    sent = {"email": "owner@example.com", "password": PASSWORD}
    assert owner.ask("POST", "/v1/session", sent).status == 200
    stage.clock.set(stage.clock.now_ms() + 7 * DAY_MS)
    assert owner.ask("GET", "/v1/session").json()["person"] is None


@pytest.mark.parametrize(
    ("headers", "status"),
    [
        ({}, 200),
        ({"origin": ""}, 403),
        ({"origin": "https://evil.example"}, 403),
        ({"origin": "null"}, 403),
        ({"origin": "http://footfall.example.com.evil.example"}, 403),
        ({"origin": "", "sec-fetch-site": "same-origin"}, 200),
        ({"sec-fetch-site": "cross-site"}, 403),
        ({"sec-fetch-site": "same-site"}, 403),
        ({"x-footfall-csrf": ""}, 403),
        ({"x-footfall-csrf": "x" * 32}, 403),
    ],
)
def test_a_change_needs_the_sessions_token_and_our_own_page(
    owner: Browser, headers: dict[str, str], status: int
) -> None:
    assert owner.ask("PATCH", "/v1/brand?brand=abc", {"title": "New"}, headers).status == status
    if status == 403:
        assert owner.ask("DELETE", "/v1/session", None, headers).status == status
        assert owner.ask("POST", "/v1/password", {"old": PASSWORD, "new": "b" + PASSWORD}, headers).status == status
        assert owner.ask("GET", "/v1/brand?brand=abc").json()["title"] == "The ABC"


def test_another_sites_page_signs_nobody_in(stage: Stage, owner: Browser) -> None:
    del owner
    sent = {"email": "owner@example.com", "password": PASSWORD}
    for headers in ({"origin": "https://evil.example"}, {"sec-fetch-site": "cross-site"}):
        assert Browser(stage).ask("POST", "/v1/session", sent, headers).status == 403


def test_roles_are_given_changed_and_taken(stage: Stage, owner: Browser) -> None:
    viewer = invited(owner, "abc", "viewer", "vera@example.com")
    assert viewer.ask("GET", "/v1/ledger?brand=abc").status == 200
    assert viewer.ask("GET", "/v1/edits?brand=abc").status == 403
    assert viewer.ask("GET", "/v1/members?brand=abc").status == 403
    members = owner.ask("GET", "/v1/members?brand=abc").json()["members"]
    assert [(one["email"], one["role"]) for one in members] == [("vera@example.com", "viewer")]
    vera = members[0]["id"]
    assert owner.ask("PUT", f"/v1/members/{vera}?brand=abc", {"role": "editor"}).json()["role"] == "editor"
    assert viewer.ask("GET", "/v1/edits?brand=abc").status == 200
    assert viewer.ask("GET", "/v1/keys?brand=abc").status == 403
    assert owner.ask("PUT", f"/v1/members/{vera}?brand=abc", {"role": "admin"}).status == 200
    assert viewer.ask("GET", "/v1/keys?brand=abc").status == 200
    assert owner.ask("DELETE", f"/v1/members/{vera}?brand=abc").status == 200
    assert viewer.ask("GET", "/v1/ledger?brand=abc").status == 403
    assert viewer.ask("GET", "/v1/session").json()["brands"] == []
    assert owner.ask("DELETE", f"/v1/members/{vera}?brand=abc").status == 404
    assert owner.ask("PUT", f"/v1/members/{vera}?brand=abc", {"role": "viewer"}).status == 404
    acts = owner.ask("GET", "/v1/audit?brand=abc").json()["items"]
    roles = [(one["details"]["before"], one["details"]["role"]) for one in acts if one["act"] == "role-changed"]
    assert set(roles) == {("none", "viewer"), ("viewer", "editor"), ("editor", "admin"), ("admin", "none")}
    assert all(one["by"].startswith(("Olga Owner (p_", "Vera (p_", "command")) for one in acts)
    del stage


def test_what_a_person_does_is_written_down_with_their_name(owner: Browser) -> None:
    editor = invited(owner, "abc", "editor", "ed@example.com")
    assert editor.ask("PUT", "/v1/edits/pins/7?brand=abc", {"place": 1}).status == 200
    made = owner.ask("POST", "/v1/keys?brand=abc", {"scopes": ["read"]})
    assert made.status == 201
    acts = {one["act"]: one["by"] for one in owner.ask("GET", "/v1/audit?brand=abc").json()["items"]}
    assert acts["asset-pinned"].startswith("Ed (p_")
    assert acts["key-added"].startswith("Olga Owner (p_")
    assert acts["invited"].startswith("Olga Owner (p_")


def test_an_invitation_is_taken_once_and_can_be_withdrawn(stage: Stage, owner: Browser) -> None:
    made = owner.ask("POST", "/v1/invitations", {"brand": "abc", "role": "viewer", "email": "vera@example.com"}).json()
    assert made["link"].startswith("http://footfall.example.com/invitation#abc~")
    token = made["link"].partition("#")[2]
    shown = Browser(stage).ask("POST", "/v1/invitations/offer", {"token": token}).json()
    assert shown == {"brand": "abc", "title": "The ABC", "role": "viewer", "email": "vera@example.com"}
    person = {"token": token, "password": PASSWORD, "name": "Vera"}
    assert Browser(stage).ask("POST", "/v1/invitations/accept", {**person, "email": "x@example.com"}).status == 400
    assert Browser(stage).ask("POST", "/v1/invitations/accept", {**person, "email": "vera@example.com"}).status == 201
    assert Browser(stage).ask("POST", "/v1/invitations/accept", {**person, "email": "y@example.com"}).status == 404
    # A secret in an address would be in every proxy's log.
    assert Browser(stage).ask("GET", f"/v1/invitations/accept?token={token}").status == 405
    assert Browser(stage).ask("POST", f"/v1/invitations/offer?token={token}", {}).status == 400
    second = owner.ask("POST", "/v1/invitations?brand=abc", {"role": "admin"}).json()
    listed = owner.ask("GET", "/v1/invitations?brand=abc").json()["invitations"]
    assert [(one["id"], one["role"], "link" in one) for one in listed] == [(second["id"], "admin", False)]
    assert owner.ask("DELETE", f"/v1/invitations/{second['id']}?brand=abc").status == 200
    token = second["link"].partition("#")[2]
    assert Browser(stage).ask("POST", "/v1/invitations/offer", {"token": token}).status == 404


def test_somebody_signed_in_takes_an_invitation_and_loses_no_role_by_it(stage: Stage, owner: Browser) -> None:
    admin = invited(owner, "abc", "admin", "ada@example.com")
    token = owner.ask("POST", "/v1/invitations?brand=abc", {"role": "viewer"}).json()["link"].partition("#")[2]
    assert admin.ask("POST", "/v1/invitations/accept", {"token": token}, {"x-footfall-csrf": ""}).status == 403
    told = admin.ask("POST", "/v1/invitations/accept", {"token": token})
    assert (told.status, told.json()["brands"][0]["role"]) == (200, "admin")
    del stage


def test_a_new_password_ends_the_other_sessions(stage: Stage, owner: Browser) -> None:
    other = Browser(stage)
    assert other.ask("POST", "/v1/session", {"email": "owner@example.com", "password": PASSWORD}).status == 200
    changed = {"old": PASSWORD, "new": "two horses that read"}
    assert owner.ask("POST", "/v1/password", {**changed, "old": "wrong"}).status == 401
    assert owner.ask("POST", "/v1/password", {**changed, "new": "owner@example.com"}).status == 400
    assert owner.ask("POST", "/v1/password", changed).status == 200
    assert owner.ask("GET", "/v1/session").json()["person"] is not None
    assert other.ask("GET", "/v1/session").json()["person"] is None
    assert other.ask("POST", "/v1/session", {"email": "owner@example.com", "password": PASSWORD}).status == 401
    assert other.ask("POST", "/v1/session", {"email": "owner@example.com", "password": changed["new"]}).status == 200


def test_a_forgotten_password_is_reset_by_the_link_in_the_log(
    stage: Stage, owner: Browser, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level("INFO")
    known = Browser(stage).ask("POST", "/v1/password/reset", {"email": "owner@example.com"})
    unknown = Browser(stage).ask("POST", "/v1/password/reset", {"email": "nobody@example.com"})
    assert (known.status, known.body) == (unknown.status, unknown.body) == (202, known.body)
    links: list[str] = []
    while not links:  # The answer did not wait for it.
        Browser(stage).ask("GET", "/v1/session")
        links = [line for line in map(TextLines("front").format, caplog.records) if "/reset#" in line]
    assert len(links) == 1
    token = links[0].partition("#")[2]
    sent = {"token": token, "password": "two horses that read"}
    assert Browser(stage).ask("POST", "/v1/password/reset/accept", {**sent, "token": token[:-1]}).status == 404
    assert Browser(stage).ask("POST", "/v1/password/reset/accept", sent).json() == {"email": "owner@example.com"}
    assert Browser(stage).ask("POST", "/v1/password/reset/accept", sent).status == 404
    assert owner.ask("GET", "/v1/session").json()["person"] is None
    assert owner.ask("POST", "/v1/session", {"email": "owner@example.com", "password": sent["password"]}).status == 200


def test_registering_is_closed_unless_a_setting_opens_it(tmp_path: Path, stage: Stage, owner: Browser) -> None:
    del owner
    person = {"email": "new@example.com", "password": PASSWORD, "name": "New"}
    assert Browser(stage).ask("POST", "/v1/register", person).status == 403
    (tmp_path / "open").mkdir()
    with staged(tmp_path / "open", brands={}, people_register="open", people_register_brands="abc, gone") as opened:
        set_up(opened, brand="abc")
        browser = Browser(opened)
        told = browser.ask("POST", "/v1/register", person)
        assert (told.status, [one["role"] for one in told.json()["brands"]]) == (201, ["viewer"])
        assert told.json()["register"] == "open"
        assert Browser(opened).ask("POST", "/v1/register", person).status == 409
        assert browser.ask("GET", "/v1/ledger?brand=abc").status == 200


def test_a_key_wins_over_a_cookie(stage: Stage, owner: Browser) -> None:
    made = owner.ask("POST", "/v1/keys?brand=abc", {"scopes": ["read"]}).json()["key"]
    bearer = {"authorization": f"Bearer {made}"}
    assert owner.ask("GET", "/v1/keys?brand=abc", None, bearer).status == 403
    assert owner.ask("GET", "/v1/ledger?brand=abc", None, {"authorization": "Bearer ffsec_no_such"}).status == 401
    del stage


def test_a_session_asks_about_a_brand_by_its_name(owner: Browser) -> None:
    missing = owner.ask("GET", "/v1/ledger")
    assert (missing.status, missing.json()["field"]) == (400, "brand")
    assert owner.ask("GET", "/v1/ledger?brand=nobody").status in (401, 404)


def test_open_brands_are_everybodys_to_look_at(tmp_path: Path) -> None:
    with staged(tmp_path, brands={"open": Brand("open", zone="Asia/Kolkata")}) as opened:
        told = Browser(opened).ask("GET", "/v1/session").json()
        assert told["brands"] == [
            {"brand": "open", "title": "", "zone": "Asia/Kolkata", "periods": [], "role": "viewer", "isOpen": True}
        ]
        owner = set_up(opened, brand="abc")
        vera = invited(owner, "abc", "viewer", "vera@example.com")
        assert vera.ask("GET", "/v1/ledger?brand=open").status == 200
        assert vera.ask("GET", "/v1/edits?brand=open").status == 403
        assert owner.ask("GET", "/v1/edits?brand=open").status == 200
        assert owner.ask("POST", "/v1/invitations", {"brand": "open", "role": "viewer"}).status == 404


def test_whoever_would_change_an_open_brand_is_told_that_it_is_open(tmp_path: Path) -> None:
    with staged(tmp_path, brands={"open": Brand("open")}) as opened:
        owner = set_up(opened, brand="abc")
        told = owner.ask("GET", "/v1/session").json()["brands"]
        assert {one["brand"]: (one["role"], one["isOpen"]) for one in told} == {
            "abc": ("admin", False),
            "open": ("admin", True),
        }
        refused = owner.ask("PATCH", "/v1/brand?brand=open", {"screening": "hold"})
        assert (refused.status, refused.json()["field"]) == (404, "brand")
        assert "'open' has no rules to change: it is open" in refused.json()["detail"]


def test_a_removed_brand_keeps_no_members_for_the_next_of_its_name(stage: Stage, owner: Browser) -> None:
    vera = invited(owner, "abc", "admin", "vera@example.com")
    waiting = owner.ask("POST", "/v1/invitations?brand=abc", {"role": "admin"}).json()["link"].partition("#")[2]
    run, desk = stage.runner.run, stage.state.desk
    run(desk.change("abc", lambda register: register.remove("abc")))
    run(desk.change("abc", lambda register: register.add(Brand("abc", zone="Europe/Helsinki"), zone_in_use=None)))
    assert vera.ask("GET", "/v1/ledger?brand=abc").status == 403
    assert Browser(stage).ask("POST", "/v1/invitations/offer", {"token": waiting}).status == 404
    assert owner.ask("GET", "/v1/members?brand=abc").json()["members"] == []


def test_nothing_that_opens_a_door_is_stored_in_the_clear(tmp_path: Path, owner: Browser) -> None:
    link = owner.ask("POST", "/v1/invitations?brand=abc", {"role": "viewer"}).json()["link"]
    stored = b"".join(path.read_bytes() for path in tmp_path.glob("accounts.db*"))
    assert b"owner@example.com" in stored
    for secret in (owner.cookie, PASSWORD, link.rpartition("~")[2]):
        assert secret.encode() not in stored


def test_answers_about_people_are_kept_by_no_cache(owner: Browser) -> None:
    for path in ("/v1/session", "/v1/sessions", "/v1/members?brand=abc", "/v1/invitations?brand=abc"):
        assert owner.ask("GET", path).headers["cache-control"] == "no-store"
    assert SITE["host"] in owner.ask("POST", "/v1/invitations?brand=abc", {"role": "viewer"}).json()["link"]


def test_whoever_asks_who_is_signed_in_too_often_has_to_wait(tmp_path: Path) -> None:
    with staged(tmp_path, brands={}, limit_address_per_s=1, limit_address_burst=3) as opened:
        far = {"x-forwarded-for": "203.0.113.9"}
        statuses = [Browser(opened).ask("GET", "/v1/session", None, far).status for _ in range(4)]
        assert statuses == [200, 200, 200, 429]
        assert Browser(opened).ask("POST", "/v1/session", {"email": "a@b.c", "password": "x"}, far).status == 429


def test_a_cookie_is_nothing_where_values_are_sent_and_an_administrator_may_write_elsewhere(owner: Browser) -> None:
    sent = owner.ask("POST", "/v1/uniques/campaign?brand=abc", ["a"])
    assert (sent.status, sent.json()["field"]) == (401, "brand")
    assert owner.ask("PUT", "/v1/assets?brand=abc", {"assetId": "7", "title": "Seven"}).status == 200
    assert owner.ask("PUT", "/v1/assets?brand=abc", {"assetId": "7"}, {"x-footfall-csrf": ""}).status == 403
