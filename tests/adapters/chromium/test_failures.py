"""What a browser says is told in words of the port, with a sentence for whoever asked."""

import pytest

from footfall.adapters.chromium.failures import failure_of_opening, failure_of_status
from footfall.ports.capturing import Reason


@pytest.mark.parametrize(
    ("says", "reason"),
    [
        ("Page.goto: net::ERR_NAME_NOT_RESOLVED at https://a.example/", Reason.NO_SUCH_HOST),
        ("Page.goto: net::ERR_CONNECTION_REFUSED at https://a.example/", Reason.NO_CONNECTION),
        ("Page.goto: net::ERR_EMPTY_RESPONSE at https://a.example/", Reason.NO_CONNECTION),
        ("Page.goto: net::ERR_TUNNEL_CONNECTION_FAILED at https://a.example/", Reason.NO_CONNECTION),
        ("Page.goto: net::ERR_CERT_AUTHORITY_INVALID at https://a.example/", Reason.BAD_CERTIFICATE),
        ("Page.goto: net::ERR_SSL_PROTOCOL_ERROR at https://a.example/", Reason.BAD_CERTIFICATE),
        ("Page.goto: net::ERR_TIMED_OUT at https://a.example/", Reason.TOO_SLOW),
        ("Page.goto: Timeout 20000ms exceeded.", Reason.TOO_SLOW),
        ("Page.goto: net::ERR_TOO_MANY_REDIRECTS at https://a.example/", Reason.TOO_MANY_REDIRECTS),
        ("Page.goto: net::ERR_INVALID_AUTH_CREDENTIALS at https://a.example/", Reason.NEEDS_SIGN_IN),
        ("Page.goto: Download is starting", Reason.DOWNLOAD),
        ("Page.goto: net::ERR_ABORTED at https://a.example/", Reason.DOWNLOAD),
        ("Page.goto: net::ERR_UNSAFE_REDIRECT at https://a.example/", Reason.UNFIT_ADDRESS),
        ("Page.goto: Page crashed", Reason.CRASHED),
        ("Page.goto: Target page, context or browser has been closed", Reason.CRASHED),
    ],
)
def test_an_error_of_opening_has_a_reason(says: str, reason: Reason) -> None:
    failure = failure_of_opening(says)
    assert failure.reason is reason
    assert "example" not in str(failure)  # whoever asked knows the address


@pytest.mark.parametrize(
    ("status", "reason"),
    [
        (401, Reason.NEEDS_SIGN_IN),
        (403, Reason.NEEDS_SIGN_IN),
        (404, Reason.NOT_FOUND),
        (410, Reason.NOT_FOUND),
        (429, Reason.NOT_FOUND),
        (500, Reason.SITE_FAILED),
        (503, Reason.SITE_FAILED),
    ],
)
def test_a_status_that_is_no_page_has_a_reason(status: int, reason: Reason) -> None:
    failure = failure_of_status(status)
    assert failure is not None
    assert failure.reason is reason
    assert str(status) in str(failure)


def test_a_page_that_came_has_none() -> None:
    assert failure_of_status(200) is None
    assert failure_of_status(304) is None
