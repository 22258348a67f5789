"""Lists made ahead: whoever asks for the list of one section asks for those of others next, and finds them ready.

They are made while nobody waits and nothing is due, one at a time, and within a small share of the time that passes:
what is not made by then is made when it is asked for.
"""

from collections import OrderedDict
from collections.abc import Callable, Sequence

from footfall.flow.serve.parameters import joined

SHARE = 0.02  # of all time may be used
SAVED_S_MAX = 0.05  # of it: enough for some hundred lists at once
SECTIONS_MAX = 100  # of one brand
WAITING_MAX = 1_000
SEEN_MAX = 1_000
SECTION = "section="


class Ahead:
    """Which lists are to be made ahead, and whether there is time for them."""

    def __init__(self, sections: Callable[[str], Sequence[str]], *, now_s: float) -> None:
        """Make it; `sections` tells the sections of the brand whose list a question asks for, if they are at hand."""
        self._sections = sections
        self._waiting: OrderedDict[str, None] = OrderedDict()
        self._seen: dict[str, int] = {}  # by question without its section: the version of which others were made
        self._saved_s = SAVED_S_MAX
        self._saved_at_s = now_s

    def note(self, canonical: str, version: int) -> None:
        """Take note that a list was made for somebody: those of other sections are next, once for each version."""
        before, found, section = canonical.partition(SECTION)
        section, ends, after = section.partition("&")
        shape = f"{before}{SECTION}{ends}{after}"
        if not found or self._seen.get(shape, 0) >= version or len(self._waiting) >= WAITING_MAX:
            return
        if len(self._seen) >= SEEN_MAX:
            self._seen.clear()
        self._seen[shape] = version
        others = [joined((one,)) for one in self._sections(canonical)[:SECTIONS_MAX] if one]
        self._waiting.update((f"{before}{SECTION}{one}{ends}{after}", None) for one in others if one != section)

    def next(self, now_s: float) -> str | None:
        """Return the list to make next; None when there is none, or no time for it."""
        if not self._waiting:
            return None
        self._saved_s = min(SAVED_S_MAX, self._saved_s + SHARE * max(0.0, now_s - self._saved_at_s))
        self._saved_at_s = now_s
        if self._saved_s <= 0:
            self._waiting.clear()
            return None
        return self._waiting.popitem(last=False)[0]

    def use(self, took_s: float) -> None:
        """Take note of how long a list took."""
        self._saved_s -= took_s

    def leave(self, canonical: str) -> None:
        """Leave out a list that was asked for."""
        self._waiting.pop(canonical, None)

    @property
    def is_waiting(self) -> bool:
        """Tell whether there is a list to make."""
        return bool(self._waiting)
