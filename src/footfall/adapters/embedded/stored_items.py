"""How an item becomes bytes, and what conditions and updates mean for those bytes.

Equal items have equal bytes: map keys and set members are sorted and whole floats are ints. So a condition
compares bytes with bytes and a large item is not unpacked to look at one of its attributes.
"""

from collections.abc import Mapping, Sequence
from decimal import Context, Decimal
from typing import Any, cast

import msgspec

from footfall.ports.errors import Changed, Corrupt
from footfall.ports.items import NUMBER_DIGITS_MAX, decimal_of, whole_or_float
from footfall.ports.table import (
    Absent,
    Below,
    Condition,
    Equals,
    Item,
    Key,
    Position,
    Present,
    Unfit,
    Update,
    Value,
    require_conditions,
)

SET_CODE = 1  # The members as an array, in order.
INTEGER_CODE = 2  # A whole number beyond 64 bits, in decimal digits.
INTEGER_MIN = -(2**63)
INTEGER_MAX = 2**64 - 1

_DECIMALS = Context(prec=NUMBER_DIGITS_MAX)
_EXPONENT_SHIFT = 500  # Keeps exponents positive and three digits wide.
_NINES = str.maketrans("0123456789", "9876543210")


def bytes_from_item(item: Item) -> bytes:
    """Return the one sequence of bytes that stands for the item."""
    return _ENCODER.encode({name: _plain(value) for name, value in item.items()})


def item_from_bytes(data: bytes) -> dict[str, Value]:
    """Return the item that the bytes stand for."""
    try:
        return cast("dict[str, Value]", _ITEM_DECODER.decode(data))
    except (msgspec.DecodeError, ValueError) as error:
        raise Corrupt(f"a stored item of {len(data)} bytes cannot be read: restore the table from a backup") from error


def require_holds(key: Key, expects: Sequence[Condition], stored: bytes | None) -> None:
    """Raise Changed unless every condition holds for the stored item."""
    if not expects:
        return
    require_conditions(expects)
    attributes = None if stored is None else _attributes(stored)
    for condition in expects:
        if not _holds(condition, attributes):
            raise Changed(f"{key} is not as expected: {condition} does not hold; read it again")


def _attributes(stored: bytes) -> Mapping[str, msgspec.Raw]:
    try:
        return _ATTRIBUTES_DECODER.decode(stored)
    except msgspec.DecodeError as error:
        raise Corrupt(f"a stored item of {len(stored)} bytes cannot be read: restore it from a backup") from error


def _holds(condition: Condition, attributes: Mapping[str, msgspec.Raw] | None) -> bool:
    match condition:
        case Absent():
            return attributes is None
        case Present():
            return attributes is not None
        case Equals(attribute=name, value=value):
            raw = (attributes or {}).get(name)
            return value is None if raw is None else bytes(raw) == _ENCODER.encode(_plain(value))
        case Below(attribute=name, bound=bound):
            raw = (attributes or {}).get(name)
            if raw is None:
                return True
            found = cast("Value", _DECODER.decode(raw))
            return _is_number(found) and decimal_of(cast("int | float", found)) < decimal_of(bound)


def updated(item: Item, update: Update) -> dict[str, Value]:
    """Return the item with the update's changes."""
    new = {**item, **update.set}
    for name, amount in update.add.items():
        new[name] = _sum(name, new.get(name, 0), amount)
    for name, members in update.set_add.items():
        new[name] = cast("frozenset[str]", _set_of(name, new.get(name, frozenset())) | members)
    for name, members in update.set_remove.items():
        left = _set_of(name, new.pop(name, frozenset())) - members
        if left:
            new[name] = cast("frozenset[str]", left)
    for name in update.remove:
        new.pop(name, None)
    return new


def _sum(name: str, number: Value, amount: int | float) -> int | float:
    if not _is_number(number):
        raise Unfit(f"attribute {name!r} is {type(number).__name__}, not a number: nothing can be added to it")
    if isinstance(number, int) and isinstance(amount, int):
        return number + amount
    # Decimal, so that a tenth and two tenths are three tenths here as on every other ground.
    total = _DECIMALS.add(decimal_of(cast("int | float", number)), decimal_of(amount))
    return int(total) if total == total.to_integral_value() else float(total)


def _is_number(value: Value) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


def _set_of(name: str, value: Value) -> frozenset[Any]:
    if not isinstance(value, frozenset):
        raise Unfit(f"attribute {name!r} is {type(value).__name__}, not a set: it has no members to add or remove")
    return cast("frozenset[Any]", value)


def text_from_position(position: Position) -> str:
    """Return text that sorts as the position does: text as itself, numbers by their value."""
    if isinstance(position, str):
        return position
    decimal = decimal_of(position)
    if decimal.is_zero():
        return "1"
    digits = _significant(decimal)
    exponent = f"{decimal.adjusted() + _EXPONENT_SHIFT:03d}"
    if decimal > 0:
        return f"2{exponent}{digits}"
    # Complements turn the order round; the tilde puts -1 after -1.5, of which it is a prefix.
    return f"0{exponent.translate(_NINES)}{digits.translate(_NINES)}~"


def _significant(decimal: Decimal) -> str:
    return "".join(str(digit) for digit in decimal.as_tuple().digits).strip("0")


def _plain(value: Value) -> object:
    match value:
        case None | bool() | str() | bytes():
            return value
        case int():
            return value if INTEGER_MIN <= value <= INTEGER_MAX else _big(value)
        case float():
            return _plain(whole_or_float(value)) if value.is_integer() else float(value)
        case frozenset():
            members = sorted(cast("frozenset[Any]", value))
            return msgspec.msgpack.Ext(SET_CODE, _ENCODER.encode([_plain(member) for member in members]))
        case Mapping():
            return {name: _plain(inner) for name, inner in value.items()}
        case _:
            return [_plain(inner) for inner in value]


def _big(number: int) -> msgspec.msgpack.Ext:
    return msgspec.msgpack.Ext(INTEGER_CODE, str(number).encode())


def _value_from_extension(code: int, data: memoryview) -> object:
    if code == SET_CODE:
        return frozenset(cast("list[Any]", _DECODER.decode(data)))
    if code == INTEGER_CODE:
        return int(bytes(data))
    raise ValueError(f"a stored item has a value of unknown kind {code}")


_ENCODER = msgspec.msgpack.Encoder(order="deterministic")
_DECODER = msgspec.msgpack.Decoder(ext_hook=_value_from_extension)
_ITEM_DECODER = msgspec.msgpack.Decoder(dict[str, Any], ext_hook=_value_from_extension)
_ATTRIBUTES_DECODER = msgspec.msgpack.Decoder(dict[str, msgspec.Raw])
