"""A request's word that it is one act: the Idempotency-Key that it came under, and a hash of what came."""

import hashlib

from xxhash import xxh3_128_digest

from footfall.ports.stream import Claim

_KEY_BYTES = 16


def claim_of(group: str, key: str, body: bytes, *, part: int = 0) -> Claim | None:
    """Return the claim of a request to a group; None for one without a key."""
    if not key:
        return None
    named = hashlib.blake2b("\0".join((group, "key", key)).encode(), digest_size=_KEY_BYTES).digest()
    # Whoever finds two bodies of one hash is told of a repeat under a key of its own, and harms nobody else.
    return Claim(named, xxh3_128_digest(body), part)
