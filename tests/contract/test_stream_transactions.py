"""What a stream with transactions promises on top: numbers at once, ids, claims and marks, and trimming."""

from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest
from msgspec import structs

from footfall.ports.errors import TooLarge
from footfall.ports.stream import RECORD_BYTES_MAX, Appended, ClaimKnown, Entry, Mark, Stream
from tests.contract.streams import ID_MS, TRANSACTIONAL, Made, claim, entry, everything, id_of

NewStream = Callable[[int], Made]


@pytest.fixture(params=list(TRANSACTIONAL))
def new_stream(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[NewStream]:
    with ExitStack() as opened:
        yield lambda shards: opened.enter_context(TRANSACTIONAL[request.param](request, tmp_path, shards))


@pytest.fixture
def made(new_stream: NewStream) -> Made:
    return new_stream(1)


@pytest.fixture
def stream(made: Made) -> Stream:
    return made.stream


def test_an_append_says_which_numbers_its_entries_got(stream: Stream) -> None:
    done = [appended for _ in range(5) for appended in stream.append([entry(), entry()])]
    assert [appended.sequence for appended in done] == [record.sequence for record in everything(stream)]
    assert stream.tip(0) == done[-1].sequence


def test_a_reader_beside_the_writer_sees_what_was_trimmed(new_stream: NewStream) -> None:
    made = new_stream(2)
    with made.open_reader() as reader:
        for _ in range(20):
            made.stream.append([entry(shard=1)])
        made.stream.trim(1, through=10)
        assert len(everything(reader, 1)) == 10
        assert reader.kept_since_ms() == made.stream.kept_since_ms()


def test_trimmed_records_are_gone_and_the_rest_stays_as_it_was(stream: Stream) -> None:
    for n in range(1, 7):
        stream.append([entry(b"%d" % n, at_ms=n * 10)])
    before = stream.read(0, after=0)
    stream.trim(0, through=before[2].sequence)
    assert stream.read(0, after=0) == before[3:]
    assert stream.kept_since_ms() == 31
    assert stream.tip(0) == before[-1].sequence
    (done,) = stream.append([entry(b"7", at_ms=70)])
    assert done.sequence > before[-1].sequence


def test_every_record_since_kept_since_is_there_even_when_arrivals_are_out_of_order(stream: Stream) -> None:
    for at_ms in (30, 10, 20, 25, 40):
        stream.append([entry(at_ms=at_ms)])
    stream.trim(0, through=stream.read(0, after=0)[2].sequence)
    since_ms = stream.kept_since_ms()
    assert since_ms > 30
    assert [r.arrived_at_ms for r in stream.read(0, after=0) if r.arrived_at_ms >= since_ms] == [40]


def test_an_emptied_stream_goes_on_counting(stream: Stream) -> None:
    stream.append([entry(at_ms=5), entry(at_ms=6)])
    stream.trim(0, through=stream.tip(0))
    stream.trim(0, through=stream.tip(0))
    assert (stream.read(0, after=0), stream.tip(0), stream.kept_since_ms()) == ([], 2, 7)
    assert stream.sequence_at(0, arrived_at_ms=0) == 2
    assert stream.append([entry()])[0].sequence == 3


def with_ids(*ids: str, data: bytes = b"x") -> Entry:
    return structs.replace(entry(data), weight=len(ids), ids=tuple((n, id_of(id_)) for n, id_ in enumerate(ids) if id_))


def test_an_id_that_comes_again_is_named_in_the_record(stream: Stream) -> None:
    first, second = stream.append([with_ids("a", "", "b", "a"), with_ids("c", "b")])
    (third,) = stream.append([with_ids("d", "c", "a")])
    assert (first.repeats, second.repeats, third.repeats) == ((3,), (1,), (1, 2))
    assert [record.repeats for record in stream.read(0, after=0)] == [(3,), (1,), (1, 2)]
    assert not any(record.repeated for record in stream.read(0, after=0))


def test_an_id_is_known_for_its_keeping_time_and_new_after_it(made: Made) -> None:
    stream = made.stream
    stream.append([with_ids("a")])
    made.clock.advance(ID_MS)
    assert stream.append([with_ids("a")])[0].repeats == (0,)
    made.clock.advance(1)
    assert stream.append([with_ids("a")])[0].repeats == ()
    made.clock.advance(ID_MS)
    assert stream.append([with_ids("a")])[0].repeats == (0,)


def test_ids_are_known_across_days_whenever_they_came(made: Made) -> None:
    for step in range(40):
        assert made.stream.append([with_ids(f"id {step}")])[0].repeats == ()
        made.clock.advance(ID_MS // 7)
        assert made.stream.append([with_ids(f"id {max(step - 6, 0)}")])[0].repeats == (0,)


def test_an_id_is_known_when_the_clock_was_set_back(made: Made) -> None:
    made.clock.set(ID_MS * 20_000 + 1)
    made.stream.append([with_ids("a")])
    made.clock.advance(-2)
    assert made.stream.append([with_ids("a")])[0].repeats == (0,)


def test_the_same_claim_with_the_same_body_is_stored_as_repeated(stream: Stream) -> None:
    one = structs.replace(entry(b"1"), claim=claim("k", "body"))
    (first,) = stream.append([one])
    (again,) = stream.append([one])
    assert (first.repeated, again.repeated, again.is_refused) == (False, True, False)
    assert [record.repeated for record in stream.read(0, after=0)] == [False, True]


def test_the_same_claim_with_another_body_is_refused_and_its_neighbours_are_stored(stream: Stream) -> None:
    stream.append([structs.replace(entry(b"1"), claim=claim("k", "body"))])
    other = structs.replace(with_ids("i", data=b"other"), claim=claim("k", "other body"))
    done = stream.append([entry(b"before"), other, entry(b"after")])
    assert [appended.is_refused for appended in done] == [False, True, False]
    assert [record.data for record in stream.read(0, after=0)] == [b"1", b"before", b"after"]
    assert stream.appended() == {"abc": 3}
    assert stream.append([with_ids("i")])[0].repeats == ()


def test_claims_are_told_apart_within_one_append(stream: Stream) -> None:
    done = stream.append(
        [
            structs.replace(entry(b"1"), claim=claim("k", "x")),
            structs.replace(entry(b"2"), claim=claim("k", "x")),
            structs.replace(entry(b"3"), claim=claim("k", "y")),
            structs.replace(entry(b"4"), claim=claim("m", "x")),
        ]
    )
    assert [(d.repeated, d.is_refused) for d in done] == [(False, False), (True, False), (False, True), (False, False)]


def test_a_claim_that_has_had_its_time_may_be_made_anew_and_is_known_again(made: Made) -> None:
    stream = made.stream
    for body in ("one", "two", "three"):
        (first,) = stream.append([structs.replace(entry(), claim=claim("k", body))])
        made.clock.advance(ID_MS // 2)
        (again,) = stream.append([structs.replace(entry(), claim=claim("k", body))])
        (other,) = stream.append([structs.replace(entry(), claim=claim("k", "another"))])
        assert (first.repeated, first.is_refused, again.repeated, other.is_refused) == (False, False, True, True)
        made.clock.advance(ID_MS + 1)


def test_the_parts_of_one_act_are_taken_or_refused_together(new_stream: NewStream) -> None:
    stream = new_stream(2).stream

    def parts(body: str, count: int) -> list[Appended]:
        return stream.append([structs.replace(entry(shard=n % 2), claim=claim("k", body, n)) for n in range(count)])

    assert [(d.repeated, d.is_refused) for d in parts("body", 3)] == [(False, False)] * 3
    assert [(d.repeated, d.is_refused) for d in parts("body", 3)] == [(True, False)] * 3
    assert [d.is_refused for d in parts("longer", 4)] == [True] * 4
    assert [d.is_refused for d in parts("shorter", 1)] == [True]
    assert stream.appended() == {"abc": 6}


def shared(*keys: str, data: bytes = b"of several") -> Entry:
    return structs.replace(entry(data), shared=tuple(claim(key, f"body of {key}") for key in keys))


def test_acts_that_share_an_entry_are_each_known_afterwards(stream: Stream) -> None:
    (done,) = stream.append([shared("a", "b", "c")])
    assert (done.sequence, done.repeated, done.repeats) == (stream.tip(0), False, ())
    again = stream.append([structs.replace(entry(), claim=claim(key, f"body of {key}")) for key in "abc"])
    assert [(one.repeated, one.is_refused) for one in again] == [(True, False)] * 3
    (other,) = stream.append([structs.replace(entry(), claim=claim("b", "another"))])
    assert other.is_refused


@pytest.mark.parametrize("known", [("before", "new"), ("new", "before"), ("new", "new")], ids="-".join)
def test_nothing_of_an_append_is_stored_when_a_claim_that_shares_an_entry_is_known(
    stream: Stream, known: tuple[str, ...]
) -> None:
    stream.append([structs.replace(entry(b"1"), claim=claim("before", "body of before"))])
    with pytest.raises(ClaimKnown):
        stream.append([with_ids("i", data=b"2"), shared("yet another"), shared(*known)])
    assert [record.data for record in everything(stream)] == [b"1"]
    assert stream.appended() == {"abc": 1}
    done = stream.append([with_ids("i", data=b"2"), shared("yet another"), shared("new")])
    assert [(one.sequence > 0, one.repeats, one.repeated) for one in done] == [(True, (), False)] * 3


def test_a_claim_that_shared_an_entry_may_be_made_anew_when_it_has_had_its_time(made: Made) -> None:
    for _ in range(4):
        made.stream.append([shared("a", "b")])
        made.clock.advance(ID_MS)
        with pytest.raises(ClaimKnown):
            made.stream.append([shared("b", "c")])
        made.clock.advance(1)


def marked(begins: int, ends: int, data: bytes = b"x", *, part: int = 0, log: str = "log") -> Entry:
    return structs.replace(entry(data, weight=len(data)), mark=Mark(id_of(log), begins, ends, part))


def test_a_mark_moves_with_what_is_stored_and_stays_there(made: Made) -> None:
    stream = made.stream
    assert stream.mark(id_of("log")) == 0
    assert stream.append([marked(0, 100)])[0].sequence == 1
    made.clock.advance(400 * ID_MS)
    assert (stream.mark(id_of("log")), stream.mark(id_of("other"))) == (100, 0)
    with made.open_reader() as reader:
        assert reader.mark(id_of("log")) == 100


def test_what_a_mark_has_passed_is_not_stored_again(stream: Stream) -> None:
    stream.append([marked(0, 100, b"one"), marked(100, 250, b"two")])
    again = stream.append([marked(0, 100, b"one"), marked(100, 250, b"two"), marked(250, 300, b"three")])
    assert [(one.is_refused, one.repeated) for one in again] == [(False, True), (False, True), (False, False)]
    assert [record.data for record in everything(stream)] == [b"one", b"two", b"three"]
    assert (stream.appended(), stream.mark(id_of("log"))) == ({"abc": 11}, 300)


@pytest.mark.parametrize(("begins", "ends"), [(50, 150), (101, 200), (0, 101)])
def test_what_does_not_follow_a_mark_is_refused_and_its_neighbours_are_stored(
    stream: Stream, begins: int, ends: int
) -> None:
    stream.append([marked(0, 100)])
    done = stream.append([entry(b"a"), marked(begins, ends, b"no"), marked(0, 7, b"b", log="other")])
    assert [one.is_refused for one in done] == [False, True, False]
    assert [record.data for record in everything(stream)] == [b"x", b"a", b"b"]
    assert stream.mark(id_of("log")) == 100


def test_the_parts_of_one_stretch_are_stored_once_even_when_it_comes_twice_in_one_append(
    new_stream: NewStream,
) -> None:
    stream = new_stream(2).stream
    parts = [structs.replace(marked(0, 9, b"%d" % part, part=part), shard=part % 2) for part in range(3)]
    done = stream.append([*parts, *parts])
    assert [one.repeated for one in done] == [False] * 3 + [True] * 3
    assert stream.append([*parts])[2].repeated
    assert sorted(record.data for shard in (0, 1) for record in everything(stream, shard)) == [b"0", b"1", b"2"]


def test_a_stretch_without_hits_moves_its_mark_and_stores_nothing(stream: Stream) -> None:
    (done,) = stream.append([marked(0, 1_000, b"")])
    assert not done.is_refused
    assert (stream.mark(id_of("log")), stream.tip(0), stream.appended()) == (1_000, 0, {})
    assert stream.append([marked(500, 2_000, b"")])[0].is_refused


def test_an_append_that_fails_leaves_its_marks_where_they_were(stream: Stream) -> None:
    with pytest.raises(TooLarge):
        stream.append([marked(0, 100), entry(b"x" * (RECORD_BYTES_MAX + 1))])
    assert stream.mark(id_of("log")) == 0
