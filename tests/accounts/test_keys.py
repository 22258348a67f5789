"""Keys: how they look, what they may do, and that a secret is kept nowhere."""

import secrets

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from footfall.accounts.keys import (
    PUBLIC_MARK,
    SECRET_MARK,
    is_secret_of,
    new_public_key,
    new_secret_key,
    require_scopes,
    what_scopes_allow,
)
from footfall.values.errors import Refused

NOW_MS = 1_700_000_000_000


def test_a_public_key_is_its_own_text_and_may_only_send_hits() -> None:
    new = new_public_key("abc", label="site", now_ms=NOW_MS, random_bytes=secrets.token_bytes)
    assert new.text == new.record.text == f"{PUBLIC_MARK}{new.record.id}"
    assert len(new.record.id) == 24
    assert new.record.is_public
    assert what_scopes_allow(new.record.scopes) == {"hits"}


def test_a_secret_key_is_stored_without_its_secret() -> None:
    new = new_secret_key("abc", ["read"], label="", now_ms=NOW_MS, random_bytes=secrets.token_bytes, expires_at_ms=None)
    mark, key_id, secret = new.text[:6], *new.text[6:].split("_")
    assert (mark, key_id) == (SECRET_MARK, new.record.id)
    assert len(secret) == 40
    assert secret.encode() not in msgspec.msgpack.encode(new.record)
    assert secret not in new.record.text
    assert is_secret_of(new.record, secret)


@given(wrong=st.text(max_size=60))
def test_no_other_text_is_the_secret_of_a_key(wrong: str) -> None:
    new = new_secret_key("abc", ["read"], label="", now_ms=0, random_bytes=bytes, expires_at_ms=None)
    assert is_secret_of(new.record, wrong) == (wrong == "a" * 40)


@pytest.mark.parametrize(
    ("scopes", "allowed"),
    [
        (["write"], {"write", "hits"}),
        (["read"], {"read"}),
        (["audience"], {"audience"}),
        (["admin"], {"admin", "audience", "edit", "read", "write", "hits"}),
        (["read", "write"], {"read", "write", "hits"}),
    ],
)
def test_a_scope_allows_what_it_includes(scopes: list[str], allowed: set[str]) -> None:
    assert what_scopes_allow(require_scopes(scopes)) == allowed


@pytest.mark.parametrize("scopes", [[], ["hits"], ["read", "everything"], [""]])
def test_a_key_with_no_scope_or_an_unknown_one_is_refused(scopes: list[str]) -> None:
    with pytest.raises(Refused, match="the scopes are write, read, edit, audience, admin"):
        require_scopes(scopes)


@pytest.mark.parametrize("label", ["x" * 101, "two\nlines", "\x1b[31m"])
def test_a_label_that_is_not_a_short_line_is_refused(label: str) -> None:
    with pytest.raises(Refused, match="one line of at most 100 bytes"):
        new_public_key("abc", label=label, now_ms=NOW_MS, random_bytes=secrets.token_bytes)


def test_a_key_that_would_be_over_at_once_is_refused() -> None:
    with pytest.raises(Refused, match="over already"):
        new_secret_key("abc", ["read"], label="", now_ms=NOW_MS, random_bytes=bytes, expires_at_ms=NOW_MS)
