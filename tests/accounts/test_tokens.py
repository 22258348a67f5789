"""Tokens: JSON Web Tokens as any library makes them, and nothing that only looks like one."""

import base64
import hashlib
import hmac
import json
from contextlib import suppress

import pytest
from hypothesis import given
from hypothesis import strategies as st

from footfall.accounts.tokens import Claims, claims_from_token, is_token_of, new_token
from footfall.accounts.unproven import Unproven, Why
from footfall.client.signing import page_token

KEY = "ffsig_abc_secret"
CLAIMS = Claims("abc", 1_794_753_900, "https://www.example.com")


def part(said: object) -> str:
    return base64.urlsafe_b64encode(json.dumps(said).encode()).decode().rstrip("=")


def signed(head: object, body: object, key: str = KEY) -> str:
    text = f"{part(head)}.{part(body)}"
    mac = hmac.new(key.encode(), text.encode(), hashlib.sha256).digest()
    return f"{text}.{base64.urlsafe_b64encode(mac).decode().rstrip('=')}"


def test_a_token_comes_back_as_it_was_made() -> None:
    token = new_token(KEY, CLAIMS)
    assert claims_from_token(token) == CLAIMS
    assert is_token_of(token, KEY)
    assert not is_token_of(token, KEY + "x")


def test_a_token_of_any_library_is_read_whatever_else_it_claims() -> None:
    token = signed({"typ": "JWT", "kid": "1", "alg": "HS256"}, {"iat": 1, "brand": "abc", "exp": 5, "nonsense": [1]})
    assert claims_from_token(token) == Claims("abc", 5)
    assert is_token_of(token, KEY)


def test_the_clients_tokens_are_the_servers() -> None:
    made = page_token(KEY, "abc", seconds=900, origin="https://www.example.com", now_s=1_794_753_000)
    assert made == new_token(KEY, CLAIMS)
    assert page_token(KEY, "abc", seconds=1, now_s=4) == new_token(KEY, Claims("abc", 5))


@pytest.mark.parametrize(
    "token",
    [
        "",
        "a.b",
        "...",
        new_token(KEY, CLAIMS) + "!",
        new_token(KEY, CLAIMS) + ".more",
        "é" + new_token(KEY, CLAIMS),
        signed({"alg": "none"}, {"brand": "abc", "exp": 5}),
        signed({"alg": "HS512"}, {"brand": "abc", "exp": 5}),
        signed({}, {"brand": "abc", "exp": 5}),
        signed({"alg": "HS256"}, {"brand": "abc"}),
        signed({"alg": "HS256"}, {"exp": 5}),
        signed({"alg": "HS256"}, {"brand": "abc", "exp": "soon"}),
        signed({"alg": "HS256"}, ["abc", 5]),
        signed({"alg": "HS256"}, {"brand": "abc", "exp": 5, "x": "x" * 1_024}),
    ],
)
def test_what_only_looks_like_a_token_is_told_what_one_is(token: str) -> None:
    with pytest.raises(Unproven, match="JSON Web Token") as caught:
        claims_from_token(token)
    assert (caught.value.why, caught.value.field) == (Why.TOKEN_MALFORMED, "token")


@given(st.text(max_size=200))
def test_no_text_makes_anything_but_claims_or_a_refusal(text: str) -> None:
    with suppress(Unproven):
        assert isinstance(claims_from_token(text), Claims)
