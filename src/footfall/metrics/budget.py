"""How much one question may read: a formula of shifts of formulas of shifts is short, and is millions of days.

What a question needs is walked through before anything of it is read, so that what is too much costs next to nothing.
What only reading tells, how many points and groups there are, is added up while reading.
"""

from dataclasses import dataclass

from footfall.metrics.calendar import Edges
from footfall.values.errors import Refused
from footfall.values.window import HOUR_MS

READ_MAX = 500_000  # days, or hours, of all metrics and their shifts: some seconds of a processor
READING_LEAST = 100  # days that a reading counts at least, for to begin one costs as much
ROWS_MAX = 8_000_000  # points of all readings together
CELLS_READ_MAX = 4_000_000  # values of all readings together, in 32 MB


@dataclass(slots=True)
class Budget:
    """What one question has used up."""

    readings: int = 0
    read: int = 0
    rows: int = 0
    cells: int = 0

    def take_reading(self, edges: Edges) -> None:
        """Count the values of a metric over some periods, or raise Refused when that is too much."""
        bounds = edges.bounds
        length = (bounds[-1] - bounds[0]) // (HOUR_MS if edges.is_hourly else 1)
        self.readings += 1
        self.read += max(length, READING_LEAST)
        if self.read > READ_MAX:
            unit = "hours" if edges.is_hourly else "days"
            reason = (
                f"{self.readings:,} readings of metrics and their shifts take {self.read:,} {unit} and there are more"
            )
            raise Refused("to", f"{reason}; one question reads at most {READ_MAX:,}: ask for a shorter span")

    def take_rows(self, count: int) -> None:
        """Count points that were read, or raise Refused when they are too many."""
        self.rows += count
        if self.rows > ROWS_MAX:
            reason = f"the metrics and their shifts have more than {ROWS_MAX:,} points together"
            raise Refused("to", f"{reason}; ask for a shorter span")

    def take_cells(self, count: int) -> None:
        """Count values that are kept on the way, or raise Refused when they are too many."""
        self.cells += count
        if self.cells > CELLS_READ_MAX:
            reason = f"the metrics and their shifts have {self.cells:,} values by period and group or more"
            raise Refused(
                "by", f"{reason}, at most {CELLS_READ_MAX:,} are worked on; ask for longer periods or fewer dimensions"
            )
