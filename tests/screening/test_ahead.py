"""Requests ahead of a click are told by their headers."""

import pytest

from footfall.screening.ahead import is_ahead, is_purpose_ahead


@pytest.mark.parametrize(
    "headers",
    [
        {b"sec-purpose": b"prefetch;prerender"},
        {b"sec-purpose": b"prefetch"},
        {b"purpose": b"Prefetch"},
        {b"x-purpose": b"preview"},
        {b"x-moz": b"prefetch"},
    ],
)
def test_a_browser_says_that_nobody_looks_yet(headers: dict[bytes, bytes]) -> None:
    assert is_ahead(headers)


@pytest.mark.parametrize("headers", [{}, {b"sec-purpose": b"click"}, {b"accept": b"prefetch"}])
def test_other_requests_are_of_somebody_who_looks(headers: dict[bytes, bytes]) -> None:
    assert not is_ahead(headers)


@pytest.mark.parametrize(("purpose", "is_one"), [("Prefetch", True), ("prefetch;prerender", True), ("click", False)])
def test_a_server_says_it_by_the_value_alone(purpose: str, is_one: bool) -> None:
    assert is_purpose_ahead(purpose) is is_one
