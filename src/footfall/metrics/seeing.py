"""What a change sees of the catalogue: what was read, what is about to be written, and what another just wrote."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

from footfall.metrics.definition import Definition
from footfall.metrics.versions import Version


@dataclass(slots=True)
class Ground:
    """What a change sees of the catalogue: the newest versions that it read, and those that it is about to write."""

    read: Callable[[str], Version | None]
    now_ms: int  # the one moment of the whole change
    seen: dict[str, Version | None] = field(default_factory=dict[str, Version | None])

    def newest(self, name: str) -> Version | None:
        """Return the newest version of a metric, read once."""
        if name not in self.seen:
            self.seen[name] = self.read(name)
        return self.seen[name]

    def definition(self, name: str) -> Definition | None:
        """Return the newest definition of a metric."""
        found = self.newest(name)
        return None if found is None else found.definition


@dataclass(slots=True)
class Rehearsed:
    """What a rehearsal would have written, and what it is told will be."""

    announced: Mapping[str, Definition]
    versions: dict[tuple[str, str], Version | None] = field(default_factory=dict[tuple[str, str], Version | None])

    def users(self, brand: str, name: str) -> list[str]:
        """Return the metrics that would need one."""
        made = ((of, one) for (of, _), one in self.versions.items() if one is not None)
        return [one.name for of, one in made if of == brand and name in one.definition.needed_metrics]


@dataclass(slots=True)
class Carried:
    """What one change saw and wrote, for the next that follows it at once: as long as nobody else wrote, it holds."""

    revision: int = -1
    seen: dict[str, Version | None] = field(default_factory=dict[str, Version | None])

    def seen_at(self, revision: int) -> dict[str, Version | None]:
        """Return what is known of the catalogue at a revision."""
        known, self.seen = self.seen, {}
        is_same, self.revision = self.revision == revision, -1
        return known if is_same else {}

    def keep(self, ground: Ground, made: Mapping[str, Version], revision: int) -> None:
        """Take over what was seen and what was written, which is the catalogue of a revision now."""
        self.seen, self.revision = ground.seen, revision
        self.seen.update(made)
