"""Proofs that a program makes: signatures over what it sends, and tokens for the pages that it makes.

The server checks both with the brand's signing key, which never travels.
"""

import base64
import hashlib
import hmac
import json
import secrets
import time

SIGNATURE_HEADER = "Footfall-Signature"
SKEW_S = 300


class NotSigned(ValueError):
    """A message that claims to be an alert of footfall's is not signed with the secret, or is not of now."""


def signature_header(signing_key: str, body: bytes, *, at_s: int, nonce: str = "") -> str:
    """Return the value of Footfall-Signature for a body as it will travel; each try has one of its own."""
    nonce = nonce or secrets.token_urlsafe(24)
    made = hmac.new(signing_key.encode("utf-8"), f"{at_s}.{nonce}.".encode("ascii"), hashlib.sha256)
    made.update(body)
    return f"t={at_s},n={nonce},v1={made.hexdigest()}"


def verified_message(
    secret: str, body: bytes, header: str, *, skew_s: int = SKEW_S, now_s: int | None = None
) -> dict[str, object]:
    """Return the message of an alert whose Footfall-Signature is right, or raise NotSigned."""
    if now_s is None:
        now_s = int(time.time())  # noqa: TID251 - there is nothing below the client to take a clock from
    parts = [one.strip().partition("=") for one in header.split(",")]
    said = {name: value for name, _, value in parts}
    macs = [value for name, _, value in parts if name == "v1"]
    moment, nonce = said.get("t", ""), said.get("n", "")
    if not (moment.isascii() and moment.isdecimal() and len(moment) <= 12 and nonce.isascii() and macs):
        raise NotSigned(f"the signature {header[:40]!r} has no t, n and v1")
    right = hmac.new(secret.encode("utf-8"), f"{moment}.{nonce}.".encode("ascii"), hashlib.sha256)
    right.update(body)
    # While secrets are changed, one message has two.
    if not any(hmac.compare_digest(mac.encode("utf-8"), right.hexdigest().encode("ascii")) for mac in macs):
        raise NotSigned("the message is not signed with this secret")
    if abs(now_s - int(moment)) > skew_s:
        raise NotSigned(f"the message was signed {abs(now_s - int(moment)):,} s from now; at most {skew_s} are allowed")
    return json.loads(body)


def page_token(signing_key: str, brand: str, *, seconds: int = 900, origin: str = "", now_s: int | None = None) -> str:
    """Return a token for a page of the brand, to put into the tracker's data-token."""
    if now_s is None:
        now_s = int(time.time())  # noqa: TID251 - there is nothing below the client to take a clock from
    said: dict[str, object] = {"brand": brand, "exp": now_s + seconds}
    if origin:
        said["origin"] = origin
    signed = f"{_part({'alg': 'HS256', 'typ': 'JWT'})}.{_part(said)}"
    mac = hmac.new(signing_key.encode("utf-8"), signed.encode("ascii"), hashlib.sha256).digest()
    return f"{signed}.{_letters(mac)}"


def _part(said: dict[str, object]) -> str:
    return _letters(json.dumps(said, separators=(",", ":")).encode("ascii"))


def _letters(raw: bytes) -> str:
    return base64.urlsafe_b64encode(raw).decode("ascii").rstrip("=")
