"""The catalogue in a function: written and read at once, one writer of a brand at a time among all functions."""

import secrets
from collections.abc import Callable, Generator, Sequence
from contextlib import contextmanager
from typing import TypeVar

from footfall.catalog.asset import Asset
from footfall.catalog.catalogue import Catalogue
from footfall.catalog.edits import Edits
from footfall.catalog.labels import KnownLabels
from footfall.catalog.lease import writing_alone
from footfall.ports.table import Table
from footfall.values.clock import Clock

_T = TypeVar("_T")


class FunctionCatalogue:
    """Reads and writes the catalogue."""

    def __init__(self, open_table: Callable[[], Table], labels: Callable[[], KnownLabels], *, clock: Clock) -> None:
        self._open_table = open_table
        self._labels = labels
        self._clock = clock
        self._holder = secrets.token_hex(8)

    @contextmanager
    def writing(self, brand: str) -> Generator[None]:
        """Be the brand's one writer for as long as the block lasts; raise Throttled when another one is."""
        with writing_alone(self._open_table(), brand, holder=self._holder, clock=self._clock):
            yield

    async def beside(self, work: Callable[[], _T]) -> _T:
        """Do what a write needs before it."""
        return work()

    async def put(self, brand: str, assets: Sequence[Asset]) -> int:
        """Write assets and return the catalogue's version then; inside `writing`."""
        catalogue = self._catalogue
        try:
            catalogue.put(brand, assets)
        finally:
            self._labels().forget(brand, [asset.id for asset in assets])
        return catalogue.version(brand)

    async def delete(self, brand: str, ids: Sequence[str]) -> int:
        """Forget assets and return how many of them were known."""
        with self.writing(brand):
            try:
                return self._catalogue.delete(brand, ids)
            finally:
                self._labels().forget(brand, ids)

    async def edit(self, change: Callable[[Edits], _T]) -> _T:
        """Change what editors have done to lists, and return what came of it; inside `writing`."""
        return change(self._catalogue.edits)

    async def asked(self, brand: str, question: Callable[[Catalogue], _T]) -> _T:
        """Return what the catalogue answers to a brand's question."""
        del brand
        return question(self._catalogue)

    @property
    def _catalogue(self) -> Catalogue:
        return Catalogue(self._open_table(), self._clock)
