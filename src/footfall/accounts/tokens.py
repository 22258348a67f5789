"""Tokens for pages: JSON Web Tokens (HS256) that say whose pages may send, until when and, if wished, from where.

Any library for such tokens makes them on the publisher's server, with a signing key of the brand as the secret. A token
names no visitor, and all readers of a page may have the same.
"""

import base64
import binascii
import hashlib
import hmac
from typing import Any

import msgspec
from msgspec import Struct

from footfall.accounts.unproven import Unproven, Why
from footfall.values.errors import Refused

LIFE_S_DEFAULT = 900
LIFE_S_MAX = 86_400  # A token that works for longer is no better than a public key.
TOKEN_BYTES_MAX = 1_024  # In an address; ours have fewer than 300.

_HEAD = {"alg": "HS256", "typ": "JWT"}


class Claims(Struct, frozen=True):
    """What a token says."""

    brand: str
    exp: int  # in whole seconds of Unix time, as every such token has it
    origin: str = ""


class _Head(Struct, frozen=True):
    alg: str


def new_token(secret: str, claims: Claims) -> str:
    """Return the token that says so."""
    said: dict[str, Any] = {"brand": claims.brand, "exp": claims.exp}
    if claims.origin:
        said["origin"] = claims.origin
    signed = f"{_letters(msgspec.json.encode(_HEAD))}.{_letters(msgspec.json.encode(said))}"
    return f"{signed}.{_letters(_mac(secret, signed))}"


def claims_from_token(text: str) -> Claims:
    """Return what a token says, whoever made it, or raise Unproven when it is none of ours."""
    head, _, rest = text.partition(".")
    body, _, mac = rest.partition(".")
    if len(text) > TOKEN_BYTES_MAX or not mac:
        raise _malformed("is not a JSON Web Token of three parts")
    try:
        alg = msgspec.json.decode(_bytes(head), type=_Head).alg
        claims = msgspec.json.decode(_bytes(body), type=Claims)
        _bytes(mac)
    except (msgspec.MsgspecError, binascii.Error, ValueError) as error:
        raise _malformed(f"cannot be read: {error}") from error
    if alg != "HS256":  # What the token says of itself never chooses how it is checked.
        raise _malformed(f"is signed with {alg[:20]!r}")
    return claims


def is_token_of(text: str, secret: str) -> bool:
    """Tell whether the key has signed the token, in a time that says nothing about how near it is."""
    signed, _, mac = text.rpartition(".")
    return hmac.compare_digest(_bytes(mac), _mac(secret, signed))


def require_life_s(value: object) -> int:
    """Return for how long a token is to work, or raise Refused when it is no such time."""
    if type(value) is not int or not 1 <= value <= LIFE_S_MAX:
        raise Refused("expiresInSeconds", f"{value!r} is not a whole number from 1 to {LIFE_S_MAX:,}")
    return value


def _mac(secret: str, signed: str) -> bytes:
    return hmac.new(secret.encode("utf-8"), signed.encode("ascii"), hashlib.sha256).digest()


def _letters(raw: bytes) -> str:
    return base64.urlsafe_b64encode(raw).decode("ascii").rstrip("=")


def _bytes(letters: str) -> bytes:
    return base64.b64decode(letters + "=" * (-len(letters) % 4), altchars=b"-_", validate=True)


def _malformed(reason: str) -> Unproven:
    form = 'send a JSON Web Token with {"brand", "exp"} in it, signed with HS256 and a signing key of the brand'
    return Unproven(Why.TOKEN_MALFORMED, f"{reason}; {form}")
