"""Tokens of replay: an address on the other origin that opens one capture for a while, and nothing else.

No cookie goes to that origin, so the address itself is what allows. It cannot be guessed, and from one nobody can make
another.
"""

import hmac
from base64 import urlsafe_b64encode
from hashlib import sha256

from footfall.archive import keys
from footfall.ports.errors import Changed
from footfall.ports.table import Absent, Put, Table
from footfall.values.errors import FootfallError

TOKEN_MS = 3_600_000  # An hour: a page is looked at, and a film of it seen.
SECRET_BYTES = 32
TOKEN_CHARACTERS_MAX = 160


class NoSuchReplay(FootfallError):
    """The address of a replay is not one that was given, or its time is over."""


def token_for(capture_id: str, *, secret: bytes, now_ms: int) -> str:
    """Return what stands in the address of a capture's replay."""
    ends_at_s = (now_ms + TOKEN_MS) // 1_000
    return f"{capture_id}.{ends_at_s:x}.{_mark(capture_id, ends_at_s, secret)}"


def capture_from_token(token: str, *, secret: bytes, now_ms: int) -> str:
    """Return the id of the capture that a token opens; raise NoSuchReplay."""
    id, _, rest = token[:TOKEN_CHARACTERS_MAX].partition(".")
    ends, _, mark = rest.partition(".")
    try:
        ends_at_s = int(ends, 16)
    except ValueError:
        ends_at_s = 0
    is_ours = hmac.compare_digest(_mark(id, ends_at_s, secret).encode(), mark.encode("utf-8", "replace"))
    if not is_ours or f"{ends_at_s:x}" != ends:
        raise NoSuchReplay("this is no address of a replay: open the capture and choose replay there")
    if now_ms >= ends_at_s * 1_000:
        raise NoSuchReplay("the time of this address is over: open the capture again and choose replay there")
    return id


def kept_secret(table: Table, *, new: bytes) -> bytes:
    """Return the secret that all processes sign with; `new` becomes it when there is none."""
    assert len(new) == SECRET_BYTES
    if (there := found_secret(table)) is not None:
        return there
    try:
        table.put(Put(keys.replay_secret(), {"secret": new}, expects=[Absent()]))
    except Changed:
        found = found_secret(table)
        assert found is not None
        return found
    return new


def found_secret(table: Table) -> bytes | None:
    """Return the secret; None when nobody has made one yet."""
    found = (table.get(keys.replay_secret()) or {}).get("secret")
    assert found is None or isinstance(found, bytes)
    return found


def _mark(capture_id: str, ends_at_s: int, secret: bytes) -> str:
    signed = hmac.new(secret, f"replay|{capture_id}|{ends_at_s}".encode("utf-8", "replace"), sha256).digest()
    return urlsafe_b64encode(signed).decode().rstrip("=")
