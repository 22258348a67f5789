"""What an instance does with the stretches of an imported log: entries of them, each stretch stored once.

Used by the front on behalf of an import that talks to it, and by an import that is the instance itself.
"""

import hashlib
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from msgspec import Struct, structs

from footfall.accounts.brands import Brand
from footfall.app.settings import DAY_MS, Settings
from footfall.flow.collect.imported import Imported, ImportedHits, ImportRules, imported
from footfall.flow.stream.records import HitKey
from footfall.ports.stream import Appended, Entry, Mark
from footfall.values.errors import FootfallError

FINGERPRINT_BYTES = 16
STRETCH_HITS_MAX = 50_000  # All of a stretch is stored at once, while everybody else waits for the disk.

Labelled = Callable[[str, list[HitKey]], list[HitKey]]


class StretchTooLong(FootfallError):
    """A stretch of a log has more hits than are stored at once."""


class OutOfStep(FootfallError):
    """A stretch does not begin where the import of its log stands."""


class NotAFingerprint(FootfallError):
    """A log is known by 16 bytes, and these are not."""


class Told(Struct, array_like=True, frozen=True):
    """What became of hits: stored, there before, set aside, left out."""

    stored: int = 0
    again: int = 0
    set_aside: dict[str, int] = {}
    refused: dict[str, int] = {}


@dataclass(frozen=True, slots=True)
class Closed:
    """A stretch that is ready to be stored."""

    name: bytes
    entries: list[Entry]
    imported: Imported


class Stretches:
    """Makes entries of one brand's stretches, a few hits at a time."""

    def __init__(self, name: str, rules: ImportRules, *, brand: Callable[[], Brand], labelled: Labelled) -> None:
        self._name = name
        self._brand = brand  # as it is at this moment: its rules may change while an import goes on
        self._rules = rules
        self._labelled = labelled
        self._open = Imported()

    def add(self, hits: ImportedHits, *, now_ms: int) -> None:
        """Take more hits of the stretch that is open."""
        if self._open.hits + len(hits.keys) > STRETCH_HITS_MAX:
            raise StretchTooLong(f"a stretch has at most {STRETCH_HITS_MAX:,} hits; hand over shorter ones")
        more = imported(
            self._brand(),
            hits,
            rules=self._rules,
            arrived_at_ms=now_ms,
            labelled=lambda keys: self._labelled(self._name, keys),
        )
        self._open.entries += more.entries
        self._open.hits += more.hits
        self._open.set_aside.update(more.set_aside)
        self._open.refused.update(more.refused)

    def close(self, file: bytes, *, begins: int, ends: int, now_ms: int) -> Closed:
        """End the stretch: return the entries that move its log's mark when they are stored."""
        self._brand()  # Nothing is stored for one that was removed.
        done, self._open = self._open, Imported()
        name = mark_name(self._name, file)
        # A stretch without hits has only its mark to move.
        entries = done.entries or [Entry(0, self._name, 0, b"", now_ms)]
        marked = [structs.replace(one, mark=Mark(name, begins, ends, part)) for part, one in enumerate(entries)]
        return Closed(name, marked, done)


def told_of(closed: Closed, appended: Sequence[Appended]) -> Told:
    """Return what became of a stretch, or raise OutOfStep when it was not stored."""
    if any(one.is_refused for one in appended):
        raise OutOfStep("the import of this log stands elsewhere: another import of it goes on; wait for its end")
    done = closed.imported
    if done.hits and appended[0].repeated:
        return Told(again=done.hits)
    return Told(done.hits, 0, dict(done.set_aside), dict(done.refused))


def mark_name(brand: str, file: bytes) -> bytes:
    """Return the name of the mark that says how far a brand's import of a log has come."""
    if len(file) != FINGERPRINT_BYTES:
        raise NotAFingerprint(f"a log is known by {FINGERPRINT_BYTES} bytes, not by {len(file)}")
    return hashlib.blake2b(file + brand.encode(), digest_size=FINGERPRINT_BYTES, person=b"import").digest()


def import_rules(settings: Settings, *, shards: int) -> ImportRules:
    """Return what the settings let an import take."""
    return ImportRules(
        shards=shards, days_kept_ms=settings.store_days_days * DAY_MS, future_ms=settings.count_future_ms
    )


@dataclass(slots=True)
class Sums:
    """What became of all hits of an import so far."""

    stored: int = 0
    again: int = 0
    set_aside: Counter[str] = field(default_factory=Counter[str])
    refused: Counter[str] = field(default_factory=Counter[str])

    def add(self, told: Told) -> None:
        """Add what became of a stretch."""
        self.stored += told.stored
        self.again += told.again
        self.set_aside.update(told.set_aside)
        self.refused.update(told.refused)
