"""Which records may have hits of a span, told without unpacking them."""

from hypothesis import given
from hypothesis import strategies as st

from footfall.flow.stream.record_times import ALWAYS, span_of_record
from footfall.flow.stream.records import RULES, VERSION, Pack, ReplayPack, record_from_pack

KEY = ("1", "news", "article", "free")
moments = st.integers(0, 100) | st.integers(1_794_700_800_000, 1_794_700_800_100)


@given(moments, st.none() | st.lists(moments, min_size=1, max_size=5))
def test_a_record_tells_its_first_and_its_last_time(arrived: int, at_ms: list[int] | None) -> None:
    count = 1 if at_ms is None else len(at_ms)
    data = record_from_pack(Pack(VERSION, RULES, arrived, [KEY] * count, at_ms=at_ms, visitors=[b"v" * 8] * count))
    times = [arrived] if at_ms is None else at_ms
    assert span_of_record(data) == (min(times), max(times))


def test_what_comes_again_and_what_nobody_can_read_is_always_looked_at() -> None:
    again = ReplayPack(VERSION, RULES, 5, [KEY], replays=(3, "late"), places=[0])
    assert span_of_record(record_from_pack(again)) == ALWAYS
    assert span_of_record(b"not a record") == ALWAYS
