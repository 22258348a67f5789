"""Which lists there are: where each is asked for, what may be said there, and what makes it."""

from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import Final, NamedTuple

from footfall.flow.serve.answer import Answer
from footfall.flow.serve.parameters import Given
from footfall.flow.serve.popular import popular
from footfall.flow.serve.query import (
    BRANDS,
    SECTIONS,
    TYPES,
    PopularQuery,
    label_parameters,
    parameters,
    section_parameters,
    type_parameters,
)
from footfall.flow.serve.top import brand_total, top_sections, top_types
from footfall.flow.serve.view import Viewed
from footfall.flow.serve.words import Words


class ListKind(NamedTuple):
    """A list of a period or a span."""

    parameters: Callable[[str], Given]
    make: Callable[[Viewed, PopularQuery, Words], Answer]


# The most popular have the shortest name, because they are asked for most.
LISTS: Final[Mapping[str, ListKind]] = MappingProxyType(
    {
        "": ListKind(parameters, popular),
        SECTIONS: ListKind(section_parameters, top_sections),
        TYPES: ListKind(type_parameters, top_types),
        BRANDS: ListKind(label_parameters, brand_total),
    }
)
