"""Where the readers of a brand came from, hour by hour, as objects: sums by source, of all, of sections and of assets.

An object says which records it has in it (`through`), so that none is added twice. docs/formats/referrers.md draws it.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Final

import msgspec
import zstandard
from msgspec import Struct

from footfall.ports.blobs import Blobs, everything
from footfall.ports.errors import Corrupt
from footfall.sketches.errors import NotASketch
from footfall.sketches.frames import content_of, framed
from footfall.values.window import instant_text

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
class Group:
    """The hits of a brand, a section or an asset in an hour by source, and those whose source is not told."""

    sources: dict[str, int] = field(default_factory=dict[str, int])
    other: int = 0


@dataclass(slots=True)
class Hour:
    """An hour of a brand that is being counted."""

    groups: dict[str, Group] = field(default_factory=lambda: {BRAND: Group()})
    unplaced: int = 0  # hits of assets and sections that there was no room for
    through: dict[int, int] = field(default_factory=dict[int, int])  # the last record of each shard that is in it
    pairs: int = 0

    def add(self, asset: str, section: str, source: str, hits: int) -> None:
        """Count hits of an asset that came from a source."""
        self._add(BRAND, source, hits)
        if section:
            self._add(SECTION + section, source, hits)
        self._add(ASSET + asset, source, hits)

    def cut(self) -> None:
        """Keep the largest sources of each group: more hits of the hour are not to be expected."""
        for name, group in self.groups.items():
            kept = KEPT_MAX[name[0]]
            if len(group.sources) > kept:
                rows = sorted(group.sources.items(), key=lambda one: (-one[1], one[0]))
                group.sources = dict(rows[:kept])
                group.other += sum(hits for _, hits in rows[kept:])
        self.pairs = sum(len(one.sources) for one in self.groups.values())

    def _add(self, name: str, source: str, hits: int) -> None:
        group = self.groups.get(name)
        is_full = self.pairs >= PAIRS_MAX and name != BRAND
        if group is None:
            if is_full:
                self.unplaced += hits
                return
            group = self.groups[name] = Group()
        if source in group.sources:
            group.sources[source] += hits
        elif is_full or len(group.sources) >= SOURCES_MAX[name[0]]:
            group.other += hits
        else:
            group.sources[source] = hits
            self.pairs += 1


class _StoredGroup(Struct, array_like=True, frozen=True, gc=False):
    """A group's sources, by their numbers in the object, and the hits of each."""

    sources: list[int]
    hits: list[int]
    other: int


class _Stored(Struct, array_like=True, frozen=True):
    """The parts of an object in their order; groups are left as they are until one is asked for."""

    through: dict[int, int]
    unplaced: int
    sources: list[str]
    groups: dict[str, msgspec.Raw]


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
_decoder = msgspec.msgpack.Decoder(_Stored)
_group_decoder = msgspec.msgpack.Decoder(_StoredGroup)


def bytes_from_hour(hour: Hour) -> bytes:
    """Return the object; the same counts are the same bytes."""
    numbers: dict[str, int] = {}
    groups: dict[str, _StoredGroup] = {}
    for name in sorted(hour.groups):
        group = hour.groups[name]
        rows = sorted(group.sources.items(), key=lambda one: (-one[1], one[0]))
        sources = [numbers.setdefault(source, len(numbers)) for source, _ in rows]
        groups[name] = _StoredGroup(sources, [hits for _, hits in rows], group.other)
    content = _encoder.encode((dict(sorted(hour.through.items())), hour.unplaced, list(numbers), groups))
    return framed(MAGIC, VERSION, zstandard.ZstdCompressor(level=_LEVEL).compress(content))


def hour_from_bytes(data: bytes) -> Hour:
    """Return the hour as it stood, or raise Corrupt."""
    stored = _stored(data)
    hour = Hour(unplaced=stored.unplaced, through=dict(stored.through))
    for name in stored.groups:
        told = _group(stored, name)
        hour.groups[name] = Group(dict(told.sources), told.other)
        hour.pairs += len(told.sources)
    return hour


def told_from_bytes(data: bytes, name: str) -> Told:
    """Return what an object tells of one group, without looking at the others, or raise Corrupt."""
    return _group(_stored(data), name)


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


def _stored(data: bytes) -> _Stored:
    try:
        content = content_of(data, magic=MAGIC, version=VERSION, what=WHAT)
        return _decoder.decode(zstandard.ZstdDecompressor().decompress(content, max_output_size=_BYTES_MAX))
    except (NotASketch, msgspec.MsgspecError, zstandard.ZstdError, UnicodeDecodeError, RecursionError) as error:
        raise Corrupt(f"{WHAT} cannot be read: {error}; delete the object, its hits are in the lists") from error


def _group(stored: _Stored, name: str) -> Told:
    found = stored.groups.get(name)
    if found is None:
        return Told({}, 0, stored.unplaced)
    try:
        group = _group_decoder.decode(found)
        sources = {stored.sources[one]: hits for one, hits in zip(group.sources, group.hits, strict=True)}
    except (msgspec.MsgspecError, IndexError, ValueError) as error:
        raise Corrupt(f"{WHAT} has a group that cannot be read: {error}; delete the object") from error
    return Told(sources, group.other, stored.unplaced)
