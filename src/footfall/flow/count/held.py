"""The parts of windows that a shard's worker has in hand, as they are in the store.

Bounded by rows, not by windows: an attacker may fill a few minutes or touch a thousand. What is let go is read
again when it is needed. A part whose hits lie in another part as well, because a write was cut short between the
two, counts as empty here, as it does for readers.
"""

from collections import OrderedDict
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace

from footfall.flow.store import keys
from footfall.flow.store.columns import EMPTY, Columns, CountKey, without_row
from footfall.flow.store.merging import Limits, admit
from footfall.flow.store.summaries import Laid, Summaries, Summary, laid_in_pieces
from footfall.flow.stream.records import RULES
from footfall.ports.errors import Changed
from footfall.values.clock import Clock
from footfall.values.window import DAY_MS, Window

ROWS_MAX = 600_000  # Some 25 bytes each, and the texts of ids that are not numbers.
# Once a window is final its parts are merged into one that expires in time. Parts that lie there for longer belong to
# an instance that stood still, and must still be there when it goes on to build longer windows of them.
STANDSTILL_MS = 30 * DAY_MS


@dataclass(frozen=True, slots=True)
class Throughs:
    """Up to which record the store holds a shard's hits of a window, by part; None: there is no such part."""

    main: int | None = None
    late: int | None = None
    merged: int | None = None  # what the merged part holds of this shard
    is_late_sealed: bool = False  # Whoever adds to the late part takes it into the main one first.

    @property
    def counted(self) -> int:
        """Return the last record whose hits are stored, in whatever part."""
        return max(self.main or 0, self.late or 0, self.merged or 0)

    @property
    def is_late_taken_in(self) -> bool:
        """Tell whether another part holds what the late part does."""
        return self.late is None or self.late <= max(self.main or 0, self.merged or 0)

    @property
    def is_stored(self) -> bool:
        """Tell whether there is a part that late hits have to be put beside."""
        return self.main is not None or self.merged is not None


@dataclass(frozen=True, slots=True)
class Part:
    """A part of a window and the `through` it was stored with; None: it is not stored."""

    through: int | None
    columns: Columns


@dataclass(slots=True)
class _Hand:
    """A window in hand: what is known of its parts, and the columns of those that were needed."""

    throughs: Throughs
    expires_at_ms: int
    columns: dict[str, Columns] = field(default_factory=dict[str, Columns])

    @property
    def rows(self) -> int:
        return 1 + sum(len(columns.ident) for columns in self.columns.values())


class Held:
    """Reads and writes the parts of one shard."""

    def __init__(
        self,
        summaries: Summaries,
        shard: int,
        *,
        expires_at_ms: Callable[[Window], int],
        clock: Clock,
        rows_max: int = ROWS_MAX,
        standstill_ms: int = STANDSTILL_MS,
    ) -> None:
        self._summaries = summaries
        self._main = keys.shard_name(shard)
        self._late = keys.late_part(shard)
        self._expires_at_ms = expires_at_ms
        self._clock = clock
        self._rows_max = rows_max
        self._standstill_ms = standstill_ms
        self._hands: OrderedDict[tuple[str, Window], _Hand] = OrderedDict()
        self.rows = 0

    def throughs(self, brand: str, window: Window) -> Throughs:
        """Return up to where the store holds the shard's hits of a window."""
        return self._hand(brand, window).throughs

    def part(self, brand: str, window: Window, name: str) -> Part:
        """Return a part, from hand or from the store."""
        hand = self._hand(brand, window)
        through = self._through(hand.throughs, name)
        columns = hand.columns.get(name)
        if columns is None:
            is_empty = through is None or through <= self._covered(hand.throughs, name)
            columns = EMPTY if is_empty else self._read(brand, window, name)
            self._put(hand, name, columns)
        return Part(through, columns)

    def add(
        self, brand: str, window: Window, name: str, counts: Mapping[CountKey, int], *, limits: Limits, through: int
    ) -> int:
        """Add counts to a part and store it; return how many hits found no row in it."""
        before = self.part(brand, window, name).columns
        columns = admit(before, counts, limits)
        self.save(brand, window, name, columns, through=through)
        return without_row(columns) - without_row(before)

    def save(
        self, brand: str, window: Window, name: str, columns: Columns, *, through: int, laid: Laid | None = None
    ) -> None:
        """Store a part in the place of the one that is there, some of it perhaps before its time."""
        hand = self._hand(brand, window)
        summary = Summary(window, name, through, {}, columns, final=False, rules=RULES)
        expires_at_ms = self.part_expires_at_ms(window)
        replaces = self._through(hand.throughs, name)
        unseals = name == self._late and hand.throughs.is_late_sealed
        self._summaries.save(brand, summary, replaces=replaces, expires_at_ms=expires_at_ms, unseals=unseals, laid=laid)
        self._note(hand, name, through)
        hand.expires_at_ms = expires_at_ms
        self._put(hand, name, columns)

    def part_expires_at_ms(self, window: Window) -> int:
        """Return until when a part of a window is kept, that is one which has still to be built upon."""
        return max(self._expires_at_ms(window), self._clock.now_ms()) + self._standstill_ms

    def lay(self, brand: str, window: Window, columns: Columns, *, through: int) -> Laid:
        """Return a main part as it is written in pieces; it is there when it is saved."""
        return laid_in_pieces(brand, Summary(window, self._main, through, {}, columns, final=False, rules=RULES))

    def write_piece(self, window: Window, laid: Laid) -> None:
        """Write one piece of a part that will be saved."""
        self._summaries.write_blocks(laid, expires_at_ms=self.part_expires_at_ms(window), limit=1)

    def remove(self, brand: str, window: Window, name: str) -> None:
        """Remove a part if it is there."""
        hand = self._hand(brand, window)
        through = self._through(hand.throughs, name)
        if through is not None:
            self._summaries.remove(brand, window, name, replaces=through)
            self._note(hand, name, None)
            self._put(hand, name, EMPTY)

    def seal_late(self, brand: str, window: Window) -> None:
        """Have nothing more added to the late part, for it is about to be taken into the main one."""
        hand = self._hand(brand, window)
        if hand.throughs.late is not None and not hand.throughs.is_late_sealed:
            self._summaries.seal(brand, window, self._late, through=hand.throughs.late)
            hand.throughs = replace(hand.throughs, is_late_sealed=True)

    def retire_late(self, brand: str, window: Window) -> None:
        """Know that the main part holds what the late one does, which stays where it is.

        Were it removed, one that slept since before it was there would find nothing changed, and put hits there again.
        """
        self._put(self._hand(brand, window), self._late, EMPTY)

    def late_of_unbuilt(self, brand: str, window: Window) -> Columns:
        """Return the late part of a window that is not built; a main part beside it is a build that was cut short."""
        throughs = self.throughs(brand, window)
        if throughs.main is None or throughs.late is None or throughs.late <= (throughs.merged or 0):
            return self.part(brand, window, self._late).columns
        return self._read(brand, window, self._late)

    def forget(self, brand: str, window: Window) -> None:
        """Let go of a window that somebody else wrote."""
        hand = self._hands.pop((brand, window), None)
        if hand is not None:
            self.rows -= hand.rows

    def clear(self) -> None:
        """Let go of everything, for what was in hand may not be what is stored."""
        self._hands.clear()
        self.rows = 0

    def _hand(self, brand: str, window: Window) -> _Hand:
        key = (brand, window)
        hand = self._hands.get(key)
        if hand is not None and hand.expires_at_ms <= self._clock.now_ms():
            self.forget(brand, window)  # It has gone from the store meanwhile.
            hand = None
        if hand is None:
            hand = self._hands[key] = self._read_throughs(brand, window)
            self.rows += hand.rows
            self._let_go()
        else:
            self._hands.move_to_end(key)
        return hand

    def _read_throughs(self, brand: str, window: Window) -> _Hand:
        heads = {head.part: head for head in self._summaries.heads(brand, window)}
        main, late, merged = (heads.get(name) for name in (self._main, self._late, keys.ALL))
        throughs = Throughs(
            main=None if main is None else main.through,
            late=None if late is None else late.through,
            merged=None if merged is None else merged.throughs.get(self._main, 0),
            is_late_sealed=late is not None and late.is_sealed,
        )
        return _Hand(throughs, max(self._expires_at_ms(window), self._clock.now_ms() + DAY_MS))

    def _read(self, brand: str, window: Window, name: str) -> Columns:
        summary = self._summaries.load(brand, window, name)
        if summary is None:
            raise Changed(f"part {name} of {window} of {brand} has gone; read it again")
        return summary.columns

    def _through(self, throughs: Throughs, name: str) -> int | None:
        return throughs.main if name == self._main else throughs.late

    def _covered(self, throughs: Throughs, name: str) -> int:
        """Return up to which record another part holds what this one does."""
        merged = -1 if throughs.merged is None else throughs.merged
        main = -1 if throughs.main is None or name == self._main else throughs.main
        return max(merged, main)

    def _note(self, hand: _Hand, name: str, through: int | None) -> None:
        before = hand.throughs
        if name == self._main:
            hand.throughs = replace(before, main=through)
        else:
            hand.throughs = replace(before, late=through, is_late_sealed=False)

    def _put(self, hand: _Hand, name: str, columns: Columns) -> None:
        self.rows -= hand.rows
        hand.columns[name] = columns
        self.rows += hand.rows
        self._let_go()

    def _let_go(self) -> None:
        while self.rows > self._rows_max and len(self._hands) > 1:
            _, hand = self._hands.popitem(last=False)
            self.rows -= hand.rows
