"""Where a migration keeps what it knows in the table it moves things to (docs/formats/migration.md)."""

import xxhash

from footfall.ports.table import Key

PROGRESS = "move-progress"  # the partition of how far each migration is
BACK_SHARDS = 16  # partitions of what waits to be written back, so that none of them is hot


def moved(entity: str, key: str) -> Key:
    """Return where an entity's move item lies."""
    return Key(f"move#{entity}#{key}", "moved")


def back(entity: str, shard: int) -> str:
    """Return a partition of the marks of what waits to be written back."""
    return f"move-back#{entity}#{shard:02d}"


def back_of(entity: str, key: str) -> Key:
    """Return where it is marked that an entity waits to be written back."""
    return Key(back(entity, xxhash.xxh3_64_intdigest(key.encode()) % BACK_SHARDS), key)


def bucket(entity: str, number: int, *, piece: int = 0) -> Key:
    """Return where the digests of a bucket of entities lie; what is too large for one item goes on behind it."""
    return Key(f"move-buckets#{entity}", f"{number:05d}#{piece:02d}" if piece else f"{number:05d}")


def progress(entity: str) -> Key:
    """Return where a migration says how far it is."""
    return Key(PROGRESS, entity)


def next_key(entity: str) -> Key:
    """Return where the key of the next entity that is made on the new side lies."""
    return Key(f"move-next#{entity}", "next")


def gone(entity: str, key: str) -> Key:
    """Return where it is said which items an entity had that is there no more."""
    return Key(gone_ones(entity), key)


def gone_ones(entity: str) -> str:
    """Return the partition of entities that are there no more."""
    return f"move-gone#{entity}"


def ended(entity: str) -> Key:
    """Return where it is said that a migration has ended, and on which side."""
    return Key(f"move-ended#{entity}", "ended")
