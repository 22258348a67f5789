"""What a series' item remembers of removals, so that whatever a device tells late brings nothing back. Pure.

Each asset that was removed lately has a mark with the order of its removal, to which the next write of it is held by a
condition, without a read. Writes of other assets are not held up by it: they may arrive as late as they like.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from footfall.audience import history_keys as keys
from footfall.audience.history import SEQUENCE_MAX, order_of, whole
from footfall.ports.items import Item, Value
from footfall.ports.table import Absent, Condition, Equals, Present

# A device that was away tells late where somebody was; what was removed meanwhile does not come back by that.
REMOVED_KEPT_MS = 7 * 86_400_000
MARKS_MAX = 8  # Some 30 bytes each: with them the item is still one unit of writing.
# Of a series of which more was removed, nothing moves the item that is older than the newest removal without a mark.
FLOOR = "floor"
ALL_REMOVED = "removed"  # the order of the removal of the whole series
REMOVALS = "removals"  # how many there were: of two at the same moment, the later sees that it has to look again


@dataclass(frozen=True, slots=True)
class Marks:
    """What was removed of a series within the days that a device may be away."""

    assets: Mapping[str, int]  # orders, by the attributes that hold them
    floor: int
    all_removed: int
    removals: int

    def on(self, item: Item) -> dict[str, Value]:
        """Return an item with these marks, and with an order that is held to them."""
        order = max(whole(item.get("order", 0)), self.floor, self.all_removed)
        known = {"order": order, FLOOR: self.floor, ALL_REMOVED: self.all_removed, REMOVALS: self.removals}
        return {**item, **self.assets, **{name: number for name, number in known.items() if number}}


def marks_after(item: Item, asset: str, *, now_ms: int) -> Marks:
    """Return the marks of a series' item once an asset is removed; those that are old are gone."""
    since = order_of(max(0, now_ms - REMOVED_KEPT_MS), 0)
    marks = {name: order for name in item if name.startswith(keys.REMOVALS) and (order := whole(item[name])) >= since}
    marks[keys.removal(asset)] = order_of(now_ms, SEQUENCE_MAX)
    newest = sorted(marks, key=lambda name: marks[name], reverse=True)
    floors = [whole(item.get(FLOOR, 0)), *(marks[name] for name in newest[MARKS_MAX:])]
    return Marks(
        assets={name: marks[name] for name in newest[:MARKS_MAX]},
        floor=max(floors) if max(floors) >= since else 0,
        all_removed=all_removed if (all_removed := whole(item.get(ALL_REMOVED, 0))) >= since else 0,
        removals=whole(item.get(REMOVALS, 0)) + 1,
    )


def unmarked(item: Item) -> dict[str, Value]:
    """Return an item without what it remembers of removals."""
    return {name: value for name, value in item.items() if not is_mark(name)}


def is_mark(name: str) -> bool:
    """Tell whether an attribute is about removals, and not about what was watched."""
    return name in (FLOOR, ALL_REMOVED, REMOVALS) or name.startswith(keys.REMOVALS)


def as_read(item: Item | None) -> Sequence[Condition]:
    """Return what holds for as long as nobody has watched, hidden or removed anything of the series."""
    if item is None:
        return (Absent(),)
    return (Present(), *(Equals(name, item.get(name)) for name in ("order", "hidden_ms", "gone", REMOVALS)))
