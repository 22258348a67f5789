"""Summaries as they lie in the Table: one head each and, when they are large, blocks beside it.

Blocks are written first, under keys of their own, then the head on the condition that nobody else has written
it meanwhile. Readers follow the head, so they see the old summary or the new one, never a mixture, and no
transaction is needed. Blocks that no head names any more stay for readers who are on their way to them.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from footfall.flow.store import keys
from footfall.flow.store.blocks import bytes_from_columns, checksum_of, columns_from_bytes
from footfall.flow.store.columns import Columns
from footfall.ports.errors import Changed, Corrupt, TooLarge
from footfall.ports.table import (
    BATCH_ITEMS_MAX,
    Absent,
    Delete,
    Equals,
    Item,
    Key,
    Present,
    Put,
    Table,
    Update,
    Value,
    everything,
)
from footfall.values.clock import Clock
from footfall.values.window import Window

INLINE_BYTES_MAX = 300_000  # A head stays well under the 400,000 bytes of an item, whatever else it says.
BLOCK_BYTES_MAX = 350_000  # The same for a block, which says nothing else.
PIECE_BYTES_STEP, PIECE_KEY_BYTES = 8_192, 192  # A piece with its keys fills whole units of writing and of reading.
PIECES_MAX = 8  # Larger windows have larger pieces, for there is only so much time until the next one.
BLOCK_GRACE_MS = 10 * 60 * 1_000  # How long a reader may take from a head to its blocks.
SEALED = "sealed"
READS_MAX = 2  # A head that changed between the two reads is met once; twice means that blocks are lost.


@dataclass(frozen=True, slots=True)
class Summary:
    """What one part of a window holds, and up to which record of the stream."""

    window: Window
    part: str  # "s00": a shard's, "s00#late": its late hits, "all": all shards' together
    through: int
    throughs: Mapping[str, int]  # of "all": how much of each shard it holds
    columns: Columns
    final: bool
    rules: int  # the version of the rules it was counted by


@dataclass(frozen=True, slots=True)
class Head:
    """What is known of a summary without decoding it."""

    window: Window
    part: str
    through: int
    throughs: Mapping[str, int]
    final: bool
    rules: int
    rows: int
    checksum: str  # equal for equal columns
    inline: bytes | None  # all of it, or what follows on the blocks
    blocks: Sequence[str]  # their sort keys, in order
    is_sealed: bool = False  # It is being taken into another part, and nothing is added to it any more.


@dataclass(slots=True)
class Laid:
    """A summary as its head and its blocks will hold it, and how many blocks the table has by now."""

    data: bytes
    blocks: Sequence[tuple[Key, bytes]]
    rest: bytes  # what the head itself holds
    written: int = 0

    @property
    def names(self) -> list[str]:
        """Return the sort keys of the blocks."""
        return [key.sort for key, _ in self.blocks]

    @property
    def left(self) -> int:
        """Return how many blocks are still to be written."""
        return len(self.blocks) - self.written


def laid_out(brand: str, summary: Summary) -> Laid:
    """Return a summary as it is written at once: inline, or in as few blocks as can be."""
    data = bytes_from_columns(summary.columns)
    if len(data) <= INLINE_BYTES_MAX:
        return Laid(data, (), data)
    return Laid(data, _blocks_of(brand, summary, data, block_bytes=BLOCK_BYTES_MAX), b"")


def laid_in_pieces(brand: str, summary: Summary) -> Laid:
    """Return a summary as it is written where much at once is refused: a block now and then, the rest in its head."""
    data = bytes_from_columns(summary.columns, tight=True)
    steps = -(-(len(data) // PIECES_MAX + PIECE_KEY_BYTES) // PIECE_BYTES_STEP)
    block_bytes = min(steps * PIECE_BYTES_STEP - PIECE_KEY_BYTES, BLOCK_BYTES_MAX)
    rest_from = (len(data) - 1) // block_bytes * block_bytes  # The last piece is never empty, and the head's.
    blocks = _blocks_of(brand, summary, data[:rest_from], block_bytes=block_bytes) if rest_from else ()
    return Laid(data, blocks, data[rest_from:])


class Summaries:
    """The summaries of all brands in one table."""

    def __init__(self, table: Table, clock: Clock) -> None:
        self._table = table
        self._clock = clock

    def load(self, brand: str, window: Window, part: str) -> Summary | None:
        """Return one part of a window."""
        for _ in range(READS_MAX):
            head = self.head(brand, window, part)
            if head is None:
                return None
            data = self._data(brand, head)
            if data is not None:
                return _summary_from(head, data)
        raise _blocks_lost(brand, window)

    def head(self, brand: str, window: Window, part: str) -> Head | None:
        """Return what is known of one part of a window, for comparing it without decoding."""
        key = keys.head(brand, window, part)
        item = self._table.get(key)
        return None if item is None else _head_from_item(window, part, item)

    def heads(self, brand: str, window: Window) -> list[Head]:
        """Return what is known of every part of a window."""
        found = everything(self._table, keys.partition(brand, window), at_least=keys.HEADS_FROM, at_most=keys.HEADS_TO)
        return [_head_from_item(window, keys.part_from_head(one.key), one.item) for one in found]

    def live(self, brand: str, window: Window) -> list[Summary]:
        """Return the parts that a reader adds up, none of whose hits another part holds as well."""
        for _ in range(READS_MAX):
            read = [(head, self._data(brand, head)) for head in _counting(self.heads(brand, window))]
            whole = [_summary_from(head, data) for head, data in read if data is not None]
            if len(whole) == len(read):
                return whole
        raise _blocks_lost(brand, window)

    def save(
        self,
        brand: str,
        summary: Summary,
        *,
        replaces: int | None,
        expires_at_ms: int | None,
        unseals: bool = False,
        laid: Laid | None = None,
    ) -> None:
        """Write a summary in the place of the one whose `through` was read (None: of none), or raise Changed.

        One that was sealed is written over only by whoever knows that it was, and that another part has its hits.
        """
        laid = laid or laid_out(brand, summary)
        key = keys.head(brand, summary.window, summary.part)
        before = self.head(brand, summary.window, summary.part) if laid.blocks or replaces is not None else None
        # Asked before any block is written, so that a writer who is plainly too late leaves nothing behind.
        if laid.blocks and (before.through if before else None) != replaces:
            raise _overtaken(key, replaces)
        self.write_blocks(laid, expires_at_ms=expires_at_ms)
        conditions = (Absent(),) if replaces is None else (Equals("through", replaces), Equals(SEALED, unseals or None))
        try:
            self._table.put(Put(key, _item_from(summary, laid), expires_at_ms, expects=conditions))
        except Changed as error:
            after = self.head(brand, summary.window, summary.part)
            self._let_go(key.partition, set(laid.names) - set(after.blocks if after else ()))
            raise _overtaken(key, replaces) from error
        self._let_go(key.partition, set(before.blocks if before else ()) - set(laid.names))

    def write_blocks(self, laid: Laid, *, expires_at_ms: int | None, limit: int = keys.BLOCKS_MAX) -> None:
        """Write blocks that are still to be written, at most so many; nobody knows of them before their head."""
        until = min(laid.written + limit, len(laid.blocks))
        for start in range(laid.written, until, BATCH_ITEMS_MAX):
            some = laid.blocks[start : min(start + BATCH_ITEMS_MAX, until)]
            self._table.write([Put(key, {"bytes": piece}, expires_at_ms) for key, piece in some])
        laid.written = until

    def seal(self, brand: str, window: Window, part: str, *, through: int) -> None:
        """Have nothing more added to the part whose `through` was read, or raise Changed."""
        key = keys.head(brand, window, part)
        try:
            self._table.update(Update(key, set={SEALED: True}, expects=(Equals("through", through),)))
        except Changed as error:
            raise _overtaken(key, through) from error

    def sealed(self, brand: str, window: Window) -> list[Summary]:
        """Return the parts that a reader adds up, once nobody can add to a late one of them, or raise Changed."""
        throughs: dict[str, int] = {}
        for head in self.heads(brand, window):
            if keys.is_late_part(head.part):
                throughs[head.part] = head.through
                if not head.is_sealed:
                    self.seal(brand, window, head.part, through=head.through)
        parts = self.live(brand, window)
        for part in parts:
            if keys.is_late_part(part.part) and throughs.get(part.part) != part.through:
                raise _overtaken(keys.head(brand, window, part.part), throughs.get(part.part))
        return parts

    def remove(self, brand: str, window: Window, part: str, *, replaces: int) -> None:
        """Remove the part whose `through` was read, or raise Changed."""
        key = keys.head(brand, window, part)
        before = self.head(brand, window, part)
        try:
            self._table.delete(Delete(key, expects=(Equals("through", replaces),)))
        except Changed as error:
            raise _overtaken(key, replaces) from error
        self._let_go(key.partition, before.blocks if before else ())

    def _data(self, brand: str, head: Head) -> bytes | None:
        """Return a summary's bytes, None when one of its blocks is not there any more."""
        rest = head.inline or b""
        if not head.blocks:
            return rest
        # They lie beside each other, so that one query reads them all.
        partition, first, last = keys.partition(brand, head.window), head.blocks[0], head.blocks[-1]
        found = {one.key.sort: one.item for one in everything(self._table, partition, at_least=first, at_most=last)}
        if not found.keys() >= set(head.blocks):
            return None
        return b"".join([*(_bytes_of(found[name], "bytes") for name in head.blocks), rest])

    def _let_go(self, partition: str, blocks: Iterable[str]) -> None:
        """Let blocks expire that no head names, when every reader who knew them has had time to read them."""
        expires_at_ms = self._clock.now_ms() + BLOCK_GRACE_MS
        for name in sorted(blocks):
            try:
                self._table.update(Update(Key(partition, name), expires_at_ms=expires_at_ms, expects=(Present(),)))
            except Changed:
                continue  # It has expired already.


def _counting(heads: Sequence[Head]) -> list[Head]:
    """Return the heads whose hits are in no other head of the window."""
    throughs = {head.part: head.through for head in heads}
    merged = next((head.throughs for head in heads if head.part == keys.ALL), dict[str, int]())
    counting: list[Head] = []
    for head in heads:
        shard = keys.shard_of_part(head.part)
        if head.part != keys.ALL and head.through <= merged.get(shard, -1):
            continue
        if keys.is_late_part(head.part) and head.through <= throughs.get(shard, -1):
            continue
        counting.append(head)
    return counting


def _blocks_of(brand: str, summary: Summary, data: bytes, *, block_bytes: int) -> list[tuple[Key, bytes]]:
    """Return the data in pieces, each with its key."""
    pieces = [data[start : start + block_bytes] for start in range(0, len(data), block_bytes)]
    if len(pieces) > keys.BLOCKS_MAX:
        raise TooLarge(
            f"a summary has at most {keys.BLOCKS_MAX} blocks, this one {len(pieces)}; bound its columns first"
        )
    checksum = checksum_of(data)
    return [
        (
            keys.block(brand, summary.window, part=summary.part, through=summary.through, checksum=checksum, n=n),
            piece,
        )
        for n, piece in enumerate(pieces)
    ]


def _item_from(summary: Summary, laid: Laid) -> Item:
    """Return the head as an item."""
    content: dict[str, Value] = {}
    if laid.blocks:
        content["blocks"] = list(laid.names)
    if laid.rest or not laid.blocks:
        content["bytes"] = laid.rest
    return {
        "through": summary.through,
        "throughs": dict(summary.throughs),
        "from": summary.window.from_ms,
        "to": summary.window.to_ms,
        "final": summary.final,
        "rules": summary.rules,
        "rows": len(summary.columns.ident),
        "checksum": checksum_of(laid.data),
        **content,
    }


def _head_from_item(window: Window, part: str, item: Item) -> Head:
    """Return the head that an item holds; its bounds are the stored ones, whatever zone rules say today."""
    blocks = item.get("blocks", ())
    throughs = item.get("throughs")
    if not isinstance(throughs, Mapping) or not isinstance(blocks, Sequence) or isinstance(blocks, str | bytes):
        raise Corrupt(f"the head of part {part} of {window} is not one; count the window again")
    return Head(
        window=Window(window.grain, _number_of(item, "from"), _number_of(item, "to")),
        part=part,
        through=_number_of(item, "through"),
        throughs={shard: _number_of(throughs, shard) for shard in throughs},
        final=bool(item.get("final")),
        rules=_number_of(item, "rules"),
        rows=_number_of(item, "rows"),
        checksum=str(item.get("checksum")),
        inline=None if blocks and "bytes" not in item else _bytes_of(item, "bytes"),
        blocks=[str(name) for name in blocks],
        is_sealed=bool(item.get(SEALED)),
    )


def _summary_from(head: Head, data: bytes) -> Summary:
    """Return the summary of a head and its bytes."""
    if checksum_of(data) != head.checksum:
        raise Corrupt(f"part {head.part} of {head.window} has other content than its head says; count the window again")
    return Summary(
        window=head.window,
        part=head.part,
        through=head.through,
        throughs=head.throughs,
        columns=columns_from_bytes(data),
        final=head.final,
        rules=head.rules,
    )


def _number_of(item: Mapping[str, Value], name: str) -> int:
    """Return a whole number of an item."""
    value = item.get(name)
    if not isinstance(value, int):
        raise Corrupt(f"{name!r} of a summary's head is {value!r}, not a whole number; count its window again")
    return value


def _bytes_of(item: Item, name: str) -> bytes:
    """Return the bytes of an item."""
    value = item.get(name)
    if not isinstance(value, bytes):
        raise Corrupt(f"{name!r} of a summary is not bytes; count its window again")
    return value


def _overtaken(key: Key, replaces: int | None) -> Changed:
    """Return the error of a writer who was not the only one."""
    expected = "no summary" if replaces is None else f"a summary through {replaces}"
    return Changed(f"{key.partition} {key.sort} does not hold {expected} any more; read it again")


def _blocks_lost(brand: str, window: Window) -> Corrupt:
    """Return the error of a head that names blocks which are not there."""
    return Corrupt(f"blocks of {keys.partition(brand, window)} are missing; count the window again")
