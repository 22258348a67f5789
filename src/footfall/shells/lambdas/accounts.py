"""Brands and keys in a function: as the table has them, looked at again every ten seconds.

Whoever changes a brand goes by the change at once; other functions go by it when they look next.
"""

import logging
from collections.abc import Callable, Mapping
from typing import TypeVar

from footfall.accounts.brands import Brand, Brands
from footfall.accounts.judged import Judged, judged_of
from footfall.accounts.keyring import Keyring
from footfall.accounts.proof_counts import ProofCounts
from footfall.accounts.register import Register, Registered
from footfall.app.settings import Settings
from footfall.ports.errors import PortError
from footfall.shells.lambdas.gauges import emit
from footfall.values.clock import Clock
from footfall.values.period import Period, Span

LOOK_MS = 10_000  # How long a changed brand or a revoked key may still be taken for what it was; one read each time.
NOTE_USES_MS = 60_000

_T = TypeVar("_T")
_log = logging.getLogger(__name__)


class StoredAccounts:
    """Keeps the brands and keys in memory as they were at the last look."""

    def __init__(
        self,
        opened: Callable[[], Register],
        brands: Brands,
        keyring: Keyring,
        *,
        counts: ProofCounts,
        clock: Clock,
        follow: Callable[[Register], None] = lambda _register: None,
    ) -> None:
        self._open = opened
        self._brands = brands
        self._keyring = keyring
        self._counts = counts
        self._clock = clock
        self._follow = follow  # of whoever else goes by what is stored
        self._opened: Register | None = None
        self._version: int | None = None  # None before the first look
        self._looked_at_ms = 0
        self._noted_at_ms = clock.now_ms()

    def refresh(self) -> None:
        """Take in what has changed, if a look is due; raise when nothing is known yet and nothing can be read."""
        now_ms = self._clock.now_ms()
        if self._version is not None and 0 <= now_ms - self._looked_at_ms < LOOK_MS:
            return
        try:
            self._look()
        except PortError as error:
            if self._version is None:
                raise
            _log.warning("brands and keys stay as they are: %s", error)
        self._looked_at_ms = now_ms

    async def change(self, name: str, do: Callable[[Register], _T]) -> _T:
        """Change a brand or its keys and return what came of it, once this function goes by it."""
        try:
            return do(self._register)
        finally:
            self._take({name: self._register.registered(name)})
            self._follow(self._register)

    async def look(self, do: Callable[[Register], _T]) -> _T:
        """Return what the table says."""
        return do(self._register)

    async def note_uses(self) -> None:
        """Write down the hours in which keys were used, those that are not written yet."""
        self._noted_at_ms = now_ms = self._clock.now_ms()
        self._keyring.turn_hour(now_ms=now_ms)
        due = self._keyring.uses_to_note()
        if not due:
            return
        try:
            self._register.note_uses(due)
            for name in {record.brand for record, _ in due}:
                self._keyring.replace(name, self._register.keys(name))
        except PortError as error:
            _log.warning("the last use of %d keys is not written yet: %s", len(due), error)
            return
        self._keyring.forget_unknown_uses()

    def store_counts(self) -> None:
        """Write down which requests did not prove themselves, those that are not written yet."""
        counts = self._counts.take_unstored()
        if not counts:
            return
        try:
            self._register.add_unproven(counts)
        except PortError as error:
            self._counts.give_back(counts)
            _log.warning("counts of unproven requests are not written yet: %s", error)
            return
        emit(UnprovenRequests=counts.total(), clock=self._clock)

    @property
    def is_noting_due(self) -> bool:
        """Tell whether it is time to write down which keys were used."""
        return not 0 <= self._clock.now_ms() - self._noted_at_ms < NOTE_USES_MS

    def note_zones(self, brands: tuple[Brand, ...]) -> None:
        """Write down the zones of the brands that need no keys, where they are news."""
        self._register.note_zones(brands)

    @property
    def _register(self) -> Register:
        if self._opened is None:
            self._opened = self._open()
        return self._opened

    def _look(self) -> None:
        version = self._register.version()
        if version != self._version:
            # What is read now may be newer than the version; it is then read once more.
            self._take(self._register.all())
            self._follow(self._register)
            self._version = version
        self._keyring.turn_hour(now_ms=self._clock.now_ms())

    def _take(self, found: Mapping[str, Registered]) -> None:
        stored = [one.brand for one in found.values() if one.brand is not None]
        self._brands.take_stored(stored, removed=[name for name, one in found.items() if one.was_removed])
        for name, one in found.items():
            self._keyring.replace(name, one.keys)


class KnownBrands:
    """What lists need to know of brands, from those that a function has in memory."""

    def __init__(self, settings: Settings, brands: Brands, opened: Callable[[], Register]) -> None:
        self._settings = settings
        self._brands = brands
        self._opened = opened

    def zone_of(self, name: str) -> str:
        """Return the zone of a brand's hours and days."""
        return (self._brands.named(name) or Brand(name)).zone

    def periods(self, name: str) -> Mapping[str, Period]:
        """Return the periods of a brand: those of the settings, and its own in their place."""
        brand = self._brands.named(name)
        return {**self._settings.periods, **brand.periods} if brand is not None else self._settings.periods

    def shows_suspected(self, name: str) -> bool:
        """Tell whether the brand's lists show suspected hits with those of persons."""
        return (self._brands.named(name) or Brand(name)).shows_suspected

    def judged(self, name: str, span: Span) -> Judged:
        """Return what waits for an operator now, and what was refused on the days of a span."""
        return judged_of(self._opened(), name, from_ms=span.from_ms, to_ms=span.to_ms)
