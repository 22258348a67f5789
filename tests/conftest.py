"""Settings of the whole test run."""

import gc
import os
from collections.abc import Generator

import pytest
from hypothesis import settings

from tests.order import in_order

# The servers that adapters are tested on; each starts with the first test that asks for it and ends with the run.
pytest_plugins = [
    "tests.engines.sharing",
    "tests.engines.seaweedfs",
    "tests.engines.ministack",
    "tests.engines.lambda_runtime",
    "tests.engines.kinesis",
    "tests.engines.dynamodb",
    "tests.engines.mariadb",
    "tests.engines.postgres",
    "tests.engines.aws_ground",
    "tests.engines.store_between",
    "tests.engines.step_functions",
]

# The machine is shared, so a slow example is no failure. The same examples every time: a red run is a changed
# program, never bad luck. `make soak` tries the campaign's number of them; `pytest --hypothesis-profile=hunt` looks for
# new ones, far longer.
settings.register_profile("check", deadline=None, max_examples=15, derandomize=True, print_blob=True)
settings.register_profile("campaign", deadline=None, max_examples=400, derandomize=True, print_blob=True)
settings.register_profile("hunt", deadline=None, max_examples=5_000, derandomize=False, print_blob=True)
settings.load_profile("check")


def _stays(*_how: object) -> int:
    return 0


# Some commands give way to others. Those that a test runs in its own process would do so for all tests after it, which
# then wait for every other process of the run.
os.nice = _stays
os.sched_setscheduler = _stays


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    # One process goes by folders, so that a failure is where everybody looks for it.
    if hasattr(config, "workerinput"):
        items[:] = in_order(items)


@pytest.hookimpl(wrapper=True)
def pytest_collection() -> Generator[None, object, object]:
    # What is read stays until the end, and each process reads every test: nobody looks through it for garbage.
    gc.disable()
    try:
        return (yield)
    finally:
        gc.freeze()
        gc.enable()
