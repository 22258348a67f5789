"""Whose address is believed, and what of a visitor is kept for how long."""

from collections.abc import Iterator
from contextlib import closing
from ipaddress import ip_network
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from footfall.adapters.embedded.secret_table import SecretTable
from footfall.adapters.embedded.sqlite_table import SqliteTable
from footfall.flow.collect.senders import (
    SALT_BYTES,
    SALT_MS,
    VISITOR_BYTES,
    Salts,
    believed_address,
    proxied_address,
    visitor_hash,
)
from footfall.values.clock import SetClock

MIDNIGHT_MS = 1_794_700_800_000  # 2026-11-15 in UTC
HOUR_MS = 3_600_000
LOOPBACK = [ip_network("127.0.0.0/8"), ip_network("::1/128")]
OURS = [*LOOPBACK, ip_network("10.0.0.0/8"), ip_network("2001:db8:1::/48")]


@pytest.mark.parametrize(
    ("peer", "forwarded", "believed"),
    [
        ("127.0.0.1", "", "127.0.0.1"),
        ("127.0.0.1", "203.0.113.7", "203.0.113.7"),
        ("203.0.113.9", "198.51.100.1", "203.0.113.9"),
        ("203.0.113.9", "198.51.100.1, 10.0.0.1, 127.0.0.1", "203.0.113.9"),
        ("127.0.0.1", "198.51.100.1, 203.0.113.7", "203.0.113.7"),
        ("127.0.0.1", "198.51.100.1, 203.0.113.7, 10.1.2.3", "203.0.113.7"),
        ("127.0.0.1", "10.0.0.9, 10.1.2.3", "10.0.0.9"),
        ("::1", "2001:db8:9::5", "2001:db8:9::5"),
        ("2001:db8:1::7", "2001:db8:9::5, 2001:db8:1::8", "2001:db8:9::5"),
        ("::ffff:127.0.0.1", "203.0.113.7", "203.0.113.7"),
        ("::ffff:203.0.113.9", "198.51.100.1", "::ffff:203.0.113.9"),
        ("127.0.0.1", "198.51.100.1, ::ffff:10.0.0.1", "198.51.100.1"),
        ("127.0.0.1", "198.51.100.1, unknown", "unknown"),
        ("127.0.0.1", " 203.0.113.7 ", "203.0.113.7"),
        ("127.0.0.1", "198.51.100.1,", "127.0.0.1"),
        ("127.0.0.1", " , ", "127.0.0.1"),
        ("", "203.0.113.7", ""),
        ("unix", "203.0.113.7", "unix"),
    ],
)
def test_an_address_is_believed_as_far_as_trusted_proxies_vouch_for_it(
    peer: str, forwarded: str, believed: str
) -> None:
    assert believed_address(peer, forwarded, trusted=OURS) == believed


@pytest.mark.parametrize(
    ("viewer", "forwarded", "address"),
    [
        ("198.51.100.1:46532", "", "198.51.100.1"),
        ("198.51.100.1:46532", "192.0.2.1", "198.51.100.1"),
        ("2001:db8:9::5:46532", "", "2001:db8:9::5"),
        ("2001:db8:9:1:2:3:4:5:46532", "", "2001:db8:9:1:2:3:4:5"),
        ("[2001:db8:9::5]:46532", "", "2001:db8:9::5"),
        ("2001:db8::", "", "2001:db8::"),
        ("198.51.100.1", "", "198.51.100.1"),
        ("nobody:1", "198.51.100.1", "198.51.100.1"),
        ("", "192.0.2.66, 198.51.100.1", "198.51.100.1"),
        ("", "192.0.2.66, 198.51.100.1, 203.0.113.9", "198.51.100.1"),  # An API appended the proxy's own address.
        ("", "203.0.113.9", "203.0.113.9"),
        ("", "", "203.0.113.9"),
        ("", " , ", "203.0.113.9"),
    ],
)
def test_a_proxy_that_proved_itself_says_whom_it_asks_for(viewer: str, forwarded: str, address: str) -> None:
    assert proxied_address("203.0.113.9", forwarded, viewer=viewer) == address


@given(forged=st.text(max_size=60), peer=st.sampled_from(["203.0.113.9", "2001:db8:9::9", "10.0.0.1"]))
def test_a_forged_header_from_an_untrusted_peer_changes_nothing(forged: str, peer: str) -> None:
    assert believed_address(peer, forged, trusted=LOOPBACK) == peer


@given(forged=st.text(max_size=60))
def test_what_a_client_forges_before_a_trusted_proxy_changes_nothing(forged: str) -> None:
    assert believed_address("127.0.0.1", f"{forged}, 203.0.113.7", trusted=LOOPBACK) == "203.0.113.7"


def test_a_chain_longer_than_any_of_proxies_is_cut() -> None:
    chain = "203.0.113.7, " + ", ".join(["10.0.0.1"] * 1_000)
    assert believed_address("127.0.0.1", chain, trusted=OURS) == "10.0.0.1"


class Counting:
    """Chance that is none: each salt is another number."""

    def __init__(self) -> None:
        self.made: list[bytes] = []

    def __call__(self, size: int) -> bytes:
        self.made.append((len(self.made) + 0x7A7B7C7D7E000001).to_bytes(size, "big"))
        return self.made[-1]


@pytest.fixture
def chance() -> Counting:
    return Counting()


@pytest.fixture
def clock() -> SetClock:
    return SetClock(MIDNIGHT_MS)


@pytest.fixture
def table(clock: SetClock, tmp_path: Path) -> Iterator[SecretTable]:
    with closing(SecretTable(tmp_path / "salts.db", clock=clock)) as opened:
        yield opened


def of_day(salts: Salts, brand: str, at_ms: int, *, zone: str = "UTC", now_ms: int | None = None) -> bytes | None:
    return salts.of_day(brand, zone, at_ms=at_ms, now_ms=at_ms if now_ms is None else now_ms)


def test_a_salt_stays_the_same_all_day_and_in_every_process(table: SecretTable, chance: Counting) -> None:
    first, second = Salts(table, random_bytes=chance), Salts(table, random_bytes=chance)
    day = {of_day(salts, "abc", MIDNIGHT_MS + hour * HOUR_MS) for hour in range(24) for salts in (first, second)}
    (salt,) = day
    assert salt is not None
    assert len(salt) == SALT_BYTES


def test_another_brand_and_another_day_have_other_salts(table: SecretTable, chance: Counting) -> None:
    salts = Salts(table, random_bytes=chance)
    moments = [MIDNIGHT_MS - 1, MIDNIGHT_MS, MIDNIGHT_MS + 24 * HOUR_MS]
    assert len({of_day(salts, brand, at_ms) for brand in ("abc", "def") for at_ms in moments}) == 6


def test_a_day_is_the_brands_own(table: SecretTable, chance: Counting) -> None:
    salts = Salts(table, random_bytes=chance)
    kolkata = "Asia/Kolkata"  # Its day begins at 18:30 UTC.
    evening = of_day(salts, "abc", MIDNIGHT_MS - 5 * HOUR_MS, zone=kolkata)
    assert evening == of_day(salts, "abc", MIDNIGHT_MS, zone=kolkata)
    assert evening != of_day(salts, "abc", MIDNIGHT_MS - 6 * HOUR_MS, zone=kolkata)


def test_there_is_no_salt_47_hours_after_its_day_began(table: SecretTable, clock: SetClock, chance: Counting) -> None:
    salts = Salts(table, random_bytes=chance)
    ends_at_ms = MIDNIGHT_MS + SALT_MS
    first = of_day(salts, "abc", MIDNIGHT_MS)
    clock.set(ends_at_ms - 1)
    assert of_day(salts, "abc", MIDNIGHT_MS, now_ms=ends_at_ms - 1) == first
    clock.set(ends_at_ms)
    for process in (salts, Salts(table, random_bytes=chance)):
        assert of_day(process, "abc", MIDNIGHT_MS, now_ms=ends_at_ms) is None
    assert len(chance.made) == 1


def test_a_destroyed_salt_is_in_no_file_and_not_in_memory(
    table: SecretTable, clock: SetClock, chance: Counting, tmp_path: Path
) -> None:
    salts = Salts(table, random_bytes=chance)
    gone = of_day(salts, "abc", MIDNIGHT_MS)
    clock.set(MIDNIGHT_MS + SALT_MS)
    stays = of_day(salts, "abc", MIDNIGHT_MS + SALT_MS)
    table.forget_expired()
    assert gone is not None
    assert stays is not None
    assert [path.name for path in tmp_path.iterdir() if gone in path.read_bytes()] == []
    assert [path.name for path in tmp_path.iterdir() if stays in path.read_bytes()] == ["salts.db"]
    assert gone not in [salt for salt, _ in salts._cached.values()]


def test_the_secret_of_a_brand_lasts(clock: SetClock, chance: Counting) -> None:
    with closing(SqliteTable(":memory:", clock=clock)) as table:
        salts = Salts(table, random_bytes=chance)
        own = salts.of_brand("abc", now_ms=MIDNIGHT_MS)
        clock.advance(1_000 * 24 * HOUR_MS)
        assert Salts(table, random_bytes=chance).of_brand("abc", now_ms=clock.now_ms()) == own
        assert salts.of_brand("def", now_ms=clock.now_ms()) != own


def test_many_brands_do_not_fill_the_memory(clock: SetClock, chance: Counting) -> None:
    with closing(SqliteTable(":memory:", clock=clock)) as table:
        salts = Salts(table, random_bytes=chance)
        for number in range(4_100):
            salts.of_brand(f"b{number}", now_ms=MIDNIGHT_MS)
        assert len(salts._cached) <= 4_000


def test_a_visitor_is_the_same_under_one_salt_only() -> None:
    one = visitor_hash(b"1" * 32, "203.0.113.7", "Firefox", "abc")
    assert len(one) == VISITOR_BYTES
    assert one == visitor_hash(b"1" * 32, "203.0.113.7", "Firefox", "abc")
    others = {
        visitor_hash(b"2" * 32, "203.0.113.7", "Firefox", "abc"),
        visitor_hash(b"1" * 32, "203.0.113.8", "Firefox", "abc"),
        visitor_hash(b"1" * 32, "203.0.113.7", "Safari", "abc"),
        visitor_hash(b"1" * 32, "203.0.113.7", "Firefox", "def"),
        visitor_hash(b"1" * 32, "203.0.113.7F", "irefox", "abc"),
    }
    assert len(others) == 5
    assert one not in others


def test_any_text_can_be_hashed() -> None:
    assert len(visitor_hash(b"1" * 32, "\ud800", "\0", "é")) == VISITOR_BYTES


@pytest.mark.parametrize(
    ("hop", "address"),
    [("203.0.113.7:4711", "203.0.113.7"), ("[2001:db8::7]:4711", "2001:db8::7"), ("2001:db8::7", "2001:db8::7")],
)
def test_a_port_behind_a_forwarded_address_does_not_make_another_visitor(hop: str, address: str) -> None:
    assert believed_address("127.0.0.1", hop, trusted=[ip_network("127.0.0.0/8")]) == address
