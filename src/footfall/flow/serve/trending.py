"""The answer to "what rises?": assets with the numbers behind each rank."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

import msgspec
import numpy as np
from msgspec import UNSET, UnsetType
from numpy.typing import NDArray

from footfall.catalog.asset import Asset
from footfall.flow.serve.answer import Answer, answer_from, columns_of
from footfall.flow.serve.directory import Directory
from footfall.flow.serve.editing import hidden_of
from footfall.flow.serve.listing import shown_slices
from footfall.flow.serve.members import matches
from footfall.flow.serve.popular import labels_shown, words_shown
from footfall.flow.serve.query import HITS, PopularQuery
from footfall.flow.serve.rise_view import RiseStretch, RiseView
from footfall.flow.serve.rises import RISE_DIGITS, Hits, Rises, asked_of, risen, rises
from footfall.flow.serve.sheets import Contribution
from footfall.flow.serve.unique_names import UNIQUES_ARE, VISITORS
from footfall.flow.serve.visits import Visitors
from footfall.flow.serve.wanted import Wanted, wanted
from footfall.flow.serve.words import Words
from footfall.values.window import HOUR_MS, instant_text

CACHE_S = 30
SHOWN_DIGITS = 1

VisitorsOf = Callable[[int], Visitors]  # of an asset


class _Item(msgspec.Struct, rename="camel", gc=False, kw_only=True):
    """One entry of the list, in the order of its JSON."""

    rank: int
    asset_id: str
    rise: float
    uniques: int | UnsetType = UNSET
    uniques_at_least: int | UnsetType = UNSET
    uniques_at_most: int | UnsetType = UNSET
    steady_uniques: float | UnsetType = UNSET
    steady_uniques_at_least: float | UnsetType = UNSET
    steady_uniques_at_most: float | UnsetType = UNSET
    hits: int
    steady_hits: float | UnsetType = UNSET
    expected: float
    exposure: float
    baseline_uniques: int | UnsetType = UNSET
    baseline_uniques_at_least: int | UnsetType = UNSET
    baseline_uniques_at_most: int | UnsetType = UNSET
    baseline_hits: int | UnsetType = UNSET
    baseline_hours: float
    section_id: int | str | None
    resource_type: str | None
    paid_type: str | None
    title: str | UnsetType = UNSET
    address: str | UnsetType = UNSET
    image: str | UnsetType = UNSET
    published: str | UnsetType = UNSET


_COLUMNS = (*columns_of(_Item), UNIQUES_ARE)


class _Stretch(msgspec.Struct, rename="camel", kw_only=True):
    """A span and what the brand had in it."""

    from_: str = msgspec.field(name="from")
    to: str
    uniques: int | UnsetType = UNSET
    uniques_at_least: int | UnsetType = UNSET
    uniques_at_most: int | UnsetType = UNSET
    hits: int


class _Body(msgspec.Struct, rename="camel", kw_only=True):
    """The whole answer, in the order of its JSON."""

    brand: str
    from_: str = msgspec.field(name="from")
    to: str
    exact: bool
    basis: str
    uniques_are: str | UnsetType = UNSET
    uniques: int | UnsetType = UNSET
    uniques_at_least: int | UnsetType = UNSET
    uniques_at_most: int | UnsetType = UNSET
    hits: int
    baseline: _Stretch
    prior: float
    hidden: int | UnsetType
    items: list[_Item]


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
class RiseVisitors:
    """The visitors of the last hour and of what was before: of the brand, and how far those of assets are known."""

    are: str  # what one of them is
    hour: Visitors
    before: Visitors
    of_hour: VisitorsOf
    of_before: VisitorsOf


@dataclass(frozen=True, slots=True, eq=False)
class ToldRises:
    """Rises, and the visitors that they are told from; None: they are told from hits."""

    rises: Rises
    visitors: RiseVisitors | None = None

    @property
    def basis(self) -> str:
        """Return what they are told from."""
        return HITS if self.visitors is None else VISITORS


def rise_hits(view: RiseView, query: PopularQuery, words: Words) -> RiseHits:
    """Return the hits that a question is about."""
    directory = view.directory
    asked = wanted(directory, query, words.members(query))
    rows = asked.rows(directory)
    stretches = (*view.recent, *view.baseline)
    return RiseHits(
        view,
        [_hits(one, directory, asked) for one in view.recent],
        [_hits(one, directory, asked) for one in view.baseline],
        _row_totals(view),
        np.arange(directory.rows) if rows is None else rows,
        is_exact=not any(_is_unsure(part, asked) for one in stretches for part in one.given),
    )


def told_from_hits(found: RiseHits) -> ToldRises:
    """Return the rises as hits tell them."""
    return ToldRises(rises(found.recent, found.baseline, assets=found.view.directory.assets))


def trending(found: RiseHits, told: ToldRises, query: PopularQuery, words: Words) -> Answer:
    """Return the assets that rise most of those that the question asks for."""
    view = found.view
    chosen, hidden = _shown(view.directory, told.rises, query, words)
    body = _Body(
        brand=query.brand,
        from_=instant_text(view.recent[0].span.from_ms),
        to=instant_text(view.recent[-1].span.to_ms),
        exact=found.is_exact,
        basis=told.basis,
        hits=round(sum(one.total for one in found.recent)),
        baseline=_Stretch(
            from_=instant_text(view.baseline[0].span.from_ms),
            to=instant_text(view.baseline[-1].span.to_ms),
            hits=round(sum(one.total for one in found.baseline)),
        ),
        prior=round(told.rises.prior, SHOWN_DIGITS),
        hidden=hidden or UNSET,
        items=_items(found, told, chosen, query, words),
    )
    if told.visitors is not None:
        body.uniques_are = told.visitors.are
        _tell(body, told.visitors.hour)
        _tell(body.baseline, told.visitors.before)
    return answer_from(msgspec.json.encode(body), max_age_s=CACHE_S, exact=found.is_exact, columns=_COLUMNS)


def _tell(entry: _Item | _Stretch | _Body, visitors: Visitors) -> None:
    entry.uniques = visitors.uniques
    entry.uniques_at_least, entry.uniques_at_most = visitors.at_least, visitors.at_most


def _hits(one: RiseStretch, directory: Directory, asked: Wanted) -> Hits:
    rows = np.concatenate([np.empty(0, np.uint32), *(part.rows for part in one.given)])
    hits = np.concatenate([np.empty(0), *(part.hits for part in one.given)]).astype(np.float64)
    shown = directory.slices.shown(asked.labels)
    left = sum(_left_out(part, asked, shown) for part in one.given)
    if shown is not None:
        # Whoever is not shown makes nothing rise, and is no part of what the brand had.
        is_shown = shown.take(directory.row_slice[rows])
        rows, hits = rows[is_shown], hits[is_shown]
    is_everything = asked.assets is None and not asked.asks_slices
    is_asked = None if is_everything else asked.among(directory, rows, directory.row_slice[rows])
    return Hits(directory.row_asset[rows].astype(np.intp), hits, float(hits.sum()) + left, is_asked)


def _is_unsure(part: Contribution, asked: Wanted) -> bool:
    return part.is_cut or part.other > 0 or (asked.shows_others and part.other_screened > 0)


def _left_out(part: Contribution, asked: Wanted, shown: NDArray[np.bool_] | None) -> int:
    """Return the hits of whoever is shown that no row tells of."""
    left = part.cut_left if shown is None else part.cut_left[shown[part.cut_slices]]
    others = part.other_screened if asked.shows_others else 0
    return int(np.maximum(left, 0).sum()) + part.other + others


def _items(
    found: RiseHits, told: ToldRises, ranked: Mapping[int, int], query: PopularQuery, words: Words
) -> list[_Item]:
    directory = found.view.directory
    chosen = list(ranked)
    names = [directory.asset_name(asset) for asset in chosen]
    known = words.shown(query.brand, names) or {}
    slices = shown_slices(directory, found.totals, found.rows, chosen)
    hits = _hits_of(found, chosen)
    items: list[_Item] = []
    for asset, name in zip(chosen, names, strict=True):
        section, resource_type, paid_type = labels_shown(directory.slices[slices[asset]])
        item = _Item(
            rank=ranked[asset],
            asset_id=name,
            rise=float(told.rises.rise[asset]),
            hits=hits[asset],
            expected=round(float(told.rises.expected[asset]), SHOWN_DIGITS),
            exposure=round(float(told.rises.exposure[asset]), RISE_DIGITS),
            baseline_hours=_hours_seen(found, told.rises, asset),
            section_id=section,
            resource_type=resource_type,
            paid_type=paid_type,
        )
        _tell_basis(item, told, asset)
        _tell_words(item, known.get(name))
        items.append(item)
    return items


def _tell_basis(item: _Item, told: ToldRises, asset: int) -> None:
    """Tell the hits or the visitors that the rank of an asset is made of."""
    found = told.rises
    recent, steady, before = (float(one[asset]) for one in (found.recent, found.steady, found.before))
    if told.visitors is None:
        item.steady_hits, item.baseline_hits = round(steady, SHOWN_DIGITS), round(before)
        return
    hour, earlier = told.visitors.of_hour(asset), told.visitors.of_before(asset)
    _tell(item, hour)
    share = steady / recent if recent else 1.0
    item.steady_uniques = round(steady, SHOWN_DIGITS)
    item.steady_uniques_at_least = round(share * hour.at_least, SHOWN_DIGITS)
    item.steady_uniques_at_most = round(share * hour.at_most, SHOWN_DIGITS)
    item.baseline_uniques = earlier.uniques
    item.baseline_uniques_at_least, item.baseline_uniques_at_most = earlier.at_least, earlier.at_most


def _hours_seen(found: RiseHits, told: Rises, asset: int) -> float:
    """Return how many hours of the baseline there are from the one on in which an asset was first seen."""
    spans = [one.span for one in found.view.baseline[int(told.first[asset]) :]]
    return round((spans[-1].to_ms - spans[0].from_ms) / HOUR_MS, SHOWN_DIGITS) if spans else 0.0


def _hits_of(found: RiseHits, chosen: Sequence[int]) -> dict[int, int]:
    """Return the hits of some assets in the last hour, in the rows that are asked for."""
    sums = np.zeros(found.view.directory.assets)
    for one in found.recent:
        np.add.at(sums, *asked_of(one))
    return {asset: round(float(sums[asset])) for asset in chosen}


def _tell_words(item: _Item, asset: Asset | None) -> None:
    if asset is not None:
        item.title, item.address, item.image, item.published = words_shown(asset)


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
