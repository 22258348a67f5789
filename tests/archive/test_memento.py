"""Moments, TimeGates and TimeMaps, as RFC 7089 and other archives have them."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from footfall.archive.memento import (
    Around,
    Places,
    digits_of,
    header_date,
    link_header,
    moment_from_header,
    span_of,
    time_map,
)
from footfall.archive.stored import Line
from footfall.values.errors import Refused

SECOND = 1_000_000
NOON = 1_794_916_800 * SECOND  # 2026-11-17 12:00:00
PLACES = Places("http://site/a?x=1", "http://us/timegate/http://site/a", "http://us/timemap/http://site/a")


def line(id: str, at_us: int) -> Line:
    return Line(
        id=id, at_us=at_us, url="http://site/a", final_url="http://site/a", title="A", status=200, height_px=1,
        thumbnail="", by="p",
    )  # fmt: skip


def shown(one: Line) -> str:
    return f"http://us/capture/{one.id}"


@given(st.integers(0, 4_000_000_000_000_000), st.sampled_from([4, 6, 8, 10, 12, 14]))
def test_a_moment_lies_within_the_span_of_any_beginning_of_its_digits(at_us: int, digits: int) -> None:
    first, last = span_of(digits_of(at_us)[:digits])
    assert first <= at_us <= last
    assert digits_of(first)[:digits] == digits_of(last)[:digits] != digits_of(last + 1)[:digits]
    assert moment_from_header(header_date(at_us)) == at_us // SECOND * SECOND


def test_what_is_no_moment_is_refused_with_an_example() -> None:
    for digits in ("", "202", "20261", "20261301", "20260230", "2026111709300000", "２０２６", "2026-1", "0000"):  # noqa: RUF001 - digits of another script
        with pytest.raises(Refused):
            span_of(digits)
    with pytest.raises(Refused, match="Tue, 17 Nov 2026"):
        moment_from_header("tomorrow")


def test_a_link_header_names_every_capture_once_with_all_its_relations() -> None:
    first, last = line("a", NOON), line("b", NOON + SECOND)
    header = link_header(PLACES, Around(first=first, last=last, chosen=last, before=first), shown)
    assert header.split(", <")[1:] == [
        'http://us/timegate/http://site/a>; rel="timegate"',
        'http://us/timemap/http://site/a>; rel="timemap"; type="application/link-format"',
        'http://us/capture/a>; rel="first prev memento"; datetime="Tue, 17 Nov 2026 12:00:00 GMT"',
        'http://us/capture/b>; rel="last memento"; datetime="Tue, 17 Nov 2026 12:00:01 GMT"',
    ]


def test_a_timemap_lists_all_captures_in_the_order_of_time() -> None:
    lines = [line("c", NOON + SECOND), line("a", NOON), line("b", NOON)]
    told = "".join(time_map(PLACES, lines, shown)).splitlines()
    assert told[0] == '<http://site/a?x=1>; rel="original",'
    assert 'from="Tue, 17 Nov 2026 12:00:00 GMT"; until="Tue, 17 Nov 2026 12:00:01 GMT"' in told[2]
    assert [entry.partition(">")[0] for entry in told[3:]] == [f"<http://us/capture/{id}" for id in "abc"]
    assert [entry.split('"')[1] for entry in told[3:]] == ["first memento", "memento", "last memento"]


def test_an_address_cannot_end_a_header_nor_its_brackets() -> None:
    evil = Places('http://site/">\r\nSet-Cookie: a=b, <x', "g", "m")
    assert link_header(evil, None, shown).startswith("<http://site/%22%3E%0D%0ASet-Cookie:%20a=b,%20%3Cx>; rel=")
