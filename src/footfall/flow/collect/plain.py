"""Plain hits on their way into the stream: requests that are stored together share a record for each brand.

Whatever reads a record later pays for it once, so a record of many requests' hits costs little more than one of one.
Those that came under a key share it as well where the stream can say whether every key is new; one that is not is
stored by itself, since all of its record is a repeat.
"""

from collections.abc import Sequence

from msgspec import Struct

from footfall.flow.stream.moments import column_of_moments, joined_moments
from footfall.flow.stream.packed_keys import PackedKeys, column_of, joined_keys
from footfall.flow.stream.records import RULES, VERSION, HitKey, Pack, record_from_pack
from footfall.ports.stream import Claim, Entry
from footfall.values.window import MINUTE_MS

# Above it a record costs hardly less for each hit; and a judge that takes a sample takes or leaves it as a whole.
JOINED_HITS_MAX = 1_000
KEY_BYTES = 40  # what a key that is not packed is taken to weigh


class Plain(Struct, frozen=True, gc=False):
    """Hits of one request and brand of which nothing is known but what they count under and, perhaps, their times."""

    shard: int
    group: str
    keys: Sequence[HitKey]
    arrived_at_ms: int
    at_ms: Sequence[int] | None = None  # judged at the door
    claim: Claim | None = None  # of a request that is no more than this

    @property
    def weight(self) -> int:
        """Return how many hits these are."""
        return len(self.keys)


Taken = Entry | Plain


class _Run(Struct, gc=False):
    """Plain hits that share a record, and its place among the entries."""

    place: int
    plain: list[Plain]
    hits: int = 0


def size_of(one: Taken) -> int:
    """Return how many bytes it takes, about, while it waits."""
    if isinstance(one, Entry):
        return len(one.data)
    return len(one.keys.packed) if isinstance(one.keys, PackedKeys) else KEY_BYTES * len(one.keys)


def entries_of(taken: Sequence[Taken], *, keys_share: bool = False) -> tuple[list[Entry], list[int]]:
    """Return the entries to append, and for each that was taken the place among them of the one that has it.

    Plain hits of a record arrived in one minute, so that their arrival is one; those that bring a time lie apart. So
    do those under a key, unless they may share.
    """
    runs: list[Entry | _Run] = []
    places: list[int] = []
    last: dict[tuple[str, int, int, bool], _Run] = {}
    for one in taken:
        if isinstance(one, Entry) or (one.claim is not None and not keys_share):
            places.append(len(runs))
            runs.append(apart(one))
            continue
        key = (one.group, one.shard, one.arrived_at_ms // MINUTE_MS, one.at_ms is None)
        run = last.get(key)
        if run is None or run.hits + len(one.keys) > JOINED_HITS_MAX:
            run = last[key] = _Run(len(runs), [])
            runs.append(run)
        run.plain.append(one)
        run.hits += len(one.keys)
        places.append(run.place)
    return [run if isinstance(run, Entry) else entry_of_plain(run.plain) for run in runs], places


def apart(one: Taken) -> Entry:
    """Return an entry that shares its record with nothing else."""
    return one if isinstance(one, Entry) else entry_of_plain([one])


def entry_of_plain(run: Sequence[Plain]) -> Entry:
    """Return one entry that has the hits of all of them."""
    first = run[0]
    keys = first.keys if len(run) == 1 else joined_keys([one.keys for one in run])
    at_ms = first.at_ms
    if at_ms is not None and len(run) > 1:
        at_ms = joined_moments([one.at_ms or () for one in run])
    pack = Pack(
        version=VERSION,
        rules=RULES,
        arrived_at_ms=first.arrived_at_ms,
        keys=column_of(keys),
        at_ms=column_of_moments(at_ms),
        trusted=at_ms is not None,  # The times were judged at the door, for good.
    )
    data = record_from_pack(pack)
    if len(run) == 1:
        return Entry(first.shard, first.group, len(keys), data, first.arrived_at_ms, claim=first.claim)
    claims = tuple(one.claim for one in run if one.claim is not None)
    return Entry(first.shard, first.group, len(keys), data, first.arrived_at_ms, shared=claims)
