"""The answer to "what has the most visitors?", and its bytes."""

from collections.abc import Sequence
from dataclasses import dataclass

import msgspec
from msgspec import UNSET, UnsetType
from xxhash import xxh3_64_hexdigest

from footfall.flow.serve.answer import Answer, answer_from, columns_of
from footfall.flow.serve.editing import hidden_of
from footfall.flow.serve.popular import labels_shown, words_shown
from footfall.flow.serve.query import UNIQUES, PopularQuery
from footfall.flow.serve.unique_names import UNIQUES_ARE
from footfall.flow.serve.uniting import uniques_are
from footfall.flow.serve.visits import Visitors
from footfall.flow.serve.words import Words
from footfall.flow.store.columns import Slice
from footfall.values.period import Span
from footfall.values.window import instant_text


@dataclass(frozen=True, slots=True)
class UniqueAsset:
    """An asset of the list."""

    name: str
    visitors: Visitors
    hits: int
    missed: int  # Hits that no row tells of, at most.
    labels: Slice


@dataclass(frozen=True, slots=True)
class FoundUniques:
    """The whole list, and what is known of it."""

    span: Span
    assets: list[UniqueAsset]
    is_proven: bool
    max_age_s: int
    final: bool | None
    kept_since_ms: int | None


class _Item(msgspec.Struct, gc=False, rename="camel"):
    """One entry of the list, in the order of its JSON."""

    rank: int
    asset_id: str
    uniques: int
    uniques_at_least: int
    uniques_at_most: int | None  # None: not all of the span is kept
    hits: int
    hits_at_most: int | UnsetType
    section_id: int | str | None
    resource_type: str | None
    paid_type: str | None
    title: str | UnsetType = UNSET
    address: str | UnsetType = UNSET
    image: str | UnsetType = UNSET
    published: str | UnsetType = UNSET


_COLUMNS = (*columns_of(_Item), UNIQUES_ARE)


class _Body(msgspec.Struct, rename="camel"):
    """The whole answer, in the order of its JSON."""

    brand: str
    period: str | UnsetType
    from_: str = msgspec.field(name="from")
    to: str
    sort: str
    uniques_are: str
    members_proven: bool
    exact: bool
    kept_since: str | UnsetType
    revision: str | UnsetType
    final: bool | UnsetType
    hidden: int | UnsetType
    items: list[_Item]


def unique_answer(found: FoundUniques, query: PopularQuery, words: Words, *, zone: str) -> Answer:
    """Return the assets with the most visitors, as they were found."""
    has_all = found.kept_since_ms is None
    shown, hidden = _shown(found, query, words)
    is_exact = has_all and not any(one.missed for _, one in shown)
    body = _Body(
        brand=query.brand,
        period=query.period or UNSET,
        from_=instant_text(found.span.from_ms),
        to=instant_text(found.span.to_ms),
        sort=UNIQUES,
        uniques_are=uniques_are(found.span, zone),
        members_proven=found.is_proven,
        exact=is_exact,
        kept_since=UNSET if found.kept_since_ms is None else instant_text(found.kept_since_ms),
        revision=UNSET if found.final is None else "",
        final=UNSET if found.final is None else found.final,
        hidden=hidden or UNSET,
        items=_items(shown, query, words, has_all=found.kept_since_ms is None, is_exact=is_exact),
    )
    data = msgspec.json.encode(body)
    if body.revision is not UNSET:
        # Drawn from everything else in the answer, so that one revision is always the same bytes.
        body.revision = xxh3_64_hexdigest(data)
        data = msgspec.json.encode(body)
    return answer_from(data, max_age_s=found.max_age_s, exact=is_exact, columns=_COLUMNS)


def _shown(found: FoundUniques, query: PopularQuery, words: Words) -> tuple[list[tuple[int, UniqueAsset]], int]:
    """Return the assets of the list with their ranks, and how many that editors hide it leaves out."""
    hidden = hidden_of(query, words.acts(query.brand))
    shown: list[tuple[int, UniqueAsset]] = []
    passed = 0
    for rank, one in enumerate(found.assets, start=1):
        if len(shown) == query.limit:
            break
        if one.name in hidden:
            passed += 1
        else:
            shown.append((rank, one))
    return shown, passed


def _items(
    shown: Sequence[tuple[int, UniqueAsset]], query: PopularQuery, words: Words, *, has_all: bool, is_exact: bool
) -> list[_Item]:
    known = words.shown(query.brand, [one.name for _, one in shown]) or {}
    items: list[_Item] = []
    for rank, one in shown:
        asset = known.get(one.name)
        more = () if asset is None else words_shown(asset)
        bound = one.hits + one.missed if has_all and not is_exact else UNSET
        items.append(_Item(rank, one.name, *_numbers(one, has_all=has_all), bound, *labels_shown(one.labels), *more))
    return items


def _numbers(one: UniqueAsset, *, has_all: bool) -> tuple[int, int, int | None, int]:
    visitors = one.visitors
    return visitors.uniques, visitors.at_least, visitors.at_most if has_all else None, one.hits
