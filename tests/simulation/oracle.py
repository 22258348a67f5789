"""What ought to be true: every hit's fate by the rules as people state them, in plain dictionaries.

Nothing of the counting is used here but the arithmetic of windows and the choice of shards.
"""

from collections import Counter, defaultdict
from collections.abc import Iterable
from dataclasses import dataclass, field

from footfall.accounts.brands import Brand
from footfall.flow.stream.shards import shard_of
from footfall.values.window import DAY_MS, MINUTE_MS, Grain, Window, window_of

LATENESS_MS = DAY_MS
AHEAD_MS = 5 * MINUTE_MS
REMEMBERED_MS = DAY_MS  # ids and keys

# The door's verdicts that are sent here, and the labels that people know them by; no verdict is a person's.
LABELS = {"bot-agent": "bot", "ai-agent": "ai", "reload": "suspected", "rule-path": "blocked"}

Key = tuple[str, str, str, str] | tuple[str, str, str, str, str]
Seen = tuple[tuple[str, str, str, str], str]  # what a hit is counted under, and who came


class Wrong(AssertionError):
    """What footfall says is not what ought to be true."""


@dataclass(frozen=True, slots=True)
class SentHit:
    """A hit in its sender's words."""

    brand: str
    asset: str
    section: str = ""
    resource_type: str = ""
    paid_type: str = ""
    at_ms: int | None = None
    id: str = ""
    visitor: str = ""
    verdict: str = ""  # what the door finds of it, if it finds anything

    @property
    def key(self) -> tuple[str, str, str, str]:
        return self.asset, self.section, self.resource_type, self.paid_type


@dataclass(frozen=True, slots=True)
class SetAside:
    """A hit that waits at a place of the stream."""

    key: Key
    at_ms: int
    visitor: str


@dataclass
class Oracle:
    """The truth about all brands."""

    brands: dict[str, Brand]
    shards: int
    minutes: dict[str, dict[int, Counter[Key]]] = field(
        default_factory=lambda: defaultdict(lambda: defaultdict(Counter))
    )
    people: dict[str, dict[int, set[Seen]]] = field(default_factory=lambda: defaultdict(lambda: defaultdict(set)))
    lines: dict[str, Counter[str]] = field(default_factory=lambda: defaultdict(Counter))
    waiting: dict[tuple[str, str, str], list[SetAside]] = field(default_factory=lambda: defaultdict(list))
    _seen: dict[tuple[str, str, str], int] = field(default_factory=dict)

    def accept(self, hits: Iterable[SentHit], *, now_ms: int, key: str, places: dict[tuple[str, int], str]) -> None:
        """Take in hits that the stream has, and where their records stand by brand and shard."""
        hits = list(hits)
        repeated = {brand for brand in {hit.brand for hit in hits} if key and self._is_known(brand, "key", key, now_ms)}
        for hit in hits:
            line = "duplicate" if hit.brand in repeated else self._line(hit, now_ms)
            self.lines[hit.brand][line] += 1
            at_ms = now_ms if hit.at_ms is None else hit.at_ms
            if line == "counted":
                self._count(hit.brand, hit.key, at_ms, hit.visitor)
            elif line in LABELS:
                # Nobody replays what was screened, so a time that is far ahead is in no window.
                if at_ms - now_ms <= AHEAD_MS:
                    self._count(hit.brand, (*hit.key, LABELS[line]), at_ms, "")
            elif line != "duplicate":
                shard = shard_of(hit.brand, hit.asset, shards=self.shards)
                place = places.get((hit.brand, shard), "nowhere")
                self.waiting[hit.brand, line, place].append(SetAside(hit.key, at_ms, hit.visitor))

    def bring_in(self, hits: Iterable[SentHit], *, places: dict[int, str]) -> None:
        """Take in hits of an imported log, whose times are trusted."""
        for hit in hits:
            assert hit.at_ms is not None
            if hit.verdict:
                self.lines[hit.brand][hit.verdict] += 1
                self._count(hit.brand, (*hit.key, LABELS[hit.verdict]), hit.at_ms, "")
            elif not hit.resource_type and self.brands[hit.brand].unlabelled == "hold":
                self.lines[hit.brand]["unlabelled"] += 1
                place = places[shard_of(hit.brand, hit.asset, shards=self.shards)]
                self.waiting[hit.brand, "unlabelled", place].append(SetAside(hit.key, hit.at_ms, hit.visitor))
            else:
                self.lines[hit.brand]["counted"] += 1
                self._count(hit.brand, hit.key, hit.at_ms, hit.visitor)

    def poison(self, brand: str, *, weight: int) -> None:
        """Take in a record that cannot be read."""
        self.lines[brand]["dead"] += weight

    def replay(self, brand: str, line: str, place: str) -> None:
        """Have the hits at a place counted at their own times, once."""
        hits = self.waiting.pop((brand, line, place), [])
        self.lines[brand][line] -= len(hits)
        self.lines[brand]["counted"] += len(hits)
        for hit in hits:
            self._count(brand, hit.key, hit.at_ms, hit.visitor)

    def replayable(self, brand: str, line: str, *, now_ms: int) -> list[str]:
        """Return the places whose hits can be replayed now: none of them is still to come."""
        return [
            place
            for (of, kind, place), hits in self.waiting.items()
            if of == brand and kind == line and max(hit.at_ms for hit in hits) <= now_ms
        ]

    def windows(self, brand: str) -> dict[Window, Counter[Key]]:
        """Return what every minute, hour and day of a brand holds."""
        zone = self.brands[brand].zone
        found: dict[Window, Counter[Key]] = defaultdict(Counter)
        for start_ms, counts in self.minutes[brand].items():
            for grain in (Grain.MINUTE, Grain.HOUR, Grain.DAY):
                found[window_of(start_ms, grain, zone)].update(counts)
        return found

    def visitors(self, brand: str) -> dict[Window, set[Seen]]:
        """Return who came in every minute, hour and day of a brand, and to what."""
        zone = self.brands[brand].zone
        found: dict[Window, set[Seen]] = defaultdict(set)
        for start_ms, seen in self.people[brand].items():
            for grain in (Grain.MINUTE, Grain.HOUR, Grain.DAY):
                found[window_of(start_ms, grain, zone)] |= seen
        return found

    def between(self, brand: str, *, from_ms: int, to_ms: int) -> Counter[Key]:
        """Return what a span of whole minutes holds."""
        total = Counter[Key]()
        for start_ms, counts in self.minutes[brand].items():
            if from_ms <= start_ms < to_ms:
                total.update(counts)
        return total

    def _line(self, hit: SentHit, now_ms: int) -> str:
        if hit.id and self._is_known(hit.brand, "id", hit.id, now_ms):
            return "duplicate"
        if not hit.resource_type and self.brands[hit.brand].unlabelled == "hold":
            return hit.verdict or "unlabelled"
        line = _line_by_time(hit, now_ms)
        return hit.verdict if hit.verdict and line == "counted" else line

    def _is_known(self, brand: str, kind: str, text: str, now_ms: int) -> bool:
        first_ms = self._seen.get((brand, kind, text))
        if first_ms is not None and first_ms >= now_ms - REMEMBERED_MS:
            return True
        self._seen[brand, kind, text] = now_ms
        return False

    def _count(self, brand: str, key: Key, at_ms: int, visitor: str) -> None:
        start_ms = at_ms // MINUTE_MS * MINUTE_MS
        self.minutes[brand][start_ms][key] += 1
        if visitor:
            self.people[brand][start_ms].add((key[:4], visitor))


def _line_by_time(hit: SentHit, now_ms: int) -> str:
    if hit.at_ms is None or now_ms - LATENESS_MS <= hit.at_ms <= now_ms + AHEAD_MS:
        return "counted"
    return "late" if hit.at_ms < now_ms else "future"
