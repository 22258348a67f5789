"""The Searching port on SQLite's full-text index (FTS5), in a file of its own that can be made anew from captures.

Titles weigh most, then keywords, then addresses, then the text itself (bm25). Spaces are part of the statement, so that
a text of another space is neither found nor counted among the results. Several threads may use one FtsSearch, and
several processes one file.
"""

import os
import threading
import unicodedata
from collections.abc import Sequence

from footfall.adapters.embedded.database import Bound, Row, open_database, rows, transaction, translated
from footfall.ports.searching import Hit, Results, Term, Text, place_from, require_search, terms_of
from footfall.values.words import JOINT, spaced

LAYOUT_VERSION = 1
EXCERPT_WORDS = 32  # FTS5 takes at most 64.

_LAYOUT = """
    CREATE TABLE texts (number INTEGER PRIMARY KEY, id TEXT NOT NULL UNIQUE, at_us INTEGER NOT NULL);
    CREATE TABLE spaces (
        space TEXT NOT NULL,
        number INTEGER NOT NULL,
        PRIMARY KEY (number, space)
    ) WITHOUT ROWID;
    CREATE VIRTUAL TABLE words USING fts5 (
        title, keywords, address, body, tokenize = "unicode61 remove_diacritics 2", prefix = '2 3'
    );
"""
_WEIGHTS = "10.0, 5.0, 3.0, 1.0"  # of the columns, in their order
_SEARCH = f"""
    SELECT texts.id, snippet(words, -1, char(2), char(3), '…', {EXCERPT_WORDS})
    FROM words CROSS JOIN texts ON texts.number = words.rowid
    WHERE words MATCH ? AND EXISTS (
        SELECT 1 FROM spaces WHERE spaces.number = words.rowid AND spaces.space IN (%s)
    )
    ORDER BY bm25(words, {_WEIGHTS}), texts.at_us DESC, texts.id LIMIT ? OFFSET ?
"""  # noqa: S608 - the only part that is put in is question marks


class FtsSearch:
    """Texts in one SQLite file, or in memory."""

    def __init__(self, path: str | os.PathLike[str], *, durable: bool = True) -> None:
        self._connection = open_database(path, durable=durable)
        self._lock = threading.Lock()
        with translated(self._connection), transaction(self._connection):
            self.is_new = rows(self._connection, "PRAGMA user_version")[0][0] != LAYOUT_VERSION
            if self.is_new:  # What an older release made is made anew from captures, and so is a new file.
                self._make()

    def add(self, text: Text) -> None:
        """Let a text be found, in the place of what was there under its id."""
        with self._lock, translated(self._connection), transaction(self._connection):
            self._remove(text.id)
            rows(self._connection, "INSERT INTO texts (id, at_us) VALUES (?, ?)", (text.id, text.at_us))
            number = self._connection.last_insert_rowid()
            for space in dict.fromkeys(text.spaces):
                rows(self._connection, "INSERT INTO spaces (space, number) VALUES (?, ?)", (space, number))
            columns = (text.title, ", ".join(text.keywords), text.address, text.body)
            rows(
                self._connection,
                "INSERT INTO words (rowid, title, keywords, address, body) VALUES (?, ?, ?, ?, ?)",
                (number, *map(_indexed, columns)),
            )

    def remove(self, id: str) -> None:
        """Let a text be found no more; nothing happens when there is none."""
        with self._lock, translated(self._connection), transaction(self._connection):
            self._remove(id)

    def search(self, query: str, *, spaces: Sequence[str], limit: int = 20, after: str | None = None) -> Results:
        """Return texts of these spaces that have all words of the query, the best first."""
        require_search(query, spaces=spaces, limit=limit)
        place = place_from(after)
        asked = " AND ".join(_phrase(term) for term in terms_of(query))
        if not asked or not spaces:
            return Results([], None)
        statement = _SEARCH % ", ".join("?" for _ in spaces)
        bound: Sequence[Bound] = (asked, *spaces, limit + 1, place)
        with self._lock, translated(self._connection):
            found = rows(self._connection, statement, bound)
        return Results([_hit(row) for row in found[:limit]], str(place + limit) if len(found) > limit else None)

    def clear(self) -> None:
        """Forget every text, so that all can be added anew."""
        with self._lock, translated(self._connection), transaction(self._connection):
            self._make()

    def close(self) -> None:
        """Let go of the file."""
        with self._lock:
            self._connection.close()

    def _make(self) -> None:
        for name in ("words", "spaces", "texts"):
            rows(self._connection, f"DROP TABLE IF EXISTS {name}")
        rows(self._connection, _LAYOUT)
        rows(self._connection, f"PRAGMA user_version = {LAYOUT_VERSION}")

    def _remove(self, id: str) -> None:
        for (number,) in rows(self._connection, "SELECT number FROM texts WHERE id = ?", (id,)):
            rows(self._connection, "DELETE FROM words WHERE rowid = ?", (number,))
            rows(self._connection, "DELETE FROM spaces WHERE number = ?", (number,))
            rows(self._connection, "DELETE FROM texts WHERE number = ?", (number,))


def _phrase(term: Term) -> str:
    # A string of FTS5: quotes stand around it and none within, so that nothing in it can be syntax.
    words = " ".join(spaced(word) for word in term.words)
    return f'"{words}"*' if term.is_prefix else f'"{words}"'


def _indexed(text: str) -> str:
    # Marks around found words are control characters, so that a text must have none of its own.
    plain = "".join(" " if unicodedata.category(letter) in ("Cc", "Cs") else letter for letter in text)
    return spaced(plain)


def _hit(row: Row) -> Hit:
    id, excerpt = row
    return Hit(id, str(excerpt).replace(JOINT, ""))
