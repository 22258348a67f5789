"""Hits as columns of numbers: all that is looked at when visitors and assets are judged. Texts come in as numbers."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, fields

import numpy as np
from numpy.typing import NDArray
from xxhash import xxh3_64_intdigest

Numbers = NDArray[np.uint64]
Moments = NDArray[np.int64]
Mask = NDArray[np.bool_]

SPREAD = np.uint64(0x9E3779B97F4A7C15)  # An odd number that scatters the codes multiplied by it.
NOTHING = 0  # of a visitor, a referrer, an agent or a section: it was not sent


@dataclass(frozen=True, slots=True)
class HitColumns:
    """Hits in any order; every column has one entry for each of them."""

    asset: Numbers
    section: Numbers
    visitor: Numbers
    referrer: Numbers  # its host
    agent: Numbers
    at_ms: Moments  # when it happened, as its sender says
    arrived_ms: Moments

    def __len__(self) -> int:
        return len(self.asset)

    def chosen(self, which: Mask | NDArray[np.intp]) -> "HitColumns":
        """Return some of the hits."""
        return HitColumns(*(getattr(self, field.name)[which] for field in fields(self)))


def code_of(text: str) -> int:
    """Return the number that stands for a text everywhere and for ever; nothing for none."""
    return xxh3_64_intdigest(text.encode("utf-8", "replace")) or 1 if text else NOTHING


def visitor_code(visitor: bytes) -> int:
    """Return the number of a visitor's hash, nothing for none."""
    return int.from_bytes(visitor, "big")


def visitor_bytes(code: int) -> bytes:
    """Return the hash that such a number stands for."""
    return code.to_bytes(8, "big") if code else b""


def joined(parts: Sequence[HitColumns]) -> HitColumns:
    """Return the hits of all the parts."""
    if not parts:
        return no_hits()
    return HitColumns(*(np.concatenate([getattr(part, field.name) for part in parts]) for field in fields(HitColumns)))


def no_hits() -> HitColumns:
    """Return columns without a hit."""
    codes, moments = np.zeros(0, np.uint64), np.zeros(0, np.int64)
    return HitColumns(codes, codes, codes, codes, codes, moments, moments)


def codes(texts: Iterable[str]) -> Numbers:
    """Return the numbers of texts, each computed once."""
    known: dict[str, int] = {}
    found: list[int] = []
    for text in texts:
        code = known.get(text)
        if code is None:
            code = known[text] = code_of(text)
        found.append(code)
    return np.array(found, np.uint64)
