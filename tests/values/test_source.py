"""A referrer is told by its host alone, under the name that people know."""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from footfall.values.source import DIRECT, UNKNOWN, site_of, site_of_address, source_of

HOST = re.compile(r"[a-z0-9_-]+(\.[a-z0-9_-]+)+")


@pytest.mark.parametrize(
    ("referrer", "source"),
    [
        ("", DIRECT),
        ("   ", DIRECT),
        ("https://www.Example.com:8443/a/b?q=1#x", "example.com"),
        ("https://user:word@blog.example.com/", "blog.example.com"),
        ("https://www.google.co.uk/search?q=secret", "google.com"),
        ("https://www.google.fi/", "google.com"),
        ("https://google.com.au", "google.com"),
        ("https://news.google.com/articles/x", "news.google.com"),
        ("https://google.com.evil.example/", "google.com.evil.example"),
        ("https://t.co/abc", "x.com"),
        ("https://mobile.twitter.com/abc", "x.com"),
        ("https://l.facebook.com/l.php?u=https%3A%2F%2Fabc.example", "facebook.com"),
        ("http://m.facebook.com", "facebook.com"),
        ("https://lm.facebook.com/", "facebook.com"),
        ("https://www.bing.com/", "bing.com"),
        ("android-app://com.google.android.googlequicksearchbox/", "google.com"),
        ("android-app://com.example.reader/https/abc.example/x", "com.example.reader"),
        ("https://evil.example\\@abc.example/", "evil.example"),
        ("https://b\u00fccher.example/\u00fc", "xn--bcher-kva.example"),
        ("https://example.com./", "example.com"),
        ("https://www.com/", "www.com"),
        ("http://localhost:8080/", UNKNOWN),
        ("http://direct/", UNKNOWN),
        ("http://192.168.0.7/router", UNKNOWN),
        ("http://[2001:db8::1]/", UNKNOWN),
        ("about:blank", UNKNOWN),
        ("javascript:alert(1)", UNKNOWN),
        ("page.html?name=me", UNKNOWN),
        ("https:///path.html", UNKNOWN),
        ("https://<script>alert(1)</script>.example/", UNKNOWN),
    ],
)
def test_a_referrer_has_a_source(referrer: str, source: str) -> None:
    assert source_of(referrer) == source


@pytest.mark.parametrize(
    ("host", "site"),
    [
        ("abc.example", "abc.example"),
        ("news.abc.example", "abc.example"),
        ("news.abc.co.uk", "abc.co.uk"),
        ("co.uk", "co.uk"),
        ("me.github.io", "me.github.io"),
        ("github.io", "github.io"),
        ("alone", "alone"),
    ],
)
def test_hosts_below_a_name_are_one_site(host: str, site: str) -> None:
    assert site_of(host) == site


def test_an_address_without_a_host_is_of_no_site() -> None:
    assert site_of_address("story-1") == site_of_address("") == ""
    assert site_of_address("https://www.news.abc.example/story") == "abc.example"


@given(st.one_of(st.text(), st.binary().map(lambda data: data.decode("utf-8", "surrogateescape"))))
def test_whatever_comes_gives_a_host_or_a_word_of_ours(referrer: str) -> None:
    for text in (referrer, f"https://{referrer}", f"android-app://{referrer}", f"https://abc.example/{referrer}"):
        found = source_of(text)
        assert found in (DIRECT, UNKNOWN) or HOST.fullmatch(found)
        site_of_address(text)


@given(st.text(alphabet="abcdefghij", min_size=1), st.text(), st.sampled_from("/?#\\"))
def test_nothing_that_follows_the_host_is_told(host: str, rest: str, mark: str) -> None:
    host = f"{host[:60]}.example"
    assert source_of(f"https://{host}{mark}{rest}") == source_of(f"https://{host}")
