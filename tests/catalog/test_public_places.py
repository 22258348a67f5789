"""Nobody sends us to a machine or a network of our own."""

import pytest

from footfall.catalog.public_places import NotPublic, host_and_port, is_public_place


@pytest.mark.parametrize("address", ["93.184.215.14", "8.8.8.8", "2606:2800:220:1:248:1893:25c8:1946"])
def test_public_addresses_may_be_visited_on_the_web_s_ports(address: str) -> None:
    assert is_public_place(address, 443)
    assert is_public_place(address, 80)
    assert not is_public_place(address, 22)
    assert not is_public_place(address, 8080)


@pytest.mark.parametrize(
    "address",
    [
        "127.0.0.1", "127.8.8.8", "0.0.0.0", "10.0.0.1", "172.16.0.1", "192.168.1.1", "169.254.169.254", "100.64.0.1",
        "192.0.2.1", "198.18.0.1", "224.0.0.1", "240.0.0.1", "255.255.255.255", "::", "::1", "fe80::1", "fe80::1%eth0",
        "fc00::1", "fd12::1", "ff02::1", "::ffff:127.0.0.1", "::ffff:8.8.8.8", "::127.0.0.1", "64:ff9b::7f00:1",
        "fec0::1", "3fff::1", "3ffe::1", "2001:20::1", "2001:1ff:ffff::1", "2620:4f:8000::1", "5f00::1", "100::1",
        "4000::1", "2606:2800:220:1:248:1893:25c8:1946%eth0", "192.88.99.1", "192.0.0.9", "192.31.196.1",
        "192.52.193.1", "192.175.48.1", "168.63.129.16",
        "64:ff9b:1::1", "2002:7f00:1::1", "2001:0:1::1", "2001:db8::1", "localhost", "", "0x7f.1", "2130706433",
    ],
)  # fmt: skip
def test_addresses_of_our_own_may_not_be_visited(address: str) -> None:
    assert not is_public_place(address, 443)


def test_the_address_of_a_page_says_where_it_is() -> None:
    assert host_and_port("https://News.example/a?b#c") == ("news.example", 443)
    assert host_and_port("http://news.example:8080") == ("news.example", 8080)
    assert host_and_port("http://[2001:db8::1]/") == ("2001:db8::1", 80)
    assert host_and_port("https://päivä.example/") == ("xn--piv-qlac.example", 443)


@pytest.mark.parametrize(
    "address",
    [
        "ftp://news.example/", "file:///etc/passwd", "gopher://x/", "//news.example/", "https://", "https:///x",
        "https://user@news.example/", "https://user:secret@news.example/", "http://news.example:99999/", "http://[x]/",
        "http://" + "ä" * 80 + ".example/",
    ],
)  # fmt: skip
def test_what_is_no_page_s_address_is_refused(address: str) -> None:
    with pytest.raises(NotPublic):
        host_and_port(address)
