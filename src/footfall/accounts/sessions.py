"""Sessions: who is signed in, kept on our side; the browser has 32 random bytes, of which we keep a hash."""

import base64
import hashlib
import hmac
import re
from collections.abc import Sequence
from contextlib import suppress

from msgspec import Struct, convert, structs, to_builtins

from footfall.accounts import people_keys as keys
from footfall.accounts.keys import RandomBytes
from footfall.accounts.people import Person
from footfall.ports.errors import Changed
from footfall.ports.items import Item
from footfall.ports.table import Action, Check, Delete, Equals, Present, Put, Table, Update, everything
from footfall.values.clock import Clock
from footfall.values.window import DAY_MS

COOKIE = "__Host-footfall"
TOKEN_BYTES, CSRF_BYTES = 32, 24
LIFE_MS, IDLE_MS = 30 * DAY_MS, 7 * DAY_MS
SESSIONS_MAX = 20  # of one person; the one that was used least lately gives way.
NOTE_EVERY_MS = 3_600_000  # A use is written down once an hour at most.
BROWSER_CHARACTERS_MAX = 60

_TOKEN = re.compile(r"[A-Za-z0-9_-]{43}")
_COOKIE = re.compile(rb"(?:^|;)[ \t]*__Host-footfall=([^;]*)")
_FAMILIES = (
    ("Edg", "Edge"),
    ("OPR/", "Opera"),
    ("SamsungBrowser/", "Samsung Internet"),
    ("Firefox/", "Firefox"),
    ("FxiOS/", "Firefox"),
    ("CriOS/", "Chrome"),
    ("Chrome/", "Chrome"),
    ("Safari/", "Safari"),
    ("curl/", "curl"),
    ("python", "Python"),
)
_SYSTEMS = (
    ("Android", "Android"),
    ("iPhone", "iPhone"),
    ("iPad", "iPad"),
    ("Windows", "Windows"),
    ("Mac OS X", "macOS"),
    ("CrOS", "ChromeOS"),
    ("Linux", "Linux"),
)


class Session(Struct, frozen=True, kw_only=True):
    """Somebody's being signed in with one browser."""

    digest: str  # of what the cookie holds, as 64 hex digits
    person: str
    created_at_ms: int
    used_at_ms: int  # to the hour
    csrf: str  # what changes have to repeat, which only our own pages can read
    browser: str = ""

    @property
    def expires_at_ms(self) -> int:
        """Return when it ends: after a week without use, or a month whatever happens."""
        return min(self.created_at_ms + LIFE_MS, self.used_at_ms + IDLE_MS)

    @property
    def id(self) -> str:
        """Return what its holder may know it by."""
        return self.digest[:16]

    def is_csrf(self, sent: str) -> bool:
        """Tell whether a request repeats what only our own pages know."""
        return hmac.compare_digest(self.csrf.encode(), sent.encode("utf-8", "surrogatepass"))


class Sessions:
    """The sessions of all people in one table."""

    def __init__(self, table: Table, *, clock: Clock, random_bytes: RandomBytes) -> None:
        self._table = table
        self._clock = clock
        self._random_bytes = random_bytes

    def begin(self, person: Person, *, browser: str, also: Sequence[Action] = ()) -> tuple[str, Session]:
        """Sign somebody in and return what the cookie is to hold; raise Changed when their password is another now."""
        now_ms = self._clock.now_ms()
        text, csrf = _text(self._random_bytes(TOKEN_BYTES)), _text(self._random_bytes(CSRF_BYTES))
        session = Session(
            digest=digest_of(text), person=person.id, created_at_ms=now_ms, used_at_ms=now_ms, csrf=csrf,
            browser=browser[:BROWSER_CHARACTERS_MAX],
        )  # fmt: skip
        before = sorted(self.of(person.id), key=lambda one: one.used_at_ms, reverse=True)
        gone = [action for one in before[SESSIONS_MAX - 1 :] for action in removal(one)]
        # Whoever is signing in with a password that is changed at this moment must not outlive the change.
        is_same = Check(keys.person(person.id), (Present(), Equals("password", person.password)))
        pointer = Put(keys.session_of(person.id, session.digest), {}, expires_at_ms=now_ms + LIFE_MS)
        put = Put(keys.session(session.digest), _item(session), expires_at_ms=session.expires_at_ms)
        self._table.transact([is_same, put, pointer, *gone, *also])
        return text, session

    def find(self, text: str) -> Session | None:
        """Return the session of what a cookie holds; None when there is none, or it is over."""
        if _TOKEN.fullmatch(text) is None:
            return None
        digest = digest_of(text)
        item = self._table.get(keys.session(digest))
        return None if item is None else _session(digest, item)

    def of(self, person_id: str) -> list[Session]:
        """Return somebody's sessions, the one used last first."""
        found: list[Session] = []
        for one in everything(self._table, keys.sessions(person_id)):
            item = self._table.get(keys.session(one.key.sort))
            if item is not None:
                found.append(_session(one.key.sort, item))
        return sorted(found, key=lambda one: (-one.used_at_ms, -one.created_at_ms, one.digest))

    def note_use(self, digest: str, used_at_ms: int) -> None:
        """Write down when a session was used; one that has ended meanwhile stays ended."""
        item = self._table.get(keys.session(digest))
        if item is None:
            return
        session = _session(digest, item)
        used = structs.replace(session, used_at_ms=max(used_at_ms, session.used_at_ms))
        with suppress(Changed):
            self._table.update(
                Update(
                    keys.session(digest),
                    set={"used_at_ms": used.used_at_ms},
                    expires_at_ms=used.expires_at_ms,
                    expects=(Present(),),
                )
            )


def removal(session: Session) -> list[Action]:
    """Return what ends a session."""
    return [Delete(keys.session(session.digest)), Delete(keys.session_of(session.person, session.digest))]


def digest_of(text: str) -> str:
    """Return what is kept of what a cookie holds."""
    return hashlib.sha256(text.encode("ascii")).hexdigest()


def cookie_in(header: bytes) -> str:
    """Return what the session's cookie holds in a Cookie header; empty when it is not there once."""
    found = _COOKIE.findall(header)
    return found[0].strip().decode("latin-1") if len(found) == 1 else ""


def browser_of(agent: str) -> str:
    """Return a browser in a few words, for its owner to know it by; nothing that tells one of them from another."""
    family = next((name for mark, name in _FAMILIES if mark in agent), "another browser")
    system = next((name for mark, name in _SYSTEMS if mark in agent), "")
    return f"{family} on {system}" if system else family


def _text(raw: bytes) -> str:
    return base64.urlsafe_b64encode(raw).decode("ascii").rstrip("=")


def _item(session: Session) -> Item:
    plain: dict[str, str | int] = to_builtins(session)
    return {name: value for name, value in plain.items() if name != "digest"}


def _session(digest: str, item: Item) -> Session:
    return convert({**item, "digest": digest}, type=Session)
