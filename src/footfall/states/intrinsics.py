"""The intrinsic functions of the language: what each gives for its arguments, and what it refuses."""

import base64
import binascii
import hashlib
import re
from collections.abc import Callable, Mapping
from math import floor, isfinite
from random import Random
from types import MappingProxyType
from typing import Final
from uuid import UUID

import msgspec

from footfall.states.failing import INTRINSIC_FAILURE, StateFailed
from footfall.states.intrinsic_grammar import Argument, Call, Literal, call_from_text
from footfall.states.path_grammar import Path
from footfall.states.paths import Missing, found_by
from footfall.states.values import Json, is_equal, text_from_value, value_from_bytes

RANGE_ELEMENTS_MAX = 1_000  # Step Functions: what ArrayRange may make.
TEXT_CHARACTERS_MAX = 10_000  # Step Functions: what Base64Encode, Base64Decode and Hash take.
_ALGORITHMS = {"MD5": "md5", "SHA-1": "sha1", "SHA-256": "sha256", "SHA-384": "sha384", "SHA-512": "sha512"}
_INTEGER_MAX = 2**31  # Step Functions: what MathAdd and MathRandom count with.
_ESCAPED = re.compile(r"\\(.)", re.DOTALL)
_PLACE_OR_ESCAPED = re.compile(r"\\(.)|\{\}", re.DOTALL)

Function = Callable[[list[Json], Random], Json]


def result_of(text: str, data: Json, context: Json, chance: Random) -> Json:
    """Return what the call gives; raise StateFailed when it refuses its arguments, Missing, Unreadable."""
    return _result(call_from_text(text), data, context, chance)


def is_known(call: Call) -> bool:
    """Tell whether the function and all those in its arguments exist."""
    inner = [argument for argument in call.arguments if isinstance(argument, Call)]
    return call.name in FUNCTIONS and all(is_known(one) for one in inner)


def _result(call: Call, data: Json, context: Json, chance: Random) -> Json:
    function = FUNCTIONS.get(call.name)
    if function is None:
        raise StateFailed(INTRINSIC_FAILURE, f"there is no function {call.name!r}")
    given = [
        _given(argument, data, context, chance, is_template=not place and call.name == "States.Format")
        for place, argument in enumerate(call.arguments)
    ]
    try:
        return function(given, chance)
    except (_Refused, ValueError, IndexError, OverflowError) as error:
        raise StateFailed(INTRINSIC_FAILURE, f"{call.name}: {error}") from error


def _given(argument: Argument, data: Json, context: Json, chance: Random, *, is_template: bool) -> Json:
    if isinstance(argument, Literal):
        if isinstance(argument.value, str) and not is_template:
            return _ESCAPED.sub(r"\1", argument.value)
        return argument.value
    if isinstance(argument, Path):
        try:
            return found_by(argument, data, context)
        except Missing as error:
            raise StateFailed(INTRINSIC_FAILURE, f"a path of the arguments leads nowhere: {error}") from error
    return _result(argument, data, context, chance)


class _Refused(Exception):
    """The arguments are not what the function takes."""


def _format(given: list[Json], _chance: Random) -> Json:
    template = _text(given, 0)
    values = iter(given[1:])
    places = len([match for match in _PLACE_OR_ESCAPED.finditer(template) if match[1] is None])
    if places != len(given) - 1:
        raise _Refused(f"the template has {places} places for {len(given) - 1} values")
    return _PLACE_OR_ESCAPED.sub(lambda match: match[1] if match[1] is not None else _shown(next(values)), template)


def _shown(value: Json) -> str:
    if isinstance(value, str):
        return value
    if isinstance(value, list | dict):
        raise _Refused("arrays and objects have no place in a text: JsonToString makes one of them")
    return text_from_value(value)


def _string_to_json(given: list[Json], _chance: Random) -> Json:
    text = _text(given, 0, of=1)
    try:
        return value_from_bytes(text.encode()) if text.strip() else None
    except (msgspec.DecodeError, UnicodeEncodeError) as error:
        raise _Refused(f"the text is not JSON: {error}") from error


def _json_to_string(given: list[Json], _chance: Random) -> Json:
    _require_count(given, 1)
    return text_from_value(given[0])


def _array(given: list[Json], _chance: Random) -> Json:
    return given


def _array_partition(given: list[Json], _chance: Random) -> Json:
    array, size = _list(given, 0, of=2), _whole(given, 1)
    if size < 1:
        raise _Refused(f"a chunk has at least one element, not {size}")
    return [array[begin : begin + size] for begin in range(0, len(array), size)]


def _array_contains(given: list[Json], _chance: Random) -> Json:
    array = _list(given, 0, of=2)
    return any(is_equal(one, given[1]) for one in array)


def _array_range(given: list[Json], _chance: Random) -> Json:
    _require_count(given, 3)
    first, last, step = (_whole(given, place) for place in range(3))
    if not step:
        raise _Refused("the step is not 0")
    made = range(first, last + (1 if step > 0 else -1), step)
    if len(made) > RANGE_ELEMENTS_MAX:
        raise _Refused(f"a range has at most {RANGE_ELEMENTS_MAX} elements, not {len(made)}")
    return list(made)


def _array_get_item(given: list[Json], _chance: Random) -> Json:
    array, place = _list(given, 0, of=2), _whole(given, 1)
    if not 0 <= place < len(array):
        raise _Refused(f"the array has no element {place}")
    return array[place]


def _array_length(given: list[Json], _chance: Random) -> Json:
    return len(_list(given, 0, of=1))


def _array_unique(given: list[Json], _chance: Random) -> Json:
    kept: list[Json] = []
    for value in _list(given, 0, of=1):
        if not any(is_equal(value, other) for other in kept):
            kept.append(value)
    return kept


def _base64_encode(given: list[Json], _chance: Random) -> Json:
    return base64.b64encode(_short_text(given, 0, of=1).encode()).decode()


def _base64_decode(given: list[Json], _chance: Random) -> Json:
    try:
        return base64.b64decode(_short_text(given, 0, of=1), validate=True).decode()
    except (binascii.Error, UnicodeDecodeError) as error:
        raise _Refused(f"the text is not Base64 of UTF-8: {error}") from error


def _hash(given: list[Json], _chance: Random) -> Json:
    _require_count(given, 2)
    data = given[0] if isinstance(given[0], str) else text_from_value(given[0])
    algorithm = _ALGORITHMS.get(_text(given, 1))
    if algorithm is None:
        raise _Refused(f"{given[1]!r} is none of {', '.join(_ALGORITHMS)}")
    if len(data) > TEXT_CHARACTERS_MAX:
        raise _Refused(f"at most {TEXT_CHARACTERS_MAX} characters, not {len(data)}")
    return hashlib.new(algorithm, data.encode(), usedforsecurity=False).hexdigest()


def _json_merge(given: list[Json], _chance: Random) -> Json:
    _require_count(given, 3)
    one, other = given[0], given[1]
    if not isinstance(one, dict) or not isinstance(other, dict):
        raise _Refused("two objects are merged")
    if given[2] is not False:
        raise _Refused("only a shallow merge exists: the third argument is false")
    return {**one, **other}


def _math_random(given: list[Json], chance: Random) -> Json:
    if len(given) not in (2, 3):
        raise _Refused(f"2 or 3 arguments, not {len(given)}")
    begin, end = _whole(given, 0), _whole(given, 1)
    if begin >= end:
        raise _Refused(f"there is no number from {begin} up to {end}")
    source = Random(_whole(given, 2)) if len(given) > 2 else chance  # noqa: S311 - the language calls this chance
    return source.randrange(begin, end)


def _math_add(given: list[Json], _chance: Random) -> Json:
    _require_count(given, 2)
    total = _whole(given, 0) + _whole(given, 1)
    if abs(total) > _INTEGER_MAX:
        raise _Refused(f"{total} is beyond {_INTEGER_MAX}")
    return total


def _string_split(given: list[Json], _chance: Random) -> Json:
    text, splitters = _text(given, 0, of=2), _text(given, 1)
    if not splitters:
        return [text]
    return [part for part in re.split(f"[{re.escape(splitters)}]", text) if part]


def _uuid(given: list[Json], chance: Random) -> Json:
    _require_count(given, 0)
    return str(UUID(int=chance.getrandbits(128), version=4))


def _require_count(given: list[Json], count: int) -> None:
    if len(given) != count:
        raise _Refused(f"{count} arguments, not {len(given)}")


def _text(given: list[Json], place: int, *, of: int | None = None) -> str:
    if of is not None:
        _require_count(given, of)
    value = given[place]
    if not isinstance(value, str):
        raise _Refused(f"argument {place + 1} is a text, not {text_from_value(value)[:40]}")
    return value


def _short_text(given: list[Json], place: int, *, of: int) -> str:
    text = _text(given, place, of=of)
    if len(text) > TEXT_CHARACTERS_MAX:
        raise _Refused(f"at most {TEXT_CHARACTERS_MAX} characters, not {len(text)}")
    return text


def _list(given: list[Json], place: int, *, of: int) -> list[Json]:
    _require_count(given, of)
    value = given[place]
    if not isinstance(value, list):
        raise _Refused(f"argument {place + 1} is an array, not {text_from_value(value)[:40]}")
    return value


def _whole(given: list[Json], place: int) -> int:
    value = given[place]
    if isinstance(value, bool) or not isinstance(value, int | float) or not isfinite(value):
        raise _Refused(f"argument {place + 1} is a number, not {text_from_value(value)[:40]}")
    return value if isinstance(value, int) else floor(value + 0.5)


FUNCTIONS: Final[Mapping[str, Function]] = MappingProxyType(
    {
        "States.Format": _format,
        "States.StringToJson": _string_to_json,
        "States.JsonToString": _json_to_string,
        "States.Array": _array,
        "States.ArrayPartition": _array_partition,
        "States.ArrayContains": _array_contains,
        "States.ArrayRange": _array_range,
        "States.ArrayGetItem": _array_get_item,
        "States.ArrayLength": _array_length,
        "States.ArrayUnique": _array_unique,
        "States.Base64Encode": _base64_encode,
        "States.Base64Decode": _base64_decode,
        "States.Hash": _hash,
        "States.JsonMerge": _json_merge,
        "States.MathRandom": _math_random,
        "States.MathAdd": _math_add,
        "States.StringSplit": _string_split,
        "States.UUID": _uuid,
    }
)
