"""What the tracker tells of the browser it runs in: driven by a program, a screen or a zone that nobody has."""

import re
from functools import cache
from zoneinfo import available_timezones

from footfall.screening.labels import Reason

SIDE_MAX = 32_767  # Walls of screens have 16,000 dots; no browser tells of more than 32,767.
REMEMBERED_MAX = 20_000
DRIVEN = "driven"

_SCREEN = re.compile(r"(-?[0-9]+)x(-?[0-9]+)")
_OFFSET = re.compile(r"[+-](?:0[0-9]|1[0-4]):[0-5][0-9]")
_UNKNOWN = frozenset(("Etc/Unknown", "undefined"))  # of browsers that do not know their own, which is no lie


class Clients(dict[str, Reason]):
    """Why a client is none of a person's: `clients[text]`, Reason.NONE when nothing speaks against it.

    The text has words: `1920x1080`, `Europe/Helsinki`, `driven`, in any order and each only if it is known.
    """

    def __missing__(self, text: str) -> Reason:
        reason = reason_of_client(text)
        if len(self) >= REMEMBERED_MAX:
            self.clear()
        self[text] = reason
        return reason


def reason_of_client(text: str) -> Reason:
    """Return what speaks against a client."""
    words = text.split()
    if DRIVEN in words:
        return Reason.HEADLESS
    return Reason.NONE if all(_is_possible(word) for word in words) else Reason.IMPOSSIBLE


def _is_possible(word: str) -> bool:
    screen = _SCREEN.fullmatch(word)
    if screen is not None:
        return all(len(side) <= 5 and 0 < int(side) <= SIDE_MAX for side in screen.groups())
    return word in _UNKNOWN or word in _zones() or _OFFSET.fullmatch(word) is not None


@cache
def _zones() -> frozenset[str]:
    return frozenset(available_timezones())
