"""A day of a news site with ten attacks in it: each hit as a door sees it, and what it truly is; seeded."""

from collections.abc import Callable
from dataclasses import dataclass, fields

import numpy as np

from bench.attack_world import HUMAN_HITS, SECTIONS, Hits, World, people
from bench.attacks import attacks

Attackers = Callable[[World, Hits], list[Hits]]


@dataclass(frozen=True, slots=True)
class Scenario:
    """The hits in the order of their arrival, and which assets are stories that people ran to."""

    hits: Hits
    agents: tuple[str, ...]
    stories: dict[str, tuple[int, ...]]  # viral, newsletter, breaking

    def section_of(self, asset: int) -> int:
        """Return an asset's section."""
        return asset % SECTIONS


def scenario(seed: int, *, human_hits: int = HUMAN_HITS, attackers: Attackers = attacks) -> Scenario:
    """Return the day of a seed; attacks keep their size relative to the people."""
    chance = np.random.default_rng([seed, 6])
    world = World(chance, human_hits / HUMAN_HITS)
    readers = people(world)
    parts = [*readers, *attackers(world, readers[0])]
    hits = Hits(*(np.concatenate([getattr(part, field.name) for part in parts]) for field in fields(Hits)))
    return Scenario(hits.chosen(np.argsort(hits.arrived_ms, kind="stable")), world.agents, world.stories)
