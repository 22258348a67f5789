"""What flows through a state machine: JSON values, their size, and which of them are equal."""

from typing import TypeAlias

import msgspec

from footfall.states.failing import DATA_LIMIT_EXCEEDED, StateFailed

DATA_BYTES_MAX = 262_144  # Step Functions: input and output of a state, as UTF-8.

Json: TypeAlias = "bool | int | float | str | list[Json] | dict[str, Json] | None"

_ENCODER = msgspec.json.Encoder()
_DECODER = msgspec.json.Decoder()


def value_from_bytes(data: bytes) -> Json:
    """Return the value that the bytes hold."""
    value: Json = _DECODER.decode(data)
    return value


def bytes_from_value(value: Json) -> bytes:
    """Return the value as JSON; raise StateFailed when it is more than a state may take or give."""
    data = _ENCODER.encode(value)
    if len(data) > DATA_BYTES_MAX:
        raise StateFailed(
            DATA_LIMIT_EXCEEDED, f"a state takes and gives at most {DATA_BYTES_MAX} bytes, not {len(data)}"
        )
    return data


def text_from_value(value: Json) -> str:
    """Return the value as JSON text, whatever its size."""
    return _ENCODER.encode(value).decode()


def is_number(value: Json) -> bool:
    """Tell whether JSON calls it a number; true and false are none."""
    return isinstance(value, int | float) and not isinstance(value, bool)


def is_equal(one: Json, other: Json) -> bool:
    """Tell whether two values are the same JSON; Python holds 1 and true for equal, JSON does not."""
    if isinstance(one, bool) or isinstance(other, bool):
        return one is other
    if isinstance(one, list) and isinstance(other, list):
        return len(one) == len(other) and all(is_equal(*both) for both in zip(one, other, strict=True))
    if isinstance(one, dict) and isinstance(other, dict):
        return one.keys() == other.keys() and all(is_equal(value, other[name]) for name, value in one.items())
    return one == other
