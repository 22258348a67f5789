"""Named counters in a function: one request at a time, so all is done at once."""

from collections.abc import Callable, Sequence
from typing import TypeVar

from footfall.ports.stream import Appended, Entry
from footfall.ports.table import Table
from footfall.shells.http.commits import appended
from footfall.shells.lambdas.appends import Appends

READING_S_MAX = 10.0  # A function that answers has 15 (Timeout in the template); the rest is for writing and answering.

_T = TypeVar("_T")


class FunctionCounters:
    """Takes values to the stream and questions to the store, each opened when it is first needed."""

    reading_s_max = READING_S_MAX

    def __init__(self, appends: Callable[[], Appends], store: Callable[[], Table], *, shards: int) -> None:
        self._appends = appends
        self._store = store
        self.shards = shards

    async def beside(self, brand: str, work: Callable[[], _T]) -> _T:
        """Do some work now."""
        del brand
        return work()

    async def asked(self, brand: str, question: Callable[[Table], _T]) -> _T:
        """Return what the store answers."""
        del brand
        return question(self._store())

    async def append(self, entries: Sequence[Entry]) -> Sequence[Appended]:
        """Return what became of entries, or raise why the stream has none of them."""
        return await appended(self._appends(), entries)
