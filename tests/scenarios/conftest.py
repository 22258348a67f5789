"""Every scenario may start servers; none of them outlives it."""

from collections.abc import Generator
from pathlib import Path

import pytest

from tests.scenarios.instance import Starter


@pytest.fixture
def starter(tmp_path: Path) -> Generator[Starter]:
    starter = Starter(tmp_path)
    yield starter
    starter.end_all()


@pytest.fixture
def data(tmp_path: Path) -> Path:
    return tmp_path / "data"
