"""The secrets that the visitors of an imported log are hashed under: one for each of its days, gone with the import."""

from collections.abc import Callable

from footfall.flow.collect.senders import SALT_BYTES, SALT_MS
from footfall.ports.errors import Changed
from footfall.ports.table import Absent, Delete, Key, Put, Table, everything

_FIRST, _LAST = "import#", "import#~"


class ImportSalts:
    """Salts of imported days, beside those of the days that are lived through; an import that goes on finds its own."""

    def __init__(self, table: Table, *, random_bytes: Callable[[int], bytes], scrub: Callable[[], object]) -> None:
        self._table = table
        self._random_bytes = random_bytes
        self._scrub = scrub  # leaves no trace of what was deleted

    def of_day(self, brand: str, day_start_ms: int, *, now_ms: int) -> bytes:
        """Return the salt of a brand's imported day; it ends by itself 47 hours after it was made."""
        key = Key(brand, f"{_FIRST}{day_start_ms}")
        salt = self._stored(key)
        if salt is None:
            fresh = self._random_bytes(SALT_BYTES)
            try:
                self._table.put(Put(key, {"salt": fresh}, expires_at_ms=now_ms + SALT_MS, expects=(Absent(),)))
            except Changed:
                salt = self._stored(key)
            return salt or fresh
        return salt

    def forget(self, brand: str) -> None:
        """Destroy the salts of a brand's imported days."""
        for found in list(everything(self._table, brand, at_least=_FIRST, at_most=_LAST)):
            self._table.delete(Delete(found.key))
        self._scrub()

    def _stored(self, key: Key) -> bytes | None:
        item = self._table.get(key)
        salt = None if item is None else item.get("salt")
        return salt if isinstance(salt, bytes) else None
