"""The Searching port on a Table: words of titles, addresses and keywords, where there is no full-text index.

This is what search is on AWS, and less than what it is on SQLite: the text of a page is not searched. All words of a
query must be among those of title, address and keywords; in quotes they must follow each other in the title or in
the address. The newest come first, without a rank. Of a word that more than 2,000 captures of a space have, the newest
2,000 are looked at; of a beginning (`rott*`), the first 2,000 in the order of words.
"""

from collections.abc import Iterator, Sequence
from itertools import islice

from footfall.archive import word_keys
from footfall.ports.items import Item
from footfall.ports.searching import Hit, Results, Term, Text, place_from, require_search, terms_of
from footfall.ports.table import BATCH_ITEMS_MAX, Delete, Key, Put, Table, everything
from footfall.values.words import WORD_CHARACTERS_MAX, divided, folded, words_of

WORDS_MAX = 100  # of one text; a capture in two spaces then writes 200 small items
LOOKED_AT_MAX = 2_000  # of one word and space: 40 KB of keys
TITLE_CHARACTERS_MAX = 500
ADDRESS_CHARACTERS_MAX = 2_000


class WordSearch:
    """Words in a table; whoever uses the table may use it."""

    def __init__(self, table: Table) -> None:
        self._table = table

    def add(self, text: Text) -> None:
        """Let a text be found, in the place of what was there under its id."""
        before = self._table.get(word_keys.text(text.id))
        item = _item_of(text)
        old = set[Key]() if before is None else set(_places(text.id, before))
        new = list(_places(text.id, item))
        self._table.put(Put(word_keys.text(text.id), item))
        self._write([Put(key, {}) for key in new])
        self._write([Delete(key) for key in sorted(old - set(new))])

    def remove(self, id: str) -> None:
        """Let a text be found no more; nothing happens when there is none."""
        before = self._table.get(word_keys.text(id))
        if before is not None:
            self._write([Delete(key) for key in _places(id, before)])
            self._table.delete(Delete(word_keys.text(id)))

    def search(self, query: str, *, spaces: Sequence[str], limit: int = 20, after: str | None = None) -> Results:
        """Return texts of these spaces that have all words of the query, the newest first."""
        require_search(query, spaces=spaces, limit=limit)
        place = place_from(after)
        terms = terms_of(query)
        if not terms:
            return Results([], None)
        hits = list(islice(self._hits(terms, spaces), place, place + limit + 1))
        return Results(hits[:limit], str(place + limit) if len(hits) > limit else None)

    def clear(self) -> None:
        """Forget every text, so that all can be added anew."""
        for found in everything(self._table, word_keys.TEXTS):
            self.remove(found.key.sort)

    def _hits(self, terms: Sequence[Term], spaces: Sequence[str]) -> Iterator[Hit]:
        for _, id in sorted(self._candidates(terms, spaces), reverse=True):
            item = self._table.get(word_keys.text(id))
            # What a word says is only where to look: the text itself tells its spaces and its words.
            if item is not None and not _texts(item, "spaces").isdisjoint(spaces) and _has_all(item, terms):
                yield Hit(id, _excerpt(item, terms))

    def _candidates(self, terms: Sequence[Term], spaces: Sequence[str]) -> set[tuple[int, str]]:
        wanted = [(word, is_begun) for term in terms for word, is_begun in _wanted(term)]
        # A whole word says more than a beginning, and a longer one more than a shorter.
        word, is_begun = min(wanted, key=lambda one: (one[1], -len(one[0])))
        ends = word_keys.to_beginning(word) if is_begun else word_keys.to_word(word)
        found: set[tuple[int, str]] = set()
        for space in spaces:
            rows = everything(
                self._table,
                word_keys.words(space),
                at_least=word if is_begun else word_keys.from_word(word),
                at_most=ends,
                backwards=not is_begun,
            )
            found.update(word_keys.moment_of(row.key) for row in islice(rows, LOOKED_AT_MAX))
        return found

    def _write(self, batch: Sequence[Put | Delete]) -> None:
        for at in range(0, len(batch), BATCH_ITEMS_MAX):
            self._table.write(batch[at : at + BATCH_ITEMS_MAX])


def _item_of(text: Text) -> dict[str, str | int | list[str]]:
    title = " ".join(text.title.split())[:TITLE_CHARACTERS_MAX]
    address = text.address[:ADDRESS_CHARACTERS_MAX]
    found = (word for part in (title, *text.keywords, address) for word in words_of(part))
    words = dict.fromkeys(word for word in found if len(word) <= WORD_CHARACTERS_MAX)
    return {
        "at_us": text.at_us,
        "spaces": list(dict.fromkeys(text.spaces)),
        "title": _whole(title),
        "address": _whole(address),
        "keywords": [_whole(word) for word in text.keywords],
        "words": [_whole(word) for word in islice(words, WORDS_MAX)],
    }


def _whole(text: str) -> str:
    return text.encode("utf-8", "replace").decode()  # Half of a surrogate pair is nothing that a table can hold.


def _places(id: str, item: Item) -> Iterator[Key]:
    at_us = item["at_us"]
    assert isinstance(at_us, int)
    for space in sorted(_texts(item, "spaces")):
        for word in sorted(_texts(item, "words")):
            yield word_keys.word(space, word, at_us=at_us, id=id)


def _texts(item: Item, name: str) -> frozenset[str]:
    values = item.get(name)
    return frozenset(str(value) for value in values) if isinstance(values, list) else frozenset()


def _wanted(term: Term) -> Iterator[tuple[str, bool]]:
    for place, word in enumerate(term.words):
        parts = list(divided(word))
        for at, part in enumerate(parts):
            is_last = place == len(term.words) - 1 and at == len(parts) - 1
            is_single = len(part) == 1 and not part.isascii()  # One character of a script that has pairs.
            yield part, (is_last and term.is_prefix) or is_single


def _has_all(item: Item, terms: Sequence[Term]) -> bool:
    words = _texts(item, "words")
    return all(
        any(word.startswith(wanted) for word in words) if is_begun else wanted in words
        for term in terms
        for wanted, is_begun in _wanted(term)
    ) and all(_follow(item, term) for term in terms)


def _follow(item: Item, term: Term) -> bool:
    if len(term.words) == 1:
        return True
    for name in ("title", "address"):
        words = list(words_of(str(item[name])))
        wanted = [part for word in term.words for part in divided(word)]
        for at in range(len(words) - len(wanted) + 1):
            tail = words[at : at + len(wanted)]
            is_last = tail[-1].startswith(wanted[-1]) if term.is_prefix else tail[-1] == wanted[-1]
            if tail[:-1] == wanted[:-1] and is_last:
                return True
    return False


def _excerpt(item: Item, terms: Sequence[Term]) -> str:
    wanted = [one for term in terms for one in _wanted(term)]
    shown = [_marked(word, wanted) for word in str(item["title"]).split()]
    return " ".join(shown)


def _marked(word: str, wanted: Sequence[tuple[str, bool]]) -> str:
    plain = "".join(letter for letter in word if letter.isprintable())
    parts = list(words_of(folded(plain)))
    is_found = any(part.startswith(one) if is_begun else part == one for part in parts for one, is_begun in wanted)
    return f"\x02{plain}\x03" if is_found else plain
