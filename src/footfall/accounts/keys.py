"""Keys: how they are made, what they may do, and what is kept of them."""

import base64
import hashlib
import hmac
from collections.abc import Callable, Iterable
from typing import Final

from msgspec import Struct

from footfall.values.errors import Refused

PUBLIC_MARK, SECRET_MARK, SIGNING_MARK = "ffpub_", "ffsec_", "ffsig_"
KEYS_MAX = 100  # of one brand; a page lists them all, and all are in memory.
SIGNING_KEYS_MAX = 5  # of one brand; each signature is tried with all of them.
ALSO_READS_MAX = 100  # brands beside its own, in one small item
LABEL_BYTES_MAX = 100
ID_BYTES = 10  # 16 letters: enough that no two are ever alike, short enough to be typed.
PUBLIC_BYTES = 15  # 24 letters
SECRET_BYTES = 25  # 40 letters, 200 bits: nobody guesses one, so a plain hash of it keeps it safe.
GRACE_MS = 86_400_000  # How long a rotated key goes on working, unless told otherwise.

HITS, WRITE, READ, EDIT, AUDIENCE, ADMIN = "hits", "write", "read", "edit", "audience", "admin"
SIGN = "sign"  # What a signing key may do, and all that it may: it is never sent.
SCOPES: Final = (WRITE, READ, EDIT, AUDIENCE, ADMIN)  # What a secret key may be given. A public key may only send hits.
_INCLUDED: Final = {
    HITS: (HITS,),
    WRITE: (WRITE, HITS),
    READ: (READ,),
    EDIT: (EDIT, READ),  # An editor sees what there is to pin or to hide.
    AUDIENCE: (AUDIENCE,),  # What members do, told and asked by the servers that know who they are.
    ADMIN: (ADMIN, AUDIENCE, EDIT, READ, WRITE, HITS),
    SIGN: (),
}

RandomBytes = Callable[[int], bytes]


class KeyRecord(Struct, frozen=True, kw_only=True):
    """What is stored of a key; of a secret one never the secret, of a signing one all of it, for it checks with it."""

    id: str
    brand: str
    scopes: tuple[str, ...]
    created_at_ms: int
    label: str = ""
    digest: bytes = b""  # of the secret; empty for a public key
    used_at_ms: int | None = None  # to the hour
    expires_at_ms: int | None = None
    replaced_by: str = ""
    signing: str = ""  # the secret of a signing key, which whoever checks a signature needs
    also_reads: tuple[str, ...] = ()  # brands beside its own whose lists it reads, as the operator says

    @property
    def is_public(self) -> bool:
        """Tell whether the key may be seen by everybody, as in a page."""
        return not self.digest

    @property
    def text(self) -> str:
        """Return the key as it is sent; of a secret one only its beginning is known."""
        if self.is_public:
            return f"{PUBLIC_MARK}{self.id}"
        return f"{SIGNING_MARK if self.signing else SECRET_MARK}{self.id}_…"

    @property
    def kind(self) -> str:
        """Return what kind of key it is."""
        return "public" if self.is_public else "signing" if self.signing else "secret"

    @property
    def signing_text(self) -> str:
        """Return a signing key as its holder has it: the secret of every HMAC."""
        return f"{SIGNING_MARK}{self.id}_{self.signing}"


class NewKey(Struct, frozen=True):
    """A key at the one moment when all of it is known."""

    record: KeyRecord
    text: str


def new_public_key(brand: str, *, label: str, now_ms: int, random_bytes: RandomBytes) -> NewKey:
    """Return a new key for browsers."""
    name = _letters(random_bytes(PUBLIC_BYTES))
    record = KeyRecord(id=name, brand=brand, scopes=(HITS,), created_at_ms=now_ms, label=require_label(label))
    return NewKey(record, record.text)


def new_secret_key(
    brand: str, scopes: Iterable[str], *, label: str, now_ms: int, random_bytes: RandomBytes, expires_at_ms: int | None
) -> NewKey:
    """Return a new key for servers; its text is known here and never again."""
    _require_ahead(expires_at_ms, now_ms=now_ms)
    name, secret = _letters(random_bytes(ID_BYTES)), _letters(random_bytes(SECRET_BYTES))
    record = KeyRecord(
        id=name,
        brand=brand,
        scopes=require_scopes(scopes),
        created_at_ms=now_ms,
        label=require_label(label),
        digest=digest_of(secret),
        expires_at_ms=expires_at_ms,
    )
    return NewKey(record, f"{SECRET_MARK}{name}_{secret}")


def new_signing_key(
    brand: str, *, label: str, now_ms: int, random_bytes: RandomBytes, expires_at_ms: int | None
) -> NewKey:
    """Return a new key that signs; its text is told here and never again."""
    _require_ahead(expires_at_ms, now_ms=now_ms)
    name, secret = _letters(random_bytes(ID_BYTES)), _letters(random_bytes(SECRET_BYTES))
    record = KeyRecord(
        id=name,
        brand=brand,
        scopes=(SIGN,),
        created_at_ms=now_ms,
        label=require_label(label),
        digest=digest_of(secret),
        expires_at_ms=expires_at_ms,
        signing=secret,
    )
    return NewKey(record, record.signing_text)


def require_scopes(scopes: Iterable[str]) -> tuple[str, ...]:
    """Return the scopes in order, or raise Refused for one that does not exist or for none."""
    asked = set(scopes)
    unknown = sorted(asked - set(SCOPES))
    if unknown or not asked:
        what = f"{unknown[0][:40]!r} is not a scope" if unknown else "is empty"
        raise Refused("scopes", f"{what}; the scopes are {', '.join(SCOPES)}, and admin includes the others")
    return tuple(scope for scope in SCOPES if scope in asked)


def require_label(label: str) -> str:
    """Return the label, or raise Refused when it is not a short text of one line."""
    if len(label.encode("utf-8", "replace")) > LABEL_BYTES_MAX or not label.isprintable():
        raise Refused("label", f"is not a text of one line of at most {LABEL_BYTES_MAX} bytes")
    return label


def what_scopes_allow(scopes: Iterable[str]) -> frozenset[str]:
    """Return all that a key with these scopes may do."""
    return frozenset(one for scope in scopes for one in _INCLUDED[scope])


def digest_of(secret: str) -> bytes:
    """Return what is kept of a secret."""
    return hashlib.blake2b(secret.encode("utf-8", "surrogatepass"), digest_size=32, person=b"footfall-key").digest()


def is_secret_of(record: KeyRecord, secret: str) -> bool:
    """Tell whether the secret belongs to the key, in a time that says nothing about how near it is."""
    return hmac.compare_digest(record.digest, digest_of(secret))


def _require_ahead(expires_at_ms: int | None, *, now_ms: int) -> None:
    if expires_at_ms is not None and expires_at_ms <= now_ms:
        raise Refused("expires", "is over already; name a later moment")


def _letters(raw: bytes) -> str:
    return base64.b32encode(raw).decode("ascii").rstrip("=").lower()
