"""The port's conditions, updates and ranges in DynamoDB's expression language, every name and value by placeholder."""

from collections.abc import Sequence
from typing import Any

from footfall.adapters.aws.dynamodb_items import EXPIRES_AT_MS, WRITE_TOKEN, Names, Stored, expiry, stored_from_value
from footfall.ports.errors import TooLarge
from footfall.ports.items import decimal_of
from footfall.ports.table import Absent, Below, Condition, Equals, Index, Position, Present, Update

EXPRESSION_BYTES_MAX = 4_096  # DynamoDB's own limit on each expression.


class Terms:
    """Gathers the names and values that the expressions of one call speak of."""

    def __init__(self, names: Names) -> None:
        self._names = names
        self._placed: dict[str, str] = {}
        self._values: dict[str, Stored] = {}

    def name(self, stored_name: str) -> str:
        """Return the placeholder of an attribute, by its stored name."""
        return self._placed.setdefault(stored_name, f"#{len(self._placed)}")

    def own(self, name: str) -> str:
        """Return the placeholder of an item's own attribute."""
        return self.name(self._names.stored(name))

    def value(self, stored: Stored) -> str:
        """Return the placeholder of a value."""
        placeholder = f":{len(self._values)}"
        self._values[placeholder] = stored
        return placeholder

    def spoken(self, **expressions: str) -> dict[str, Any]:
        """Return the call's arguments: the expressions that say something, and what they speak of."""
        for what, text in expressions.items():
            if len(text) > EXPRESSION_BYTES_MAX:
                raise TooLarge(f"{what} has {len(text)} bytes, at most {EXPRESSION_BYTES_MAX}: name fewer attributes")
        ask: dict[str, Any] = {what: text for what, text in expressions.items() if text}
        if self._placed:
            ask["ExpressionAttributeNames"] = {short: name for name, short in self._placed.items()}
        if self._values:
            ask["ExpressionAttributeValues"] = self._values
        return ask

    def live(self, now_ms: int) -> str:
        """Return what holds when the item has not expired, or when there is none."""
        seconds, exact = self.name(self._names.expiry), self.name(EXPIRES_AT_MS)
        now, now_s = self.value({"N": str(now_ms)}), self.value({"N": str(now_ms // 1_000)})
        return (
            f"(attribute_not_exists({seconds}) OR {exact} > {now}"
            f" OR (attribute_not_exists({exact}) AND {seconds} > {now_s}))"
        )

    def expired(self, now_ms: int) -> str:
        """Return what holds when there is an item that has expired."""
        return f"attribute_exists({self.name(self._names.partition)}) AND NOT {self.live(now_ms)}"

    def anything(self) -> str:
        """Return what always holds."""
        pk = self.name(self._names.partition)
        return f"attribute_exists({pk}) OR attribute_not_exists({pk})"

    def conditions(self, expects: Sequence[Condition], *, now_ms: int) -> str:
        """Return what holds when every condition does; expired items are not there."""
        if not expects:
            return ""
        live = self.live(now_ms)
        return " AND ".join(self._condition(condition, live) for condition in expects)

    def _condition(self, condition: Condition, live: str) -> str:
        match condition:
            case Absent():
                return f"(attribute_not_exists({self.name(self._names.partition)}) OR NOT {live})"
            case Present():
                return f"(attribute_exists({self.name(self._names.partition)}) AND {live})"
            case Equals(attribute=name, value=None):
                found, null = self.own(name), self.value({"S": "NULL"})
                return f"(NOT {live} OR attribute_not_exists({found}) OR attribute_type({found}, {null}))"
            case Equals(attribute=name, value=value):
                return f"({self.own(name)} = {self.value(stored_from_value(value))} AND {live})"
            case Below(attribute=name, bound=bound):
                found = self.own(name)
                below = f"{found} < {self.value(stored_from_value(bound))}"  # Only a number is below a number.
                return f"(NOT {live} OR attribute_not_exists({found}) OR {below})"

    def changes(self, update: Update, *, token: bytes) -> str:
        """Return the update's expression; the token marks the item as written by this very call."""
        sets = {self.own(name): stored_from_value(value) for name, value in update.set.items()}
        ours = {**expiry(self._names, update.expires_at_ms), WRITE_TOKEN: {"B": token}}
        sets.update({self.name(name): value for name, value in ours.items()})
        removed = [self.own(name) for name in sorted(update.remove)]
        if update.expires_at_ms is not None and EXPIRES_AT_MS not in ours:
            removed.append(self.name(EXPIRES_AT_MS))
        added = {**update.add, **update.set_add}
        parts = {
            "SET": [f"{name}={self.value(value)}" for name, value in sets.items()],
            "REMOVE": removed,
            "ADD": [f"{self.own(name)} {self.value(stored_from_value(value))}" for name, value in added.items()],
            "DELETE": [
                f"{self.own(name)} {self.value(stored_from_value(members))}"
                for name, members in update.set_remove.items()
            ],
        }
        return " ".join(f"{verb} {','.join(said)}" for verb, said in parts.items() if said)

    def between(self, name: str, at_least: Position | None, at_most: Position | None) -> str:
        """Return what holds between two ends of a sort key, by its stored name; empty without ends."""
        ends = [None if end is None else self.value(stored_from_value(end)) for end in (at_least, at_most)]
        match ends:
            case [None, None]:
                return ""
            case [low, None]:
                return f" AND {self.name(name)} >= {low}"
            case [None, high]:
                return f" AND {self.name(name)} <= {high}"
            case _:
                return f" AND {self.name(name)} BETWEEN {ends[0]} AND {ends[1]}"


def order_of(position: Position) -> Any:
    """Return what sorts as DynamoDB sorts the position: text by its bytes, numbers by value."""
    return position.encode() if isinstance(position, str) else decimal_of(position)


def keys_of(names: Names, index: Index | None) -> tuple[str, str]:
    """Return the stored names of the partition and sort attributes that a query goes by."""
    if index is None:
        return names.partition, names.sort
    return names.stored(index.partition), names.stored(index.sort)
