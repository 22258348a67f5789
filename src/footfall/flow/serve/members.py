"""Which assets have an author, a tag, or were published since a moment: one brand's, in idents, as they were asked for.

What was read once follows the catalogue's changes asset by asset. Each name is kept by itself, and all moments in one
order of time, so that any combination of them is put together without another look into the catalogue.
"""

from collections.abc import Callable, Collection, Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from footfall.catalog.asset import Asset
from footfall.catalog.catalogue import Catalogue
from footfall.flow.serve.query import PopularQuery
from footfall.flow.store.columns import ident_of

NAME_COST = 50  # What a name costs besides its idents, in idents of eight bytes.

Idents = NDArray[np.uint64]


class Members:
    """What the catalogue's filters let through, of one brand."""

    def __init__(self) -> None:
        self._authors: dict[str, Idents] = {}
        self._tags: dict[str, Idents] = {}
        self._published: tuple[NDArray[np.int64], Idents] | None = None
        self.cost = 0  # what is kept, in idents of eight bytes; changes may make it a little more

    def matching(self, query: PopularQuery, catalogue: Catalogue) -> Idents:
        """Return the assets that have any of the authors, any of the tags, and were published late enough."""
        brand, found = query.brand, list[Idents]()
        if query.authors:
            found.append(self._any_of(query.authors, self._authors, lambda one: catalogue.members(brand, author=one)))
        if query.tags:
            found.append(self._any_of(query.tags, self._tags, lambda one: catalogue.members(brand, tag=one)))
        if query.published_after_ms is not None:
            found.append(self._published_since(query.published_after_ms, brand, catalogue))
        both = found[0]
        for one in found[1:]:
            both = np.intersect1d(both, one, assume_unique=True)
        return both

    def follow(self, changed: Collection[str], assets: Mapping[str, Asset]) -> None:
        """Take in assets that changed; those that are not known any more are gone."""
        idents = _idents(changed)
        _follow_names(self._authors, idents, [(one.id, one.authors) for one in assets.values()])
        _follow_names(self._tags, idents, [(one.id, one.tags) for one in assets.values()])
        if self._published is None:
            return
        moments, before = self._published
        stays = ~np.isin(before, idents)
        dated = [asset for asset in assets.values() if asset.published_ms is not None]
        moments = np.concatenate([moments[stays], np.array([one.published_ms for one in dated], np.int64)])
        before = np.concatenate([before[stays], np.array([ident_of(one.id) for one in dated], np.uint64)])
        order = np.argsort(moments, kind="stable")
        self._published = moments[order], before[order]

    def _any_of(self, names: Sequence[str], kept: dict[str, Idents], read: Callable[[str], Collection[str]]) -> Idents:
        for name in names:
            if name not in kept:
                kept[name] = _idents(read(name))
                self.cost += len(kept[name]) + NAME_COST
        return kept[names[0]] if len(names) == 1 else np.unique(np.concatenate([kept[name] for name in names]))

    def _published_since(self, moment_ms: int, brand: str, catalogue: Catalogue) -> Idents:
        if self._published is None:
            links = catalogue.published(brand)
            moments = np.fromiter((one[0] for one in links), np.int64, len(links))
            self._published = moments, np.fromiter((ident_of(one[1]) for one in links), np.uint64, len(links))
            self.cost += 2 * len(links)
        moments, idents = self._published
        return np.unique(idents[int(np.searchsorted(moments, moment_ms)) :])


def matches(asset: Asset | None, query: PopularQuery) -> bool:
    """Tell whether the catalogue's filters let the asset through."""
    if not query.asks_catalogue:
        return True
    after_ms = query.published_after_ms
    return (
        asset is not None
        and (not query.authors or not set(query.authors).isdisjoint(asset.authors))
        and (not query.tags or not set(query.tags).isdisjoint(asset.tags))
        and (after_ms is None or (asset.published_ms is not None and asset.published_ms >= after_ms))
    )


def _follow_names(kept: dict[str, Idents], changed: Idents, assets: Sequence[tuple[str, Sequence[str]]]) -> None:
    for name, before in kept.items():
        come = _idents([asset_id for asset_id, names in assets if name in names])
        if len(come) or np.isin(changed, before, assume_unique=True).any():
            kept[name] = np.union1d(np.setdiff1d(before, changed, assume_unique=True), come)


def _idents(ids: Collection[str]) -> Idents:
    return np.unique(np.fromiter((ident_of(one) for one in ids), np.uint64, len(ids)))
