"""From a request about a named counter to stream entries: values are hashed here and go no further.

What decides where a value goes is frozen in its record: the counter's name and the brand's local day of its arrival.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field

import msgspec
import numpy as np

from footfall.accounts.brands import Brand
from footfall.flow.collect.claims import claim_of
from footfall.flow.collect.fields import Refusal
from footfall.flow.stream.counted_values import (
    VALUES_PER_RECORD_MAX,
    Act,
    record_of_act,
    record_of_values,
)
from footfall.flow.stream.shards import shard_of
from footfall.ports.stream import Entry
from footfall.sketches.datasketches_hll import uniques_from_datasketches
from footfall.sketches.errors import NotASketch, OtherSize
from footfall.sketches.murmur import VALUE_BYTES_MAX, Hashes, hashes_of_texts
from footfall.sketches.stored_theta import bytes_from_theta
from footfall.sketches.theta import Theta, theta_from_datasketches
from footfall.sketches.uniques import NAMED_LG_K
from footfall.sketches.uniques_bytes import bytes_from_uniques
from footfall.values.errors import Refused
from footfall.values.groups import counters_group
from footfall.values.window import Grain, window_of

KINDS = ("hll", "theta")
NUMBER_MAX = 2**63 - 1

_NOT_DECODED = (msgspec.MsgspecError, UnicodeDecodeError, RecursionError)


@dataclass(slots=True)
class SentValues:
    """The values of a request, and what was refused of them."""

    count: int = 0
    values: list[str] = field(default_factory=list[str])
    refused: list[Refusal] = field(default_factory=list[Refusal])


@dataclass(frozen=True, slots=True)
class CounterRequest:
    """What a request about a counter says of itself."""

    brand: Brand
    name: str
    arrived_at_ms: int
    shards: int
    idempotency_key: str = ""
    body: bytes = b""


def values_from_body(body: bytes, *, lines: bool, values_max: int) -> SentValues:
    """Return the values of a body: one, a list, or one a line; raise Refused when it is none of these."""
    whole = body.strip()
    if not whole:
        raise Refused("body", 'is empty; send {"data": "a value"}, a list, or one a line')
    sent = SentValues()
    pieces = _pieces_of_lines(whole, values_max) if lines else _pieces_of(_decoded(whole, may_be_lines=True))
    sent.count = len(pieces)
    if sent.count > values_max:
        raise Refused("body", f"has {sent.count:,} values, at most {values_max:,} are taken at once")
    for index, piece in enumerate(pieces):
        try:
            sent.values.append(_value_of(piece))
        except Refused as error:
            sent.refused.append(Refusal(index, error.field, error.reason))
    return sent


def article_value(body: bytes) -> str:
    """Return the one value of a body as the HyperLogLog article has it: an object whose `data` is a text."""
    found = _decoded(body.strip() or b"null")
    if not isinstance(found, dict):
        raise Refused("body", 'is not an object such as {"data": "http://some.url/data/point"}')
    return _value_of(found)  # pyright: ignore[reportUnknownArgumentType] - JSON


def entries_of_values(values: Sequence[str], request: CounterRequest) -> list[Entry]:
    """Return the entries that add values to a counter; each value weighs one, however often it comes."""
    day = window_of(request.arrived_at_ms, Grain.DAY, request.brand.zone)
    entries: list[Entry] = []
    for start in range(0, len(values), VALUES_PER_RECORD_MAX):
        some = values[start : start + VALUES_PER_RECORD_MAX]
        data = record_of_values(request.name, day, _hashes_of(some))
        entries.append(_entry(request, data, weight=len(some), part=len(entries)))
    return entries


def entries_of_act(act: Act, request: CounterRequest, sketch: bytes = b"") -> list[Entry]:
    """Return the entries of a deletion or an import, which weigh one."""
    day = window_of(request.arrived_at_ms, Grain.DAY, request.brand.zone)
    return [_entry(request, record_of_act(request.name, day, act, sketch), weight=1, part=0)]


def imported_sketch(data: bytes, *, kind: str) -> tuple[Act, bytes]:
    """Return what an import of DataSketches' bytes does, or raise Refused for bytes that no counter can take."""
    try:
        if kind == "theta":
            return Act.PUT_THETA, bytes_from_theta(theta_sketch(data))
        sketch = uniques_from_datasketches(data)
    except (NotASketch, OtherSize) as error:
        raise Refused("body", str(error)) from error
    if sketch.lg_k != NAMED_LG_K:
        raise Refused(
            "body",
            f"is a sketch of lgK {sketch.lg_k}, and named counters have lgK {NAMED_LG_K}; make it with that size",
        )
    return Act.PUT_UNIQUES, bytes_from_uniques(sketch)


def theta_sketch(data: bytes) -> Theta:
    """Return the Theta sketch of DataSketches' bytes, or raise Refused."""
    try:
        return theta_from_datasketches(data)
    except (NotASketch, OtherSize) as error:
        raise Refused("body", str(error)) from error


def _hashes_of(values: Sequence[str]) -> Hashes:
    """Return the hashes of values, each once: in a record, order and repetition mean nothing."""
    chunks = list(hashes_of_texts(values))
    firsts = np.concatenate([chunk.first for chunk in chunks])
    seconds = np.concatenate([chunk.second for chunk in chunks])
    _, places = np.unique(firsts, return_index=True)
    # Two values whose first halves are alike come once in ten thousand million records of the largest size.
    return Hashes(firsts[places], seconds[places])


def _entry(request: CounterRequest, data: bytes, *, weight: int, part: int) -> Entry:
    group = counters_group(request.brand.name)
    act = request.name.encode() + b"\0" + request.body  # The same body to another counter is another act.
    return Entry(
        shard=shard_of(group, request.name, shards=request.shards),
        group=group,
        weight=weight,
        data=data,
        arrived_at_ms=request.arrived_at_ms,
        claim=claim_of(group, request.idempotency_key, act, part=part),
    )


def _decoded(data: bytes, *, may_be_lines: bool = False) -> object:
    try:
        return msgspec.json.decode(data)
    except _NOT_DECODED as error:
        more = _said_of_lines(data) if may_be_lines else ""
        raise Refused("body", f"is not JSON: {error}{more}") from error


def _said_of_lines(body: bytes) -> str:
    """Return what to do about a body of one value a line that does not say so; nothing for any other."""
    first, _, more = body.partition(b"\n")
    try:
        msgspec.json.decode(first)
    except _NOT_DECODED:
        return ""
    return "; for one value a line, send it with Content-Type: application/x-ndjson" if more else ""


def _pieces_of(found: object) -> list[object]:
    if isinstance(found, dict) and isinstance(found.get("data"), list):  # pyright: ignore[reportUnknownMemberType] - JSON
        return list(found["data"])  # pyright: ignore[reportUnknownArgumentType]
    return list(found) if isinstance(found, list) else [found]  # pyright: ignore[reportUnknownArgumentType]


def _pieces_of_lines(body: bytes, values_max: int) -> list[object]:
    pieces: list[object] = []
    for line in body.split(b"\n", values_max + 1):
        if line.strip():
            try:
                pieces.append(msgspec.json.decode(line))
            except _NOT_DECODED as error:
                pieces.append(Refused("body", f"is not JSON: {error}"))
    return pieces


def _value_of(piece: object) -> str:
    """Return the value that a piece of a body holds, or raise Refused; a number and its text are one value."""
    if isinstance(piece, Refused):
        raise piece
    if isinstance(piece, dict):
        if "data" not in piece:
            raise Refused("data", "is missing")
        piece = piece["data"]  # pyright: ignore[reportUnknownVariableType] - JSON
    if isinstance(piece, int) and not isinstance(piece, bool) and abs(piece) <= NUMBER_MAX:
        return str(piece)
    if not isinstance(piece, str):
        raise Refused("data", "is neither a text nor a whole number of 64 bits")
    try:
        size = len(piece.encode())
    except UnicodeEncodeError as error:
        raise Refused("data", "has a lone surrogate, which is not a character") from error
    if not 1 <= size <= VALUE_BYTES_MAX:
        raise Refused("data", f"has {size:,} bytes; a value has 1 to {VALUE_BYTES_MAX:,}")
    return piece
