"""The answer to "who was left out?": the hits of a span by label, and the assets with the most suspected ones."""

from collections.abc import Mapping

import msgspec
import numpy as np
from msgspec import UNSET, UnsetType

from footfall.accounts.judged import Judged
from footfall.catalog.asset import Asset
from footfall.flow.serve.answer import Answer, answer_from, columns_of
from footfall.flow.serve.directory import Directory
from footfall.flow.serve.popular import labels_shown, listed, words_shown
from footfall.flow.serve.query import PopularQuery
from footfall.flow.serve.sheets import Sheet
from footfall.flow.serve.shown import PERSON, PERSONS
from footfall.flow.serve.span_reasons import Reasons
from footfall.flow.serve.view import View
from footfall.flow.serve.wanted import Wanted
from footfall.flow.serve.words import Words
from footfall.screening.labels import Label
from footfall.values.window import instant_text

SHARE_DIGITS = 4
SUSPECTED = frozenset((Label.SUSPECTED.value,))


class _Labelled(msgspec.Struct):
    """The hits of one label."""

    label: str
    hits: int
    share: float


class _Item(msgspec.Struct, rename="camel"):
    """An asset with suspected hits, in the order of its JSON."""

    rank: int
    asset_id: str
    suspected: int
    suspected_at_most: int | UnsetType
    persons: int
    share: float
    section_id: int | str | None
    resource_type: str | None
    paid_type: str | None
    title: str | UnsetType = UNSET
    address: str | UnsetType = UNSET
    image: str | UnsetType = UNSET
    published: str | UnsetType = UNSET


_COLUMNS = columns_of(_Item)


class _Body(msgspec.Struct, rename="camel"):
    """The whole answer, in the order of its JSON."""

    brand: str
    period: str | UnsetType
    from_: str = msgspec.field(name="from")
    to: str
    exact: bool
    kept_since: str | UnsetType
    suspected_are_shown: bool
    hits: int
    without_row: int | UnsetType
    labels: list[_Labelled]
    reasons: dict[str, int]
    reasons_since: str | UnsetType
    reasons_until: str | UnsetType
    refused: dict[str, int]
    waiting: int
    items: list[_Item]


def screening(view: View, query: PopularQuery, words: Words, reasons: Reasons, *, judged: Judged) -> Answer:
    """Return what screening found in a span; reasons are of its days where those are known, else of all time."""
    hits, is_known = _by_label(view.directory, view.sheet)
    without_row = view.sheet.other + view.sheet.other_screened
    total = sum(hits.values()) + without_row
    items, is_exact = _suspects(view, query, words)
    body = _Body(
        brand=query.brand,
        period=query.period or UNSET,
        from_=instant_text(view.sheet.span.from_ms),
        to=instant_text(view.sheet.span.to_ms),
        exact=is_known and not without_row and is_exact and view.kept_since_ms is None,
        kept_since=UNSET if view.kept_since_ms is None else instant_text(view.kept_since_ms),
        suspected_are_shown=query.shows_suspected,
        hits=total,
        without_row=without_row or UNSET,
        labels=[_Labelled(label or PERSON, hits[label], _share(hits[label], total)) for label in Label],
        reasons=dict(reasons.hits),
        reasons_since=_moment(reasons.since_ms),
        reasons_until=_moment(reasons.until_ms),
        refused=dict(judged.refused),
        waiting=judged.waiting,
        items=items,
    )
    return answer_from(msgspec.json.encode(body), max_age_s=view.max_age_s, exact=body.exact, columns=_COLUMNS)


def _moment(moment_ms: int | None) -> str | UnsetType:
    return UNSET if moment_ms is None else instant_text(moment_ms)


def _share(part: int, whole: int) -> float:
    return round(part / whole, SHARE_DIGITS) if whole else 0.0


def _by_label(directory: Directory, sheet: Sheet) -> tuple[dict[str, int], bool]:
    """Return the hits of every label, and whether nothing was left out that nobody counted."""
    slices = directory.slices
    left = sheet.left_out(len(slices))
    # Whole numbers up to 2**53 are exact as floats; a sum of hits never comes near.
    totals = np.bincount(directory.row_slice, weights=sheet.totals(directory.rows), minlength=len(slices))
    totals = totals.astype(np.int64) + left.hits
    hits = {label.value: 0 for label in Label}
    for number in np.flatnonzero(totals).tolist():
        hits[slices[number].label] += int(totals[number])
    return hits, bool(left.is_known.all())


def _suspects(view: View, query: PopularQuery, words: Words) -> tuple[list[_Item], bool]:
    """Return the assets with the most suspected hits, and whether they are proven to be those."""
    directory, totals = view.directory, view.sheet.totals(view.directory.rows)
    asked = Wanted(directory.slices.shown(SUSPECTED), None, None, SUSPECTED)
    found, slices, proof = listed(directory, view.sheet, asked, query.limit)
    persons = directory.slices.shown(PERSONS)
    weights = totals if persons is None else np.where(persons.take(directory.row_slice), totals, 0)
    by_persons = np.bincount(directory.row_asset, weights=weights, minlength=directory.assets)
    names = [directory.asset_name(asset) for asset, _ in found]
    known: Mapping[str, Asset | None] = words.shown(query.brand, names) or {}
    items: list[_Item] = []
    for rank, ((asset, hits), name) in enumerate(zip(found, names, strict=True), start=1):
        seen = int(by_persons[asset])
        at_most = UNSET if proof.is_exact else hits + proof.uncertainty[rank - 1]
        labels = labels_shown(directory.slices[slices[asset]])
        told = known.get(name)
        more = () if told is None else words_shown(told)
        items.append(_Item(rank, name, hits, at_most, seen, _share(hits, hits + seen), *labels, *more))
    return items, proof.is_exact
