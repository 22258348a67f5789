"""What the front has counted since it started: plain numbers, read when somebody asks."""

from collections import Counter
from dataclasses import dataclass, field


@dataclass(slots=True)
class Totals:
    """What the front has counted since it started."""

    hits_accepted: int = 0
    hits_refused: int = 0
    posts_refused: Counter[int] = field(default_factory=Counter[int])  # by status
