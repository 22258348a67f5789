"""In which steps several metrics are changed, so that the catalogue is right after each of them.

A metric is written after those that it needs. One whose unit becomes another breaks those that are computed from it, so
it is not written before them either: such metrics are one step, which is one transaction.
"""

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from footfall.metrics.writing import Saved

Names = Mapping[str, Collection[str]]


@dataclass(slots=True)
class _Walk:
    """How far Tarjan's search for strongly connected parts has come."""

    numbers: dict[str, int] = field(default_factory=dict[str, int])
    lowest: dict[str, int] = field(default_factory=dict[str, int])
    waiting: dict[str, None] = field(default_factory=dict[str, None])  # met, and in no part yet

    def enter(self, name: str) -> None:
        """Give a number to a name that was met for the first time."""
        self.numbers[name] = self.lowest[name] = len(self.numbers)
        self.waiting[name] = None

    def leave(self, name: str) -> list[str]:
        """Return the part that ends with a name whose ways were all gone; none when it goes on above."""
        part: list[str] = []
        if self.lowest[name] == self.numbers[name]:
            while not part or part[-1] != name:
                part.append(self.waiting.popitem()[0])
        return part


def in_steps(saved: Sequence[Saved], *, followers: Names, needs: Names) -> list[list[Saved]]:
    """Return what is to be saved in steps: each after what it needs, and with those that it would break.

    `saved` has each metric after those that it needs, `followers` the metrics that one would break, and `needs` what
    the metrics of the catalogue need, for those that are not saved and lie between two that are.
    """
    by_name = {one.definition.name: one for one in saved}
    order = {name: number for number, name in enumerate(by_name)}

    def ways(name: str) -> Iterator[str]:
        one = by_name.get(name)
        if one is None:
            yield from needs.get(name, ())
        else:
            yield from one.definition.needed_metrics
            yield from (user for user in followers.get(name, ()) if user in by_name)

    steps: list[list[Saved]] = []
    for part in _parts(by_name, ways):
        names = sorted((name for name in part if name in by_name), key=order.__getitem__)
        if names:
            steps.append([by_name[name] for name in names])
    return steps


def _parts(starts: Collection[str], ways: Callable[[str], Iterator[str]]) -> Iterator[list[str]]:
    """Yield the strongly connected parts of a graph, each after those that ways lead to (Tarjan's algorithm)."""
    walk = _Walk()
    for start in starts:
        if start not in walk.numbers:
            yield from _parts_from(start, ways, walk)


def _parts_from(start: str, ways: Callable[[str], Iterator[str]], walk: _Walk) -> Iterator[list[str]]:
    walk.enter(start)
    path = [(start, ways(start))]
    while path:
        name, left = path[-1]
        other = next(left, None)
        if other is None:
            path.pop()
            if path:
                above = path[-1][0]
                walk.lowest[above] = min(walk.lowest[above], walk.lowest[name])
            if part := walk.leave(name):
                yield part
        elif other not in walk.numbers:
            walk.enter(other)
            path.append((other, ways(other)))
        elif other in walk.waiting:
            walk.lowest[name] = min(walk.lowest[name], walk.numbers[other])
