"""What the tracker tells of the browser it runs in: driven by a program, a screen or a zone that nobody has."""

import re
from functools import cache
from zoneinfo import available_timezones

from footfall.screening.labels import Reason

SIDE_MAX = 32_767  # Walls of screens have 16,000 dots; no browser tells of more than 32,767.
REMEMBERED_MAX = 20_000
QUARTER = 15  # Every zone is some quarters of an hour from Greenwich.
WEST_MAX, EAST_MAX = -12 * 60, 14 * 60  # the minutes of the zones that are furthest

_DRIVEN = ("driven", "true")
_SCREEN = re.compile(r"(-?[0-9]+)(?:\.[0-9]+)?(?:x(-?[0-9]+)(?:\.[0-9]+)?)?")
_OFFSET = re.compile(r"(?:GMT)?([+-])([0-9]{2}):?([0-9]{2})")
_BETWEEN = re.compile(r"[\s,]+")
_UNKNOWN = frozenset(("", "Etc/Unknown", "undefined", "null", "false"))  # What a browser does not know is no lie.


class Clients(dict[str, Reason]):
    """Why a client is none of a person's: `clients[text]`, Reason.NONE when nothing speaks against it.

    The text has words with commas or spaces between: `1920x1080` or `1920`, `GMT+0200` or `Europe/Helsinki`, `driven`.
    The tracker writes `true,1920,GMT+0200`, the first word only if it knows.
    """

    def __missing__(self, text: str) -> Reason:
        reason = reason_of_client(text)
        if len(self) >= REMEMBERED_MAX:
            self.clear()
        self[text] = reason
        return reason


def reason_of_client(text: str) -> Reason:
    """Return what speaks against a client."""
    words = _BETWEEN.split(text)
    if any(word in _DRIVEN for word in words):
        return Reason.HEADLESS
    return Reason.NONE if all(_is_possible(word) for word in words) else Reason.IMPOSSIBLE


def _is_possible(word: str) -> bool:
    screen = _SCREEN.fullmatch(word)
    if screen is not None:
        return all(len(side) <= 5 and 0 < int(side) <= SIDE_MAX for side in screen.groups() if side is not None)
    offset = _OFFSET.fullmatch(word)
    if offset is not None:
        minutes = int(offset[1] + "1") * (int(offset[2]) * 60 + int(offset[3]))
        return WEST_MAX <= minutes <= EAST_MAX and minutes % QUARTER == 0
    return word in _UNKNOWN or word in _zones()


@cache
def _zones() -> frozenset[str]:
    return frozenset(available_timezones())
