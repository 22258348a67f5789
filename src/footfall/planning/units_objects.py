"""What objects are billed by: requests of uploads in parts, and the least that a class of storage counts."""

from typing import Final

PART_BYTES_MIN: Final = 5 << 20  # except for the last
PARTS_MAX: Final = 10_000
INFREQUENT_BYTES_MIN: Final = 128 << 10  # A smaller object counts as one of this size.
INFREQUENT_DAYS_MIN: Final = 30


def put_requests(object_bytes: int, *, part_bytes: int | None = None) -> int:
    """Return the requests of an upload: one, or one for each part and two around them."""
    if part_bytes is None or object_bytes <= part_bytes:
        return 1
    return -(-object_bytes // part_bytes) + 2


def infrequent_bytes(object_bytes: int) -> int:
    """Return what an object counts for in the class for infrequent access."""
    return max(object_bytes, INFREQUENT_BYTES_MIN)


def infrequent_days(days: int) -> int:
    """Return how long an object counts there that was removed after so many days."""
    return max(days, INFREQUENT_DAYS_MIN)
