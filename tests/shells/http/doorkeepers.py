"""A doorkeeper with limits of the test's own, on a clock that it moves."""

from collections.abc import Callable
from ipaddress import ip_network

from footfall.accounts.brands import Brands
from footfall.accounts.keyring import Keyring
from footfall.accounts.limits import Buckets, Limits, Rate
from footfall.accounts.nonces import Nonces
from footfall.accounts.proofs import Proofs
from footfall.adapters.embedded.sqlite_table import SqliteTable
from footfall.shells.http.access import Access, ProxiedAccess, Rules
from footfall.values.clock import Clock

NO_LIMITS = Limits(key=Rate(0, 0), address=Rate(0, 0))
LOOPBACK = (ip_network("127.0.0.0/8"),)


def doorkeeper(
    brands: Brands,
    keyring: Keyring,
    clock: Clock,
    *,
    limits: Limits = NO_LIMITS,
    seconds: Callable[[], float] = lambda: 1_000.0,
    proxy_secret: bytes = b"",
) -> Access:
    """Return a doorkeeper that believes what loopback says of addresses, and whoever has the secret."""
    proofs = Proofs(keyring, Nonces(lambda: SqliteTable(":memory:", clock=clock)), clock=clock)
    rules = Rules(limits, LOOPBACK, proofs, proxy_secret)
    kind = ProxiedAccess if proxy_secret else Access
    return kind(brands, keyring, Buckets(b"k" * 32), rules=rules, clock=clock, seconds=seconds)
