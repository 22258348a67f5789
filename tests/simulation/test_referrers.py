"""Referrers in a world where the process that counts them ends at any point: what was sent is what is told."""

import random
from collections import Counter
from pathlib import Path

import pytest

from footfall.app import referring
from footfall.flow.stream.records import RULES, VERSION, Pack
from footfall.ports.blobs import Blobs, Page
from footfall.ports.errors import Unavailable
from footfall.values.source import source_of
from footfall.values.window import DAY_MS, HOUR_MS, MINUTE_MS
from tests.app.referred_stage import Referred, finished
from tests.app.stage import NOON_MS

ACTS = 60
SEEDS = 25
ASSETS = [f"asset-{number}" for number in range(1, 6)]
PAGES = ("", "https://www.google.fi/?q=x", "https://search.example/?q=y", "https://t.co/z", "about:blank")

Plain = Counter[tuple[str, int, str]]  # asset, hour, source


class Failing:
    """Objects whose writes fail now and then, before or after they are on disk: as when a process is killed there."""

    def __init__(self, blobs: Blobs, chance: random.Random) -> None:
        self._blobs = blobs
        self._chance = chance

    def put(self, name: str, data: bytes) -> None:
        lot = self._chance.random()
        if lot < 0.1:
            raise Unavailable("killed before")
        self._blobs.put(name, data)
        if lot < 0.2:
            raise Unavailable("killed after")

    def put_new(self, name: str, data: bytes) -> None:
        self._blobs.put_new(name, data)

    def get(self, name: str) -> bytes | None:
        if self._chance.random() < 0.02:
            raise Unavailable("away")
        return self._blobs.get(name)

    def size_bytes(self, name: str) -> int | None:
        return self._blobs.size_bytes(name)

    def delete(self, name: str) -> None:
        self._blobs.delete(name)

    def page(self, prefix: str = "", *, after: str | None = None, limit: int = 1_000) -> Page:
        return self._blobs.page(prefix, after=after, limit=limit)


def some_pack(chance: random.Random, now_ms: int) -> tuple[Pack, Plain]:
    """Return a pack as senders send it, and the plain count of its hits by asset, hour and source."""
    count = chance.randint(1, 6)
    assets = [chance.choice(ASSETS) for _ in range(count)]
    came_from = [chance.choice(PAGES) for _ in range(count)]
    ages = [chance.choice((0, 0, 0, MINUTE_MS, HOUR_MS, 30 * HOUR_MS)) for _ in range(count)]
    times = [now_ms - age for age in ages] if chance.random() < 0.5 else None
    weights = [chance.randint(1, 4) for _ in range(count)] if chance.random() < 0.2 else None
    screened = {0: "bot-agent"} if chance.random() < 0.2 else None
    pack = Pack(
        *(VERSION, RULES, now_ms, [(asset, "news", "", "") for asset in assets]),
        at_ms=times,
        weights=weights,
        screened=screened,
        referrers=came_from,
    )
    expected = Plain()
    for place, asset in enumerate(assets):
        at_ms = now_ms if times is None else times[place]
        if not (screened and place in screened) and now_ms - at_ms <= DAY_MS:
            weight = 1 if weights is None else weights[place]
            expected[asset, at_ms // HOUR_MS * HOUR_MS, source_of(came_from[place])] += weight
    return pack, expected


class World:
    """Senders, counting, and one process after the other that counts referrers."""

    def __init__(self, folder: Path, seed: int) -> None:
        self.chance = random.Random(seed)
        self.stage = Referred(folder, shards=2)
        self.sent = Plain()
        self._failing = Failing(self.stage.blobs, self.chance)
        self._referring = self.stage.referring(self._failing)

    def act(self) -> None:
        """Let one thing happen."""
        match self.chance.choice("ssssccrrrkt"):
            case "s":
                pack, plain = some_pack(self.chance, self.stage.clock.now_ms())
                self.stage.append(pack, shard=self.chance.randrange(2))
                self.sent += plain
            case "c":
                self.stage.count()
            case "k":
                self._referring = self.stage.referring(self._failing)
            case "t":
                self.stage.clock.advance(self.chance.choice((1_000, 11_000, 20 * MINUTE_MS)))
            case _:
                self._count_referrers()

    def told(self) -> Plain:
        """Return what hours tell when everything was counted by a last process."""
        self.stage.count()
        finished(self.stage.referring())
        found = Plain()
        for hour_ms in range(NOON_MS - 2 * DAY_MS, NOON_MS + DAY_MS, HOUR_MS):
            for asset in ASSETS:
                sums = self.stage.sums(asset=asset, from_ms=hour_ms, to_ms=hour_ms + HOUR_MS)
                assert (sums.other, sums.unplaced) == (0, 0)
                found.update({(asset, hour_ms, source): hits for source, hits in sums.sources.items()})
        return found

    def _count_referrers(self) -> None:
        try:
            self._referring.step()
            if self.chance.random() < 0.3:
                self._referring.flush()
        except Unavailable:
            if self.chance.random() < 0.5:
                self._referring = self.stage.referring(self._failing)


@pytest.mark.parametrize("seed", range(SEEDS))
def test_a_process_that_ends_at_any_point_loses_nothing_and_counts_nothing_twice(
    tmp_path: Path, seed: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    if seed % 2:  # There is hardly any room, so that hours come and go.
        monkeypatch.setattr(referring, "HELD_PAIRS_MAX", 20)
        monkeypatch.setattr(referring, "TALLY_PAIRS_MAX", 5)
    world = World(tmp_path, seed)
    for _ in range(ACTS):
        world.act()
    assert world.told() == world.sent
