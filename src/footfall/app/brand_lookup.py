"""What the processes that only read know of brands: zones and periods, as they are stored at this moment."""

from collections.abc import Callable, Mapping

from footfall.accounts.brands import Brand
from footfall.accounts.judged import Judged, judged_of
from footfall.accounts.register import Register
from footfall.app.settings import Settings
from footfall.values.clock import Clock
from footfall.values.groups import brand_of_group
from footfall.values.period import Period, Span

REFRESH_MS = 200  # How long a changed brand may still be taken for what it was.
PAID_REFRESH_MS = 10_000  # The same, where each look costs money.


class BrandLookup:
    """The brands of the settings and of the register; a stored one wins.

    A zone never changes once hits were taken, and a brand is stored before its first hit is. So one that was found may
    be remembered, and one that was not is looked for again each time: no hit is ever counted in a wrong zone.
    """

    def __init__(
        self,
        settings: Settings,
        opened: Callable[[], Register | None],
        *,
        clock: Clock,
        refresh_ms: int = REFRESH_MS,
    ) -> None:
        self._settings = settings
        self._opened = opened
        self._clock = clock
        self._refresh_ms = refresh_ms
        self._register: Register | None = None
        self._found: dict[str, Brand] = {}
        self._version = 0
        self._looked_at_ms = 0

    def brand(self, name: str) -> Brand:
        """Return the brand whose name or windows these are; one that was made up lives in UTC."""
        name = brand_of_group(name)
        self._refresh(is_due=name not in self._found)
        found = self._found.get(name) or self._looked_up(name)
        if found is not None:
            self._found[name] = found
        return found or Brand(name)

    def zone_of(self, name: str) -> str:
        """Return the zone of a brand's hours and days."""
        return self.brand(name).zone

    def periods(self, name: str) -> Mapping[str, Period]:
        """Return the periods of a brand: those of the settings, and its own in their place."""
        own = self.brand(name).periods
        return {**self._settings.periods, **own} if own else self._settings.periods

    def shows_suspected(self, name: str) -> bool:
        """Tell whether the brand's lists show suspected hits with those of persons."""
        return self.brand(name).shows_suspected

    def judged(self, name: str, span: Span) -> Judged:
        """Return what waits for an operator now, and what was refused on the days of a span."""
        register = self._open_register()
        if register is None:
            return Judged()
        return judged_of(register, name, from_ms=span.from_ms, to_ms=span.to_ms)

    def is_known(self, name: str) -> bool:
        """Tell whether the brand is stored or named by the settings at this moment."""
        register = self._open_register()
        return name in self._settings.brands or (register is not None and register.brand(name) is not None)

    def version(self) -> int:
        """Return a number that grows when any brand changes."""
        self._refresh(is_due=False)
        return self._version

    def _refresh(self, *, is_due: bool) -> None:
        now_ms = self._clock.now_ms()
        if not is_due and 0 <= now_ms - self._looked_at_ms < self._refresh_ms:
            return
        self._looked_at_ms = now_ms
        register = self._open_register()
        version = register.version() if register is not None else 0
        if version != self._version:
            self._version = version
            self._found.clear()

    def _looked_up(self, name: str) -> Brand | None:
        register = self._open_register()
        stored = register.brand(name) if register is not None else None
        if stored is not None:
            return stored
        if name in self._settings.brands:
            return self._settings.brands[name]
        # One that was removed, or taken out of the settings, still has windows to be finished in its zone.
        zone = register.zone_in_use(name) if register is not None else None
        return Brand(name, zone=zone) if zone is not None else None

    def _open_register(self) -> Register | None:
        if self._register is None:
            self._register = self._opened()
        return self._register
