"""Who was released is trusted for a day, unless somebody confirms."""

import msgspec
import pytest

from footfall.screening.findings import Cause, SubjectKind
from footfall.screening.trusted import TRUST_MS, Trusted
from footfall.screening.verdicts import JUDGE, State, Verdict

NOW_MS = 1_794_744_000_000
FOUND = Verdict(SubjectKind.ASSET, "story", 0, 1, Cause.FEW_AGENTS, State.HELD, NOW_MS)


def decided(state: State, *, by: str = "key", at_ms: int = NOW_MS) -> Verdict:
    return msgspec.structs.replace(FOUND, state=state, by=by, changed_at_ms=at_ms)


@pytest.mark.parametrize(
    ("decisions", "after_ms", "state"),
    [
        ([decided(State.RELEASED)], TRUST_MS - 1, State.FOUND),
        ([decided(State.RELEASED)], TRUST_MS, State.HELD),
        ([decided(State.RELEASED, by=JUDGE)], 1, State.HELD),
        ([decided(State.RELEASED), decided(State.CONFIRMED)], 1, State.HELD),
        ([decided(State.RELEASED), decided(State.CONFIRMED, by=JUDGE)], 1, State.FOUND),
        ([decided(State.RELEASED, at_ms=NOW_MS - TRUST_MS)], 1, State.HELD),
        ([], 1, State.HELD),
    ],
)
def test_what_was_released_is_told_and_not_held(decisions: list[Verdict], after_ms: int, state: State) -> None:
    trusted = Trusted()
    trusted.take(decisions, now_ms=NOW_MS)
    (told,) = trusted.told([FOUND], now_ms=NOW_MS + after_ms)
    assert told.state is state


def test_others_are_held_as_before() -> None:
    trusted = Trusted()
    trusted.take([decided(State.RELEASED)], now_ms=NOW_MS)
    other = msgspec.structs.replace(FOUND, subject="another")
    visitor = msgspec.structs.replace(FOUND, kind=SubjectKind.VISITOR)
    assert trusted.told([other, visitor], now_ms=NOW_MS) == [other, visitor]
