"""Digests of days, as they are kept: one item for each day of a brand, which is written once and goes with its time."""

from datetime import date
from typing import Any

from footfall.flow.store import keys
from footfall.ports.table import Absent, Put, Table
from footfall.values.errors import Refused


class NoDigest(Refused):
    """There is no digest of the day: it is not over, or its digest is gone with its time, or nobody came."""

    def __init__(self, day: str) -> None:
        super().__init__(
            "day",
            f"{day!r} has no digest; one is written ten minutes after the day has ended where the brand is, and kept "
            "for screening_keep_days",
        )


def store_digest(table: Table, document: dict[str, Any], content: bytes, *, expires_at_ms: int) -> None:
    """Keep a digest; raise Changed when there is one of the day."""
    key = keys.digest(document["brand"], document["day"])
    table.put(Put(key, {"document": content}, expires_at_ms=expires_at_ms, expects=(Absent(),)))


def stored_digest(table: Table, brand: str, day: str) -> bytes | None:
    """Return the digest of a day as JSON; None when there is none."""
    item = table.get(keys.digest(brand, day))
    content = None if item is None else item.get("document")
    return content if isinstance(content, bytes) else None


def newest_digest(table: Table, brand: str) -> bytes | None:
    """Return the digest of the last day that has one; None when no day has."""
    found = table.query(keys.digests(brand), backwards=True, limit=1).items
    content = found[0].item.get("document") if found else None
    return content if isinstance(content, bytes) else None


def require_day(text: str) -> str:
    """Return the name of a day, or raise Refused."""
    parts = text.split("-")
    is_written_so = [len(part) for part in parts] == [4, 2, 2] and text.isascii()
    try:
        date.fromisoformat(text if is_written_so else "")
    except ValueError as error:
        raise Refused("day", f"{text[:40]!r} is no day like 2026-11-15") from error
    return text
