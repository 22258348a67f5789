"""Who may do what with whose data: the rules by which a caller is let go on, whatever way it came."""

from collections.abc import Sequence

from footfall.accounts.brands import Brand, Brands, KeyNeeded
from footfall.accounts.keyring import Caller, NotAllowed
from footfall.accounts.keys import ADMIN, AUDIENCE, EDIT, READ
from footfall.values.errors import Refused


def require_scope(caller: Caller, scope: str) -> None:
    """Raise NotAllowed unless the caller may do what the scope says."""
    if scope not in caller.may:
        has = ", ".join(sorted(caller.may))
        raise NotAllowed("key", f"may not do this, which needs the scope {scope}; it has {has}")


def require_same_brand(caller: Caller, name: str) -> None:
    """Raise NotAllowed when a brand is named that is not the caller's."""
    if name and name != caller.brand:
        raise NotAllowed("brand", f"is not the key's, which speaks for {caller.brand!r} alone; leave it out")


def brand_without_key(brands: Brands, name: str, scope: str) -> Brand:
    """Return the brand that somebody asks about who sent no key, or raise unless it is open to everybody."""
    if scope in (ADMIN, AUDIENCE, EDIT):  # Nobody could say who it was; and members are nobody else's to know of.
        raise KeyNeeded("key", f"is missing; send a secret key with the scope {scope} in Authorization: Bearer")
    if not name and brands.has_stored:
        raise KeyNeeded("key", "is missing; send a key in Authorization: Bearer")
    if not name:
        raise Refused("brand", "is missing; say whose it is, as in brand=abc")
    return brands.open_brand(name, is_read=scope == READ)


def only_brand(values: Sequence[str]) -> str:
    """Return the brand that a request names, empty when it names none, or raise Refused for two."""
    if len(values) > 1:
        raise Refused("brand", "is given twice; give it once")
    return values[0] if values else ""
