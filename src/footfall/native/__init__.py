"""Native code for what is done to every hit and every ping. Where it was not built, Python does the same, but slower.

It is C for the stable ABI of Python 3.11, built when footfall is installed and a compiler is there. Both ways give the
same records and the same counts, which tests hold; see docs/decisions/0058-native-keys.md.
"""

from secrets import randbits
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from footfall.native.beats import GoingOn
    from footfall.native.key_table import KeyTable

try:
    from footfall.native.beats import GoingOn as _GoingOn
    from footfall.native.hit_bodies import keys_of_body
    from footfall.native.key_table import KeyTable as _KeyTable
except ImportError:
    keys_of_body = None
    _GoingOn = None
    _KeyTable = None

IS_BUILT = keys_of_body is not None
SECRET_BITS = 64


def new_key_table() -> "KeyTable | None":
    """Return an empty table of keys, under a secret of its own; None where native code was not built."""
    return None if _KeyTable is None else _KeyTable(secret=randbits(SECRET_BITS))


def new_going_on(session: type, beat: type, stretch: type) -> "GoingOn | None":
    """Return what settles beats of these types that go on; None where native code was not built."""
    return None if _GoingOn is None else _GoingOn(session, beat, stretch)


__all__ = ["IS_BUILT", "keys_of_body", "new_going_on", "new_key_table"]
