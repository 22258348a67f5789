"""What editors do to lists: assets that they pin to a place or hide. Counts know nothing of it.

Acts lie beside the catalogue, because whoever makes lists reads that anyway and looks at its version all the time. An
act that has an end expires there by itself. Drawn in docs/formats/catalog.md.
"""

from collections.abc import Sequence

from msgspec import Struct

from footfall.catalog import keys
from footfall.catalog.items import texts_from
from footfall.ports.table import Delete, Found, Item, Put, Table, Update, Value, everything
from footfall.values.errors import Refused
from footfall.values.hit import ASSET_BYTES_MAX, LABEL_BYTES_MAX, require_text
from footfall.values.window import MOMENT_MS_MAX, instant_text

PLACES_MAX = 100  # The longest list has no more.
PINS_MAX = 100  # of one brand: as many as there are places
HIDDEN_MAX = 1_000  # of one brand; every list looks past those that it meets.
SECTIONS_MAX = 100  # of one pin
PERIODS_MAX = 30  # of one pin: more than a brand can have
REASON_BYTES_MAX = 300


class NotPinned(Refused):
    """Nobody has pinned this asset, or its pin has ended."""

    def __init__(self, asset: str) -> None:
        super().__init__("assetId", f"{asset[:80]!r} is not pinned; GET /v1/edits lists what is")


class NotHidden(Refused):
    """Nobody has hidden this asset, or it is shown again."""

    def __init__(self, asset: str) -> None:
        super().__init__("assetId", f"{asset[:80]!r} is not hidden; GET /v1/edits lists what is")


class Pin(Struct, frozen=True, kw_only=True):
    """An asset that stands at a place of some lists, whatever its hits are."""

    asset: str
    place: int
    by: str
    at_ms: int
    sections: tuple[str, ...] = ()  # none: every list that the asset could be on
    periods: tuple[str, ...] = ()  # none: all of them
    until_ms: int | None = None


class Hidden(Struct, frozen=True, kw_only=True):
    """An asset that no list shows."""

    asset: str
    by: str
    at_ms: int
    reason: str = ""
    until_ms: int | None = None


class Acts(Struct, frozen=True):
    """What editors have done to the lists of a brand: pins in the order in which they are put, and what is hidden."""

    pins: tuple[Pin, ...] = ()
    hidden: tuple[Hidden, ...] = ()

    def at(self, now_ms: int) -> "Acts":
        """Return those that have not ended."""
        return Acts(
            tuple(one for one in self.pins if one.until_ms is None or one.until_ms > now_ms),
            tuple(one for one in self.hidden if one.until_ms is None or one.until_ms > now_ms),
        )

    def __len__(self) -> int:
        """Return how many there are."""
        return len(self.pins) + len(self.hidden)


NO_ACTS = Acts()


class Edits:
    """The acts of every brand in one table. A brand has one writer at a time; anybody may read."""

    def __init__(self, table: Table) -> None:
        self._table = table

    def acts(self, brand: str) -> Acts:
        """Return the acts of a brand that have not ended."""
        return Acts(tuple(sorted(self._pins(brand), key=_in_order)), tuple(self._hidden(brand)))

    def pinned(self, brand: str, asset: str) -> Pin | None:
        """Return the pin of an asset."""
        item = self._table.get(keys.pin(brand, asset))
        return None if item is None else _pin_from(asset, item)

    def hidden(self, brand: str, asset: str) -> Hidden | None:
        """Return why and by whom an asset is hidden."""
        item = self._table.get(keys.hidden(brand, asset))
        return None if item is None else _hidden_from(asset, item)

    def require_room(self, brand: str, act: Pin | Hidden) -> None:
        """Raise Refused when the act would be one too many; one in the place of another is not."""
        acts = self.acts(brand)
        others, most = (acts.pins, PINS_MAX) if isinstance(act, Pin) else (acts.hidden, HIDDEN_MAX)
        if len(others) >= most and all(one.asset != act.asset for one in others):
            raise Refused("assetId", f"would be one more than the {most:,} that a brand may have; take one back first")

    def put(self, brand: str, act: Pin | Hidden) -> None:
        """Pin or hide an asset, in the place of what was done so to it before."""
        key = keys.pin(brand, act.asset) if isinstance(act, Pin) else keys.hidden(brand, act.asset)
        self._change(brand, Put(key, _item_from(act), expires_at_ms=act.until_ms))

    def unpin(self, brand: str, asset: str) -> None:
        """Take a pin back."""
        self._change(brand, Delete(keys.pin(brand, asset)))

    def show(self, brand: str, asset: str) -> None:
        """Show a hidden asset again."""
        self._change(brand, Delete(keys.hidden(brand, asset)))

    def changes(self) -> int:
        """Return a number that grows with every act in any brand; 0 when there was none."""
        item = self._table.get(keys.EDITED)
        return 0 if item is None else whole_from(item, "number")

    def _change(self, brand: str, action: Put | Delete) -> None:
        """Make a change, then tell readers; those who are not told, because of a crash, look again in a minute."""
        with self._table.together():
            if isinstance(action, Put):
                self._table.put(action)
            else:
                self._table.delete(action)
            # Adding nothing to the number makes it be there, so that every release reads the version.
            self._table.update(Update(keys.version(brand), add={"number": 0, "edits": 1}))
            self._table.update(Update(keys.EDITED, add={"number": 1}))

    def _pins(self, brand: str) -> list[Pin]:
        return [_pin_from(one.key.sort, one.item) for one in self._all(keys.pins_partition(brand))]

    def _hidden(self, brand: str) -> list[Hidden]:
        return [_hidden_from(one.key.sort, one.item) for one in self._all(keys.hidden_partition(brand))]

    def _all(self, partition: str) -> list[Found]:
        return list(everything(self._table, partition))


def require_act(act: Pin | Hidden) -> None:
    """Refuse the first field of an act that is over its limit, or an end that has passed."""
    if not act.asset:
        raise Refused("assetId", "is empty")
    require_text("assetId", act.asset, bytes_max=ASSET_BYTES_MAX)
    if act.until_ms is not None and not act.at_ms < act.until_ms <= MOMENT_MS_MAX:
        raise Refused("until", f"is {instant_text(act.until_ms)}, which is over already; name a later moment")
    if isinstance(act, Hidden):
        require_text("reason", act.reason, bytes_max=REASON_BYTES_MAX)
        return
    if not 1 <= act.place <= PLACES_MAX:
        raise Refused("place", f"is {act.place}, a list has places from 1 to {PLACES_MAX}")
    _require_names("sections", act.sections, count_max=SECTIONS_MAX)
    _require_names("periods", act.periods, count_max=PERIODS_MAX)


def document_of_act(act: Pin | Hidden) -> dict[str, object]:
    """Return an act as people read it, without what was not said."""
    document: dict[str, object] = {"assetId": act.asset}
    if isinstance(act, Pin):
        document |= {"place": act.place, "sections": list(act.sections), "periods": list(act.periods)}
    else:
        document["reason"] = act.reason
    document["until"] = None if act.until_ms is None else instant_text(act.until_ms)
    document |= {"by": act.by, "at": instant_text(act.at_ms)}
    return {name: value for name, value in document.items() if value not in ("", None, [])}


def whole_from(item: Item, name: str) -> int:
    """Return a whole number of an item; 0 when it is not there."""
    value = item.get(name)
    return value if isinstance(value, int) else 0


def _in_order(pin: Pin) -> tuple[int, int, str]:
    """Return what pins are put in by: their places, and of two for one place the later one first."""
    return pin.place, -pin.at_ms, pin.asset


def _require_names(field: str, names: Sequence[str], *, count_max: int) -> None:
    if len(names) > count_max:
        raise Refused(field, f"has {len(names)} entries, at most {count_max} are taken")
    for name in names:
        if not name:
            raise Refused(field, "has an empty entry")
        require_text(field, name, bytes_max=LABEL_BYTES_MAX)


def _item_from(act: Pin | Hidden) -> Item:
    item: dict[str, Value] = {"by": act.by, "at_ms": act.at_ms}
    if act.until_ms is not None:
        item["until_ms"] = act.until_ms
    if isinstance(act, Hidden):
        return {**item, "reason": act.reason} if act.reason else item
    item["place"] = act.place
    for name, values in (("sections", act.sections), ("periods", act.periods)):
        if values:
            item[name] = list(values)
    return item


def _pin_from(asset: str, item: Item) -> Pin:
    return Pin(
        asset=asset,
        place=whole_from(item, "place"),
        by=str(item.get("by", "")),
        at_ms=whole_from(item, "at_ms"),
        sections=tuple(texts_from(item.get("sections"))),
        periods=tuple(texts_from(item.get("periods"))),
        until_ms=_end(item),
    )


def _hidden_from(asset: str, item: Item) -> Hidden:
    return Hidden(
        asset=asset,
        by=str(item.get("by", "")),
        at_ms=whole_from(item, "at_ms"),
        reason=str(item.get("reason", "")),
        until_ms=_end(item),
    )


def _end(item: Item) -> int | None:
    return whole_from(item, "until_ms") or None
