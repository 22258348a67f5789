"""What the catalogue says of assets, for lists: which ones a filter lets through, and what is shown of those listed.

It is kept in memory and follows the catalogue's changes. Of a filter's assets only the idents are kept; an ident that
two ids share is found out when the asset is about to be listed, because then all that is known of it is at hand.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace

import numpy as np

from footfall.catalog.asset import Asset
from footfall.catalog.catalogue import Catalogue
from footfall.catalog.edits import NO_ACTS, Acts
from footfall.flow.serve.members import Idents, Members
from footfall.flow.serve.query import PopularQuery
from footfall.values.groups import brand_of_group

MEMBERS_MAX = 4_000_000  # of all brands together; eight bytes each
SHOWN_BYTES_MAX = 16_000_000  # of all brands together
ASSET_BYTES = 500  # What an asset costs besides its texts.
ACTS_KNOWN_MS = 60_000  # Then they are read again, of brands that ever had any.
CHANGED_MAX = 1_000  # Beyond it, reading anew costs less than looking at each.


@dataclass(slots=True)
class _BrandWords:
    """What was read of one brand's catalogue, all of one version, and of its editors' acts."""

    version: int
    edits: int = 0  # how many acts there had been when they were read
    acts: Acts = NO_ACTS
    acts_read_at_ms: int = 0
    acts_number: int = 0  # another one for other acts
    members: Members = field(default_factory=Members)
    shown: dict[str, Asset | None] = field(default_factory=dict[str, Asset | None])


class Words:
    """The catalogue as lists need it; without a catalogue nothing is known of any asset."""

    def __init__(self, opened: Callable[[], Catalogue | None], *, now_ms: Callable[[], int] = lambda: 0) -> None:
        self._opened = opened
        self._now_ms = now_ms  # Acts may have an end.
        self._acts_number = 0
        self._catalogue: Catalogue | None = None
        self._brands: dict[str, _BrandWords] = {}
        self._shown_bytes = 0

    def look(self, brand: str) -> int:
        """Bring what was read of the brand's catalogue up to date; return its version, 0 for an empty one."""
        if self._catalogue is None:
            self._catalogue = self._opened()
        version, edits = self._catalogue.versions(brand) if self._catalogue is not None else (0, 0)
        known = self._brands.get(brand)
        if known is None or (known.version != version and not self._follow(brand, known)):
            self.forget(brand)
            known = self._brands[brand] = _BrandWords(version)
        known.version = version
        if edits:
            self._look_at_acts(brand, known, edits)
        return version

    def acts(self, brand: str) -> Acts:
        """Return what editors have done to the brand's lists and not taken back, as it was at the last look."""
        acts = self._of(brand_of_group(brand)).acts
        return acts.at(self._now_ms()) if acts else acts

    def mark(self, brand: str) -> tuple[int, int]:
        """Return what is another one once acts have come, gone or ended since the last look."""
        return self._of(brand).acts_number, len(self.acts(brand))

    def changes(self) -> int:
        """Return a number that grows with every act in any brand, which tells in one read whether a look is due."""
        return self._catalogue.edits.changes() if self._catalogue is not None else 0

    def forget(self, brand: str) -> None:
        """Let go of what was read of the brand's catalogue."""
        known = self._brands.pop(brand, None)
        if known is not None:
            self._shown_bytes -= sum(map(_size, known.shown.values()))

    def members(self, query: PopularQuery) -> Idents | None:
        """Return the assets that the catalogue's filters let through, None when the question has none of them."""
        if not query.asks_catalogue:
            return None
        query = replace(query, brand=brand_of_group(query.brand))
        known = self._of(query.brand)
        if not known.version or self._catalogue is None:
            return np.empty(0, np.uint64)
        if sum(one.members.cost for one in self._brands.values()) > MEMBERS_MAX:
            # What is asked for comes back at once.
            for one in self._brands.values():
                one.members = Members()
        return known.members.matching(query, self._catalogue)

    def knows(self, brand: str) -> bool:
        """Tell whether the brand has a catalogue, which may know something of an asset."""
        return self._of(brand_of_group(brand)).version > 0 and self._catalogue is not None

    def shown(self, brand: str, ids: Sequence[str]) -> Mapping[str, Asset | None] | None:
        """Return what is known of the assets, None when the brand has no catalogue."""
        brand = brand_of_group(brand)
        known = self._of(brand)
        if not known.version or self._catalogue is None:
            return None
        if self._shown_bytes > SHOWN_BYTES_MAX:
            for one in self._brands.values():
                one.shown.clear()
            self._shown_bytes = 0
        missing = [one for one in ids if one not in known.shown]
        if missing:
            found = self._catalogue.get(brand, missing)
            for one in missing:
                known.shown[one] = found.get(one)
                self._shown_bytes += _size(known.shown[one])
        return known.shown

    def _look_at_acts(self, brand: str, known: _BrandWords, edits: int) -> None:
        """Read the acts when there is another one, and now and then: one may be there that was not told of."""
        now_ms = self._now_ms()
        if known.edits == edits and 0 <= now_ms - known.acts_read_at_ms < ACTS_KNOWN_MS:
            return
        assert self._catalogue is not None
        acts = self._catalogue.edits.acts(brand)
        if acts != known.acts:
            self._acts_number += 1
            known.acts, known.acts_number = acts, self._acts_number
        known.edits, known.acts_read_at_ms = edits, now_ms

    def _of(self, brand: str) -> _BrandWords:
        if brand not in self._brands:
            self.look(brand)
        return self._brands[brand]

    def _follow(self, brand: str, known: _BrandWords) -> bool:
        """Take in what changed in the catalogue, asset by asset; return whether that could be done."""
        if self._catalogue is None or not known.version:
            return False
        changed = self._catalogue.changed_since(brand, known.version)
        if changed is None or len(changed) > CHANGED_MAX:
            return False
        assets = self._catalogue.get(brand, sorted(changed))
        known.members.follow(changed, assets)
        for one in changed & known.shown.keys():
            self._shown_bytes += _size(assets.get(one)) - _size(known.shown[one])
            known.shown[one] = assets.get(one)
        return True


def _size(asset: Asset | None) -> int:
    if asset is None:
        return ASSET_BYTES
    texts = (asset.id, asset.title, asset.address, asset.image, *asset.authors, *asset.tags)
    return ASSET_BYTES + sum(map(len, texts))
