"""Seen ids: the first one counts, the position decides, and a record that is read again is no repeat of itself."""

from hashlib import blake2b

import pytest
from hypothesis import given
from hypothesis import strategies as st

from footfall.flow.stream import seen_ids
from footfall.flow.stream.seen_ids import BLOCK_IDS_MAX, HOUR_MS, KEPT_HOURS, SeenIds, Verdict
from footfall.ports.errors import Corrupt
from footfall.ports.stream import Claim, Record

NOON_MS = 1_794_744_000_000
NOON = NOON_MS // HOUR_MS


def id_of(text: str) -> bytes:
    return blake2b(text.encode(), digest_size=16).digest()


def record(sequence: int, *ids: str, at_ms: int = NOON_MS, claim: Claim | None = None) -> Record:
    named = tuple((place, id_of(id_)) for place, id_ in enumerate(ids) if id_)
    return Record(sequence, "abc", len(ids), b"", at_ms, ids=named, claim=claim)


def verdict(seen: SeenIds, one: Record) -> Verdict:
    (found,) = seen.verdicts([one])
    return found


def resumed(stored: dict[int, list[bytes]], through: int) -> SeenIds:
    seen = SeenIds()
    for hour, blocks in stored.items():
        for block in blocks:
            seen.load(hour, block, through=through)
    return seen


def keep(seen: SeenIds, stored: dict[int, list[bytes]], through: int) -> None:
    for hour, blocks in seen.fresh_blocks(through=through).items():
        stored.setdefault(hour, []).extend(blocks)


def test_the_first_of_an_id_is_no_repeat_and_every_other_is() -> None:
    seen = SeenIds()
    assert seen.verdicts([record(1, "a", "", "b", "a"), record(2, "b", "c")]) == [
        Verdict(repeats=(3,)),
        Verdict(repeats=(0,)),
    ]


RECORDS = st.lists(
    st.tuples(st.lists(st.sampled_from("abcdef"), max_size=3), st.integers(0, 30), st.sampled_from(["", "k", "m"])),
    max_size=25,
)


@given(histories=RECORDS, cuts=st.sets(st.integers(0, 25)), start=st.integers(0, 25), together=st.integers(1, 6))
def test_reading_again_from_any_checkpoint_with_what_was_stored_decides_the_same(
    histories: list[tuple[list[str], int, str]], cuts: set[int], start: int, together: int
) -> None:
    records = [
        record(n, *ids, at_ms=NOON_MS + hour * HOUR_MS, claim=Claim(id_of(key), id_of(str(ids)), 0) if key else None)
        for n, (ids, hour, key) in enumerate(histories, 1)
    ]
    seen, stored, verdicts = SeenIds(), dict[int, list[bytes]](), list[Verdict]()
    for one in records:
        verdicts.append(verdict(seen, one))
        if one.sequence in cuts:
            keep(seen, stored, one.sequence)
            seen = resumed(stored, one.sequence)
    keep(seen, stored, len(records))
    assert verdicts == plainly(records)
    # What was stored beyond the checkpoint, by a flush that was cut short or by a rival, decides nothing.
    again, found = resumed(stored, start), list[Verdict]()
    for begin in range(start, len(records), together):
        found += again.verdicts(records[begin : begin + together])
    assert found == verdicts[start:]


def plainly(records: list[Record]) -> list[Verdict]:
    """Return what ought to be decided, by looking at all that came before."""
    known: dict[bytes, list[int]] = {}
    found: list[Verdict] = []

    def is_first(id_: bytes, hour: int) -> bool:
        if any(before >= hour - KEPT_HOURS for before in known.get(id_, ())):
            return False
        known.setdefault(id_, []).append(hour)
        return True

    for one in records:
        hour = one.arrived_at_ms // HOUR_MS
        if one.claim is not None:
            key, act = seen_ids.claim_ids(one.claim)
            if not is_first(act, hour):
                found.append(Verdict(repeated=True))
                continue
            if not is_first(key, hour):
                found.append(Verdict(is_key_reused=True))
                continue
        found.append(Verdict(repeats=tuple(place for place, id_ in one.ids if not is_first(id_, hour))))
    return found


def test_records_that_are_settled_again_before_they_are_kept_are_decided_the_same() -> None:
    seen = SeenIds()
    records = [record(1, "a", "b"), record(2, "b"), record(3, "c", "c")]
    first = seen.verdicts(records)
    assert len(seen.fresh_blocks(through=1)) == 1
    assert seen.verdicts(records[1:]) == first[1:]
    stored: dict[int, list[bytes]] = {}
    keep(seen, stored, 3)
    assert [len(block) for block in stored[NOON]] == [12 + 26]  # "c" alone: the others were stored or were repeats.


def test_an_id_is_known_for_a_day_of_arrival_and_new_after_it() -> None:
    seen = SeenIds()
    day_ms = KEPT_HOURS * HOUR_MS
    assert verdict(seen, record(1, "a")).repeats == ()
    seen.fresh_blocks(through=1)
    assert verdict(seen, record(2, "a", at_ms=NOON_MS + day_ms)).repeats == (0,)
    assert verdict(seen, record(3, "a", at_ms=NOON_MS + day_ms + HOUR_MS)).repeats == ()
    seen.fresh_blocks(through=3)
    seen.forget(arrived_at_ms=NOON_MS + day_ms + HOUR_MS)
    assert len(seen) == 2  # A clock that is an hour behind may still ask.
    seen.forget(arrived_at_ms=NOON_MS + day_ms + 2 * HOUR_MS)
    assert len(seen) == 1


def test_an_act_that_comes_again_is_repeated_and_its_key_with_other_hits_is_told() -> None:
    seen = SeenIds()
    one, other = Claim(id_of("k"), id_of("body"), 0), Claim(id_of("k"), id_of("other"), 0)
    assert verdict(seen, record(1, "x", claim=one)) == Verdict()
    assert verdict(seen, record(2, "x", claim=one)) == Verdict(repeated=True)
    assert verdict(seen, record(3, "y", claim=other)) == Verdict(is_key_reused=True)
    assert verdict(seen, record(4, claim=Claim(one.key, one.body, 1))) == Verdict()
    assert verdict(seen, record(1, "x", claim=one)) == Verdict()


def test_many_ids_make_few_blocks_that_an_item_can_hold() -> None:
    seen = SeenIds()
    seen.verdicts([record(n + 1, *(f"{n}.{place}" for place in range(2_000))) for n in range(10)])
    ((blocks),) = seen.fresh_blocks(through=10).values()
    assert len(blocks) == -(-20_000 // BLOCK_IDS_MAX)
    assert max(map(len, blocks)) < 350_000
    assert sum(map(len, blocks)) / 20_000 < 27
    assert verdict(resumed({NOON: blocks}, 10), record(11, "3.1999", "new")) == Verdict(repeats=(0,))


def test_the_blocks_of_an_hour_are_joined_and_every_id_is_found() -> None:
    seen, stored = SeenIds(), dict[int, list[bytes]]()
    for n in range(1, 61):  # An hour of flushes, a minute apart.
        seen.verdicts([record(n, *(f"{n}.{place}" for place in range(20)))])
        keep(seen, stored, n)
    assert len(stored[NOON]) == 60
    for known in (seen, resumed(stored, 60)):
        asked = [record(61, *(f"{n}.{place}" for n in range(1, 62) for place in range(20)))]
        assert known.verdicts(asked) == [Verdict(repeats=tuple(range(1_200)))]
        assert len(known._runs[NOON]) <= seen_ids.RUNS_APART_MAX
        assert len(known) == 1_220


def test_ids_that_share_their_first_half_are_told_apart() -> None:
    seen = SeenIds()
    alike = [b"12345678" + bytes([0] * 7 + [n]) for n in range(5)]
    seen.verdicts([Record(1, "abc", 4, b"", NOON_MS, ids=tuple(enumerate(alike[:4])))])
    seen.fresh_blocks(through=1)
    assert verdict(seen, Record(2, "abc", 5, b"", NOON_MS, ids=tuple(enumerate(alike)))).repeats == (0, 1, 2, 3)


def test_memory_is_bounded_by_forgetting_the_oldest_first() -> None:
    seen = SeenIds(ids_max=50)
    for n in range(1, 11):
        seen.verdicts([record(n, *(f"{n}.{place}" for place in range(10)), at_ms=NOON_MS + n // 4 * HOUR_MS)])
        seen.fresh_blocks(through=n)
    assert (30 <= len(seen) <= 50, len(seen) + seen.forgotten) == (True, 100)
    assert verdict(seen, record(11, "10.1", "9.1", "1.1", "3.1", at_ms=NOON_MS + 3 * HOUR_MS)).repeats == (0, 1)


@pytest.mark.parametrize("at", [0, 3, 5, 20, -1])
def test_a_damaged_block_is_corrupt(at: int) -> None:
    seen = SeenIds()
    seen.verdicts([record(1, "a")])
    ((block,),) = seen.fresh_blocks(through=1).values()
    damaged = bytearray(block)
    damaged[at] ^= 1
    with pytest.raises(Corrupt):
        SeenIds().load(0, bytes(damaged), through=1)
