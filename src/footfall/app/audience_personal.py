"""All that is kept of a thing, by whichever part of the audience: handed out, and erased.

Erasing goes in steps that can be repeated: whatever stops one, the next goes on with what is still there.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from footfall.app import audience_history, audience_playbacks, audience_watched
from footfall.app.audience_opening import Audience
from footfall.audience import personal
from footfall.audience.things import Thing

ERASED_AT_ONCE = 100  # items of one step

Row = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class PersonalPart:
    """What one part of the audience keeps of a thing."""

    name: str
    exported: Callable[[Audience, str, Thing], Iterator[Row]]  # of a brand's thing
    erase_some: Callable[[Audience, str, Thing, int], int]  # up to so many items; how many there were, 0: none is left


def _exported_follows(audience: Audience, brand: str, thing: Thing) -> Iterator[Row]:
    return personal.exported(audience.follows, brand, thing)


def _erase_follows(audience: Audience, brand: str, thing: Thing, limit: int) -> int:
    return personal.erase_some(audience.follows, brand, thing, limit)


# All that keeps anything of members; the watch log first, which is one write: whoever stops early has erased names.
PARTS: Sequence[PersonalPart] = (
    PersonalPart("watched", audience_watched.exported, audience_watched.erase_some),
    PersonalPart("follows", _exported_follows, _erase_follows),
    PersonalPart("history", audience_history.exported, audience_history.erase_some),
    PersonalPart("playbacks", audience_playbacks.exported, audience_playbacks.erase_some),
)


@dataclass(frozen=True, slots=True)
class Erased:
    """What a step of erasing came to."""

    items: int
    is_done: bool


def exported(audience: Audience, brand: str, thing: Thing) -> Iterator[Row]:
    """Yield all that is kept of a thing, each row with the part that keeps it."""
    for part in PARTS:
        for row in part.exported(audience, brand, thing):
            yield {"part": part.name, **row}


def erase_some(audience: Audience, brand: str, thing: Thing, *, limit: int = ERASED_AT_ONCE) -> Erased:
    """Erase some of what is kept of a thing."""
    items = 0
    for part in PARTS:
        while found := part.erase_some(audience, brand, thing, limit - items):
            items += found
            if items >= limit:
                return Erased(items, is_done=False)
    return Erased(items, is_done=True)
