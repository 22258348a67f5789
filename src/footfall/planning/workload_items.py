"""How large the items are that counting writes, keys and all, as DynamoDB measures them.

The attributes are those of docs/formats/store.md; a test writes real ones to DynamoDB's own local build and compares.
"""

from collections.abc import Mapping
from functools import lru_cache

import numpy as np

from footfall.flow.store import keys
from footfall.planning.summary_sizes import Floats
from footfall.ports.items import Value, map_bytes
from footfall.ports.table import Key
from footfall.values.window import HOUR_MS, MINUTE_MS, Grain, Window

WRITE_UNIT_BYTES, READ_UNIT_BYTES = 1_024, 4_096  # Amazon DynamoDB, "Read and write operations".
TOKEN_BYTES = len("writeToken") + 8  # beside what is written on a condition; adapters/aws/dynamodb_items.py
EXPIRY = "expirationTime"
AT_MS = 1_794_744_000_000
THROUGH = 12_345_678
CHECKSUM = "8c1d6e01f2a3b4c5"
BRAND = "brand"  # Five letters: a name like others.
PRODUCER_BYTES = 15.0  # of each sender that a checkpoint's place names: 8 of name, a number, a moment
PLACE_BYTES = 110  # of a place without senders: shard, number of 56 digits, moments
LINE_BYTES = 24  # of a brand in the ledger: counted, and when it was last heard of, beside its name twice
_WINDOW = Window(Grain.MINUTE, AT_MS, AT_MS + MINUTE_MS)


def item_bytes(key: Key, item: Mapping[str, Value], *, expires: bool, expects: bool) -> int:
    """Return what DynamoDB takes an item of ours to weigh."""
    size = map_bytes({"pk": key.partition, "sk": key.sort, **item})
    if expires:
        size += map_bytes({EXPIRY: AT_MS // 1_000})
    return size + (TOKEN_BYTES if expects else 0)


@lru_cache(maxsize=64)
def head_bytes(*, brand: str = BRAND, shard: int = 0) -> int:
    """Return what a summary's head weighs beside its packed counts."""
    item: dict[str, Value] = {
        "through": THROUGH,
        "throughs": {},
        "from": AT_MS,
        "to": AT_MS + HOUR_MS,
        "final": False,
        "rules": 1,
        "rows": 1_234,
        "checksum": CHECKSUM,
        "bytes": b"",
    }
    return item_bytes(keys.head(brand, _WINDOW, keys.shard_name(shard)), item, expires=True, expects=True)


@lru_cache(maxsize=1)
def visitors_item_bytes() -> int:
    """Return what a piece of a window's visitors weighs beside its sketches."""
    key = keys.visitors(BRAND, _WINDOW, part=keys.shard_name(0), through=THROUGH, checksum=CHECKSUM, n=0)
    return item_bytes(key, {"sketches": b""}, expires=True, expects=False)


def ids_item_bytes() -> int:
    """Return what a block of ids weighs beside its rows of 26 bytes."""
    key = keys.ids_block(0, AT_MS, through=THROUGH, checksum=CHECKSUM)
    return item_bytes(key, {"ids": b""}, expires=True, expects=False) + 12


def journal_bytes(windows: Floats, *, brand: str = BRAND) -> Floats:
    """Return what a journal's entry weighs that names so many windows."""
    none: Mapping[str, Value] = {"windows": [], "whole": True}
    one: Mapping[str, Value] = {"windows": [[brand, "M", AT_MS, AT_MS + MINUTE_MS]], "whole": True}
    key = keys.journal(0, THROUGH, CHECKSUM)
    empty = item_bytes(key, none, expires=True, expects=False)
    return empty + windows * (item_bytes(key, one, expires=True, expects=False) - empty)


def checkpoint_bytes(*, brands: int, producers: Floats, brand: str = BRAND) -> Floats:
    """Return what a checkpoint weighs, with the ledger of its brands and the place where the next reader goes on."""
    item: dict[str, Value] = {
        "number": THROUGH,
        "through": THROUGH,
        "passed_ms": AT_MS,
        "arrived_at_ms": AT_MS,
        "flushed_at_ms": AT_MS,
        "flush_ms": 123,
        "overflow": 0,
        "brands": {},
        "seen": {},
        "place": b"",
        "unbuilt": {"H": AT_MS, "D": AT_MS},
    }
    empty = item_bytes(keys.checkpoint(0), item, expires=False, expects=True) + PLACE_BYTES
    return empty + brands * (2 * len(brand) + LINE_BYTES) + PRODUCER_BYTES * producers


def write_units(size: Floats) -> Floats:
    """Return the write units of items of such sizes: every started KB."""
    return np.maximum(1.0, np.ceil(size / WRITE_UNIT_BYTES))


def read_units(size: Floats) -> Floats:
    """Return the read units of consistent reads: every started 4 KB."""
    return np.maximum(1.0, np.ceil(size / READ_UNIT_BYTES))
