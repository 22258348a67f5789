"""Bytes under their hash, and what refers to them: rows and no counter, so that nothing can be counted wrong.

A row is written before the bytes are. Bytes that lost a row are marked, and go a day later when no row is left. Whoever
takes them away claims the mark first, and nobody writes a row beside a claimed mark: so no row ever names bytes that
are on their way out.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from hashlib import sha256

from footfall.archive import finding, keys
from footfall.archive.captures import Capture, Kept, State
from footfall.archive.stored import request_from
from footfall.ports.blobs import Blobs
from footfall.ports.errors import Changed, Corrupt, Throttled
from footfall.ports.table import Action, Delete, Equals, Found, Present, Put, Table, Update, everything

LOOSE_MS = 86_400_000
PREFIX = "archive/"
AT_ONCE = 30  # rows of one transaction, with three actions each
_UNCLAIMED = (Equals("claimed", None),)


def name_of(sha256: str) -> str:
    """Return the name under which bytes with this hash lie."""
    return f"{PREFIX}{sha256[:2]}/{sha256}"


def bytes_of(blobs: Blobs, kept: Kept | str) -> bytes:
    """Return bytes that are kept; raise Corrupt when they are not there."""
    digest = kept if isinstance(kept, str) else kept.sha256
    data = blobs.get(name_of(digest))
    if data is None:
        raise Corrupt(f"the bytes {digest} are not where they were kept; `footfall archive admin verify` tells all")
    return data


@dataclass(slots=True)
class Holding:
    """Bytes that a capture is going to refer to, until they are stored."""

    id: str
    _data: dict[str, bytes] = field(default_factory=dict[str, bytes])

    def add(self, data: bytes) -> Kept:
        """Take bytes; equal ones are taken once."""
        digest = sha256(data).hexdigest()
        self._data[digest] = data
        return Kept(digest, len(data))

    @property
    def size_bytes(self) -> int:
        """Return how many bytes they are."""
        return sum(len(data) for data in self._data.values())

    def store(self, table: Table, blobs: Blobs, *, now_ms: int) -> Sequence[str]:
        """Write all rows, then all bytes that are not there yet, and return their hashes."""
        for chunk in _chunks(list(self._data)):
            actions: list[Action] = []
            for digest in chunk:
                actions += [
                    Put(keys.reference(digest, self.id), {"at": now_ms}),
                    Put(keys.held_by(self.id, digest), {"size": len(self._data[digest])}),
                    Delete(keys.loose(digest), expects=_UNCLAIMED),
                ]
            try:
                table.transact(actions)
            except Changed as error:
                raise Throttled(f"bytes of capture {self.id} are just being removed; try again") from error
        for digest, data in self._data.items():
            if blobs.size_bytes(name_of(digest)) != len(data):
                blobs.put(name_of(digest), data)
        return list(self._data)


def held(table: Table, id: str) -> Iterator[Kept]:
    """Yield all bytes that a capture refers to, those that its pack names among them."""
    for found in everything(table, keys.held(id)):
        size = found.item["size"]
        assert isinstance(size, int)
        yield Kept(found.key.sort, size)


def let_go(table: Table, id: str, *, now_ms: int) -> int:
    """Let a capture refer to nothing; return how many bytes it let go of."""
    gone = [one.sha256 for one in held(table, id)]
    for chunk in _chunks(gone):
        actions: list[Action] = []
        for digest in chunk:
            actions += [
                Delete(keys.reference(digest, id)),
                Delete(keys.held_by(id, digest)),
                Update(keys.loose(digest), set={"since": now_ms}, expects=_UNCLAIMED),
            ]
        try:
            table.transact(actions)
        except Changed as error:
            raise Throttled(f"bytes of capture {id} are just being removed; try again") from error
    return len(gone)


def remove_loose(table: Table, blobs: Blobs, *, now_ms: int, after_ms: int = LOOSE_MS, limit: int = 1_000_000) -> int:
    """Remove bytes that nothing has referred to for a day, and return how many; done by one process at a time."""
    removed = 0
    for found in everything(table, keys.LOOSE):
        is_claimed = bool(found.item.get("claimed"))
        since = found.item["since"]
        assert isinstance(since, int)
        if is_claimed or since <= now_ms - after_ms:
            removed += _remove(table, blobs, found, is_claimed=is_claimed)
        if removed >= limit:
            break
    return removed


def is_referred_to(table: Table, digest: str, *, now_ms: int) -> bool:
    """Tell whether anything refers to bytes, and let go for those who are gone for good."""
    is_so = False
    for found in everything(table, keys.references(digest)):
        if _is_there(table, found.key.sort):
            is_so = True
        else:
            let_go(table, found.key.sort, now_ms=now_ms)
    return is_so


def mark_loose(table: Table, digest: str, *, now_ms: int) -> None:
    """Say that nothing refers to bytes, unless it is said."""
    try:
        table.put(Put(keys.loose(digest), {"since": now_ms}, expects=(Equals("since", None),)))
    except Changed:
        return


def _is_there(table: Table, id: str) -> bool:
    """Tell whether a capture is there, or may still come to be."""
    item = table.get(keys.request(id))  # first: it ends in the moment in which its capture comes to be
    if item is not None and request_from(item).state in (State.PENDING, State.RUNNING):
        return True
    return isinstance(finding.capture(table, id), Capture)


def _remove(table: Table, blobs: Blobs, found: Found, *, is_claimed: bool) -> int:
    digest = found.key.sort
    if not is_claimed:
        try:
            expects = (Equals("since", found.item["since"]), Present())
            table.update(Update(found.key, set={"claimed": True}, expects=expects))
        except Changed:
            return 0  # Something refers to it again, or let go of it again.
    is_wanted = bool(table.query(keys.references(digest), limit=1).items)
    if not is_wanted:
        blobs.delete(name_of(digest))
        table.delete(Delete(keys.damaged(digest)))
    table.delete(Delete(found.key))
    return 0 if is_wanted else 1


def _chunks(digests: Sequence[str]) -> Iterator[Sequence[str]]:
    for at in range(0, len(digests), AT_ONCE):
        yield digests[at : at + AT_ONCE]
