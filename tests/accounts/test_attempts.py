"""Attempts: ten in a quarter of an hour, for each subject, in bounded memory."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from footfall.accounts import attempts as module
from footfall.accounts.attempts import ATTEMPTS_MAX, SPREAD_MAX, WITHIN_S, Attempts, TooManyAttempts


class Watch:
    now_s = 1_000.0

    def __call__(self) -> float:
        return self.now_s


def test_the_eleventh_waits_until_the_first_is_a_quarter_of_an_hour_ago() -> None:
    watch = Watch()
    attempts = Attempts(b"k" * 32, seconds=watch)
    for n in range(ATTEMPTS_MAX):
        watch.now_s = 1_000.0 + n
        attempts.take("a")
    with pytest.raises(TooManyAttempts) as refused:
        attempts.take("a", "b")
    assert refused.value.retry_after_s == WITHIN_S - (ATTEMPTS_MAX - 1)
    attempts.take("b")
    watch.now_s = 1_000.0 + WITHIN_S
    attempts.take("a")
    with pytest.raises(TooManyAttempts):
        attempts.take("a")


def test_what_is_refused_counts_against_nobody() -> None:
    attempts = Attempts(b"k" * 32, seconds=lambda: 0.0)
    for _ in range(ATTEMPTS_MAX):
        attempts.take("a")
    for _ in range(3 * ATTEMPTS_MAX):
        with pytest.raises(TooManyAttempts):
            attempts.take("a", "b")
    attempts.take("b")


@given(st.lists(st.tuples(st.sampled_from("abc"), st.floats(0, 400), st.booleans()), max_size=80))
def test_no_more_than_ten_failures_fit_into_any_quarter_of_an_hour(steps: list[tuple[str, float, bool]]) -> None:
    watch = Watch()
    attempts = Attempts(b"k" * 32, seconds=watch)
    failed: dict[str, list[float]] = {}
    for subject, wait_s, is_right in steps:
        watch.now_s += wait_s
        lately = [at_s for at_s in failed.get(subject, []) if watch.now_s - at_s < WITHIN_S]
        try:
            attempts.take(subject)
        except TooManyAttempts:
            assert len(lately) >= ATTEMPTS_MAX
            continue
        assert len(lately) < ATTEMPTS_MAX
        if is_right:
            attempts.give_back(subject)
        else:
            failed.setdefault(subject, []).append(watch.now_s)


def test_memory_is_bounded_and_holds_nobodys_name(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "SUBJECTS_MAX", 50)
    attempts = Attempts(b"k" * 32, seconds=lambda: 0.0)
    for n in range(200):
        attempts.take(f"ann{n}@example.com")
    assert len(attempts) == 50
    assert "example.com" not in repr(vars(attempts))


def test_somebody_whom_many_try_waits_later_and_no_longer_than_a_quarter_of_an_hour() -> None:
    watch = Watch()
    attempts = Attempts(b"k" * 32, seconds=watch)
    for n in range(SPREAD_MAX):
        attempts.take(f"network {n}", spread="ann")
    with pytest.raises(TooManyAttempts):
        attempts.take("another network", spread="ann")
    attempts.take("another network")  # where she is known
    watch.now_s += WITHIN_S
    attempts.take("another network", spread="ann")


def test_networks_that_are_known_are_bounded_and_named_nowhere(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "KNOWN_MAX", 2)
    attempts = Attempts(b"k" * 32, seconds=lambda: 0.0)
    for n in range(3):
        attempts.know(f"ann@{n}")
    assert [attempts.is_known(f"ann@{n}") for n in range(3)] == [False, True, True]
    assert "ann" not in repr(vars(attempts))
