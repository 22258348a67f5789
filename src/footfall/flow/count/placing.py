"""Which window a hit is counted into first: its minute, or, when it is so old that minutes have gone, its hour or day.

A pure function of the hit's time, its record's arrival and how long windows are kept, so that a record that is read
again goes to the same place. A minute that has expired would be written only to be thrown away, once for every minute
of a log of years.
"""

from collections.abc import Callable, Mapping, Sequence
from typing import TypeVar

from footfall.flow.stream.moments import span_of
from footfall.values.window import MINUTE_MS, Grain, Window, window_of

T = TypeVar("T")
Place = int | Window  # the start of a minute, or an hour or a day
LARGER_GRAINS = (Grain.HOUR, Grain.DAY)  # Five minutes are not kept: whoever asks for them reads minutes.


class Placing:
    """Knows how long windows are kept, and every brand's zone."""

    def __init__(self, *, kept_ms: Mapping[Grain, int], zone_of: Callable[[str], str]) -> None:
        self._minutes_ms = kept_ms[Grain.MINUTE]
        # Where minutes are kept for longer than hours, they stand for the hours until they go too.
        self._hours_ms = max(kept_ms[Grain.HOUR], kept_ms[Grain.MINUTE])
        self._zone_of = zone_of

    def place(self, brand: str, at_ms: int, *, arrived_at_ms: int) -> Place:
        """Return where a hit is counted."""
        return self.placed(self._zone_of(brand), at_ms, arrived_at_ms)[0]

    def zone_of(self, brand: str) -> str:
        """Return the zone of a brand's hours and days."""
        return self._zone_of(brand)

    def hour_of(self, brand: str, place: Place) -> int:
        """Return the start of the hour with which a place is swapped in when it is counted again."""
        at_ms = place if isinstance(place, int) else place.to_ms - 1
        return window_of(at_ms, Grain.HOUR, self._zone_of(brand)).from_ms

    def by_place(
        self, brand: str, at_ms: Sequence[int], column: Sequence[T], *, arrived_at_ms: int
    ) -> dict[Place, list[T]]:
        """Return a column of hits in groups; runs of one place, as a log in its order has them, cost little."""
        groups: dict[Place, list[T]] = {}
        group: list[T] = []
        zone, from_ms, to_ms = self._zone_of(brand), 0, 0
        for moment_ms, one in zip(at_ms, column, strict=True):
            if not from_ms <= moment_ms < to_ms:
                place, from_ms, to_ms = self.placed(zone, moment_ms, arrived_at_ms)
                group = groups.setdefault(place, [])
            group.append(one)
        return groups

    def only_place(self, brand: str, at_ms: Sequence[int], *, arrived_at_ms: int) -> Place | None:
        """Return where all of some hits are counted; None when they lie at several places."""
        first_ms, last_ms = span_of(at_ms)
        place, _, to_ms = self.placed(self._zone_of(brand), first_ms, arrived_at_ms)
        return place if last_ms < to_ms else None

    def placed(self, zone: str, at_ms: int, arrived_at_ms: int) -> tuple[Place, int, int]:
        """Return where a hit is counted, and the bounds within which others that arrived then go there as well."""
        if arrived_at_ms - at_ms > self._minutes_ms:
            day = window_of(at_ms, Grain.DAY, zone)
            if arrived_at_ms - day.to_ms > self._hours_ms:
                return day, day.from_ms, day.to_ms
            hour = window_of(at_ms, Grain.HOUR, zone)
            # An hour that has gone must not come back with nothing but the hits that came too late for it.
            if arrived_at_ms - hour.to_ms > self._hours_ms:
                return day, hour.from_ms, hour.to_ms
            # An hour goes one way as a whole: where any of its minutes is kept, all of it is counted by minutes.
            if arrived_at_ms - hour.to_ms > self._minutes_ms:
                return hour, hour.from_ms, hour.to_ms
        start_ms = at_ms - at_ms % MINUTE_MS
        return start_ms, start_ms, start_ms + MINUTE_MS

    def windows(self, brand: str, place: Place) -> list[Window]:
        """Return every window that the hits of a place are part of, the finest first."""
        if isinstance(place, int):
            grains, start_ms = (Grain.MINUTE, *LARGER_GRAINS), place
        else:
            grains, start_ms = LARGER_GRAINS[LARGER_GRAINS.index(place.grain) :], place.from_ms
        return [window_of(start_ms, grain, self._zone_of(brand)) for grain in grains]
