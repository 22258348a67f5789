"""Who sent a request: the address that is believed, and the visitor that is kept of it.

No cookies, and no address on disk. A visitor is a keyed hash under a random salt of the brand and its local day of
the event; the salt is destroyed 47 hours after that day began, and with it any way back.
"""

import hashlib
import ipaddress
from collections.abc import Callable, Sequence

from msgspec import Struct

from footfall.ports.errors import Changed
from footfall.ports.table import Absent, Delete, Key, Put, Table
from footfall.values.window import Grain, window_of

SALT_MS = 47 * 3_600_000
SALT_BYTES = 32
VISITOR_BYTES = 8
_CACHED_SALTS_MAX = 4_000  # two days of 2,000 brands
_NEVER_MS = 2**62
_DESTROYED_DAYS = 4  # For how many days whoever removes ended salts may have been away.
_HOPS_MAX = 32  # A longer chain of proxies is somebody's joke.

Network = ipaddress.IPv4Network | ipaddress.IPv6Network


class Sender(Struct, frozen=True, gc=False):
    """What is known of a sender while its request is handled; never stored."""

    address: str
    agent: str
    wants_privacy: bool  # GPC or DNT
    brand: str = ""  # that of its key; empty: it sent none
    key_id: str = ""
    is_server: bool = False  # It speaks for readers, not for itself.
    is_ahead: bool = False  # Nobody looks at the page yet.
    is_past: bool = False  # Its hits came together long after they were seen, so how fast they come says nothing.


def believed_address(peer: str, forwarded: str, *, trusted: Sequence[Network]) -> str:
    """Return the address of the last hop that no trusted proxy vouches for.

    Each trusted proxy appends the address it saw, so the chain is read from its end; what stands before
    the first address that is not trusted could have been written by anybody.
    """
    address = peer
    for hop in reversed(forwarded.split(",")[-_HOPS_MAX:]):
        if not hop.strip() or not is_within(address, trusted):
            return address
        address = _host(hop.strip())
    return address


def proxied_address(peer: str, forwarded: str, *, viewer: str) -> str:
    """Return the address that a proxy which has proved itself was asked from.

    It says so itself (CloudFront-Viewer-Address), or appended it to the chain. An API before a function appends the
    proxy's own address behind that, which is the peer's once more.
    """
    said = _address_before_port(viewer)
    if said:
        return said
    hops = [_host(hop.strip()) for hop in forwarded.split(",")[-_HOPS_MAX:] if hop.strip()]
    while hops and hops[-1] == peer:
        hops.pop()
    return hops[-1] if hops else peer


class Salts:
    """The secrets that visitors are hashed under, in a table of their own that no backup holds."""

    def __init__(self, table: Table, *, random_bytes: Callable[[int], bytes]) -> None:
        self._table = table
        self._random_bytes = random_bytes
        self._cached: dict[Key, tuple[bytes, int | None]] = {}
        self._first_end_ms = _NEVER_MS

    def of_day(self, brand: str, zone: str, *, at_ms: int, now_ms: int) -> bytes | None:
        """Return the salt of the brand's local day; None when that day's has been destroyed."""
        day = window_of(at_ms, Grain.DAY, zone)
        ends_at_ms = day.from_ms + SALT_MS
        return self._salt(_day_key(brand, day.from_ms), ends_at_ms, now_ms) if now_ms < ends_at_ms else None

    def of_brand(self, brand: str, *, now_ms: int) -> bytes:
        """Return the lasting secret under which a brand's own visitor ids are hashed."""
        return self._salt(Key(brand, "own"), None, now_ms)

    def destroy_ended(self, brand: str, zone: str, *, now_ms: int) -> None:
        """Remove the salts of days that have ended lately, where the table itself takes its time over it.

        Nobody is shown an expired one; but it lies there until it is removed, and this is asked for again and again.
        """
        day = window_of(now_ms - SALT_MS, Grain.DAY, zone)
        for _ in range(_DESTROYED_DAYS):
            day = window_of(day.from_ms - 1, Grain.DAY, zone)
            self._table.delete(Delete(_day_key(brand, day.from_ms)))

    def _salt(self, key: Key, expires_at_ms: int | None, now_ms: int) -> bytes:
        cached = self._cached.get(key)
        if cached is not None and (cached[1] is None or now_ms < cached[1]):
            return cached[0]
        if now_ms >= self._first_end_ms:  # What has ended leaves memory as well.
            self._cached = {k: v for k, v in self._cached.items() if v[1] is None or now_ms < v[1]}
            self._first_end_ms = min((end for _, end in self._cached.values() if end is not None), default=_NEVER_MS)
        if len(self._cached) >= _CACHED_SALTS_MAX:
            self._cached.clear()
        salt = self._stored(key, expires_at_ms)
        self._cached[key] = (salt, expires_at_ms)
        self._first_end_ms = min(self._first_end_ms, expires_at_ms or _NEVER_MS)
        return salt

    def _stored(self, key: Key, expires_at_ms: int | None) -> bytes:
        fresh = self._random_bytes(SALT_BYTES)
        try:
            self._table.put(Put(key, {"salt": fresh}, expires_at_ms=expires_at_ms, expects=(Absent(),)))
        except Changed:
            item = self._table.get(key)
            salt = None if item is None else item["salt"]
            return salt if isinstance(salt, bytes) else fresh
        return fresh


def _day_key(brand: str, day_start_ms: int) -> Key:
    return Key(brand, f"day#{day_start_ms}")


def visitor_hash(salt: bytes, *parts: str) -> bytes:
    """Return the few bytes that stand for a visitor."""
    return visitor_under(keyed_hash(salt), *parts)


def keyed_hash(salt: bytes) -> hashlib.blake2b:
    """Return a hash that has taken a salt in already, which is the larger half of the work."""
    return hashlib.blake2b(digest_size=VISITOR_BYTES, key=salt)


def visitor_under(keyed: hashlib.blake2b, *parts: str) -> bytes:
    """Return the few bytes that stand for a visitor under a salt; the hash may be used again."""
    own = keyed.copy()
    own.update("\0".join(parts).encode("utf-8", "surrogatepass"))
    return own.digest()


def visitors_under(keyed: hashlib.blake2b, texts: Sequence[str]) -> list[bytes]:
    """Return what stands for each of many visitors under a salt, each text by itself; nothing for an empty one."""
    found: list[bytes] = []
    for text in texts:
        own = keyed.copy()
        own.update(text.encode("utf-8", "surrogatepass"))
        found.append(own.digest() if text else b"")
    return found


def _host(hop: str) -> str:
    """Return a hop without the port that some proxies write behind it."""
    if hop.startswith("["):
        return hop[1:].partition("]")[0]
    return hop.partition(":")[0] if hop.count(":") == 1 else hop


def _address_before_port(text: str) -> str:
    """Return the address that stands before a port, without brackets around an IPv6 one; empty when there is none."""
    text = text.strip()
    bare = text[1:].partition("]")[0] if text.startswith("[") else text.rpartition(":")[0]
    for address in (
        bare,
        text,
    ):  # The port is always there, says the vendor; without it, it is an address all the same.
        try:
            return str(ipaddress.ip_address(address))
        except ValueError:
            continue
    return ""


def is_within(address: str, networks: Sequence[Network]) -> bool:
    """Tell whether an address lies in one of the networks; what is no address lies in none."""
    try:
        parsed = ipaddress.ip_address(address)
    except ValueError:
        return False
    if isinstance(parsed, ipaddress.IPv6Address) and parsed.ipv4_mapped is not None:
        parsed = parsed.ipv4_mapped
    return any(parsed in network for network in networks)
