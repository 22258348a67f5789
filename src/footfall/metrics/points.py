"""The points that teams push, in the table: one day of a metric is written whole, and counts the metric's revision up.

A day is written on the condition that nobody else wrote it since it was read, in one transaction with the head that
counts. So two who push at once never lose each other's rows, and whoever knows the revision knows the data.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import date

from footfall.metrics import keys
from footfall.metrics.day_points import (
    DayPoints,
    Key,
    Row,
    bytes_from_points,
    checksum_of,
    merged,
    points_from_bytes,
)
from footfall.metrics.definition import Definition
from footfall.metrics.errors import CatalogueBusy, PushBroken, PushTooLarge
from footfall.metrics.removing import is_tombstone
from footfall.ports.errors import Changed, Corrupt
from footfall.ports.items import Item
from footfall.ports.table import Absent, Action, Check, Delete, Equals, Found, Put, Table, Update, everything
from footfall.values.clock import Clock
from footfall.values.errors import FootfallError, Refused

ROWS_OF_DAY_MAX = 20_000
DAYS_MAX = 1_000  # of one push: each is read, and an answer is waited for
PIECE_BYTES_MAX = 350_000  # An item of 400,000 bytes holds its key and a number, too.
PIECES_MAX = 8
TRIES_MAX = 50
READS_MAX = 5
DAY_ACTIONS_MAX = (
    80  # of one transaction of at most 100: the pieces of a day are not parted, and the heads go with them
)
BYTES_MAX = 3_000_000  # of one of at most 4 MB


@dataclass(frozen=True, slots=True)
class Mark:
    """How often the points of a metric were changed, and when last; None: never."""

    revision: int = 0
    at_ms: int | None = None


@dataclass(frozen=True, slots=True)
class Taken:
    """What a push has done: points that were sent, days that are different now, and the revision since."""

    points: int
    days: int
    changed_days: int
    revision: int


@dataclass(frozen=True, slots=True)
class _Stored:
    """A day as it was read: the checksum of its bytes, in how many pieces, and what it holds."""

    check: str
    pieces: int
    points: DayPoints


class Points:
    """The points of all brands' metrics in one table."""

    def __init__(self, table: Table, *, clock: Clock) -> None:
        self._table = table
        self._clock = clock

    def mark(self, brand: str, name: str) -> Mark:
        """Return how often the points of a metric were changed: one get."""
        item = self._table.get(keys.points_head(brand, name))
        if item is None:
            return Mark()
        return Mark(_whole(item, "revision"), _whole(item, "updatedAt"))

    def push(self, brand: str, definition: Definition, days: Mapping[int, Mapping[Key, Row]]) -> Taken:
        """Put rows in the place of those of the same day and dimensions; what is there already changes nothing.

        All days are looked at before the first is written. They are written in order, some 80 in a transaction; what
        stops a push between two is told as PushBroken, and pushing the same again finishes it.
        """
        _require_few(days)
        ordered, changed, at = sorted(days), 0, 0
        while at < len(ordered):
            left = {day: days[day] for day in ordered[at:]}
            try:
                done, changed_now = self._write_days_that_fit(brand, definition, left, is_first=at == 0)
            except FootfallError as error:
                if at == 0:
                    raise
                last = date.fromordinal(ordered[at - 1]).isoformat()
                raise PushBroken(definition.name, taken=at, days=len(ordered), last=last, cause=error) from error
            changed, at = changed + changed_now, at + done
        points = sum(map(len, days.values()))
        return Taken(points, len(days), changed, self.mark(brand, definition.name).revision)

    def read(self, brand: str, name: str, *, first: int, end: int) -> Iterator[tuple[int, DayPoints]]:
        """Yield the days from one up to another that have points, in order."""
        if end <= first:
            return
        last = date.fromordinal(end - 1).isoformat()
        at_least, at_most = date.fromordinal(first).isoformat(), keys.points_end(last)
        pieces: list[Found] = []
        for found in everything(self._table, keys.points(brand, name), at_least=at_least, at_most=at_most):
            if "#" not in found.key.sort and pieces:
                yield from self._day(brand, name, pieces)
                pieces = []
            pieces.append(found)
        yield from self._day(brand, name, pieces)

    def forget(
        self, brand: str, name: str, *, first: int | None = None, end: int | None = None, fence: Check | None = None
    ) -> int:
        """Remove the points of days from one up to another, or of all; return how many days that were.

        What does not hold any more raises Changed: of a `fence`, before anything is removed that came after it.
        """
        at_least = None if first is None else date.fromordinal(first).isoformat()
        at_most = "head" if end is None else date.fromordinal(end).isoformat()
        found = everything(self._table, keys.points(brand, name), at_least=at_least, at_most=at_most)
        gone = [one.key for one in found if one.key.sort < at_most]
        for start in range(0, len(gone), DAY_ACTIONS_MAX):
            some = gone[start : start + DAY_ACTIONS_MAX]
            fences = () if fence is None else (fence,)
            self._table.transact([*(Delete(key) for key in some), *fences, self._counted(brand, name)])
        return sum("#" not in key.sort for key in gone)

    def _write_days_that_fit(
        self, brand: str, definition: Definition, days: Mapping[int, Mapping[Key, Row]], *, is_first: bool
    ) -> tuple[int, int]:
        """Write as many of the days as one transaction holds; return how many, and how many of them are different.

        Before the first transaction those are looked at, too, that it does not hold.
        """
        name = definition.name
        # Points that fit a definition are not those of another, nor of a metric that was removed.
        is_there = Check(keys.version(brand, name, keys.NEWEST), (Equals("hash", definition.hash),))
        for _ in range(TRIES_MAX):
            actions: list[Action] = []
            size = done = changed = 0
            for day, rows in days.items():
                more = self._written(brand, definition, day, rows)
                size += sum(len(_bytes(one.item)) for one in more if isinstance(one, Put))
                if actions and (len(actions) + len(more) > DAY_ACTIONS_MAX or size > BYTES_MAX):
                    break
                actions += more
                done, changed = done + 1, changed + bool(more)
            if is_first:
                for day in list(days)[done + 1 :]:  # The one that did not fit was looked at.
                    self._written(brand, definition, day, days[day])
            if not actions:
                return done, 0
            try:
                self._table.transact([*actions, is_there, self._counted(brand, name)])
            except Changed:
                self._require_metric(brand, definition)
                continue
            return done, changed
        raise CatalogueBusy(f"the points of {name!r} are changed by others all the time; push them again.")

    def _written(self, brand: str, definition: Definition, day: int, rows: Mapping[Key, Row]) -> list[Action]:
        """Return what puts rows into a day, nothing where they are there already; raise Refused for too large a day."""
        before = self._stored(brand, definition.name, day)
        after, is_changed = merged(
            before.points if before else None, definition.value_type, definition.related_dimensions, rows
        )
        return _actions(brand, definition.name, day, before, after) if is_changed else []

    def _require_metric(self, brand: str, definition: Definition) -> None:
        name = definition.name
        item = self._table.get(keys.version(brand, name, keys.NEWEST))
        if item is None or is_tombstone(item):
            raise Refused("name", f"{name!r} was removed meanwhile; its points were not taken")
        if item["hash"] != definition.hash:
            raise Refused("name", f"{name!r} was changed meanwhile; its points were not taken, push them again")

    def _counted(self, brand: str, name: str) -> Update:
        return Update(keys.points_head(brand, name), add={"revision": 1}, set={"updatedAt": self._clock.now_ms()})

    def _stored(self, brand: str, name: str, day: int) -> _Stored | None:
        text = date.fromordinal(day).isoformat()
        for _ in range(READS_MAX):
            found = everything(self._table, keys.points(brand, name), at_least=text, at_most=keys.points_end(text))
            pieces = list(found)
            if not pieces:
                return None
            stored = _joined(pieces)
            if stored is not None:
                return stored
        raise Corrupt(f"the points of {name!r} on {text} lack a piece; push the day again after removing it")

    def _day(self, brand: str, name: str, pieces: Sequence[Found]) -> Iterator[tuple[int, DayPoints]]:
        """Yield the day that pieces hold; when it was written between two pages, as it is now."""
        if not pieces:
            return
        day = date.fromisoformat(pieces[0].key.sort[:10]).toordinal()
        stored = _joined(pieces) or self._stored(brand, name, day)
        if stored is not None:
            yield day, stored.points


def _require_few(days: Mapping[int, Mapping[Key, Row]]) -> None:
    if len(days) > DAYS_MAX:
        raise PushTooLarge(
            "body", f"has points of {len(days):,} days, at most {DAYS_MAX:,} are taken at once: send parts"
        )


def _actions(brand: str, name: str, day: int, before: _Stored | None, after: DayPoints) -> list[Action]:
    """Return what writes a day in the place of what was read of it, or raise Refused for one that is too large."""
    text = date.fromordinal(day).isoformat()
    if len(after) > ROWS_OF_DAY_MAX:
        raise Refused(
            "dimensions", f"{text} would have {len(after):,} points, a day of a metric has at most {ROWS_OF_DAY_MAX:,}"
        )
    data = bytes_from_points(after)
    pieces = [data[start : start + PIECE_BYTES_MAX] for start in range(0, len(data), PIECE_BYTES_MAX)]
    if len(pieces) > PIECES_MAX:
        most = PIECE_BYTES_MAX * PIECES_MAX
        raise Refused("body", f"{text} would take {len(data):,} bytes, a day of a metric has at most {most:,}")
    check = checksum_of(data)
    # By what it holds, not by a number: a day that was removed and pushed again would begin to count anew.
    expects = Equals("check", before.check) if before else Absent()
    first: Item = {"check": check, "pieces": len(pieces), "bytes": pieces[0]}
    return [
        Put(keys.points_of_day(brand, name, text), first, expects=(expects,)),
        *(
            Put(keys.points_of_day(brand, name, text, piece=n), {"check": check, "bytes": piece})
            for n, piece in enumerate(pieces[1:], 1)
        ),
        *(
            Delete(keys.points_of_day(brand, name, text, piece=n))
            for n in range(len(pieces), before.pieces if before else 0)
        ),
    ]


def _joined(pieces: Sequence[Found]) -> _Stored | None:
    """Return the day that pieces hold, None when they were not written together."""
    first = pieces[0].item
    if "pieces" not in first or first["pieces"] != len(pieces):
        return None
    check = str(first.get("check"))
    if any(one.item.get("check") != check for one in pieces):
        return None
    return _Stored(check, len(pieces), points_from_bytes(_all(one.item for one in pieces)))


def _all(items: Iterable[Item]) -> bytes:
    return b"".join(map(_bytes, items))


def _bytes(item: Item) -> bytes:
    found = item.get("bytes")
    if not isinstance(found, bytes):
        raise Corrupt("a day's points are not bytes; push the day again")
    return found


def _whole(item: Item, name: str) -> int:
    found = item.get(name)
    if not isinstance(found, int):
        raise Corrupt(f"{name!r} of a metric's points is {found!r}, not a whole number")
    return found
