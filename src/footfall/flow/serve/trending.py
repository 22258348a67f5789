"""The answer to "what rises?": assets with the numbers behind each rank."""

from collections.abc import Sequence
from typing import Protocol

import msgspec
import numpy as np
from msgspec import UNSET, UnsetType
from numpy.typing import NDArray

from footfall.catalog.asset import Asset
from footfall.flow.serve.answer import Answer, answer_from
from footfall.flow.serve.directory import Directory
from footfall.flow.serve.listing import shown_slices
from footfall.flow.serve.members import matches
from footfall.flow.serve.popular import labels_shown, words_shown
from footfall.flow.serve.query import PopularQuery
from footfall.flow.serve.rise_view import RiseView, RiseWindow
from footfall.flow.serve.rises import Hits, Rises, risen, rises
from footfall.flow.serve.sheets import Contribution
from footfall.flow.serve.wanted import Wanted, wanted
from footfall.flow.serve.words import Words
from footfall.values.window import instant_text

CACHE_S = 30
BASIS = "hits"  # What rises are told from; visitors, once they are counted.
SHOWN_DIGITS = 1


class HasRises(Protocol):
    """Whatever has the windows that rises are told from."""

    def rise_view(self) -> RiseView:
        """Return them."""
        ...


class _Item(msgspec.Struct, rename="camel", gc=False):
    """One entry of the list, in the order of its JSON."""

    rank: int
    asset_id: str
    rise: float
    hits: int
    steady_hits: float
    expected: float
    baseline_hits: int
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
    hits: int


class _Body(msgspec.Struct, rename="camel"):
    """The whole answer, in the order of its JSON."""

    brand: str
    from_: str = msgspec.field(name="from")
    to: str
    exact: bool
    basis: str
    hits: int
    baseline: _Stretch
    prior: float
    items: list[_Item]


def trending(board: HasRises, query: PopularQuery, words: Words) -> Answer:
    """Return the assets that rise most of those that the question asks for."""
    view = board.rise_view()
    directory = view.directory
    asked = wanted(directory, query, words.members(query))
    recent = [_hits(one, directory, asked) for one in view.recent]
    baseline = [_hits(one, directory, asked) for one in view.baseline]
    found = rises(recent, baseline, assets=directory.assets)
    is_exact = not any(part.is_cut or part.other for one in (*view.recent, *view.baseline) for part in one.given)
    body = _Body(
        brand=query.brand,
        from_=instant_text(view.recent[0].window.from_ms),
        to=instant_text(view.recent[-1].window.to_ms),
        exact=is_exact,
        basis=BASIS,
        hits=round(sum(one.total for one in recent)),
        baseline=_Stretch(
            from_=instant_text(view.baseline[0].window.from_ms),
            to=instant_text(view.baseline[-1].window.to_ms),
            hits=round(sum(one.total for one in baseline)),
        ),
        prior=round(found.prior, SHOWN_DIGITS),
        items=_items(view, found, asked, query, words),
    )
    return answer_from(msgspec.json.encode(body), max_age_s=CACHE_S, exact=is_exact)


def _hits(one: RiseWindow, directory: Directory, asked: Wanted) -> Hits:
    rows = np.concatenate([np.empty(0, np.uint32), *(part.rows for part in one.given)])
    hits = np.concatenate([np.empty(0), *(part.hits for part in one.given)]).astype(np.float64)
    left = sum(int(np.maximum(part.cut_left, 0).sum()) + part.other for part in one.given)
    is_asked = None if asked.is_everything else asked.among(directory, rows, directory.row_slice[rows])
    return Hits(directory.row_asset[rows].astype(np.intp), hits, float(hits.sum()) + left, is_asked)


def _items(view: RiseView, found: Rises, asked: Wanted, query: PopularQuery, words: Words) -> list[_Item]:
    directory = view.directory
    chosen = _chosen(directory, found, query, words)
    names = [directory.asset_name(asset) for asset in chosen]
    known = words.shown(query.brand, names) or {}
    slices = shown_slices(directory, _row_totals(view), asked.rows(directory), chosen)
    hours = len(view.baseline)
    return [
        _Item(
            rank,
            name,
            float(found.rise[asset]),
            round(float(found.recent[asset])),
            round(float(found.steady[asset]), SHOWN_DIGITS),
            round(float(found.expected[asset]), SHOWN_DIGITS),
            round(float(found.before[asset])),
            hours - int(found.first[asset]),
            *labels_shown(directory.slices[slices[asset]]),
            *_more(known.get(name)),
        )
        for rank, (asset, name) in enumerate(zip(chosen, names, strict=True), start=1)
    ]


def _more(asset: Asset | None) -> tuple[str | UnsetType, ...]:
    return () if asset is None else words_shown(asset)


def _chosen(directory: Directory, found: Rises, query: PopularQuery, words: Words) -> list[int]:
    """Return the assets of the list in its order, those with equal numbers by their ids."""
    order = risen(found)
    if query.asks_catalogue:
        # Two ids may share an ident, by which the catalogue's filters go; all that is known of an asset settles it.
        names = [directory.asset_name(asset) for asset in order.tolist()]
        known = words.shown(query.brand, names) or {}
        is_meant = [matches(known.get(name), query) for name in names]
        order = order[np.array(is_meant, np.bool_)]
    tied = _with_ties(found, order, query.limit)
    ranked = sorted(tied.tolist(), key=lambda one: (-found.rise[one], -found.steady[one], directory.asset_name(one)))
    return ranked[: query.limit]


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
