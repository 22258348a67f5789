"""An answer on its way out, whatever it is about."""

from dataclasses import dataclass

import msgspec
from xxhash import xxh3_64_hexdigest

Columns = tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Answer:
    """An answer as bytes, with what a server needs to send it and a cache to keep it."""

    body: bytes
    etag: str  # with its quotes, as the header has it
    max_age_s: int
    exact: bool
    columns: Columns  # of a table of it: the same for every answer of its kind, whatever is in it


def answer_from(body: bytes, *, max_age_s: int, exact: bool, columns: Columns) -> Answer:
    """Return an answer of these bytes."""
    return Answer(body=body, etag=f'"{xxh3_64_hexdigest(body)}"', max_age_s=max_age_s, exact=exact, columns=columns)


def columns_of(entry: type[msgspec.Struct], *, without: Columns = ()) -> Columns:
    """Return the columns of a table of such entries: their fields by the names that they have in JSON."""
    names = (one.encode_name for one in msgspec.structs.fields(entry))
    return tuple(name for name in names if name not in without)
