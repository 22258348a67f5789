"""Where a request may carry its key: in Authorization, or, a public one, in its address."""

from collections.abc import Mapping
from urllib.parse import unquote

from footfall.accounts.keyring import UnknownKey
from footfall.accounts.keys import SECRET_MARK

KEY_BYTES_MAX = 200  # of a key as it is sent; ours have fewer than 70.

_BEARER = b"bearer "


def key_sent(target: bytes, headers: Mapping[bytes, bytes]) -> str:
    """Return the key that a request brings, empty when there is none, or raise UnknownKey where none may be."""
    sent = headers.get(b"authorization", b"")
    text = sent[len(_BEARER) :].strip() if sent[: len(_BEARER)].lower() == _BEARER else b""
    in_address = _key_in(target) if b"key=" in target else b""
    if text and in_address:
        raise UnknownKey("key", "is given twice, in Authorization and in the address; give it once")
    if in_address.startswith(SECRET_MARK.encode()):
        raise UnknownKey(
            "key", "is a secret one in an address, which logs and caches keep; send it in Authorization: Bearer"
        )
    return (text or in_address)[:KEY_BYTES_MAX].decode("latin-1")


def _key_in(target: bytes) -> bytes:
    """Return the key in an address's query; empty when there is none."""
    found = [part[4:] for part in target.partition(b"?")[2].split(b"&") if part.startswith(b"key=")]
    if len(found) > 1:
        raise UnknownKey("key", "is given twice; give it once")
    key = found[0] if found else b""
    return unquote(key.decode("latin-1")).encode("latin-1", "replace") if b"%" in key else key
