"""What a change of a metric would take away: points that could not be read any more, and what others are grouped by.

Numbers must not vanish by a change that looks like any other. Whoever wants another kind of value defines another
metric, and chains it to this one where the old numbers should go on.
"""

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from itertools import islice

from footfall.metrics import keys
from footfall.metrics.definition import Definition
from footfall.metrics.errors import ChangeLoses
from footfall.ports.table import Table, everything

DAYS_TOLD_MAX = 2_000  # Counting them reads them.
USERS_NAMED = 20

Lookup = Callable[[str], Definition | None]


@dataclass(frozen=True, slots=True)
class Altering:
    """A change of one metric of a brand."""

    brand: str
    before: Definition
    after: Definition

    def require_loses_nothing(self, table: Table, users: Callable[[], Iterable[str]], lookup: Lookup) -> None:
        """Raise ChangeLoses where the change would take data from the metric, or from those that use it."""
        name = self.before.name
        if (field := self._other_kind()) is not None:
            # Whether it is computed or not is no matter for those who use it, as long as no points are lost.
            is_computed = self.before.is_hybrid or self.after.is_hybrid
            told = list(islice(users(), USERS_NAMED)) if field == "valueType" and not is_computed else []
            if (days := self._days(table)) or told:
                what = f"it is {self._words(self.before)} and cannot become {self._words(self.after)}"
                raise ChangeLoses(field, name, users=told, days=days, days_max=DAYS_TOLD_MAX, what=what)
        gone = self._gone_dimensions()
        if gone:
            told = list(islice((one for one in users() if _has_any(one, gone, lookup)), USERS_NAMED))
            if (days := self._days(table)) or told:
                what = f"it cannot lose {', '.join(gone)}"
                raise ChangeLoses("relatedDimensions", name, users=told, days=days, days_max=DAYS_TOLD_MAX, what=what)

    def require_users_keep_numbers(self, users: Callable[[], Iterable[str]]) -> None:
        """Raise ChangeLoses where a metric that others use would be computed no more, and have no points yet."""
        before, after = self.before, self.after
        if before.is_hybrid and not after.is_hybrid and after.source is None:
            told = list(islice(users(), USERS_NAMED))
            if told:
                what = f"it is computed, and would be {self._words(after)} without any points"
                raise ChangeLoses("valueType", before.name, users=told, days=0, days_max=DAYS_TOLD_MAX, what=what)

    def _other_kind(self) -> str | None:
        """Return the field by which the points of a metric become unreadable, None where they do not."""
        if self.before.value_type is not self.after.value_type:
            return "valueType"
        return "source" if self.before.source is None and self.after.source is not None else None

    def _gone_dimensions(self) -> list[str]:
        return sorted({*self.before.related_dimensions} - {*self.after.related_dimensions})

    def _days(self, table: Table) -> int:
        """Return how many days have points."""
        if self.before.is_hybrid or self.before.source is not None:
            return 0
        found = everything(table, keys.points(self.brand, self.before.name), at_most="9999-12-31")
        return sum(1 for _ in islice((one for one in found if "#" not in one.key.sort), DAYS_TOLD_MAX + 1))

    def _words(self, definition: Definition) -> str:
        counted = "" if definition.source is None else f" of {definition.source.counts}"
        return f"{definition.value_type}{counted}"


def _has_any(user: str, dimensions: Iterable[str], lookup: Lookup) -> bool:
    """Tell whether a metric can be grouped by any of these: all that it is made of has it."""
    common: set[str] | None = None
    seen, waiting = {user}, [user]
    while waiting:
        definition = lookup(waiting.pop())
        if definition is None:
            continue
        if not definition.is_hybrid:
            mine = {*definition.related_dimensions}
            common = mine if common is None else common & mine
        fresh = {*definition.needed_metrics} - seen
        seen |= fresh
        waiting.extend(fresh)
    return bool((common or set()) & {*dimensions})
