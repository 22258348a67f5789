"""A connection to somebody's database, as far as both kinds are alike: %s for values, tuples for rows."""

from collections.abc import Generator, Sequence
from contextlib import contextmanager
from typing import Protocol

from footfall.ports.errors import Throttled, Unavailable
from footfall.ports.relational import Cell

Values = Sequence[Cell]
Record = tuple[Cell, ...]


class Busy(Throttled):
    """Somebody else holds what is needed, or two of us stood in each other's way; nothing was written."""


class MissingDriver(Unavailable):
    """The package that speaks to this database is not installed; the message says how to install it."""


class Session(Protocol):
    """One connection. Statements outside a transaction take effect at once."""

    @property
    def is_lost(self) -> bool:
        """Tell whether the connection has to be made anew."""
        ...

    def rows(self, sql: str, values: Values = ()) -> list[Record]:
        """Return what a query finds."""
        ...

    def run(self, sql: str, values: Values = ()) -> int:
        """Run a statement and return how many rows it found."""
        ...

    def close(self) -> None:
        """Let go of the connection; again changes nothing."""
        ...


@contextmanager
def transaction(session: Session, begin: str) -> Generator[Session]:
    """Run the block in one transaction, which nothing stays of when the block fails."""
    session.run(begin)
    try:
        yield session
        session.run("COMMIT")
    except BaseException:
        if not session.is_lost:
            session.run("ROLLBACK")
        raise


def marks(values: Sequence[object]) -> str:
    """Return as many placeholders as there are values, for a list in parentheses."""
    return ", ".join(["%s"] * len(values))
