"""What a brand's accounts add to what screening found: verdicts that wait, and requests that proved nothing."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from footfall.accounts.proof_counts import REFUSED

if TYPE_CHECKING:
    from footfall.accounts.register import Register


@dataclass(frozen=True, slots=True)
class Judged:
    """What waits for an operator now, and requests that were refused for want of proof on a span's days, by kind."""

    waiting: int = 0
    refused: Mapping[str, int] = field(default_factory=dict[str, int])


def judged_of(register: "Register", brand: str, *, from_ms: int, to_ms: int) -> Judged:
    """Return what waits now, and what was refused on the days of UTC that a span touches."""
    unproven = register.unproven(brand, from_ms=from_ms, to_ms=to_ms - 1)
    refused = {line.why: count for line, count in sorted(unproven.items()) if line.outcome == REFUSED}
    return Judged(register.verdicts.waiting(brand), refused)
