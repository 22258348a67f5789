"""The sample application on its own database: what it answers is of one moment."""

import runpy
from contextlib import closing
from typing import Any

import pytest

from tests.migrate.moving_stage import EXAMPLE, Engine, old_database

OldDatabase: Any = runpy.run_path(str(EXAMPLE / "application.py"))["OldDatabase"]


@pytest.mark.parametrize("name", ["mariadb", "postgres"])
def test_a_metric_that_is_removed_while_it_is_read_is_read_whole(name: str, request: pytest.FixtureRequest) -> None:
    engine: Engine = request.getfixturevalue(name)
    source = old_database(engine, metrics=1)

    with closing(OldDatabase(source)) as reader, closing(OldDatabase(source)) as remover:

        def look(cursor: Any) -> list[Any]:
            cursor.execute("SELECT name FROM metrics WHERE id = 1")
            found = [cursor.fetchone()]
            remover.done(remove)
            return [*found, version(cursor)]

        assert reader.seen(look) == [("metric 1",), (1,)]
        assert reader.seen(version) is None


def remove(cursor: Any) -> None:
    cursor.execute("DELETE FROM metric_version WHERE metric_id = 1")
    cursor.execute("DELETE FROM metrics WHERE id = 1")


def version(cursor: Any) -> Any:
    cursor.execute("SELECT version FROM metric_version WHERE metric_id = 1")
    return cursor.fetchone()
