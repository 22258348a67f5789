"""A token opens one capture for an hour, and nobody can make one."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from footfall.adapters.embedded.sqlite_table import SqliteTable
from footfall.archive.replay_tokens import TOKEN_MS, NoSuchReplay, capture_from_token, kept_secret, token_for
from footfall.values.clock import SetClock

SECRET, NOW = b"s" * 32, 1_794_916_800_000
TOKEN = token_for("01CAPTURE", secret=SECRET, now_ms=NOW)


def test_a_token_opens_its_capture_until_its_hour_is_over() -> None:
    assert capture_from_token(TOKEN, secret=SECRET, now_ms=NOW + TOKEN_MS - 1) == "01CAPTURE"
    with pytest.raises(NoSuchReplay, match="time"):
        capture_from_token(TOKEN, secret=SECRET, now_ms=NOW + TOKEN_MS)
    with pytest.raises(NoSuchReplay):
        capture_from_token(TOKEN, secret=b"t" * 32, now_ms=NOW)


def test_no_change_of_a_token_opens_anything() -> None:
    id, ends, mark = TOKEN.split(".")
    changed = [
        f"01OTHER.{ends}.{mark}",
        f"{id}.{int(ends, 16) + 1:x}.{mark}",
        f"{id}.{ends}.",
        f"{id}.0{ends}.{mark}",
        "",
    ]
    for token in [*changed, *(TOKEN[:at] + "~" + TOKEN[at + 1 :] for at in range(len(TOKEN)))]:
        with pytest.raises(NoSuchReplay):
            capture_from_token(token, secret=SECRET, now_ms=NOW)


@given(st.text(max_size=80))
def test_nothing_that_is_made_up_opens_anything(token: str) -> None:
    with pytest.raises(NoSuchReplay):
        capture_from_token(token, secret=SECRET, now_ms=NOW)


def test_all_processes_sign_with_the_secret_that_was_kept_first() -> None:
    table = SqliteTable(":memory:", clock=SetClock(NOW))
    assert kept_secret(table, new=b"a" * 32) == b"a" * 32
    assert kept_secret(table, new=b"b" * 32) == b"a" * 32
