"""What is public is reached on the web's ports; what is not, in whatever spelling, is not."""

import ipaddress

import pytest
from hypothesis import given
from hypothesis import strategies as st

from footfall.values.public_addresses import NotPublic, Policy, host_from, is_public_address, unwrapped

PUBLIC = [
    "1.1.1.1", "8.8.8.8", "93.184.215.14", "100.63.255.255", "100.128.0.1", "126.255.255.255", "128.0.0.1",
    "169.253.255.255", "169.255.0.1", "172.15.255.255", "172.32.0.1", "192.0.1.1", "192.167.255.255", "192.169.0.1",
    "198.17.255.255", "198.20.0.1", "223.255.255.254", "2001:4860:4860::8888", "2606:2800:220:1:248:1893:25c8:1946",
    "2a00:1450:4001::1",
]  # fmt: skip
NOT_PUBLIC = [
    "0.0.0.0", "0.1.2.3", "10.0.0.1", "10.255.255.255", "100.64.0.1", "100.127.255.254", "127.0.0.1", "127.0.0.2",
    "127.255.255.254", "168.63.129.16", "169.254.0.1", "169.254.169.254", "169.254.170.2", "172.16.0.1",
    "172.31.255.254", "192.0.0.1", "192.0.0.9", "192.0.0.170", "192.0.2.1", "192.31.196.1", "192.52.193.1",
    "192.88.99.1", "192.168.0.1", "192.168.255.254", "192.175.48.1", "198.18.0.1", "198.19.255.254", "198.51.100.1",
    "203.0.113.1", "224.0.0.1", "239.255.255.250", "240.0.0.1", "255.255.255.255",
    "::", "::1", "::127.0.0.1", "::8.8.8.8", "::ffff:127.0.0.1", "::ffff:7f00:1", "0:0:0:0:0:ffff:a00:1",
    "::ffff:169.254.169.254", "::ffff:8.8.8.8", "::ffff:0:127.0.0.1", "64:ff9b::7f00:1", "64:ff9b::a9fe:a9fe",
    "64:ff9b::8.8.8.8", "64:ff9b:1::1", "64:ff9b:1::7f00:1", "100::1", "100:0:0:1::1", "2001::1", "2001:0:7f00:1::1",
    "2001:0:4136:e378:8000:63bf:80ff:fffe", "2001:2::1", "2001:10::1", "2001:20::1", "2001:30::1", "2001:db8::1",
    "2002:7f00:1::", "2002:a9fe:a9fe::1", "2002:808:808::1", "2620:4f:8000::1", "3ffe::1", "3fff::1", "4000::1",
    "5f00::1", "fc00::1", "fd00:ec2::254", "fe80::1", "fe80::1%eth0", "fec0::1", "ff02::1", "ff0e::1",
    "2606:2800:220:1:248:1893:25c8:1946%eth0",
    "", "localhost", "127.1", "0x7f.1", "0177.0.0.1", "2130706433", "127.0.0.1.", " 127.0.0.1", "8.8.8.8 ", "8.8.8",
]  # fmt: skip


@pytest.mark.parametrize("address", PUBLIC)
def test_an_address_of_the_public_web_is_one(address: str) -> None:
    assert is_public_address(address)
    Policy().require_host(address, 443)


@pytest.mark.parametrize("address", NOT_PUBLIC)
def test_an_address_of_anything_else_is_none(address: str) -> None:
    assert not is_public_address(address)
    with pytest.raises(NotPublic):
        Policy().checked("news.example", 443, [address])


@given(st.ip_addresses(v=4))
def test_an_ipv4_address_inside_an_ipv6_one_never_gets_through(inside: ipaddress.IPv4Address) -> None:
    number = int(inside)
    for outside in (number, 0xFFFF << 32 | number, 0x64FF9B << 96 | number, 0x2002 << 112 | number << 80):
        assert not is_public_address(str(ipaddress.IPv6Address(outside)))


def test_what_an_address_stands_for_is_found_inside_it() -> None:
    for wrapped in (
        "::ffff:7f00:1",
        "64:ff9b::7f00:1",
        "2002:7f00:1::",
        "::7f00:1",
        "2001:0:4136:e378:8000:63bf:80ff:fffe",
    ):
        assert unwrapped(wrapped) == "127.0.0.1"
    assert [unwrapped(one) for one in ("::1", "::", "8.8.8.8", "2a00::1", "x")] == [
        "::1",
        "::",
        "8.8.8.8",
        "2a00::1",
        "x",
    ]


@pytest.mark.parametrize(
    "name",
    [
        "localhost", "LOCALHOST", "localhost.", "inner.localhost", "intranet", "router", "printer.local",
        "x.localdomain", "metadata.google.internal", "db.internal", "nas.lan", "x.home.arpa", "a.onion",
        "k.default.svc", "db.corp", "0x7f.1", "127.1", "2130706433", "0x7f000001", "1.2.3.4.5", "a..example",
        ".example", "-a.example", "a b.example", "a/b.example", "a@b.example", "a%2eb.example", "ä.example", "", ".",
        "x" * 64 + ".example", "a." * 130 + "example", "our.dashboard.example",
    ],
)  # fmt: skip
def test_a_name_of_no_public_host_is_refused_before_anybody_is_asked_for_it(name: str) -> None:
    with pytest.raises(NotPublic):
        Policy(refused_names=frozenset({"our.dashboard.example"})).require_host(name, 443)


@pytest.mark.parametrize(
    "name", ["news.example", "News.Example.", "xn--bcher-kva.example", "a_b.example", "1.2.example"]
)
def test_a_name_of_a_public_host_may_be_asked_for(name: str) -> None:
    assert Policy().checked(name, 80, ["8.8.8.8", "2a00::1"]) == ("8.8.8.8", "2a00::1")


@pytest.mark.parametrize("port", [0, 1, 21, 22, 25, 53, 81, 6379, 8080, 8443, 9200, 65_535])
def test_only_the_web_s_ports_are_reached(port: int) -> None:
    with pytest.raises(NotPublic, match="80 and 443"):
        Policy().require_host("news.example", port)


def test_one_bad_address_refuses_the_name() -> None:
    with pytest.raises(NotPublic, match=r"10\.0\.0\.1"):
        Policy().checked("news.example", 443, ["8.8.8.8", "10.0.0.1"])
    with pytest.raises(NotPublic, match="no address"):
        Policy().checked("news.example", 443, [])


def test_an_allowed_pair_is_reached_and_nothing_beside_it() -> None:
    policy = Policy(frozenset({("127.0.0.1", 8081), ("wiki.corp", 80)}))
    assert policy.checked("127.0.0.1", 8081, ["127.0.0.1"]) == ("127.0.0.1",)
    assert policy.checked("WIKI.corp.", 80, ["10.0.0.7"]) == ("10.0.0.7",)
    beside = [("127.0.0.1", 8082), ("127.0.0.2", 8081), ("localhost", 8081), ("wiki.corp", 443), ("a.wiki.corp", 80)]
    for host, port in [*beside, ("::ffff:127.0.0.1", 8081), ("news.example", 8081)]:
        with pytest.raises(NotPublic):
            policy.checked(host, port, ["127.0.0.1"])
    with pytest.raises(NotPublic):  # Nor does another name that leads to the same place.
        Policy(frozenset({("127.0.0.1", 80)})).checked("news.example", 80, ["127.0.0.1"])


def test_a_connection_that_ended_elsewhere_is_refused() -> None:
    Policy().require_peer("8.8.8.8", picked="8.8.8.8")
    Policy().require_peer("::ffff:8.8.8.8", picked="8.8.8.8")
    for peer in ("127.0.0.1", "8.8.4.4", ""):
        with pytest.raises(NotPublic, match=r"8\.8\.8\.8"):
            Policy().require_peer(peer, picked="8.8.8.8")


def test_hosts_are_compared_in_one_spelling() -> None:
    assert host_from("[0:0:0:0:0:0:0:1]") == host_from("::1") == "::1"
    assert host_from("News.Example.") == "news.example"


def test_the_table_is_long_enough_to_mean_something() -> None:
    assert len(set(PUBLIC) | set(NOT_PUBLIC)) >= 100
