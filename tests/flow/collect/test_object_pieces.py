"""What stands in an object of another pipeline, however its writer put the hits one after another."""

import gzip

import pytest
import zstandard

from footfall.flow.collect.object_pieces import pieces_of_object, text_of_object
from footfall.values.errors import Refused

ONE, TWO = b'{"assetId":1,"brand":"abc"}', b'{"assetId":2,"url":"}{","brand":"abc"}'


@pytest.mark.parametrize(
    "text",
    [
        ONE + b"\n" + TWO + b"\n",
        ONE + b"\r\n\r\n" + TWO,
        ONE + TWO,
        ONE + b" " + TWO,
        b"\n\n" + ONE + TWO + b"\n",
        b"[" + ONE + b"," + TWO + b"]",
        b"[" + ONE + b"]\n[" + TWO + b"]",
        b"[" + ONE + b"][" + TWO + b"]",
        b"[\n  " + ONE + b",\n  " + TWO + b"\n]\n",
        ONE + b"," + TWO,
    ],
)
def test_the_same_hits_are_found_however_they_are_put_together(text: bytes) -> None:
    assert pieces_of_object(text) == [ONE, TWO]


def test_an_object_over_several_lines_is_one_piece() -> None:
    spread = b'{\n  "assetId": 1\n}\n{\n  "assetId": 2\n}\n'
    assert pieces_of_object(spread) == [b'{\n  "assetId": 1\n}', b'{\n  "assetId": 2\n}']


def test_what_is_broken_is_a_piece_of_its_own_and_breaks_nothing_else() -> None:
    text = b"\n".join([ONE, b'{"assetId": ', b"not json", b'"text"', TWO])
    assert pieces_of_object(text) == [ONE, b'{"assetId":', b"not json", b'"text"', TWO]
    assert pieces_of_object(ONE + b"oops" + TWO) == [ONE, b"oops", TWO]


@pytest.mark.parametrize("text", [b"", b"\n \n", b"[]"])
def test_an_object_may_be_empty(text: bytes) -> None:
    assert pieces_of_object(text) == []


def test_a_body_that_only_opens_takes_no_time() -> None:
    assert len(pieces_of_object(b"[" * 200_000)) == 1


def test_compression_is_told_by_the_first_bytes() -> None:
    for data in (ONE, gzip.compress(ONE), zstandard.compress(ONE), gzip.compress(ONE[:9]) + gzip.compress(ONE[9:])):
        assert text_of_object(data) == ONE


@pytest.mark.parametrize(("data", "says"), [(b"PK\x03\x04...", "is zip"), (b"PAR1...", "is Parquet")])
def test_other_formats_are_refused_by_name(data: bytes, says: str) -> None:
    with pytest.raises(Refused, match=says):
        text_of_object(data)


def test_a_file_that_is_cut_off_is_refused() -> None:
    with pytest.raises(Refused, match="cut off"):
        text_of_object(gzip.compress(ONE)[:-9])
