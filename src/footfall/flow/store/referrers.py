"""Where the readers of a brand came from, hour by hour, as objects: sums by source, of all, of sections and of assets.

An object says which records it has in it (`through`), so that none is added twice. docs/formats/referrers.md draws it.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final, TypeVar

import msgspec
import zstandard
from msgspec import Struct

from footfall.ports.blobs import Blobs, everything
from footfall.ports.errors import Corrupt
from footfall.sketches.errors import NotASketch
from footfall.sketches.frames import content_of, framed
from footfall.values.window import instant_text

if TYPE_CHECKING:
    from footfall.native.key_table import KeyTable

MAGIC, VERSION = b"ffrf", 1
WHAT = "an hour of referrers"
BRAND: Final = "b"  # the name of the group that has all hits; the others' names begin with one of these
SECTION: Final = "s"
ASSET: Final = "a"
PAIRS_MAX = 50_000  # of an hour: an asset or a section, and a source; some 6 MB in memory, 400 KB stored
SOURCES_MAX: Mapping[str, int] = {BRAND: 2_000, SECTION: 500, ASSET: 200}  # while more hits of the hour may come
KEPT_MAX: Mapping[str, int] = {BRAND: 500, SECTION: 100, ASSET: 50}  # of an hour that is over, those with the most hits

EVERYBODY = "all"  # the reader of raw hits of all brands, where they lie together

_HOURS, _UNTIL = "referrers", "referrers-until"
_LEVEL = 3
_DAY_CHARACTERS = len("2026-11-15")
_BYTES_MAX = 64_000_000  # of an hour's object, unpacked: many times what the bounds let through


@dataclass(slots=True)
class Hour:
    """An hour of a brand that is being counted.

    Groups are the brand, its sections and its assets. They are kept as they are stored, so that writing costs little.
    """

    numbers: dict[str, int] = field(default_factory=dict[str, int])  # of the sources, in the order of their coming
    groups: dict[str, dict[int, int]] = field(default_factory=lambda: {BRAND: {}})  # hits by source
    other: dict[str, int] = field(default_factory=dict[str, int])  # hits of a group whose source is not told
    unplaced: int = 0  # hits of assets and sections that there was no room for
    through: dict[int, int] = field(default_factory=dict[int, int])  # the last record of each shard that is in it
    pairs: int = 0

    def add(self, asset: str, section: str, source: str, hits: int) -> None:
        """Count hits of an asset that came from a source."""
        number = self.numbers.get(source, -1)
        for name in (BRAND, ASSET + asset, SECTION + section) if section else (BRAND, ASSET + asset):
            group = self.groups.get(name)
            if group is not None and number in group:
                group[number] += hits
            else:
                self._add_new(name, source, hits)
                number = self.numbers.get(source, -1)

    def add_table(self, table: "KeyTable", source: str) -> None:
        """Count hits of keys that all came from one source, as if they were added one by one."""
        number, of_brand = self.numbers.get(source, len(self.numbers)), self.groups[BRAND]
        is_new = number not in of_brand
        if is_new and len(of_brand) >= SOURCES_MAX[BRAND]:
            # Which of its hits make the source known, if any, only shows one by one.
            for (asset, section, _, _), hits in zip(table.keys(0), memoryview(table.counts()).cast("q"), strict=True):
                if hits:
                    self.add(asset, section, source, hits)
            return
        room = max(0, PAIRS_MAX - self.pairs - is_new)  # The brand's own pair comes first.
        hits, pairs, unplaced = table.pour(
            self.groups, self.other, number, room, SOURCES_MAX[ASSET], SOURCES_MAX[SECTION]
        )
        if hits:
            self.numbers[source] = number
            of_brand[number] = of_brand.get(number, 0) + hits
            self.pairs += pairs + is_new
            self.unplaced += unplaced

    def cut(self) -> None:
        """Keep the largest sources of each group: more hits of the hour are not to be expected."""
        if len(self.numbers) <= min(KEPT_MAX.values()):
            return  # No group has more sources than the hour.
        for name, group in self.groups.items():
            kept = KEPT_MAX[name[0]]
            if len(group) > kept:
                rows = sorted(group.items(), key=lambda one: (-one[1], one[0]))
                self.groups[name] = dict(rows[:kept])
                self.other[name] = self.other.get(name, 0) + sum(hits for _, hits in rows[kept:])
        self.pairs = sum(map(len, self.groups.values()))

    def _add_new(self, name: str, source: str, hits: int) -> None:
        """Count hits of a source that the group does not have yet, if there is room for it."""
        is_full = self.pairs >= PAIRS_MAX and name != BRAND
        group = self.groups.get(name)
        if group is None:
            if is_full:
                self.unplaced += hits
                return
            group = self.groups[name] = {}
        if is_full or len(group) >= SOURCES_MAX[name[0]]:
            self.other[name] = self.other.get(name, 0) + hits
            return
        group[self.numbers.setdefault(source, len(self.numbers))] = hits
        self.pairs += 1


class _Stored(Struct, array_like=True, frozen=True):
    """The parts of an object in their order."""

    through: dict[int, int]
    unplaced: int
    sources: list[str]
    other: dict[str, int]


class _Whole(_Stored, array_like=True, frozen=True):
    """An object with all its groups."""

    groups: dict[str, dict[int, int]]


class _Part(_Stored, array_like=True, frozen=True):
    """An object whose groups are left as they are until one is asked for."""

    groups: dict[str, msgspec.Raw]


_S = TypeVar("_S", bound=_Stored)


class Progress(Struct, frozen=True, rename="camel"):
    """How far hits were counted: the last record of each shard, and until when, by arrival, none is missing."""

    since_ms: int  # Hits that arrived before are not counted.
    through: dict[int, int] = {}
    until_ms: dict[int, int] = {}


@dataclass(frozen=True, slots=True)
class Told:
    """What an hour's object tells of one group."""

    sources: Mapping[str, int]
    other: int
    unplaced: int


_encoder = msgspec.msgpack.Encoder()
_whole_decoder = msgspec.msgpack.Decoder(_Whole)
_part_decoder = msgspec.msgpack.Decoder(_Part)
_group_decoder = msgspec.msgpack.Decoder(dict[int, int])


def bytes_from_hour(hour: Hour) -> bytes:
    """Return the object."""
    content = _encoder.encode((hour.through, hour.unplaced, list(hour.numbers), hour.other, hour.groups))
    return framed(MAGIC, VERSION, zstandard.ZstdCompressor(level=_LEVEL).compress(content))


def hour_from_bytes(data: bytes) -> Hour:
    """Return the hour as it stood, or raise Corrupt."""
    stored = _decoded(_whole_decoder, data)
    numbers = {source: number for number, source in enumerate(stored.sources)}
    pairs = sum(map(len, stored.groups.values()))
    return Hour(numbers, {BRAND: {}, **stored.groups}, stored.other, stored.unplaced, stored.through, pairs)


def through_from_bytes(data: bytes) -> dict[int, int]:
    """Return the last record of each shard that an object has in it, or raise Corrupt."""
    return _decoded(_part_decoder, data).through


def told_from_bytes(data: bytes, name: str) -> Told:
    """Return what an object tells of one group, without looking at the others, or raise Corrupt."""
    stored = _decoded(_part_decoder, data)
    found = stored.groups.get(name)
    try:
        group = {} if found is None else _group_decoder.decode(found)
        sources = {stored.sources[number]: hits for number, hits in group.items()}
    except (msgspec.MsgspecError, IndexError) as error:
        raise Corrupt(f"{WHAT} has a group that cannot be read: {error}; delete the object") from error
    return Told(sources, stored.other.get(name, 0), stored.unplaced)


def name_of(brand: str, hour_ms: int) -> str:
    """Return the name of an hour's object; it has the moment at which the brand's hour begins, in UTC."""
    day, _, clock = instant_text(hour_ms).partition("T")
    return f"{_HOURS}/{brand}/{day}/{clock[:2]}{clock[3:5]}"


def load_progress(blobs: Blobs, reader: str) -> Progress | None:
    """Return how far a reader of raw hits has come; None when it has not begun."""
    data = blobs.get(f"{_UNTIL}/{reader}")
    if data is None:
        return None
    try:
        return msgspec.json.decode(data, type=Progress)
    except msgspec.MsgspecError as error:
        raise Corrupt(f"{_UNTIL}/{reader} cannot be read ({error}); delete it with the folder referrers") from error


def keep_progress(blobs: Blobs, reader: str, progress: Progress) -> None:
    """Keep it; every hour that it speaks of is written."""
    blobs.put(f"{_UNTIL}/{reader}", msgspec.json.encode(progress))


def brands_with_hours(blobs: Blobs) -> Iterator[str]:
    """Yield the brands that have any hour, also those that were removed, each by one question."""
    after: str | None = None
    while found := blobs.page(f"{_HOURS}/", after=after, limit=1).blobs:
        brand = found[0].name.split("/")[1]
        yield brand
        after = f"{_HOURS}/{brand}0"  # The character after the slash: behind all names of the brand.


def forget_hours(blobs: Blobs, brand: str, *, before_ms: int) -> Iterator[None]:
    """Delete the days of UTC that ended before a moment, one object at a step."""
    prefix = f"{_HOURS}/{brand}/"
    first_kept = instant_text(before_ms)[:_DAY_CHARACTERS]
    # Names are in the order of time, so the first that is kept is the end of those that go.
    for one in everything(blobs, prefix):
        if one.name[len(prefix) :][:_DAY_CHARACTERS] >= first_kept:
            return
        blobs.delete(one.name)
        yield


def _decoded(decoder: msgspec.msgpack.Decoder[_S], data: bytes) -> _S:
    try:
        content = content_of(data, magic=MAGIC, version=VERSION, what=WHAT)
        return decoder.decode(zstandard.ZstdDecompressor().decompress(content, max_output_size=_BYTES_MAX))
    except (NotASketch, msgspec.MsgspecError, zstandard.ZstdError, UnicodeDecodeError, RecursionError) as error:
        raise Corrupt(f"{WHAT} cannot be read: {error}; delete the object, its hits are in the lists") from error
