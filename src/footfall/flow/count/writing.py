"""One group of writes, and what follows for whoever had a hand in it when it fails."""

from collections.abc import Generator, Sequence
from contextlib import contextmanager
from typing import Protocol

from footfall.ports.table import Table


class Doubtful(Protocol):
    """Whoever holds in hand what it believes to be stored."""

    def doubt(self) -> None:
        """Take nothing in hand for true any more."""
        ...


@contextmanager
def writing(table: Table, workers: Sequence[Doubtful]) -> Generator[None]:
    """Make one group of writes; if it fails, its workers start again from what the store holds."""
    try:
        with table.together():
            yield
    except BaseException:
        for worker in workers:
            worker.doubt()
        raise
