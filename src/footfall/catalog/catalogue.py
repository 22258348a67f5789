"""The catalogue of a brand's assets, kept in a table: written whole, found by id, author, tag and time.

An asset is one item. Links lead to it from its authors, its tags and the moment it was published. An intent names
everything that a change touches before it begins; whoever writes next finishes what was cut short. So a crash
between any two writes leaves nothing that stays wrong (docs/formats/catalog.md).
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import islice

from footfall.catalog import keys
from footfall.catalog.asset import Asset
from footfall.catalog.edits import Edits, whole_from
from footfall.catalog.items import asset_from_item, item_from_asset, number_from, pairs_from, texts_from
from footfall.ports.table import (
    BATCH_ITEMS_MAX,
    Absent,
    Condition,
    Delete,
    Equals,
    Found,
    Item,
    Key,
    Put,
    Table,
    Update,
    everything,
)
from footfall.values.clock import Clock

# What one intent names. Twice seventy names of 128 bytes each for every asset still fit into one item.
ASSETS_PER_CHANGE = 16
ASSETS_TOGETHER = 1_000  # Written in one transaction where there are any: some ten thousand rows.
CHANGES_KEPT_MS = 86_400_000  # A reader that was away for longer reads everything anew.

Links = frozenset[Key]


class Catalogue:
    """What is known of the assets of every brand. A brand has one writer at a time; anybody may read."""

    def __init__(self, table: Table, clock: Clock) -> None:
        self._table = table
        self._clock = clock

    def put(self, brand: str, assets: Sequence[Asset]) -> None:
        """Write assets whole, in the place of what was known of them; of two with one id the later stays."""
        self._write(brand, {asset.id: asset for asset in assets})

    def delete(self, brand: str, ids: Sequence[str]) -> int:
        """Forget assets; return how many of them were known."""
        known = [asset_id for asset_id in dict.fromkeys(ids) if self._item(brand, asset_id) is not None]
        self._write(brand, dict.fromkeys(known))
        return len(known)

    def get(self, brand: str, ids: Sequence[str]) -> dict[str, Asset]:
        """Return those of the assets that are known, by id."""
        found = ((asset_id, self._item(brand, asset_id)) for asset_id in dict.fromkeys(ids) if asset_id)
        return {asset_id: asset_from_item(asset_id, item) for asset_id, item in found if item is not None}

    def page(self, brand: str, after: str, limit: int) -> list[Asset]:
        """Return up to so many assets in the order of their ids, those after an id; an empty one begins."""
        found: list[Found] = []
        last = keys.asset(brand, after) if after else None
        while len(found) < limit:
            page = self._table.query(keys.assets_partition(brand), after=last, limit=limit - len(found))
            found.extend(page.items)
            last = page.after
            if last is None:
                break
        return [asset_from_item(one.key.sort, one.item) for one in found]

    def members(
        self, brand: str, *, author: str = "", tag: str = "", published_after_ms: int | None = None
    ) -> frozenset[str]:
        """Return the ids of the assets that match all that is given; published then or later."""
        sets: list[frozenset[str]] = []
        if author:
            sets.append(self._linked(keys.author_partition(brand, author)))
        if tag and all(sets):
            sets.append(self._linked(keys.tag_partition(brand, tag)))
        if published_after_ms is not None and all(sets):
            from_text = keys.moment_text(max(published_after_ms, 0))
            links = everything(self._table, keys.published_partition(brand), at_least=from_text)
            sets.append(frozenset(keys.id_from_published(found.key) for found in links))
        if not sets:
            return self._linked(keys.assets_partition(brand))
        return sets[0].intersection(*sets[1:])

    def published(self, brand: str) -> list[tuple[int, str]]:
        """Return every asset of which it is known when it was published, with that moment, the earliest first."""
        links = everything(self._table, keys.published_partition(brand))
        return [(keys.moment_from_published(one.key), keys.id_from_published(one.key)) for one in links]

    def version(self, brand: str) -> int:
        """Return a number that grows with every change; 0 when nothing was ever put."""
        item = self._table.get(keys.version(brand))
        return 0 if item is None else number_from(item)

    def versions(self, brand: str) -> tuple[int, int]:
        """Return the version, and a number that grows with everything that editors do to the brand's lists."""
        item = self._table.get(keys.version(brand))
        return (0, 0) if item is None else (number_from(item), whole_from(item, "edits"))

    @property
    def edits(self) -> Edits:
        """Return what editors have done to lists."""
        return Edits(self._table)

    def changed_since(self, brand: str, version: int) -> frozenset[str] | None:
        """Return the assets that changed after a version; None when that is not known any more."""
        now = self.version(brand)
        if version >= now:
            return frozenset()
        first, last = keys.change(brand, version + 1).sort, keys.change(brand, now).sort
        ids: set[str] = set()
        count = 0
        for found in everything(self._table, keys.changes_partition(brand), at_least=first, at_most=last):
            ids.update(texts_from(found.item.get("ids")))
            count += 1
        return frozenset(ids) if count == now - version else None

    def finish(self, brand: str) -> None:
        """Finish a change that was cut short, if there is one."""
        item = self._table.get(keys.intent(brand))
        if item is None:
            return
        ids = list(texts_from(item.get("ids")))
        touched = {Key(partition, sort) for partition, sort in pairs_from(item.get("links"))}
        with self._table.together():
            known = {asset_id: self._known(brand, asset_id) for asset_id in ids}
            wanted = {link for asset in known.values() if asset is not None for link in links_of(brand, asset)}
            self._write_items([*(Put(link, {}) for link in wanted), *(Delete(link) for link in touched - wanted)])
            self._conclude(brand, ids)

    def _write(self, brand: str, assets: Mapping[str, Asset | None]) -> None:
        """Write assets, or remove those that are None, many in each transaction and few under each intent."""
        self.finish(brand)
        is_new = self.version(brand) == 0  # Then there is nothing to look for.
        todo = iter(assets.items())
        while group := dict(islice(todo, ASSETS_TOGETHER)):
            with self._table.together():
                of_group = iter(group.items())
                while few := dict(islice(of_group, ASSETS_PER_CHANGE)):
                    self._change(brand, few, known={} if is_new else {one: self._known(brand, one) for one in few})

    def _change(self, brand: str, assets: Mapping[str, Asset | None], *, known: Mapping[str, Asset | None]) -> None:
        """Make one change. Links come before what they lead to and go after it, and the version is last."""
        before = _all_links(brand, known.values())
        after = _all_links(brand, assets.values())
        touched = sorted(before ^ after)
        named: Item = {"ids": list(assets), "links": [[link.partition, link.sort] for link in touched]}
        self._table.put(Put(keys.intent(brand), named))
        self._write_items([Put(link, {}) for link in sorted(after - before)])
        self._write_items(
            [
                Delete(keys.asset(brand, asset_id))
                if asset is None
                else Put(keys.asset(brand, asset_id), item_from_asset(asset))
                for asset_id, asset in assets.items()
            ]
        )
        self._write_items([Delete(link) for link in sorted(before - after)])
        self._conclude(brand, list(assets))

    def _conclude(self, brand: str, ids: Sequence[str]) -> None:
        """Tell readers of a change that has been written."""
        item = self._table.get(keys.version(brand))
        number = 0 if item is None else number_from(item)
        # What editors do is told in the same item, which may so be there before the first asset is.
        expects: list[Condition] = [Absent()] if item is None else [Equals("number", number)]
        expires_at_ms = self._clock.now_ms() + CHANGES_KEPT_MS
        self._table.put(Put(keys.change(brand, number + 1), {"ids": list(ids)}, expires_at_ms=expires_at_ms))
        self._table.update(Update(keys.version(brand), set={"number": number + 1}, expects=expects))
        self._table.delete(Delete(keys.intent(brand)))

    def _write_items(self, actions: Sequence[Put | Delete]) -> None:
        for start in range(0, len(actions), BATCH_ITEMS_MAX):
            self._table.write(actions[start : start + BATCH_ITEMS_MAX])

    def _item(self, brand: str, asset_id: str) -> Item | None:
        return self._table.get(keys.asset(brand, asset_id))

    def _known(self, brand: str, asset_id: str) -> Asset | None:
        item = self._item(brand, asset_id)
        return None if item is None else asset_from_item(asset_id, item)

    def _linked(self, partition: str) -> frozenset[str]:
        return frozenset(found.key.sort for found in everything(self._table, partition))


def links_of(brand: str, asset: Asset) -> Iterator[Key]:
    """Yield the keys of the links that lead to an asset."""
    for author in asset.authors:
        yield Key(keys.author_partition(brand, author), asset.id)
    for tag in asset.tags:
        yield Key(keys.tag_partition(brand, tag), asset.id)
    if asset.published_ms is not None:
        yield keys.published(brand, asset.published_ms, asset.id)


def _all_links(brand: str, assets: Iterable[Asset | None]) -> Links:
    return frozenset(link for asset in assets if asset is not None for link in links_of(brand, asset))
