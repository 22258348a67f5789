"""Statements: a period's money as it was divided, closed for good; what was wrong is put right by entries after it.

The lines lie in blocks under their own digest, written first; the head names them and is put on the condition that
there is none. So a statement is there whole or not at all, and nobody closes a period twice. Nor any day of it under
another name: with the head goes a number that whoever closes has read before they looked which days are taken.
"""

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from hashlib import sha256
from typing import Any, cast

import zstandard
from msgspec import convert, json, to_builtins

from footfall.audience import earning_keys as keys
from footfall.audience.earnings import Division, Line, Method, Terms, Unwatched
from footfall.audience.statement_errors import AlreadyClosed, DaysClosed, NotClosed
from footfall.ports.errors import Changed, Corrupt, Throttled
from footfall.ports.table import Absent, Equals, Put, Table, everything
from footfall.values.window import instant_text

BLOCK_BYTES = 300_000  # of an item's 400,000
LEVEL = 6
TRIES_MAX = 8  # Periods are closed by few people: more of them at one moment are told to try again.


@dataclass(frozen=True, slots=True, kw_only=True)
class Entry:
    """A statement (number 0) or a correction of it: what was said then, and never again otherwise."""

    name: str  # of the period
    number: int
    from_ms: int
    to_ms: int
    currency: str
    digits: int
    method: Method
    unwatched: Unwatched
    amount: int  # what was there to be divided; of a correction, by how much that changed
    undivided: int
    watched_ms: int
    reason: str  # of a correction
    by: str
    at_ms: int
    log: str  # the digest of the rows it was made from
    digest: str  # of its lines
    terms: str  # the digest of its terms
    lines: int


def entry_of(  # noqa: PLR0913 - what was divided, into what, and who says so when
    terms: Terms,
    division: Division,
    *,
    lines: Sequence[Line],
    log: str,
    by: str,
    at_ms: int,
    number: int = 0,
    reason: str = "",
) -> Entry:
    """Return the head of a statement."""
    return Entry(
        name=terms.name, number=number, from_ms=terms.from_ms, to_ms=terms.to_ms, currency=terms.currency,
        digits=terms.digits, method=terms.method, unwatched=terms.unwatched, amount=terms.amount,
        undivided=division.undivided, watched_ms=division.watched_ms, reason=reason, by=by, at_ms=at_ms, log=log,
        digest=_digest(_lines_bytes(lines)), terms=_digest(_terms_bytes(terms)), lines=len(lines),
    )  # fmt: skip


def close(table: Table, brand: str, entry: Entry, *, lines: Sequence[Line], terms: Terms) -> None:
    """Write a statement or a correction for good; raise AlreadyClosed when its place, or one of its days, is taken."""
    _write_blocks(table, _lines_of(brand, entry), _lines_bytes(lines))
    _write_blocks(table, _terms_of(brand, entry), _terms_bytes(terms))
    for _ in range(TRIES_MAX):
        closed = _times_closed(table, brand)
        require_free(table, brand, entry)
        try:
            table.transact(_puts(brand, entry, closed))
        except Changed:
            continue  # Somebody closed something at the same moment: these days, or others.
        return
    raise Throttled(f"others are closing periods of {brand!r} at this moment; try again")


def require_free(table: Table, brand: str, entry: Entry) -> None:
    """Raise AlreadyClosed when the entry is there, DaysClosed when another period has some of its days."""
    if table.get(keys.entry(brand, entry.name, entry.number)) is not None:
        raise AlreadyClosed(entry.name)
    for other in _closed_days(table, brand):
        from_ms, to_ms = max(entry.from_ms, other.from_ms), min(entry.to_ms, other.to_ms)
        if other.name != entry.name and from_ms < to_ms:
            days = f"{instant_text(from_ms)} to {instant_text(to_ms)}"
            raise DaysClosed(entry.name, other=other.name, days=days)


def entries(table: Table, brand: str, name: str) -> list[Entry]:
    """Return a period's statement and its corrections, in their order; raise NotClosed when there is none."""
    found = [convert(dict(one.item), type=Entry) for one in everything(table, keys.entries(brand, name))]
    if not found:
        raise NotClosed(name)
    return found


def statements(table: Table, brand: str) -> Iterator[Entry]:
    """Yield the statement of each period that was closed, by the periods' names."""
    for one in _closed_days(table, brand):
        item = table.get(keys.entry(brand, one.name, 0))
        if item is None:
            raise Corrupt(f"the statement of {one.name!r} is missing: restore it from a backup")
        yield convert(dict(item), type=Entry)


def lines_of(table: Table, brand: str, entry: Entry) -> list[Line]:
    """Return the lines of an entry; raise Corrupt when they are not those that were written."""
    data = _read_blocks(table, _lines_of(brand, entry))
    _require_digest(data, entry.digest, entry)
    return [Line(*row) for row in json.decode(data, type=list[tuple[str, str, int, int]])]


def terms_of(table: Table, brand: str, entry: Entry) -> Terms:
    """Return on which terms an entry was made; raise Corrupt when they are not those that were written."""
    data = _read_blocks(table, _terms_of(brand, entry))
    _require_digest(data, entry.terms, entry)
    return json.decode(data, type=Terms)


def sums_of(entries: Sequence[Sequence[Line]]) -> list[Line]:
    """Return what entries come to together, by asset and owner."""
    money, time_ms = Counter[tuple[str, str]](), Counter[tuple[str, str]]()
    for line in (line for lines in entries for line in lines):
        money[line.asset, line.owner] += line.amount
        time_ms[line.asset, line.owner] += line.watched_ms
    return [Line(*key, time_ms[key], money[key]) for key in sorted(money)]


def differences(right: Sequence[Line], told: Sequence[Line]) -> list[Line]:
    """Return the lines of a correction: what has to be added to what was told for it to be right."""
    undone = [Line(one.asset, one.owner, -one.watched_ms, -one.amount) for one in told]
    return [one for one in sums_of([right, undone]) if one.amount or one.watched_ms]


@dataclass(frozen=True, slots=True)
class _ClosedDays:
    """Which days a period has, by its last entry."""

    name: str
    from_ms: int
    to_ms: int


def _closed_days(table: Table, brand: str) -> Iterator[_ClosedDays]:
    for one in everything(table, keys.closed_periods(brand)):
        if one.key != keys.book(brand):
            yield convert(dict(one.item), type=_ClosedDays)


def _times_closed(table: Table, brand: str) -> int:
    item = table.get(keys.book(brand))
    return 0 if item is None else cast("int", item["closed"])


def _puts(brand: str, entry: Entry, closed: int) -> list[Put]:
    item = cast("dict[str, Any]", to_builtins(entry))
    days = cast("dict[str, Any]", to_builtins(_ClosedDays(entry.name, entry.from_ms, entry.to_ms)))
    as_read = Equals("closed", closed) if closed else Absent()
    return [
        Put(keys.entry(brand, entry.name, entry.number), item, expects=[Absent()]),
        Put(keys.closed_period(brand, entry.name), days),
        Put(keys.book(brand), {"closed": closed + 1}, expects=[as_read]),
    ]


def _lines_bytes(lines: Sequence[Line]) -> bytes:
    return json.encode([[one.asset, one.owner, one.watched_ms, one.amount] for one in lines])


def _terms_bytes(terms: Terms) -> bytes:
    return json.encode(terms, order="deterministic")


def _digest(data: bytes) -> str:
    return sha256(data).hexdigest()


def _require_digest(data: bytes, digest: str, entry: Entry) -> None:
    if _digest(data) != digest:
        raise Corrupt(f"entry {entry.number} of {entry.name!r} is not what was closed: restore it from a backup")


def _lines_of(brand: str, entry: Entry) -> str:
    return keys.blocks(brand, entry.name, entry.number, entry.digest)


def _terms_of(brand: str, entry: Entry) -> str:
    return keys.blocks(brand, entry.name, entry.number, entry.terms)


def _write_blocks(table: Table, partition: str, data: bytes) -> None:
    packed = zstandard.ZstdCompressor(level=LEVEL).compress(data)
    for number, start in enumerate(range(0, len(packed), BLOCK_BYTES)):
        table.put(Put(keys.block(partition, number), {"data": packed[start : start + BLOCK_BYTES]}))


def _read_blocks(table: Table, partition: str) -> bytes:
    packed = b"".join(cast("bytes", block.item["data"]) for block in everything(table, partition))
    try:
        return zstandard.ZstdDecompressor().decompress(packed)
    except zstandard.ZstdError as error:
        raise Corrupt(f"the blocks under {partition!r} are not those that were closed") from error
