"""Signatures of requests: HMAC-SHA256 over a moment, a nonce and the body as it travels.

The header reads `t=1794753000,n=…,v1=…`: whole seconds of Unix time, a nonce of the sender's, and the signature in hex.
`v1` may stand there several times, once for each signing key, while keys are changed.
"""

import hashlib
import hmac
import re
from collections.abc import Iterable, Sequence

from msgspec import Struct

from footfall.accounts.unproven import Unproven, Why

SKEW_MS = 300_000  # How far a sender's clock, and the way here, may put a signature from our own moment.
HEADER_BYTES_MAX = 1_000
SIGNATURES_MAX = 5  # As many as a brand may have signing keys.
NONCE_FORM = "16 to 64 of A-Z, a-z, 0-9, '_' and '-'"

_NONCE = re.compile(r"[A-Za-z0-9_-]{16,64}")
_MOMENT = re.compile(r"[0-9]{1,12}")
_MAC = re.compile(r"[0-9a-f]{64}")
_FORM = f"write t=SECONDS,n=NONCE,v1=HEX: Unix time, {NONCE_FORM}, and HMAC-SHA256 in 64 small hex digits"


class Signature(Struct, frozen=True):
    """What a request's signature says."""

    at_s: int
    nonce: str
    macs: tuple[str, ...]


def signature_of(secret: str, body: bytes, *, at_s: int, nonce: str) -> str:
    """Return the signature of a body in hex."""
    return _mac(secret, f"{at_s}.{nonce}.".encode("ascii"), body)


def header_of(secrets: Iterable[str], body: bytes, *, at_s: int, nonce: str) -> str:
    """Return the header that signs a body with each of the keys."""
    signed = ",".join(f"v1={signature_of(secret, body, at_s=at_s, nonce=nonce)}" for secret in secrets)
    return f"t={at_s},n={nonce},{signed}"


def signature_from_header(text: str) -> Signature:
    """Return what the header says, or raise Unproven; what is not known of it is left for later versions."""
    if len(text) > HEADER_BYTES_MAX:
        raise _malformed(f"has {len(text):,} bytes, at most {HEADER_BYTES_MAX:,} are taken")
    said: dict[str, list[str]] = {"t": [], "n": [], "v1": []}
    for part in text.split(","):
        name, _, value = part.strip().partition("=")
        if name in said:
            said[name].append(value)
    moments, nonces, macs = said["t"], said["n"], said["v1"]
    if len(moments) != 1 or len(nonces) != 1 or not 1 <= len(macs) <= SIGNATURES_MAX:
        raise _malformed(f"has to have t once, n once and v1 once to {SIGNATURES_MAX} times; {_FORM}")
    if _MOMENT.fullmatch(moments[0]) is None or _NONCE.fullmatch(nonces[0]) is None:
        raise _malformed(f"has a t or an n that cannot be; {_FORM}")
    if any(_MAC.fullmatch(mac) is None for mac in macs):
        raise _malformed(f"has a v1 that cannot be; {_FORM}")
    return Signature(int(moments[0]), nonces[0], tuple(macs))


def require_timely(signature: Signature, *, now_ms: int) -> None:
    """Raise Unproven unless the signature is of about now."""
    off_ms = now_ms - signature.at_s * 1_000
    if abs(off_ms) > SKEW_MS:
        word = "old" if off_ms > 0 else "ahead of its time"
        raise Unproven(
            Why.SIGNATURE_STALE,
            f"is {abs(off_ms) // 1_000:,} s {word} and at most {SKEW_MS // 1_000} are allowed; "
            "sign each try anew, and set the sender's clock",
        )


def signer_of(signature: Signature, secrets: Sequence[str], body: bytes) -> int | None:
    """Return which of the keys has signed the body; None when none has.

    How long it takes says nothing about how near a guess is: every key is tried, and compared in constant time.
    """
    found: int | None = None
    for place, secret in enumerate(secrets):
        right = signature_of(secret, body, at_s=signature.at_s, nonce=signature.nonce)
        for mac in signature.macs:
            if hmac.compare_digest(mac, right):
                found = place
    return found


def _mac(secret: str, *parts: bytes) -> str:
    made = hmac.new(secret.encode("utf-8"), digestmod=hashlib.sha256)
    for part in parts:
        made.update(part)
    return made.hexdigest()


def _malformed(reason: str) -> Unproven:
    return Unproven(Why.SIGNATURE_MALFORMED, reason)
