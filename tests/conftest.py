"""Settings of the whole test run."""

from pathlib import Path

import pytest
from hypothesis import settings

# The servers that adapters are tested on; each starts with the first test that asks for it and ends with the run.
pytest_plugins = [
    "tests.engines.seaweedfs",
    "tests.engines.ministack",
    "tests.engines.lambda_runtime",
    "tests.engines.kinesis",
    "tests.engines.dynamodb",
    "tests.engines.aws_ground",
    "tests.engines.store_between",
]

# The machine is shared, so a slow example is no failure. The same examples every time: a red run is a changed
# program, never bad luck. `make soak` tries more of them where one takes long; `pytest --hypothesis-profile=hunt` looks
# for new ones, far longer.
settings.register_profile("check", deadline=None, max_examples=60, derandomize=True, print_blob=True)
settings.register_profile("campaign", deadline=None, max_examples=400, derandomize=True, print_blob=True)
settings.register_profile("hunt", deadline=None, max_examples=5_000, derandomize=False, print_blob=True)
settings.load_profile("check")

# Files that take a minute or nearly begin first: a core that has nothing left to do at the end waits for none of them.
LONGEST = (
    "test_same_bytes.py", "test_kill_loop.py", "test_openapi.py", "test_archive.py", "test_dynamodb_cost.py",
    "test_snowball.py", "test_kinesis_resharding.py", "test_same_answers.py", "test_recount_cli.py",
    "test_isolation.py", "test_tutorial.py", "test_people.py",
)  # fmt: skip


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Put the longest files first, and mix scenarios, which keep a processor busy, with tests that wait for engines."""
    longest = {name: place for place, name in enumerate(LONGEST)}
    places: dict[Path, float] = {}
    for is_scenario in (True, False):
        files = list(dict.fromkeys(one.path for one in items if ("scenarios" in one.path.parts) == is_scenario))
        places |= {file: number / len(files) for number, file in enumerate(files)}
    items.sort(key=lambda item: (longest.get(item.path.name, len(LONGEST)), places[item.path]))
