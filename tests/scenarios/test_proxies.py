"""A forwarded address is believed from a trusted proxy and from nobody else."""

from pathlib import Path

from footfall.adapters.embedded.sqlite_stream import SqliteStream
from footfall.flow.stream.records import pack_from_record
from footfall.values.clock import SystemClock
from tests.scenarios.instance import Starter, hit

AGENT = "Reader/1.0"


def visitors_of(data: Path) -> list[bytes]:
    """Return the visitor of every hit, in the order in which they were sent."""
    stream = SqliteStream(data / "stream.db", clock=SystemClock(), read_only=True)
    packs = [pack_from_record(record.data) for record in stream.read(0, after=0)]
    stream.close()
    return [visitor for pack in packs for visitor in pack.visitors or [b""] * len(pack.keys)]


def visitors_after(starter: Starter, data: Path, *flags: str, forwarded: list[str]) -> list[bytes]:
    instance = starter.start(data, *flags)
    for address in forwarded:
        headers = {"User-Agent": AGENT} | ({"X-Forwarded-For": address} if address else {})
        assert instance.post(hit(1), headers).status == 202
    instance.terminate()
    return visitors_of(data)


def test_a_forged_address_changes_nothing(starter: Starter, data: Path) -> None:
    forged = ["", "198.51.100.1", "198.51.100.2", "198.51.100.1, 198.51.100.3", "not an address", "::1"]
    visitors = visitors_after(starter, data, "--set", "http_trusted_proxies=192.0.2.0/24", forwarded=forged)
    assert len(visitors) == len(forged)
    assert len(set(visitors)) == 1
    assert len(visitors[0]) == 8


def test_no_network_at_all_may_be_trusted(starter: Starter, data: Path) -> None:
    visitors = visitors_after(starter, data, "--set", "http_trusted_proxies=", forwarded=["", "198.51.100.1"])
    assert len(set(visitors)) == 1


def test_a_proxy_on_this_machine_is_believed_as_far_as_it_vouches(starter: Starter, data: Path) -> None:
    said = ["198.51.100.1", "198.51.100.2", "203.0.113.9, 198.51.100.1", "198.51.100.1, 127.0.0.1"]
    one, two, appended, through_two = visitors_after(starter, data, forwarded=said)
    assert one != two
    assert appended == one  # What stands before the address that the proxy saw could have been written by anybody.
    assert through_two == one


def test_who_asks_not_to_be_followed_leaves_no_visitor(starter: Starter, data: Path) -> None:
    instance = starter.start(data)
    for headers in ({"Sec-GPC": "1"}, {"DNT": "1"}):
        assert instance.post(hit(1), {"User-Agent": AGENT, **headers}).status == 202
    assert instance.post([hit(1), hit(2)]).status == 202  # A server's batch says nothing about who reads.
    instance.terminate()
    assert visitors_of(data) == [b"", b"", b"", b""]
