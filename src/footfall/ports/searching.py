"""Searching: texts that are found by words, each within spaces that whoever asks may see."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

from footfall.values.errors import Refused
from footfall.values.words import folded

SPACES_MAX = 10
RESULTS_MAX = 100
PLACES_MAX = 10_000  # How far results can be paged through; who has not found it by then asks for more words.
QUERY_CHARACTERS_MAX = 500


@dataclass(frozen=True, slots=True)
class Text:
    """A text that can be found."""

    id: str
    spaces: Sequence[str]
    at_us: int
    address: str
    title: str
    body: str
    keywords: Sequence[str] = ()


@dataclass(frozen=True, slots=True)
class Hit:
    """A text that was found; the excerpt has \\x02 and \\x03 around each word that was asked for."""

    id: str
    excerpt: str


@dataclass(frozen=True, slots=True)
class Results:
    """Some of what was found, the best first; `after` continues, None ends."""

    hits: Sequence[Hit]
    after: str | None


@dataclass(frozen=True, slots=True)
class Term:
    """A part of a query: words that follow each other, the last of which may only be begun."""

    words: Sequence[str]  # folded
    is_prefix: bool = False


class Searching(Protocol):
    """The promises that every search keeps: nothing is found in a space that was not asked for.

    A query is words, all of which must be there; `"in quotes"` they follow each other, and `begin*` stands for whatever
    begins so. Case and accents do not matter. No query is an error but one that is too long. Without a word in it,
    nothing is found.
    """

    def add(self, text: Text) -> None:
        """Let a text be found, in the place of what was there under its id."""
        ...

    def remove(self, id: str) -> None:
        """Let a text be found no more; nothing happens when there is none."""
        ...

    def search(self, query: str, *, spaces: Sequence[str], limit: int = 20, after: str | None = None) -> Results:
        """Return texts of these spaces that have all words of the query; Refused over the limits above."""
        ...

    def clear(self) -> None:
        """Forget every text, so that all can be added anew."""
        ...


_TERM = re.compile(r'"([^"]*)"?|([^\s"]+)')
_WORD = re.compile(r"[^\W_]+")


def terms_of(query: str) -> Sequence[Term]:
    """Return what a query asks for; whatever was typed means something."""
    terms: list[Term] = []
    for found in _TERM.finditer(query):
        quoted, plain = found[1], found[2] or ""
        words = _WORD.findall(folded(quoted or plain))
        if words:
            terms.append(Term(words, is_prefix=plain.endswith("*")))
    return terms


def require_search(query: str, *, spaces: Sequence[str], limit: int) -> None:
    """Raise Refused unless every search can answer."""
    if len(query) > QUERY_CHARACTERS_MAX:
        raise Refused("query", f"has {len(query)} characters; ask with at most {QUERY_CHARACTERS_MAX}")
    if len(spaces) > SPACES_MAX:
        raise Refused("spaces", f"are {len(spaces)}; ask for at most {SPACES_MAX} at once")
    if not 1 <= limit <= RESULTS_MAX:
        raise Refused("limit", f"is {limit}; ask for 1 to {RESULTS_MAX} results")


def place_from(after: str | None) -> int:
    """Return how many results stand before a page; Refused when `after` is not what an earlier page gave."""
    if after is None:
        return 0
    if not after.isascii() or not after.isdecimal() or int(after[:9]) > PLACES_MAX:
        raise Refused("after", "is no place to go on from; leave it out to begin anew")
    return int(after)
