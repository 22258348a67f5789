"""The answer to "what rises?": assets with the numbers behind each rank."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import msgspec
import numpy as np
from msgspec import UNSET, UnsetType
from numpy.typing import NDArray

from footfall.catalog.asset import Asset
from footfall.flow.serve.answer import Answer, answer_from
from footfall.flow.serve.directory import Directory
from footfall.flow.serve.editing import hidden_of
from footfall.flow.serve.listing import shown_slices
from footfall.flow.serve.members import matches
from footfall.flow.serve.popular import labels_shown, words_shown
from footfall.flow.serve.query import HITS, PopularQuery
from footfall.flow.serve.rise_view import RiseView, RiseWindow
from footfall.flow.serve.rises import Hits, Rises, asked_of, risen, rises
from footfall.flow.serve.sheets import Contribution
from footfall.flow.serve.wanted import Wanted, wanted
from footfall.flow.serve.words import Words
from footfall.values.window import instant_text

CACHE_S = 30
SHOWN_DIGITS = 1


class _Item(msgspec.Struct, rename="camel", gc=False):
    """One entry of the list, in the order of its JSON."""

    rank: int
    asset_id: str
    rise: float
    uniques: int | UnsetType
    steady_uniques: float | UnsetType
    hits: int
    steady_hits: float | UnsetType
    expected: float
    baseline_uniques: int | UnsetType
    baseline_hits: int | UnsetType
    baseline_hours: int
    section_id: int | str | None
    resource_type: str | None
    paid_type: str | None
    title: str | UnsetType = UNSET
    address: str | UnsetType = UNSET
    image: str | UnsetType = UNSET
    published: str | UnsetType = UNSET


class _Stretch(msgspec.Struct, rename="camel"):
    """A span and what the brand had in it."""

    from_: str = msgspec.field(name="from")
    to: str
    uniques: int | UnsetType
    hits: int


class _Body(msgspec.Struct, rename="camel"):
    """The whole answer, in the order of its JSON."""

    brand: str
    from_: str = msgspec.field(name="from")
    to: str
    exact: bool
    basis: str
    uniques: int | UnsetType
    hits: int
    baseline: _Stretch
    prior: float
    hidden: int | UnsetType
    items: list[_Item]


# As an entry has them, from its visitors to its hours.
_Numbers = tuple[
    int | UnsetType, float | UnsetType, int, float | UnsetType, float, int | UnsetType, int | UnsetType, int
]


@dataclass(frozen=True, slots=True, eq=False)
class RiseHits:
    """The hits of a view in the rows that a question asks for, as they were when it was looked at."""

    view: RiseView
    recent: list[Hits]
    baseline: list[Hits]
    totals: NDArray[np.uint32]  # of each row in the last hour
    rows: NDArray[np.intp]  # those that are asked for; more may come while visitors are read
    is_exact: bool


@dataclass(frozen=True, slots=True, eq=False)
class ToldRises:
    """Rises, what they are told from, and where that is visitors, how many the brand had in the hour and before."""

    rises: Rises
    basis: str
    uniques: int | UnsetType = UNSET
    baseline_uniques: int | UnsetType = UNSET


def rise_hits(view: RiseView, query: PopularQuery, words: Words) -> RiseHits:
    """Return the hits that a question is about."""
    directory = view.directory
    asked = wanted(directory, query, words.members(query))
    rows = asked.rows(directory)
    windows = (*view.recent, *view.baseline)
    return RiseHits(
        view,
        [_hits(one, directory, asked) for one in view.recent],
        [_hits(one, directory, asked) for one in view.baseline],
        _row_totals(view),
        np.arange(directory.rows) if rows is None else rows,
        is_exact=not any(part.is_cut or part.other for one in windows for part in one.given),
    )


def told_from_hits(found: RiseHits) -> ToldRises:
    """Return the rises as hits tell them."""
    return ToldRises(rises(found.recent, found.baseline, assets=found.view.directory.assets), HITS)


def trending(found: RiseHits, told: ToldRises, query: PopularQuery, words: Words) -> Answer:
    """Return the assets that rise most of those that the question asks for."""
    view = found.view
    chosen, hidden = _shown(view.directory, told.rises, query, words)
    body = _Body(
        brand=query.brand,
        from_=instant_text(view.recent[0].window.from_ms),
        to=instant_text(view.recent[-1].window.to_ms),
        exact=found.is_exact,
        basis=told.basis,
        uniques=told.uniques,
        hits=round(sum(one.total for one in found.recent)),
        baseline=_Stretch(
            from_=instant_text(view.baseline[0].window.from_ms),
            to=instant_text(view.baseline[-1].window.to_ms),
            uniques=told.baseline_uniques,
            hits=round(sum(one.total for one in found.baseline)),
        ),
        prior=round(told.rises.prior, SHOWN_DIGITS),
        hidden=hidden or UNSET,
        items=_items(found, told, chosen, query, words),
    )
    return answer_from(msgspec.json.encode(body), max_age_s=CACHE_S, exact=found.is_exact)


def _hits(one: RiseWindow, directory: Directory, asked: Wanted) -> Hits:
    rows = np.concatenate([np.empty(0, np.uint32), *(part.rows for part in one.given)])
    hits = np.concatenate([np.empty(0), *(part.hits for part in one.given)]).astype(np.float64)
    left = sum(int(np.maximum(part.cut_left, 0).sum()) + part.other for part in one.given)
    is_asked = None if asked.is_everything else asked.among(directory, rows, directory.row_slice[rows])
    return Hits(directory.row_asset[rows].astype(np.intp), hits, float(hits.sum()) + left, is_asked)


def _items(
    found: RiseHits, told: ToldRises, ranked: Mapping[int, int], query: PopularQuery, words: Words
) -> list[_Item]:
    directory = found.view.directory
    chosen = list(ranked)
    names = [directory.asset_name(asset) for asset in chosen]
    known = words.shown(query.brand, names) or {}
    slices = shown_slices(directory, found.totals, found.rows, chosen)
    hits = _hits_of(found, chosen)
    return [
        _Item(
            ranked[asset],
            name,
            float(told.rises.rise[asset]),
            *_numbers(told, asset, hits[asset], hours=len(found.baseline)),
            *labels_shown(directory.slices[slices[asset]]),
            *_more(known.get(name)),
        )
        for asset, name in zip(chosen, names, strict=True)
    ]


def _numbers(told: ToldRises, asset: int, hits: int, *, hours: int) -> _Numbers:
    """Return what the rank of an asset is made of, in the order of an entry."""
    found = told.rises
    recent, before = round(float(found.recent[asset])), round(float(found.before[asset]))
    steady, expected = (round(float(one[asset]), SHOWN_DIGITS) for one in (found.steady, found.expected))
    seen = hours - int(found.first[asset])
    if told.basis == HITS:
        return UNSET, UNSET, recent, steady, expected, UNSET, before, seen
    return recent, steady, hits, UNSET, expected, before, UNSET, seen


def _hits_of(found: RiseHits, chosen: Sequence[int]) -> dict[int, int]:
    """Return the hits of some assets in the last hour, in the rows that are asked for."""
    sums = np.zeros(found.view.directory.assets)
    for one in found.recent:
        np.add.at(sums, *asked_of(one))
    return {asset: round(float(sums[asset])) for asset in chosen}


def _more(asset: Asset | None) -> tuple[str | UnsetType, ...]:
    return () if asset is None else words_shown(asset)


def _shown(directory: Directory, found: Rises, query: PopularQuery, words: Words) -> tuple[dict[int, int], int]:
    """Return the assets of the list with their ranks, and how many that editors hide it leaves out."""
    hidden = hidden_of(query, words.acts(query.brand))
    numbers = {asset for asset in map(directory.asset_of, hidden) if asset is not None}
    chosen = _chosen(directory, found, query, words, limit=query.limit + len(numbers))
    shown: dict[int, int] = {}
    passed = 0
    for rank, asset in enumerate(chosen, start=1):
        if len(shown) == query.limit:
            break
        if asset in numbers:
            passed += 1
        else:
            shown[asset] = rank
    return shown, passed


def _chosen(directory: Directory, found: Rises, query: PopularQuery, words: Words, *, limit: int) -> list[int]:
    """Return the first assets that rise in their order, those with equal numbers by their ids."""
    order = risen(found)
    if query.asks_catalogue:
        # Two ids may share an ident, by which the catalogue's filters go; all that is known of an asset settles it.
        names = [directory.asset_name(asset) for asset in order.tolist()]
        known = words.shown(query.brand, names) or {}
        is_meant = [matches(known.get(name), query) for name in names]
        order = order[np.array(is_meant, np.bool_)]
    tied = _with_ties(found, order, limit)
    ranked = sorted(tied.tolist(), key=lambda one: (-found.rise[one], -found.steady[one], directory.asset_name(one)))
    return ranked[:limit]


def _with_ties(found: Rises, order: NDArray[np.intp], limit: int) -> NDArray[np.intp]:
    """Return the first of an order, with all that have the same numbers as the last of them."""
    if len(order) <= limit:
        return order
    last = order[limit - 1]
    is_tied = (found.rise[order] == found.rise[last]) & (found.steady[order] == found.steady[last])
    return order[: max(limit, int(np.flatnonzero(is_tied)[-1]) + 1)]


def _row_totals(view: RiseView) -> NDArray[np.uint32]:
    totals = np.zeros(view.directory.rows, np.uint32)
    for one in view.recent:
        _add(totals, one.given)
    return totals


def _add(totals: NDArray[np.uint32], given: Sequence[Contribution]) -> None:
    for part in given:
        # No row is twice in one contribution, so that adding by index adds each of them.
        totals[part.rows] += part.hits.astype(np.uint32)
