"""People as they lie in the table, and the rules by which they come, change and go (docs/formats/people.md).

What somebody may do is read from one item at each request; whoever loses a role or a session has lost it at once. Every
change and the act that tells of it are one transaction.
"""

import hmac
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress

from msgspec import Struct, convert, structs

from footfall.accounts import people_keys as keys
from footfall.accounts.audit import Act, Detail, Note, Trail
from footfall.accounts.brands import UnknownBrand
from footfall.accounts.invitations import Invitation, Invitations
from footfall.accounts.keys import RandomBytes
from footfall.accounts.people import ROLES, NewPerson, Person, digest_of_link, letters, new_person_id, new_secret
from footfall.accounts.screening_store import INSTANCE
from footfall.accounts.sessions import Session, Sessions, removal
from footfall.ports.errors import Changed
from footfall.ports.items import Item
from footfall.ports.table import Absent, Action, Check, Delete, Equals, Key, Present, Put, Table, Update, everything
from footfall.values.clock import Clock
from footfall.values.errors import Refused
from footfall.values.window import DAY_MS, instant_text

PEOPLE_MAX = 10_000  # of one instance; a page lists them all.
MEMBERS_MAX = 1_000  # of one brand, for the same reason
RESET_MS = 3_600_000  # How long a link to a new password works.
FIRST_PASSWORD_MS = 7 * DAY_MS  # The same for somebody whom the operator has added.
FAILED_KEEP_MS = 35 * DAY_MS
CODE_BYTES = 10  # 16 letters, in groups of four
TOKEN_CHARACTERS_MAX = 200

NOBODY = "p_nobody"  # No id is so short.

_BETWEEN = "~"


class EmailTaken(Refused):
    """Somebody has an account under that e-mail address."""


class UnknownPerson(Refused):
    """Nobody has that id, or not in that brand."""


class UnknownReset(Refused):
    """The link to a new password was never there, was used, or is over."""


class WrongCode(Refused):
    """The code of the first set-up is another, or the set-up is over."""


class Member(Struct, frozen=True):
    """Somebody with a role in a brand."""

    person: Person
    role: str


class People:
    """The people of one instance."""

    def __init__(self, table: Table, trail: Trail, *, clock: Clock, random_bytes: RandomBytes, by: str) -> None:
        self.sessions = Sessions(table, clock=clock, random_bytes=random_bytes)
        self.invitations = Invitations(table, clock=clock, random_bytes=random_bytes)
        self._table = table
        self._trail = trail
        self._clock = clock
        self._random_bytes = random_bytes
        self._by = by

    def person(self, person_id: str) -> Person | None:
        """Return somebody by their id."""
        item = self._table.get(keys.person(person_id)) if person_id else None
        return None if item is None else convert(dict(item), type=Person)

    def by_email(self, email: str) -> Person | None:
        """Return somebody by their e-mail address."""
        item = self._table.get(keys.email(email))
        # Two reads in any case, so that the time tells nobody whether there is such an account.
        return self.person(NOBODY if item is None else str(item["person"]))

    def all(self) -> list[Person]:
        """Return everybody, in the order of their addresses."""
        found = [convert(dict(one.item), type=Person) for one in everything(self._table, keys.PEOPLE)]
        return sorted(found, key=lambda one: one.email)

    def needs_setup(self) -> bool:
        """Tell whether nobody owns the instance yet."""
        return not any(everything(self._table, keys.OWNERS))

    def code_if_needed(self) -> str:
        """Return the code that makes the first owner; empty when there is one."""
        return self.setup_code() if self.needs_setup() else ""

    def setup_code(self) -> str:
        """Return the code that makes the first owner; it is the same until it was used."""
        if not self.needs_setup():
            raise WrongCode("code", "is not needed any more: the instance has an owner; footfall people add makes more")
        item = self._table.get(keys.SETUP)
        if item is None:
            plain = letters(self._random_bytes(CODE_BYTES))
            code = "-".join(plain[start : start + 4] for start in range(0, len(plain), 4))
            with suppress(Changed):  # Somebody else has made one at this moment.
                self._table.put(Put(keys.SETUP, {"code": code}, expects=(Absent(),)))
            item = self._table.get(keys.SETUP)
        assert item is not None
        return str(item["code"])

    def require_setup_code(self, code: object) -> Action:
        """Return what uses the code of the set-up up, or raise WrongCode."""
        item = self._table.get(keys.SETUP) if self.needs_setup() else None
        kept = "" if item is None else str(item["code"])
        sent = code.strip().lower() if isinstance(code, str) else ""
        if not kept or not hmac.compare_digest(kept.encode(), sent.encode("utf-8", "surrogatepass")):
            raise WrongCode("code", "is not the one that footfall serve printed; footfall people setup-code shows it")
        return Delete(keys.SETUP, expects=(Equals("code", kept),))

    def add(
        self,
        new: NewPerson,
        *,
        roles: Mapping[str, str] | None = None,
        is_owner: bool = False,
        also: Sequence[Action] = (),
    ) -> Person:
        """Store somebody, in one transaction with whatever lets them in, or raise EmailTaken."""
        self._require_new(new.email)
        person = Person(
            id=new_person_id(self._random_bytes), email=new.email, name=new.name, password=new.password,
            created_at_ms=self._clock.now_ms(), is_owner=is_owner, **_brands_of(roles or {}),
        )  # fmt: skip
        by = self._by or person.signature
        actions: list[Action] = [
            Put(keys.person(person.id), _item(person), expects=(Absent(),)),
            Put(keys.email(person.email), {"person": person.id}, expects=(Absent(),)),
            *([Put(keys.owner(person.id), {})] if is_owner else []),
            # A code that was told to nobody who used it must not come to life again.
            *([Delete(keys.SETUP)] if is_owner and not also else []),
            *also,
            self._note(INSTANCE, Act.PERSON_ADDED, person, by=by, isOwner=is_owner),
        ]
        for brand, role in person.roles.items():
            actions += [
                _brand_is_there(brand),
                Put(keys.member(brand, person.id), {"role": role}),
                self._note(brand, Act.ROLE_CHANGED, person, by=by, role=role, before="none"),
            ]
        try:
            self._table.transact(actions)
        except Changed as error:
            self._require_new(new.email)
            raise Refused("account", "could not be made: what lets you in has just been used or changed") from error
        return person

    def members(self, brand: str) -> list[Member]:
        """Return those who have a role in a brand, in the order of their addresses."""
        found = [self.person(one.key.sort) for one in everything(self._table, keys.members(brand))]
        listed = [Member(one, one.roles[brand]) for one in found if one is not None and brand in one.roles]
        return sorted(listed, key=lambda one: one.person.email)

    def set_role(
        self,
        brand: str,
        person_id: str,
        role: str | None,
        *,
        must_be_member: bool = False,
        also: Sequence[Action] = (),
    ) -> Person:
        """Give somebody a role in a brand in the place of the one they had, or none; raise UnknownPerson.

        Whoever must be a member already cannot be found out about by those who only know an id.
        """
        person = self.person(person_id)
        before = None if person is None else person.roles.get(brand)
        if person is None or (before is None and (role is None or must_be_member)):
            raise UnknownPerson("person", f"{person_id[:40]!r} is nobody who has a role in the brand")
        if role is not None and before is None:
            self._require_room(brand)
        with_role = {role: frozenset((brand,))} if role is not None else {}
        without = {other: frozenset((brand,)) for other in ROLES if other != role}
        pointer = keys.member(brand, person.id)
        actions: list[Action] = [
            Update(keys.person(person.id), set_add=with_role, set_remove=without, expects=(Present(),)),
            Delete(pointer) if role is None else Put(pointer, {"role": role}),
            self._note(brand, Act.ROLE_CHANGED, person, role=role or "none", before=before or "none"),
            *([] if role is None else [_brand_is_there(brand)]),
            *also,
        ]
        self._transact(actions, brand)
        found = self.person(person.id)
        return person if found is None else found

    def invite(self, brand: str, *, role: str, email: str = "") -> tuple[str, Invitation]:
        """Store an invitation and return its link's text."""
        token, made, put = self.invitations.new(brand, role=role, email=email, by=self._by)
        note = self._trail.put_of(Note(brand, self._by, Act.INVITED, made.id, {"role": role, "email": email}))
        self._transact([put, note, _brand_is_there(brand)], brand)
        return token, made

    def withdraw(self, brand: str, invitation_id: str) -> Invitation:
        """Take an invitation back."""
        found = self.invitations.one(brand, invitation_id)
        note = self._trail.put_of(Note(brand, self._by, Act.INVITATION_WITHDRAWN, found.id, {"role": found.role}))
        self._table.transact([found.removal, note])
        return found

    def take_invitation(self, person: Person, found: Invitation) -> Person:
        """Give somebody who has an account the role that they are invited to; nobody loses by it."""
        has = person.roles.get(found.brand)
        role = found.role if has is None else max(has, found.role, key=ROLES.index)
        return self.set_role(found.brand, person.id, role, also=[found.removal])

    def set_password(self, person: Person, kept: str, *, act: Act | None, but: str = "") -> None:
        """Store a new password; every session of the person ends, but for the one that is named by its digest."""
        ended = [one for one in self.sessions.of(person.id) if one.digest != but] if act is not None else []
        update = Update(
            keys.person(person.id), set={"password": kept}, expects=(Present(), Equals("password", person.password))
        )
        note = [] if act is None else [self._note(INSTANCE, act, person, sessionsEnded=len(ended))]
        # A link that is on its way was for the password before.
        self._table.transact([update, Delete(keys.reset(person.id)), *note, *_removals(ended)])

    def new_reset(self, person: Person, *, life_ms: int = RESET_MS) -> str:
        """Return the text of a link with which somebody chooses a new password; an earlier one works no more."""
        secret = new_secret(self._random_bytes)
        put = Put(
            keys.reset(person.id), {"digest": digest_of_link(secret)}, expires_at_ms=self._clock.now_ms() + life_ms
        )
        self._table.transact([put, self._note(INSTANCE, Act.RESET_ASKED, person)])
        return f"{person.id}{_BETWEEN}{secret}"

    def behind_reset(self, token: object) -> Person:
        """Return whose password a link is for, or raise UnknownReset."""
        text = token if isinstance(token, str) and len(token) <= TOKEN_CHARACTERS_MAX else ""
        person_id, _, secret = text.partition(_BETWEEN)
        item = self._table.get(keys.reset(person_id)) if person_id else None
        kept = item["digest"] if item is not None else b""
        person = self.person(person_id)
        if person is None or not isinstance(kept, bytes) or not hmac.compare_digest(kept, digest_of_link(secret)):
            raise UnknownReset("token", "is not a link that works; it was used, or is over: ask for another")
        return person

    def sign_in(self, person: Person, *, browser: str) -> tuple[str, Session]:
        """Sign somebody in and return what their cookie is to hold."""
        note = self._note(INSTANCE, Act.SIGNED_IN, person, by=person.signature, browser=browser)
        return self.sessions.begin(person, browser=browser, also=[note])

    def sign_out(self, person: Person, sessions: Sequence[Session]) -> None:
        """End sessions of somebody."""
        note = self._note(INSTANCE, Act.SIGNED_OUT, person, by=person.signature, sessionsEnded=len(sessions))
        self._table.transact([*_removals(sessions), note])

    def count_failed(self) -> None:
        """Count a sign-in of today that failed; who tried is not written down."""
        day_ms = self._clock.now_ms() // DAY_MS * DAY_MS
        update = Update(keys.failed(instant_text(day_ms)), add={"n": 1}, expires_at_ms=day_ms + FAILED_KEEP_MS)
        self._table.update(update)

    def failed(self) -> dict[str, int]:
        """Return how many sign-ins failed on each of the last days of UTC."""
        found = everything(self._table, keys.FAILED)
        return {one.key.sort: n for one in found if isinstance(n := one.item["n"], int)}

    def has_other_owner(self, person: Person) -> bool:
        """Tell whether somebody else owns the instance, too."""
        return any(one.key.sort != keys.owner(person.id).sort for one in everything(self._table, keys.OWNERS))

    def remove(self, person: Person) -> None:
        """Forget somebody: their account, roles and sessions."""
        for brand in person.roles:
            self.set_role(brand, person.id, None)
        gone = [keys.person(person.id), keys.email(person.email), keys.owner(person.id), keys.reset(person.id)]
        note = self._note(INSTANCE, Act.PERSON_REMOVED, person)
        ended = _removals(self.sessions.of(person.id))
        self._table.transact([*(Delete(key) for key in gone), *ended, note])

    def forget_brand(self, brand: str) -> None:
        """Take every role and invitation in a brand away, before it goes: one of its name starts without members."""
        for one in everything(self._table, keys.members(brand)):
            without = {role: frozenset((brand,)) for role in ROLES}
            with suppress(Changed):
                self._table.update(Update(keys.person(one.key.sort), set_remove=without, expects=(Present(),)))
            self._table.delete(Delete(one.key))
        for found in self.invitations.of(brand):
            self._table.delete(Delete(keys.invitation(brand, found.id)))

    def _require_new(self, email: str) -> None:
        known = 0
        for one in everything(self._table, keys.EMAILS):
            known += 1
            if one.key.sort == email:
                raise EmailTaken("email", "has an account already; sign in, or have its password reset")
        if known >= PEOPLE_MAX:
            raise Refused("people", f"are {PEOPLE_MAX:,} already; remove those who are gone")

    def _require_room(self, brand: str) -> None:
        if sum(1 for _ in everything(self._table, keys.members(brand))) >= MEMBERS_MAX:
            raise Refused("members", f"are {MEMBERS_MAX:,} already; remove those who are gone")

    def _transact(self, actions: Sequence[Action], brand: str) -> None:
        try:
            self._table.transact(actions)
        except Changed as error:
            if self._table.get(_brand_key(brand)) is None:
                raise UnknownBrand(
                    "brand", f"{brand!r} has no members: footfall brands add {brand} stores it"
                ) from error
            raise Refused("token", "has just been used or withdrawn, or the brand or the person was removed") from error

    def _note(self, brand: str, act: Act, person: Person, *, by: str = "", **details: Detail) -> Put:
        return self._trail.put_of(Note(brand, by or self._by or person.signature, act, person.signature, details))


def _removals(sessions: Iterable[Session]) -> Iterator[Action]:
    return (action for one in sessions for action in removal(one))


def _brands_of(roles: Mapping[str, str]) -> dict[str, frozenset[str]]:
    return {role: frozenset(brand for brand, one in roles.items() if one == role) for role in ROLES}


def _brand_key(brand: str) -> Key:
    return Key("brands", brand)


def _brand_is_there(brand: str) -> Check:
    return Check(_brand_key(brand), (Present(), Equals("removed_at_ms", None)))


def _item(person: Person) -> Item:
    # Tables have no empty sets.
    return {name: value for name, value in structs.asdict(person).items() if value != frozenset()}
