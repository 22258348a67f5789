"""The sample application, broken on purpose, so that the checker can be seen to find it.

    python -m tests.migrate.broken_application KIND --source ... (as the application itself)

It is broken for good, not at an unlucky moment: whatever it does once a metric has gone over is wrong.
"""

import runpy
import sys
from collections.abc import Callable
from typing import TypeVar

from footfall.migrate.routing import MOVED, BothSides, Change
from footfall.ports.relational import Document, Side
from tests.migrate.moving_stage import EXAMPLE

T = TypeVar("T")
_remembered: dict[str, Side] = {}
_read = BothSides.read


def read_where_it_was(self: BothSides, key: str, *, old: Callable[[], T], new: Callable[[Document | None], T]) -> T:
    """Trust what was once known of who answers, as a cached flag would."""
    if key not in _remembered:
        _remembered[key] = self.source.routes(self.new.outline, [key])[key].side
    return old() if _remembered[key] is Side.OLD else _read(self, key, old=old, new=new)


def write_or_say_so(self: BothSides, key: str, *, old: Callable[[], T], change: Change[T]) -> T:
    """Answer as if a write had been done that the old side refused."""
    try:
        return old()
    except Exception as error:
        if MOVED not in str(error):
            raise
    held = self.new.held(key)
    return change(None if held is None else held.moved.document)[1]


def main() -> None:
    """Break what the first argument names, then be the application."""
    match sys.argv.pop(1):
        case "remembers":
            BothSides.read = read_where_it_was
        case "swallows":
            BothSides.write = write_or_say_so
        case kind:
            raise SystemExit(f"{kind} is no kind of break: give remembers or swallows")
    runpy.run_path(str(EXAMPLE / "application.py"), run_name="__main__")


if __name__ == "__main__":
    main()
