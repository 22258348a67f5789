"""The answer to "what is popular?": the list, what is proven of it, and its bytes.

`exact` is a proof, not a hope: it is said only when no hit that the rows do not tell of could change the members,
their order or a printed count.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache

import msgspec
import numpy as np
from msgspec import UNSET, UnsetType
from numpy.typing import NDArray
from xxhash import xxh3_64_hexdigest

from footfall.catalog.asset import Asset
from footfall.catalog.edits import NO_ACTS, Acts
from footfall.flow.serve.answer import Answer, answer_from, columns_of
from footfall.flow.serve.directory import Directory
from footfall.flow.serve.editing import Arranged, Counted, Pinned, arranged, hidden_of, pins_of
from footfall.flow.serve.leading import NOBODY, Picked, picked
from footfall.flow.serve.listing import Candidates, leaders, shown_slices
from footfall.flow.serve.members import matches
from footfall.flow.serve.proof import CERTAIN, Listed, Proof, proof_of
from footfall.flow.serve.query import LIMIT_MAX, PopularQuery
from footfall.flow.serve.sheets import Sheet
from footfall.flow.serve.view import View, Viewed
from footfall.flow.serve.wanted import Wanted, wanted
from footfall.flow.serve.words import Words
from footfall.flow.store.columns import Slice
from footfall.native import list_rows
from footfall.values.window import instant_text

SAFE_NUMBER_MAX = 2**53  # Beyond it, JSON readers that know only floats change a number.
NO_WORDS = Words(lambda: None)

WordsShown = tuple[str | UnsetType, str | UnsetType, str | UnsetType, str | UnsetType]
NOTHING_KNOWN: WordsShown = (UNSET, UNSET, UNSET, UNSET)


class _Item(msgspec.Struct, gc=False, rename="camel"):
    """One entry of the list, in the order of its JSON."""

    rank: int | None  # None of a pinned one that was not counted
    change: int | None
    asset_id: str
    hits: int
    hits_at_most: int | UnsetType
    section_id: int | str | None
    resource_type: str | None
    paid_type: str | None
    title: str | UnsetType = UNSET
    address: str | UnsetType = UNSET
    image: str | UnsetType = UNSET
    published: str | UnsetType = UNSET
    pinned: bool | UnsetType = UNSET


_COLUMNS = columns_of(_Item)


class _Labels(msgspec.Struct, rename="camel"):
    """What an entry ends with when the catalogue knows nothing of its asset."""

    section_id: int | str | None
    resource_type: str | None
    paid_type: str | None


class _Body(msgspec.Struct):
    """The whole answer, in the order of its JSON."""

    brand: str
    period: str | UnsetType
    from_: str = msgspec.field(name="from")
    to: str
    exact: bool
    kept_since: str | UnsetType = msgspec.field(name="keptSince")
    revision: str | UnsetType
    final: bool | UnsetType
    hidden: int | UnsetType
    items: list[_Item]


_END = b"]}"  # Entries are the last of an answer.


@dataclass(frozen=True, slots=True)
class _List:
    """The assets of a list with their hits, the slices they are shown with, what is proven and what is known."""

    listed: Listed
    names: Sequence[str]
    slices: Mapping[int, int]
    proof: Proof
    known: Mapping[str, Asset | None]


@dataclass(frozen=True, slots=True)
class _Edit:
    """What editors make of a list."""

    order: Arranged
    pinned: frozenset[str]
    below: Mapping[str, Pinned]  # pinned ones that are further down than was counted for the list
    known: Mapping[str, Asset | None]  # what the catalogue knows of pinned ones
    is_proven: bool

    @property
    def hidden(self) -> int:
        """Return how many assets the list leaves out."""
        return self.order.hidden


def popular(board: Viewed, query: PopularQuery, words: Words = NO_WORDS) -> Answer:
    """Return the most popular assets that the question asks for."""
    view = board.view(query)
    asked = wanted(view.directory, query, words.members(query))
    acts = words.acts(query.brand) if query.edited else NO_ACTS
    written = None if acts or words.knows(query.brand) else _written(view, asked, query.limit)
    if written is not None:
        body = _body(view, query, [], exact=view.kept_since_ms is None)
        return _answer(body, max_age_s=view.max_age_s, written=written)
    edit: _Edit | None = None
    if acts:
        found, asked, edit = _edited(view, query, asked, words, acts)
    else:
        found, asked = _found(view, query, asked, words, query.limit)
    earlier: list[int] = [] if view.before is None else _earlier(view.directory, view.before, asked).tolist()
    has_all = view.kept_since_ms is None or asked.is_nothing
    is_proven = found.proof.is_exact and (edit is None or edit.is_proven)
    ranks_before = {asset: rank for rank, asset in enumerate(earlier, start=1)}
    items = _items(view.directory, found, ranks_before, is_open=has_all and not is_proven)
    if edit is not None:
        items = _arranged(view.directory, items, edit, ranks_before, is_open=has_all and not is_proven)
    hidden = 0 if edit is None else edit.hidden
    return _answer(_body(view, query, items, exact=is_proven and has_all, hidden=hidden), max_age_s=view.max_age_s)


def _body(view: View, query: PopularQuery, items: list[_Item], *, exact: bool, hidden: int = 0) -> _Body:
    return _Body(
        brand=query.brand,
        period=query.period or UNSET,
        from_=instant_text(view.sheet.span.from_ms),
        to=instant_text(view.sheet.span.to_ms),
        exact=exact,
        kept_since=UNSET if view.kept_since_ms is None else instant_text(view.kept_since_ms),
        revision=UNSET if view.final is None else "",
        final=UNSET if view.final is None else view.final,
        hidden=hidden or UNSET,
        items=items,
    )


def _written(view: View, asked: Wanted, limit: int) -> bytes | None:
    """Return the entries of a list as bytes, where they are proven and nothing is known but counts; else None."""
    directory, sheet = view.directory, view.sheet
    bounds = sheet.bounds(directory, shows_others=asked.shows_others)
    if list_rows is None or bounds.is_cut or bounds.other or asked.unseen is not None:
        return None
    found = _picked(directory, sheet, asked, limit)
    if found is None:
        return None
    before = NOBODY.assets if view.before is None else _earlier(directory, view.before, asked)
    slices, tails = directory.row_slice.take(found.rows), directory.slices.written(_tail)
    return list_rows.items(found.assets, found.hits, slices, before, *directory.ids, tails)


def _edited(view: View, query: PopularQuery, asked: Wanted, words: Words, acts: Acts) -> tuple[_List, Wanted, _Edit]:
    """Return the list as far down as it takes to fill its places, what was asked for, and what editors make of it."""
    pins, hidden = pins_of(query, acts), hidden_of(query, acts)
    shown = words.shown(query.brand, [pin.asset for pin in pins]) or {}
    known = {pin.asset: shown.get(pin.asset) for pin in pins}
    counted = Counted(view.directory, view.sheet, query, asked)
    places = [(pin.place, pin.asset) for pin in pins if counted.may_stand(pin, known[pin.asset])]
    limit = query.limit
    while True:
        found, asked = _found(view, query, asked, words, limit)
        is_all = len(found.names) < limit
        order = arranged(found.names, places, hidden, limit=query.limit, is_all=is_all)
        if is_all or len(order.names) == query.limit:
            break
        limit += query.limit - len(order.names)
    counted, listed = Counted(view.directory, view.sheet, query, asked), set(found.names)
    below = {name: counted.pinned(name, known[name]) for name in order.names if name not in listed}
    pinned = frozenset(name for _, name in places)
    return found, asked, _Edit(order, pinned, below, known, is_proven=not below or counted.is_proven)


def _found(view: View, query: PopularQuery, asked: Wanted, words: Words, limit: int) -> tuple[_List, Wanted]:
    """Return the list, and what was asked for without assets that only share an ident with one that is."""
    while True:
        found, slices, proof = listed(view.directory, view.sheet, asked, limit)
        names = [view.directory.asset_name(asset) for asset, _ in found]
        known = words.shown(query.brand, names) or {}
        strange = [] if asked.unseen is None else _strange(found, names, known, query)
        if not strange:
            return _List(found, names, slices, proof, known), asked
        assert asked.assets is not None
        assets = asked.assets.copy()
        assets[strange] = False
        asked = replace(asked, assets=assets)


def _strange(listed: Listed, names: Sequence[str], known: Mapping[str, Asset | None], query: PopularQuery) -> list[int]:
    return [asset for (asset, _), name in zip(listed, names, strict=True) if not matches(known.get(name), query)]


def listed(directory: Directory, sheet: Sheet, asked: Wanted, limit: int) -> tuple[Listed, Mapping[int, int], Proof]:
    """Return the assets of the list with their hits, the slices they are shown with, and the proof."""
    totals = sheet.totals(directory.rows)
    bounds = sheet.bounds(directory, shows_others=asked.shows_others)
    if not bounds.is_cut and not bounds.other:
        found = _picked(directory, sheet, asked, limit)
        if found is not None:
            assets = found.assets.tolist()
            slices = dict(zip(assets, directory.row_slice.take(found.rows).tolist(), strict=True))
            return list(zip(assets, found.hits.tolist(), strict=True)), slices, CERTAIN
    rows = asked.rows(directory)
    among = Candidates(directory, totals, rows)
    first = leaders(directory, among, limit)
    proof = proof_of(bounds, asked, among, listed=first, limit=limit)
    return first, shown_slices(directory, totals, rows, [asset for asset, _ in first]), proof


def _earlier(directory: Directory, sheet: Sheet, asked: Wanted) -> NDArray[np.uint32]:
    """Return the assets of the previous list, as long as a list can be."""
    found = _picked(directory, sheet, asked, LIMIT_MAX)
    if found is not None:
        return found.assets
    among = Candidates(directory, sheet.totals(directory.rows), asked.rows(directory))
    return np.array([asset for asset, _ in leaders(directory, among, LIMIT_MAX)], np.uint32)


def _picked(directory: Directory, sheet: Sheet, asked: Wanted, limit: int) -> Picked | None:
    lead = sheet.leading(directory, asked.labels)
    return None if lead is None else picked(directory, lead, sheet.totals(directory.rows), asked, limit)


def _answer(body: _Body, *, max_age_s: int, written: bytes = b"") -> Answer:
    data = _data(body, written)
    if body.revision is not UNSET:
        # Drawn from everything else in the answer, so that one revision is always the same bytes.
        body.revision = xxh3_64_hexdigest(data)
        data = _data(body, written)
    return answer_from(data, max_age_s=max_age_s, exact=body.exact, columns=_COLUMNS)


def _data(body: _Body, written: bytes) -> bytes:
    """Return the bytes of an answer; entries that are written are put where it ends, in a list that is empty."""
    data = msgspec.json.encode(body)
    return data.removesuffix(_END) + written + _END if written else data


def _items(directory: Directory, found: _List, ranks_before: Mapping[int, int], *, is_open: bool) -> list[_Item]:
    uncertainty = found.proof.uncertainty
    items: list[_Item] = []
    for rank, ((asset, hits), name) in enumerate(zip(found.listed, found.names, strict=True), start=1):
        before = ranks_before.get(asset)
        change = None if before is None else before - rank
        hits_at_most = hits + uncertainty[rank - 1] if is_open else UNSET
        # By position, because this runs a hundred times for each of a thousand answers a second.
        labels = labels_shown(directory.slices[found.slices[asset]])
        known = found.known.get(name)
        more = NOTHING_KNOWN if known is None else words_shown(known)
        items.append(_Item(rank, change, name, hits, hits_at_most, *labels, *more))
    return items


def _arranged(
    directory: Directory, counted: Sequence[_Item], edit: _Edit, ranks_before: Mapping[int, int], *, is_open: bool
) -> list[_Item]:
    """Return the entries of an edited list, with those that are pinned from further down."""
    by_name = {item.asset_id: item for item in counted}
    for name, one in edit.below.items():
        asset = directory.asset_of(name)
        before = None if asset is None else ranks_before.get(asset)
        change = None if before is None or one.rank is None else before - one.rank
        hits_at_most = one.hits + one.missed if is_open else UNSET
        known = edit.known[name]
        more = NOTHING_KNOWN if known is None else words_shown(known)
        by_name[name] = _Item(one.rank, change, name, one.hits, hits_at_most, *labels_shown(one.labels), *more)
    items = [by_name[name] for name in edit.order.names]
    for item in items:
        if item.asset_id in edit.pinned:
            item.pinned = True
    return items


def words_shown(asset: Asset) -> WordsShown:
    """Return what a list shows of an asset that the catalogue knows: title, address, image, time of publishing."""
    published = UNSET if asset.published_ms is None else instant_text(asset.published_ms)
    return asset.title or UNSET, asset.address or UNSET, asset.image or UNSET, published


@lru_cache(maxsize=10_000)
def labels_shown(labels: Slice) -> tuple[int | str | None, str | None, str | None]:
    """Return section, resource type and paid type as lists show them."""
    return section_shown(labels.section), labels.resource_type or None, labels.paid_type or None


def _tail(labels: Slice) -> bytes:
    """Return the end of an entry with these labels."""
    return b"," + msgspec.json.encode(_Labels(*labels_shown(labels))).removeprefix(b"{")


def section_shown(text: str) -> int | str | None:
    """Return a section as it was most likely sent: as a number when its text is exactly a number's."""
    if not text:
        return None
    if text.isascii() and text.isdecimal() and len(text) <= 16 and (text[0] != "0" or text == "0"):
        number = int(text)
        return number if number < SAFE_NUMBER_MAX else text
    return text
