"""The tables and databases that contracts are asked of; a further adapter is one more line in TABLES or DATABASES."""

from collections.abc import Callable, Generator, Iterator, Sequence
from contextlib import AbstractContextManager, ExitStack, closing, contextmanager
from pathlib import Path
from typing import Protocol
from uuid import uuid4

import pytest
from hypothesis import settings

from footfall.adapters.embedded.sqlite_table import SqliteTable
from footfall.ports.table import Index, Table
from footfall.values.clock import Clock, SetClock
from tests.contract.old_schemas import Engine, Source
from tests.engines.dynamodb import DynamoDbEngine, table_of

NOON_MS = 1_794_744_000_000

BY_AUTHOR = Index("by_author", "author", "title")
BY_TIME = Index("by_time", "author", "at", numeric=True)
INDEXES = (BY_AUTHOR, BY_TIME)


class NewTable(Protocol):
    """Makes an empty table that lives until its tests are done."""

    def __call__(self, *, clock: Clock, indexes: Sequence[Index] = ()) -> Table: ...


@contextmanager
def sqlite_in_memory(_folder: Path, clock: Clock, indexes: Sequence[Index]) -> Generator[Table]:
    with closing(SqliteTable(":memory:", clock=clock, indexes=indexes)) as table:
        yield table


@contextmanager
def sqlite_on_file(folder: Path, clock: Clock, indexes: Sequence[Index]) -> Generator[Table]:
    path = folder / f"{uuid4()}.db"
    with closing(SqliteTable(path, clock=clock, indexes=indexes, durable=False)) as table:
        yield table


TABLES: dict[str, Callable[[Path, Clock, Sequence[Index]], AbstractContextManager[Table]]] = {
    "sqlite in memory": sqlite_in_memory,
    "sqlite on file": sqlite_on_file,
}
ON_AWS = "dynamodb"
DATABASES = ("mariadb", "postgres")


@pytest.fixture(scope="module", params=[*TABLES, ON_AWS])
def new_table(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[NewTable]:
    if request.param == ON_AWS:
        yield on_dynamodb(request.getfixturevalue("dynamodb"))
        return
    folder = tmp_path_factory.mktemp("tables")
    with ExitStack() as opened:

        def make(*, clock: Clock, indexes: Sequence[Index] = ()) -> Table:
            return opened.enter_context(TABLES[request.param](folder, clock, indexes))

        yield make


def on_dynamodb(engine: DynamoDbEngine) -> NewTable:
    client = engine.shared()

    def make(*, clock: Clock, indexes: Sequence[Index] = ()) -> Table:
        return table_of(client, engine.names(client, indexes=indexes), clock=clock, indexes=indexes)

    return make


@pytest.fixture
def histories(request: pytest.FixtureRequest) -> int:
    """How many histories are told: a call across a socket takes a hundred times longer than one into SQLite."""
    return 40 if request.node.callspec.params["new_table"] in TABLES else 6


@pytest.fixture
def examples(request: pytest.FixtureRequest) -> int:
    """How many arbitrary items are tried, for the same reason."""
    usual = settings().max_examples
    return usual if request.node.callspec.params["new_table"] in TABLES else usual // 3


@pytest.fixture
def clock() -> SetClock:
    return SetClock(NOON_MS)


@pytest.fixture
def table(new_table: NewTable, clock: SetClock) -> Table:
    return new_table(clock=clock, indexes=INDEXES)


@pytest.fixture(params=DATABASES)
def engine(request: pytest.FixtureRequest) -> Engine:
    return request.getfixturevalue(request.param)


@pytest.fixture
def new_source(engine: Engine) -> Iterator[Callable[[str], Source]]:
    with ExitStack() as opened:

        def make(schema: str) -> Source:
            source = Source(engine, schema)
            opened.callback(source.close)
            return source

        yield make


@pytest.fixture
def source(new_source: Callable[[str], Source]) -> Source:
    """The redesigned catalogue, figure 5.2."""
    return new_source("old_catalogue/redesigned")


@pytest.fixture
def grouped(new_source: Callable[[str], Source]) -> Source:
    """The first catalogue, figure 5.1, whose metrics share groups of dimensions."""
    return new_source("old_catalogue/schema")
