"""The one walk through what metrics need: each after those that it needs itself, and a circle is told by its path."""

from collections.abc import Callable, Iterable, Iterator, MutableSet, Sequence

Enter = Callable[[Sequence[str]], Iterable[str]]  # from the path to a metric, itself at its end, to what it needs
OnCircle = Callable[[Sequence[str]], None]  # The path ends with the name that it begins with.


def after_needs(start: str, enter: Enter, *, done: MutableSet[str], on_circle: OnCircle) -> Iterator[str]:
    """Yield a metric after all that it needs and that is not done; a circle that is not raised for is left open."""
    if start in done:
        return
    path, entered = [start], {start}
    waiting = [iter(enter(path))]
    while waiting:
        name = next(waiting[-1], None)
        if name is None:
            waiting.pop()
            left = path.pop()
            entered.discard(left)
            done.add(left)
            yield left
        elif name in entered:
            on_circle([*path[path.index(name) :], name])
        elif name not in done:
            path.append(name)
            entered.add(name)
            waiting.append(iter(enter(path)))
