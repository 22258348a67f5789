"""The only place where keys of the store are built, and where they are read back.

A window's partition is `brand#grain#start`. Heads, blocks and visitors lie in it under different first letters, so
that a query over its heads never reads the others. Partitions that belong to no brand begin with `@`, which no brand
name may hold, nor may it hold `#`.
"""

import hashlib
from dataclasses import dataclass

from footfall.ports.table import Key
from footfall.values.window import Grain, Window, instant_text, moment_from_text

ALL = "all"  # the part that holds what all shards of a window held
HEADS_FROM, HEADS_TO = "h#", "h#~"
VISITORS_FROM, VISITORS_TO = "v#", "v#~"
BLOCKS_MAX = 1_000  # Three digits in the key; some 350 MB of one summary.
SHARDS = "@shards"

_LATE = "#late"


@dataclass(frozen=True, slots=True)
class Pending:
    """A window that a shard has written to and that is not final."""

    shard: int
    grain: Grain
    start_ms: int
    brand: str


@dataclass(frozen=True, slots=True)
class WatchedRow:
    """Where a row of the watch log lies, and what its key tells."""

    key: Key
    day_ms: int
    shard: int
    session: str  # as a digest


@dataclass(frozen=True, slots=True)
class Position:
    """Where in the stream something stood: the record, and which of its hits."""

    through: int
    n: int


def shard_name(shard: int) -> str:
    """Return the shard's part of keys, which is also the name of its summaries' part."""
    return f"s{shard:02d}"


def shard_from_name(name: str) -> int:
    """Return the shard whose name this is."""
    return int(name.removeprefix("s"))


def late_part(shard: int) -> str:
    """Return the part in which hits wait that came after their window had closed."""
    return shard_name(shard) + _LATE


def is_late_part(part: str) -> bool:
    """Tell whether the part is a shard's late hits."""
    return part.endswith(_LATE)


def shard_of_part(part: str) -> str:
    """Return the name of the shard that writes the part."""
    return part.removesuffix(_LATE)


def partition(brand: str, window: Window) -> str:
    """Return where everything about a brand's window lies."""
    return f"{_plain(brand)}#{window.grain}#{instant_text(window.from_ms)}"


def head(brand: str, window: Window, part: str) -> Key:
    """Return the key of a summary's head."""
    return Key(partition(brand, window), HEADS_FROM + part)


def part_from_head(key: Key) -> str:
    """Return the part whose head lies under the key."""
    return key.sort.removeprefix(HEADS_FROM)


def block(brand: str, window: Window, *, part: str, through: int, checksum: str, n: int) -> Key:
    """Return the key of one block of a summary.

    The checksum is in it because a re-count may give the same `through` another content, and blocks that a
    head names are never written over.
    """
    return Key(partition(brand, window), f"z#{part}#{through:020d}#{checksum}#{n:03d}")


def visitors(brand: str, window: Window, *, part: str, through: int, checksum: str, n: int) -> Key:
    """Return the key of one piece of what a part of a window knows of its visitors.

    The checksum is in it because two that count the same shard may have read equally far from different places.
    """
    return Key(partition(brand, window), f"{VISITORS_FROM}{part}#{through:020d}#{checksum}#{n:03d}")


def part_from_visitors(key: Key) -> str:
    """Return the part that wrote a piece of a window's visitors."""
    return key.sort.removeprefix(VISITORS_FROM).partition("#")[0]


def through_of_visitors(key: Key) -> int:
    """Return the last record that a piece of a window's visitors was written with."""
    return int(key.sort.removeprefix(VISITORS_FROM).split("#")[1])


def checkpoint(shard: int) -> Key:
    """Return the key of the shard's checkpoint and ledger."""
    return Key(SHARDS, shard_name(shard))


def pending_partition(shard: int) -> str:
    """Return where the shard's windows that are not final are listed."""
    return f"@pending#{shard_name(shard)}"


def pending(shard: int, grain: Grain, start_ms: int, brand: str) -> Key:
    """Return the key under which the shard lists a window that is not final."""
    return Key(pending_partition(shard), f"{grain}#{instant_text(start_ms)}#{_plain(brand)}")


def pending_from_key(key: Key) -> Pending:
    """Return the window that is listed under the key."""
    grain, start, brand = key.sort.split("#")
    shard = shard_from_name(key.partition.removeprefix("@pending#"))
    return Pending(shard=shard, grain=Grain(grain), start_ms=moment_from_text(start, field="start"), brand=brand)


def retention() -> Key:
    """Return the key under which it is kept for how long windows have been kept."""
    return Key("@retention", "history")


def forgotten() -> Key:
    """Return the key under which it is kept for which rule of retention windows were looked through."""
    return Key("@retention", "forgotten")


def rows_state() -> Key:
    """Return the key under which it is kept how far windows have been written as rows."""
    return Key("@rows", "state")


def righted(brand: str) -> Key:
    """Return where it says up to which verdicts a brand's past has been counted again."""
    return Key("@righted", brand)


def journal_partition(shard: int) -> str:
    """Return where the shard's journal lies."""
    return f"@journal#{shard_name(shard)}"


def journal(shard: int, number: int, checksum: str = "") -> Key:
    """Return the key of the journal's entry of a checkpoint's number.

    Where two may write for the same number, of whom one will fail, the entry's checksum keeps them apart.
    """
    return Key(journal_partition(shard), f"{number:020d}#{checksum}" if checksum else f"{number:020d}")


def journal_end(shard: int, number: int) -> str:
    """Return a sort key after every entry of a number and before those of the next."""
    return f"{journal(shard, number).sort}#~"


def journal_number(key: Key) -> int:
    """Return the checkpoint's number of a journal's entry."""
    return int(key.sort.partition("#")[0])


def ids_partition(shard: int) -> str:
    """Return where the shard's blocks of seen ids lie."""
    return f"@ids#{shard_name(shard)}"


def ids_from(hour_ms: int) -> str:
    """Return where in that partition the blocks of an hour of arrival begin."""
    return f"{instant_text(hour_ms)}#"


def ids_block(shard: int, hour_ms: int, *, through: int, checksum: str) -> Key:
    """Return the key of a block of ids that were first seen in an hour of arrival.

    The checksum is in it because a rival at the same checkpoint may have read further: neither writes over the other's.
    """
    return Key(ids_partition(shard), f"{ids_from(hour_ms)}{through:020d}#{checksum}")


def hour_of_ids(key: Key) -> int:
    """Return the start of the hour of arrival that a block of ids is about."""
    return moment_from_text(key.sort.partition("#")[0], field="hour")


def replayed(brand: str, line: str, *, shard: int, sequence: int) -> Key:
    """Return the key that remembers that a set-aside record was counted after all."""
    return Key(f"{_plain(brand)}#replayed", f"{line}#{shard_name(shard)}#{sequence:020d}")


def side_partition(brand: str, kind: str) -> str:
    """Return where the brand's hits of a kind lie that were set aside."""
    return f"{_plain(brand)}#side#{_plain(kind)}"


def side(brand: str, kind: str, through: int, n: int) -> Key:
    """Return the key of some hits that were set aside: the record of the first, and its shard."""
    return Key(side_partition(brand, kind), f"{through:020d}#{n:06d}")


def position_from_side(key: Key) -> Position:
    """Return where in the stream the first of the hits stood that were set aside."""
    through, n = key.sort.split("#")
    return Position(through=int(through), n=int(n))


def reasons_at(brand: str, day_ms: int) -> Key:
    """Return the key of what a brand's hits had been screened for when a day of it began."""
    return Key(f"{_plain(brand)}#reasons", instant_text(day_ms))


def digest(brand: str, day: str) -> Key:
    """Return the key of the digest of a brand's day, which is named by its date there."""
    return Key(digests(brand), day)


def digests(brand: str) -> str:
    """Return where the digests of a brand lie, in the order of their days."""
    return f"{_plain(brand)}#digests"


def fed_object(name: str) -> Key:
    """Return the key that remembers how far an object of a bucket was taken; spread, since many come at once."""
    digest = hashlib.blake2b(name.encode(), digest_size=16).hexdigest()
    return Key(f"@objects#{digest[:2]}", digest)


def counter_partition(brand: str, name: str) -> str:
    """Return where everything about a named counter lies; its name may be any text, so a hash stands for it."""
    return f"{_plain(brand)}#uniques#{hashlib.blake2b(name.encode(), digest_size=16).hexdigest()}"


def counter_head(brand: str, name: str, part: str) -> Key:
    """Return the key of what a shard holds of a named counter."""
    return Key(counter_partition(brand, name), HEADS_FROM + part)


def counter_day(brand: str, name: str, *, part: str, generation: int, start_ms: int) -> Key:
    """Return the key of a day of a named counter that is over.

    The generation is in it because whoever has slept since before the counter was deleted may still write a day of it.
    """
    return Key(counter_partition(brand, name), f"{counter_days(part, generation)}{instant_text(start_ms)}")


def counter_days(part: str, generation: int | None = None) -> str:
    """Return what the sort keys of a shard's days of a counter begin with, of one generation or of all."""
    return f"d#{part}#" if generation is None else f"d#{part}#{generation:020d}#"


def counter_names(brand: str, shard: int) -> str:
    """Return the partition that lists the names of a brand's counters in a shard; the sort key is the name."""
    return f"{_plain(brand)}#names#{shard_name(shard)}"


def _plain(name: str) -> str:
    """Return a name that cannot be taken for more than one part of a key."""
    assert name, "an empty name cannot be part of a key"
    assert not {"#", "@"} & set(name), f"{name!r} cannot be part of a key"
    return name


def sessions_partition(shard: int) -> str:
    """Return where it lies what a shard knows of open sessions of players."""
    return f"@sessions#{shard_name(shard)}"


def sessions_head(shard: int) -> Key:
    """Return the key of what names the pieces of that which hold."""
    return Key(sessions_partition(shard), "head")


def sessions_piece(shard: int, *, kind: str, through: int, checksum: str, n: int) -> Key:
    """Return the key of a piece: of all sessions, or of those that changed up to a record.

    The checksum is in it because two that count the same shard may have read equally far from different places.
    """
    return Key(sessions_partition(shard), f"{kind}#{through:020d}#{checksum}#{n:04d}")


def through_of_sessions(key: Key) -> int:
    """Return the last record that a piece of sessions holds."""
    return int(key.sort.split("#")[1])


def session_end(brand: str, digest: str) -> Key:
    """Return the key that remembers up to which beat a session was told when it was over."""
    return Key(f"{_plain(brand)}#played#{digest[:2]}", digest)


def watched_partition(brand: str, day_ms: int, shard: int) -> str:
    """Return where a shard's rows of the watch log of a brand's day lie."""
    return f"{_plain(brand)}#watched#{instant_text(day_ms)}#{shard_name(shard)}"


def watched(brand: str, day_ms: int, shard: int, *, ident: int, digest: str, number: int) -> Key:
    """Return the key of a row of the watch log: those of one asset lie together."""
    sort = f"{watched_asset(ident)}{digest}#{number:010d}"
    return Key(watched_partition(brand, day_ms, shard), sort)


def watched_asset(ident: int) -> str:
    """Return what the sort keys of an asset's rows begin with."""
    return f"{ident:016x}#"


def watched_by_partition(brand: str, member: str) -> str:
    """Return where it lies which rows of the watch log are a member's; the member by a digest."""
    return f"{_plain(brand)}#watched-by#{_plain(member)}"


def watched_by(brand: str, member: str, row: Key) -> Key:
    """Return the key that names a row of the watch log as a member's."""
    return Key(watched_by_partition(brand, member), f"{row.partition.split('#watched#', 1)[1]}#{row.sort}")


def watched_row(brand: str, named: Key) -> WatchedRow:
    """Return the row of the watch log that a key names as a member's."""
    day, shard, sort = named.sort.split("#", 2)
    day_ms, number = moment_from_text(day), shard_from_name(shard)
    session = sort.split("#")[1]
    return WatchedRow(Key(watched_partition(brand, day_ms, number), sort), day_ms, number, session)


def completion_partition(brand: str, asset: str, shard: int) -> str:
    """Return where it lies how far an asset was watched, by what a shard knows; the asset by a digest."""
    return f"{_plain(brand)}#completion#{_plain(asset)}#{shard_name(shard)}"


def completion(brand: str, asset: str, day_ms: int, shard: int) -> Key:
    """Return the key of how far an asset was watched in viewings that began on a day."""
    return Key(completion_partition(brand, asset, shard), instant_text(day_ms))


def viewers_partition(brand: str) -> str:
    """Return where it lies how many sessions play at this moment."""
    return f"{_plain(brand)}#viewers"


def viewers(brand: str, shard: int) -> Key:
    """Return the key of how many play by what a shard knows."""
    return Key(viewers_partition(brand), shard_name(shard))
