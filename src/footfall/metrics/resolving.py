"""Which definitions answer a question: the metric in the version that is asked for, and all that it needs."""

import hashlib
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass

from footfall.metrics.catalogue import MetricCatalogue
from footfall.metrics.checking import is_sound
from footfall.metrics.circles import after_needs
from footfall.metrics.definition import Counted, Definition
from footfall.metrics.errors import NoSuchMetric
from footfall.metrics.versions import Version
from footfall.values.errors import Refused
from footfall.values.window import instant_text


@dataclass(frozen=True, slots=True)
class Asked:
    """Which version of a metric: by number, by hash, or as it was at a moment; nothing: the newest."""

    name: str
    version: int | None = None
    hash: str | None = None
    as_of_ms: int | None = None


@dataclass(frozen=True, slots=True)
class Resolved:
    """A metric with everything that it needs, directly or through others."""

    root: Version
    versions: Mapping[str, Version]  # by name, the root's among them
    digest: str  # the same as long as no number can be another
    pushed: tuple[str, ...]  # the metrics whose points are read
    has_counts: bool

    def definition(self, name: str) -> Definition:
        """Return the definition of a metric that is needed."""
        return self.versions[name].definition


def resolved(catalogue: MetricCatalogue, brand: str, asked: Asked) -> Resolved:
    """Return what answers a question, or raise NoSuchMetric.

    A moment is that of all definitions. A number or a hash is the metric as it last was: what it needs is taken as it
    stood until the next version was saved, so that an old version gives what it gave; of the newest, as it stands now.
    """
    root = asked_version(catalogue, brand, asked)
    moment_ms = asked.as_of_ms
    if asked.version is not None or asked.hash is not None:
        moment_ms = _last_moment_ms(catalogue, brand, root)
    found = {root.name: root}
    waiting = list(root.definition.needed_metrics)
    while waiting:
        name = waiting.pop()
        if name not in found:
            one = _needed(catalogue, brand, name, moment_ms, root)
            found[name] = one
            waiting.extend(one.definition.needed_metrics)
    made = _made(root, found)
    if moment_ms is not None and asked.as_of_ms is None:
        _require_fits(root, found)
    return made


def _last_moment_ms(catalogue: MetricCatalogue, brand: str, root: Version) -> int | None:
    """Return the last moment at which a version was the newest; None: it still is."""
    if catalogue.newest(brand, root.name).number == root.number:
        return None
    after = catalogue.version(brand, root.name, root.number + 1)
    return max(root.updated_at_ms, after.updated_at_ms - 1)


def _require_fits(root: Version, found: Mapping[str, Version]) -> None:
    """Raise where what an old version needs has another unit, as when all changed within one millisecond."""

    def lookup(name: str) -> Definition | None:
        return found[name].definition if name in found else None

    if not is_sound(root.definition, lookup):
        reason = f"{root.number} of {root.name!r} does not fit the units of what it needs as they were then; use asOf"
        raise Refused("version", reason)


def asked_version(catalogue: MetricCatalogue, brand: str, asked: Asked) -> Version:
    """Return the version that is asked for, or raise NoSuchMetric, or Refused where two things say which it is."""
    given = {"version": asked.version, "hash": asked.hash, "asOf": asked.as_of_ms}
    named = [name for name, value in given.items() if value is not None]
    if len(named) > 1:
        raise Refused(
            named[1], f"and {named[0]} cannot both say which version is meant; give one of version, hash and asOf"
        )
    if asked.version is not None:
        return catalogue.version(brand, asked.name, asked.version)
    if asked.hash is not None:
        return catalogue.by_hash(brand, asked.name, asked.hash)
    if asked.as_of_ms is not None:
        return catalogue.as_of(brand, asked.name, asked.as_of_ms)
    return catalogue.newest(brand, asked.name)


def _needed(catalogue: MetricCatalogue, brand: str, name: str, moment_ms: int | None, root: Version) -> Version:
    try:
        return catalogue.newest(brand, name) if moment_ms is None else catalogue.as_of(brand, name, moment_ms)
    except NoSuchMetric as error:
        removed_ms = catalogue.removed_at_ms(brand, name)
        reason = error.reason
        if removed_ms is not None:
            reason = (
                f"it was removed at {instant_text(removed_ms)} with its versions; ask for a newer one of {root.name!r}"
            )
        raise NoSuchMetric("version", f"{root.number} of {root.name!r} needs {name!r}: {reason}") from None


def _made(root: Version, versions: Mapping[str, Version]) -> Resolved:
    _require_no_circle(root, versions)
    primitive = [one.definition for one in versions.values() if not one.definition.is_hybrid]
    pushed = sorted(one.name for one in primitive if is_pushed(one))
    told = [f"{name}\n{versions[name].number}\n{versions[name].definition.hash}" for name in sorted(versions)]
    digest = hashlib.sha256("\n".join([root.name, *told]).encode()).hexdigest()
    return Resolved(root, versions, digest, tuple(pushed), len(pushed) < len(primitive))


def is_pushed(definition: Definition) -> bool:
    """Tell whether a primitive metric is made of points that are pushed."""
    return definition.source is None or definition.source.counts is Counted.PUSHED


def _require_no_circle(root: Version, versions: Mapping[str, Version]) -> None:
    """Raise where an old version needs a newer one that needs it: each was right in its time, together they are not."""

    def refuse(circle: Sequence[str]) -> None:
        raise Refused("version", f"this version needs {circle[-1]!r}, which was computed from it; use asOf")

    def enter(path: Sequence[str]) -> Sequence[str]:
        return versions[path[-1]].definition.needed_metrics

    for _ in after_needs(root.name, enter, done=set(), on_circle=refuse):
        pass


def require_dimensions(found: Resolved, dimensions: Iterable[str], *, field: str) -> None:
    """Raise Refused unless every metric that data come from has these dimensions."""
    for dimension in dimensions:
        _walk(found, found.root.name, lambda one, of=dimension: _require_has(one, of, field, found.root.name))


def _walk(found: Resolved, root: str, visit: Callable[[Definition], None]) -> None:
    seen, waiting = {root}, [root]
    while waiting:
        definition = found.definition(waiting.pop())
        if not definition.is_hybrid:
            visit(definition)
        for name in definition.needed_metrics:
            if name not in seen:
                seen.add(name)
                waiting.append(name)


def _require_has(definition: Definition, dimension: str, field: str, root: str) -> None:
    if dimension not in definition.related_dimensions:
        known = ", ".join(definition.related_dimensions) or "none"
        whose = "" if definition.name == root else f", which {root!r} needs"
        raise Refused(field, f"{dimension[:64]!r} is not a dimension of {definition.name!r}{whose}; it has {known}")


def dimensions_of(found: Resolved) -> tuple[str, ...]:
    """Return the dimensions that a metric can be grouped by: those that all its operands have."""
    common: set[str] | None = None
    for one in found.versions.values():
        if not one.definition.is_hybrid:
            mine = set(one.definition.related_dimensions)
            common = mine if common is None else common & mine
    return tuple(sorted(common or ()))
