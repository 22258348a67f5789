"""The audit trail: who did what when, for every act of an operator or an editor. Entries are added and never changed.

An entry is written in one transaction with what it tells of, where that lies in the same table; else before it is done,
so that nothing is done without a trace.
"""

import hashlib
import itertools
import re
from collections.abc import Mapping, Sequence
from enum import StrEnum

import msgspec
from msgspec import Struct

from footfall.ports.items import Item
from footfall.ports.table import Key, Put, Table
from footfall.values.clock import Clock
from footfall.values.errors import Refused
from footfall.values.window import DAY_MS, instant_text

COMMAND_LINE = "command line"  # Whoever owns the directory or the account has no key.
NO_KEY = "no key"  # An open brand asks for none.
USER_CHARACTERS_MAX = 64
KEEP_MS_DEFAULT = 400 * DAY_MS
PAGE_MAX = 1_000
DETAILS_MAX = 20
TEXT_CHARACTERS_MAX = 300  # of a subject or a detail; what is longer is cut, and ends in an ellipsis.

_CURSOR = re.compile(r"[0-9]{15}-[0-9a-f]{16}")
_ORDER_MASK = 0xFFFF

Detail = str | int | bool | None


class Act(StrEnum):
    """What can have been done."""

    BRAND_ADDED = "brand-added"
    BRAND_CHANGED = "brand-changed"
    BRAND_REMOVED = "brand-removed"
    KEY_ADDED = "key-added"
    KEY_ROTATED = "key-rotated"
    KEY_REVOKED = "key-revoked"
    RECOUNT_ASKED = "recount-asked"
    ASIDE_REPLAYED = "aside-replayed"
    COUNTER_DELETED = "counter-deleted"
    COUNTER_IMPORTED = "counter-imported"
    ASSET_DELETED = "asset-deleted"
    LIST_UPDATED = "list-updated"
    RULES_CHANGED = "rules-changed"
    VERDICT_CONFIRMED = "verdict-confirmed"
    VERDICT_RELEASED = "verdict-released"
    ASSET_PINNED = "asset-pinned"
    ASSET_UNPINNED = "asset-unpinned"
    ASSET_HIDDEN = "asset-hidden"
    ASSET_SHOWN = "asset-shown"
    METRIC_ADDED = "metric-added"
    METRIC_CHANGED = "metric-changed"
    METRIC_DEPRECATED = "metric-deprecated"
    METRIC_RESTORED = "metric-restored"
    METRIC_REMOVED = "metric-removed"
    METRICS_APPLIED = "metrics-applied"
    SIGNED_IN = "signed-in"
    SIGNED_OUT = "signed-out"
    PERSON_ADDED = "person-added"
    PERSON_REMOVED = "person-removed"
    PASSWORD_CHANGED = "password-changed"  # noqa: S105 - the name of an act
    RESET_ASKED = "reset-asked"
    PASSWORD_RESET = "password-reset"  # noqa: S105 - the name of an act
    INVITED = "invited"
    INVITATION_WITHDRAWN = "invitation-withdrawn"
    ROLE_CHANGED = "role-changed"
    ALERT_ADDED = "alert-added"
    ALERT_CHANGED = "alert-changed"
    ALERT_REMOVED = "alert-removed"
    ALERT_ROTATED = "alert-rotated"
    ALERT_TURNED_OFF = "alert-turned-off"
    CAPTURE_SHARED = "capture-shared"
    CAPTURE_UNSHARED = "capture-unshared"
    CAPTURE_HELD = "capture-held"
    CAPTURE_RELEASED = "capture-released"
    CAPTURE_REMOVED = "capture-removed"
    WATCH_ADDED = "watch-added"
    WATCH_CHANGED = "watch-changed"
    WATCH_REMOVED = "watch-removed"
    PERIOD_CLOSED = "period-closed"
    PERIOD_CORRECTED = "period-corrected"
    THING_ERASED = "thing-erased"


class Note(Struct, frozen=True):
    """An act that is to be written down."""

    brand: str
    by: str  # the id of a key, a person's name with their id, the command line with its user, or NO_KEY
    act: Act
    subject: str = ""  # what it was done to: a key's id, an asset, a counter, a span
    details: Mapping[str, Detail] = {}


class Entry(Struct, frozen=True):
    """An act as it was written down."""

    at_ms: int
    by: str
    act: str  # A later release may have written one that this one does not know.
    subject: str = ""
    details: Mapping[str, Detail] = {}


def command_line(user: object) -> str:
    """Return who acts on the command line: its user, as the operating system and the request name them, if they do."""
    name = "".join(one for one in user if one.isprintable()).strip() if isinstance(user, str) else ""
    return f"{COMMAND_LINE}, user {name[:USER_CHARACTERS_MAX]}" if name else COMMAND_LINE


class Trail:
    """The audit trail of all brands in one table."""

    def __init__(self, table: Table, *, clock: Clock, keep_ms: int = KEEP_MS_DEFAULT) -> None:
        self._table = table
        self._clock = clock
        self._keep_ms = keep_ms
        self._order = itertools.count()

    def write(self, note: Note) -> None:
        """Write an act down."""
        self._table.put(self.put_of(note))

    def put_of(self, note: Note) -> Put:
        """Return what writes an act down, for a transaction with the act itself."""
        now_ms = self._clock.now_ms()
        if len(note.details) > DETAILS_MAX:
            raise Refused("details", f"has {len(note.details)} entries, at most {DETAILS_MAX} are kept")
        details = {name: _short(value) if isinstance(value, str) else value for name, value in note.details.items()}
        item: Item = {"at_ms": now_ms, "by": note.by, "act": note.act.value, "subject": _short(note.subject)}
        item = {**item, "details": details}
        # Acts of one millisecond stand in the order in which they were done; two processes differ in the digest.
        order = next(self._order) & _ORDER_MASK
        digest = hashlib.blake2b(msgspec.json.encode(item), digest_size=6).hexdigest()
        sort = f"{now_ms:015d}-{order:04x}{digest}"
        return Put(Key(_partition(note.brand), sort), item, expires_at_ms=now_ms + self._keep_ms)

    def page(self, brand: str, *, limit: int, after: str = "") -> tuple[Sequence[Entry], str]:
        """Return a brand's acts, the newest first, and where to go on; empty when that is all."""
        if after and _CURSOR.fullmatch(after) is None:
            raise Refused("after", f"{after[:40]!r} is not what an answer said; send it as it was")
        found = self._table.query(
            _partition(brand),
            backwards=True,
            limit=limit,
            after=Key(_partition(brand), after) if after else None,
        )
        entries = [msgspec.convert(dict(one.item), type=Entry) for one in found.items]
        return entries, found.after.sort if found.after is not None else ""


def document_of_entry(entry: Entry) -> dict[str, object]:
    """Return an act as people read it."""
    return {
        "at": instant_text(entry.at_ms),
        "by": entry.by,
        "act": entry.act,
        "subject": entry.subject,
        "details": dict(sorted(entry.details.items())),  # Tables keep no order of names.
    }


def document_of_page(trail: Trail, brand: str, *, limit: int, after: str) -> dict[str, object]:
    """Return a page of the trail as people read it, the same over HTTP and on the command line."""
    entries, next_after = trail.page(brand, limit=limit, after=after)
    told: dict[str, object] = {"brand": brand, "items": [document_of_entry(one) for one in entries]}
    return {**told, "after": next_after} if next_after else told


def _partition(brand: str) -> str:
    return f"audit#{brand}"


def _short(text: str) -> str:
    return text if len(text) <= TEXT_CHARACTERS_MAX else f"{text[: TEXT_CHARACTERS_MAX - 1]}…"
