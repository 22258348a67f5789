"""Records that have no hit of a span are passed over when they are looked for again, and no others are."""

from hypothesis import given
from hypothesis import strategies as st

from footfall.flow.count.skipping import Skipping
from footfall.flow.stream.records import RULES, VERSION, Pack, record_from_pack
from footfall.ports.stream import Record

KEY = ("1", "news", "article", "free")
moments = st.integers(0, 50)


def record_of(sequence: int, at_ms: int, brand: str) -> Record:
    pack = Pack(VERSION, RULES, at_ms, [KEY])
    return Record(sequence, brand, 1, record_from_pack(pack), at_ms)


@given(st.lists(st.tuples(moments, st.sampled_from(["abc", "xyz"])), max_size=20), moments, moments, st.integers(1, 5))
def test_every_record_of_the_span_is_found_at_the_second_time_too(
    sent: list[tuple[int, str]], start: int, end: int, limit: int
) -> None:
    records = [record_of(number, *one) for number, one in enumerate(sent, 1)]
    skipping, through = Skipping("abc"), len(records)

    def found(span: tuple[int, int]) -> tuple[list[int], int]:
        after, reads, seen = 0, 0, list[int]()
        while (after := skipping.place(0, after, through=through, span=span)) < through:
            some = records[after : after + limit]
            seen += [one.sequence for one in skipping.within(0, after, some, span)]
            after, reads = some[-1].sequence, reads + 1
        return seen, reads

    expected = [one.sequence for one in records if one.group == "abc" and start <= one.arrived_at_ms < end]
    assert found((start, end))[0] == expected
    assert found((start, end))[0] == expected
    assert found((100, 200)) == ([], 0)
