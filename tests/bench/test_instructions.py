"""Hot paths stay within their budgets of instructions, which do not depend on what else the machine does."""

import os
from pathlib import Path

import pytest

from bench import instructions
from bench.hot_paths import HOT_PATHS
from bench.instructions import SLACK, budgets_here, counted, ground, problems
from footfall.native import IS_BUILT

HOUSE = Path(__file__).resolve().parents[2]
PLAIN = "read a plain body"
TAKEN = "take a body, without the disk's sync"
# The path as it would be if somebody read a body a second time to look at it.
READ_TWICE = """
from bench import counted_paths
from footfall.flow.collect import parse

once = parse._native

def twice(body, *, lines):
    once(body, lines=lines)
    return once(body, lines=lines)

parse._native = twice
counted_paths.main()
"""
# The same of what the stream's writer does, which is a thread of its own.
WRITTEN_THRICE = """
from bench import counted_paths
from footfall.adapters.embedded.sqlite_stream import SqliteStream

once = SqliteStream.append

def thrice(stream, entries):
    once(stream, entries)
    once(stream, entries)
    return once(stream, entries)

SqliteStream.append = thrice
counted_paths.main()
"""


def budgets() -> dict[str, float]:
    stored = budgets_here()
    if stored is not None:
        return stored
    told = f"there are no budgets for {ground()}; {instructions.REWRITE}"
    if os.environ.get("CI"):  # Nobody reads there what was skipped.
        pytest.fail(f"{told}, and they are committed for every ground that CI runs on")
    pytest.skip(told)


@pytest.mark.parametrize(("ci", "outcome"), [("true", pytest.fail.Exception), ("", pytest.skip.Exception)])
def test_a_ground_without_budgets_is_skipped_by_a_developer_and_fails_in_ci(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, ci: str, outcome: type[BaseException]
) -> None:
    monkeypatch.setattr(instructions, "BUDGETS", tmp_path / "budgets.json")
    monkeypatch.setenv("CI", ci)
    with pytest.raises(outcome, match=f"{ground()}; .*bench.instructions --write"):
        budgets()


def test_ci_says_that_it_is_ci() -> None:
    assert "export CI=true\n" in (HOUSE / ".ci" / "run").read_text(encoding="utf-8")


def test_every_hot_path_is_within_its_budget() -> None:
    stored = budgets()
    assert IS_BUILT, "native code was not built, and budgets are those of native code; `make setup` builds it"
    wrong = problems(counted(), stored)
    assert not wrong, "\n".join(wrong)


@pytest.mark.parametrize(("path", "program"), [(PLAIN, READ_TWICE), (TAKEN, WRITTEN_THRICE)])
def test_a_path_that_does_its_work_more_than_once_is_told(tmp_path: Path, path: str, program: str) -> None:
    stored, script = budgets(), tmp_path / "more_than_once.py"
    script.write_text(program, encoding="utf-8")
    found = counted([path], program=[str(script)])
    (told,) = problems(found, {path: stored[path]})
    assert told.startswith(repr(path))
    assert "find what made it slower" in told


def test_every_hot_path_has_a_budget_and_nothing_else_has() -> None:
    assert set(budgets()) == {path.what for path in HOT_PATHS}


@pytest.mark.parametrize(
    ("share", "words"),
    [(1.2, "find what made it slower"), (0.5, "see that it still does what it says"), (0.0, "see that it still")],
)
def test_too_many_and_far_too_few_instructions_are_told_with_what_to_do(share: float, words: str) -> None:
    (told,) = problems({PLAIN: 100.0 * share}, {PLAIN: 100.0})
    assert words in told
    assert "bench.instructions --write" in told


@pytest.mark.parametrize("value", [100.0, 90.0, 60.0])
def test_what_is_within_its_budget_is_not_spoken_of(value: float) -> None:
    assert problems({PLAIN: value}, {PLAIN: 100.0}) == []


def test_a_path_without_a_budget_and_a_budget_without_a_path_are_told() -> None:
    assert "has no budget" in problems({PLAIN: 1.0}, {})[0]
    assert "is not among the hot paths" in problems({}, {PLAIN: 1.0})[0]


def test_budgets_leave_some_room_and_those_of_other_grounds_stay(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(instructions, "BUDGETS", tmp_path / "budgets.json")
    monkeypatch.setattr(instructions, "ground", lambda: "another")
    instructions.write_budgets({PLAIN: 10.0})
    monkeypatch.undo()
    monkeypatch.setattr(instructions, "BUDGETS", tmp_path / "budgets.json")
    assert budgets_here() is None
    instructions.write_budgets({PLAIN: 100.0})
    assert budgets_here() == {PLAIN: pytest.approx(100.0 * SLACK)}
    assert b'"another"' in (tmp_path / "budgets.json").read_bytes()
