"""How a change of the catalogue is written: which items a version makes, and in which order several are saved."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import cast

from footfall.metrics import keys
from footfall.metrics.checking import CircularMetric
from footfall.metrics.circles import after_needs
from footfall.metrics.definition import Definition, ValueType
from footfall.metrics.formula import Node
from footfall.metrics.versions import Version, item_of
from footfall.ports.items import Item
from footfall.ports.table import Absent, Action, Equals, Found, Put
from footfall.values.errors import Refused

ACTIONS_MAX = 98  # of one transaction of at most 100, with room for the head and for what the change is about
SAYS_CHARACTERS_MAX = 300  # of a description that lists are searched by: 20,000 of them are some megabytes


@dataclass(frozen=True, slots=True)
class Saved:
    """A definition that is to be saved: on which version it is based (0: it is new), and why."""

    definition: Definition
    based_on: int | None = None  # None: on whatever is newest
    reason: str = ""
    written: Node | None = None  # the formula as somebody wrote it, for what has to be said of it


@dataclass(frozen=True, slots=True)
class Row:
    """A metric's line in the list."""

    name: str
    value_type: str
    unit: str
    title: str
    version: int
    hash: str
    is_deprecated: bool
    needs: frozenset[str]
    dimensions: frozenset[str] = frozenset()  # that it has itself; none for a hybrid
    owner: str = ""
    says: str = ""  # how its description begins

    @property
    def is_hybrid(self) -> bool:
        """Tell whether it is computed from other metrics."""
        return self.value_type == ValueType.HYBRID


def in_order(
    saved: Sequence[Saved], *, others: Mapping[str, Collection[str]] | None = None, with_circles: bool = False
) -> list[Saved]:
    """Return what is to be saved, each after those of them that it needs, or raise CircularMetric.

    `others` says what metrics need that are not saved, for those between two that are. Whoever looks at each of them
    later, and wants to tell all that is wrong, takes them `with_circles`.
    """
    by_name = {one.definition.name: one for one in saved}
    if len(by_name) < len(saved):
        raise Refused("name", "two of these metrics have one name")

    def enter(path: Sequence[str]) -> Collection[str]:
        known = by_name.get(path[-1])
        return known.definition.needed_metrics if known else (others or {}).get(path[-1], ())

    def refuse(circle: Sequence[str]) -> None:
        if not with_circles:
            last = by_name.get(circle[-2])
            is_chain = last is not None and circle[-1] not in last.definition.consumed_metrics
            raise CircularMetric("chainedMetric" if is_chain else "hybridFormula", circle)

    done: set[str] = set()
    placed = [name for start in by_name for name in after_needs(start, enter, done=done, on_circle=refuse)]
    return [by_name[name] for name in placed if name in by_name]


def actions_count(definition: Definition, before: Definition | None) -> int:
    """Return how many actions write a definition in the place of the one before it."""
    known = frozenset(before.needed_metrics) if before is not None else frozenset[str]()
    return 4 + len(frozenset(definition.needed_metrics) - known)


def actions_of(brand: str, version: Version, before: Version | None) -> list[Action]:
    """Return what writes a version: itself, the copy under zero, its hash, its line, and whom it needs."""
    name, number = version.name, version.number
    is_next = Absent() if before is None else Equals("latestVersion", before.number)
    needed = frozenset(version.definition.needed_metrics)
    known = frozenset(before.definition.needed_metrics) if before is not None else frozenset[str]()
    edges = [Put(keys.user(brand, one, name), {}) for one in sorted(needed - known)]
    return [
        Put(keys.version(brand, name, number), item_of(version), expects=(Absent(),)),  # It is never changed.
        Put(keys.version(brand, name, keys.NEWEST), item_of(version, latest=number), expects=(is_next,)),
        Put(keys.by_hash(brand, name, version.definition.hash), {"version": number}),
        Put(keys.row(brand, name), row_of(version)),
        *edges,
    ]


def row_of(version: Version) -> Item:
    """Return a metric's line in the list."""
    definition = version.definition
    row: Item = {
        "valueType": definition.value_type.value,
        "unit": definition.unit,
        "title": definition.title,
        "version": version.number,
        "hash": definition.hash,
        "isDeprecated": version.deprecation is not None,
    }
    sets = {"needs": frozenset(definition.needed_metrics), "dimensions": frozenset(definition.related_dimensions)}
    texts = {"owner": definition.owner, "says": definition.description[:SAYS_CHARACTERS_MAX]}
    # A set without members is none, and what is not said needs no room.
    return {**row, **{name: value for name, value in {**sets, **texts}.items() if value}}


def row_from(found: Found) -> Row:
    """Return the line that an item holds."""
    item = found.item
    return Row(
        name=found.key.sort, value_type=str(item["valueType"]), unit=str(item["unit"]), title=str(item["title"]),
        version=int(str(item["version"])), hash=str(item["hash"]), is_deprecated=bool(item["isDeprecated"]),
        needs=cast("frozenset[str]", item.get("needs", frozenset[str]())),
        dimensions=cast("frozenset[str]", item.get("dimensions", frozenset[str]())),
        owner=str(item.get("owner", "")), says=str(item.get("says", "")),
    )  # fmt: skip
