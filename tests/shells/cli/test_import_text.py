"""The text of a log: the same stretches whatever it is wrapped in, and nothing in it that could stop the reading."""

import bz2
import gzip
import io
from collections.abc import Callable
from pathlib import Path

import pytest
import zstandard
from hypothesis import given
from hypothesis import strategies as st

from footfall.shells.cli.log_text import LINE_BYTES_MAX, LogText, LogUnreadable, Stretch, open_log

TEXT = b"".join(b"line %d\n" % number for number in range(1_000))
CHECKED_ZSTD = zstandard.ZstdCompressor(write_checksum=True).compress(TEXT)
WRAPPED = {
    "plain": TEXT,
    "gzip": gzip.compress(TEXT),
    "gzip of several members": gzip.compress(TEXT[:3_001]) + gzip.compress(TEXT[3_001:]),
    "zstd": zstandard.compress(TEXT),
    "zstd of several frames": zstandard.compress(TEXT[:3_001]) + zstandard.compress(TEXT[3_001:]),
    "bz2": bz2.compress(TEXT),
    "bz2 of several streams": bz2.compress(TEXT[:3_001]) + bz2.compress(TEXT[3_001:]),
}


def text_of(content: bytes) -> LogText:
    """Return content as a log that may be read at any pace."""
    return LogText("-", io.BytesIO(content), size=len(content), is_stopping=lambda: False)


def stretches(text: LogText, most: int = 100) -> list[Stretch]:
    found: list[Stretch] = []
    while (stretch := text.stretch(most)) is not None:
        found.append(stretch)
    last = text.last_line()
    return found if last is None else [*found, last]


@pytest.mark.parametrize("content", WRAPPED.values(), ids=WRAPPED)
def test_a_log_is_the_same_whatever_it_is_wrapped_in(content: bytes) -> None:
    found = stretches(text_of(content))
    assert [line for stretch in found for line in stretch.lines] == TEXT.splitlines()
    assert found[-1].ends == len(TEXT)


@pytest.mark.parametrize("name", ["gzip", "bz2"])
def test_what_comes_before_the_break_of_a_compressed_log_is_read(name: str) -> None:
    content = WRAPPED[name]
    text = text_of(content[: len(content) - 9])
    lines = [line for stretch in stretches(text) for line in stretch.lines]
    assert text.broken == "its compressed data ends early"
    assert lines == TEXT.splitlines()[: len(lines)] or lines[:-1] == TEXT.splitlines()[: len(lines) - 1]


@pytest.mark.parametrize("content", WRAPPED.values(), ids=WRAPPED)
def test_a_log_that_is_whole_is_not_damaged_and_is_read_afterwards(content: bytes) -> None:
    text = text_of(content)
    assert text.damage() == ""
    assert [line for stretch in stretches(text) for line in stretch.lines] == TEXT.splitlines()
    again = text.from_start()
    assert [line for stretch in stretches(again) for line in stretch.lines] == TEXT.splitlines()


def test_zeros_behind_a_gzip_file_are_padding() -> None:
    assert text_of(gzip.compress(TEXT) + b"\0" * 5_000).damage() == ""


@pytest.mark.parametrize("content", [*list(WRAPPED.values())[1:], CHECKED_ZSTD], ids=[*list(WRAPPED)[1:], "checked"])
def test_a_compressed_log_that_ends_early_is_cut_off_wherever_that_is(content: bytes) -> None:
    boundaries = {len(first) for first in map(packed_first, (gzip.compress, zstandard.compress, bz2.compress))}
    for length in (7, len(content) // 3, len(content) // 2, len(content) - 9, len(content) - 1):
        assert length not in boundaries
        assert text_of(content[:length]).damage() == "is cut off: its compressed data ends early"


def packed_first(compress: Callable[[bytes], bytes]) -> bytes:
    """Return the first of several parts, behind which a compressed log is whole."""
    return compress(TEXT[:3_001])


@pytest.mark.parametrize(
    "content",
    [gzip.compress(TEXT), WRAPPED["gzip of several members"], bz2.compress(TEXT), CHECKED_ZSTD],
    ids=["gzip", "gzip members", "bz2", "zstd"],
)
def test_no_byte_of_a_compressed_log_is_changed_unnoticed(content: bytes) -> None:
    # Behind the header, which holds a time and the like that nothing depends on.
    for place in [*range(12, len(content), 97), len(content) - 1]:
        changed = bytearray(content)
        changed[place] ^= 1
        text = text_of(bytes(changed))
        # A header in the midst of members may change and leave the text as it is.
        is_noticed = text.damage() != ""
        assert is_noticed or [line for one in stretches(text) for line in one.lines] == TEXT.splitlines(), place


def test_a_second_part_that_is_none_is_damage() -> None:
    for name in ("gzip", "bz2", "zstd"):
        assert text_of(WRAPPED[name] + b"junk that is none").damage().startswith("is damaged: ")


def test_a_compressed_standard_input_becomes_a_file_that_can_be_checked() -> None:
    text = open_log("-", stdin=io.BytesIO(WRAPPED["gzip"]), is_stopping=lambda: False)
    assert not text.is_live
    assert text.damage() == ""
    assert [line for stretch in stretches(text) for line in stretch.lines] == TEXT.splitlines()
    text.close()
    cut = open_log("-", stdin=io.BytesIO(WRAPPED["zstd"][:-5]), is_stopping=lambda: False)
    assert "is cut off" in cut.damage()
    cut.close()


def test_a_compressed_standard_input_without_end_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("footfall.shells.cli.log_text._SPOOLED_BYTES_MAX", 100)
    with pytest.raises(LogUnreadable, match="more than 100 compressed bytes; save it to a file"):
        open_log("-", stdin=io.BytesIO(WRAPPED["gzip"]), is_stopping=lambda: False)


def test_junk_behind_the_magic_of_a_compressed_log_ends_it() -> None:
    for magic in (b"\x1f\x8b\x08\x00", b"BZh9", b"\x28\xb5\x2f\xfd"):
        text = text_of(magic + b"\xff" * 100)
        assert stretches(text) == []
        assert text.broken


@given(
    st.lists(st.binary(max_size=30).map(lambda line: line.replace(b"\n", b"")), max_size=20),
    st.booleans(),
    st.integers(1, 64),
)
def test_stretches_follow_each_other_and_lose_nothing(lines: list[bytes], ends: bool, most: int) -> None:
    content = b"\n".join(lines) + (b"\n" if ends and lines else b"")
    if content.startswith((b"\x1f\x8b", b"BZh")):
        content = b"x" + content
    found = stretches(text_of(content), most)
    assert [stretch.begins for stretch in found] == [0, *(stretch.ends for stretch in found)][: len(found)]
    assert (found[-1].ends if found else 0) == len(content)
    number = 1
    for stretch in found:
        assert stretch.number == number
        number += len(stretch.lines)
        assert stretch.tail == content[: stretch.ends][-4_096:]
    plain = content.removeprefix(b"\xef\xbb\xbf").replace(b"\r\n", b"\n").split(b"\n")
    expected = plain if plain[-1] else plain[:-1]
    got = [line for stretch in found for line in stretch.lines]
    assert [line.lstrip(b"\0").rstrip(b"\r") for line in got] == [line.lstrip(b"\0").rstrip(b"\r") for line in expected]


def test_a_line_without_end_is_cut_and_the_next_one_is_whole() -> None:
    content = b"a\n" + b"x" * (3 * LINE_BYTES_MAX) + b"\nb\n"
    found = stretches(text_of(content), 1_000)
    lines = [line for stretch in found for line in stretch.lines]
    assert (lines[0], lines[-1]) == (b"a", b"b")
    assert LINE_BYTES_MAX <= len(lines[1]) <= LINE_BYTES_MAX + 1_000
    assert found[-1].ends == len(content)
    assert found[-1].tail == content[-4_096:]


def test_a_hole_at_the_beginning_is_no_line_however_long_it_is() -> None:
    content = b"\0" * 300_000 + b"first\nsecond\n"
    text = text_of(content)
    assert text.sample(1_000) == [b"first", b"second"]
    lines = [line for stretch in stretches(text, 10_000) for line in stretch.lines]
    assert lines == [b"first", b"second"]
    assert text.offset == len(content)


@pytest.mark.parametrize("content", WRAPPED.values(), ids=WRAPPED)
def test_a_place_is_found_again_with_the_text_before_it(content: bytes) -> None:
    places = stretches(text_of(content), 777)
    for place in places[::3]:
        text = text_of(content)
        assert text.skip(place.ends, lambda _: None) == place.tail
        assert text.number == place.number + len(place.lines)
        rest = [line for stretch in stretches(text) for line in stretch.lines]
        assert rest == TEXT[place.ends :].splitlines()


def test_a_place_behind_an_unfinished_last_line_is_found_when_the_line_has_its_end() -> None:
    whole = text_of(b"a\nb")
    first, last = stretches(whole)
    assert (first.ends, last.ends) == (2, 3)
    grown = text_of(b"a\nb\nc\n")
    assert grown.skip(3, lambda _: None) == last.tail
    assert [line for stretch in stretches(grown) for line in stretch.lines] == [b"", b"c"]


def test_a_place_beyond_the_end_is_not_found() -> None:
    assert text_of(b"a\nb\n").skip(100, lambda _: None) is None


def test_header_lines_that_are_skipped_are_shown() -> None:
    seen: list[bytes] = []
    text_of(b"#Fields: a\nx\n#Fields: b\r\ny\nz\n").skip(26, seen.extend)
    assert seen == [b"#Fields: a", b"#Fields: b"]


def test_a_sample_is_read_again_afterwards() -> None:
    text = text_of(b"a\nb\nc")
    assert text.sample(100) == [b"a", b"b"]
    assert text.sample(4) == [b"a", b"b"]
    assert [line for stretch in stretches(text) for line in stretch.lines] == [b"a", b"b", b"c"]


def test_a_log_that_cannot_be_opened_is_named(tmp_path: Path) -> None:
    with pytest.raises(LogUnreadable, match=r"missing\.log cannot be read: No such file"):
        open_log(str(tmp_path / "missing.log"), stdin=io.BytesIO(), is_stopping=lambda: False)
    with pytest.raises(LogUnreadable, match="Is a directory"):
        open_log(str(tmp_path), stdin=io.BytesIO(), is_stopping=lambda: False)
