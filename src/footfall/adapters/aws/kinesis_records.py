"""What a Kinesis record of ours looks like: many entries of one shard, compressed, with who sent it and which it was.

Kinesis counts records and bytes, so entries travel together. A sender that does not hear whether a record arrived
sends the same bytes again; its name and number are in them, so that readers know the second one when they see it.
docs/formats/stream.md draws it.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import msgspec
import xxhash
import zstandard

from footfall.ports.errors import Corrupt, TooLarge, Unavailable
from footfall.ports.stream import Claim, Entry, Record

MAGIC = b"FFK"
VERSION = 1
PRODUCER_BYTES = 8  # A million senders at once share a name with a chance of one in 40 million.
KINESIS_BYTES_MAX = 1_048_576 - 256  # Kinesis takes 1 MiB with the partition key.
JOINED_BYTES_MAX = 1_000_000  # Before compression, so that what a reader unpacks is bounded as well.
UNPACKED_BYTES_MAX = 4_000_000  # Far over what we write; a damaged length must not ask for gigabytes.

_ENTRY_BYTES = 48  # What an entry costs beside its own bytes, at most: lengths, numbers, its group's weight.
_ID_BYTES = 16
_PREFIX_BYTES = len(MAGIC) + 1 + 4 + 8  # magic, version, length of the header, its checksum

# group, weight, arrival, data, places of the ids, the ids one after another, claim: key, body, part
_Stored = tuple[str, int, int, bytes, list[int] | None, bytes, tuple[bytes, bytes, int] | None]


class Header(msgspec.Struct, array_like=True, frozen=True, gc=False):
    """What can be told of a record without unpacking it, even when its body is damaged."""

    shards: int  # how many shards the sender divides hits among
    shard: int
    producer: bytes
    number: int  # grows with each record of the producer in the shard
    count: int  # how many entries, which is how many sequence numbers it takes
    arrived_to_ms: int  # the latest arrival
    weights: dict[str, int]  # by group


@dataclass(frozen=True, slots=True)
class Aggregate:
    """A record of ours on its way: its shard, and its bytes, which stay the same however often it is sent."""

    shard: int
    data: bytes


_pack = msgspec.msgpack.Encoder()
_header = msgspec.msgpack.Decoder(Header)
_body = msgspec.msgpack.Decoder(list[_Stored])


def joined(entries: Sequence[Entry]) -> list[list[Entry]]:
    """Return one shard's entries in groups that fit into a record each, in their order."""
    groups: list[list[Entry]] = []
    size = JOINED_BYTES_MAX
    for entry in entries:
        cost = _ENTRY_BYTES + len(entry.data) + 8 * len(entry.group) + len(entry.ids) * (_ID_BYTES + 5)
        if size + cost > JOINED_BYTES_MAX:
            groups.append([])
            size = 0
        groups[-1].append(entry)
        size += cost
    return groups


def data_from_entries(entries: Sequence[Entry], *, shards: int, producer: bytes, number: int) -> bytes:
    """Return the bytes of a record of one shard's entries; raise TooLarge when Kinesis would not take it."""
    weights: dict[str, int] = {}
    for entry in entries:
        weights[entry.group] = weights.get(entry.group, 0) + entry.weight
    header = Header(
        shards=shards,
        shard=entries[0].shard,
        producer=producer,
        number=number,
        count=len(entries),
        arrived_to_ms=max(entry.arrived_at_ms for entry in entries),
        weights=weights,
    )
    head = _pack.encode(header)
    body = zstandard.ZstdCompressor(level=3, write_checksum=True).compress(_pack.encode([_stored(e) for e in entries]))
    prefix = MAGIC + bytes([VERSION]) + len(head).to_bytes(4, "big") + xxhash.xxh3_64_digest(head)
    data = prefix + head + body
    if len(data) > KINESIS_BYTES_MAX:
        raise TooLarge(
            f"a record for Kinesis holds at most {KINESIS_BYTES_MAX:,} bytes with its ids, this one has {len(data):,}: "
            "send fewer hits in one entry"
        )
    return data


def header_from_data(data: bytes) -> Header:
    """Return what a record says of itself; raise Corrupt when it is not one of ours or damaged."""
    if data[: len(MAGIC)] != MAGIC or len(data) < _PREFIX_BYTES:
        raise Corrupt("a record of the stream was not written by footfall")
    if data[len(MAGIC)] != VERSION:
        # Passing over it would lose its hits; a newer release can read them.
        raise Unavailable(
            f"a record of the stream has format {data[len(MAGIC)]}, this release reads {VERSION}: upgrade"
        )
    head = _head(data)
    if xxhash.xxh3_64_digest(head) != data[8:_PREFIX_BYTES]:
        raise Corrupt("the header of a record of the stream is damaged")
    try:
        return _header.decode(head)
    except msgspec.MsgspecError as error:
        raise Corrupt("the header of a record of the stream does not decode") from error


def records_from_data(header: Header, data: bytes, *, after: int, arrived_at_ms: int) -> list[Record]:
    """Return the records after a number; of a damaged body one empty record for each group, with its weight.

    Those have the last numbers of the body, so that what follows has the same numbers either way.
    """
    try:
        return [_record(after + place, one) for place, one in enumerate(_unpacked(data, header.count), 1)]
    except Corrupt:
        lost = sorted(header.weights.items())
        first = after + header.count - len(lost) + 1
        return [Record(first + n, group, weight, b"", arrived_at_ms) for n, (group, weight) in enumerate(lost)]


def _stored(entry: Entry) -> _Stored:
    claim = None if entry.claim is None else (entry.claim.key, entry.claim.body, entry.claim.part)
    places = [place for place, _ in entry.ids] or None
    return (entry.group, entry.weight, entry.arrived_at_ms, entry.data, places, _ids_joined(entry.ids), claim)


def _ids_joined(ids: Iterable[tuple[int, bytes]]) -> bytes:
    return b"".join(id_ for _, id_ in ids)


def _record(sequence: int, stored: _Stored) -> Record:
    group, weight, arrived_at_ms, data, places, ids, claim = stored
    return Record(
        sequence,
        group,
        weight,
        data,
        arrived_at_ms,
        ids=tuple((place, ids[n * _ID_BYTES : (n + 1) * _ID_BYTES]) for n, place in enumerate(places or ())),
        claim=None if claim is None else Claim(*claim),
    )


def _unpacked(data: bytes, count: int) -> list[_Stored]:
    body = data[_PREFIX_BYTES + len(_head(data)) :]
    try:
        size = zstandard.frame_content_size(body)
        stored = _body.decode(zstandard.ZstdDecompressor().decompress(body)) if 0 <= size <= UNPACKED_BYTES_MAX else []
    except (zstandard.ZstdError, msgspec.MsgspecError) as error:
        raise Corrupt("the body of a record of the stream does not decode") from error
    if len(stored) != count:
        raise Corrupt(f"a record of the stream holds {len(stored)} entries and says {count}")
    return stored


def _head(data: bytes) -> bytes:
    size = int.from_bytes(data[4:8], "big")
    return data[_PREFIX_BYTES : _PREFIX_BYTES + size]
