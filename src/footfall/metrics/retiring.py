"""What is told to those who still use a deprecated metric: it goes on answering, and says so each time."""

from collections.abc import Callable

from footfall.metrics.definition import Definition
from footfall.metrics.versions import Version


def warnings_of(definition: Definition, known: Callable[[str], Version | None]) -> list[str]:
    """Return a sentence for each deprecated metric that one needs."""
    told: list[str] = []
    for name in definition.needed_metrics:
        found = known(name)
        if found is not None and (gone := found.deprecation) is not None:
            instead = f"; use {gone.replacement!r} instead" if gone.replacement else ""
            told.append(f"{name!r} is deprecated: {gone.reason}{instead}")
    return told
