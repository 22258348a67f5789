"""Where alerts may be posted to."""

import pytest

from footfall.app.alert_places import may_post_to, webhook_rule
from footfall.app.settings import Settings
from footfall.values.errors import Refused

PLAIN, PRIVATE, DEV = Settings(), Settings(alerts_private_places=True), Settings(dev=True)


@pytest.mark.parametrize(
    "address",
    ["127.0.0.1", "10.0.0.1", "192.168.1.1", "169.254.169.254", "::1", "fe80::1", "fd00::1", "0.0.0.0", "nonsense"],
)
def test_no_private_address_is_connected_to_unless_the_operator_allows_it(address: str) -> None:
    assert not may_post_to(PLAIN)(address, 443, True)
    assert may_post_to(PRIVATE)(address, 8443, True)


def test_public_places_are_reached_encrypted_and_only_so() -> None:
    assert may_post_to(PLAIN)("93.184.215.14", 8443, True)
    assert not may_post_to(PLAIN)("93.184.215.14", 80, False)
    assert not may_post_to(PRIVATE)("10.0.0.1", 80, False)
    assert may_post_to(PRIVATE)("127.0.0.1", 80, False)
    assert may_post_to(DEV)("10.0.0.1", 80, False)


@pytest.mark.parametrize(
    "url",
    [
        "http://hooks.example.com/",
        "https://",
        "ftp://hooks.example.com/",
        "https://user:pass@hooks.example.com/",
        "https://hooks.example.com/#part",
        "https://hooks.example.com:99999/",
        "https://127.0.0.1/",
        "https://[::1]/",
        "https://localhost/",
        "http://localhost/",
        "https://169.254.169.254/latest/meta-data",
        "javascript:alert(1)",
    ],
)
def test_an_address_that_could_never_be_posted_to_is_refused_at_once(url: str) -> None:
    with pytest.raises(Refused) as refused:
        webhook_rule(PLAIN)(url)
    assert refused.value.field == "webhooks"


def test_an_address_of_the_web_is_taken_and_a_local_one_where_that_is_allowed() -> None:
    webhook_rule(PLAIN)("https://hooks.example.com:8443/a?b=c")
    webhook_rule(PRIVATE)("http://127.0.0.1:9/hook")
    webhook_rule(PRIVATE)("http://localhost:9/hook")
    webhook_rule(DEV)("http://receiver:9/hook")
    with pytest.raises(Refused):
        webhook_rule(PRIVATE)("http://receiver:9/hook")
