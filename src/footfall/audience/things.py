"""Things: whoever follows, is followed, watches or is watched: a kind, and the publisher's own id of it."""

import re
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Final

from footfall.values.errors import Refused
from footfall.values.hit import ASSET_BYTES_MAX, require_text

ID_BYTES_MAX = ASSET_BYTES_MAX  # Every asset that has hits may be followed.
KIND_LETTERS_MAX = 32
MEMBER, SERIES, ASSET, AUTHOR, ACTOR = "member", "series", "asset", "author", "actor"
KINDS: Final = (MEMBER, SERIES, ASSET, AUTHOR, ACTOR)

_KIND = re.compile(rf"[a-z][a-z0-9-]{{0,{KIND_LETTERS_MAX - 1}}}")
_SHOWN_MAX = 40
_HASH, _ESCAPED = "#", "\x1f"  # Parts of keys are joined by the first; no id has the second, which is no text.


class UnknownKind(Refused):
    """A thing is said to be of a kind that there is none of here."""


@dataclass(frozen=True, slots=True, order=True)
class Thing:
    """Something with an id of its own among those of its kind."""

    kind: str
    id: str

    def __str__(self) -> str:
        """Return it as people and addresses write it."""
        return f"{self.kind}:{self.id}"

    @property
    def key(self) -> str:
        """Return it as a part of a key, where it is told from every other; of at most 289 bytes."""
        return f"{self.kind}:{self.id.replace(_HASH, _ESCAPED)}"


def thing_from_key(key: str) -> Thing:
    """Return the thing that a part of a key stands for."""
    kind, _, id = key.partition(":")
    return Thing(kind, id.replace(_ESCAPED, _HASH))


class Kinds:
    """The kinds that things may have: those that everybody has, and those that the settings add."""

    def __init__(self, added: Iterable[str] = ()) -> None:
        self.names = tuple(dict.fromkeys((*KINDS, *(_require_kind(kind) for kind in added))))

    def thing(self, kind: str, id: str, *, field: str) -> Thing:
        """Return a thing, or raise Refused."""
        if kind not in self.names:
            raise UnknownKind(field, f"{kind[:_SHOWN_MAX]!r} is not a kind here; those are {', '.join(self.names)}")
        if not id:
            raise Refused(field, f"has no id; say which {kind}, as in {kind}:42")
        return Thing(kind, require_text(field, id, bytes_max=ID_BYTES_MAX))

    def thing_from(self, text: object, *, field: str) -> Thing:
        """Return the thing that a text names, or raise Refused."""
        if not isinstance(text, str):
            raise Refused(field, "is missing or no text; name a thing by kind and id, as in member:42")
        kind, colon, id = text.partition(":")
        if not colon:
            raise Refused(field, f"{text[:_SHOWN_MAX]!r} names no thing; send kind and id, as in member:42")
        return self.thing(kind, id, field=field)


def _require_kind(kind: str) -> str:
    if _KIND.fullmatch(kind) is None:
        raise Refused(
            "kind", f"{kind[:_SHOWN_MAX]!r} cannot be a kind: 1 to {KIND_LETTERS_MAX} of a-z, 0-9 and -, a letter first"
        )
    return kind
