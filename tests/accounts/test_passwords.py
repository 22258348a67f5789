"""Passwords: which are taken, and that what is kept of them gives nothing away."""

import secrets
import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from footfall.accounts.passwords import COMMONEST, COST, Cost, Passwords, require_password
from footfall.values.errors import Refused

CHEAP = Passwords(secrets.token_bytes, cost=Cost(rounds=1, memory_kib=64))
EMAIL = "ann.longname@example.com"


@pytest.mark.parametrize(
    "password", ["a" * 9, "", "x" * 201, "aaaaaaaaaaaa", "Password123", EMAIL, "Ann.LongName", 7, None]
)
def test_what_anybody_would_guess_is_refused(password: object) -> None:
    with pytest.raises(Refused) as refused:
        require_password(password, email=EMAIL, field="new")
    assert refused.value.field == "new"


@pytest.mark.parametrize("password", ["a horse that reads", "ä" * 9 + "b", "x1" * 100])
def test_others_are_taken(password: str) -> None:
    assert require_password(password, email=EMAIL) == password


def test_the_commonest_are_long_enough_to_matter() -> None:
    assert min(map(len, COMMONEST)) >= 10
    assert len(COMMONEST) > 100


@given(st.text(min_size=1, max_size=50), st.text(min_size=1, max_size=50))
def test_a_password_is_itself_and_no_other(one: str, other: str) -> None:
    kept = CHEAP.hashed(one)
    assert CHEAP.is_right(kept, one)
    assert one not in kept or len(one) < 3
    same = unicodedata.normalize("NFKC", one) == unicodedata.normalize("NFKC", other)
    assert CHEAP.is_right(kept, other) == same


def test_two_ways_to_write_a_letter_are_one_password() -> None:
    assert CHEAP.is_right(CHEAP.hashed("caf\u00e9 caf\u00e9 caf\u00e9"), "cafe\u0301 cafe\u0301 cafe\u0301")


def test_nobody_has_a_password_whatever_is_tried() -> None:
    for tried in ("", "x", None, 7):
        assert not CHEAP.is_right("", tried)
    assert not CHEAP.is_right("not what argon2 writes", "x")


def test_it_is_argon2id_at_the_cost_that_is_asked_for_and_an_older_cost_is_seen() -> None:
    today = Passwords(secrets.token_bytes)
    kept = today.hashed("a horse that reads")
    assert kept.startswith(f"$argon2id$v=19$m={COST.memory_kib},t={COST.rounds},p=1$")
    assert not today.is_outdated(kept)
    assert today.is_outdated(CHEAP.hashed("a horse that reads"))
    assert today.is_right(CHEAP.hashed("a horse that reads"), "a horse that reads")
