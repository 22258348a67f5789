"""Every scenario may start servers; none of them outlives it."""

from collections.abc import Generator
from pathlib import Path

import pytest

from tests.scenarios.instance import Starter

# Files of a minute and more come first: begun last, they would be waited for by everybody else.
LONGEST = ("test_openapi", "test_migration", "test_tutorial", "test_isolation", "test_kill_loop")


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    ranks = {name: rank for rank, name in enumerate(LONGEST)}
    items.sort(key=lambda item: ranks.get(item.path.stem, len(ranks)))


@pytest.fixture
def starter(tmp_path: Path) -> Generator[Starter]:
    starter = Starter(tmp_path)
    yield starter
    starter.end_all()


@pytest.fixture
def data(tmp_path: Path) -> Path:
    return tmp_path / "data"
