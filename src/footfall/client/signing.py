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


def signature_header(signing_key: str, body: bytes, *, at_s: int, nonce: str = "") -> str:
    """Return the value of Footfall-Signature for a body as it will travel; each try has one of its own."""
    nonce = nonce or secrets.token_urlsafe(24)
    made = hmac.new(signing_key.encode("utf-8"), f"{at_s}.{nonce}.".encode("ascii"), hashlib.sha256)
    made.update(body)
    return f"t={at_s},n={nonce},v1={made.hexdigest()}"


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
