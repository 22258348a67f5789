"""Finding captures: by address, by moment and by day, in the spaces of whoever asks and nowhere else.

A capture that lies in two of these spaces, because its owner shared it, is found and counted once.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from heapq import merge
from itertools import islice

from footfall.archive import keys
from footfall.archive.captures import Capture, Tombstone
from footfall.archive.stored import Line, line_from, record_from
from footfall.ports.table import Found, Key, Table, everything
from footfall.values.errors import Refused

SPACES_MAX = 10
LIMIT_MAX = 1_000
LAST_US = 10**17 - 1  # the last moment that a key can hold
PLACE_PATTERN_CHARACTERS = 44  # of a place to go on from: 17 digits, # and an id
ALSO = "also "  # before the space that a counted capture lies in as well


@dataclass(frozen=True, slots=True)
class Lines:
    """Some captures; `after` continues, None ends."""

    items: Sequence[Line]
    after: str | None


def capture(table: Table, id: str) -> Capture | Tombstone | None:
    """Return a capture, or what stayed of it; who may see it is told by its spaces."""
    item = table.get(keys.capture(id[:64])) if id else None
    return None if item is None else record_from(item)


def is_visible(found: Capture | Tombstone, spaces: Sequence[str]) -> bool:
    """Tell whether somebody with these spaces may see it."""
    return not set(found.spaces).isdisjoint(spaces)


def latest(table: Table, spaces: Sequence[str], key: str) -> Capture | None:
    """Return the newest capture of an address."""
    found = captures(table, spaces, key, limit=1, newest_first=True).items
    one = capture(table, found[0].id) if found else None
    return one if isinstance(one, Capture) else None


def captures(  # noqa: PLR0913 - an address has a span, an order, a size and a place to go on from
    table: Table,
    spaces: Sequence[str],
    key: str,
    *,
    from_us: int = 0,
    to_us: int = LAST_US,
    limit: int = 100,
    after: str | None = None,
    newest_first: bool = False,
) -> Lines:
    """Return captures of an address between two moments, both included, in the order of time."""
    partitions = [keys.address(space, key) for space in _required(spaces)]
    ends = (keys.moment(max(from_us, 0), "0"), keys.moment(min(to_us, LAST_US), keys.END))
    found = [_each(table, one, ends, after=after, newest_first=newest_first, limit=limit) for one in partitions]
    return _page(found, limit=limit, newest_first=newest_first)


def nearest(table: Table, spaces: Sequence[str], key: str, *, at_us: int) -> Line | None:
    """Return the capture of an address that is nearest to a moment; the earlier of two."""
    before = captures(table, spaces, key, to_us=at_us, limit=1, newest_first=True).items
    behind = captures(table, spaces, key, from_us=at_us, limit=1).items
    return min([*before, *behind], key=lambda line: (abs(line.at_us - at_us), line.at_us, line.id), default=None)


def first_and_last(table: Table, spaces: Sequence[str], key: str) -> tuple[Line, Line] | None:
    """Return the oldest and the newest capture of an address."""
    first = captures(table, spaces, key, limit=1).items
    last = captures(table, spaces, key, limit=1, newest_first=True).items
    return (first[0], last[0]) if first and last else None


def days(table: Table, spaces: Sequence[str], key: str, *, year: int) -> Mapping[str, int]:
    """Return how many captures an address has on each day (UTC) of a year that has any."""
    counts: dict[str, int] = {}
    for space in _required(spaces):
        for found in everything(table, keys.days(space, key), at_least=f"{year:04d}", at_most=f"{year:04d}-~"):
            twice = sum(_number(found, ALSO + other) for other in spaces if other != space)
            counts[found.key.sort] = counts.get(found.key.sort, 0) + _number(found, "n") - twice
    return {day: count for day, count in sorted(counts.items()) if count > 0}


def library(table: Table, space: str, *, limit: int = 50, after: str | None = None) -> Lines:
    """Return the captures of a space, the newest first."""
    ends = (keys.moment(0, "0"), keys.moment(LAST_US, keys.END))
    found = _each(table, keys.library(space), ends, after=after, newest_first=True, limit=limit)
    return _page([found], limit=limit, newest_first=True)


def everything_kept(table: Table) -> Iterator[Capture]:
    """Yield every capture that there is, whoever it belongs to: for those who look after all of them."""
    for brand in everything(table, keys.BRANDS):
        for found in everything(table, keys.all_of(brand.key.sort)):
            one = capture(table, str(found.item["id"]))
            if isinstance(one, Capture):
                yield one


def _required(spaces: Sequence[str]) -> Sequence[str]:
    if len(spaces) > SPACES_MAX:
        raise Refused("spaces", f"are {len(spaces)}; ask for at most {SPACES_MAX} at once")
    return list(dict.fromkeys(spaces))


def _each(
    table: Table, partition: str, ends: tuple[str, str], *, after: str | None, newest_first: bool, limit: int
) -> Iterator[Line]:
    if after is not None and (len(after) > PLACE_PATTERN_CHARACTERS or not after[:17].isdecimal()):
        raise Refused("after", "is no place to go on from; leave it out to begin anew")
    at = None if after is None else Key(partition, after)
    while True:
        page = table.query(
            partition, at_least=ends[0], at_most=ends[1], backwards=newest_first, limit=min(limit, LIMIT_MAX) + 1,
            after=at,
        )  # fmt: skip
        yield from (line_from(found.item) for found in page.items)
        at = page.after
        if at is None:
            return


def _page(found: Sequence[Iterator[Line]], *, limit: int, newest_first: bool) -> Lines:
    limit = max(1, min(limit, LIMIT_MAX))
    merged = merge(*found, key=lambda line: (line.at_us, line.id), reverse=newest_first)
    lines = list(islice(_once(merged), limit + 1))
    last = lines[limit - 1] if len(lines) > limit else None
    return Lines(lines[:limit], None if last is None else keys.moment(last.at_us, last.id))


def _once(lines: Iterator[Line]) -> Iterator[Line]:
    last = ""
    for line in lines:
        if line.id != last:  # One that lies in two spaces comes twice in a row.
            yield line
        last = line.id


def _number(found: Found, name: str) -> int:
    value = found.item.get(name, 0)
    return value if isinstance(value, int) else 0
