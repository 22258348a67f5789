"""Whose hits a question shows: persons', and those of labels that it includes or that a brand's mode lets through."""

from collections.abc import Collection, Mapping
from functools import cache

from footfall.flow.serve.parameters import Given, Several, joined, values_of
from footfall.screening.labels import Label
from footfall.values.errors import Refused

INCLUDE, ALL = "include", "all"
OTHERS = tuple(sorted(label.value for label in Label if label is not Label.PERSON))
SCREENED: Mapping[str, Several] = {INCLUDE: Several(len(OTHERS) + 1, 16)}
EVERYBODY = frozenset(label.value for label in Label)
PERSON = "person"  # what the label of persons is called outside, where it is stored as none
PERSONS = frozenset((Label.PERSON.value,))


def include_of(given: Given) -> tuple[str, ...]:
    """Return the labels that are to be shown beside persons, in order."""
    asked = values_of(given, INCLUDE, SCREENED[INCLUDE])
    for one in asked:
        if one != ALL and one not in OTHERS:
            raise Refused(INCLUDE, f"{one!r} is not one of {', '.join((*OTHERS, ALL))}")
    return OTHERS if ALL in asked else asked


def include_text(include: Collection[str]) -> str:
    """Return the labels as they stand in an address."""
    return ALL if len(include) == len(OTHERS) else joined(include)


@cache
def labels_shown_for(include: tuple[str, ...], *, shows_suspected: bool) -> frozenset[str]:
    """Return all labels that a question shows; a brand that only observes shows what it suspects."""
    suspected = (Label.SUSPECTED.value,) if shows_suspected else ()
    return PERSONS.union(include, suspected)
