"""The answer of top sections and types, and of a brand as a whole: its fields, and the columns of a table of it."""

import msgspec
from msgspec import UNSET, UnsetType

from footfall.flow.serve.answer import columns_of
from footfall.flow.serve.query import UNIQUES
from footfall.flow.serve.unique_names import UNIQUES_ARE


class Label(msgspec.Struct, rename="camel", gc=False):
    """One entry, in the order of its JSON."""

    rank: int
    change: int | UnsetType | None
    section_id: int | str | UnsetType | None
    resource_type: str | UnsetType | None
    hits: int
    hits_at_most: int | UnsetType | None
    share: float
    hits_before: int | None
    uniques: int | UnsetType = UNSET
    uniques_at_least: int | UnsetType = UNSET
    uniques_at_most: int | UnsetType | None = UNSET


class Body(msgspec.Struct, rename="camel"):
    """The whole answer, in the order of its JSON."""

    brand: str
    period: str | UnsetType
    from_: str = msgspec.field(name="from")
    to: str
    exact: bool
    kept_since: str | UnsetType
    final: bool | UnsetType
    hits: int
    hits_at_most: int | UnsetType | None
    hits_before: int | None
    sort: str | UnsetType = UNSET
    uniques_are: str | UnsetType = UNSET
    uniques: int | UnsetType = UNSET
    uniques_at_least: int | UnsetType = UNSET
    uniques_at_most: int | UnsetType | None = UNSET
    items: list[Label] | UnsetType = UNSET


_VISITORS = (UNIQUES, "uniquesAtLeast", "uniquesAtMost")
SECTIONS = columns_of(Label, without=("resourceType", *_VISITORS))
TYPES = columns_of(Label, without=("sectionId", *_VISITORS))
VISITED_SECTIONS = (*columns_of(Label, without=("change", "resourceType")), UNIQUES_ARE)
BRAND_COLUMNS = columns_of(Body, without=("sort", UNIQUES_ARE, *_VISITORS, "items"))
VISITED_BRAND_COLUMNS = columns_of(Body, without=("items",))
