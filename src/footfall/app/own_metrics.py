"""Metrics of what footfall counts itself, one for each of its sources, for a brand that begins with a catalogue."""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any, Final

from footfall.accounts.audit import Note
from footfall.app.metric_acts import adding
from footfall.metrics.catalogue import MetricCatalogue
from footfall.metrics.definition import COUNTED_DIMENSIONS, COUNTED_UNITS, Counted, ValueType

COMPLETED: Final = "Viewings that have seen at least 90 hundredths of the asset."

_SAID: Final[Mapping[Counted, tuple[str, str]]] = {
    Counted.HITS: ("Hits", "How often something was read or looked at."),
    Counted.VISITORS: ("Visitors", "How many came; who comes on two days of a span is one of it."),
    Counted.MINUTES: ("Minutes watched", "How long was watched, as the pings of players tell."),
    Counted.VIEWERS: ("Viewers", "How many watched; who watches on two days of a span is one of it."),
    Counted.PLAYBACKS: ("Playbacks", "Viewings that began, as the pings of players tell."),
    Counted.COMPLETIONS: ("Completed viewings", COMPLETED),
    Counted.FOLLOWS: ("New follows", "Follows that began."),
    Counted.UNFOLLOWS: ("Follows that ended", "Follows that ended, whoever ended them."),
}

OWN_METRICS: Final[tuple[Mapping[str, Any], ...]] = tuple(
    {
        "name": counts.value,
        "valueType": ValueType.SCALAR.value,
        "source": {"counts": counts.value},
        "unit": COUNTED_UNITS[counts],
        "relatedDimensions": sorted(COUNTED_DIMENSIONS[counts]),
        "title": title,
        "description": description,
    }
    for counts, (title, description) in _SAID.items()
)

WriteDown = Callable[[Note], None]


@dataclass(slots=True)
class Defined:
    """What comes of defining footfall's own metrics."""

    added: list[str] = field(default_factory=list[str])
    there: dict[str, str] = field(default_factory=dict[str, str])  # what is counted already, by which metric
    taken: list[str] = field(default_factory=list[str])  # names that mean something else in this brand


def define_own(catalogue: MetricCatalogue, brand: str, write: WriteDown, *, by: str) -> Defined:
    """Define a metric for each source that no metric of the brand counts in full, each written down first."""
    defined = to_define(catalogue, brand)
    define_all(catalogue, brand, documents_of(defined), write, by=by)
    return defined


def to_define(catalogue: MetricCatalogue, brand: str) -> Defined:
    """Return which metrics of footfall's own would be added to a brand, and why the others would not."""
    defined = Defined(there=_counted_in_full(catalogue, brand))
    for document in OWN_METRICS:
        name = str(document["name"])
        if name not in defined.there:
            is_taken = catalogue.known(brand, name) is not None
            (defined.taken if is_taken else defined.added).append(name)
    return defined


def documents_of(defined: Defined) -> list[Mapping[str, Any]]:
    """Return the metrics that are to be added."""
    return [document for document in OWN_METRICS if document["name"] in defined.added]


def define_all(
    catalogue: MetricCatalogue, brand: str, documents: Iterable[Mapping[str, Any]], write: WriteDown, *, by: str
) -> None:
    """Add metrics that are not there, each written down before it is added."""
    for document in documents:
        change = adding(brand, document, by=by)
        note = change.rehearsed(catalogue)
        assert note is not None, "a metric that was not there makes a version"
        write(note)
        change.do(catalogue)


def _counted_in_full(catalogue: MetricCatalogue, brand: str) -> dict[str, str]:
    """Return which sources have a metric that counts all of them; of two, the first by name."""
    found: dict[str, str] = {}
    for row in catalogue.rows(brand):
        version = catalogue.known(brand, row.name) if row.value_type == ValueType.SCALAR else None
        if version is None or version.deprecation is not None:
            continue
        source = version.definition.source
        if source is not None and not source.where:
            found.setdefault(source.counts.value, row.name)
    return found
