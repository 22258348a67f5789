"""Native code under AddressSanitizer and UndefinedBehaviorSanitizer: whatever it is fed, it stays within its memory."""

import json
import os
import shutil
import subprocess
import sys
import sysconfig
from collections.abc import Sequence
from pathlib import Path

import pytest

from tests.tidy.sources import HOUSE

NATIVE = HOUSE / "src" / "footfall" / "native"
MODULES = ("beats", "hit_bodies", "key_table", "list_rows")
SANITIZERS = ("-fsanitize=address,undefined", "-fno-sanitize-recover=all")
# What nobody has set is zero, so that a pointer which is used all the same is seen to be none.
FLAGS = ("-shared", "-fPIC", "-g", "-O1", "-ftrivial-auto-var-init=zero", *SANITIZERS)
INPUTS = 150  # with twelve more of each, see sanitized_run.py
SOAK_SEEDS = 12
SOAK_INPUTS = 4_000
# What a fault would be that tests of answers might never see: a bound that is not looked at.
FAULTS = {
    "a text is read eight bytes at a time beyond the body": (
        "hit_bodies.c", "while ((size_t)(end - at) >= 8)", "while (end > at)",
    ),
    "names are looked for beyond the body": (
        "hit_bodies.c", "(size_t)(end - at) >= bytes->size && memcmp", "memcmp",
    ),
    "a text that comes again is believed to end within the body": (
        "hit_bodies.c", " || at + value->size == end ||", " ||",
    ),
    "a short text is copied as if more of the body followed": (
        "hit_bodies.c", "if (end - text->at >= SHORT)", "if (1)",
    ),
    "there is no room for what is copied with a short text": (
        "hit_bodies.c", "KEY_FIELDS * 3 + SHORT;", "KEY_FIELDS * 3;",
    ),
    "moments are believed to be as many as it says": (
        "hit_bodies.c", "count && (uint64_t)(end - at) == (uint64_t)count * MOMENT_BYTES", "count",
    ),
    "a key's text is believed to be as long as it says": (
        "packs.h", "if (left - head_size < *size)", "if (left < head_size)",
    ),
    "a table's bytes are never widened": (
        "growing.h", "while (room - bytes->size < more)", "while (room < more)",
    ),
    "there is no room for a group's kind before its name": (
        "pouring.h", "reserve(&hour->name, size + 1)", "reserve(&hour->name, 1)",
    ),
    "more sections wait than there are places for": (
        "pouring.h", "place % SECTIONS", "place % (2 * SECTIONS)",
    ),
    "a brand that was not sent is whatever lay in memory": (
        "hit_bodies.c", "values[BRAND] = (Span){.at = nothing};", "values[BRAND].size = 0;",
    ),
    "a number is shifted by more bits than it has": (
        "hit_bodies.c", "(unsigned char)(0xa0 | text->size)", "(unsigned char)(0xa0 | 1 << (text->size + 31))",
    ),
    "a hundredth behind the last is marked": (
        "beats.c", "last < HALF ? last + 1 : HALF", "last + 1",
    ),
    "a number of any size is multiplied": (
        "fields.h", "-LESS_THAN < *number && *number < LESS_THAN", "1",
    ),
    "a beat behind the last one is looked at": (
        "beats.c", "place < run.count", "place <= run.count",
    ),
    "an id is believed to end where it says": (
        "list_rows.c", "start > end || end > (uint64_t)list->texts.len", "start > end",
    ),
    "a row's slice is believed to have a number": (
        "list_rows.c", "if (slice >= known)", "if (0)",
    ),
    "a key is let go twice": (
        "beats.c", "Py_XDECREF(step.key);", "Py_XDECREF(step.key), Py_XDECREF(step.key);",
    ),
}  # fmt: skip


def built(sources: Path, folder: Path, modules: Sequence[str] = MODULES) -> Path:
    """Build modules with sanitizers, and return where they lie."""
    for name in modules:
        headers = f"-I{sysconfig.get_paths()['include']}"
        command = ["gcc", *FLAGS, headers, str(sources / f"{name}.c"), "-o", str(folder / f"{name}.so")]
        subprocess.run(command, check=True)
    return folder


def fed(folder: Path, *, seed: int, inputs: int) -> subprocess.CompletedProcess[str]:
    """Feed what was built there, in a process of its own."""
    library = subprocess.check_output(["gcc", "-print-file-name=libasan.so"], text=True).strip()
    assert Path(library).is_absolute(), "gcc has no libasan.so here; on Debian it comes with gcc: `make setup-tests`"
    environment = os.environ | {
        "LD_PRELOAD": library,
        "ASAN_OPTIONS": "detect_leaks=0",  # The interpreter keeps some to its end.
        "UBSAN_OPTIONS": "print_stacktrace=1",
        "PYTHONMALLOC": "malloc",  # Else small pieces share a page, and nobody sees where one ends.
        "PYTHONPATH": os.pathsep.join((str(HOUSE / "src"), str(HOUSE))),
    }
    command = [sys.executable, str(Path(__file__).with_name("sanitized_run.py")), str(folder), str(seed), str(inputs)]
    return subprocess.run(command, env=environment, capture_output=True, text=True, check=False)


def included(sources: Path, module: str) -> set[str]:
    """Return the headers of ours that a module is built from."""
    command = ["gcc", "-MM", f"-I{sysconfig.get_paths()['include']}", str(sources / f"{module}.c")]
    return {Path(word).name for word in subprocess.check_output(command, text=True).split() if word.endswith(".h")}


@pytest.fixture(scope="module")
def sanitized(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return built(NATIVE, tmp_path_factory.mktemp("sanitized"))


def require_clean(folder: Path, *, seed: int, inputs: int) -> None:
    done = fed(folder, seed=seed, inputs=inputs)
    assert done.returncode == 0, f"seed {seed}: {done.stderr[-4_000:]}"
    told = json.loads(done.stdout)
    assert told["answered"] > inputs // 10
    assert told["counted"] > inputs // 10
    assert told["settled"] > inputs // 10
    assert told["written"] > inputs // 10


def test_hostile_bodies_packs_beats_and_lists_are_read_within_their_bounds(sanitized: Path) -> None:
    require_clean(sanitized, seed=1, inputs=INPUTS)


@pytest.mark.soak
@pytest.mark.parametrize("seed", range(2, SOAK_SEEDS))
def test_many_more_of_them_are(sanitized: Path, seed: int) -> None:
    require_clean(sanitized, seed=seed, inputs=SOAK_INPUTS)


@pytest.mark.parametrize("fault", FAULTS)
def test_the_sanitizers_catch_a_planted_fault(fault: str, sanitized: Path, tmp_path: Path) -> None:
    name, right, wrong = FAULTS[fault]
    sources = tmp_path / "native"
    shutil.copytree(NATIVE, sources)
    text = (sources / name).read_text(encoding="utf-8")
    assert right in text, f"{name} has no such line any more; plant the fault elsewhere"
    (sources / name).write_text(text.replace(right, wrong), encoding="utf-8")
    touched = [module for module in MODULES if name == f"{module}.c" or name in included(sources, module)]
    for module in {*MODULES}.difference(touched):
        shutil.copy(sanitized / f"{module}.so", tmp_path)
    done = fed(built(sources, tmp_path, touched), seed=1, inputs=INPUTS)
    assert done.returncode != 0
    assert any(words in done.stderr for words in ("ERROR: AddressSanitizer", "runtime error", "is no text"))
