"""The hits that every peer is given: bodies in a file, as publishers' servers send them, and the columns behind them.

A body is a JSON array of 500 hits of one brand, as many as footfall's own client sends at once. It is made once, before
anybody is measured, and read by whoever feeds a peer; so making traffic is in nobody's figures. A load of more hits
than the file has begins it again from the front.
"""

import os
import struct
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from hashlib import sha256
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

BODY_HITS = 500
BODY_MS = 1_000  # over which its hits are spread: so long a client gathers them
BRANDS = ("abc", "def", "ghi", "jkl", "mno")
BRAND_SHARES = (0.30, 0.25, 0.20, 0.15, 0.10)
TYPES = ("article", "video", "gallery")
PAID = ("free", "paid", "partly")
ZIPF = 1.1
FIRST_ASSET = 132_000_000
FIRST_SECTION = 500
SECTIONS = 50
JUDGED_SHARES = (0.10, 0.03, 0.01)  # of a brand's hits, which the first three sections have
HEADLINES = 10  # A brand's most read lie in none of those sections: one of them alone may have a tenth of the hits.
DAY_MS = 86_400_000
SWING = 0.8  # The busiest hour has nine times the hits of the quietest.
BUSIEST_HOUR = 19
FRAME = struct.Struct("<I")
MADE_AT_ONCE = 200_000

Ints = NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class Shape:
    """Which traffic: how many hits the file has, over how many assets, and the day it is spread over, if it is."""

    hits: int
    assets: int
    day_starts_ms: int = 0  # 0: hits bear no time and count when they come
    seed: int = 26

    @property
    def name(self) -> str:
        """Return the name of its files, which no other traffic has."""
        told = repr((sorted(asdict(self).items()), BODY_HITS, BODY_MS, SWING, JUDGED_SHARES)).encode()
        return f"{self.hits}-{self.assets}-{'day' if self.day_starts_ms else 'now'}-{sha256(told).hexdigest()[:12]}"


@dataclass(frozen=True, slots=True)
class Columns:
    """What the hits are, in the order in which they are sent, and what the assets are."""

    asset: NDArray[np.int32]  # of each hit
    at_ms: Ints  # of each hit; empty when hits bear no time
    section: NDArray[np.int16]  # of each asset
    kind: NDArray[np.int16]
    pays: NDArray[np.int16]
    brand: NDArray[np.int16]


@dataclass(frozen=True, slots=True)
class Traffic:
    """Traffic that lies ready."""

    shape: Shape
    bodies: Path
    columns: Columns


def made(shape: Shape, folder: Path) -> Traffic:
    """Return the traffic of a shape, made unless it lies there."""
    folder.mkdir(parents=True, exist_ok=True)
    bodies = folder / f"{shape.name}.bodies"
    columns = _drawn(shape)
    if not bodies.exists():
        unfinished = bodies.with_suffix(f".{os.getpid()}")
        with unfinished.open("wb") as file:
            for part in _frames(columns):
                file.write(part)
        unfinished.rename(bodies)
    return Traffic(shape, bodies, columns)


def framed_bodies(path: Path, *, first: int = 0) -> Iterator[bytes]:
    """Yield bodies in order, beginning with one of that number, again from the front when all were given."""
    while True:
        with path.open("rb") as file:
            while head := file.read(FRAME.size):
                body = file.read(FRAME.unpack(head)[0])
                if first > 0:
                    first -= 1
                else:
                    yield body


def _drawn(shape: Shape) -> Columns:
    """Draw the columns, which the seed alone decides."""
    if shape.hits % BODY_HITS or shape.assets % len(BRANDS):
        raise ValueError(f"{shape.hits} hits and {shape.assets} assets must be multiples of {BODY_HITS} and 5")
    chance = np.random.default_rng(shape.seed)
    own = shape.assets // len(BRANDS)
    weights = 1.0 / np.arange(1, own + 1) ** ZIPF
    weights /= weights.sum()
    places = [chance.permutation(own) for _ in BRANDS]  # the asset of each rank: the most read are not the first
    section = np.concatenate([_sections(chance, weights, places[n]) for n in range(len(BRANDS))])
    kind = chance.choice(len(TYPES), shape.assets, p=(0.8, 0.15, 0.05)).astype(np.int16)
    pays = chance.choice(len(PAID), shape.assets, p=(0.6, 0.3, 0.1)).astype(np.int16)
    brand_of_body = chance.choice(len(BRANDS), shape.hits // BODY_HITS, p=BRAND_SHARES)
    rank = np.searchsorted(np.cumsum(weights)[:-1], chance.random(shape.hits))
    brand_of_hit = np.repeat(brand_of_body, BODY_HITS)
    asset = np.concatenate(places)[brand_of_hit * own + rank] + brand_of_hit * own
    brand = np.repeat(np.arange(len(BRANDS), dtype=np.int16), own)
    return Columns(asset.astype(np.int32), _moments(chance, shape), section, kind, pays, brand)


def _sections(chance: np.random.Generator, weights: NDArray[np.float64], places: Ints) -> NDArray[np.int16]:
    """Give each asset of a brand its section, so that the judged ones have their shares of the hits."""
    rest = 1.0 - weights[:HEADLINES].sum()
    judged = np.array(JUDGED_SHARES) / max(rest, sum(JUDGED_SHARES))
    others = SECTIONS - len(judged)
    odds = np.concatenate([judged, np.full(others, (1.0 - judged.sum()) / others)])
    by_rank = chance.choice(SECTIONS, len(places), p=odds / odds.sum())
    by_rank[:HEADLINES] = len(judged) + chance.integers(0, others, min(HEADLINES, len(places)))
    section = np.empty(len(places), np.int16)
    section[places] = by_rank
    return section


def _moments(chance: np.random.Generator, shape: Shape) -> Ints:
    """Spread hits over the day with its rhythm; bodies are in order, and each has the hits of one second."""
    if not shape.day_starts_ms:
        return np.empty(0, np.int64)
    minute = np.arange(1_440)
    rhythm = 1 + SWING * np.cos((minute / 60 - BUSIEST_HOUR) / 24 * 2 * np.pi)
    bodies = shape.hits // BODY_HITS
    drawn = np.sort(chance.choice(1_440, bodies, p=rhythm / rhythm.sum()) * 60_000 + chance.integers(0, 60_000, bodies))
    within = np.sort(chance.integers(0, BODY_MS, (bodies, BODY_HITS)), axis=1).ravel()
    return shape.day_starts_ms + np.repeat(drawn - drawn % BODY_MS, BODY_HITS) + within


def _frames(columns: Columns) -> Iterator[bytes]:
    heads = asset_heads(columns)
    for start in range(0, len(columns.asset), MADE_AT_ONCE):
        assets = columns.asset[start : start + MADE_AT_ONCE].tolist()
        moments: list[Any] = columns.at_ms[start : start + MADE_AT_ONCE].tolist()
        hits = [heads[one] for one in assets]
        ends = [b',"at":%d}' % at for at in moments] if moments else [b"}"] * len(hits)
        parts: list[bytes] = []
        for first in range(0, len(hits), BODY_HITS):
            few = slice(first, first + BODY_HITS)
            body = b"[" + b",".join([a + b for a, b in zip(hits[few], ends[few], strict=True)]) + b"]"
            parts += (FRAME.pack(len(body)), body)
        yield b"".join(parts)


def asset_heads(columns: Columns) -> list[bytes]:
    """Return how a hit of each asset is written, but for its time and the closing bracket."""
    labels = zip(
        columns.brand.tolist(), columns.section.tolist(), columns.kind.tolist(), columns.pays.tolist(), strict=True
    )
    return [
        f'{{"brand":"{BRANDS[brand]}","assetId":{FIRST_ASSET + number},"sectionId":{FIRST_SECTION + section},'
        f'"resourceType":"{TYPES[kind]}","paidType":"{PAID[pays]}"'.encode("ascii")
        for number, (brand, section, kind, pays) in enumerate(labels)
    ]
