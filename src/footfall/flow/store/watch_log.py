"""The watch log: what each session watched of an asset on a day, how many play now, and which sessions are over.

A row is written when its session is over, under a key that follows from what it says: written twice, it is one row.
The milliseconds of a day's rows are those of the day's windows. docs/formats/store.md draws it.
"""

import hashlib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import cast

import msgspec

from footfall.flow.store import keys
from footfall.flow.store.columns import ident_of
from footfall.ports.errors import Corrupt
from footfall.ports.table import BATCH_ITEMS_MAX, Item, Key, Put, Table, Value, everything

SEEN_BYTES = 13  # A bit for each hundredth.
LISTED_MAX = 500  # Assets and sections of which it is told how many play them.


@dataclass(frozen=True, slots=True, kw_only=True)
class WatchRow:
    """What a session watched of one asset on one of the brand's days."""

    brand: str
    day_ms: int
    shard: int
    session: str
    number: int  # of the beat with which it began
    asset: str
    section: str
    resource_type: str
    paid_type: str
    series: str
    member: str
    device: str
    from_ms: int
    to_ms: int
    ms: int
    duration_ms: int
    beats: int
    seen: bytes  # Hundredths of the asset; of a stretch over midnight, told with its first day only.


@dataclass(frozen=True, slots=True, kw_only=True)
class Viewers:
    """How many sessions play by what a shard knows, until nobody has said so for too long."""

    at_ms: int
    until_ms: int
    total: int
    sections: Sequence[tuple[str, int]]  # those with most viewers
    assets: Sequence[tuple[str, int]]
    sections_cut: int = 0  # as many, at most, has one that is left out; 0: none is
    assets_cut: int = 0


@dataclass(frozen=True, slots=True)
class SessionEnd:
    """Up to which beat a session was told when it was over, by which record, and what has to be known if it goes on."""

    brand: str
    session: str
    number: int
    by: int
    high_ms: int = 0  # the latest moment that a beat told
    viewed: Sequence[tuple[str, int, int, int]] = ()  # of assets: day, and the hundredths of both halves
    before: "SessionEnd | None" = None  # the end that it went on after, where both came about in one flush
    begun: Sequence[str] = ()  # assets whose viewing began, and nothing is known of what was seen


def session_digest(session: str) -> str:
    """Return the text that stands for a session in keys, whatever characters its name has."""
    return hashlib.blake2b(session.encode("utf-8", "surrogatepass"), digest_size=16).hexdigest()


def member_digest(member: str) -> str:
    """Return the text that stands for a member in keys, and where nobody is named any more."""
    return session_digest(member)


def save_rows(table: Table, rows: Iterable[tuple[WatchRow, int]]) -> None:
    """Write rows, each until it expires, and before a row of a member what names it as the member's."""
    puts = [put for row, expires_at_ms in rows for put in _puts(row, expires_at_ms)]
    _write(table, list({put.key: put for put in puts}.values()))


def rows_of_day(table: Table, brand: str, day_ms: int, *, shards: int, asset: str = "") -> Iterator[WatchRow]:
    """Yield the rows of a brand's day, of one asset or of all: one query for each shard."""
    first = keys.watched_asset(ident_of(asset)) if asset else None
    for shard in range(shards):
        partition = keys.watched_partition(brand, day_ms, shard)
        for found in everything(table, partition, at_least=first, at_most=None if first is None else f"{first}~"):
            row = row_from(found.item, brand=brand, day_ms=day_ms, shard=shard)
            if not asset or row.asset == asset:  # Two ids may share what their keys begin with.
                yield row


def page_of_day(  # noqa: PLR0913 - whose rows of when, how many, and from where
    table: Table, brand: str, day_ms: int, *, shards: int, asset: str, limit: int, after: tuple[int, str] | None
) -> tuple[list[WatchRow], tuple[int, str] | None]:
    """Return some rows of a brand's day, and where the next ones are (None: there are no more)."""
    first = keys.watched_asset(ident_of(asset)) if asset else None
    last = None if first is None else f"{first}~"
    rows: list[WatchRow] = []
    for shard in range(after[0] if after else 0, shards):
        partition = keys.watched_partition(brand, day_ms, shard)
        key = Key(partition, after[1]) if after and after[0] == shard else None
        while True:
            page = table.query(partition, at_least=first, at_most=last, limit=limit - len(rows), after=key)
            found = [row_from(one.item, brand=brand, day_ms=day_ms, shard=shard) for one in page.items]
            rows += [row for row in found if not asset or row.asset == asset]
            if page.items and len(rows) >= limit:
                return rows, (shard, page.items[-1].key.sort)
            key = page.after
            if key is None:
                break
    return rows, None


def save_viewers(table: Table, brand: str, shard: int, viewers: Viewers) -> None:
    """Write how many play now, those with most viewers one by one."""
    sections, assets = viewers.sections, viewers.assets
    item: dict[str, Value] = {
        "at_ms": viewers.at_ms,
        "until_ms": viewers.until_ms,
        "total": viewers.total,
        "sections": [list(one) for one in sections[:LISTED_MAX]],
        "assets": [list(one) for one in assets[:LISTED_MAX]],
        "sections_cut": sections[LISTED_MAX][1] if len(sections) > LISTED_MAX else 0,
        "assets_cut": assets[LISTED_MAX][1] if len(assets) > LISTED_MAX else 0,
    }
    table.put(Put(keys.viewers(brand, shard), item, expires_at_ms=viewers.until_ms))


def load_viewers(table: Table, brand: str, *, now_ms: int) -> list[Viewers]:
    """Return what every shard knows of who plays now: one query."""
    found = (msgspec.convert(one.item, Viewers) for one in everything(table, keys.viewers_partition(brand)))
    return [one for one in found if one.until_ms > now_ms]


def save_ends(table: Table, ends: Iterable[SessionEnd], *, expires_at_ms: int) -> None:
    """Remember up to which beat sessions were told, and by which record they were over."""
    puts = [
        Put(keys.session_end(one.brand, session_digest(one.session)), _end_item(one), expires_at_ms=expires_at_ms)
        for one in ends
    ]
    _write(table, list({put.key: put for put in puts}.values()))


def end_before(table: Table, brand: str, session: str, *, record: int) -> SessionEnd | None:
    """Return what is known of a session that was over before a record; None: it was not."""
    item = table.get(keys.session_end(brand, session_digest(session)))
    if item is None:
        return None
    try:
        end: SessionEnd | None = _end_from(item, brand, session)
    except msgspec.ValidationError as error:
        raise Corrupt(f"the end of a session of {brand} cannot be read: {error}") from error
    # One that a later record ended is not over yet for whoever reads the records again.
    while end is not None and end.by >= record:
        end = end.before
    return end


def _end_item(end: SessionEnd) -> dict[str, Value]:
    item: dict[str, Value] = {
        "number": end.number,
        "by": end.by,
        "high_ms": end.high_ms,
        "viewed": [list(asset) for asset in end.viewed],
        **({"begun": list(end.begun)} if end.begun else {}),
    }
    return item if end.before is None else {**item, "before": _end_item(end.before)}


def _end_from(item: Item, brand: str, session: str) -> SessionEnd:
    before = item.get("before")
    named = {"brand": brand, "session": session}
    earlier = _end_from(before, brand, session) if isinstance(before, Mapping) else None
    end = msgspec.convert({**item, **named, "before": None}, SessionEnd)
    return replace(end, before=earlier)


def _puts(row: WatchRow, expires_at_ms: int) -> list[Put]:
    key = keys.watched(
        row.brand, row.day_ms, row.shard,
        ident=ident_of(row.asset), digest=session_digest(row.session), number=row.number,
    )  # fmt: skip
    item = {name: value for name in _STORED if (value := getattr(row, name))}
    puts = [Put(key, cast("Mapping[str, Value]", item), expires_at_ms=expires_at_ms)]
    if row.member:
        named = keys.watched_by(row.brand, member_digest(row.member), key)
        puts.insert(0, Put(named, {"from_ms": row.from_ms}, expires_at_ms=expires_at_ms))
    return puts


def _write(table: Table, puts: Sequence[Put]) -> None:
    for start in range(0, len(puts), BATCH_ITEMS_MAX):
        table.write(puts[start : start + BATCH_ITEMS_MAX])


_WHERE = ("brand", "day_ms", "shard")
_STORED = tuple(name for name in WatchRow.__slots__ if name not in _WHERE)
_NOTHING: Mapping[str, Value] = {
    "number": 0, "session": "", "asset": "", "section": "", "resource_type": "", "paid_type": "", "series": "",
    "member": "", "device": "", "from_ms": 0, "to_ms": 0, "ms": 0, "duration_ms": 0, "beats": 0, "seen": b"",
}  # fmt: skip


def row_from(item: Item, *, brand: str, day_ms: int, shard: int) -> WatchRow:
    """Return the row that an item holds."""
    try:
        return msgspec.convert({**_NOTHING, **item, "brand": brand, "day_ms": day_ms, "shard": shard}, WatchRow)
    except msgspec.ValidationError as error:
        raise Corrupt(f"a row of the watch log of {brand} cannot be read: {error}") from error
