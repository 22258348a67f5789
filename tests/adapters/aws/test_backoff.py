"""Waits before a call is made again: jittered in full, under a cap, and not for ever."""

from random import Random

import pytest

from footfall.adapters.aws.backoff import Backoff, retried


class Busy(Exception):
    """The far side is busy."""


def test_waits_double_up_to_the_cap_and_every_length_below_is_possible() -> None:
    backoff = Backoff(first_ms=50, cap_ms=400, attempts_max=7)
    drawn = [list(backoff.waits_ms(Random(turn))) for turn in range(2_000)]
    bounds = [50, 100, 200, 400, 400, 400]
    assert all(len(waits) == len(bounds) for waits in drawn)
    for place, bound in enumerate(bounds):
        waits = [waits[place] for waits in drawn]
        assert max(waits) <= bound
        assert min(waits) < bound * 0.05
        assert max(waits) > bound * 0.95


def test_a_call_is_made_again_until_it_succeeds() -> None:
    answers = iter([Busy(), Busy(), "done"])
    pauses: list[float] = []
    assert retried(lambda: said(next(answers)), passing=(Busy,), waits_ms=iter([10, 20, 30]), pause=pauses.append) == (
        "done"
    )
    assert pauses == [0.01, 0.02]


def test_the_last_error_is_the_callers() -> None:
    pauses: list[float] = []
    with pytest.raises(Busy):
        retried(lambda: said(Busy()), passing=(Busy,), waits_ms=iter([10, 20]), pause=pauses.append)
    assert len(pauses) == 2


def test_what_does_not_pass_is_not_tried_again() -> None:
    with pytest.raises(ValueError, match="no"):
        retried(lambda: said(ValueError("no")), passing=(Busy,), waits_ms=iter([10]), pause=never)


def said(answer: object) -> object:
    if isinstance(answer, Exception):
        raise answer
    return answer


def never(wait_s: float) -> None:
    pytest.fail(f"nobody should wait, and for {wait_s} s")
