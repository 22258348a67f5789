"""Verifying: every stored object against its hash, and every capture's objects for being there; in pieces, resumable.

How far it has come lies in the table, so that whoever is stopped goes on there. What is wrong is written down until a
later round finds it sound.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from hashlib import sha256

from msgspec import convert, to_builtins

from footfall.archive import finding, keys
from footfall.archive.captures import Capture
from footfall.archive.references import PREFIX, held, is_referred_to, mark_loose, name_of
from footfall.archive.stored import blobs_of
from footfall.ports.blobs import PAGE_NAMES_MAX, Blobs
from footfall.ports.table import Delete, Key, Put, Table, everything

BYTES, CAPTURES, DONE = "bytes", "captures", "done"
CHANGED, MISSING = "changed", "missing"
_NAME = "verify"


@dataclass(frozen=True, slots=True, kw_only=True)
class Round:
    """How far a round has come, and what it found."""

    phase: str = BYTES
    brand: str = ""
    after: str = ""
    began_at_ms: int = 0
    ended_at_ms: int = 0
    objects: int = 0
    bytes: int = 0
    captures: int = 0
    changed: int = 0  # whose bytes are not what was written
    missing: int = 0  # that captures refer to, and that are not there
    loose: int = 0  # that nothing refers to; they go a day later

    @property
    def is_done(self) -> bool:
        """Tell whether everything was looked at."""
        return self.phase == DONE


@dataclass(frozen=True, slots=True)
class Damage:
    """Bytes that are not as they were kept."""

    sha256: str
    what: str
    found_at_ms: int


def verify_some(table: Table, blobs: Blobs, *, now_ms: int, limit: int = 200) -> Round:
    """Go on with the round, or begin one when the last is done, by so many objects or captures."""
    present = last_round(table)
    if present is None or present.is_done:
        present = Round(began_at_ms=now_ms)
    step = _objects if present.phase == BYTES else _captures
    present = step(table, blobs, present, now_ms=now_ms, limit=limit)
    if present.is_done:
        present = replace(present, ended_at_ms=now_ms)
    table.put(Put(keys.sweep(_NAME), to_builtins(present)))
    return present


def last_round(table: Table) -> Round | None:
    """Return how far the present round is, or what the last one found."""
    item = table.get(keys.sweep(_NAME))
    return None if item is None else convert(dict(item), type=Round)


def damages(table: Table) -> Sequence[Damage]:
    """Return everything that was found wrong and not found sound again."""
    return [convert({**found.item, "sha256": found.key.sort}, type=Damage) for found in everything(table, keys.DAMAGED)]


def _objects(table: Table, blobs: Blobs, present: Round, *, now_ms: int, limit: int) -> Round:
    known = {one.sha256 for one in damages(table)}
    page = blobs.page(PREFIX, after=present.after or None, limit=min(limit, PAGE_NAMES_MAX))
    size = changed = loose = 0
    for listed in page.blobs:
        digest = listed.name.rpartition("/")[2]
        data = blobs.get(listed.name)
        if data is None:
            continue  # It was removed in this moment.
        size += len(data)
        if sha256(data).hexdigest() != digest:
            changed += 1
            _note(table, digest, CHANGED, now_ms=now_ms)
        elif digest in known:
            table.delete(Delete(keys.damaged(digest)))
        if not is_referred_to(table, digest, now_ms=now_ms):
            loose += 1
            mark_loose(table, digest, now_ms=now_ms)
    return replace(
        present,
        phase=BYTES if page.after is not None else CAPTURES,
        after=page.after or "",
        objects=present.objects + len(page.blobs),
        bytes=present.bytes + size,
        changed=present.changed + changed,
        loose=present.loose + loose,
    )


def _captures(table: Table, blobs: Blobs, present: Round, *, now_ms: int, limit: int) -> Round:
    brands = [found.key.sort for found in everything(table, keys.BRANDS)]
    left = [name for name in brands if name >= present.brand]
    if not left:
        return replace(present, phase=DONE)
    brand, after = left[0], present.after if left[0] == present.brand else ""
    at = Key(keys.all_of(brand), after) if after else None
    page = table.query(keys.all_of(brand), limit=limit, after=at)
    missing = sum(_missing(table, blobs, str(found.item["id"]), now_ms=now_ms) for found in page.items)
    present = replace(present, captures=present.captures + len(page.items), missing=present.missing + missing)
    if page.after is not None:
        return replace(present, brand=brand, after=page.after.sort)
    if len(left) == 1:
        return replace(present, phase=DONE, brand="", after="")
    return replace(present, brand=left[1], after="")


def _missing(table: Table, blobs: Blobs, id: str, *, now_ms: int) -> int:
    capture = finding.capture(table, id)
    named = blobs_of(capture) if isinstance(capture, Capture) else ()  # whatever rows say that it refers to
    digests = {one.sha256 for one in (*held(table, id), *named)}
    missing = [digest for digest in sorted(digests) if blobs.size_bytes(name_of(digest)) is None]
    for digest in missing:
        _note(table, digest, MISSING, now_ms=now_ms)
    return len(missing)


def _note(table: Table, digest: str, what: str, *, now_ms: int) -> None:
    table.put(Put(keys.damaged(digest), {"what": what, "found_at_ms": now_ms}))
