"""What PostgreSQL can say, told once in our words."""

from footfall.adapters.relational.sessions import Busy
from footfall.ports.errors import NoSpace, Throttled, Unavailable
from footfall.values.errors import FootfallError, Refused

_BUSY = frozenset({"40001", "40P01", "55P03", "55006"})
_NOT_THERE = frozenset({"42P01", "42703"})
_UNFIT = ("22", "23", "45")  # classes: what does not fit a type, a rule, a gate
_WHAT_TO_DO = {
    "28P01": "give the password of the user",
    "28000": "let the user in from here",
    "3D000": "name a database that is there",
    "42501": "give the user the right that is named",
}


def in_our_words(error: Exception, where: str) -> FootfallError:
    """Return our error for what the driver raised."""
    state = str(getattr(error, "sqlstate", None) or "")
    said = str(error).strip()[:500]
    told = f"{where}: {state} {said}"
    if state in _BUSY:
        return Busy(f"{told}; nothing was written, try again")
    if state == "53300":
        return Throttled(f"{told}; use fewer connections, or let the server have more")
    if state == "53100":
        return NoSpace(f"{told}; nothing was written, make room and try again")
    if state.startswith(_UNFIT):
        return Refused("row", f"{said} ({where})")
    if state in _NOT_THERE:
        return Refused("outline", f"{said} ({where}): the outline does not fit, or is not prepared")
    return Unavailable(f"{told}; {_WHAT_TO_DO.get(state, 'see whether the server answers, and its log')}")
