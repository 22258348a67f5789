"""What an answer is made of, whoever keeps it: the sums of a span and of the one before, and what is known of them."""

from dataclasses import dataclass
from typing import Protocol

from footfall.flow.serve.directory import Directory
from footfall.flow.serve.query import PopularQuery
from footfall.flow.serve.sheets import Sheet


@dataclass(frozen=True, slots=True)
class View:
    """The sums that one question is answered from."""

    directory: Directory
    sheet: Sheet
    before: Sheet | None  # what change compares with; None when not all of it is kept
    max_age_s: int
    final: bool | None  # whether no hit can change it any more; None when that is not to be said
    kept_since_ms: int | None  # Windows that ended by then were asked for and are not kept; None: all are there.


class Viewed(Protocol):
    """Whatever has the sums for a question."""

    def view(self, query: PopularQuery) -> View:
        """Return the sums that the question is about."""
        ...
