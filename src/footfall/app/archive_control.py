"""What somebody may do with the archive, given who it is: ask for pages, see captures, share, hold and remove them.

Whoever asks has spaces: their own and the brand's. What lies in neither does not exist for them, in the same words as
what never was.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from footfall.accounts.audit import Act, Note
from footfall.accounts.brands import KeyNeeded
from footfall.accounts.keyring import Caller, NotAllowed
from footfall.accounts.keys import EDIT
from footfall.app.archive_told import document_of_tombstone, is_in_brand
from footfall.archive import finding, keys, removing, requests
from footfall.archive.addresses import Address
from footfall.archive.captures import Capture, Request, State, Tombstone
from footfall.archive.indexing import text_of
from footfall.archive.quotas import NO_QUOTAS, Quotas
from footfall.archive.references import bytes_of
from footfall.archive.removing import Held, NoSuchCapture
from footfall.archive.requests import NoSuchRequest
from footfall.archive.stored import new_id
from footfall.ports.blobs import Blobs
from footfall.ports.searching import Searching
from footfall.ports.table import Table
from footfall.values.errors import Refused

OPERATOR = "operator"
PAGES_LOOKED_AT_MAX = 10  # of requests, for those in one state
WHY_BYTES_MAX = 500
REUSE_MINUTES_MAX = 44_640  # a month

_OPTIONS = ("hideBanners", "hideSticky", "keepErrors", "share")


class CaptureRemoved(Refused):
    """The capture was there, and was removed; its tombstone says when and why."""

    def __init__(self, stone: Tombstone) -> None:
        super().__init__("id", "of this capture is a tombstone's: it was removed")
        self.stone = stone

    @property
    def more(self) -> Mapping[str, object]:
        """Return the tombstone."""
        return {"tombstone": document_of_tombstone(self.stone)}


@dataclass(frozen=True, slots=True)
class Archive:
    """What the archive stands on."""

    table: Table
    blobs: Blobs
    searching: Searching
    search_kind: str  # full-text or words
    quotas: Quotas = NO_QUOTAS

    def text(self, capture: Capture) -> str:
        """Return a capture's text."""
        return bytes_of(self.blobs, capture.text).decode("utf-8", "replace")

    def let_be_found(self, capture: Capture) -> None:
        """Let a capture be found by words in the spaces that it lies in now."""
        self.searching.add(text_of(capture, self.text(capture)))


@dataclass(frozen=True, slots=True, kw_only=True)
class Asker:
    """Who asks, in which brand."""

    brand: str
    id: str  # a person's, `key:ID`, or empty for whoever names an open brand
    is_person: bool
    may: frozenset[str]
    signature: str  # as the audit trail names them

    @property
    def is_editor(self) -> bool:
        """Tell whether they may do what concerns all members."""
        return EDIT in self.may

    @property
    def own_space(self) -> str:
        """Return the space that their captures lie in."""
        return keys.member_space(self.id) if self.is_person else keys.brand_space(self.brand)

    @property
    def spaces(self) -> Sequence[str]:
        """Return the spaces whose captures they see."""
        return list(dict.fromkeys((self.own_space, keys.brand_space(self.brand))))


def asker_from(brand: str, caller: Caller | None) -> Asker:
    """Return who asks, of whom a request's key or session speaks."""
    if caller is None:
        return Asker(brand=brand, id="", is_person=False, may=frozenset(), signature="")
    is_person = bool(caller.person)
    return Asker(
        brand=brand,
        id=caller.key_id if is_person else f"key:{caller.key_id}",
        is_person=is_person,
        may=caller.may,
        signature=caller.signature,
    )


def require_known(asker: Asker) -> None:
    """Raise unless it can be said who asks, and, of a key, unless it may edit: what it keeps is the whole brand's."""
    if not asker.id:
        raise KeyNeeded("key", "is missing; sign in, or send a secret key with the scope edit in Authorization: Bearer")
    if not asker.is_person:
        require_editor(asker)


def require_editor(asker: Asker) -> None:
    """Raise unless whoever asks may do what concerns all members."""
    if not asker.id:
        raise KeyNeeded("key", "is missing; send a secret key with the scope edit in Authorization: Bearer")
    if not asker.is_editor:
        what = "you are an editor, which this needs" if asker.is_person else "this key has the scope edit"
        raise NotAllowed("brand", f"{asker.brand[:64]!r} is none in which {what}")


@dataclass(frozen=True, slots=True)
class Wish:
    """What a document asks to be kept, and how."""

    address: Address
    hide_banners: bool = False
    hide_sticky: bool = False
    keep_errors: bool = False
    share: bool = False
    reuse_ms: int = 0


def wish_from(document: Mapping[str, Any], *, address_of: Callable[[str], Address]) -> Wish:
    """Return what a document asks for, or raise Refused."""
    for name in document:
        if name not in ("url", "reuseWithinMinutes", *_OPTIONS):
            known = ", ".join(("url", *_OPTIONS, "reuseWithinMinutes"))
            raise Refused(name[:64] or "body", f"is no field here; those are {known}")
    url = document.get("url")
    if not isinstance(url, str):
        raise Refused("url", "is missing or not a text; send the address of a page")
    chosen = {name: document.get(name, False) for name in _OPTIONS}
    for name, value in chosen.items():
        if not isinstance(value, bool):
            raise Refused(name, "is neither true nor false")
    minutes = document.get("reuseWithinMinutes", 0)
    if type(minutes) is not int or not 0 <= minutes <= REUSE_MINUTES_MAX:
        raise Refused("reuseWithinMinutes", f"is not a whole number from 0 to {REUSE_MINUTES_MAX:,}")
    return Wish(address_of(url), *chosen.values(), reuse_ms=minutes * 60_000)


def ask_for(archive: Archive, asker: Asker, wish: Wish, *, now_ms: int, random: bytes) -> tuple[Request, bool]:
    """Open a request; return it and whether it is new, or the one that is open or done for the same page."""
    require_known(asker)
    if wish.share:
        require_editor(asker)
    asked = Request(
        id=new_id(now_ms=now_ms, random=random), brand=asker.brand, space=asker.own_space, by=asker.id,
        typed=wish.address.typed, url=wish.address.url, key=wish.address.key, at_us=now_ms * 1_000,
        hide_banners=wish.hide_banners, hide_sticky=wish.hide_sticky, keep_errors=wish.keep_errors,
        is_shared=wish.share and asker.is_person,
    )  # fmt: skip
    opened = requests.ask(archive.table, asked, now_ms=now_ms, quotas=archive.quotas, reuse_ms=wish.reuse_ms)
    return opened, opened.id == asked.id and opened.state is State.PENDING


def request_of(archive: Archive, asker: Asker, request_id: str) -> Request:
    """Return a request that whoever asks may see."""
    found = requests.one(archive.table, request_id)
    if found.space not in asker.spaces:
        raise NoSuchRequest("id", f"{request_id[:40]!r} is not a request here")
    return found


def requests_of(
    archive: Archive, asker: Asker, *, state: State | None, limit: int, after: str | None
) -> tuple[Sequence[Request], str | None]:
    """Return what whoever asks has asked for, the newest first, and where to go on."""
    found: list[Request] = []
    for _ in range(PAGES_LOOKED_AT_MAX):
        page = requests.of(archive.table, asker.own_space, limit=limit - len(found), after=after)
        found += [one for one in page.items if state is None or one.state is state]
        after = page.after
        if after is None or len(found) >= limit:
            break
    return found, after


def retry(archive: Archive, asker: Asker, request_id: str, *, now_ms: int) -> Request:
    """Let a request that failed wait again."""
    require_known(asker)
    found = request_of(archive, asker, request_id)
    if found.space != asker.own_space:
        require_editor(asker)
    return requests.retry(archive.table, found.id, now_ms=now_ms, quotas=archive.quotas)


def capture_of(archive: Archive, asker: Asker, capture_id: str) -> Capture:
    """Return a capture that whoever asks may see; raise CaptureRemoved for its tombstone."""
    found = finding.capture(archive.table, capture_id)
    if found is None or not finding.is_visible(found, asker.spaces):
        raise NoSuchCapture("id", f"{capture_id[:40]!r} is not a capture here")
    if isinstance(found, Tombstone):
        raise CaptureRemoved(found if asker.id else replace(found, removed_by="", why=""))
    return found


@dataclass(frozen=True, slots=True)
class ActOnCapture:
    """Something that is done to a capture, and what is written down before it is done."""

    note: Note | None
    done: Callable[[], object]


def sharing(archive: Archive, asker: Asker, capture_id: str) -> ActOnCapture:
    """Return what shows a capture to all members of the brand."""
    capture = _acted_on(archive, asker, capture_id)
    note = None if is_in_brand(capture, asker.brand) else _note(asker, Act.CAPTURE_SHARED, capture)
    return ActOnCapture(note, lambda: archive.let_be_found(removing.share(archive.table, capture.id)))


def unsharing(archive: Archive, asker: Asker, capture_id: str) -> ActOnCapture:
    """Return what shows a capture to whoever asked for it alone, again."""
    capture = _acted_on(archive, asker, capture_id)
    is_shared = is_in_brand(capture, asker.brand) and capture.spaces[0] != keys.brand_space(asker.brand)
    note = _note(asker, Act.CAPTURE_UNSHARED, capture) if is_shared else None
    return ActOnCapture(note, lambda: archive.let_be_found(removing.unshare(archive.table, capture.id)))


def holding(archive: Archive, asker: Asker, capture_id: str) -> ActOnCapture:
    """Return what puts a capture under legal hold: nobody removes it until it is released."""
    capture = _acted_on(archive, asker, capture_id)
    note = None if capture.held_by else _note(asker, Act.CAPTURE_HELD, capture)
    return ActOnCapture(note, lambda: removing.hold(archive.table, capture.id, by=asker.signature))


def releasing(archive: Archive, asker: Asker, capture_id: str) -> ActOnCapture:
    """Return what ends a legal hold."""
    capture = _acted_on(archive, asker, capture_id)
    note = _note(asker, Act.CAPTURE_RELEASED, capture) if capture.held_by else None
    return ActOnCapture(note, lambda: removing.release(archive.table, capture.id))


def removal(archive: Archive, asker: Asker, capture_id: str, *, why: str, now_ms: int) -> ActOnCapture:
    """Return what removes a capture: one's own alone, or, as an editor, one that the brand sees."""
    require_known(asker)
    require_why(why)
    capture = capture_of(archive, asker, capture_id)
    _require_of_brand(asker, capture)
    if capture.held_by is not None:  # Before it is written down that it was removed.
        raise Held("id", f"{capture.id} is under legal hold by {capture.held_by}; it has to be released before")
    note = None  # What only its member ever saw is nobody else's to read of.
    if is_in_brand(capture, asker.brand):
        require_editor(asker)
        note = _note(asker, Act.CAPTURE_REMOVED, capture, why=why)

    def remove() -> None:
        removing.remove(archive.table, capture.id, by=asker.signature, why=why, now_ms=now_ms)
        archive.searching.remove(capture.id)

    return ActOnCapture(note, remove)


def require_why(why: str) -> None:
    """Raise Refused unless a reason can stand in the place of what was removed."""
    if len(why.encode("utf-8", "replace")) > WHY_BYTES_MAX or not why.isprintable():
        raise Refused("why", f"is not a text of one line of at most {WHY_BYTES_MAX} bytes")


def _acted_on(archive: Archive, asker: Asker, capture_id: str) -> Capture:
    require_editor(asker)
    capture = capture_of(archive, asker, capture_id)
    _require_of_brand(asker, capture)
    return capture


def _require_of_brand(asker: Asker, capture: Capture) -> None:
    """Raise when a member's own capture was made in another brand, which alone it can be shown to."""
    if capture.brand != asker.brand:
        raise NoSuchCapture("id", f"{capture.id!r} was not made in {asker.brand!r}; name the brand that it was made in")


def _note(asker: Asker, act: Act, capture: Capture, **more: str) -> Note:
    return Note(asker.brand, asker.signature, act, capture.id, {"url": capture.url, **more})
