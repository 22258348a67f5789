"""Stream: a durable, sharded, ordered log of records.

A record is opaque bytes with a group (the brand) and a weight (how many hits it carries), so that even a
record that cannot be read can be accounted for. An entry may name the ids of its hits: a stream that can
tell which of them it has seen before says so in the record, for good. Entries that were read from somewhere else
move a mark that says how far that has come, so that nothing of it is ever stored twice.

A ground without transactions promises less. Its `append` may have stored some entries when it raises Unavailable, gives
no sequence numbers (UNNUMBERED), and refuses marks (NoMarks) and entries that several claims share (NoSharing). It does
not look ids and claims up: they come with the record, and whoever counts decides. It trims by age alone. But what was
appended once is read once, whatever was sent again on the way, and its readers go on from a place that is kept beside
each checkpoint (PlacedStream).
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol, runtime_checkable

from msgspec import Struct

from footfall.ports.errors import PortError, TooLarge

RECORD_BYTES_MAX = 1_000_000  # Kinesis takes 1 MiB with the partition key; this leaves room for both.
READ_RECORDS_MAX = 10_000  # The most that one read returns, as on Kinesis.
SHARDS_MAX = 256  # A shard's number has a fixed width in keys.
UNNUMBERED = -1  # The sequence of an entry that is stored, on a ground where only readers learn its number.


class NoMarks(PortError):
    """The entry has a mark, and this ground cannot move one together with what it stores."""


class ClaimKnown(PortError):
    """A claim of an entry that several acts share was made before: nothing is stored; they are to be appended apart."""


class NoSharing(PortError):
    """The entry has the claims of several acts, and this ground cannot tell whether one of them was made before."""


class NotKept(PortError):
    """The records asked for are not in the stream any more, or were read before it was opened."""


class Claim(Struct, frozen=True, gc=False):
    """A sender's word that what it sends is one act: the same key must come with the same body.

    An act that does not fit into one entry has several, all in one append; its parts are numbered from 0, in order.
    """

    key: bytes
    body: bytes
    part: int = 0


@dataclass(frozen=True, slots=True)
class Mark:
    """How far something has come that is read from its beginning, as a log is: its entries are stored in order, once.

    An entry is stored when the mark of that name stands at `begins`, and then the mark stands at `ends`. When it has
    come to `ends` before, the entry is a repeat; when it stands anywhere else, the entry is refused. What does not fit
    into one entry has several, all in one append; its parts are numbered from 0, in order. A mark never expires.
    """

    name: bytes
    begins: int
    ends: int
    part: int = 0


class Entry(Struct, frozen=True, gc=False):
    """A record on its way into the stream; `ids` are (place in the record, 16 bytes).

    An entry with a mark and no data moves the mark and stores nothing. An entry may have hits of several acts, each of
    one part: then `shared` are their claims, all of which have to be new (ClaimKnown).
    """

    shard: int
    group: str
    weight: int
    data: bytes
    arrived_at_ms: int
    ids: tuple[tuple[int, bytes], ...] = ()
    claim: Claim | None = None
    mark: Mark | None = None
    shared: tuple[Claim, ...] = ()


class Appended(Struct, frozen=True, gc=False):
    """Where an entry went: its sequence number (UNNUMBERED when only readers learn it), or 0 when nothing was stored.

    Of an entry with a mark nothing is stored when it was there before (`repeated`) or has no data; else it is refused:
    its claim was made before with another body, or its mark stands elsewhere.
    """

    sequence: int
    repeats: tuple[int, ...] = ()
    repeated: bool = False

    @property
    def is_refused(self) -> bool:
        """Tell whether the claim's key stands for another body, or the mark elsewhere, so that nothing was stored."""
        return self.sequence == 0 and not self.repeated


class Record(Struct, frozen=True, gc=False):
    """A record as it stands in the stream, at a sequence number that only grows within its shard.

    `repeats` are the places whose ids were there before; `repeated` says that all of it was. A ground that cannot tell
    hands on the entry's ids and claim instead; whoever decides then may find that the claim's key stands for another
    body, and says in `dead` why none of it counts.
    """

    sequence: int
    group: str
    weight: int
    data: bytes
    arrived_at_ms: int
    repeats: tuple[int, ...] = ()
    repeated: bool = False
    ids: tuple[tuple[int, bytes], ...] = ()
    claim: Claim | None = None
    dead: str = ""


class Stream(Protocol):
    """The promises that every stream keeps.

    Appended records are on disk when `append` returns, all of them or none. Within a shard they are
    read in the order of their sequence numbers, as often as asked, until they are trimmed.
    """

    @property
    def shards(self) -> int:
        """Return how many shards there are, numbered from 0."""
        ...

    def append(self, entries: Sequence[Entry]) -> list[Appended]:
        """Store the entries durably; raise NoSpace, Throttled or Unavailable, and then none is stored."""
        ...

    def read(self, shard: int, *, after: int, limit: int = READ_RECORDS_MAX) -> list[Record]:
        """Return the records that follow a sequence number (0 for the first); empty at the tip."""
        ...

    def tip(self, shard: int) -> int:
        """Return the last sequence number given out in the shard; 0 when there is none."""
        ...

    def sequence_at(self, shard: int, *, arrived_at_ms: int) -> int:
        """Return a sequence number below every record that arrived at or after the moment."""
        ...

    def kept_since_ms(self) -> int:
        """Return the moment from which every record is still there; 0 when none was ever trimmed."""
        ...

    def mark(self, name: bytes) -> int:
        """Return where the mark of that name stands; 0 when nothing ever moved it."""
        ...

    def appended(self) -> Mapping[str, int]:
        """Return the weight ever appended for each group."""
        ...

    def trim(self, shard: int, *, through: int) -> None:
        """Forget records up to a sequence number; whole blocks only, so some of them may stay."""
        ...

    def close(self) -> None:
        """Let go of what the stream holds open."""
        ...


@runtime_checkable
class PlacedStream(Stream, Protocol):
    """A stream whose sequence numbers are counted by its readers, each on from the place where the last one stood."""

    @property
    def sees_tip(self) -> bool:
        """Tell whether a read that returns nothing was at the tip, or only at the end of what was handed over."""
        ...

    def place(self, shard: int, *, through: int) -> bytes:
        """Return what has to be kept with a checkpoint that has counted through a record."""
        ...

    def resume(self, shard: int, place: bytes) -> None:
        """Go on from a kept place, with its numbers; empty: from the start. What lies before it raises NotKept."""
        ...


def require_fits(entry: Entry, *, shards: int) -> None:
    """Raise unless the entry is within the limits."""
    if len(entry.data) > RECORD_BYTES_MAX:
        raise TooLarge(f"a record holds at most {RECORD_BYTES_MAX:,} bytes, this one has {len(entry.data):,}")
    if not 0 <= entry.shard < shards:
        raise TooLarge(f"the stream has shards 0 to {shards - 1}, not {entry.shard}")
