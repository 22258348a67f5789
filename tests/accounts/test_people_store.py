"""People in a real table: who comes in, what they may do, and that no role or session reaches another brand."""

import secrets
from collections.abc import Callable
from contextlib import suppress

import pytest
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, rule

from footfall.accounts.audit import Act
from footfall.accounts.brands import Brand, UnknownBrand
from footfall.accounts.invitations import INVITATIONS_MAX, UnknownInvitation
from footfall.accounts.keys import READ, SCOPES
from footfall.accounts.people import MAY, ROLES, NewPerson, Person, require_email, require_person_name
from footfall.accounts.people_store import EmailTaken, People, UnknownPerson, UnknownReset, WrongCode
from footfall.accounts.register import Register
from footfall.accounts.screening_store import INSTANCE
from footfall.accounts.sessions import SESSIONS_MAX, browser_of, cookie_in
from footfall.accounts.signed_in import SignedIn
from footfall.adapters.embedded.sqlite_table import SqliteTable
from footfall.ports.errors import Changed
from footfall.values.clock import SetClock
from footfall.values.errors import Refused

NOW_MS, HOUR_MS, DAY_MS = 1_700_000_000_000, 3_600_000, 86_400_000
BRANDS = ("abc", "abcd", "xyz")


class Ground:
    """A register with some brands on a table in memory."""

    def __init__(self) -> None:
        self.clock = SetClock(NOW_MS)
        self.table = SqliteTable(":memory:", clock=self.clock)
        self.register = Register(self.table, clock=self.clock, random_bytes=secrets.token_bytes)
        for name in BRANDS:
            self.register.add(Brand(name), zone_in_use=None)

    @property
    def people(self) -> People:
        return self.register.people

    def add(self, email: str, **roles: str) -> Person:
        return self.people.add(NewPerson(email, "Ann", "kept"), roles=roles)

    def acts(self, brand: str = INSTANCE) -> list[str]:
        return [one.act for one in self.register.trail.page(brand, limit=100)[0]]


@pytest.fixture
def ground() -> Ground:
    return Ground()


@pytest.mark.parametrize(
    "text", ["", "a", "a@", "@b", "a b@c.de", "a@b@c", "a\n@b.c", "ä@b.c", "a@b..c", "x" * 65 + "@b.c", 7]
)
def test_what_is_no_address_is_refused(text: object) -> None:
    with pytest.raises(Refused):
        require_email(text)


def test_addresses_are_compared_in_small_letters(ground: Ground) -> None:
    assert require_email(" Ann@Example.COM ") == "ann@example.com"
    ann = ground.add("ann@example.com")
    assert ground.people.by_email("ann@example.com") == ann
    with pytest.raises(EmailTaken):
        ground.add("ann@example.com")
    assert ground.people.all() == [ann]


@pytest.mark.parametrize("name", ["", " ", "a\nb", "x" * 101, None])
def test_a_name_is_a_short_line(name: object) -> None:
    with pytest.raises(Refused):
        require_person_name(name)


def test_the_first_owner_comes_in_by_the_code_once(ground: Ground) -> None:
    people = ground.people
    assert people.needs_setup()
    code = people.setup_code()
    assert code == people.setup_code()
    for wrong in ("", code[:-1], None, 7):
        with pytest.raises(WrongCode):
            people.require_setup_code(wrong)
    used_up = people.require_setup_code(code)
    assert people.add(NewPerson("o@example.com", "O"), is_owner=True, also=[used_up]).is_owner
    with pytest.raises(Refused):
        people.add(NewPerson("p@example.com", "P"), is_owner=True, also=[used_up])
    assert [one.email for one in people.all()] == ["o@example.com"]
    with pytest.raises(WrongCode):
        people.setup_code()


def test_a_code_ends_with_any_owner(ground: Ground) -> None:
    code = ground.people.setup_code()
    owner = ground.people.add(NewPerson("o@example.com", "O"), is_owner=True)
    ground.people.remove(owner)
    with pytest.raises(WrongCode):
        ground.people.require_setup_code(code)
    assert ground.people.setup_code() != code


def test_an_owner_may_do_everything_and_others_what_their_role_says(ground: Ground) -> None:
    owner = ground.people.add(NewPerson("o@example.com", "O"), is_owner=True)
    assert owner.may("abc") == owner.may("anything") == MAY["admin"] >= set(SCOPES)
    ann = ground.add("ann@example.com", abc="viewer", xyz="editor")
    assert (ann.may("abc"), ann.may("abcd"), "edit" in ann.may("xyz")) == ({READ}, frozenset(), True)


def test_a_role_takes_the_place_of_the_one_before(ground: Ground) -> None:
    ann = ground.add("ann@example.com", abc="viewer")
    for role in ("admin", "editor", "viewer"):
        assert ground.people.set_role("abc", ann.id, role).roles == {"abc": role}
        assert [one.role for one in ground.people.members("abc")] == [role]
    assert ground.people.set_role("abc", ann.id, None).roles == {}
    assert ground.people.members("abc") == []
    with pytest.raises(UnknownPerson):
        ground.people.set_role("abc", ann.id, None)
    with pytest.raises(UnknownPerson):
        ground.people.set_role("abc", ann.id, "viewer", must_be_member=True)
    with pytest.raises(UnknownBrand):
        ground.people.set_role("nobrand", ann.id, "viewer")


def test_an_invitation_is_for_one_and_for_a_week(ground: Ground) -> None:
    token, made = ground.people.invite("abc", role="editor")
    assert ground.people.invitations.behind(token) == made
    brand, name, secret = token.split("~")
    for wrong in (
        "",
        token[:-1],
        f"abcd~{name}~{secret}",
        f"{brand}~{name}~",
        f"{brand}~{name}",
        "~~",
        None,
        "x" * 900,
    ):
        with pytest.raises(UnknownInvitation):
            ground.people.invitations.behind(wrong)
    ann, bob = ground.add("ann@example.com"), ground.add("bob@example.com")
    assert ground.people.take_invitation(ann, made).roles == {"abc": "editor"}
    with pytest.raises(Refused):
        ground.people.take_invitation(bob, made)
    assert [one.person.email for one in ground.people.members("abc")] == ["ann@example.com"]
    late, _ = ground.people.invite("abc", role="viewer")
    ground.clock.set(NOW_MS + 7 * DAY_MS)
    with pytest.raises(UnknownInvitation):
        ground.people.invitations.behind(late)


def test_a_brand_has_so_many_invitations_and_no_more(ground: Ground) -> None:
    for _ in range(INVITATIONS_MAX):
        ground.people.invite("abc", role="viewer")
    with pytest.raises(Refused, match="100"):
        ground.people.invite("abc", role="viewer")
    ground.people.invite("abcd", role="viewer")


def test_a_reset_works_once_within_an_hour_and_ends_every_session(ground: Ground) -> None:
    ann = ground.add("ann@example.com")
    text, _ = ground.people.sign_in(ann, browser="Firefox")
    first, token = ground.people.new_reset(ann), ground.people.new_reset(ann)
    with pytest.raises(UnknownReset):
        ground.people.behind_reset(first)
    assert ground.people.behind_reset(token) == ann
    ground.people.set_password(ann, "new", act=Act.PASSWORD_RESET)
    assert ground.people.sessions.find(text) is None
    with pytest.raises(UnknownReset):
        ground.people.behind_reset(token)
    late = ground.people.new_reset(ann)
    ground.clock.set(NOW_MS + HOUR_MS)
    with pytest.raises(UnknownReset):
        ground.people.behind_reset(late)
    assert {"reset-asked", "password-reset", "signed-in", "person-added"} <= set(ground.acts())


def test_nobody_signs_in_with_a_password_that_was_changed_meanwhile(ground: Ground) -> None:
    ann = ground.add("ann@example.com")
    ground.people.set_password(ann, "new", act=Act.PASSWORD_CHANGED)
    with pytest.raises(Changed):
        ground.people.sign_in(ann, browser="")
    with pytest.raises(Changed):
        ground.people.set_password(ann, "newer", act=Act.PASSWORD_CHANGED)


def test_a_person_has_so_many_sessions_and_the_least_used_gives_way(ground: Ground) -> None:
    ann = ground.add("ann@example.com")
    texts: list[str] = []
    for _ in range(SESSIONS_MAX + 3):
        ground.clock.set(ground.clock.now_ms() + 1)
        texts.append(ground.people.sign_in(ann, browser="")[0])
    found = [ground.people.sessions.find(text) is not None for text in texts]
    assert found == [False] * 3 + [True] * SESSIONS_MAX
    assert len(ground.people.sessions.of(ann.id)) == SESSIONS_MAX


def test_whoever_is_removed_has_no_session_and_no_role_left(ground: Ground) -> None:
    ann = ground.add("ann@example.com", abc="admin", xyz="viewer")
    text, _ = ground.people.sign_in(ann, browser="")
    ground.people.remove(ground.people.person(ann.id) or ann)
    assert ground.people.sessions.find(text) is None
    assert ground.people.members("abc") == ground.people.members("xyz") == ground.people.all() == []
    ground.add("ann@example.com")


@pytest.mark.parametrize(
    ("agent", "says"),
    [
        ("Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0", "Firefox on Linux"),
        ("Mozilla/5.0 (iPhone; CPU iPhone OS 18_0 like Mac OS X) Version/18.0 Safari/604.1", "Safari on iPhone"),
        ("Mozilla/5.0 (Windows NT 10.0; Win64; x64) Chrome/140.0 Safari/537.36 Edg/140.0", "Edge on Windows"),
        ("curl/8.0", "curl"),
        ("", "another browser"),
    ],
)
def test_a_browser_is_told_in_a_few_words(agent: str, says: str) -> None:
    assert browser_of(agent) == says


@pytest.mark.parametrize(
    ("header", "text"),
    [
        (b"__Host-footfall=abc", "abc"),
        (b"a=1; __Host-footfall=abc; b=2", "abc"),
        (b"x__Host-footfall=abc", ""),
        (b"__host-footfall=abc", ""),
        (b"__Host-footfall=abc; __Host-footfall=def", ""),
        (b"", ""),
    ],
)
def test_a_cookie_is_taken_when_it_is_there_once(header: bytes, text: str) -> None:
    assert cookie_in(header) == text


class Members(RuleBasedStateMachine):
    """Whatever is done to people, what a session may do in a brand is what the last act on that brand said."""

    @initialize()
    def begin(self) -> None:
        self.ground = Ground()
        self.people = [self.ground.add(f"p{n}@example.com") for n in range(3)]
        self.texts = [self.ground.people.sign_in(one, browser="")[0] for one in self.people]
        self.expected: dict[tuple[int, str], str | None] = {}
        self.signed_in = SignedIn(lambda: self.ground.people, clock=self.ground.clock)

    @rule(n=st.integers(0, 2), brand=st.sampled_from(BRANDS), role=st.sampled_from((*ROLES, None)))
    def set_role(self, n: int, brand: str, role: str | None) -> None:
        with suppress(UnknownPerson):
            self.ground.people.set_role(brand, self.people[n].id, role)
        self.expected[n, brand] = role

    @rule(n=st.integers(0, 2), brand=st.sampled_from(BRANDS), role=st.sampled_from(ROLES))
    def take_invitation(self, n: int, brand: str, role: str) -> None:
        people = self.ground.people
        person = people.person(self.people[n].id)
        assert person is not None
        people.take_invitation(person, people.invite(brand, role=role)[1])
        had = self.expected.get((n, brand))
        self.expected[n, brand] = role if had is None else max(had, role, key=ROLES.index)

    @rule(brand=st.sampled_from(BRANDS))
    def remove_and_add(self, brand: str) -> None:
        self.ground.register.remove(brand)
        self.ground.register.add(Brand(brand), zone_in_use=None)
        self.expected = {key: role for key, role in self.expected.items() if key[1] != brand}

    @invariant()
    def each_may_do_what_was_said_last(self) -> None:
        for n, text in enumerate(self.texts):
            signed = self.signed_in.find({b"cookie": f"__Host-footfall={text}".encode()})
            assert signed is not None
            for brand in (*BRANDS, "other"):
                role = self.expected.get((n, brand))
                assert signed.caller(brand).may == (MAY[role] if role else frozenset())
        for brand in BRANDS:
            listed = {(one.person.id, one.role) for one in self.ground.people.members(brand)}
            said = {(self.people[n].id, role) for (n, of), role in self.expected.items() if of == brand and role}
            assert listed == said


TestMembers: Callable[[], object] = Members.TestCase
TestMembers.settings = settings(max_examples=25, stateful_step_count=20, deadline=None)  # pyright: ignore[reportFunctionMemberAccess]
