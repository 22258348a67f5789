"""What the tests of the relational contract ask again and again."""

from collections.abc import Generator
from contextlib import contextmanager

import pytest

from footfall.ports.relational import EPOCH_STEP, Outline, Relational, Route, Seen


def seen(relational: Relational, outline: Outline, *keys: str) -> list[Seen]:
    with relational.snapshot(outline) as snapshot:
        return list(snapshot.see(keys))


def clock(relational: Relational, outline: Outline, key: str) -> int:
    with relational.snapshot(outline) as snapshot:
        return snapshot.clocks([key])[key]


def leave(relational: Relational, outline: Outline, key: str) -> Route | None:
    """Leave an entity as it is now."""
    route = relational.routes(outline, [key])[key]
    fence = route.epoch * EPOCH_STEP + (0 if key == "*" else clock(relational, outline, key))
    return relational.leave(outline, [key], fences={key: fence}).get(key)


@contextmanager
def refused() -> Generator[None]:
    """Expect that a write is refused with the sentence that says why."""
    with pytest.raises(Exception, match="footfall: moved: ") as told:
        yield
    assert getattr(told.value, "sqlstate", "45000") in ("45000", None)
