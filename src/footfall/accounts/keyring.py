"""The keys of all brands in memory: from the text that a request brings to the brand that it speaks for."""

from collections.abc import Iterable, Mapping, Sequence

from msgspec import Struct

from footfall.accounts.keys import (
    PUBLIC_MARK,
    SECRET_MARK,
    SIGNING_MARK,
    KeyRecord,
    is_secret_of,
    what_scopes_allow,
)
from footfall.values.errors import Refused

HOUR_MS = 3_600_000


class UnknownKey(Refused):
    """A key was sent that does not exist, or does not exist any more."""


class NotAllowed(Refused):
    """The key is known, and what it asks for is not its to have."""


class OriginNotAllowed(NotAllowed):
    """A browser sends a brand's public key from a page that the brand does not list."""


class Caller(Struct, frozen=True):
    """Who asks: the brand that the key or the session speaks for, and what it may do."""

    brand: str
    key_id: str
    may: frozenset[str]
    is_public: bool
    also_reads: tuple[str, ...] = ()
    person: str = ""  # the name of whoever is signed in; the id is theirs, then
    label: str = ""  # of a key

    @property
    def signature(self) -> str:
        """Return who it is as the audit trail names them."""
        return f"{self.person} ({self.key_id})" if self.person else self.key_id

    @property
    def called(self) -> str:
        """Return who it is for people who read it later: with the label of the key, if it has one."""
        return f"{self.label} ({self.key_id})" if self.label and not self.person else self.signature


class Keyring:
    """Every key that works, and the hour each was last seen in."""

    def __init__(self, *, hour_ms: int = 0) -> None:
        self._records: dict[str, tuple[KeyRecord, Caller]] = {}
        self._ids: dict[str, tuple[str, ...]] = {}  # of each brand
        self._signing: dict[str, tuple[KeyRecord, ...]] = {}  # of each brand that has any
        self._lent: dict[str, tuple[KeyRecord, Caller]] = {}
        self._hour_ms = hour_ms
        self._used: dict[str, int] = {}

    def replace(self, brand: str, records: Iterable[KeyRecord]) -> None:
        """Take a brand's keys as they are stored now."""
        for key_id in self._ids.pop(brand, ()):
            del self._records[key_id]
        taken = {one.id: one for one in records}
        for key_id, record in taken.items():
            may = what_scopes_allow(record.scopes)
            caller = Caller(brand, key_id, may, record.is_public, record.also_reads, label=record.label)
            self._records[key_id] = (record, caller)
        if taken:
            self._ids[brand] = tuple(taken)
        self._signing.pop(brand, None)
        if signing := tuple(one for one in taken.values() if one.signing):
            self._signing[brand] = signing

    def lend(self, record: KeyRecord) -> None:
        """Take a secret key that is stored nowhere: it works until the process ends, whatever becomes of the brand."""
        may = what_scopes_allow(record.scopes)
        caller = Caller(record.brand, record.id, may, record.is_public, label=record.label)
        self._lent[record.id] = (record, caller)

    def caller(self, text: str, *, now_ms: int) -> Caller:
        """Return whom a key speaks for, or raise UnknownKey."""
        if text.startswith(PUBLIC_MARK):
            found = self._records.get(text[len(PUBLIC_MARK) :])
            if found is None or not found[0].is_public:
                raise _unknown()
        else:
            found = self._secret(text)
        record, caller = found
        if record.expires_at_ms is not None and now_ms >= record.expires_at_ms:
            raise _unknown()
        self.note_use(caller.key_id)
        return caller

    def signers(self, brand: str, *, now_ms: int) -> Sequence[KeyRecord]:
        """Return the brand's signing keys that work now."""
        return [one for one in self._signing.get(brand, ()) if one.expires_at_ms is None or now_ms < one.expires_at_ms]

    def note_use(self, key_id: str) -> None:
        """Remember that a key was used in this hour."""
        if self._used.get(key_id) != self._hour_ms:
            self._used[key_id] = self._hour_ms

    def turn_hour(self, *, now_ms: int) -> None:
        """Let uses from now on be of the hour that has come."""
        self._hour_ms = now_ms // HOUR_MS * HOUR_MS

    def uses_to_note(self) -> Sequence[tuple[KeyRecord, int]]:
        """Return the keys whose stored last use is older than the hour they were last seen in."""
        due: list[tuple[KeyRecord, int]] = []
        for key_id, hour_ms in self._used.items():
            found = self._records.get(key_id)
            if found is not None and (found[0].used_at_ms or 0) < hour_ms:
                due.append((found[0], hour_ms))
        return due

    def forget_unknown_uses(self) -> None:
        """Let go of the uses of keys that are gone."""
        self._used = {key_id: at_ms for key_id, at_ms in self._used.items() if key_id in self._records}

    @property
    def used(self) -> Mapping[str, int]:
        """Return the hour that each key was last seen in, since the start."""
        return self._used

    def _secret(self, text: str) -> tuple[KeyRecord, Caller]:
        if text.startswith(SIGNING_MARK):
            raise UnknownKey(
                "key", "is a signing key, which signs and is never sent; send a secret key, and replace this one"
            )
        if not text.startswith(SECRET_MARK):
            raise _unknown()
        key_id, _, secret = text[len(SECRET_MARK) :].partition("_")
        found = self._records.get(key_id) or self._lent.get(key_id)
        if found is None or found[0].kind != "secret" or not is_secret_of(found[0], secret):
            raise _unknown()
        return found


def _unknown() -> UnknownKey:
    # The key is not repeated: what was sent may be a secret of somebody else's.
    return UnknownKey("key", "is not one that works here; it may be mistyped, revoked or over")
