"""Three lanes, one result: whatever the style, a body gives the hits that a plain reading gives."""

import json
from dataclasses import dataclass
from random import Random
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from footfall.flow.collect.careful import careful_hit
from footfall.flow.collect.fields import Hit, Parsed
from footfall.flow.collect.parse import parse_hits
from footfall.values.errors import Refused

labels = st.text(st.characters(exclude_categories=["Cs", "Cc"]), max_size=8)
ascii_labels = st.text("abcXYZ0189 -_./:{}[],'", max_size=8)
numbers = st.integers(0, 2**63 - 1)
extras = st.dictionaries(
    st.sampled_from(["x", "né", "tags", "Brand"]),
    st.none() | labels | numbers | st.lists(labels, max_size=2),
    max_size=2,
)


def sent_hits(texts: st.SearchStrategy[str]) -> st.SearchStrategy[dict[str, Any]]:
    lean = st.fixed_dictionaries(
        {
            "brand": st.sampled_from(["abc", "def"]),
            "assetId": texts.filter(bool) | numbers,
            "sectionId": texts | numbers,
            "resourceType": texts,
            "paidType": texts,
        }
    )
    full = st.fixed_dictionaries(
        {"brand": st.sampled_from(["abc", "def"]), "assetId": texts.filter(bool) | numbers},
        optional={
            "sectionId": st.none() | texts | numbers,
            "resourceType": st.none() | texts,
            "paidType": st.none() | texts,
            "url": st.none() | texts,
            "referrer": texts,
            "at": st.none() | st.integers(10**11, 2 * 10**12) | st.just("2026-11-15T14:30:00Z"),
            "id": st.none() | texts,
            "visitor": texts,
        },
    )
    return lean | full | st.builds(lambda hit, more: hit | more, full, extras)


AT_MS = {"2026-11-15T14:30:00Z": 1_794_753_000_000}


def text(value: object) -> str:
    return "" if value is None else str(value)


def plainly(sent: dict[str, Any]) -> Hit:
    """Return what a hit means, read by nothing of ours."""
    at = sent.get("at")
    return Hit(
        brand=sent["brand"],
        key=(str(sent["assetId"]), *(text(sent.get(name)) for name in ("sectionId", "resourceType", "paidType"))),  # pyright: ignore[reportArgumentType] - four texts
        at_ms=AT_MS[at] if isinstance(at, str) else at,
        id=text(sent.get("id")),
        visitor=text(sent.get("visitor")),
        url=text(sent.get("url")),
        referrer=text(sent.get("referrer")),
    )


def hits_of(parsed: Parsed) -> dict[int, Hit]:
    """Return the hits of all drafts by their places."""
    found: dict[int, Hit] = {}
    for draft in parsed.drafts:
        for number, place in enumerate(draft.places):
            hit = Hit(draft.brand, draft.keys[number]) if draft.hits is None else draft.hits[number]
            assert (hit.brand, hit.key) == (draft.brand, draft.keys[number])
            found[place] = hit
    return found


@dataclass(frozen=True, slots=True)
class Style:
    """One way to write the same JSON down."""

    form: str
    spaces: str
    escaped: bool
    shuffled: bool

    def one(self, sent: dict[str, Any], chance: Random) -> str:
        names = list(sent)
        if self.shuffled:
            chance.shuffle(names)
        ordered = {name: sent[name] for name in names}
        indent = 2 if self.spaces == "pretty" and self.form != "lines" else None
        separators = {"compact": (",", ":"), "wide": (" , ", " : ")}.get(self.spaces, (", ", ": "))
        return json.dumps(ordered, ensure_ascii=self.escaped, indent=indent, separators=separators)

    def body(self, sent: list[dict[str, Any]], chance: Random) -> bytes:
        pieces = [self.one(hit, chance) for hit in sent]
        whole = "\n".join(pieces) if self.form == "lines" else "[" + ",".join(pieces) + "]"
        return (pieces[0] if self.form == "single" else whole).encode()


STYLES = st.builds(
    Style,
    form=st.sampled_from(["single", "array", "lines"]),
    spaces=st.sampled_from(["compact", "spaced", "wide", "pretty"]),
    escaped=st.booleans(),
    shuffled=st.booleans(),
)


@given(
    sent=st.one_of(
        st.lists(sent_hits(ascii_labels), min_size=1, max_size=5), st.lists(sent_hits(labels), min_size=1, max_size=5)
    ),
    style=STYLES,
    chance=st.randoms(use_true_random=False),
)
def test_every_style_gives_the_hits_that_a_plain_reading_gives(
    sent: list[dict[str, Any]], style: Style, chance: Random
) -> None:
    sent = sent[:1] if style.form == "single" else sent
    parsed = parse_hits(style.body(sent, chance), lines=style.form == "lines", hits_max=100)
    assert parsed.refused == []
    assert parsed.count == len(sent)
    assert hits_of(parsed) == {place: plainly(hit) for place, hit in enumerate(sent)}


@given(sent=sent_hits(labels), escaped=st.booleans())
def test_the_careful_lane_agrees_with_the_others(sent: dict[str, Any], escaped: bool) -> None:
    assert careful_hit(json.dumps(sent, ensure_ascii=escaped).encode()) == plainly(sent)


LEAN = '"brand":"abc","assetId":"1","sectionId":5,"resourceType":"article","paidType":"free"'
TWICE = [
    '"brand":"abc"', '"brand" :"abc"', '"brand"\t: "abc"', '"assetId":2', '"assetId":"2"', '"sectionId":6',
    '"sectionId" : 6', '"resourceType":"x"', '"paidType":null', '"br\\u0061nd":"abc"', '"sectionId":"6"',
]  # fmt: skip


@pytest.mark.parametrize("form", ["{%s}", "[{%s}]", "[{%s},{GOOD}]", "{GOOD}\n{%s}\n"])
@pytest.mark.parametrize("again", TWICE)
@pytest.mark.parametrize("more", ["", ',"url":"/a"', ',"url":"/é"', ',"x":[1]'])
def test_a_key_that_stands_twice_is_caught_in_every_lane_and_style(form: str, again: str, more: str) -> None:
    for hit in (f"{LEAN},{again}{more}", f"{again},{LEAN}{more}"):
        body = form.replace("GOOD", LEAN).replace("%s", hit).encode()
        parsed = parse_hits(body, lines="\n" in form, hits_max=10)
        assert len(parsed.refused) == 1
        assert "stands twice" in parsed.refused[0].reason
        assert len(hits_of(parsed)) == form.count("GOOD")


def test_an_unknown_key_that_stands_twice_is_caught_too() -> None:
    parsed = parse_hits(b'[{"brand":"abc","assetId":1,"x":1,"x":2}]', lines=False, hits_max=10)
    assert [(one.field, one.reason) for one in parsed.refused] == [("body", "the key 'x' stands twice")]


def test_many_keys_with_one_twice_take_no_longer_than_reading_them() -> None:
    keys = ",".join(f'"k{number}":0' for number in range(60_000))
    parsed = parse_hits(f'{{{keys},"k59999":1}}'.encode(), lines=False, hits_max=10)
    assert "'k59999' stands twice" in parsed.refused[0].reason


@pytest.mark.parametrize(("number", "form"), [(132141398, "132141398"), (0, "0"), (2**63 - 1, str(2**63 - 1))])
@pytest.mark.parametrize(
    "more", [{}, {"url": "/é"}, {"url": "\\"}, {"sectionId": 5, "resourceType": "", "paidType": ""}]
)
def test_the_numeric_and_the_text_form_of_an_id_are_one_asset(number: int, form: str, more: dict[str, Any]) -> None:
    hits = [{"brand": "abc", "assetId": asset} | more for asset in (number, form)]
    for body in (json.dumps(hits), json.dumps(hits[:1]), json.dumps(hits[1:])):
        found = hits_of(parse_hits(body.encode(), lines=False, hits_max=10))
        assert {hit.key[0] for hit in found.values()} == {form}


def test_hits_of_several_brands_keep_their_places() -> None:
    lean = [{"brand": b, "assetId": "1", "sectionId": 5, "resourceType": "a", "paidType": "f"} for b in "abcab"]
    for hits in (lean, [hit | {"id": "7"} for hit in lean]):
        parsed = parse_hits(json.dumps(hits).encode(), lines=False, hits_max=10)
        assert [(draft.brand, list(draft.places)) for draft in parsed.drafts] == [
            ("a", [0, 3]),
            ("b", [1, 4]),
            ("c", [2]),
        ]


@pytest.mark.parametrize("body", [b"", b" ", b"\n\r\t ", b" " * 100])
@pytest.mark.parametrize("lines", [False, True])
def test_an_empty_body_is_refused(body: bytes, lines: bool) -> None:
    with pytest.raises(Refused, match="body: is empty"):
        parse_hits(body, lines=lines, hits_max=10)


@pytest.mark.parametrize("body", [b"1", b'"x"', b"null", b"abc", b"\xff\xfe", "﻿{}".encode(), b"\x00{}"])
def test_a_body_that_is_no_object_and_no_array_is_refused(body: bytes) -> None:
    with pytest.raises(Refused, match="body: must be"):
        parse_hits(body, lines=False, hits_max=10)


@pytest.mark.parametrize("body", [b"[]", b" [ ] ", b"[\n]"])
def test_an_empty_array_holds_no_hits(body: bytes) -> None:
    parsed = parse_hits(body, lines=False, hits_max=10)
    assert (parsed.count, parsed.drafts, parsed.refused) == (0, [], [])


@pytest.mark.parametrize(
    "text_of_hit", ['{"brand":"abc","assetId":1}', '{"brand":"a\\u0062c","assetId":1}', "5", "{LEAN}"]
)
def test_as_many_hits_as_are_taken_at_once_and_no_more(text_of_hit: str) -> None:
    one = text_of_hit.replace("LEAN", LEAN)
    for body, lines in (("[" + ",".join([one] * 3) + "]", False), ("\n".join([one] * 3), True)):
        assert parse_hits(body.encode(), lines=lines, hits_max=3).count == 3
        with pytest.raises(Refused, match=r"at most 2|than 2"):
            parse_hits(body.encode(), lines=lines, hits_max=2)


@pytest.mark.parametrize(
    "body",
    [b"[" + b"," * 4_000_000 + b"]", b"[" * 4_000_000, b"[" + b'\\"' * 2_000_000, b'["' + b'\\"' * 2_000_000 + b"\\"],
    ids=["nothing but commas", "nothing but brackets", "escaped quotation marks", "a text without an end"],
)
def test_a_body_made_to_take_long_is_given_up_early(body: bytes) -> None:
    with pytest.raises(Refused, match="body"):
        parse_hits(body, lines=False, hits_max=1_000)


def test_lines_may_end_with_carriage_returns_and_be_empty() -> None:
    for more in ("", ',"x":1', ',"x":"\\n"'):
        body = f"\n{{{LEAN}{more}}}\r\n\r\n{{{LEAN}{more}}}\r\n   \n".encode()
        parsed = parse_hits(body, lines=True, hits_max=10)
        assert (parsed.count, parsed.refused, sorted(hits_of(parsed))) == (2, [], [0, 1])


def test_a_line_is_one_hit_in_every_lane() -> None:
    for more in ("", ',"x":1', ',"x":"\\n"'):
        parsed = parse_hits(f"{{{LEAN}{more}}} {{{LEAN}{more}}}\n{{{LEAN}}}".encode(), lines=True, hits_max=10)
        assert [(one.index, one.field) for one in parsed.refused] == [(0, "body")]
        assert sorted(hits_of(parsed)) == [1]
