"""Cells of a relational database as a table holds them: moments in milliseconds, days, numbers, truth values."""

import math
from datetime import UTC, datetime, tzinfo
from decimal import Decimal
from functools import lru_cache

from footfall.ports.items import decimal_of, whole_or_float
from footfall.ports.relational import Cell
from footfall.values.errors import Refused

_TRUE = frozenset({"1", "t", "true", "y", "yes"})
_FALSE = frozenset({"0", "f", "false", "n", "no"})


def text_from(cell: Cell, *, field: str) -> str:
    """Return a cell as text; there being none is empty text."""
    if cell is None:
        return ""
    if isinstance(cell, bytes):
        try:
            return cell.decode()
        except UnicodeDecodeError:
            raise Refused(field, f"is {len(cell)} bytes that are no text: {cell[:20].hex()}") from None
    if isinstance(cell, bool):
        return "true" if cell else "false"
    return str(cell)


def number_from(cell: Cell, *, field: str) -> int | float | None:
    """Return a cell as a number that no digit is lost of, or raise Refused."""
    if cell is None:
        return None
    if isinstance(cell, bool):
        return int(cell)
    if isinstance(cell, int):
        return cell
    text = text_from(cell, field=field).strip()
    try:
        number = int(text) if text.lstrip("+-").isdigit() else float(text)
    except ValueError:
        raise Refused(field, f"{text[:40]!r} is not a number") from None
    if not math.isfinite(number):
        raise Refused(field, f"{text[:40]!r} is not a number that a table holds")
    if isinstance(number, float) and decimal_of(number) != Decimal(text):
        raise Refused(field, f"{text[:40]!r} has more digits than a number keeps: move it as text")
    return whole_or_float(number)


def whole_from(cell: Cell, *, field: str) -> int:
    """Return a cell as a whole number, or raise Refused."""
    number = number_from(cell, field=field)
    if not isinstance(number, int):
        raise Refused(field, f"{cell!r} is not a whole number")
    return number


def truth_from(cell: Cell, *, field: str) -> bool | None:
    """Return a cell as a truth value, or raise Refused."""
    if cell is None or isinstance(cell, bool):
        return cell
    text = text_from(cell, field=field).strip().lower()
    if text not in _TRUE | _FALSE:
        raise Refused(field, f"{text[:40]!r} is neither true nor false")
    return text in _TRUE


def moment_ms_from(cell: Cell, *, field: str, zone: tzinfo = UTC) -> int | None:
    """Return a moment in milliseconds since 1970; one that tells no zone is of the database's."""
    if cell is None:
        return None
    return _moment_ms(text_from(cell, field=field), field, zone)


def day_from(cell: Cell, *, field: str) -> str | None:
    """Return a day such as 2026-01-31; a moment within one is refused, for its hour would be lost."""
    if cell is None:
        return None
    text = text_from(cell, field=field).strip()
    found = _read(text, field)
    if (found.hour, found.minute, found.second, found.microsecond) != (0, 0, 0, 0):
        raise Refused(field, f"{text!r} is a moment within a day, and only a day can be moved")
    return found.date().isoformat()


def minute_text(cell: Cell, *, field: str, zone: tzinfo = UTC) -> str:
    """Return the minute of a moment in UTC, such as 2026-11-15T14:30."""
    at_ms = moment_ms_from(cell, field=field, zone=zone)
    if at_ms is None:
        raise Refused(field, "is not there, and is part of a key")
    return datetime.fromtimestamp(at_ms / 1_000, UTC).strftime("%Y-%m-%dT%H:%M")


@lru_cache(maxsize=50_000)  # Versions are often made at the same moment, and all entities of a chunk are seen twice.
def _moment_ms(text: str, field: str, zone: tzinfo) -> int:
    found = _read(text.strip(), field)
    aware = found if found.tzinfo is not None else found.replace(tzinfo=zone)
    since = aware - datetime(1970, 1, 1, tzinfo=UTC)
    return (since.days * 86_400 + since.seconds) * 1_000 + since.microseconds // 1_000


def _read(text: str, field: str) -> datetime:
    try:
        return datetime.fromisoformat(text)
    except ValueError:
        raise Refused(field, f"{text[:40]!r} is not a moment such as 2026-01-31 12:00:00") from None
