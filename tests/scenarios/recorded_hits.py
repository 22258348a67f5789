"""A recorded file of hits, invented from a fixed number: requests with their moments of arrival, as a proxy would log.

Everything that decides where a hit goes is in it: times of their own, late and future ones, ids and requests that come
twice, assets with several sets of labels and with none, ids as numbers and as texts.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import numpy as np

MINUTE_MS, QUARTER_MS, HOUR_MS, DAY_MS = 60_000, 900_000, 3_600_000, 86_400_000
BRANDS = ("abc", "kathmandu")
ASSETS = 20_000
SECTIONS = 60
TYPES = ("article", "video", "gallery", "")
PAID = ("free", "paid", "")
LABELS_CHANGE = 50  # One asset in so many is seen under a second set of labels.


@dataclass(frozen=True, slots=True)
class Sent:
    """One request as it came."""

    arrived_at_ms: int
    key: str  # the Idempotency-Key; empty without one
    body: bytes  # one JSON object a line


def record_hits(path: Path, *, hits: int, from_ms: int, hours: int, every_ms: int) -> None:
    """Write a file of that many hits, spread over the hours; the same arguments give the same bytes."""
    chance = np.random.default_rng(hits)
    moments = np.arange(from_ms, from_ms + hours * HOUR_MS, every_ms)
    requests = [(int(moment), brand) for moment in moments for brand in BRANDS]
    shares = chance.dirichlet(np.full(len(requests), 40.0))
    sizes = np.diff(np.round(np.cumsum(shares) * hits).astype(int), prepend=0)
    with path.open("wb") as file:
        for number, ((moment, brand), size) in enumerate(zip(requests, sizes, strict=True)):
            if not size:
                continue
            body = "\n".join(_lines(chance, brand, moment, int(size), number)).encode()
            key = f"request-{number}" if number % 7 == 0 else ""
            for _ in range(2 if number % 49 == 0 else 1):  # A sender that heard no answer sends it again.
                file.write(f"{moment} {len(body)} {key}\n".encode())
                file.write(body)


def recorded(path: Path) -> Iterator[Sent]:
    """Yield the requests of a file, in their order."""
    with path.open("rb") as file:
        while head := file.readline():
            moment, size, key = head.decode().rstrip("\n").split(" ")
            yield Sent(int(moment), key, file.read(int(size)))


def _lines(chance: np.random.Generator, brand: str, moment_ms: int, size: int, number: int) -> Iterator[str]:
    assets = np.minimum(chance.zipf(1.25, size), ASSETS).tolist()
    kinds = chance.random(size).tolist()
    labels = chance.integers(0, LABELS_CHANGE, size).tolist()
    for at, (asset, kind, other) in enumerate(zip(assets, kinds, labels, strict=True)):
        variant = asset + 7 * (other == 0)
        shown = asset if asset % 2 else f'"a{asset}"'
        labelled = (
            f',"sectionId":{variant * 37 % SECTIONS},"resourceType":"{TYPES[variant % 4]}"'
            f',"paidType":"{PAID[variant // 4 % 3]}"'
        )
        more = _more(kind, moment_ms, number, at)
        yield f'{{"brand":"{brand}","assetId":{shown}{"" if asset % 31 == 0 else labelled}{more}}}'


def _more(kind: float, moment_ms: int, number: int, at: int) -> str:
    """Return what only some hits say: a time of their own, or an id. Times come in quarters of an hour: few minutes."""
    share = int(kind * 1e9) % 10_000 / 10_000
    if kind < 0.001:
        return f',"at":{moment_ms - DAY_MS - int(share * 3 * HOUR_MS) - 1}'
    if kind < 0.002:
        return f',"at":{moment_ms + 5 * MINUTE_MS + 1 + int(share * HOUR_MS)}'
    if kind < 0.05:
        return f',"at":{moment_ms - int(share * 8) * QUARTER_MS}'
    if kind < 0.055:
        return f',"at":{moment_ms - int(share * 23) * HOUR_MS}'
    if kind < 0.08:
        return f',"id":"{number // 4}-{at % 97}"'  # The same ones come again for some requests.
    return ""
