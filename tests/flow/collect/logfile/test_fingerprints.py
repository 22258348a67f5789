"""A log is known by its first lines and its place by the text before it."""

from hypothesis import given
from hypothesis import strategies as st

from footfall.flow.collect.logfile.fingerprints import OFFSET_MAX, fingerprints, is_at, is_data, mark_at, offset_of


def test_a_log_keeps_its_first_name_as_it_grows() -> None:
    short, long = list(fingerprints([b"a"])), list(fingerprints([b"a", b"b", b"c", b"d"]))
    assert [len(name) for name in long] == [16, 16, 16]
    assert short == long[:1]
    assert len(set(long)) == 3


def test_line_ends_do_not_change_a_name() -> None:
    assert list(fingerprints([b"a\r"])) == list(fingerprints([b"a"]))


def test_header_lines_and_holes_are_no_data() -> None:
    assert [is_data(line) for line in (b"#Fields: date", b"", b"\r", b"\0\0", b"x")] == [False] * 4 + [True]


@given(st.integers(1, OFFSET_MAX), st.binary(max_size=5_000))
def test_a_mark_tells_its_place_and_its_text_and_fits_into_64_bits(offset: int, tail: bytes) -> None:
    mark = mark_at(offset, tail)
    assert 0 < mark < 2**63
    assert offset_of(mark) == offset
    assert is_at(mark, tail)


@given(st.integers(0, OFFSET_MAX), st.integers(0, OFFSET_MAX), st.binary(), st.binary())
def test_a_later_place_has_a_larger_mark(one: int, other: int, text: bytes, other_text: bytes) -> None:
    if one < other:
        assert mark_at(one, text) < mark_at(other, other_text)


def test_another_text_is_not_at_the_mark() -> None:
    assert not is_at(mark_at(100, b"one line\n"), b"another\n")
    assert mark_at(0, b"") == 0
