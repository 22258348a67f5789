"""The wheel: for the stable ABI and with native code where there is a compiler, and at work where there is none."""

import os
import shutil
import subprocess
import sys
import zipfile
from collections.abc import Mapping
from pathlib import Path

import pytest

from tests.tidy.sources import HOUSE

NATIVE = {f"footfall/native/{name}.abi3.so" for name in ("beats", "hit_bodies", "key_table", "list_rows")}
PARTS = ("src", "scripts", "pyproject.toml", "MANIFEST.in", "README.md", "LICENSE", "constraints.txt")
BUILD = "import sys, wheel_backend; print(wheel_backend.build_wheel(sys.argv[1]))"
# Reads a plain body and counts it, by whichever way there is.
AT_WORK = """
import json
from footfall import native
from footfall.flow.collect.parse import parse_hits
from footfall.flow.count.place_tally import PlaceTally
from footfall.flow.store.known_keys import KnownKeys

hit = {"brand": "abc", "assetId": "1", "sectionId": 563, "resourceType": "article", "paidType": "free"}
(draft,) = parse_hits(json.dumps([hit, hit]).encode(), lines=False, hits_max=10).drafts
tally = PlaceTally(KnownKeys())
tally.count(list(draft.keys))
print(json.dumps([native.__file__, native.IS_BUILT, type(draft.keys).__name__, list(tally.counts().items())]))
"""


@pytest.fixture(scope="module")
def tools(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Bring setuptools once, as pip would for every build."""
    folder = tmp_path_factory.mktemp("tools")
    pip = [sys.executable, "-m", "pip", "install", "--quiet", "--disable-pip-version-check", "--target", str(folder)]
    subprocess.run([*pip, "setuptools>=77"], check=True)
    return folder


@pytest.fixture
def sources(tmp_path: Path) -> Path:
    """Copy what a wheel is made of, without what was built here before."""
    root = tmp_path / "sources"
    for part in PARTS:
        if (HOUSE / part).is_dir():
            shutil.copytree(
                HOUSE / part, root / part, ignore=shutil.ignore_patterns("*.so", "__pycache__", "*.egg-info")
            )
        else:
            shutil.copy(HOUSE / part, root / part)
    return root


def wheel_of(sources: Path, tools: Path, **variables: str) -> tuple[Path, Path]:
    """Build a wheel; return it, and where it is unpacked."""
    made = sources.parent / "made"
    made.mkdir()
    path = os.pathsep.join((str(tools), str(sources / "scripts")))
    done = _run(["-c", BUILD, str(made)], cwd=sources, variables={"PYTHONPATH": path, **variables})
    wheel = made / done.splitlines()[-1]
    with zipfile.ZipFile(wheel) as opened:
        opened.extractall(made / "unpacked")
    return wheel, made / "unpacked"


def _run(words: list[str], *, cwd: Path, variables: Mapping[str, str]) -> str:
    done = subprocess.run(
        [sys.executable, *words], cwd=cwd, env=os.environ | variables, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr[-3_000:]
    return done.stdout


def files_in(wheel: Path) -> set[str]:
    with zipfile.ZipFile(wheel) as opened:
        return set(opened.namelist())


def at_work(unpacked: Path) -> str:
    """Return what a program says that uses the unpacked wheel, in the place of what is installed here."""
    return _run(["-c", AT_WORK], cwd=unpacked, variables={"PYTHONPATH": str(unpacked)})


def test_a_wheel_is_for_every_python_from_311_on_and_has_native_code(sources: Path, tools: Path) -> None:
    wheel, unpacked = wheel_of(sources, tools)
    assert "-cp311-abi3-linux_" in wheel.name
    assert files_in(wheel) >= NATIVE
    said = at_work(unpacked)
    assert str(unpacked) in said
    assert 'true, "PackedKeys", [[["1", "563", "article", "free"], 2]]]' in said


def test_without_a_compiler_a_wheel_is_made_all_the_same_and_works(sources: Path, tools: Path) -> None:
    wheel, unpacked = wheel_of(sources, tools, CC="/bin/false")
    assert not NATIVE & files_in(wheel)
    assert "footfall/native/__init__.py" in files_in(wheel)
    said = at_work(unpacked)
    assert str(unpacked) in said
    assert 'false, "list", [[["1", "563", "article", "free"], 2]]]' in said
