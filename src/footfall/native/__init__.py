"""Native code for every hit, every ping and every new list. Where it was not built, Python does the same, but slower.

It is C for the stable ABI of Python 3.11, built when footfall is installed and a compiler is there. Both ways give the
same records, counts and lists, which tests hold; see docs/decisions/0058-native-keys.md.
"""

import logging
from secrets import randbits
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from footfall.native.beats import GoingOn
    from footfall.native.key_table import KeyTable

# Each by itself: a compiler may refuse one of them, and the others are as good without it.
try:
    from footfall.native.beats import GoingOn as _GoingOn
except ImportError:
    _GoingOn = None
try:
    from footfall.native.hit_bodies import keys_of_body, span_of_moments
except ImportError:
    keys_of_body = span_of_moments = None
try:
    from footfall.native.key_table import KeyTable as _KeyTable
except ImportError:
    _KeyTable = None
try:
    from footfall.native import list_rows
except ImportError:
    list_rows = None

# What Python does here because its native code was not built.
IN_PYTHON = tuple(
    what
    for what, built in (
        ("reading hits", keys_of_body),
        ("counting hits", _KeyTable),
        ("crediting pings", _GoingOn),
        ("writing lists", list_rows),
    )
    if built is None
)
IS_BUILT = not IN_PYTHON
SECRET_BITS = 64

_log = logging.getLogger(__name__)


def new_key_table() -> "KeyTable | None":
    """Return an empty table of keys, under a secret of its own; None where native code was not built."""
    return None if _KeyTable is None else _KeyTable(secret=randbits(SECRET_BITS))


def new_going_on(session: type, beat: type, stretch: type) -> "GoingOn | None":
    """Return what settles beats of these types that go on; None where native code was not built, or cannot read them.

    They are Structs of msgspec, of which another release may lay fields out in another way.
    """
    if _GoingOn is None:
        return None
    try:
        return _GoingOn(session, beat, stretch)
    except (AttributeError, TypeError) as error:
        _log.warning("native code does not know the fields of beats, which Python credits more slowly: %s", error)
        return None


__all__ = [
    "IN_PYTHON",
    "IS_BUILT",
    "keys_of_body",
    "list_rows",
    "new_going_on",
    "new_key_table",
    "span_of_moments",
]
