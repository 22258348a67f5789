"""What a run of records comes to at one place: hits by what they are counted under, and who was met there.

Pure. Visitors are told apart by what their hits are counted under, because it is known only when counts are written
which of that a window has room for, and because counting again may give an asset other labels. Both need a number for
each such key, so a hit is looked up once.

Keys that come packed are looked up by their bytes (flow/store/known_keys.py). Those without a visitor stay numbers all
the way into columns; the others become tuples of texts, once for each that differs from all others.
"""

from collections.abc import Callable, Mapping, Sequence
from itertools import islice
from typing import TypeVar

import numpy as np
from msgspec import Raw
from numpy.typing import NDArray

from footfall.flow.store.columns import Columns, CountKey, Slice, ident_of
from footfall.flow.store.known_keys import CountedKeys, KnownKeys
from footfall.flow.store.visitors import BRAND_GROUP, group_of_section
from footfall.flow.stream.records import VISITOR_BYTES
from footfall.native import new_key_table
from footfall.sketches.gathering import Gathering
from footfall.sketches.grouped import GroupedUniques, Groups, merge_grouped, picked, regrouped, weight_bytes

ASIDE_MAX = 50_000  # Hits that wait to be added up, and visitors to be hashed: some 24 bytes each.
NUMBER_BYTES = 4
FEW, FEW_MAX = 16, 1_000  # An array for one hit costs more than the hit: fewer than so many wait for others.
BYTES_PER_ROW = 250  # what a row of hits takes in memory
TAKEN_BYTES_MIN = 1_000_000  # Merging less costs more for each byte of it.

GroupOf = Callable[[str], int]
K = TypeVar("K")


class _Numbers(dict[CountKey, int]):
    """What hits are counted under, each with a number of its own in the order of their coming."""

    def __missing__(self, key: CountKey) -> int:
        number = self[key] = len(self)
        return number


class PlaceTally:
    """The hits and the visitors of one place."""

    def __init__(self, known: KnownKeys | None = None) -> None:
        self._known = known
        self._laid: list[bytes] = []  # hits without visitors whose keys came packed, by their numbers among the known
        self._laid_bytes = 0
        self._laid_after: list[int] = []  # how many of the keys below had come before each of them
        self._numbers = _Numbers()
        self._packed = new_key_table()  # keys that came packed, with visitors; None: nothing can look those up
        self._of_packed = np.zeros(0, np.int64)  # the numbers of those keys among all, as far as they have any
        self._few: list[CountKey] = []  # hits that came by ones and twos and have no numbers yet
        self._aside: list[Groups] = []  # the numbers of hits that are not added up
        self._aside_hits = 0
        self._sums = np.zeros(0, np.int64)
        self._counts: Mapping[CountKey, int] | None = None
        self._met: list[Groups] = []  # the numbers of hits whose visitors are not hashed
        self._visitors: list[bytes] = []
        self._gathering: Gathering | None = None
        self._taken: list[GroupedUniques] = []
        self._taken_bytes = 0

    @property
    def rows(self) -> int:
        """Return how much is in hand, in rows of hits."""
        visitors = self._taken_bytes + (0 if self._gathering is None else 4 * self._gathering.rows)
        in_bytes = 2 * VISITOR_BYTES * self._aside_hits + visitors + self._laid_bytes
        return len(self._numbers) + len(self._few) + in_bytes // BYTES_PER_ROW

    @property
    def has_visitors(self) -> bool:
        """Tell whether anybody was met."""
        return bool(self._met or self._taken) or self._gathering is not None

    def count(self, keys: Sequence[CountKey], visitors: Sequence[bytes] | None = None) -> None:
        """Count hits, each with its visitor if they have any."""
        self._counts = None
        if not visitors and len(keys) < FEW:
            self._few += keys
            if len(self._few) >= FEW_MAX:
                self._number_few()
            return
        numbers = self._numbered(keys)
        self._lay_aside(numbers)
        if visitors:
            self._meet(numbers, visitors)
        if self._aside_hits >= ASIDE_MAX:
            self._add_up()
            self._hash()

    def count_packed(self, keys: Raw, *, hits: int, visitors: Sequence[bytes] | None = None) -> bool:
        """Count hits whose keys are packed, and return True; where that cannot be done count nothing."""
        if self._packed is None or self._known is None:
            return False
        if not visitors:
            laid = self._known.numbers(keys, hits=hits)
            if laid is not None:
                self._lay(laid)
            return laid is not None
        found = self._packed.numbers(keys, hits) if len(visitors) == hits else None
        if found is None:
            return False
        self._number_packed()
        numbers = self._of_packed[np.frombuffer(found, np.uint32)]
        self._counts = None
        self._lay_aside(numbers)
        self._meet(numbers, visitors)
        if self._aside_hits >= ASIDE_MAX:
            self._add_up()
            self._hash()
        return True

    def count_numbers(self, numbers: bytes, hits: Sequence[int]) -> None:
        """Count these of some hits without visitors, whose keys have numbers among the known."""
        self._lay(np.frombuffer(numbers, np.uint32)[hits].tobytes())

    def count_some(self, counts: Mapping[CountKey, int]) -> None:
        """Count hits that are added up already."""
        numbers = self._numbered(list(counts))
        self._add_up()
        self._sums = _longer(self._sums, len(self._numbers))
        self._sums[numbers] += np.fromiter(counts.values(), np.int64, len(counts))
        self._counts = None

    def count_weighed(self, keys: Sequence[CountKey], weights: Sequence[int], visitors: Sequence[bytes] | None) -> None:
        """Count each key for as much as it weighs, with its visitor if they have any."""
        numbers = self._numbered(keys)
        self._add_up()
        self._sums = _longer(self._sums, len(self._numbers))
        np.add.at(self._sums, numbers, np.array(weights, np.int64))
        self._counts = None
        if visitors:
            self._meet(numbers, visitors)

    def meet(self, keys: Sequence[CountKey], visitors: Sequence[bytes]) -> None:
        """Meet the visitors of hits that are counted otherwise."""
        self._meet(self._numbered(keys), visitors)

    def take(self, other: "PlaceTally", keys: Sequence[CountKey]) -> None:
        """Meet all whom another has met, under these keys in the place of its own."""
        sketches = other.by_key()
        if not len(sketches):
            return
        self._taken.append(regrouped(sketches, self._numbered(keys)[sketches.groups]))
        self._taken_bytes += weight_bytes(sketches)
        before = 0 if self._gathering is None else weight_bytes(self._gathering.gathered())
        if self._taken_bytes > max(TAKEN_BYTES_MIN, before):
            self._gather_taken()

    def keys(self) -> list[CountKey]:
        """Return what hits are counted under, in the order of their coming."""
        self._number_few()
        self._number_packed()
        return list(self._numbers)

    def counts(self) -> Mapping[CountKey, int]:
        """Return how many hits there were of each key, in the order of their coming."""
        if self._counts is None:
            self._add_up()
            if self._known is None or not self._laid:
                self._counts = self._counts_by_key()
            else:
                laid = CountedKeys(self._known, b"".join(self._laid))
                self._counts = self._counts_of_both(laid) if self._numbers else laid
        return self._counts

    def _counts_by_key(self) -> dict[CountKey, int]:
        """Return the hits of keys that came as tuples of texts, or with visitors."""
        sums = _longer(self._sums, len(self._numbers))
        counts = dict(zip(self._numbers, sums.tolist(), strict=True))
        # Somebody may have been met whose hit was counted before.
        return counts if sums.all() else {key: hits for key, hits in counts.items() if hits}

    def _counts_of_both(self, laid: CountedKeys) -> dict[CountKey, int]:
        """Return the hits of all keys in the order of their coming, in whichever way they came."""
        sums: list[int] = _longer(self._sums, len(self._numbers)).tolist()
        numbered = zip(self._numbers, sums, strict=True)
        keys, first, every = laid.came_first()
        ends = np.cumsum([len(one) // NUMBER_BYTES for one in self._laid])
        after: list[int] = np.array(self._laid_after)[np.searchsorted(ends, first, side="right")].tolist()
        counts: dict[CountKey, int] = {}
        done = 0
        for key, before, hits in zip(keys, after, every, strict=True):
            counts.update((one, counts.get(one, 0) + some) for one, some in islice(numbered, before - done))
            done = before
            counts[key] = counts.get(key, 0) + hits
        counts.update((one, counts.get(one, 0) + some) for one, some in numbered)
        return {key: hits for key, hits in counts.items() if hits}

    def by_key(self) -> GroupedUniques:
        """Return the visitors of each key, by its number."""
        self._hash()
        self._gather_taken()
        return merge_grouped([]) if self._gathering is None else self._gathering.gathered()

    def sketches(self, group_of_asset: GroupOf, columns: Columns) -> GroupedUniques:
        """Return the visitors of the assets, the sections and the brand.

        Those of hits that found no row in the window's columns count for the brand alone: whatever is sent, a window
        has no more sets than it has assets and sections.
        """
        by_key = self.by_key()
        if not len(by_key):
            return by_key
        all_keys = self.keys()
        brand = regrouped(by_key, np.full(len(by_key), BRAND_GROUP, np.int64))
        if columns.other:
            by_key = picked(by_key, np.flatnonzero(_have_rows(all_keys, columns)[by_key.groups]))
        numbers: list[int] = by_key.groups.tolist()
        keys = [all_keys[number] for number in numbers]
        assets = regrouped(by_key, _groups(group_of_asset, [key[0] for key in keys]))
        names = [key[1] for key in keys]  # Few of them, over and over.
        known = {name: group_of_section(name) for name in set(names)}
        sections = regrouped(by_key, _groups(known.__getitem__, names))
        return merge_grouped([assets, sections, brand])

    def _numbered(self, keys: Sequence[CountKey]) -> Groups:
        if self._few:
            self._number_few()
        return np.fromiter(map(self._numbers.__getitem__, keys), np.int64, len(keys))

    def _number_packed(self) -> None:
        """Give every key that came packed its number among all."""
        known = len(self._of_packed)
        if self._packed is not None and len(self._packed) > known:
            self._of_packed = np.concatenate([self._of_packed, self._numbered(self._packed.keys(known))])

    def _number_few(self) -> None:
        few, self._few = self._few, []
        if few:
            self._lay_aside(self._numbered(few))

    def _lay(self, laid: bytes) -> None:
        self._number_few()
        self._laid.append(laid)
        self._laid_bytes += len(laid)
        self._laid_after.append(len(self._numbers))
        self._counts = None

    def _lay_aside(self, numbers: Groups) -> None:
        self._aside.append(numbers)
        self._aside_hits += len(numbers)

    def _meet(self, numbers: Groups, visitors: Sequence[bytes]) -> None:
        joined = b"".join(visitors)
        if len(joined) != VISITOR_BYTES * len(visitors):
            is_known = np.fromiter(map(len, visitors), np.int64, len(visitors)) == VISITOR_BYTES
            numbers = numbers[is_known]
            joined = b"".join(visitor for visitor in visitors if len(visitor) == VISITOR_BYTES)
        if joined:
            self._met.append(numbers)
            self._visitors.append(joined)

    def _add_up(self) -> None:
        self._number_few()
        if self._aside:
            sums = np.bincount(np.concatenate(self._aside), minlength=len(self._sums))
            sums[: len(self._sums)] += self._sums
            self._sums = sums
            self._aside, self._aside_hits = [], 0

    def _hash(self) -> None:
        if self._met:
            hashes = np.frombuffer(b"".join(self._visitors), "<u8").astype(np.uint64, copy=False)
            self._gathering = self._gathering or Gathering()
            self._gathering.add_many(np.concatenate(self._met), hashes)
            self._met, self._visitors = [], []

    def _gather_taken(self) -> None:
        if self._taken:
            before = [] if self._gathering is None else [self._gathering.gathered()]
            self._gathering = Gathering(merge_grouped([*before, *self._taken]))
            self._taken, self._taken_bytes = [], 0


class PlaceTallies(dict[K, PlaceTally]):
    """The places of a run of records; whose weight is asked for often, so those that are as they were are not asked."""

    def __init__(self, known: KnownKeys) -> None:
        super().__init__()
        self._known = known
        self._weights: dict[K, int] = {}
        self._weight = 0
        self._changed: set[K] = set()

    def new(self) -> PlaceTally:
        """Return what a place begins with."""
        return PlaceTally(self._known)

    def change(self, place: K) -> PlaceTally:
        """Return a place that something will be counted at."""
        self._changed.add(place)
        return self.get(place) or self.setdefault(place, self.new())

    def put(self, place: K, tally: PlaceTally) -> None:
        """Have a place at which something was counted."""
        self._changed.add(place)
        self[place] = tally

    @property
    def rows(self) -> int:
        """Return how much is in hand of all places, in rows of hits."""
        for place in self._changed:
            rows = self[place].rows
            self._weight += rows - self._weights.get(place, 0)
            self._weights[place] = rows
        self._changed.clear()
        return self._weight


def _longer(sums: Groups, size: int) -> Groups:
    """Return as many sums, those that are new being none."""
    return sums if len(sums) == size else np.concatenate([sums, np.zeros(size - len(sums), np.int64)])


def _groups(group_of: GroupOf, texts: Sequence[str]) -> Groups:
    return np.fromiter(map(group_of, texts), np.int64, len(texts))


def _have_rows(keys: Sequence[CountKey], columns: Columns) -> NDArray[np.bool_]:
    """Tell of each key whether the columns have a row for it."""
    idents: list[int] = columns.ident.tolist()
    numbers: list[int] = columns.slice_no.tolist()
    rows = {(ident, columns.slices[number]) for ident, number in zip(idents, numbers, strict=True)}
    return np.fromiter(((ident_of(key[0]), Slice(*key[1:])) in rows for key in keys), np.bool_, len(keys))
