"""Requests ahead of a click are told by their headers."""

import pytest

from footfall.screening.ahead import is_ahead


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
