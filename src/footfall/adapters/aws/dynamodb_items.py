"""How an item of the port lies in a DynamoDB table: its attributes beside our own, every number exact."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from decimal import Context, Decimal
from typing import Any, cast

from footfall.ports.items import NUMBER_DIGITS_MAX, Value, decimal_of, number_bytes, text_bytes
from footfall.ports.table import Item, Key, Unfit, Update

EXPIRES_AT_MS = "expiresAtMs"  # Only beside an expiry that is no whole second.
WRITE_TOKEN = "writeToken"  # noqa: S105 - it tells one write of ours from another, and keeps no secret
TOKEN_BYTES = 8

Stored = dict[str, Any]  # A value as DynamoDB's protocol has it: {"N": "5"}.
StoredItem = dict[str, Stored]

# Sums have up to 38 digits and are refused beyond them, so 80 are enough never to round.
_SUMS = Context(prec=2 * NUMBER_DIGITS_MAX + 4, Emax=999, Emin=-999)


@dataclass(frozen=True, slots=True)
class Names:
    """The table's name and those of the attributes that are ours; an item's own attribute of that name gets a `_`."""

    table: str
    partition: str = "pk"
    sort: str = "sk"
    expiry: str = "expirationTime"
    _ours: frozenset[str] = field(init=False, repr=False)

    def __post_init__(self) -> None:
        ours = frozenset({self.partition, self.sort, self.expiry, EXPIRES_AT_MS, WRITE_TOKEN})
        if len(ours) != 5 or any(name.startswith("_") or not name for name in ours):
            raise Unfit(f"keys and expiry need three names of their own that do not start with '_', not {self}")
        object.__setattr__(self, "_ours", ours)

    def stored(self, name: str) -> str:
        """Return the attribute under which the item's attribute is stored."""
        return f"_{name}" if name.lstrip("_") in self._ours else name

    def told(self, stored: str) -> str | None:
        """Return the item's attribute that is stored under the name; None for one of ours."""
        if stored.lstrip("_") not in self._ours:
            return stored
        return stored[1:] if stored.startswith("_") else None

    def key(self, key: Key) -> StoredItem:
        """Return the two attributes under which the item lies."""
        return {self.partition: {"S": key.partition}, self.sort: {"S": key.sort}}


def stored_from_item(names: Names, key: Key, item: Item, *, expires_at_ms: int | None) -> StoredItem:
    """Return the item as it is stored."""
    stored = names.key(key)
    stored.update(expiry(names, expires_at_ms))
    for name, value in item.items():
        stored[names.stored(name)] = stored_from_value(value)
    return stored


def expiry(names: Names, expires_at_ms: int | None) -> StoredItem:
    """Return the attributes that make an item expire: DynamoDB knows seconds, readers know milliseconds."""
    if expires_at_ms is None:
        return {}
    # Rounded up: DynamoDB must never remove what a reader may still see.
    seconds = {names.expiry: {"N": str(-(-expires_at_ms // 1_000))}}
    return seconds if expires_at_ms % 1_000 == 0 else {**seconds, EXPIRES_AT_MS: {"N": str(expires_at_ms)}}


def item_from_stored(names: Names, stored: StoredItem) -> dict[str, Value]:
    """Return the item without our own attributes."""
    item: dict[str, Value] = {}
    for stored_name, value in stored.items():
        name = names.told(stored_name)
        if name is not None:
            item[name] = value_from_stored(value)
    return item


def key_from_stored(names: Names, stored: StoredItem) -> Key:
    """Return where the item lies."""
    return Key(stored[names.partition]["S"], stored[names.sort]["S"])


def is_live(names: Names, stored: StoredItem, *, now_ms: int) -> bool:
    """Tell whether the item has not expired; DynamoDB keeps expired ones for days."""
    if names.expiry not in stored:
        return True
    if EXPIRES_AT_MS in stored:
        return int(stored[EXPIRES_AT_MS]["N"]) > now_ms
    return Decimal(stored[names.expiry]["N"]) * 1_000 > now_ms


def stored_from_value(value: Value) -> Stored:  # noqa: PLR0911 - one line for each kind of value
    """Return the value in DynamoDB's protocol."""
    match value:
        case None:
            return {"NULL": True}
        case bool():
            return {"BOOL": value}
        case str():
            return {"S": value}
        case bytes():
            return {"B": value}
        case int() | float():
            return {"N": _digits(value)}
        case frozenset():
            return _stored_set(cast("frozenset[Any]", value))
        case Mapping():
            return {"M": {name: stored_from_value(inner) for name, inner in value.items()}}
        case _:
            return {"L": [stored_from_value(inner) for inner in value]}


def _stored_set(members: frozenset[Any]) -> Stored:
    if any(isinstance(member, str) for member in members):
        return {"SS": list(members)}
    if any(isinstance(member, bytes) for member in members):
        return {"BS": list(members)}
    return {"NS": [_digits(member) for member in members]}


def _digits(number: int | float) -> str:
    return str(decimal_of(number)) if isinstance(number, float) else str(number)


def value_from_stored(stored: Stored) -> Value:  # noqa: PLR0911 - one line for each kind of value
    """Return the value that DynamoDB's protocol tells."""
    ((kind, value),) = stored.items()
    match kind:
        case "N":
            return _number(value)
        case "B":
            return bytes(value)
        case "NULL":
            return None
        case "SS" | "BS":
            return frozenset(value)
        case "NS":
            return cast("frozenset[int]", frozenset(_number(member) for member in value))
        case "L":
            return [value_from_stored(inner) for inner in value]
        case "M":
            return {name: value_from_stored(inner) for name, inner in value.items()}
        case _:
            return value  # Text and truth are themselves.


def _number(digits: str) -> int | float:
    try:
        return int(digits)
    except ValueError:
        number = Decimal(digits)
        return int(number) if number == number.to_integral_value() else float(number)


def applied(names: Names, before: StoredItem, update: Update, *, token: bytes) -> StoredItem:
    """Return the stored item after an update that DynamoDB has done to the one before."""
    after: StoredItem = {**names.key(update.key), **before, WRITE_TOKEN: {"B": token}}
    after.update({names.stored(name): stored_from_value(value) for name, value in update.set.items()})
    for name, amount in update.add.items():
        found = Decimal(after.get(names.stored(name), {"N": "0"})["N"])
        after[names.stored(name)] = {"N": str(_SUMS.add(found, decimal_of(amount)))}
    for name, members in update.set_add.items():
        stored = stored_from_value(members)
        ((kind, added),) = stored.items()
        after[names.stored(name)] = {kind: list({*after.get(names.stored(name), {kind: []})[kind], *added})}
    for name, members in update.set_remove.items():
        ((kind, gone),) = stored_from_value(members).items()
        left = set(after.pop(names.stored(name), {kind: []})[kind]) - set(gone)
        if left:
            after[names.stored(name)] = {kind: list(left)}
    for name in update.remove:
        after.pop(names.stored(name), None)
    if update.expires_at_ms is not None:
        after.pop(EXPIRES_AT_MS, None)
        after.update(expiry(names, update.expires_at_ms))
    return after


def stored_bytes(stored: StoredItem) -> int:
    """Return the size that DynamoDB charges for the item."""
    return sum(text_bytes(name) + _value_bytes(value) for name, value in stored.items())


def _value_bytes(stored: Stored) -> int:  # noqa: PLR0911 - one line for each kind of value
    ((kind, value),) = stored.items()
    match kind:
        case "S":
            return text_bytes(value)
        case "B":
            return len(value)
        case "N":
            return number_bytes(_number(value))
        case "SS" | "BS" | "NS":
            return sum(_value_bytes({kind[0]: member}) for member in value)
        case "L":
            return 3 + len(value) + sum(_value_bytes(inner) for inner in value)
        case "M":
            return 3 + len(value) + stored_bytes(value)
        case _:
            return 1
