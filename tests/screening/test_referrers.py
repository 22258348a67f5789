"""A referrer is spam when its host is a listed domain or lies below one."""

import pytest

from footfall.screening.referrers import REMEMBERED_MAX, SpamReferrers, require_domain
from footfall.values.errors import Refused


@pytest.mark.parametrize(
    ("referrer", "is_spam"),
    [
        ("https://spam.example/", True),
        ("http://www.SPAM.example:8080/x?y", True),
        ("https://user@spam.example?x", True),
        ("spam.example", True),
        ("https://notspam.example/", False),
        ("https://news.example/?from=spam.example", False),
        ("https://news.example/spam.example", False),
        ("android-app://com.example", False),
        ("", False),
        ("http://semalt.com/crawler", True),
    ],
)
def test_a_host_of_the_list_or_below_it_is_spam(referrer: str, is_spam: bool) -> None:
    assert SpamReferrers(["spam.example"])[referrer] is is_spam


def test_hosts_that_are_made_up_take_bounded_room() -> None:
    spam = SpamReferrers()
    for number in range(REMEMBERED_MAX + 10):
        assert not spam[f"https://{number}.example/"]
    assert not spam[f"https://{'a' * 1_000}.example/"]
    assert len(spam) <= REMEMBERED_MAX


@pytest.mark.parametrize(
    ("text", "domain"),
    [("Spam.Example", "spam.example"), ("*.a.de", "a.de"), ("bücher.example", "xn--bcher-kva.example")],
)
def test_a_domain_is_taken_in_small_letters(text: str, domain: str) -> None:
    assert require_domain(text) == domain


@pytest.mark.parametrize("text", ["spam", "https://spam.example/", "a b.example", "-.example", "x" * 300 + ".com"])
def test_what_is_no_domain_is_refused(text: str) -> None:
    with pytest.raises(Refused, match="is not a domain"):
        require_domain(text)
