"""What labels come to: the sections or resource types with the most hits, and what a brand has altogether.

Sums of labels are exact even where windows were cut, because a cut says how many hits it left out of each slice.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass

import msgspec
import numpy as np
from msgspec import UNSET
from numpy.typing import NDArray

from footfall.flow.serve.answer import Answer, Columns, answer_from
from footfall.flow.serve.popular import section_shown
from footfall.flow.serve.query import PopularQuery
from footfall.flow.serve.sheets import Sheet
from footfall.flow.serve.shown import EVERYBODY
from footfall.flow.serve.slices import Slices
from footfall.flow.serve.top_answer import (
    BRAND_COLUMNS,
    SECTIONS,
    TYPES,
    VISITED_BRAND_COLUMNS,
    VISITED_SECTIONS,
    Body,
    Label,
)
from footfall.flow.serve.view import View, Viewed
from footfall.flow.serve.visits import NO_VISITORS, Visitors, bounded
from footfall.flow.serve.words import Words
from footfall.flow.store.columns import Slice
from footfall.values.window import instant_text

SHARE_DIGITS = 4

LabelOf = Callable[[Slice], str]


@dataclass(frozen=True, slots=True)
class LabelVisitors:
    """The visitors of each section, and of all that were asked for together."""

    are: str  # what one of them is
    total: Visitors
    of_sections: Mapping[str, Visitors]


@dataclass(frozen=True, slots=True)
class _Sums:
    """The hits of each label that was asked for, and of all of them."""

    hits: dict[str, int]
    total: int
    unlabelled: int  # Hits that found no row, which may be anybody's.
    is_known: bool  # whether nothing was left out that nobody counted

    @property
    def at_most(self) -> int | None:
        return self.total + self.unlabelled if self.is_known else None

    @property
    def is_exact(self) -> bool:
        return self.is_known and not self.unlabelled

    def ranks(self) -> list[str]:
        return sorted(self.hits, key=lambda label: (-self.hits[label], label))


def top_sections(viewed: Viewed, query: PopularQuery, _words: Words) -> Answer:
    """Return the sections with the most hits."""
    return _answer(viewed.view(query), query, lambda one: one.section, is_section=True)


def top_types(viewed: Viewed, query: PopularQuery, _words: Words) -> Answer:
    """Return the resource types with the most hits."""
    return _answer(viewed.view(query), query, lambda one: one.resource_type, is_section=False)


def brand_total(viewed: Viewed, query: PopularQuery, _words: Words) -> Answer:
    """Return what a brand has altogether, which is its line among other brands."""
    view = viewed.view(query)
    body = _body(view, query, *_now_and_before(view, query, None))
    return _encoded(body, view, BRAND_COLUMNS)


def sections_by_visitors(view: View, query: PopularQuery, visitors: LabelVisitors) -> Answer:
    """Return the sections with the most visitors."""
    now, before = _now_and_before(view, query, lambda one: one.section)
    body = _body(view, query, now, before, visitors)

    seen = {label: _of_section(visitors, now, label) for label in now.hits}
    ranked = sorted(now.hits, key=lambda label: (-seen[label].uniques, -now.hits[label], label))
    body.items = []
    for rank, label in enumerate(ranked[: query.limit], start=1):
        entry = _entry(label, rank, now, before, is_section=True)
        entry.change = UNSET
        _tell(entry, seen[label], has_all=view.kept_since_ms is None)
        body.items.append(entry)
    return _encoded(body, view, VISITED_SECTIONS)


def brand_by_visitors(view: View, query: PopularQuery, visitors: LabelVisitors) -> Answer:
    """Return what a brand has altogether, its visitors with it."""
    body = _body(view, query, *_now_and_before(view, query, None), visitors)
    return _encoded(body, view, VISITED_BRAND_COLUMNS)


def _answer(view: View, query: PopularQuery, label_of: LabelOf, *, is_section: bool) -> Answer:
    now, before = _now_and_before(view, query, label_of)
    body = _body(view, query, now, before)
    ranks_before = {} if before is None else {label: rank for rank, label in enumerate(before.ranks(), start=1)}
    body.items = []
    for rank, label in enumerate(now.ranks()[: query.limit], start=1):
        rank_before = ranks_before.get(label)
        entry = _entry(label, rank, now, before, is_section=is_section)
        entry.change = None if rank_before is None else rank_before - rank
        body.items.append(entry)
    return _encoded(body, view, SECTIONS if is_section else TYPES)


def _encoded(body: Body, view: View, columns: Columns) -> Answer:
    return answer_from(msgspec.json.encode(body), max_age_s=view.max_age_s, exact=body.exact, columns=columns)


def _entry(label: str, rank: int, now: _Sums, before: _Sums | None, *, is_section: bool) -> Label:
    hits = now.hits[label]
    return Label(
        rank=rank,
        change=None,
        section_id=section_shown(label) if is_section else UNSET,
        resource_type=UNSET if is_section else label or None,
        hits=hits,
        hits_at_most=UNSET if now.is_exact else hits + now.unlabelled if now.is_known else None,
        share=round(hits / now.total, SHARE_DIGITS),
        hits_before=None if before is None else before.hits.get(label, 0),
    )


def _body(
    view: View, query: PopularQuery, now: _Sums, before: _Sums | None, visitors: LabelVisitors | None = None
) -> Body:
    has_all = view.kept_since_ms is None
    body = Body(
        brand=query.brand,
        period=query.period or UNSET,
        from_=instant_text(view.sheet.span.from_ms),
        to=instant_text(view.sheet.span.to_ms),
        exact=now.is_exact and has_all,
        kept_since=UNSET if view.kept_since_ms is None else instant_text(view.kept_since_ms),
        final=UNSET if view.final is None else view.final,
        hits=now.total,
        hits_at_most=UNSET if now.is_exact or not has_all else now.at_most,
        hits_before=None if before is None else before.total,
    )
    if visitors is not None:
        body.sort, body.uniques_are = query.sort, visitors.are
        # Whoever came is among the brand's visitors, also with hits that found no row; a section has none of those.
        missed = now.unlabelled if query.sections else 0
        hits = None if now.at_most is None else now.at_most - missed
        _tell(body, bounded(visitors.total, hits=hits, missed=missed), has_all=has_all)
    return body


def _of_section(visitors: LabelVisitors, now: _Sums, label: str) -> Visitors:
    told = visitors.of_sections.get(label, NO_VISITORS)
    return bounded(told, hits=now.hits[label] if now.is_known else None, missed=now.unlabelled)


def _tell(entry: Label | Body, visitors: Visitors, *, has_all: bool) -> None:
    entry.uniques, entry.uniques_at_least = visitors.uniques, visitors.at_least
    entry.uniques_at_most = visitors.at_most if has_all else None  # Nobody knows who came when nothing is kept of it.


def _now_and_before(view: View, query: PopularQuery, label_of: LabelOf | None) -> tuple[_Sums, _Sums | None]:
    slices = view.directory.slices
    is_asked = slices.matching(query)
    row_slice = view.directory.row_slice

    def sums(sheet: Sheet) -> _Sums:
        certain, maybe = _without_row(sheet, query, is_total=label_of is None)
        hits, is_known = _sums(sheet, slices, row_slice, is_asked, label_of)
        return _Sums(hits, sum(hits.values()) + certain, maybe, is_known)

    return sums(view.sheet), None if view.before is None else sums(view.before)


def _without_row(sheet: Sheet, query: PopularQuery, *, is_total: bool) -> tuple[int, int]:
    """Return how many hits without a row are surely among those asked for, and how many more may be."""
    # Where all is asked for they are surely among it, though nobody knows under which label.
    is_everything = is_total and not query.asks_slices
    screened = sheet.other_screened if len(query.labels) > 1 else 0
    if not is_everything:
        return 0, sheet.other + screened
    return (sheet.other + screened, 0) if query.labels >= EVERYBODY else (sheet.other, screened)


def _sums(
    sheet: Sheet,
    slices: Slices,
    row_slice: NDArray[np.uint32],
    is_asked: NDArray[np.bool_] | None,
    label_of: LabelOf | None,
) -> tuple[dict[str, int], bool]:
    """Return the sums of a sheet by label, or in one when there is none to go by, and whether all of it is known."""
    left = sheet.left_out(len(slices))
    # Whole numbers up to 2**53 are exact as floats; a sum of hits never comes near.
    totals = np.bincount(row_slice, weights=sheet.totals(len(row_slice)), minlength=len(slices)).astype(np.int64)
    totals += left.hits
    is_known = left.is_known
    if is_asked is not None:
        totals = np.where(is_asked, totals, 0)
        is_known = is_known | ~is_asked
    hits: dict[str, int] = {}
    for number in np.flatnonzero(totals).tolist():
        label = "" if label_of is None else label_of(slices[number])
        hits[label] = hits.get(label, 0) + int(totals[number])
    return hits, bool(is_known.all())
