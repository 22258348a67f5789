"""Numbers as people type and read them: 50M hits, 100k assets, 1.5B; 12.3 GB, 1,204 units."""

import re
from decimal import Decimal

from footfall.values.errors import Refused

_SCALES = {"": 1, "k": 10**3, "m": 10**6, "g": 10**9, "b": 10**9, "t": 10**12}
_QUANTITY = re.compile(r"([+-]?)(\d[\d,_]*(?:\.\d+)?|\.\d+)\s*([A-Za-z]*)")
_SIZES = ((10**12, "TB"), (10**9, "GB"), (10**6, "MB"), (10**3, "kB"))
_SHORT = ((10**12, "T"), (10**9, "B"), (10**6, "M"), (10**3, "k"))
QUANTITY_MAX = 10**18


def quantity_from_text(field: str, text: str, *, whole: bool = True, least: int = 0) -> Decimal:
    """Return the number that a text such as 50M or 1.5B stands for, or say what is wrong with it."""
    match = _QUANTITY.fullmatch(text.strip())
    if match is None:
        raise Refused(field, f"{text[:40]!r} is not a quantity; write it as 250000, 100k, 50M or 1.5B")
    sign, digits, letter = match.groups()
    if letter.lower() not in _SCALES:
        raise Refused(field, f"{letter!r} in {text[:40]!r} is no scale; k is a thousand, M a million, B a billion")
    number = Decimal(digits.replace(",", "").replace("_", "")) * _SCALES[letter.lower()]
    if sign == "-" and number:
        raise Refused(field, f"{text[:40]!r} is below zero; there is no such traffic")
    if number > QUANTITY_MAX:
        raise Refused(field, f"{text[:40]!r} is more than there will ever be; at most 1,000,000T is taken")
    if whole and number != number.to_integral_value():
        raise Refused(field, f"{text[:40]!r} is not a whole number")
    if number < least:
        raise Refused(field, f"{text[:40]!r} is too few: {least:,} at least")
    return number


def short(number: float | Decimal) -> str:
    """Return a number with three digits and a scale: 1.23M."""
    value = float(number)
    for size, letter in _SHORT:
        if abs(value) >= size * 0.9995:
            return f"{_three(value / size)}{letter}"
    return _three(value)


def data_size(count: float | Decimal) -> str:
    """Return bytes with three digits and a unit."""
    value = float(count)
    for size, unit in _SIZES:
        if abs(value) >= size * 0.9995:
            return f"{_three(value / size)} {unit}"
    return f"{_three(value)} bytes"


def binary_size(count: float | Decimal) -> str:
    """Return bytes as the vendor's limits have them: a GB of 1024^3."""
    value = float(count)
    for power, unit in ((4, "TB"), (3, "GB"), (2, "MB"), (1, "kB")):
        if abs(value) >= 1024**power * 0.9995:
            return f"{_three(value / 1024**power)} {unit}"
    return f"{_three(value)} bytes"


def money(usd: float | Decimal) -> str:
    """Return dollars: cents below a thousand, whole ones above."""
    value = Decimal(str(usd)) if isinstance(usd, float) else usd
    if value and abs(value) < Decimal("0.01"):
        return f"${value:.4f}"
    return f"${value:,.2f}" if abs(value) < 1_000 else f"${value:,.0f}"


def _three(value: float) -> str:
    if value and abs(value) < 0.01:
        return f"{value:.2g}"
    digits = 0 if abs(value) >= 99.95 else 1 if abs(value) >= 9.995 else 2
    text = f"{value:,.{digits}f}"
    return text.rstrip("0").rstrip(".") if "." in text else text
