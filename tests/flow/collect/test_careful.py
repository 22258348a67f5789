"""Bad input: what is wrong is named, and the rest of the batch is in."""

import json

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from footfall.flow.collect.careful import careful_hit, pieces_of_array, pieces_of_lines
from footfall.flow.collect.parse import parse_hits
from footfall.values.errors import Refused

GOOD = b'{"brand":"abc","assetId":1}'


def bad(field: str) -> bytes:
    return b'{"brand":"abc","assetId":7,' + field.encode() + b"}"


DIGITS = "9" * 5_000
CASES: list[tuple[str, bytes, str, str]] = [
    ("brand a number", b'{"brand":5,"assetId":1}', "brand", "must be text, not a number"),
    ("asset missing", b'{"brand":"abc"}', "assetId", "missing"),
    ("asset empty", b'{"brand":"abc","assetId":""}', "assetId", "is empty"),
    ("asset true", b'{"brand":"abc","assetId":true}', "assetId", "not true or false"),
    ("asset an array", b'{"brand":"abc","assetId":[1]}', "assetId", "not an array"),
    ("asset an object", b'{"brand":"abc","assetId":{}}', "assetId", "not an object"),
    ("asset a fraction", b'{"brand":"abc","assetId":1.5}', "assetId", "not a number with a fraction"),
    ("asset 1.0", b'{"brand":"abc","assetId":1.0}', "assetId", "fraction"),
    ("asset 1e999", b'{"brand":"abc","assetId":1e999}', "assetId", "fraction"),
    ("asset negative", b'{"brand":"abc","assetId":-1}', "assetId", "between 0 and 2"),
    ("asset 2^63", b'{"brand":"abc","assetId":9223372036854775808}', "assetId", "between 0 and 2"),
    ("asset 2^64", b'{"brand":"abc","assetId":18446744073709551616}', "assetId", "between 0 and 2"),
    ("asset of 5,000 digits", f'{{"brand":"abc","assetId":{DIGITS}}}'.encode(), "assetId", "between 0 and 2"),
    ("asset of 5,000 negative digits", f'{{"brand":"abc","assetId":-{DIGITS}}}'.encode(), "assetId", "between"),
    ("asset with a lone surrogate", b'{"brand":"abc","assetId":"\\ud800"}', "assetId", "lone surrogate"),
    ("asset with NUL", b'{"brand":"abc","assetId":"a\\u0000b"}', "assetId", "control character"),
    ("section negative", bad('"sectionId":-5'), "sectionId", "between 0 and 2"),
    ("section of 5,000 digits", bad(f'"sectionId":{DIGITS}'), "sectionId", "between 0 and 2"),
    ("section true", bad('"sectionId":true'), "sectionId", "not true or false"),
    ("section with a tab", bad('"sectionId":"a\\tb"'), "sectionId", "control character"),
    ("type a number", bad('"resourceType":1'), "resourceType", "must be text, not a number"),
    ("paid false", bad('"paidType":false'), "paidType", "not true or false"),
    ("url an array", bad('"url":["/a"]'), "url", "not an array"),
    ("referrer with a lone surrogate", bad('"referrer":"\\udfff"'), "referrer", "lone surrogate"),
    ("visitor a number", bad('"visitor":4'), "visitor", "must be text"),
    ("id a number", bad('"id":4'), "id", "must be text"),
    ("id with a newline", bad('"id":"a\\nb"'), "id", "control character"),
    ("at true", bad('"at":true'), "at", "not true or false"),
    ("at a fraction", bad('"at":1794744000000.5'), "at", "fraction"),
    ("at in seconds", bad('"at":1794744000'), "at", "milliseconds"),
    ("at negative", bad('"at":-1'), "at", "milliseconds"),
    ("at 2^63", bad('"at":9223372036854775808'), "at", "milliseconds"),
    ("at of 5,000 digits", bad(f'"at":{DIGITS}'), "at", "milliseconds"),
    ("at no time", bad('"at":"yesterday"'), "at", "not a time"),
    ("at without a zone", bad('"at":"2026-11-15T14:30:00"'), "at", "no zone"),
    ("at before 1970", bad('"at":"1969-12-31T23:59:59Z"'), "at", "1970"),
    ("at in the year 1 east of us", bad('"at":"0001-01-01T00:00:00+23:59"'), "at", "1970"),
    ("at in the year 9999 west of us", bad('"at":"9999-12-31T23:59:59-23:59"'), "at", "9998"),
    ("at with a lone surrogate", bad('"at":"\\ud800"'), "at", "not a time"),
    ("NaN", bad('"x":NaN'), "body", "NaN"),
    ("NaN as a field", bad('"sectionId":NaN'), "sectionId", "not NaN"),
    ("NaN as the asset", b'{"brand":"abc","assetId":NaN}', "assetId", "not NaN"),
    ("NaN inside", bad('"x":[NaN]'), "body", "NaN"),
    ("Infinity", bad('"x":Infinity'), "body", "infinity"),
    ("-Infinity", bad('"at":-Infinity'), "at", "not -Infinity"),
    ("a number", b"5", "body", "must be a JSON object, not a number"),
    ("null", b"null", "body", "must be a JSON object, not null"),
    ("an array", b"[1]", "body", "must be a JSON object, not an array"),
    ("a text", b'"x"', "body", "must be a JSON object, not text"),
    ("nothing", b" ", "body", "is not JSON"),
    ("words", b"abc", "body", "is not JSON"),
    ("not UTF-8", b'{"brand":"abc","assetId":"\xff\xfe"}', "body", "is not UTF-8 at byte 2"),
    ("a raw control character", b'{"brand":"abc","assetId":"a\x01"}', "body", "is not JSON"),
    ("a raw NUL", b'{"brand":"abc","assetId":"a\x00"}', "body", "is not JSON"),
    ("a byte order mark", "﻿".encode() + GOOD, "body", "is not JSON"),
    ("nested 10,000 deep", bad('"x":' + "[" * 10_000 + "]" * 10_000), "body", "nested too deep"),
    ("objects 10,000 deep", bad('"x":' + '{"a":' * 10_000 + "1" + "}" * 10_000), "body", "nested too deep"),
    ("a trailing comma", b'{"brand":"abc","assetId":1,}', "body", "is not JSON"),
    ("single quotes", b"{'brand':'abc','assetId':1}", "body", "is not JSON"),
]
NAMED = pytest.mark.parametrize(("piece", "field", "reason"), [c[1:] for c in CASES], ids=[c[0] for c in CASES])


@NAMED
def test_bad_input_alone_names_its_field(piece: bytes, field: str, reason: str) -> None:
    with pytest.raises(Refused) as caught:
        careful_hit(piece)
    assert caught.value.field == field
    assert reason in caught.value.reason
    json.dumps(caught.value.reason).encode()


@NAMED
@pytest.mark.parametrize("form", ["array", "spaced array", "lines"])
def test_the_rest_of_a_batch_is_in(piece: bytes, field: str, reason: str, form: str) -> None:
    if form == "lines":
        body = b"\n".join([GOOD, piece, GOOD]) + b"\n"
    else:
        body = b"[" + (b" , " if form == "spaced array" else b",").join([GOOD, piece, GOOD]) + b"]"
    parsed = parse_hits(body, lines=form == "lines", hits_max=10)
    taken = sorted(place for draft in parsed.drafts for place in draft.places)
    if form == "lines" and not piece.strip():
        assert (taken, parsed.refused) == ([0, 1], [])
        return
    assert (parsed.count, taken) == (3, [0, 2])
    assert [(one.index, one.field) for one in parsed.refused] == [(1, field)]
    assert reason in parsed.refused[0].reason


@pytest.mark.parametrize(
    "body", [b"[", b"[{", b'[{"brand":"abc","assetId":1}', b'[{"brand":"abc","ass', b'[{"a":"\\', b"[[]", b"[1,"]
)
def test_an_array_that_is_cut_off_is_refused_as_a_whole(body: bytes) -> None:
    with pytest.raises(Refused, match="body: is cut off"):
        parse_hits(body, lines=False, hits_max=10)


def test_a_single_hit_that_is_cut_off_is_refused() -> None:
    for end in range(1, len(GOOD)):
        parsed = parse_hits(GOOD[:end], lines=False, hits_max=10)
        assert [one.field for one in parsed.refused] == ["body"]
        assert parsed.drafts == []


def test_lines_that_are_cut_off_lose_only_the_last() -> None:
    parsed = parse_hits(GOOD + b"\n" + GOOD + b"\n" + GOOD[:-3], lines=True, hits_max=10)
    assert [one.index for one in parsed.refused] == [2]
    assert list(parsed.drafts[0].places) == [0, 1]


def test_what_follows_an_array_is_refused() -> None:
    with pytest.raises(Refused, match="goes on after"):
        parse_hits(b"[" + GOOD + b"] x", lines=False, hits_max=10)


def test_a_missing_item_of_an_array_is_one_that_is_not_json() -> None:
    parsed = parse_hits(b"[" + GOOD + b",," + GOOD + b"]", lines=False, hits_max=10)
    assert [(one.index, one.field) for one in parsed.refused] == [(1, "body")]


@given(items=st.lists(st.recursive(st.integers() | st.text(max_size=6), lambda v: st.lists(v, max_size=3)), max_size=6))
def test_an_array_is_split_where_json_splits_it(items: list[object]) -> None:
    for body in (json.dumps(items), json.dumps(items, ensure_ascii=False, indent=1)):
        assert [json.loads(piece) for piece in pieces_of_array(body.encode(), 100)] == items


def test_lines_are_split_at_newlines_alone() -> None:
    assert pieces_of_lines(b'{"a":"\xc2\x85\xe2\x80\xa8"}\n\n x \n', 10) == [b'{"a":"\xc2\x85\xe2\x80\xa8"}', b" x "]


@given(body=st.binary(max_size=60) | st.text('[]{}",:\\ntru1eE+-. bandassetId', max_size=60).map(str.encode))
@example(body=b"[" * 20_000)
@example(body=b"{" * 20_000)
@example(body=b'{"":' * 20_000)
def test_no_body_at_all_raises_anything_but_a_refusal(body: bytes) -> None:
    for lines in (False, True):
        try:
            parsed = parse_hits(body, lines=lines, hits_max=10)
        except Refused:
            continue
        assert parsed.count == len(parsed.refused) + sum(len(draft.keys) for draft in parsed.drafts)
