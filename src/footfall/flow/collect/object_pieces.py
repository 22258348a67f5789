"""Hits in an object that another pipeline wrote: one JSON object a line, one after another without lines, or an array.

Firehose puts what it is given into a file as it comes, so objects that were sent without a line end stand in one line.
"""

import re
from collections.abc import Iterator

import msgspec

from footfall.flow.collect.inflate import inflate
from footfall.values.errors import Refused

INFLATED_BYTES_MAX = 256 * 1_048_576  # What a function of the default size can hold with its pieces.
_GZIP, _ZSTD = b"\x1f\x8b", b"\x28\xb5\x2f\xfd"
_FOREIGN = {b"PK\x03\x04": "zip", b"\xff\x06\x00\x00": "snappy", b"PAR1": "Parquet", b"ORC": "ORC", b"Obj\x01": "Avro"}

# Possessive, and a text without an end reaches to the body's: so no body makes the search go back.
_TOKEN = re.compile(rb'"(?:[^"\\]++|\\.?)*+(?:"|\Z)|[\[\]{}]', re.DOTALL)
_JOINED = re.compile(rb"[}\]]\s*[{\[]")
_OPENING = (b"{", b"[")

_items = msgspec.json.Decoder(list[msgspec.Raw]).decode


def text_of_object(data: bytes) -> bytes:
    """Return what an object says, decompressed; what it is compressed with is told by its first bytes."""
    for magic, name in _FOREIGN.items():
        if data.startswith(magic):
            raise Refused("object", f"is {name}; hits are taken as JSON, plain or compressed with gzip or zstd")
    encoding = "gzip" if data.startswith(_GZIP) else "zstd" if data.startswith(_ZSTD) else ""
    return inflate(data, encoding, bytes_max=INFLATED_BYTES_MAX)


def pieces_of_object(text: bytes) -> list[bytes]:
    """Return the texts of the hits in their order; one that cannot be a hit is a piece as well, to be refused alone."""
    pieces: list[bytes] = []
    rest = text.lstrip()
    is_spread = rest[:1] in _OPENING and _depth(rest.partition(b"\n")[0]) > 0  # One value over several lines.
    for line in [rest] if is_spread else rest.split(b"\n"):
        plain = line.strip()
        if plain.startswith(b"{") and plain.endswith(b"}") and _JOINED.search(plain) is None:
            pieces.append(plain)
        elif plain:
            pieces.extend(_values(plain))
    return pieces


def _values(text: bytes) -> Iterator[bytes]:
    """Yield the objects of a text that holds several, and the items of arrays; what stands between them as it is."""
    start = depth = 0
    for token in _TOKEN.finditer(text):
        mark = token.group()
        if mark in _OPENING:
            if depth == 0:
                yield from _between(text[start : token.start()])
                start = token.start()
            depth += 1
        elif mark in (b"}", b"]") and depth:
            depth -= 1
            if depth == 0:
                yield from _unwrapped(text[start : token.end()])
                start = token.end()
    yield from _between(text[start:])


def _between(text: bytes) -> Iterator[bytes]:
    if text.strip(b" \t\r\n,"):
        yield text.strip()


def _unwrapped(value: bytes) -> Iterator[bytes]:
    if not value.startswith(b"["):
        yield value
        return
    try:
        yield from (bytes(item) for item in _items(value))
    except (msgspec.MsgspecError, RecursionError):
        yield value


def _depth(line: bytes) -> int:
    depth = 0
    for token in _TOKEN.finditer(line):
        mark = token.group()
        depth += (mark in _OPENING) - (mark in (b"}", b"]"))
    return depth
