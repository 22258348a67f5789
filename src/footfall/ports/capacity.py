"""What a call costs in DynamoDB's units, by the formula that AWS documents; adapters, benchmarks and plans share it."""

from collections.abc import Iterable

WRITE_UNIT_BYTES = 1_024
READ_UNIT_BYTES = 4_096
TRANSACTION_FACTOR = 2


def write_units(after_bytes: int, *, before_bytes: int = 0, transaction: bool = False) -> int:
    """Return the units of a put, update or delete: the larger of the item before and after, by the started KB."""
    units = max(1, -(-max(after_bytes, before_bytes) // WRITE_UNIT_BYTES))
    return units * TRANSACTION_FACTOR if transaction else units


def index_write_units(after_bytes: int | None, *, before_bytes: int | None = None, moved: bool = False) -> int:
    """Return the units that a write costs in one index; None where the item is not in it.

    An item that moves to another place of the index is deleted there and written here.
    """
    if after_bytes is None and before_bytes is None:
        return 0
    if moved and after_bytes is not None and before_bytes is not None:
        return write_units(after_bytes) + write_units(before_bytes)
    return write_units(after_bytes or 0, before_bytes=before_bytes or 0)


def get_units(item_bytes: int, *, consistent: bool = True, transaction: bool = False) -> float:
    """Return the units of reading one item, or of finding none (0 bytes)."""
    units = max(1, -(-item_bytes // READ_UNIT_BYTES))
    return float(units * TRANSACTION_FACTOR) if transaction else (units if consistent else units / 2)


def query_units(item_bytes: Iterable[int], *, consistent: bool = True) -> float:
    """Return the units of one page: the sum of what it looked at, expired items too, by the started 4 KB."""
    units = max(1, -(-sum(item_bytes) // READ_UNIT_BYTES))
    return float(units) if consistent else units / 2
