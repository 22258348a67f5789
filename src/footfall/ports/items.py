"""What an item of a table may hold, and how large it is.

DynamoDB's rules, kept by every table: a size that only one ground refuses would be found out in production.
"""

import math
from collections.abc import Collection, Mapping, Sequence
from decimal import Decimal

from footfall.ports.errors import PortError, TooLarge

NESTING_MAX = 31  # DynamoDB's 32 levels count the value inside.
NAME_BYTES_MAX = 32_768  # Half of DynamoDB's; its local build takes these and fails at 65,000.
NUMBER_DIGITS_MAX = 38
NUMBER_EXPONENT_MAX = 125  # Magnitudes from 1E-130 to 9.99...E+125, and zero.
NUMBER_EXPONENT_MIN = -130

Scalar = str | int | float | bytes | bool | None
Value = Scalar | frozenset[str] | frozenset[int] | frozenset[bytes] | Sequence["Value"] | Mapping[str, "Value"]
Item = Mapping[str, Value]


class Unfit(PortError):
    """What was asked can be stored by no table; the message names the part and the rule."""


def whole_or_float(number: int | float) -> int | float:
    """Return the number as every table gives it back: an int when it is whole."""
    if isinstance(number, float) and number.is_integer():
        return int(decimal_of(number))
    return number


def decimal_of(number: int | float) -> Decimal:
    """Return the decimal that a table stores: the shortest one that stands for this float."""
    return Decimal(float.__repr__(number)) if isinstance(number, float) else Decimal(number)


def map_bytes(entries: Mapping[str, Value], *, level: int = 0) -> int:
    """Return the size of names and values as DynamoDB counts them; raise for what no table can hold."""
    return sum(_name_bytes(name) + _value_bytes(value, level=level) for name, value in entries.items())


def _name_bytes(name: object) -> int:
    if not isinstance(name, str) or not name:
        raise Unfit(f"an attribute's name is text of at least one character, not {name!r}")
    size = text_bytes(name)
    if size > NAME_BYTES_MAX:
        raise TooLarge(f"an attribute's name has at most {NAME_BYTES_MAX} bytes, this one {size}: {name[:40]!r}...")
    return size


def _value_bytes(value: Value, *, level: int) -> int:
    match value:
        case None | bool():
            return 1
        case str():
            return text_bytes(value)
        case bytes():
            return len(value)
        case int() | float():
            return number_bytes(value)
        case frozenset():
            return _set_bytes(value)
        case _:
            return _nested_bytes(value, level=level + 1)


def _nested_bytes(value: Sequence[Value] | Mapping[str, Value], *, level: int) -> int:
    if level > NESTING_MAX:
        raise TooLarge(f"lists and maps lie at most {NESTING_MAX} deep in each other")
    if isinstance(value, Mapping):
        return 3 + len(value) + map_bytes(value, level=level)
    if isinstance(value, list | tuple):
        return 3 + len(value) + sum(_value_bytes(element, level=level) for element in value)
    raise Unfit(f"no table holds a {type(value).__name__}: {value!r}")


def _set_bytes(members: Collection[str] | Collection[int] | Collection[bytes]) -> int:
    kinds = {type(member) for member in members}
    if len(kinds) != 1 or not kinds <= {str, int, bytes}:
        raise Unfit(f"a set holds at least one member, all text, all whole numbers or all bytes: {set(members)!r}")
    return sum(_value_bytes(member, level=0) for member in members)


def text_bytes(text: str) -> int:
    """Return the size of the text; raise when it has no UTF-8 form."""
    if text.isascii():
        return len(text)
    try:
        return len(text.encode())
    except UnicodeEncodeError as error:
        raise Unfit(f"text must be sound Unicode, without lone surrogates: {text!r}") from error


def number_bytes(number: int | float) -> int:
    """Return the size of the number; raise when it has too many digits or is too large or too small."""
    digits, exponent = _digits_of_int(number) if isinstance(number, int) else _digits_of_float(number)
    if digits and not NUMBER_EXPONENT_MIN <= exponent <= NUMBER_EXPONENT_MAX:
        raise Unfit(f"a number lies between 1E{NUMBER_EXPONENT_MIN} and 9.99...E+{NUMBER_EXPONENT_MAX}, not {number}")
    if len(digits) > NUMBER_DIGITS_MAX:
        raise Unfit(f"a number has at most {NUMBER_DIGITS_MAX} digits, {number} has {len(digits)}")
    if not digits:
        return 1
    # DynamoDB packs two digits a byte, in pairs that are counted from the decimal point: 12 is one, 120 is two.
    last = exponent - len(digits) + 1
    return 2 + exponent // 2 - last // 2 + (number < 0)


def _digits_of_int(number: int) -> tuple[str, int]:
    # Python refuses to print an int of thousands of digits, so those are turned away by their bits.
    if number.bit_length() > 4 * NUMBER_EXPONENT_MAX:
        raise Unfit(f"a number is at most 9.99...E+{NUMBER_EXPONENT_MAX}; this one has {number.bit_length()} bits")
    text = str(abs(number))
    return text.strip("0"), len(text) - 1


def _digits_of_float(number: float) -> tuple[str, int]:
    if not math.isfinite(number):
        raise Unfit(f"{number} is not a number that a table holds")
    decimal = decimal_of(number)
    return "".join(str(digit) for digit in decimal.as_tuple().digits).strip("0"), decimal.adjusted()
