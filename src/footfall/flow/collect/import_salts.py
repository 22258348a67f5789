"""The secrets that the visitors of an imported log are hashed under: one for each of its days, gone with the import."""

from collections.abc import Callable, Collection, Sequence

from footfall.flow.collect.senders import SALT_BYTES, SALT_MS
from footfall.ports.table import Delete, Key, Put, Table, everything
from footfall.values.window import MOMENT_MS_MIN, Grain, next_window, window_of

RUN_DAYS = 31  # made at once: a log is read day after day, and each commit waits for the disk

_FIRST, _LAST = "import#", "import#~"


class ImportSalts:
    """Salts of imported days, beside those of the days that are lived through; an import that goes on finds its own."""

    def __init__(self, table: Table, *, random_bytes: Callable[[int], bytes], scrub: Callable[[], object]) -> None:
        self._table = table
        self._random_bytes = random_bytes
        self._scrub = scrub  # leaves no trace of what was deleted

    def of_days(self, brand: str, days: Sequence[int], *, now_ms: int) -> dict[int, bytes]:
        """Return salts of a brand's imported days by their starts: of the first always, of the others if it was new.

        Each ends by itself 47 hours after it was made.
        """
        found = {day: self._stored(_key(brand, day)) for day in days}
        if found[days[0]] is None:
            with self._table.together():  # One wait for the disk, however many are made.
                for day in days:
                    found[day] = self._stored(_key(brand, day)) or self._made(_key(brand, day), now_ms=now_ms)
        return {day: salt for day, salt in found.items() if salt is not None}

    def forget(self, brand: str, *, but: Collection[int] = ()) -> None:
        """Destroy the salts of a brand's imported days, but for those that somebody still needs."""
        kept = {_key(brand, day) for day in but}
        with self._table.together():
            for found in list(everything(self._table, brand, at_least=_FIRST, at_most=_LAST)):
                if found.key not in kept:
                    self._table.delete(Delete(found.key))
        self._scrub()

    def _made(self, key: Key, *, now_ms: int) -> bytes:
        fresh = self._random_bytes(SALT_BYTES)
        self._table.put(Put(key, {"salt": fresh}, expires_at_ms=now_ms + SALT_MS))
        return fresh

    def _stored(self, key: Key) -> bytes | None:
        item = self._table.get(key)
        salt = None if item is None else item.get("salt")
        return salt if isinstance(salt, bytes) else None


def run_of_days(day_start_ms: int, *, zone: str, now_ms: int) -> list[int]:
    """Return the starts of a day and of those after it whose salts are made with its own; none of the future."""
    days = [day_start_ms]
    if not MOMENT_MS_MIN <= day_start_ms <= now_ms:
        return days
    day = next_window(window_of(day_start_ms, Grain.DAY, zone), zone)
    while len(days) < RUN_DAYS and day.from_ms <= now_ms:
        days.append(day.from_ms)
        day = next_window(day, zone)
    return days


def _key(brand: str, day_start_ms: int) -> Key:
    return Key(brand, f"{_FIRST}{day_start_ms}")
