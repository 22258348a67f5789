"""Invitations: links that give somebody a role in a brand, once."""

import hmac
from collections.abc import Sequence
from typing import Any

from msgspec import Struct, convert, structs, to_builtins

from footfall.accounts import people_keys as keys
from footfall.accounts.brands import BRAND_NAME
from footfall.accounts.keys import RandomBytes
from footfall.accounts.people import digest_of_link, letters, new_secret
from footfall.ports.items import Item
from footfall.ports.table import Action, Delete, Equals, Present, Put, Table, everything
from footfall.values.clock import Clock
from footfall.values.errors import Refused
from footfall.values.window import DAY_MS, instant_text

LIFE_MS = 7 * DAY_MS
INVITATIONS_MAX = 100  # of one brand that nobody has taken yet
ID_BYTES = 10
TOKEN_CHARACTERS_MAX = 200

_BETWEEN = "~"  # Neither brands nor letters have one.


class UnknownInvitation(Refused):
    """The invitation was never there, was taken or withdrawn, or is over."""


class Invitation(Struct, frozen=True, kw_only=True):
    """A role that waits for somebody."""

    id: str
    brand: str
    role: str
    digest: bytes  # of the link's secret
    created_at_ms: int
    by: str
    email: str = ""  # of the one person who may take it; empty: whoever has the link

    @property
    def expires_at_ms(self) -> int:
        """Return when it is over."""
        return self.created_at_ms + LIFE_MS

    @property
    def removal(self) -> Action:
        """Return what takes it away, once."""
        return Delete(keys.invitation(self.brand, self.id), expects=(Present(), Equals("digest", self.digest)))


class Invitations:
    """The invitations of all brands in one table."""

    def __init__(self, table: Table, *, clock: Clock, random_bytes: RandomBytes) -> None:
        self._table = table
        self._clock = clock
        self._random_bytes = random_bytes

    def new(self, brand: str, *, role: str, email: str, by: str) -> tuple[str, Invitation, Put]:
        """Return the text of a new link, what it stands for, and what stores it."""
        if len(self.of(brand)) >= INVITATIONS_MAX:
            raise Refused("invitations", f"are {INVITATIONS_MAX} already; withdraw those that nobody will take")
        secret, now_ms = new_secret(self._random_bytes), self._clock.now_ms()
        made = Invitation(
            id=letters(self._random_bytes(ID_BYTES)), brand=brand, role=role, digest=digest_of_link(secret),
            created_at_ms=now_ms, by=by, email=email,
        )  # fmt: skip
        put = Put(keys.invitation(brand, made.id), _item(made), expires_at_ms=made.expires_at_ms)
        return _BETWEEN.join((brand, made.id, secret)), made, put

    def of(self, brand: str) -> Sequence[Invitation]:
        """Return a brand's invitations that wait, the oldest first."""
        found = everything(self._table, keys.INVITATIONS, at_least=f"{brand}#", at_most=f"{brand}#~")
        return sorted((_invitation(one.item) for one in found), key=lambda one: (one.created_at_ms, one.id))

    def one(self, brand: str, invitation_id: str) -> Invitation:
        """Return an invitation of a brand, or raise UnknownInvitation."""
        item = self._table.get(keys.invitation(brand, invitation_id[:64]))
        if item is None:
            raise UnknownInvitation("id", f"{invitation_id[:40]!r} is not an invitation of the brand that waits")
        return _invitation(item)

    def behind(self, token: object) -> Invitation:
        """Return the invitation that a link stands for, or raise UnknownInvitation."""
        text = token if isinstance(token, str) and len(token) <= TOKEN_CHARACTERS_MAX else ""
        brand, _, rest = text.partition(_BETWEEN)
        invitation_id, _, secret = rest.partition(_BETWEEN)
        item = self._table.get(keys.invitation(brand, invitation_id)) if BRAND_NAME.fullmatch(brand) else None
        found = None if item is None else _invitation(item)
        if found is None or not hmac.compare_digest(found.digest, digest_of_link(secret)):
            raise UnknownInvitation("token", "is not an invitation that waits; it was taken or withdrawn, or is over")
        return found


def document_of_invitation(invitation: Invitation) -> dict[str, Any]:
    """Return an invitation as people read it: never its link."""
    return {
        "id": invitation.id,
        "brand": invitation.brand,
        "role": invitation.role,
        "email": invitation.email or None,
        "by": invitation.by,
        "created": instant_text(invitation.created_at_ms),
        "expires": instant_text(invitation.expires_at_ms),
    }


def _item(invitation: Invitation) -> Item:
    return to_builtins(structs.replace(invitation), builtin_types=(bytes,))


def _invitation(item: Item) -> Invitation:
    return convert(dict(item), type=Invitation, builtin_types=(bytes,))
