"""The labels that the catalogue gives to hits: looked up at the door, kept at hand, and never older than a write.

A brand without a catalogue costs one look into a dict for each request, whatever the request holds.
"""

from collections.abc import Callable, Iterable, Sequence
from typing import overload

from footfall.catalog import keys
from footfall.catalog.items import labels_from_item, number_from
from footfall.ports.table import Table

ASSETS_AT_HAND_MAX = 200_000  # Some 250 bytes each: an id, and its labels or that there are none.
BRANDS_AT_HAND_MAX = 10_000  # With --dev anybody may name a brand.

Key = tuple[str, str, str, str]  # asset, section, resourceType, paidType: what a hit is counted under
Labels = tuple[str, str, str]  # An empty one is not known.
OnUnknown = Callable[[str, str, str], None]  # brand, asset and address

_UNKNOWN: Key = ("", "", "", "")  # Stands for an asset that the catalogue does not know.


class KnownLabels:
    """The catalogue's labels, for one thread that has the table to itself.

    What is at hand lies in two layers. A layer that is full becomes the lower one, and what is not asked for while the
    next one fills goes with it; so what is asked for stays, and an answer costs one look into a dict.
    """

    def __init__(
        self, table: Table, *, assets_max: int = ASSETS_AT_HAND_MAX, on_unknown: OnUnknown | None = None
    ) -> None:
        self._table = table
        self._layer_max = max(assets_max // 2, 1)
        self._on_unknown = on_unknown
        self._has_any: dict[str, bool] = {}
        self._upper: dict[str, dict[str, Key]] = {}
        self._lower: dict[str, dict[str, Key]] = {}
        self._count = 0  # of assets in the upper layer
        # The few labels that there are stand in memory once, however many assets have them.
        self._once: dict[Labels, Labels] = {}

    def has_any(self, brand: str) -> bool:
        """Tell whether anything was ever put into the brand's catalogue."""
        known = self._has_any.get(brand)
        if known is None:
            if len(self._has_any) >= BRANDS_AT_HAND_MAX:
                self._has_any.clear()
            known = self._has_any[brand] = self.version(brand) > 0
        return known

    def version(self, brand: str) -> int:
        """Return the number of the catalogue's last change; 0 when nothing was ever put."""
        item = self._table.get(keys.version(brand))
        return 0 if item is None else number_from(item)

    def of(self, brand: str, asset: str) -> Labels | None:
        """Return the labels that the catalogue has for an asset; None when it does not know the asset."""
        found = self._upper.get(brand, {}).get(asset) or self._looked_up(brand, asset)
        return None if found is _UNKNOWN else found[1:]

    @overload
    def labelled(self, brand: str, hits: list[Key]) -> list[Key]: ...
    @overload
    def labelled(self, brand: str, hits: Sequence[Key]) -> Sequence[Key]: ...
    def labelled(self, brand: str, hits: Sequence[Key]) -> Sequence[Key]:
        """Return what hits are counted under: the catalogue's labels win, and one that it lacks stays as sent."""
        if not self.has_any(brand):
            return hits
        at_hand = self._upper.get(brand, {})
        try:
            found = [at_hand[key[0]] for key in hits]
        except KeyError:
            found = [self._upper.get(brand, {}).get(key[0]) or self._looked_up(brand, key[0]) for key in hits]
        # Most assets have every label, and the tuple that is kept serves all of their hits.
        return [
            one if one[1] and one[2] and one[3] else _completed(one, key) for one, key in zip(found, hits, strict=True)
        ]

    @property
    def wants_addresses(self) -> bool:
        """Tell whether somebody wants to hear of assets that are hit and not known."""
        return self._on_unknown is not None

    def notice(self, brand: str, seen: Iterable[tuple[str, str]]) -> None:
        """Tell of those assets, each with its address, that the catalogue does not know."""
        if self._on_unknown is not None:
            for asset, address in seen:
                if self.of(brand, asset) is None:
                    self._on_unknown(brand, asset, address)

    def forget(self, brand: str, assets: Iterable[str]) -> None:
        """Look these assets up again when they are next asked for, because they were written."""
        self._has_any.pop(brand, None)
        upper, lower = self._upper.get(brand, {}), self._lower.get(brand, {})
        for asset in assets:
            self._count -= upper.pop(asset, None) is not None
            lower.pop(asset, None)

    def forget_all(self) -> None:
        """Look everything up again, because it is not known what was written."""
        self._has_any.clear()
        self._upper, self._lower, self._count = {}, {}, 0

    def _looked_up(self, brand: str, asset: str) -> Key:
        """Return what the lower layer or the table has, and keep it at hand."""
        found = self._lower.get(brand, {}).get(asset)
        if found is None:
            item = self._table.get(keys.asset(brand, asset))
            found = _UNKNOWN if item is None else (asset, *self._only_once(labels_from_item(item)))
        if self._count >= self._layer_max:
            self._lower, self._upper, self._count = self._upper, {}, 0
        self._upper.setdefault(brand, {})[asset] = found
        self._count += 1
        return found

    def _only_once(self, labels: Labels) -> Labels:
        if len(self._once) >= self._layer_max:
            self._once.clear()
        return self._once.setdefault(labels, labels)


def _completed(known: Key, sent: Key) -> Key:
    """Return a hit's key with the labels that are known, and those that were sent where they are not."""
    if known is _UNKNOWN:
        return sent
    return sent[0], known[1] or sent[1], known[2] or sent[2], known[3] or sent[3]
