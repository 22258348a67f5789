"""All that is kept of a thing, by whichever part of the audience: handed out, and erased.

Erasing goes in steps that can be repeated: whatever stops one, the next goes on with what is still there.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial

from footfall.app import audience_history, audience_playbacks, audience_watched
from footfall.app.audience_opening import Audience
from footfall.audience import personal
from footfall.audience.kept_lists import Kept, Row, Rows
from footfall.audience.things import Thing
from footfall.ports.table import Found

ERASED_AT_ONCE = 100  # items of one step


@dataclass(frozen=True, slots=True)
class PersonalPart:
    """What one part of the audience keeps of a thing."""

    name: str
    kept: Callable[[Audience, str, Thing], Sequence[Kept]]  # of a brand's thing
    erase_some: Callable[[Audience, str, Thing, int], int]  # up to so many items; how many there were, 0: none is left


def _kept_follows(audience: Audience, brand: str, thing: Thing) -> Sequence[Kept]:
    return personal.kept(audience.follows, brand, thing)


def _erase_follows(audience: Audience, brand: str, thing: Thing, limit: int) -> int:
    return personal.erase_some(audience.follows, brand, thing, limit)


# All that keeps anything of members; the watch log first, which is one write: whoever stops early has erased names.
PARTS: Sequence[PersonalPart] = (
    PersonalPart("watched", audience_watched.kept, audience_watched.erase_some),
    PersonalPart("follows", _kept_follows, _erase_follows),
    PersonalPart("history", audience_history.kept, audience_history.erase_some),
    PersonalPart("playbacks", audience_playbacks.kept, audience_playbacks.erase_some),
)


@dataclass(frozen=True, slots=True)
class Erased:
    """What a step of erasing came to."""

    items: int
    is_done: bool


def kept(audience: Audience, brand: str, thing: Thing) -> list[Kept]:
    """Return all that is kept of a thing, each row with the part that keeps it."""
    return [
        replace(one, part=part.name, rows=partial(_with_part, part.name, one.rows))
        for part in PARTS
        for one in part.kept(audience, brand, thing)
    ]


def _with_part(part: str, rows: Rows, found: Sequence[Found]) -> Iterator[Row]:
    return ({"part": part, **row} for row in rows(found))


def erase_some(audience: Audience, brand: str, thing: Thing, *, limit: int = ERASED_AT_ONCE) -> Erased:
    """Erase some of what is kept of a thing."""
    items = 0
    for part in PARTS:
        while found := part.erase_some(audience, brand, thing, limit - items):
            items += found
            if items >= limit:
                return Erased(items, is_done=False)
    return Erased(items, is_done=True)
