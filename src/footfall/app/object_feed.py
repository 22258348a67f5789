"""Objects of other pipelines' buckets on their way into the stream: each counts once, however often it is told of.

How far an object was taken is kept in the store, under the object's name and version, and moves on a condition. What
was appended and not noted, because something failed in between, is appended again by the next delivery and found to be
a repeat when it is counted (flow/collect/object_hits.py).
"""

import re
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field

from footfall.adapters.aws.s3_source import S3Source
from footfall.flow.collect.object_hits import SHOWN_MAX, ObjectHits, Source, Taken, runs_of
from footfall.flow.collect.object_pieces import pieces_of_object, text_of_object
from footfall.flow.store import keys
from footfall.ports.errors import Changed
from footfall.ports.stream import Stream
from footfall.ports.table import Absent, Equals, Item, Put, Table
from footfall.values.clock import Clock
from footfall.values.errors import FootfallError

OBJECT_BYTES_MAX = 128 * 1_048_576  # The largest file that Firehose writes.
STRETCH_RUNS = 16  # Some 32,000 hits are appended between two notes of how far it is.
RIVALS_MAX = 10

_BRAND_IN_KEY = re.compile(r"(?:^|/)brand=([^/]+)/")


class NotInTime(FootfallError):
    """The function's time is over before the object is; the next delivery goes on where this one stopped."""


class AnotherTakesIt(FootfallError):
    """Other deliveries of the same object were at work all the time."""


class NoKnownBrand(FootfallError):
    """No hit of the object is of a brand that is known here; it is not noted, so that it counts once one is added."""


@dataclass(frozen=True, slots=True)
class ObjectName:
    """An object as somebody told of it; without a version it is what lies there now."""

    bucket: str
    key: str
    version: str = ""

    def __str__(self) -> str:
        return f"s3://{self.bucket}/{self.key}"


@dataclass(slots=True)
class Fed:
    """What became of an object."""

    hits: int = 0
    refused: Counter[str] = field(default_factory=Counter[str])
    shown: list[str] = field(default_factory=list[str])  # the first refusals
    was_done: bool = False  # It was taken before, so nothing was done.
    is_gone: bool = False

    def add(self, stretch: Taken) -> None:
        """Add what became of a stretch."""
        self.hits += stretch.hits
        self.refused.update(stretch.refused)
        self.shown = [*self.shown, *stretch.shown][:SHOWN_MAX]


class ObjectFeed:
    """Takes objects into the stream."""

    def __init__(self, source: S3Source, stream: Stream, store: Table, hits: ObjectHits, *, clock: Clock) -> None:
        self._source = source
        self._stream = stream
        self._store = store
        self._hits = hits
        self._clock = clock

    def take(self, named: ObjectName, *, has_time: Callable[[], bool]) -> Fed:
        """Append the object's hits that were not appended yet; raise NotInTime, NoKnownBrand, or the ground's."""
        found = self._source.get(named.bucket, named.key, version=named.version, bytes_max=OBJECT_BYTES_MAX)
        if found is None:
            return Fed(is_gone=True)
        name = f"{named.bucket}\0{named.key}\0{found.version}"
        before = self._store.get(keys.fed_object(name))
        if before is not None and before.get("done"):
            return Fed(was_done=True)
        source = Source(name, found.written_at_ms, _brand_of(named.key))
        return self._feed(source, pieces_of_object(text_of_object(found.data)), before, has_time)

    def _feed(self, source: Source, pieces: list[bytes], before: Item | None, has_time: Callable[[], bool]) -> Fed:
        fed, runs = Fed(), runs_of(pieces)
        stretch, ends = Taken(), _number(before, "through")
        for _ in range(RIVALS_MAX + runs):
            begins, ends = ends, min(ends + STRETCH_RUNS, runs)
            stretch.add(self._appended(source, pieces, range(begins, ends)))
            if stretch.hits or _number(before, "hits") or not stretch.no_brand:
                try:
                    before = self._note(source, before, stretch, through=ends, is_done=ends == runs)
                    fed.add(stretch)
                except Changed:
                    before = self._store.get(keys.fed_object(source.name))  # What a rival has noted is its to tell.
                stretch, ends = Taken(), _number(before, "through")
            elif ends == runs:
                # Brands are often added later than the pipeline is connected.
                raise NoKnownBrand(f"none of its hits has a known brand, so it has to come again: {stretch.no_brand}")
            if before is not None and before.get("done"):
                return fed
            if not has_time():
                raise NotInTime(f"{_number(before, 'through')} of {runs} runs are taken; the next delivery goes on")
        raise AnotherTakesIt(f"{RIVALS_MAX} other deliveries of the object moved it on; it is taken by them")

    def _appended(self, source: Source, pieces: list[bytes], numbers: range) -> Taken:
        stretch = Taken()
        for number in numbers:
            taken = self._hits.run(pieces, number, source=source, now_ms=self._clock.now_ms())
            if taken.entries:
                self._stream.append(taken.entries)
            stretch.add(taken)
        return stretch

    def _note(self, source: Source, before: Item | None, stretch: Taken, *, through: int, is_done: bool) -> Item:
        """Write down how far the object is; never forgotten, so that it counts once for good."""
        bucket, key, version = source.name.split("\0")
        item: Item = {
            "bucket": bucket,
            "key": key,
            "version": version,
            "through": through,
            "hits": _number(before, "hits") + stretch.hits,
            "refused": _number(before, "refused") + stretch.refused.total(),
            "done": is_done,
            "at_ms": self._clock.now_ms(),
        }
        condition = Absent() if before is None else Equals("through", _number(before, "through"))
        self._store.put(Put(keys.fed_object(source.name), item, expects=(condition,)))
        return item


def _brand_of(key: str) -> str:
    """Return the brand that an object's key names, for hits that do not."""
    found = _BRAND_IN_KEY.search(key)
    return found[1] if found is not None else ""


def _number(item: Item | None, name: str) -> int:
    value = 0 if item is None else item.get(name, 0)
    return value if isinstance(value, int) else 0
