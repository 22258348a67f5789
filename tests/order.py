"""In which order several processes take the files of tests: the longest first, and browsers never all at once."""

from collections.abc import Sequence
from pathlib import Path

import pytest

TESTS = Path(__file__).parent
# Nobody should wait for the last one at the end. A file that is missing here costs time, nothing else.
LONGEST = (
    "scenarios/test_openapi.py", "scenarios/test_isolation.py", "simulation/test_path.py",
    "scenarios/test_migration.py", "deploy/test_archive.py", "shells/cli/test_migrate.py",
    "migrate/test_handover_model.py", "scenarios/test_tutorial.py", "migrate/test_broken_builds.py",
    "shells/lambdas/test_count.py", "scenarios/test_kill_loop.py", "migrate/test_creation_model.py",
    "shells/lambdas/test_maintenance.py", "migrate/test_handing_over.py", "contract/test_table_properties.py",
    "simulation/test_aws_path.py", "bench/test_instructions.py",
)  # fmt: skip
BROWSERS = (
    "scenarios/browser/",
    "adapters/chromium/",
    "adapters/gate/",
    "shells/http/test_archive_replay_in_browser.py",
)
SCENARIOS = "scenarios/"
SHORT_SHARE = 0.15  # What comes last are short ones alone.


def in_order(items: Sequence[pytest.Item]) -> list[pytest.Item]:
    """Return tests in the order of their files; those of one file stay as they are."""
    files: dict[str, list[pytest.Item]] = {}
    for item in items:
        files.setdefault(item.path.relative_to(TESTS).as_posix(), []).append(item)
    kinds: dict[str, list[str]] = {}
    for name in files:
        if name not in LONGEST:
            kinds.setdefault(_kind(name), []).append(name)
    # Each kind is spread evenly: whoever waits for a server has neighbours who compute.
    places = {name: float(LONGEST.index(name) - len(LONGEST)) for name in files if name in LONGEST}
    for kind, names in kinds.items():
        until = 1.0 if kind == "" else 1.0 - SHORT_SHARE
        places |= {name: until * number / len(names) for number, name in enumerate(names)}
    return [item for name in sorted(files, key=lambda name: (places[name], name)) for item in files[name]]


def _kind(name: str) -> str:
    if name.startswith(BROWSERS):
        return "browser"
    return "scenario" if name.startswith(SCENARIOS) else ""
