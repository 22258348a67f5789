"""Who is signed in: from a request's cookie to a person, as the table has both at that moment."""

from collections.abc import Callable, Mapping
from urllib.parse import urlsplit

from msgspec import Struct

from footfall.accounts.brands import KeyNeeded
from footfall.accounts.keyring import Caller, NotAllowed
from footfall.accounts.people import MAY, ROLES, Person
from footfall.accounts.people_store import People
from footfall.accounts.sessions import NOTE_EVERY_MS, Session, cookie_in
from footfall.values.clock import Clock
from footfall.values.errors import Refused

CSRF_HEADER = b"x-footfall-csrf"
READING = frozenset(("GET", "HEAD", "OPTIONS"))  # Whatever else is asked may change something.
USES_MAX = 10_000  # Sessions whose use waits to be written down; those beyond it are written with the next use.

Headers = Mapping[bytes, bytes]


class NotSignedIn(KeyNeeded):
    """Nobody is signed in, or not any more."""


class WrongPassword(Refused):
    """The e-mail address or the password is wrong; which of them is not said."""

    def __init__(self) -> None:
        super().__init__("password", "or e-mail address is wrong; footfall can mail a link to a new one")


class Forged(NotAllowed):
    """A browser sends a session's cookie with a change that none of our own pages has asked for."""


class Signed(Struct, frozen=True):
    """Somebody who is signed in, and with which session."""

    person: Person
    session: Session

    def caller(self, brand: str) -> Caller:
        """Return the person as whoever asks about a brand."""
        person = self.person
        return Caller(brand, person.id, person.may(brand), is_public=False, person=person.name)


class SignedIn:
    """Looks sessions up."""

    def __init__(self, people: Callable[[], People], *, clock: Clock, own_origin: str = "") -> None:
        self._people = people
        self._clock = clock
        self._own_origin = own_origin  # where people open the pages, as far as the operator says
        self._used: dict[str, int] = {}

    def find(self, headers: Headers) -> Signed | None:
        """Return who is signed in; None when nobody is."""
        text = cookie_in(headers[b"cookie"]) if b"cookie" in headers else ""
        if not text:
            return None
        people = self._people()
        session = people.sessions.find(text)
        person = None if session is None else people.person(session.person)
        if session is None or person is None:
            return None
        self._note(session)
        return Signed(person, session)

    def require(self, method: str, headers: Headers) -> Signed:
        """Return who is signed in, or raise NotSignedIn; raise Forged for a change that our pages did not ask for."""
        signed = self.find(headers)
        if signed is None:
            raise NotSignedIn("session", "is over, or there is none; sign in")
        self.require_own(signed, method, headers)
        return signed

    def caller(self, method: str, headers: Headers, *, brand: str, scope: str) -> Caller | None:
        """Return whom a session speaks for in a brand; None when nobody is signed in, NotAllowed without the role."""
        signed = self.find(headers)
        if signed is None:
            return None
        self.require_own(signed, method, headers)
        caller = signed.caller(brand)
        if scope not in caller.may:
            role = next(role for role in ROLES if scope in MAY[role])
            raise NotAllowed("brand", f"{brand[:64]!r} is none in which you are {_as_a(role)}, which this needs")
        return caller

    def require_own(self, signed: Signed, method: str, headers: Headers) -> None:
        """Raise Forged unless a request only reads, or is one of our own pages'."""
        if method in READING:
            return
        self.require_same_origin(headers)
        if not signed.session.is_csrf(headers.get(CSRF_HEADER, b"").decode("latin-1")):
            raise Forged("X-Footfall-CSRF", "is missing or wrong; send the csrf that GET /v1/session told")

    def require_same_origin(self, headers: Headers, *, must_tell: bool = True) -> None:
        """Raise Forged when a browser says that another site's page asks, or, if it must tell, does not say."""
        site, origin = headers.get(b"sec-fetch-site", b""), headers.get(b"origin", b"").decode("latin-1").lower()
        if site:
            is_own = site == b"same-origin"
        elif origin:
            host = headers.get(b"host", b"").decode("latin-1").lower()
            is_own = origin == self._own_origin or (bool(host) and urlsplit(origin).netloc == host)
        else:
            is_own = not must_tell
        if not is_own:
            raise Forged("Origin", "is not this site; such requests come from its own pages only")

    def uses_to_note(self) -> Mapping[str, int]:
        """Return the sessions that were used and not noted, with the moment; they are forgotten here."""
        used, self._used = self._used, {}
        return used

    def _note(self, session: Session) -> None:
        now_ms = self._clock.now_ms()
        if now_ms - session.used_at_ms >= NOTE_EVERY_MS and len(self._used) < USES_MAX:
            self._used[session.digest] = now_ms


def _as_a(role: str) -> str:
    return f"an {role}" if role[0] in "ae" else f"a {role}"
