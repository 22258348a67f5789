"""Hits as a news site has them: a Zipf shape over assets that each have their labels; seeded, so every run is alike."""

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from bench.instance import BRAND

ASSETS = 50_000
SECTIONS = 50
TYPES = ("article", "video", "gallery")
PAID = ("free", "paid", "partly")
BATCH = 100
FIRST_ASSET = 132_000_000
FIRST_SECTION = 500
ZIPF = 1.1
REFERRERS = ("https://www.search.example/", "https://social.example/feed", "https://news.example/", "")


@dataclass(frozen=True, slots=True)
class Mix:
    """Which hits: how many assets, and whether their ids are texts of 24 characters instead of numbers."""

    assets: int = ASSETS
    text_ids: bool = False


class Traffic:
    """A source of hits."""

    def __init__(self, seed: int, mix: Mix | None = None) -> None:
        self._chance = np.random.default_rng(seed)
        self._mix = mix or Mix()
        size = self._mix.assets
        sections = self._chance.integers(0, SECTIONS, size)
        types = self._chance.choice(len(TYPES), size, p=(0.8, 0.15, 0.05))
        paid = self._chance.choice(len(PAID), size, p=(0.6, 0.3, 0.1))
        self.ids = [self._id(place) for place in range(size)]
        labels = zip(self.ids, sections.tolist(), types.tolist(), paid.tolist(), strict=True)
        # All but the closing bracket, so that a batch is a matter of joining.
        self._heads = [
            f'{{"brand":"{BRAND}","assetId":"{asset}","sectionId":{FIRST_SECTION + section},'
            f'"resourceType":"{TYPES[kind]}","paidType":"{PAID[pays]}"'.encode("ascii")
            for asset, section, kind, pays in labels
        ]
        weights = 1.0 / np.arange(1, size + 1) ** ZIPF
        self._shares = np.cumsum(weights / weights.sum())

    def drawn(self, count: int) -> NDArray[np.intp]:
        """Draw assets by their popularity."""
        return np.minimum(np.searchsorted(self._shares, self._chance.random(count)), self._mix.assets - 1)

    def lean(self, count: int) -> list[bytes]:
        """Return hits of the five counted fields."""
        return [self._heads[place] + b"}" for place in self.drawn(count).tolist()]

    def bulky(self, count: int, *, url_bytes: int) -> list[bytes]:
        """Return hits whose urls no compression makes small."""
        tokens = (self._chance.bytes(url_bytes // 2).hex() for _ in range(count))
        return [
            self._heads[place] + f',"url":"https://news.example/{token}"}}'.encode()
            for place, token in zip(self.drawn(count).tolist(), tokens, strict=True)
        ]

    def full(self, count: int, *, from_ms: int, to_ms: int) -> list[bytes]:
        """Return hits with url, referrer and a time."""
        moments = self._chance.integers(from_ms, to_ms, count).tolist()
        referrers = self._chance.integers(0, len(REFERRERS), count).tolist()
        return [
            self._heads[place]
            + f',"url":"https://news.example/story/{self.ids[place]}","referrer":"{REFERRERS[referrer]}","at":{at}}}'.encode()
            for place, referrer, at in zip(self.drawn(count).tolist(), referrers, moments, strict=True)
        ]

    def timed(self, places: Sequence[int], *, from_ms: int, to_ms: int) -> list[bytes]:
        """Return hits of these assets as they would have come in the span, one after another."""
        moments = np.sort(self._chance.integers(from_ms, to_ms, len(places))).tolist()
        return [self._heads[place] + b',"at":%d}' % at for place, at in zip(places, moments, strict=True)]

    def every_asset(self) -> list[int]:
        """Return every asset once, in some order."""
        return self._chance.permutation(self._mix.assets).tolist()

    def _id(self, place: int) -> str:
        number = FIRST_ASSET + place
        return f"story-{number:x}".ljust(24, "z") if self._mix.text_ids else str(number)


def batches(hits: Sequence[bytes], size: int = BATCH) -> Iterator[bytes]:
    """Yield JSON arrays of so many hits."""
    for start in range(0, len(hits), size):
        yield b"[" + b",".join(hits[start : start + size]) + b"]"


def marked(asset: str, section: int) -> bytes:
    """Return one hit that can be told from all others."""
    hit = {"brand": BRAND, "assetId": asset, "sectionId": section, "resourceType": "article", "paidType": "free"}
    return json.dumps(hit).encode()
