"""The databases that the relational contract is asked of: each test has one of its own, on both kinds of server."""

from collections.abc import Callable, Generator, Iterator
from contextlib import ExitStack, contextmanager

import pytest

from footfall.ports.relational import EPOCH_STEP, Outline, Relational, Route, Seen
from tests.contract.old_schemas import Engine, Source

NewSource = Callable[[str], Source]
ENGINES = ("mariadb", "postgres")


@pytest.fixture(params=ENGINES)
def engine(request: pytest.FixtureRequest) -> Engine:
    return request.getfixturevalue(request.param)


@pytest.fixture
def new_source(engine: Engine) -> Iterator[NewSource]:
    with ExitStack() as opened:

        def make(schema: str) -> Source:
            source = Source(engine, schema)
            opened.callback(source.close)
            return source

        yield make


@pytest.fixture
def source(new_source: NewSource) -> Source:
    """The redesigned catalogue, figure 5.2."""
    return new_source("old_catalogue/redesigned")


@pytest.fixture
def grouped(new_source: NewSource) -> Source:
    """The first catalogue, figure 5.1, whose metrics share groups of dimensions."""
    return new_source("old_catalogue/schema")


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
