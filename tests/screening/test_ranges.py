"""Ranges hold what lies in them, and come back from their bytes."""

import ipaddress

import pytest
from hypothesis import given
from hypothesis import strategies as st

from footfall.screening.ranges import NONE, Unpackable, range_of, ranges_from, ranges_from_packed
from footfall.values.errors import Refused


@given(
    st.lists(st.tuples(st.ip_addresses(), st.integers(0, 128)), max_size=20),
    st.lists(st.ip_addresses(), max_size=20),
)
def test_an_address_is_held_when_a_network_holds_it(
    drawn: list[tuple[ipaddress.IPv4Address | ipaddress.IPv6Address, int]],
    asked: list[ipaddress.IPv4Address | ipaddress.IPv6Address],
) -> None:
    networks = [
        ipaddress.ip_network(f"{address}/{min(length, address.max_prefixlen)}", strict=False)
        for address, length in drawn
    ]
    ranges = ranges_from_packed(ranges_from(range_of(str(one)) for one in networks).packed())
    for address in [*asked, *(one.network_address for one in networks), *(one.broadcast_address for one in networks)]:
        if isinstance(address, ipaddress.IPv6Address) and address.ipv4_mapped is not None:
            continue
        assert ranges.holds(str(address)) == any(address in one for one in networks if one.version == address.version)


def test_an_ipv4_address_inside_ipv6_is_itself() -> None:
    ranges = ranges_from([range_of("203.0.113.0/24")])
    assert ranges.holds("::ffff:203.0.113.9")
    assert not ranges.holds("::ffff:203.0.114.9")


def test_what_is_no_address_lies_nowhere() -> None:
    ranges = ranges_from([range_of("0.0.0.0/0"), range_of("::/0")])
    assert ranges.holds("1.2.3.4")
    assert not ranges.holds("unix:socket")
    assert not NONE.holds("1.2.3.4")
    assert NONE.value_of("1.2.3.4") == ""


def test_neighbours_that_say_the_same_are_one() -> None:
    ranges = ranges_from([range_of("10.0.0.0/25"), range_of("10.0.0.128/25"), range_of("10.0.0.5")])
    assert len(ranges) == 1


def test_countries_that_disagree_are_refused() -> None:
    said = [range_of("10.0.0.0/24", value="FI"), range_of("10.0.0.7", value="SE")]
    with pytest.raises(Refused, match=r"both FI and SE of 10\.0\.0\.7"):
        ranges_from(said)


def test_bytes_that_were_cut_are_refused() -> None:
    packed = ranges_from([range_of("10.0.0.0/24")]).packed()
    with pytest.raises(Unpackable, match="bring the file once more"):
        ranges_from_packed(packed[:-1])
