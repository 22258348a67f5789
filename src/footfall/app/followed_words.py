"""Whose lists show something else, because their catalogue, what editors did, or the mode of screening is another."""

import logging
from collections.abc import Callable, Collection

from footfall.flow.serve.words import Words
from footfall.ports.errors import PortError

_log = logging.getLogger(__name__)

# The catalogue's version, the mark of editors' acts, and whether suspected hits are shown.
Seen = tuple[int, tuple[int, int], bool]


class FollowedWords:
    """What the answers of each brand were made with, at least."""

    def __init__(self, words: Words, shows_suspected: Callable[[str], bool]) -> None:
        self._words = words
        self._shows_suspected = shows_suspected
        self._seen: dict[str, Seen] = {}
        self._changes = 0  # of editors, in all brands

    def begin(self, brand: str) -> None:
        """Look at a brand that is asked for the first time."""
        if brand not in self._seen:
            self._seen[brand] = self._look(brand)

    def differing(self, brands: Collection[str]) -> set[str]:
        """Look at the brands and return those that changed; others are not asked for any more."""
        for brand in self._seen.keys() - set(brands):
            self._words.forget(brand)
            del self._seen[brand]
        found: set[str] = set()
        for brand in brands:
            try:
                seen = self._look(brand)
            except PortError as error:
                _log.warning("what is shown of %s stays as it is: %s", brand, error)
                continue
            if self._seen.get(brand) != seen:
                found.add(brand)
            self._seen[brand] = seen
        return found

    def edited(self, brands: Collection[str]) -> set[str]:
        """Return the brands whose edits changed or ended: in one read, and one for each brand after an act."""
        changes = self._words.changes()
        if changes != self._changes:
            self._changes = changes
            return self.differing(brands)
        return {brand for brand in brands if self._has_ended(brand)}

    def _has_ended(self, brand: str) -> bool:
        """Tell whether an act has come to its end since the last look, which the clock tells without a read."""
        seen = self._seen.get(brand)
        if seen is None or seen[1] == self._words.mark(brand):
            return False
        self._seen[brand] = seen[0], self._words.mark(brand), seen[2]
        return True

    def _look(self, brand: str) -> Seen:
        return self._words.look(brand), self._words.mark(brand), self._shows_suspected(brand)
