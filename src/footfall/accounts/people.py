"""People: who they are, what they may do in which brand, and how they are told apart."""

import base64
import hashlib
import re
from collections.abc import Mapping
from typing import Any, Final

from msgspec import Struct

from footfall.accounts.keys import ADMIN, EDIT, READ, RandomBytes, what_scopes_allow
from footfall.values.errors import Refused

VIEWER, EDITOR, ADMINISTRATOR = "viewer", "editor", "admin"
ROLES: Final = (VIEWER, EDITOR, ADMINISTRATOR)  # each may do more than the one before
MAY: Final[Mapping[str, frozenset[str]]] = {
    VIEWER: what_scopes_allow((READ,)),
    EDITOR: what_scopes_allow((EDIT,)),
    ADMINISTRATOR: what_scopes_allow((ADMIN,)),
}
NOTHING: Final[frozenset[str]] = frozenset()
EMAIL_BYTES_MAX = 254  # as mail has it
NAME_BYTES_MAX = 100
ID_MARK, ID_BYTES = "p_", 10  # 16 letters
SECRET_BYTES = 25  # 40 letters, 200 bits: nobody guesses one, so a plain hash of it keeps it safe.

# Letters that every mail server takes; nothing that could end a header or a command.
_EMAIL = re.compile(
    r"[a-z0-9!#$%&'*+/=?^_`{|}~-]+(?:\.[a-z0-9!#$%&'*+/=?^_`{|}~-]+)*"
    r"@[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?(?:\.[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?)*"
)


class Person(Struct, frozen=True, kw_only=True):
    """Somebody with an account."""

    id: str
    email: str
    name: str
    created_at_ms: int
    password: str = ""  # as argon2 writes it; empty until one was chosen
    is_owner: bool = False  # of the instance: may do everything in all brands
    viewer: frozenset[str] = frozenset()  # of these brands
    editor: frozenset[str] = frozenset()
    admin: frozenset[str] = frozenset()

    @property
    def roles(self) -> dict[str, str]:
        """Return the role in each brand that the person has one in, in the order of brands."""
        found = dict.fromkeys(self.viewer, VIEWER)
        found |= dict.fromkeys(self.editor, EDITOR)
        found |= dict.fromkeys(self.admin, ADMINISTRATOR)
        return dict(sorted(found.items()))

    def may(self, brand: str) -> frozenset[str]:
        """Return the scopes that the person has in a brand."""
        if self.is_owner:
            return MAY[ADMINISTRATOR]
        role = self.roles.get(brand)
        return NOTHING if role is None else MAY[role]

    @property
    def signature(self) -> str:
        """Return the person as the audit trail names them."""
        return f"{self.name} ({self.id})"


class NewPerson(Struct, frozen=True):
    """Somebody who is to have an account."""

    email: str
    name: str
    password: str = ""  # as argon2 writes it


def document_of_person(person: Person) -> dict[str, Any]:
    """Return what people read of somebody: never anything of the password."""
    return {"id": person.id, "email": person.email, "name": person.name, "isOwner": person.is_owner}


def require_email(value: object, *, field: str = "email") -> str:
    """Return an e-mail address as it is compared, in small letters, or raise Refused."""
    text = value.strip().lower() if isinstance(value, str) else ""
    local, _, _domain = text.rpartition("@")
    if len(text) > EMAIL_BYTES_MAX or len(local) > 64 or _EMAIL.fullmatch(text) is None:
        raise Refused(field, "is not an e-mail address such as ann@example.com")
    return text


def require_person_name(value: object) -> str:
    """Return somebody's name, or raise Refused unless it is a short text of one line."""
    text = value.strip() if isinstance(value, str) else ""
    if not text or len(text.encode("utf-8", "replace")) > NAME_BYTES_MAX or not text.isprintable():
        raise Refused("name", f"is not a text of one line of 1 to {NAME_BYTES_MAX} bytes")
    return text


def require_role(value: object) -> str:
    """Return a role, or raise Refused when there is no such."""
    if value not in ROLES:
        raise Refused("role", f"is not a role; the roles are {', '.join(ROLES)}")
    return str(value)


def new_person_id(random_bytes: RandomBytes) -> str:
    """Return an id that nobody has."""
    return ID_MARK + letters(random_bytes(ID_BYTES))


def new_secret(random_bytes: RandomBytes) -> str:
    """Return a secret for a link, which is told once."""
    return letters(random_bytes(SECRET_BYTES))


def digest_of_link(secret: str) -> bytes:
    """Return what is kept of a link's secret."""
    return hashlib.sha256(b"footfall-link" + secret.encode("utf-8", "surrogatepass")).digest()


def letters(raw: bytes) -> str:
    """Return bytes as small letters and digits."""
    return base64.b32encode(raw).decode("ascii").rstrip("=").lower()
