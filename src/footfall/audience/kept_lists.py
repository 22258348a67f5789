"""Lists of all that is kept of somebody, read some at a time: however much it is, nobody else waits for all of it."""

from base64 import urlsafe_b64decode, urlsafe_b64encode
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import msgspec

from footfall.ports.table import Found, IndexKey, Key, Position, Table
from footfall.values.errors import Refused

READ_AT_ONCE = 1_000  # items, which are some hundred bytes each

Row = Mapping[str, Any]
Rows = Callable[[Sequence[Found]], Iterable[Row]]


@dataclass(frozen=True, slots=True)
class Kept:
    """A list of what is kept: where it lies, and what its items tell."""

    table: Table
    partition: str
    rows: Rows
    part: str = ""  # of the audience, whose list it is
    index: str | None = None
    at_most: Position | None = None
    reads_each: int = 1  # as many items as one of its items makes us read


@dataclass(frozen=True, slots=True)
class SomeRows:
    """Some rows of some lists, and where to go on; None when that is all."""

    rows: Sequence[Row]
    after: str | None


class _Place(msgspec.Struct, frozen=True, array_like=True):
    """Where reading goes on: the part, which of its lists, and behind which key; empty for its beginning."""

    part: str
    number: int
    partition: str = ""
    sort: str = ""
    position: int | None = None  # in an index


def some_rows(lists: Sequence[Kept], *, after: str = "", reads_max: int | None = None) -> SomeRows:
    """Return the rows behind a place, of as many items as are read at once."""
    place = _place_from(after)
    numbered = list(_numbered(lists))
    first = 0 if place is None else _where(numbered, place)
    start = None if place is None else _start_of(numbered[first][1], place)
    rows: list[Row] = []
    left = reads_max or READ_AT_ONCE
    for (part, number), kept in numbered[first:]:
        while True:
            page = kept.table.query(
                kept.partition,
                at_most=kept.at_most,
                limit=max(1, left // kept.reads_each),
                after=start,
                index=kept.index,
            )
            rows += kept.rows(page.items)
            left -= max(1, len(page.items) * kept.reads_each)  # A list that is empty takes a query, too.
            start = page.after
            if left <= 0:
                return SomeRows(rows, _text_behind(numbered, part, number, start))
            if start is None:
                break
    return SomeRows(rows, None)


def all_rows(lists: Sequence[Kept]) -> Iterator[Row]:
    """Yield all rows of all lists."""
    after = ""
    while True:
        some = some_rows(lists, after=after)
        yield from some.rows
        if some.after is None:
            return
        after = some.after


def _numbered(lists: Sequence[Kept]) -> Iterator[tuple[tuple[str, int], Kept]]:
    """Yield each list with its part and its number within that: lists that a part gains stand behind its others."""
    counts: dict[str, int] = {}
    for kept in lists:
        number = counts.get(kept.part, 0)
        counts[kept.part] = number + 1
        yield (kept.part, number), kept


def _where(numbered: Sequence[tuple[tuple[str, int], Kept]], place: _Place) -> int:
    for at, (name, _) in enumerate(numbered):
        if name == (place.part, place.number):
            return at
    raise _wrong()


def _start_of(kept: Kept, place: _Place) -> Key | None:
    if not place.partition:
        return None
    if kept.index is not None and place.position is not None:
        return IndexKey(place.partition, place.sort, place.position)
    if kept.index is not None or place.partition != kept.partition:
        raise _wrong()
    return Key(place.partition, place.sort)


def _text_behind(
    numbered: Sequence[tuple[tuple[str, int], Kept]], part: str, number: int, start: Key | None
) -> str | None:
    if start is not None:
        position = int(start.position) if isinstance(start, IndexKey) else None  # Our indexes are by whole numbers.
        return _text_of(_Place(part, number, start.partition, start.sort, position))
    names = [name for name, _ in numbered]
    at = names.index((part, number)) + 1
    return _text_of(_Place(*names[at])) if at < len(names) else None


def _text_of(place: _Place) -> str:
    return urlsafe_b64encode(msgspec.msgpack.encode(place)).decode().rstrip("=")


def _place_from(text: str) -> _Place | None:
    if not text:
        return None
    try:
        return msgspec.msgpack.decode(urlsafe_b64decode(text + "=" * (-len(text) % 4)), type=_Place)
    except (ValueError, msgspec.MsgspecError) as error:
        raise _wrong() from error


def _wrong() -> Refused:
    return Refused("after", "is not what an answer said of the same question; send it as it was")
