"""Rate limits: token buckets for keys and addresses, in memory that does not grow with whoever comes.

A bucket is one number, the moment at which it will be full again. An address has no bucket of its own: its keyed hash
points at one place in each of two arrays, and it is refused only when both are empty. Two addresses that share both
places share a limit, which with five thousand active ones happens to one in seven hundred; nothing has to be swept,
and no address can be read out of it.
"""

import hashlib
from array import array
from dataclasses import dataclass, field
from functools import lru_cache
from math import ceil
from typing import Final

from msgspec import Struct

from footfall.accounts.brands import Brand
from footfall.values.errors import FootfallError

PLACES: Final = 1 << 17  # in each of the two arrays: a megabyte
_MASK: Final = PLACES - 1
_SHIFT: Final = 32

KEY_BUCKETS_MAX = 100_000  # Then those that are full again are forgotten: keys that are gone, or rest.
RATES_MAX = 1_000  # Different limits that brands may have chosen, worked out once each.
ROUNDING_S, ROUNDING = 1e-9, 1e-6  # What adding seconds up may lose.

KEY, ADDRESS = "key", "address"


@dataclass(frozen=True, slots=True)
class Rate:
    """So many requests a second for long, so many at once; 0 a second is no limit."""

    per_s: int
    burst: int
    cost_s: float = field(init=False, repr=False, compare=False)  # What one request takes out of the bucket.
    refill_s: float = field(init=False, repr=False, compare=False)  # What an empty bucket needs to be full.

    def __post_init__(self) -> None:
        """Work out once what every request needs."""
        cost_s = 1 / self.per_s if self.per_s else 0.0
        object.__setattr__(self, "cost_s", cost_s)
        object.__setattr__(self, "refill_s", max(1, self.burst) * cost_s)

    def policy(self, name: str) -> str:
        """Return the limit as the header RateLimit-Policy tells it."""
        return f'"{name}";q={max(1, self.burst)};w={max(1, ceil(self.refill_s))}'


class Standing(Struct, frozen=True, gc=False):
    """Where somebody stands after a request: how many more may come at once, and when all of them may again."""

    name: str
    rate: Rate
    left: int
    full_in_s: int

    @property
    def policy(self) -> str:
        """Return the limit as the header RateLimit-Policy tells it."""
        return _policy(self.name, self.rate)

    @property
    def state(self) -> str:
        """Return what is left of it as the header RateLimit tells it."""
        return f'"{self.name}";r={self.left};t={self.full_in_s}'


@lru_cache(maxsize=RATES_MAX)
def _policy(name: str, rate: Rate) -> str:
    return rate.policy(name)


class TooOften(FootfallError):
    """Requests came faster than the limit allows."""

    def __init__(self, standing: Standing, *, retry_after_s: int) -> None:
        whose = "this key" if standing.name == KEY else "this address"
        super().__init__(
            f"{whose} may ask {standing.rate.per_s:,} times a second, {max(1, standing.rate.burst):,} times at once; "
            f"wait {retry_after_s} s"
        )
        self.standing = standing
        self.retry_after_s = retry_after_s


class Limits(Struct, frozen=True):
    """The limits that hold where a brand has none of its own."""

    key: Rate
    address: Rate

    def of_key(self, brand: Brand | None) -> Rate:
        """Return the limit of each of the brand's keys."""
        own = brand.limits if brand is not None else None
        if own is None or (own.key_per_s is None and own.key_burst is None):
            return self.key
        return _rate(own.key_per_s, own.key_burst, self.key)

    def of_address(self, brand: Brand | None) -> Rate:
        """Return the limit of each address that sends to the brand or asks for it."""
        own = brand.limits if brand is not None else None
        if own is None or (own.address_per_s is None and own.address_burst is None):
            return self.address
        return _rate(own.address_per_s, own.address_burst, self.address)


class Buckets:
    """The buckets of all keys and addresses."""

    def __init__(self, secret: bytes) -> None:
        self._hasher = hashlib.blake2b(digest_size=8, key=secret)  # Copying it is cheaper than keying it anew.
        self._keys: dict[str, float] = {}
        self._first = array("d", bytes(8 * PLACES))
        self._second = array("d", bytes(8 * PLACES))

    def take_for_key(self, key_id: str, rate: Rate, *, now_s: float) -> Standing:
        """Take one request out of a key's bucket, or raise TooOften."""
        before_s = self._keys.get(key_id, 0.0)
        after_s = (before_s if before_s > now_s else now_s) + rate.cost_s
        if after_s - now_s > rate.refill_s + ROUNDING_S:
            raise _too_often(KEY, rate, full_in_s=before_s - now_s)
        if before_s == 0.0 and len(self._keys) >= KEY_BUCKETS_MAX:
            self._keys = {one: full_at_s for one, full_at_s in self._keys.items() if full_at_s > now_s}
        self._keys[key_id] = after_s
        return _standing(KEY, rate, full_in_s=after_s - now_s)

    def take_for_address(self, network: bytes, brand: str, rate: Rate, *, now_s: float) -> Standing:
        """Take one request out of the bucket of an address at a brand, or raise TooOften."""
        hasher = self._hasher.copy()
        hasher.update(network + brand.encode())
        number = int.from_bytes(hasher.digest())
        one, two = number & _MASK, (number >> _SHIFT) & _MASK
        first, second = self._first, self._second
        first_s, second_s = first[one], second[two]
        if first_s < now_s:
            first_s = now_s
        if second_s < now_s:
            second_s = now_s
        full_at_s = first_s if first_s < second_s else second_s
        after_s = full_at_s + rate.cost_s
        if after_s - now_s > rate.refill_s + ROUNDING_S:
            raise _too_often(ADDRESS, rate, full_in_s=full_at_s - now_s)
        first[one] = first_s + rate.cost_s
        second[two] = second_s + rate.cost_s
        return _standing(ADDRESS, rate, full_in_s=after_s - now_s)


@lru_cache(maxsize=RATES_MAX)
def _rate(per_s: int | None, burst: int | None, otherwise: Rate) -> Rate:
    return Rate(otherwise.per_s if per_s is None else per_s, otherwise.burst if burst is None else burst)


def _standing(name: str, rate: Rate, *, full_in_s: float) -> Standing:
    left = int((rate.refill_s - full_in_s) * rate.per_s + ROUNDING)
    return Standing(name, rate, left if left > 0 else 0, ceil(full_in_s))


def _too_often(name: str, rate: Rate, *, full_in_s: float) -> TooOften:
    wait_s = full_in_s + rate.cost_s - rate.refill_s
    return TooOften(Standing(name, rate, 0, ceil(full_in_s)), retry_after_s=max(1, ceil(wait_s)))
