"""The checker finds what is wrong with made-up histories, and nothing in one that is right."""

import pytest

from tests.migrate.checker import Act, Kind, Outcome, State, faults


def wrote(token: str, version: int, start: float, end: float, outcome: Outcome = Outcome.DONE) -> Act:
    kind = Kind.ADD if version == 1 else Kind.UPDATE
    return Act(kind, "7", start, end, outcome, token=token, version=version)


def read(tokens: str, start: float, end: float, by: str | None = None) -> Act:
    return Act(Kind.READ, "7", start, end, state=State(tuple(tokens.split()), by))


def deprecated(token: str, start: float, end: float, outcome: Outcome = Outcome.DONE) -> Act:
    return Act(Kind.DEPRECATE, "7", start, end, outcome, token=token)


def renamed(token: str, start: float, end: float, outcome: Outcome = Outcome.DONE) -> Act:
    return Act(Kind.RENAME, "7", start, end, outcome, token=token)


def named(name: str, start: float, end: float) -> Act:
    return Act(
        Kind.READ, "7", start, end, state=State(("before",) if name in ("metric 7", "later") else ("a",), name=name)
    )


def dimensioned(token: str, start: float, end: float, outcome: Outcome = Outcome.DONE) -> Act:
    return Act(Kind.SET_DIMENSIONS, "7", start, end, outcome, token=token)


def shown(dimensions: str, start: float, end: float) -> Act:
    return Act(Kind.READ, "7", start, end, state=State(("before",), dimensions=dimensions))


def deleted(start: float, end: float, outcome: Outcome = Outcome.DONE) -> Act:
    return Act(Kind.DELETE, "7", start, end, outcome)


def absent(start: float, end: float) -> Act:
    return Act(Kind.READ, "7", start, end, Outcome.ABSENT)


A, B = wrote("a", 1, 0, 1), wrote("b", 2, 2, 3)

RIGHT = {
    "one after the other": [A, B, read("a b", 4, 5)],
    "read while it is written": [A, B, read("a", 2.5, 5)],
    "an unknown write that happened": [A, wrote("x", 0, 2, 3, Outcome.UNKNOWN), read("a x", 4, 5)],
    "an unknown write that did not": [A, wrote("x", 0, 2, 3, Outcome.UNKNOWN), read("a", 4, 5)],
    "deprecated twice at once": [A, deprecated("c", 2, 4), deprecated("d", 3, 5), read("a", 6, 7, "c")],
    "renamed": [A, named("a", 2, 3), renamed("c", 4, 5), named("c", 6, 7)],
    "renamed from what it was before": [named("metric 7", 0, 3), renamed("later", 2, 4), named("later", 3, 5)],
    "an unknown rename that did not happen": [A, renamed("c", 2, 3, Outcome.UNKNOWN), named("a", 4, 5)],
    "other dimensions": [shown("before", 0, 1), dimensioned("c", 2, 3), shown("c", 4, 5)],
    "removed": [A, deleted(2, 3), absent(4, 5)],
    "removed by somebody who was killed": [A, deleted(2, 3, Outcome.UNKNOWN), read("a", 4, 5), absent(6, 7)],
}

WRONG = {
    "dimensions are not there": [dimensioned("c", 2, 3), shown("before", 4, 5)],
    "dimensions of two writes are mixed": [dimensioned("c", 2, 3), dimensioned("d", 2, 3), shown("e", 4, 5)],
    "dimensions come back": [dimensioned("c", 2, 3), dimensioned("d", 4, 5), shown("c", 6, 7)],
    "an acknowledged write is not there": [A, B, read("a", 4, 5)],
    "another has its place": [A, B, wrote("x", 0, 2, 3, Outcome.UNKNOWN), read("a x", 4, 5)],
    "two have one number": [A, B, wrote("c", 2, 2, 3)],
    "a write upon what was old": [A, B, wrote("c", 3, 4, 5), wrote("d", 2, 6, 7)],
    "read what had been, after more was read": [
        A, wrote("x", 0, 2, 9, Outcome.UNKNOWN), read("a x", 3, 4), read("a", 5, 6),
    ],
    "read before it was written": [A, read("a b", 1, 1.5), B],
    "nobody wrote it": [A, read("a z", 4, 5)],
    "in another order": [A, B, wrote("c", 3, 2, 3), read("a b c", 4, 5), read("a c b", 4, 5)],
    "written twice": [A, B, read("a b b", 4, 5)],
    "deprecation lost": [A, deprecated("c", 2, 3), read("a", 4, 5)],
    "deprecation stale": [A, deprecated("c", 2, 3), deprecated("d", 4, 5), read("a", 6, 7, "c")],
    "deprecation stale after it was read": [
        A, deprecated("c", 2, 3), deprecated("d", 4, 99, Outcome.UNKNOWN), read("a", 5, 6, "d"), read("a", 7, 8, "c"),
    ],
    "deprecated by nobody": [A, read("a", 4, 5, "z")],
    "rename lost": [A, renamed("c", 2, 3), named("a", 4, 5)],
    "rename of what was before lost": [renamed("later", 2, 3), named("metric 7", 4, 5)],
    "rename stale": [A, renamed("c", 2, 3), renamed("d", 4, 5), named("c", 6, 7)],
    "rename stale after it was read": [A, renamed("c", 2, 99, Outcome.UNKNOWN), named("c", 5, 6), named("a", 7, 8)],
    "named by nobody": [A, named("z", 4, 5)],
    "risen": [A, deleted(2, 3), read("a", 4, 5)],
    "risen after it was not there": [A, deleted(2, 9, Outcome.UNKNOWN), absent(3, 4), read("a", 5, 6)],
    "written after it was gone": [A, deleted(1.2, 1.5), B],
    "gone by itself": [A, absent(2, 3)],
    "removed twice": [A, deleted(2, 3), deleted(2, 4)],
    "refused": [A, wrote("x", 0, 2, 3, Outcome.REFUSED)],
}  # fmt: skip


@pytest.mark.parametrize("name", RIGHT)
def test_nothing_is_found_in_a_history_that_is_right(name: str) -> None:
    assert faults(RIGHT[name]) == []


@pytest.mark.parametrize("name", WRONG)
def test_what_is_wrong_is_found(name: str) -> None:
    assert faults(WRONG[name]) != []


def test_versions_that_are_not_counted_from_one_are_found() -> None:
    assert faults([A, B, Act(Kind.READ, "7", 4, 5, state=State(("a", "b"), None, (1, 3)))]) != []
