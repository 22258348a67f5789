"""The careful lane: one hit at a time, with a reason for each that cannot be taken.

It splits the body by hand, without recursion, so that one hit that is nested ten thousand deep, cut off or
not JSON at all costs nobody else anything.
"""

import json
import re
from dataclasses import dataclass
from typing import Any

from footfall.flow.collect.fields import Hit, Refusal, SentHit, hit_from_sent
from footfall.values.errors import Refused

# Possessive, and a text without an end reaches to the body's: so no body makes the search go back.
_TOKEN = re.compile(rb'"(?:[^"\\]++|\\.?)*+(?:"|\Z)|[\[\]{},]', re.DOTALL)
# Three times what a hit with every field has, and room for one that is nested deep: then a body was made to take long.
_TOKENS_PER_HIT_MAX, _TOKENS_MORE_MAX = 100, 100_000
_TOO_MANY_DIGITS = 40  # Python takes its time over numbers of thousands of digits; none of ours has twenty.

_KINDS: dict[str, tuple[tuple[type, ...], str]] = {
    "brand": ((str, type(None)), "text"),
    "assetId": ((str, int), "text or a whole number"),
    "sectionId": ((str, int, type(None)), "text or a whole number"),
    "resourceType": ((str, type(None)), "text"),
    "paidType": ((str, type(None)), "text"),
    "url": ((str, type(None)), "text"),
    "referrer": ((str, type(None)), "text"),
    "at": ((str, int, type(None)), "a time as text, or whole milliseconds"),
    "id": ((str, type(None)), "text"),
    "visitor": ((str, type(None)), "text"),
    "client": ((str, type(None)), "text"),
    "agent": ((str, type(None)), "text"),
    "purpose": ((str, type(None)), "text"),
}


@dataclass(frozen=True, slots=True)
class _Constant:
    """NaN or an infinity, which JSON does not have; kept until it is known whose value it is."""

    name: str


def careful_hits(pieces: list[bytes]) -> tuple[list[tuple[int, Hit]], list[Refusal]]:
    """Return the hits that can be taken with their places, and why the others cannot."""
    taken: list[tuple[int, Hit]] = []
    refused: list[Refusal] = []
    for place, piece in enumerate(pieces):
        try:
            taken.append((place, careful_hit(piece)))
        except Refused as error:
            refused.append(Refusal(place, error.field, error.reason))
    return taken, refused


def careful_hit(piece: bytes) -> Hit:
    """Return the hit that the text of one JSON object holds, or raise Refused."""
    fields, constants = object_of(piece)
    for name, (kinds, words) in _KINDS.items():
        value = fields.get(name)
        if value is None and name == "assetId":
            raise Refused(name, "is missing")
        if (not isinstance(value, kinds) and value is not None) or isinstance(value, bool):
            raise Refused(name, f"must be {words}, not {words_for(value)}")
    if constants:
        raise Refused("body", "has NaN or an infinity, which JSON does not")
    return hit_from_sent(SentHit(**{name: fields[name] for name in _KINDS if name in fields}))


def pieces_of_array(body: bytes, hits_max: int) -> list[bytes]:
    """Split the text of a JSON array into the texts of its items; raise Refused when it has no end or too many."""
    start = body.index(b"[") + 1
    depth, pieces = 1, list[bytes]()
    tokens_max = _TOKENS_PER_HIT_MAX * hits_max + _TOKENS_MORE_MAX
    for count, token in enumerate(_TOKEN.finditer(body, start)):
        mark = token.group()
        if count > tokens_max or len(pieces) > hits_max:
            raise Refused("body", f"has more in it than {hits_max:,} hits, the most that are taken at once")
        if mark in (b"{", b"["):
            depth += 1
        elif mark in (b"}", b"]"):
            depth -= 1
        elif mark == b"," and depth == 1:
            pieces.append(body[start : token.start()])
            start = token.end()
        if depth == 0:
            last = body[start : token.start()]
            if body[token.end() :].strip():
                raise Refused("body", "goes on after the array's end")
            return [*pieces, last] if pieces or last.strip() else []
    raise Refused("body", "is cut off: the array does not end")


def pieces_of_lines(body: bytes, hits_max: int) -> list[bytes]:
    """Return the lines that hold something; raise Refused when they are too many."""
    pieces = [line for line in body.split(b"\n") if line.strip()]
    if len(pieces) > hits_max:
        raise Refused("body", f"has {len(pieces):,} lines, at most {hits_max:,} hits are taken at once")
    return pieces


def object_of(piece: bytes) -> tuple[dict[str, Any], list[_Constant]]:
    """Return an object's fields, and every NaN or infinity that it has anywhere."""
    constants: list[_Constant] = []

    def constant(name: str) -> _Constant:
        constants.append(_Constant(name))
        return constants[-1]

    try:
        text = piece.decode()
    except UnicodeDecodeError as error:
        raise Refused("body", f"is not UTF-8 at byte {error.start}") from error
    try:
        fields = json.loads(text, object_pairs_hook=_unique, parse_constant=constant, parse_int=_whole_number)
    except RecursionError as error:
        raise Refused("body", "is nested too deep") from error
    except ValueError as error:
        hint = "; for one hit a line, send Content-Type: application/x-ndjson" if "Extra data" in str(error) else ""
        raise Refused("body", f"is not JSON: {error}{hint}") from error
    if not isinstance(fields, dict):
        raise Refused("body", f"must be a JSON object, not {words_for(fields)}")
    return fields, constants  # pyright: ignore[reportUnknownVariableType] - whatever was sent


def _unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    fields = dict(pairs)
    if len(fields) != len(pairs):
        seen = set[str]()
        twice = next(name for name, _ in pairs if name in seen or seen.add(name))
        raise Refused(twice if twice in _KINDS else "body", f"the key {twice[:40]!r} stands twice")
    return fields


def _whole_number(digits: str) -> int:
    return int(digits) if len(digits) <= _TOO_MANY_DIGITS else 10**_TOO_MANY_DIGITS


_WORDS: dict[type, str] = {
    bool: "true or false",
    type(None): "null",
    list: "an array",
    dict: "an object",
    float: "a number with a fraction",
    int: "a number",
}


def words_for(value: object) -> str:
    """Return what a value is called in a refusal."""
    return value.name if isinstance(value, _Constant) else _WORDS.get(type(value), "text")
