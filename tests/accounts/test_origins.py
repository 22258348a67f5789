"""Origins: which are origins at all, and which pages they allow."""

import pytest

from footfall.accounts.origins import is_allowed_origin, origin_of_page, require_origin
from footfall.values.errors import Refused

ALLOWED = ("https://www.example.com", "https://*.example.org", "http://localhost:3000")


@pytest.mark.parametrize("origin", [*ALLOWED, "https://example.com:8443", "http://[::1]:8080", "https://192.0.2.1"])
def test_an_origin_as_browsers_write_it_is_taken(origin: str) -> None:
    require_origin(origin)


@pytest.mark.parametrize(
    "text",
    [
        "", "*", "example.com", "https://", "https://example.com/", "https://Example.com", "ftp://example.com",
        "https://example.com:443", "http://example.com:80", "https://*", "https://a.*.com", "https://*.*.com",
        "https://exa mple.com", "https://example.com\r\nx: y", "https://user@example.com", "null",
    ],
)  # fmt: skip
def test_what_is_no_origin_is_refused(text: str) -> None:
    with pytest.raises(Refused, match="is not an origin"):
        require_origin(text)


@pytest.mark.parametrize(
    ("origin", "is_allowed"),
    [
        ("https://www.example.com", True),
        ("http://www.example.com", False),
        ("https://www.example.com:8443", False),
        ("https://www.example.com.evil.test", False),
        ("https://a.example.org", True),
        ("https://a.b.example.org", True),
        ("https://example.org", False),
        ("https://evilexample.org", False),
        ("https://evil.test/.example.org", False),
        ("https://evil.test#.example.org", False),
        ("https://evil@a.example.org", False),
        ("http://localhost:3000", True),
        ("null", False),
        ("", False),
    ],
)
def test_only_listed_origins_and_subdomains_are_allowed(origin: str, is_allowed: bool) -> None:
    assert is_allowed_origin(origin, ALLOWED) == is_allowed


@pytest.mark.parametrize(
    ("address", "origin"),
    [
        ("https://www.example.com/a/b?c#d", "https://www.example.com"),
        ("HTTPS://WWW.Example.COM:443/", "https://www.example.com"),
        ("http://example.com:8080", "http://example.com:8080"),
        ("about:blank", ""),
        ("", ""),
    ],
)
def test_the_origin_of_a_page_is_that_of_its_address(address: str, origin: str) -> None:
    assert origin_of_page(address) == origin
