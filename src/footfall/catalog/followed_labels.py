"""The catalogue's labels where other processes write the catalogue: what changed is looked for every few seconds."""

from collections.abc import Iterable
from dataclasses import dataclass

from footfall.catalog.catalogue import Catalogue
from footfall.catalog.labels import ASSETS_AT_HAND_MAX, BRANDS_AT_HAND_MAX, KnownLabels
from footfall.ports.table import Table
from footfall.values.clock import Clock

FOLLOW_MS = 10_000  # How long a changed label may still be the old one; each look is a read for each brand in use.


@dataclass(frozen=True, slots=True)
class Looked:
    """The version of a brand's catalogue, and when it was looked at."""

    version: int
    at_ms: int


class FollowedLabels(KnownLabels):
    """Labels that are at most some seconds older than the catalogue, whoever writes it."""

    def __init__(self, table: Table, *, clock: Clock, assets_max: int = ASSETS_AT_HAND_MAX) -> None:
        super().__init__(table, assets_max=assets_max)
        self._clock = clock
        self._catalogue = Catalogue(table, clock)
        self._looked: dict[str, Looked] = {}

    def has_any(self, brand: str) -> bool:
        """Tell whether anything was ever put into the brand's catalogue, having looked for changes when that is due."""
        looked = self._looked.get(brand)
        now_ms = self._clock.now_ms()
        if looked is None or not 0 <= now_ms - looked.at_ms < FOLLOW_MS:
            looked = self._follow(brand, looked, now_ms)
        return looked.version > 0

    def forget(self, brand: str, assets: Iterable[str]) -> None:
        """Look these assets up again when they are next asked for, because they were written here."""
        super().forget(brand, assets)
        looked = self._looked.get(brand)
        if looked is not None:
            self._looked[brand] = Looked(looked.version, 0)  # The next look is due.

    def _follow(self, brand: str, before: Looked | None, now_ms: int) -> Looked:
        if len(self._looked) >= BRANDS_AT_HAND_MAX:
            self._looked.clear()
            self.forget_all()
            before = None
        version = self.version(brand)
        if before is not None and version != before.version:
            changed = self._catalogue.changed_since(brand, before.version)
            if changed is None:  # It was away for so long that nobody knows any more.
                self.forget_all()
            else:
                super().forget(brand, changed)
        looked = self._looked[brand] = Looked(version, now_ms)
        return looked
