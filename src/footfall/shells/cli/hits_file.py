"""Hits in a file: one JSON object a line, or one JSON array, cut into batches and passed on byte by byte."""

from collections.abc import Generator, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO

import msgspec

from footfall.values.errors import FootfallError

BATCH_HITS_MAX = 500
BATCH_BYTES_MAX = 900_000  # Below the 1 MiB that a server takes unless told otherwise.
ARRAY_BYTES_MAX = 256 * 1_048_576  # An array is read whole; larger files should be one object a line.

_FIELDS = msgspec.json.Decoder(dict[str, msgspec.Raw])


class FileUnreadable(FootfallError):
    """The file with hits cannot be opened or is not what it should be."""


@dataclass(frozen=True, slots=True)
class Sent:
    """One hit as it stands in the file: its number there, and its bytes or what is wrong with them."""

    number: int
    hit: bytes
    reason: str = ""


@contextmanager
def opened(name: str, *, stdin: BinaryIO) -> Generator[BinaryIO]:
    """Open the file of that name, or the standard input for a dash."""
    if name == "-":
        yield stdin
        return
    try:
        file = Path(name).open("rb")  # noqa: SIM115 - what goes wrong later is not about opening it
    except OSError as error:
        raise FileUnreadable(f"{name} cannot be read: {error.strerror}.") from error
    with file:
        yield file


def hits_in(file: BinaryIO, *, brand: str | None) -> Iterator[Sent]:
    """Return the hits of a file in order, each with the brand, when one is given, where it names none."""
    first, number = b"", 0
    while not first.strip():
        first, number = file.readline(BATCH_BYTES_MAX + 1), number + 1
        if not first:
            return
    if first.lstrip().startswith(b"["):
        for index, raw in enumerate(_items_of_array(first, file), start=1):
            yield _with_brand(index, bytes(raw), brand)
        return
    line = first
    while line:
        if len(line) > BATCH_BYTES_MAX:
            _skip_line(file, line)
            yield Sent(number, b"", f"is longer than {BATCH_BYTES_MAX:,} bytes")
        elif line.strip():
            yield _with_brand(number, line.strip(), brand)
        line, number = file.readline(BATCH_BYTES_MAX + 1), number + 1


def batches_of(hits: Iterable[Sent]) -> Iterator[list[Sent]]:
    """Cut hits into batches that a server takes; what cannot be sent stays in its place, with its reason."""
    batch: list[Sent] = []
    size = 0
    for hit in hits:
        if batch and (len(batch) == BATCH_HITS_MAX or size + len(hit.hit) + 1 > BATCH_BYTES_MAX):
            yield batch
            batch, size = [], 0
        batch.append(hit)
        size += len(hit.hit) + 1
    if batch:
        yield batch


def _items_of_array(first: bytes, file: BinaryIO) -> list[msgspec.Raw]:
    content = first + file.read(ARRAY_BYTES_MAX)
    if file.read(1):
        raise FileUnreadable(f"The array is larger than {ARRAY_BYTES_MAX:,} bytes; write one object a line instead.")
    try:
        return msgspec.json.decode(content, type=list[msgspec.Raw])
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
        raise FileUnreadable(f"The file starts like a JSON array but is none: {error}.") from error


def _with_brand(number: int, raw: bytes, brand: str | None) -> Sent:
    try:
        fields = _FIELDS.decode(raw)
    except (msgspec.DecodeError, UnicodeDecodeError) as error:
        return Sent(number, b"", f"is not a JSON object: {error}")
    except RecursionError:
        return Sent(number, b"", "is nested too deeply")
    if len(raw) > BATCH_BYTES_MAX:
        return Sent(number, b"", f"is longer than {BATCH_BYTES_MAX:,} bytes")
    if brand is None or "brand" in fields:
        return Sent(number, raw)
    # The bytes are otherwise the sender's own, so that the server judges what was written and not our reading of it.
    start = b'{"brand":' + msgspec.json.encode(brand)
    return Sent(number, start + (b"," if fields else b"") + raw.removeprefix(b"{").lstrip())


def _skip_line(file: BinaryIO, line: bytes) -> None:
    while line and not line.endswith(b"\n"):
        line = file.readline(BATCH_BYTES_MAX)
