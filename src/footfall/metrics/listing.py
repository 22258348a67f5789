"""A brand's metrics as lists and searches see them: kept in memory, and made current by what changed since."""

import sys
from bisect import bisect_left, bisect_right
from collections import OrderedDict
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from itertools import islice

from footfall.metrics.catalogue import MetricCatalogue
from footfall.metrics.errors import NoSuchMetric
from footfall.metrics.names import in_one_form
from footfall.metrics.writing import Row

ROWS_KEPT_MAX = 400_000  # of all brands together, some 400 bytes each
CHANGES_READ_MAX = 500  # Beyond them all lines are read anew: a page of them is cheaper than so many single ones.
LINEAGE_MAX = 1_000  # metrics in one direction


@dataclass(frozen=True, slots=True)
class Sought:
    """Which metrics are wanted; what is empty does not matter."""

    words: str = ""  # each of them in the name, the title, the owner or the beginning of the description
    prefix: str = ""
    value_type: str = ""
    uses: str = ""
    is_deprecated: bool | None = None

    def __post_init__(self) -> None:
        """Have texts in the form that names have, whatever keyboard they come from."""
        for name in ("words", "prefix", "uses"):
            object.__setattr__(self, name, in_one_form(getattr(self, name)))

    def fits(self, row: Row) -> bool:
        """Tell whether a metric is wanted, whatever words it has."""
        return (
            row.name.startswith(self.prefix)
            and self.value_type in ("", row.value_type)
            and (not self.uses or self.uses in row.needs)
            and self.is_deprecated in (None, row.is_deprecated)
        )


@dataclass(frozen=True, slots=True)
class Linked:
    """A metric in a lineage: how far away it is, and which it needs."""

    row: Row
    depth: int


@dataclass(slots=True)
class Listing:
    """The metrics of one brand at one revision of its catalogue."""

    revision: int
    rows: dict[str, Row]
    _names: list[str] = field(default_factory=list[str])
    _texts: dict[str, str] = field(default_factory=dict[str, str])
    _users: dict[str, set[str]] | None = None
    _dimensions: dict[str, frozenset[str]] = field(default_factory=dict[str, frozenset[str]])

    def __post_init__(self) -> None:
        self._names = sorted(self.rows)
        self._texts = {name: _text_of(row) for name, row in self.rows.items()}

    def take(self, revision: int, changed: Mapping[str, Row | None]) -> None:
        """Make it current; None: the metric is gone."""
        for name, row in changed.items():
            if row is None:
                self.rows.pop(name, None)
                self._texts.pop(name, None)
            else:
                self.rows[name], self._texts[name] = row, _text_of(row)
        if len(self._names) != len(self.rows) or any(name not in self.rows for name in changed):
            self._names = sorted(self.rows)
        self._users, self._dimensions = None, {}
        self.revision = revision

    def found(self, sought: Sought, *, after: str = "") -> Iterator[Row]:
        """Yield the metrics that are wanted, by name, those after one."""
        start = bisect_right(self._names, after) if after else 0
        names = self._names[max(start, bisect_left(self._names, sought.prefix)) : self._end_of(sought.prefix)]
        for word in sought.words.casefold().split():
            names = [name for name in names if word in self._texts[name]]
        for name in names:
            if sought.fits(self.rows[name]):
                yield self.rows[name]

    def _end_of(self, prefix: str) -> int:
        """Return where names that begin so end."""
        return bisect_left(self._names, prefix + chr(sys.maxunicode)) if prefix else len(self._names)

    def row(self, name: str) -> Row:
        """Return a metric's line, or raise NoSuchMetric."""
        found = self.rows.get(name)
        if found is None:
            raise NoSuchMetric("name", f"there is no metric {name!r}")
        return found

    def dimensions(self, name: str) -> frozenset[str]:
        """Return what a metric can be grouped and filtered by: what all that it needs have in common."""
        if name not in self._dimensions:
            row = self.rows.get(name)
            parts = [] if row is None else [self.dimensions(one) for one in row.needs]
            if row is not None and not row.is_hybrid:
                parts.append(row.dimensions)
            self._dimensions[name] = frozenset[str].intersection(*parts) if parts else frozenset[str]()
        return self._dimensions[name]

    def needed(self, name: str, *, depth_max: int) -> list[Linked]:
        """Return the metrics that one is computed from, the nearest first."""
        return self._walked(name, lambda row: row.needs, depth_max)

    def users(self, name: str, *, depth_max: int) -> list[Linked]:
        """Return the metrics that are computed from one, the nearest first."""
        users = self._users_of_all()
        return self._walked(name, lambda row: users.get(row.name, ()), depth_max)

    def _walked(self, name: str, next_to: Callable[[Row], Iterable[str]], depth_max: int) -> list[Linked]:
        seen, level, found = {name}, [self.row(name)], list[Linked]()
        for depth in range(1, depth_max + 1):
            names = sorted({one for row in level for one in next_to(row)} - seen)
            level = [self.rows[one] for one in names if one in self.rows]
            seen |= {*names}
            found += [Linked(row, depth) for row in level]
            if not level or len(found) > LINEAGE_MAX:
                break
        return found

    def _users_of_all(self) -> Mapping[str, set[str]]:
        if self._users is None:
            self._users = {}
            for row in self.rows.values():
                for one in row.needs:
                    self._users.setdefault(one, set()).add(row.name)
        return self._users


class Listings:
    """The listings that were asked for lately, each as its catalogue is now."""

    def __init__(self, catalogue: MetricCatalogue, *, rows_max: int = ROWS_KEPT_MAX) -> None:
        self._catalogue = catalogue
        self._rows_max = rows_max
        self._kept: OrderedDict[str, Listing] = OrderedDict()

    def of(self, brand: str) -> Listing:
        """Return a brand's listing: one read when nothing has changed."""
        # What is read after the number may be newer than it says; the next one who asks then reads it once more.
        revision = self._catalogue.revision(brand)
        listing = self._kept.get(brand)
        if listing is None or (listing.revision != revision and not self._follow(listing, brand, revision)):
            listing = Listing(revision, {row.name: row for row in self._catalogue.rows(brand)})
            self._kept[brand] = listing
        self._kept.move_to_end(brand)
        while len(self._kept) > 1 and sum(len(one.rows) for one in self._kept.values()) > self._rows_max:
            self._kept.popitem(last=False)
        return listing

    def _follow(self, listing: Listing, brand: str, revision: int) -> bool:
        """Take in what changed; tell whether that was possible."""
        if listing.revision > revision:  # The table was put back to an earlier moment.
            return False
        changed = set(islice(self._catalogue.changed_since(brand, listing.revision), CHANGES_READ_MAX))
        if len(changed) >= CHANGES_READ_MAX:
            return False
        listing.take(revision, {name: self._catalogue.row(brand, name) for name in changed})
        return True


def _text_of(row: Row) -> str:
    return "\n".join((row.name, row.title, row.owner, row.says)).casefold()
