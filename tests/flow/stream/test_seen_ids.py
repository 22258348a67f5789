"""Seen ids: the first one counts, the position decides, and a record that is read again is no repeat of itself."""

from hashlib import blake2b

import pytest
from hypothesis import given
from hypothesis import strategies as st

from footfall.flow.stream.seen_ids import BLOCK_IDS_MAX, HOUR_MS, KEPT_HOURS, SeenIds, Verdict
from footfall.ports.errors import Corrupt
from footfall.ports.stream import Claim, Record

NOON_MS = 1_794_744_000_000


def id_of(text: str) -> bytes:
    return blake2b(text.encode(), digest_size=16).digest()


def record(sequence: int, *ids: str, at_ms: int = NOON_MS, claim: Claim | None = None) -> Record:
    named = tuple((place, id_of(id_)) for place, id_ in enumerate(ids) if id_)
    return Record(sequence, "abc", len(ids), b"", at_ms, ids=named, claim=claim)


def test_the_first_of_an_id_is_no_repeat_and_every_other_is() -> None:
    seen = SeenIds()
    assert seen.verdict(record(1, "a", "", "b", "a")) == Verdict(repeats=(3,))
    assert seen.verdict(record(2, "b", "c")) == Verdict(repeats=(0,))


RECORDS = st.lists(
    st.tuples(st.lists(st.sampled_from("abcdef"), max_size=3), st.integers(0, 30), st.sampled_from(["", "k", "m"])),
    max_size=25,
)


@given(histories=RECORDS, cuts=st.sets(st.integers(0, 25)), start=st.integers(0, 25))
def test_reading_again_from_anywhere_with_what_was_stored_decides_the_same(
    histories: list[tuple[list[str], int, str]], cuts: set[int], start: int
) -> None:
    records = [
        record(n, *ids, at_ms=NOON_MS + hour * HOUR_MS, claim=Claim(id_of(key), id_of(str(ids)), 0) if key else None)
        for n, (ids, hour, key) in enumerate(histories, 1)
    ]
    seen, stored, verdicts = SeenIds(), dict[int, list[bytes]](), list[Verdict]()
    for n, one in enumerate(records):
        verdicts.append(seen.verdict(one))
        if n in cuts:
            for hour, blocks in seen.fresh_blocks().items():
                stored.setdefault(hour, []).extend(blocks)
            seen = SeenIds(stored)
    for hour, blocks in seen.fresh_blocks().items():
        stored.setdefault(hour, []).extend(blocks)
    again = SeenIds(stored)
    assert [again.verdict(one) for one in records[start:]] == verdicts[start:]
    assert again.fresh_blocks() == {}


def test_an_id_is_known_for_a_day_of_arrival_and_new_after_it() -> None:
    seen = SeenIds()
    day_ms = KEPT_HOURS * HOUR_MS
    assert seen.verdict(record(1, "a")).repeats == ()
    assert seen.verdict(record(2, "a", at_ms=NOON_MS + day_ms)).repeats == (0,)
    assert seen.verdict(record(3, "a", at_ms=NOON_MS + day_ms + HOUR_MS)).repeats == ()
    seen.fresh_blocks()
    seen.forget(arrived_at_ms=NOON_MS + day_ms + HOUR_MS)
    assert len(seen) == 1


def test_an_act_that_comes_again_is_repeated_and_its_key_with_other_hits_is_told() -> None:
    seen = SeenIds()
    one, other = Claim(id_of("k"), id_of("body"), 0), Claim(id_of("k"), id_of("other"), 0)
    assert seen.verdict(record(1, "x", claim=one)) == Verdict()
    assert seen.verdict(record(2, "x", claim=one)) == Verdict(repeated=True)
    assert seen.verdict(record(3, "y", claim=other)) == Verdict(is_key_reused=True)
    assert seen.verdict(record(4, claim=Claim(one.key, one.body, 1))) == Verdict()
    assert seen.verdict(record(1, "x", claim=one)) == Verdict()


def test_many_ids_make_few_blocks_that_an_item_can_hold() -> None:
    seen = SeenIds()
    for n in range(10):
        seen.verdict(record(n + 1, *(f"{n}.{place}" for place in range(2_000))))
    ((blocks),) = seen.fresh_blocks().values()
    assert len(blocks) == -(-20_000 // BLOCK_IDS_MAX)
    assert max(map(len, blocks)) < 350_000
    assert sum(map(len, blocks)) / 20_000 < 27
    assert SeenIds({NOON_MS // HOUR_MS: blocks}).verdict(record(11, "3.1999", "new")) == Verdict(repeats=(0,))


@pytest.mark.parametrize("at", [0, 3, 5, 20, -1])
def test_a_damaged_block_is_corrupt(at: int) -> None:
    seen = SeenIds()
    seen.verdict(record(1, "a"))
    ((block,),) = seen.fresh_blocks().values()
    damaged = bytearray(block)
    damaged[at] ^= 1
    with pytest.raises(Corrupt):
        SeenIds({0: [bytes(damaged)]})
