"""A set-aside record that comes again: its hits, where they go now, and what they are counted under there."""

from collections import Counter
from collections.abc import Mapping, Sequence, Set
from dataclasses import dataclass, replace

from footfall.flow.count.placing import Place
from footfall.flow.count.timing import COUNTED
from footfall.flow.count.verdicts_applied import line_under
from footfall.flow.store.checkpoints import LINES
from footfall.flow.store.columns import CountKey, screened_key
from footfall.flow.stream.records import HitKey, ReplayPack
from footfall.ports.stream import Record
from footfall.screening.labels import Label, label_of


@dataclass(frozen=True, slots=True)
class ReplayedHit:
    """One hit of a set-aside record, and where it goes now."""

    at: int  # its place in the record that was set aside, if the replay says so
    place: Place
    key: HitKey
    weight: int
    line: str
    door: str  # its line without verdicts
    visitor: bytes = b""  # Empty: none.

    @property
    def count_key(self) -> CountKey | None:
        """Return what it is counted under in its window; None: in none."""
        # Its time is trusted, so that it has a window whatever the verdict on it was.
        return count_key_of(self.key, self.line)


@dataclass(frozen=True, slots=True)
class Replay:
    """A set-aside record, or some hits of one, that came again and are to be counted now, unless they were already."""

    sequence: int  # of the record that was set aside
    by: int  # of the record in which it came again
    brand: str
    line: str  # where its hits have waited
    arrived_at_ms: int  # when it came again
    hits: tuple[ReplayedHit, ...]
    is_part: bool  # Then other hits of the record may come at another time.

    @property
    def counts(self) -> dict[Place, Counter[CountKey]]:
        """Return what is counted where."""
        counts: dict[Place, Counter[CountKey]] = {}
        for hit in self.hits:
            key = hit.count_key
            if key is not None:
                counts.setdefault(hit.place, Counter())[key] += hit.weight
        return counts

    @property
    def moves(self) -> Counter[str]:
        """Return how many hits go to which line."""
        moves = Counter[str]()
        for hit in self.hits:
            moves[hit.line] += hit.weight
        return moves

    def without(self, ats: Set[int]) -> "Replay":
        """Return what is left of it when the hits at these places of the record were counted before."""
        return replace(self, hits=tuple(hit for hit in self.hits if hit.at not in ats))


def count_key_of(key: HitKey, line: str) -> CountKey | None:
    """Return what a hit of a line of the ledger is counted under in its window; None: in no window.

    Reasons of screening are lines beside those that have names: such hits are counted under the label of their reason.
    """
    if line == COUNTED:
        return key
    label = Label.PERSON if line in LINES else label_of(line)
    return screened_key(key, label.value) if label else None


def replay_of(
    record: Record, pack: ReplayPack, places: Sequence[Place], *, doors: Sequence[str], found: Mapping[int, str]
) -> Replay:
    """Return what a record brings again: where each of its hits goes, its line, and what verdicts say of it."""
    assert pack.replays is not None
    sequence, line = pack.replays
    hits = tuple(
        ReplayedHit(
            at=at if pack.places is None else pack.places[at],
            place=places[at],
            key=key,
            weight=1 if pack.weights is None else pack.weights[at],
            line=line_under(doors[at], found.get(at)),
            door=doors[at],
            visitor=b"" if pack.visitors is None else pack.visitors[at],
        )
        for at, key in enumerate(pack.keys)
    )
    is_part = pack.places is not None
    return Replay(sequence, record.sequence, record.group, line, record.arrived_at_ms, hits, is_part)
