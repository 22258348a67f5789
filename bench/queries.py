"""Questions in the mix that the page-hit-counter thesis found in a year of calls (its table 4.1).

Percentages are of requests: a kind is drawn by its share, then one of its queries by Zipf. How periods and lengths of
lists were spread the thesis does not say; here they are spread evenly over what it names.
"""

from collections.abc import Iterable

import numpy as np

from bench.instance import BRAND
from bench.traffic import FIRST_SECTION, PAID, SECTIONS, TYPES

SHARES = {
    ("section", "resourceType"): 65.1,
    (): 15.2,
    ("section",): 6.9,
    ("resourceType",): 6.0,
    ("paidType",): 5.4,
    ("resourceType", "paidType"): 1.3,
}
PERIODS = ("justnow", "day", "week")
LIMITS = (5, 100)  # Lists on sites and in applications show that many.
ZIPF = 1.0

Kind = tuple[str, ...]


class Questions:
    """A source of distinct questions."""

    def __init__(self, seed: int, periods: tuple[str, ...] = PERIODS) -> None:
        self._chance = np.random.default_rng(seed)
        self._periods = periods
        self._asked: set[str] = set()

    def mix(self, count: int, *, length: int) -> tuple[list[str], list[int]]:
        """Return distinct targets by the thesis' shares, and an order in which to ask them."""
        targets: list[str] = []
        order = np.zeros(length, np.intp)
        kinds = list(SHARES)
        shares = np.array(list(SHARES.values())) / sum(SHARES.values())
        drawn = self._chance.choice(len(kinds), length, p=shares)
        for number, kind in enumerate(kinds):
            own = [self.fresh(kind) for _ in range(max(1, round(count * float(shares[number]))))]
            weights = 1.0 / np.arange(1, len(own) + 1) ** ZIPF
            is_own = drawn == number
            picks = self._chance.choice(len(own), int(is_own.sum()), p=weights / weights.sum())
            order[is_own] = picks + len(targets)
            targets += own
        return targets, order.tolist()

    def fresh(self, kind: Kind) -> str:
        """Return a question that has not been asked before."""
        while True:
            target = self._target(kind)
            if target not in self._asked:
                self._asked.add(target)
                return target

    def unheard(self, count: int) -> list[str]:
        """Return questions with filters that have not been asked before."""
        return [self.fresh(("section", "resourceType")) for _ in range(count)]

    def _target(self, kind: Kind) -> str:
        chance = self._chance
        parts = [f"brand={BRAND}", f"period={self._periods[int(chance.integers(len(self._periods)))]}"]
        if "section" in kind:
            parts.append(f"section={','.join(str(FIRST_SECTION + one) for one in self._sections())}")
        if "resourceType" in kind:
            parts.append(f"resourceType={TYPES[int(chance.integers(len(TYPES)))]}")
        if "paidType" in kind:
            parts.append(f"paidType={PAID[int(chance.integers(len(PAID)))]}")
        return f"/v1/popular?{'&'.join(parts)}&limit={int(chance.integers(LIMITS[0], LIMITS[1] + 1))}"

    def _sections(self) -> Iterable[int]:
        """Half ask for one section; the others for 25 on average, which makes 13 in all."""
        count = 1 if self._chance.random() < 0.5 else int(self._chance.integers(2, SECTIONS - 1))
        return sorted(self._chance.choice(SECTIONS, count, replace=False).tolist())
