"""The answer to "what is popular?": the list, what is proven of it, and its bytes.

`exact` is a proof, not a hope: it is said only when no hit that the rows do not tell of could change the members,
their order or a printed count.
"""

from dataclasses import dataclass
from functools import lru_cache

import msgspec
import numpy as np
from msgspec import UNSET, UnsetType
from numpy.typing import NDArray
from xxhash import xxh3_64_hexdigest

from footfall.flow.serve.board import Board
from footfall.flow.serve.directory import Directory
from footfall.flow.serve.leading import Picked, picked
from footfall.flow.serve.listing import Candidates, leaders, shown_slices
from footfall.flow.serve.query import LIMIT_MAX, PopularQuery, canonical
from footfall.flow.serve.sheets import Bounds, Sheet
from footfall.flow.store.columns import Slice
from footfall.values.window import instant_text

SAFE_NUMBER_MAX = 2**53  # Beyond it, JSON readers that know only floats change a number.


@dataclass(frozen=True, slots=True)
class Answer:
    """An answer as bytes, with what a server needs to send it and a cache to keep it."""

    body: bytes
    etag: str  # with its quotes, as the header has it
    max_age_s: int
    canonical: str
    exact: bool


class _Item(msgspec.Struct, gc=False, rename="camel"):
    """One entry of the list, in the order of its JSON."""

    rank: int
    change: int | None
    asset_id: str
    hits: int
    hits_at_most: int | UnsetType
    section_id: int | str | None
    resource_type: str | None
    paid_type: str | None


class _Body(msgspec.Struct):
    """The whole answer, in the order of its JSON."""

    brand: str
    period: str
    from_: str = msgspec.field(name="from")
    to: str
    exact: bool
    revision: str | UnsetType
    final: bool | UnsetType
    items: list[_Item]


@dataclass(frozen=True, slots=True)
class _Proof:
    """Whether the list is proven, and by how much each listed asset may be off."""

    is_exact: bool
    uncertainty: list[int]


def popular(board: Board, query: PopularQuery) -> Answer:
    """Return the most popular assets that the question asks for."""
    sheet = board.sheet(query.period, closed=query.closed, previous=False)
    directory = board.directory
    is_asked = directory.slices.matching(query)
    listed, slices, proof = _listed(directory, sheet, is_asked, query.limit)
    before = board.sheet(query.period, closed=query.closed, previous=True)
    earlier = _earlier(directory, before, is_asked)
    body = _Body(
        brand=query.brand,
        period=query.period,
        from_=instant_text(sheet.span.from_ms),
        to=instant_text(sheet.span.to_ms),
        exact=proof.is_exact,
        revision="" if query.closed else UNSET,
        final=board.is_final(sheet.span) if query.closed else UNSET,
        items=_items(board, listed, earlier, slices, proof),
    )
    return _answer(body, max_age_s=board.periods[query.period].cache_s, canonical_text=canonical(query))


def _listed(
    directory: Directory, sheet: Sheet, is_asked: NDArray[np.bool_] | None, limit: int
) -> tuple[list[tuple[int, int]], dict[int, int], _Proof]:
    """Return the assets of the list with their hits, the slices they are shown with, and the proof."""
    totals = sheet.totals(directory.rows)
    bounds = sheet.bounds(directory)
    if not bounds.is_cut and not bounds.other:
        found = _picked(directory, sheet, is_asked, limit)
        if found is not None:
            slices = dict(zip(found.assets, directory.row_slice[found.rows].tolist(), strict=True))
            return list(zip(found.assets, found.hits, strict=True)), slices, _Proof(is_exact=True, uncertainty=[])
    rows = None if is_asked is None else np.flatnonzero(is_asked[directory.row_slice])
    among = Candidates(directory, totals, rows)
    listed = leaders(directory, among, limit)
    proof = _proof(bounds, is_asked, among, listed=listed, limit=limit)
    return listed, shown_slices(directory, totals, rows, [asset for asset, _ in listed]), proof


def _earlier(directory: Directory, sheet: Sheet, is_asked: NDArray[np.bool_] | None) -> list[int]:
    """Return the assets of the previous list, as long as a list can be."""
    found = _picked(directory, sheet, is_asked, LIMIT_MAX)
    if found is not None:
        return found.assets
    rows = None if is_asked is None else np.flatnonzero(is_asked[directory.row_slice])
    among = Candidates(directory, sheet.totals(directory.rows), rows)
    return [asset for asset, _ in leaders(directory, among, LIMIT_MAX)]


def _picked(directory: Directory, sheet: Sheet, is_asked: NDArray[np.bool_] | None, limit: int) -> Picked | None:
    lead = sheet.leading(directory)
    return None if lead is None else picked(directory, lead, sheet.totals(directory.rows), is_asked, limit)


def _answer(body: _Body, *, max_age_s: int, canonical_text: str) -> Answer:
    data = msgspec.json.encode(body)
    if body.revision is not UNSET:
        # Drawn from everything else in the answer, so that one revision is always the same bytes.
        body.revision = xxh3_64_hexdigest(data)
        data = msgspec.json.encode(body)
    return Answer(
        body=data,
        etag=f'"{xxh3_64_hexdigest(data)}"',
        max_age_s=max_age_s,
        canonical=canonical_text,
        exact=body.exact,
    )


def _proof(
    bounds: Bounds,
    is_asked: NDArray[np.bool_] | None,
    found: Candidates,
    *,
    listed: list[tuple[int, int]],
    limit: int,
) -> _Proof:
    if not bounds.is_cut and not bounds.other:
        return _Proof(is_exact=True, uncertainty=[])
    per_unit = bounds.per_unit(is_asked)
    uncertainty = bounds.uncertainty(np.array([asset for asset, _ in listed], np.uint32), per_unit)
    # An asset that is missing everywhere, and may not even be known here, can have as many as this.
    unseen_max = bounds.other + int(per_unit.sum())
    is_exact = unseen_max == 0 or (
        len(listed) == limit
        and unseen_max < listed[-1][1]
        and not uncertainty.any()
        and not _may_overtake(bounds, per_unit, found, listed, unseen_max)
    )
    return _Proof(is_exact=is_exact, uncertainty=uncertainty.tolist())


def _may_overtake(
    bounds: Bounds,
    per_unit: NDArray[np.int64],
    found: Candidates,
    listed: list[tuple[int, int]],
    unseen_max: int,
) -> bool:
    """Tell whether an asset that is not listed can have as many hits as the last one that is."""
    last_hits = listed[-1][1]
    near = np.flatnonzero(found.hits >= last_hits - unseen_max)
    uncertainty = bounds.uncertainty(found.assets(near), per_unit)
    # The listed ones are among these, and certain; so is any other with no uncertainty, whose place is known.
    return bool(((uncertainty > 0) & (found.hits[near] + uncertainty >= last_hits)).any())


def _items(
    board: Board,
    listed: list[tuple[int, int]],
    earlier: list[int],
    slices: dict[int, int],
    proof: _Proof,
) -> list[_Item]:
    directory = board.directory
    rank_before = {asset: rank for rank, asset in enumerate(earlier, start=1)}
    items: list[_Item] = []
    for rank, (asset, hits) in enumerate(listed, start=1):
        before = rank_before.get(asset)
        change = None if before is None else before - rank
        hits_at_most = UNSET if proof.is_exact else hits + proof.uncertainty[rank - 1]
        # By position, because this runs a hundred times for each of a thousand answers a second.
        labels = _shown_labels(directory.slices[slices[asset]])
        items.append(_Item(rank, change, directory.asset_name(asset), hits, hits_at_most, *labels))
    return items


@lru_cache(maxsize=10_000)
def _shown_labels(labels: Slice) -> tuple[int | str | None, str | None, str | None]:
    return _section(labels.section), labels.resource_type or None, labels.paid_type or None


def _section(text: str) -> int | str | None:
    """Return a section as it was most likely sent: as a number when its text is exactly a number's."""
    if not text:
        return None
    if text.isascii() and text.isdecimal() and len(text) <= 16 and (text[0] != "0" or text == "0"):
        number = int(text)
        return number if number < SAFE_NUMBER_MAX else text
    return text
