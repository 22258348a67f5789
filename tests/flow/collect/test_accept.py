"""What is frozen into a record, and how a request is split into records without losing a hit."""

import json
from collections.abc import Iterator
from contextlib import closing
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from footfall.accounts.brands import Brand, Brands
from footfall.adapters.embedded.sqlite_table import SqliteTable
from footfall.flow.collect.accept import (
    FULL_HITS_PER_RECORD_MAX,
    UNLABELLED,
    Acceptance,
    Request,
    Single,
    entries_of_singles,
)
from footfall.flow.collect.fields import Parsed
from footfall.flow.collect.parse import parse_hits, parse_one
from footfall.flow.collect.plain import Plain
from footfall.flow.collect.senders import Salts, Sender
from footfall.flow.stream.records import RULES, VERSION, Pack, pack_from_record
from footfall.flow.stream.shards import shard_of
from footfall.ports.stream import RECORD_BYTES_MAX, Entry
from footfall.screening.agent_codes import agent_code
from footfall.values.clock import SetClock

NOON_MS = 1_794_744_000_000
HOUR_MS = 3_600_000
SENDER = Sender("203.0.113.7", "Firefox", wants_privacy=False)
BRANDS = Brands({"abc": Brand("abc"), "def": Brand("def"), "hold": Brand("hold", unlabelled="hold")}, any_brand=False)
LEAN = {"brand": "abc", "assetId": "1", "sectionId": 5, "resourceType": "article", "paidType": "free"}


@pytest.fixture(scope="module")
def salts() -> Iterator[Salts]:
    with closing(SqliteTable(":memory:", clock=SetClock(NOON_MS))) as table:
        yield Salts(table, random_bytes=lambda size: bytes(range(size)))


def parse(sent: Any) -> Parsed:
    return parse_hits(json.dumps(sent).encode(), lines=False, hits_max=50_000)


def request(sent: Any, *, key: str = "", sender: Sender = SENDER, at_ms: int = NOON_MS) -> Request:
    body = json.dumps(sent).encode()
    return Request(at_ms, sender, is_batch=isinstance(sent, list), idempotency_key=key, body=body)


def entries(salts: Salts, sent: Any, *, shards: int = 1, **how: Any) -> list[Entry]:
    return Acceptance(BRANDS, salts, shards=shards).entries(parse(sent), request(sent, **how))


def pack(salts: Salts, sent: Any, **how: Any) -> Pack:
    (entry,) = entries(salts, sent, **how)
    return pack_from_record(entry.data)


def test_a_lean_batch_freezes_arrival_rules_and_keys_and_nothing_else(salts: Salts) -> None:
    (entry,) = entries(salts, [LEAN, LEAN])
    key = ("1", "5", "article", "free")
    assert pack_from_record(entry.data) == Pack(VERSION, RULES, NOON_MS, [key, key])
    assert (entry.shard, entry.group, entry.weight, entry.arrived_at_ms) == (0, "abc", 2, NOON_MS)
    assert (entry.ids, entry.claim) == ((), None)


def test_every_field_of_a_hit_is_frozen_in_its_column(salts: Salts) -> None:
    sent = [
        {"brand": "abc", "assetId": 1, "url": "/1", "at": NOON_MS - 5},
        {"brand": "abc", "assetId": 2, "referrer": "/r", "visitor": "v", "id": "i"},
    ]
    (entry,) = entries(salts, sent)
    found = pack_from_record(entry.data)
    assert found.keys == [("1", "", "", ""), ("2", "", "", "")]
    assert found.at_ms == [NOON_MS - 5, NOON_MS]
    assert (found.urls, found.referrers) == (["/1", ""], ["", "/r"])
    assert found.visitors is not None
    assert [len(visitor) for visitor in found.visitors] == [0, 8]
    assert [place for place, _ in entry.ids] == [1]
    assert (found.weights, found.screened, found.replays, found.trusted) == (None, None, None, True)


def test_columns_that_no_hit_uses_are_left_out(salts: Salts) -> None:
    found = pack(salts, [LEAN | {"id": "1"}, LEAN | {"id": "2"}])
    assert (found.at_ms, found.visitors, found.urls, found.referrers) == (None, None, None, None)


def test_no_address_and_no_agent_is_in_the_record(salts: Salts) -> None:
    for sent in (LEAN, LEAN | {"url": "/", "visitor": "somebody"}, [LEAN]):
        (entry,) = entries(salts, sent, key="secret key")
        for text in (b"203.0.113.7", b"Firefox", b"somebody", b"secret key"):
            assert text not in entry.data


def test_of_an_agent_sixteen_bits_are_kept_and_a_server_tells_its_readers(salts: Salts) -> None:
    page = Sender("203.0.113.7", "Firefox", wants_privacy=False)
    server = Sender("203.0.113.9", "python", wants_privacy=False, is_server=True)
    firefox, safari = agent_code("Firefox"), agent_code("Safari")
    assert 0 < firefox < 65_536
    assert firefox != safari
    assert pack(salts, LEAN, sender=page).agents == [firefox]
    assert pack(salts, LEAN | {"agent": "Safari"}, sender=page).agents == [firefox]  # It speaks for itself.
    assert pack(salts, LEAN, sender=Sender("203.0.113.7", "Firefox", wants_privacy=True)).agents == [firefox]
    assert pack(salts, [LEAN, LEAN | {"agent": "Safari"}], sender=server).agents == [0, safari]
    assert pack(salts, LEAN, sender=server).agents is None
    assert pack(salts, [LEAN, LEAN], sender=page).agents is None  # A batch says nothing about who reads.


def test_a_single_hits_sender_is_its_visitor_and_a_batchs_is_not(salts: Salts) -> None:
    assert pack(salts, LEAN).visitors is not None
    assert pack(salts, LEAN | {"url": "/"}).visitors == pack(salts, LEAN).visitors
    assert pack(salts, [LEAN]).visitors is None
    assert pack(salts, [LEAN | {"url": "/"}]).visitors is None


def test_the_same_sender_is_the_same_visitor_on_one_day_of_one_brand(salts: Salts) -> None:
    once = pack(salts, LEAN).visitors
    assert pack(salts, LEAN, at_ms=NOON_MS + HOUR_MS).visitors == once
    others = [
        pack(salts, LEAN | {"brand": "def"}).visitors,
        pack(salts, LEAN, sender=Sender("203.0.113.8", "Firefox", wants_privacy=False)).visitors,
        pack(salts, LEAN, sender=Sender("203.0.113.7", "Safari", wants_privacy=False)).visitors,
    ]
    assert once not in others


@pytest.mark.parametrize(
    ("at_ms", "has_visitor"),
    [
        (NOON_MS - 36 * HOUR_MS + 1, True),  # The day before began 36 hours before noon.
        (NOON_MS - 36 * HOUR_MS - 1, False),
        (NOON_MS + 300_000, True),
        (NOON_MS + 300_001, False),
        (0, False),
    ],
)
def test_a_hit_of_a_day_without_salt_has_no_visitor(salts: Salts, at_ms: int, has_visitor: bool) -> None:
    at = at_ms or "1970-01-01T00:00:00Z"
    assert (pack(salts, LEAN | {"at": at}).visitors is not None) == has_visitor


def test_who_asks_for_privacy_leaves_no_visitor_not_even_the_brands_own(salts: Salts) -> None:
    private = Sender("203.0.113.7", "Firefox", wants_privacy=True)
    for sent in (LEAN, LEAN | {"visitor": "v"}, [LEAN | {"visitor": "v"}]):
        assert pack(salts, sent, sender=private).visitors is None


def test_hits_without_a_type_are_held_where_the_brand_wants_it(salts: Salts) -> None:
    sent = [LEAN | {"brand": "hold"}, {"brand": "hold", "assetId": 2}, LEAN | {"brand": "hold", "resourceType": ""}]
    assert pack(salts, sent).screened == {1: UNLABELLED, 2: UNLABELLED}
    assert pack(salts, sent[:1]).screened is None
    assert pack(salts, [LEAN | {"resourceType": ""}]).screened is None


def test_hits_of_unknown_brands_are_refused_and_the_others_are_in(salts: Salts) -> None:
    parsed = parse([LEAN, LEAN | {"brand": "nobody"}, LEAN | {"brand": "No!"}, LEAN | {"brand": ""}, LEAN])
    found = Acceptance(BRANDS, salts, shards=1).entries(parsed, request([LEAN]))
    assert [(entry.group, entry.weight) for entry in found] == [("abc", 2)]
    assert sorted((one.index, one.field) for one in parsed.refused) == [(1, "brand"), (2, "brand"), (3, "brand")]


def test_an_id_is_its_brands_own(salts: Salts) -> None:
    ids = [entries(salts, [LEAN | {"brand": brand, "id": "7"}])[0].ids[0][1] for brand in ("abc", "def", "abc")]
    assert ids[0] == ids[2] != ids[1]
    assert len(ids[0]) == 16


def claims(found: list[Entry]) -> list[tuple[bytes, bytes, int]]:
    return [(entry.claim.key, entry.claim.body, entry.claim.part) for entry in found if entry.claim]


def test_all_parts_of_a_request_make_one_claim(salts: Salts) -> None:
    sent = [LEAN | {"assetId": str(number)} for number in range(50)]
    made = claims(entries(salts, sent, key="k", shards=4))
    assert [part for _, _, part in made] == [0, 1, 2, 3]
    assert len({(key, body) for key, body, _ in made}) == 1


def test_a_request_under_a_key_may_share_a_record_if_it_is_one_part(salts: Salts) -> None:
    sent = [LEAN | {"assetId": str(number)} for number in range(50)]
    made = [Acceptance(BRANDS, salts, shards=shards).taken(parse(sent), request(sent, key="k")) for shards in (1, 4)]
    assert [[isinstance(one, Plain) for one in taken] for taken in made] == [[True], [False] * 4]


def test_the_same_key_is_the_same_claim_whatever_the_body_and_whichever_hits_were_refused(salts: Salts) -> None:
    whole = claims(entries(salts, [LEAN], key="k"))[0]
    other = claims(entries(salts, [{"brand": "abc"}, LEAN | {"assetId": "2"}], key="k"))[0]
    assert (other[0], other[2]) == (whole[0], whole[2])
    assert other[1] != whole[1]
    assert claims(entries(salts, [LEAN], key="another"))[0][0] != whole[0]
    assert claims(entries(salts, [LEAN | {"brand": "def"}], key="k"))[0][0] != whole[0]
    assert claims(entries(salts, [LEAN])) == []


@given(
    count=st.integers(1, 40),
    full=st.booleans(),
    shards=st.sampled_from([1, 2, 5]),
    brands=st.sampled_from(["abc", "abcdef"]),
)
@settings(max_examples=40)
def test_splitting_keeps_every_hit_in_its_assets_shard(
    salts: Salts, count: int, full: bool, shards: int, brands: str
) -> None:
    names = ["abc", "def"][: len(brands) // 3]
    sent = [
        LEAN | {"brand": names[n % len(names)], "assetId": f"a{n}"} | ({"url": f"/{n}"} if full else {})
        for n in range(count)
    ]
    seen: list[tuple[str, str, str]] = []
    for entry in entries(salts, sent, shards=shards):
        found = pack_from_record(entry.data)
        assert entry.weight == len(found.keys)
        assert {shard_of(entry.group, key[0], shards=shards) for key in found.keys} == {entry.shard}
        seen += [(entry.group, key[0], found.urls[n] if found.urls else "") for n, key in enumerate(found.keys)]
    assert sorted(seen) == sorted((one["brand"], one["assetId"], one.get("url", "")) for one in sent)


@pytest.mark.parametrize("full", [False, True])
def test_the_longest_hits_stay_under_the_records_limit(salts: Salts, full: bool) -> None:
    longest = {"assetId": "a" * 252, "sectionId": "s" * 64, "paidType": "p" * 64} | (
        {"url": "u" * 2_048, "referrer": "r" * 2_048, "visitor": "v" * 128, "id": "i" * 124, "at": NOON_MS}
        if full
        else {}
    )
    labels = [{"brand": "abc", "resourceType": "r" * 64}, {"brand": "hold", "resourceType": ""}]
    for label in labels:
        sent = [longest | label | {"assetId": f"{n:04}" + "a" * 252} for n in range(4_100 if not full else 410)]
        found = entries(salts, sent)
        assert max(len(entry.data) for entry in found) <= RECORD_BYTES_MAX
        assert len(found) == 3
        assert sum(entry.weight for entry in found) == len(sent)


def singles_of(salts: Salts, *sent: Any, arrived_at_ms: int = NOON_MS) -> list[Single]:
    acceptance = Acceptance(BRANDS, salts, shards=1)
    return [alone_in(acceptance, one, arrived_at_ms=arrived_at_ms) for one in sent]


def alone_in(acceptance: Acceptance, sent: Any, arrived_at_ms: int = NOON_MS) -> Single:
    return acceptance.single(parse_one(json.dumps(sent).encode()), SENDER, arrived_at_ms=arrived_at_ms)


def test_single_hits_of_one_minute_share_a_record_and_keep_what_is_theirs(salts: Salts) -> None:
    first, second = LEAN | {"url": "https://example.org/a"}, LEAN | {"visitor": "reader 7", "assetId": "other"}
    (entry,) = entries_of_singles(singles_of(salts, first, second, LEAN), shards=1)
    assert entry.weight == 3
    packed = pack_from_record(entry.data)
    assert [key[0] for key in packed.keys] == ["1", "other", "1"]
    assert packed.urls == ["https://example.org/a", "", ""]
    assert packed.visitors is not None
    assert packed.visitors[0] == packed.visitors[2] != packed.visitors[1]
    assert packed.at_ms is None


def test_single_hits_that_differ_in_brand_minute_or_time_of_their_own_lie_apart(salts: Salts) -> None:
    singles = [
        *singles_of(salts, LEAN, LEAN | {"brand": "def"}, LEAN | {"at": NOON_MS - 5}),
        *singles_of(salts, LEAN, arrived_at_ms=NOON_MS + 60_000),
    ]
    packs = [(entry.group, pack_from_record(entry.data)) for entry in entries_of_singles(singles, shards=1)]
    assert [(group, pack.arrived_at_ms, pack.at_ms) for group, pack in packs] == [
        ("abc", NOON_MS, None),
        ("def", NOON_MS, None),
        ("abc", NOON_MS, [NOON_MS - 5]),
        ("abc", NOON_MS + 60_000, None),
    ]


def test_single_hits_go_to_the_shards_of_their_assets(salts: Salts) -> None:
    sent = [LEAN | {"assetId": str(number)} for number in range(500)]
    made = entries_of_singles(singles_of(salts, *sent), shards=3)
    packs = [(entry.shard, pack_from_record(entry.data)) for entry in made]
    found = {key[0]: shard for shard, one in packs for key in one.keys}
    assert found == {str(number): shard_of("abc", str(number), shards=3) for number in range(500)}
    assert max(entry.weight for entry in made) <= FULL_HITS_PER_RECORD_MAX


@pytest.mark.parametrize(
    ("at_ms", "verdict"),
    [
        (NOON_MS - 2 * HOUR_MS, None),
        (NOON_MS - 2 * HOUR_MS - 1, "late"),
        (NOON_MS + 60_000, None),
        (NOON_MS + 60_001, "future"),
    ],
)
def test_a_time_is_judged_at_the_door_and_for_good(salts: Salts, at_ms: int, verdict: str | None) -> None:
    strict = Acceptance(BRANDS, salts, shards=1, lateness_ms=2 * HOUR_MS, future_ms=60_000)
    sent = LEAN | {"at": at_ms}
    (alone,) = entries_of_singles([alone_in(strict, sent)], shards=1)
    (batched,) = strict.entries(parse([sent]), request([sent]))
    for entry in (alone, batched):
        judged = pack_from_record(entry.data)
        assert judged.screened == (None if verdict is None else {0: verdict})
        assert judged.trusted
