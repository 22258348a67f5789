"""What the routes of people share: attempts that are counted, passwords that are hashed, links that are sent."""

import asyncio
import logging
import secrets
import time
from collections.abc import Callable, Coroutine, Mapping
from typing import Any, TypeVar

from starlette.requests import Request
from starlette.responses import Response

from footfall.accounts.attempts import Attempts, TooManyAttempts
from footfall.accounts.brands import Brands
from footfall.accounts.passwords import Passwords
from footfall.accounts.people import ADMINISTRATOR, VIEWER, Person, document_of_person
from footfall.accounts.people_store import People
from footfall.accounts.sessions import COOKIE, LIFE_MS, Session, browser_of
from footfall.accounts.signed_in import Signed, SignedIn
from footfall.app.people_links import link_to, mail_from
from footfall.ports.errors import Changed
from footfall.ports.mail import Letter, NotMailed
from footfall.shells.http.brands import document_in, told
from footfall.shells.http.site import Site
from footfall.values.clock import SystemClock
from footfall.values.errors import Refused
from footfall.values.window import instant_text

HASHED_AT_ONCE_MAX = 2  # Each takes 19 MiB and a core for a moment; more would only wait for each other.
LATER_MAX, LATER_WAIT_S = 100, 60  # Letters that wait for the mail server, and how long the next is to wait.

_T = TypeVar("_T")
_log = logging.getLogger(__name__)


class Reception:
    """Where people come in."""

    def __init__(self, state: Site) -> None:
        assert state.access.signed_in is not None
        self.state = state
        self.signed_in: SignedIn = state.access.signed_in
        self.passwords = Passwords(secrets.token_bytes)
        self._attempts = Attempts(secrets.token_bytes(32), seconds=time.monotonic)
        self._mail = mail_from(state.settings, SystemClock())
        self._hashing = asyncio.Semaphore(HASHED_AT_ONCE_MAX)
        self._later: set[asyncio.Task[None]] = set()

    async def asked(self, do: Callable[[People], _T], *, by: str = "") -> _T:
        """Return what those who have accounts are asked for or changed to; by names who does it, or nobody yet."""
        return await self.state.desk.look(lambda register: do(register.acting(by).people))

    def signed(self, request: Request) -> Signed:
        """Return who is signed in, or raise what becomes 401 or 403."""
        return self.signed_in.require(request.method, dict(request.scope["headers"]))

    def found(self, request: Request) -> Signed | None:
        """Return who is signed in; None when nobody is."""
        return self.signed_in.find(dict(request.scope["headers"]))

    def require_own_page(self, request: Request) -> None:
        """Raise Forged when another site's page asks somebody's browser to sign in or to make an account."""
        self.signed_in.require_same_origin(dict(request.scope["headers"]), must_tell=False)

    def try_once(self, request: Request, what: str, subject: str = "") -> tuple[str, ...]:
        """Count an attempt, or raise TooManyAttempts; return what gives it back when it went well."""
        place = self.state.access.place_of_page(request).hex()
        subjects = [f"{what}:{subject}"] if subject else []
        subjects += [f"{what}@{place}"] if place else []
        self._attempts.take(*subjects)
        return tuple(subjects)

    def try_to_sign_in(self, request: Request, email: str) -> tuple[str, ...]:
        """Count an attempt to sign in; whoever knows an e-mail address locks its owner out of no other network."""
        place = self.state.access.place_of_page(request).hex()
        there = f"sign-in:{email}@{place}"
        subjects = [there, *([f"sign-in@{place}"] if place else [])]
        # Where somebody has signed in before, guesses from elsewhere do not count.
        spread = "" if self._attempts.is_known(there) else f"sign-in:{email}"
        self._attempts.take(*subjects, spread=spread)
        return (*subjects, *([spread] if spread else []))

    def signed_in_well(self, attempt: tuple[str, ...]) -> None:
        """Give an attempt to sign in back, and remember from where it went well."""
        self.went_well(attempt)
        self._attempts.know(attempt[0])

    def went_well(self, attempt: tuple[str, ...]) -> None:
        """Give an attempt back."""
        self._attempts.give_back(*attempt)

    async def hashed(self, password: str) -> str:
        """Return what is kept of a password."""
        async with self._hashing:
            return await asyncio.to_thread(self.passwords.hashed, password)

    async def is_right(self, person: Person | None, password: object) -> bool:
        """Tell whether it is somebody's password, in the same time whether there is anybody or not."""
        kept = "" if person is None else person.password
        async with self._hashing:
            return await asyncio.to_thread(self.passwords.is_right, kept, password)

    async def mailed(self, letter: Letter) -> bool:
        """Hand a letter over if there is a server for it, and tell whether it was taken."""
        if self._mail is None:
            return False
        try:
            await asyncio.to_thread(self._mail.send, letter)
        except NotMailed as error:
            _log.warning("%s", error)
            return False
        return True

    async def seem_to_mail(self) -> None:
        """Take the time that mailing takes."""
        if self._mail is not None:
            try:
                await asyncio.to_thread(self._mail.try_out)
            except NotMailed as error:
                _log.warning("%s", error)

    def link(self, page: str, token: str, request: Request | None = None) -> str:
        """Return the address of a page that a token opens; a request may say what our own address is."""
        host = request.headers.get("host", "") if request is not None else ""
        return link_to(self.state.settings, page, token, host=host)

    def do_later(self, work: Callable[[], Coroutine[None, None, None]]) -> None:
        """Let work go on after its answer, or raise TooManyAttempts when too much of it waits."""
        if len(self._later) >= LATER_MAX:
            raise TooManyAttempts(LATER_WAIT_S)
        task = asyncio.get_running_loop().create_task(work())
        self._later.add(task)
        task.add_done_callback(self._later.discard)

    async def welcomed(self, request: Request, person: Person, *, status: int = 200) -> Response:
        """Sign somebody in and return the answer that tells them so, with its cookie."""
        browser = browser_of(request.headers.get("user-agent", ""))
        try:
            text, session = await self.asked(lambda people: people.sign_in(person, browser=browser))
        except Changed as error:
            raise Refused("password", "was changed at this moment; sign in again") from error
        answer = told(await self.document(Signed(person, session)), status=status)
        answer.headers.append("set-cookie", cookie_line(text, seconds=LIFE_MS // 1_000))
        return answer

    async def document(self, signed: Signed | None) -> dict[str, Any]:
        """Return what a page has to know first."""
        settings = self.state.settings
        person = None if signed is None else signed.person
        return {
            "person": None if person is None else document_of_person(person),
            "csrf": None if signed is None else signed.session.csrf,
            "brands": _brands_of(self.state.brands, person),
            "register": settings.people_register,
            "needsSetup": await self.asked(lambda people: people.needs_setup()),
        }

    async def note_uses(self) -> None:
        """Write down which sessions were used, so that they do not end for want of use."""
        used = self.signed_in.uses_to_note()
        if used:
            await self.asked(lambda people: _note(people, used))


def cookie_line(text: str, *, seconds: int) -> str:
    """Return the line that gives a browser its cookie, or, with no text, takes it away."""
    return f"{COOKIE}={text}; Path=/; Secure; HttpOnly; SameSite=Lax; Max-Age={seconds}"


def without_cookie(answer: Response) -> Response:
    """Return an answer that takes the cookie away."""
    answer.headers.append("set-cookie", cookie_line("", seconds=0))
    return answer


async def fields_in(request: Request, known: tuple[str, ...]) -> dict[str, Any]:
    """Return what a request's body says, or raise Refused for anything that is not asked for."""
    asked = await document_in(request)
    for name in asked:
        if name not in known:
            raise Refused(name[:64] or "body", f"is not asked for here; what may be said is {', '.join(known)}")
    return asked


def _brands_of(brands: Brands, person: Person | None) -> list[dict[str, Any]]:
    """Return the brands that somebody may look at, and as what; one without keys is everybody's to look at."""
    roles = person.roles if person is not None else {}
    found: list[dict[str, Any]] = []
    for name in brands.names():
        brand = brands.named(name)
        role = roles.get(name) or (VIEWER if brands.is_open(name) else "")
        role = ADMINISTRATOR if person is not None and person.is_owner else role
        if brand is not None and role:
            about = {"brand": name, "title": brand.title, "zone": brand.zone, "periods": sorted(brand.periods)}
            found.append({**about, "role": role, "isOpen": brands.is_open(name)})
    return found


def _note(people: People, used: Mapping[str, int]) -> None:
    for digest, at_ms in used.items():
        people.sessions.note_use(digest, at_ms)


def document_of_session(session: Session, this: Session) -> dict[str, Any]:
    """Return a session as its holder reads it."""
    return {
        "id": session.id,
        "browser": session.browser,
        "created": instant_text(session.created_at_ms),
        "lastUsed": instant_text(session.used_at_ms),
        "expires": instant_text(session.expires_at_ms),
        "isThis": session.digest == this.digest,
    }
