"""From a request's body to hits: fast where the sender is plain, exact about what is wrong where not.

Four lanes give the same result. The native lane makes packs of keys without an object for each hit, where it was built
(footfall.native), from bodies of the plainest kind. The lean lane knows bodies whose hits have just the five
counted fields; the full lane knows every field; the careful lane takes one hit at a time and says what is wrong with
it. Lean and full must prove that no key stands twice in a hit, because a decoder silently takes the last. They count
quotation marks: with no backslash in the body each text has two, so what was decoded must account for all of them.
"""

import contextlib
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Annotated, TypeVar

import msgspec
from msgspec import Meta, Struct

from footfall.flow.collect.careful import careful_hit, careful_hits, pieces_of_array, pieces_of_lines
from footfall.flow.collect.fields import (
    Draft,
    Hit,
    Parsed,
    Refusal,
    SentHit,
    hit_from_plain,
    hit_from_sent,
    parsed_from_hits,
)
from footfall.flow.stream.moments import PackedMoments
from footfall.flow.stream.packed_keys import PackedKeys
from footfall.flow.stream.records import HitKey
from footfall.native import keys_of_body
from footfall.values.errors import Refused
from footfall.values.hit import ASSET_BYTES_MAX, LABEL_BYTES_MAX, NUMBER_MAX

# Fields stand in the order in which they are usually sent: decoding is fastest when each is the one that is expected.
_AssetText = Annotated[str, Meta(min_length=1, max_length=ASSET_BYTES_MAX)]
_LabelText = Annotated[str, Meta(max_length=LABEL_BYTES_MAX)]
_Number = Annotated[int, Meta(ge=0, le=NUMBER_MAX)]
_SECTION_TEXTS_MAX = 10_000


class _LeanTextNumber(Struct, kw_only=True, forbid_unknown_fields=True, gc=False):
    """Asset as text, section as number: nine texts, counting keys, so eighteen quotation marks; four less unbranded."""

    brand: _LabelText = ""
    assetId: _AssetText  # noqa: N815 - the sender's spelling
    sectionId: _Number  # noqa: N815
    resourceType: _LabelText  # noqa: N815
    paidType: _LabelText  # noqa: N815


class _LeanTextText(Struct, kw_only=True, forbid_unknown_fields=True, gc=False):
    brand: _LabelText = ""
    assetId: _AssetText  # noqa: N815
    sectionId: _LabelText  # noqa: N815
    resourceType: _LabelText  # noqa: N815
    paidType: _LabelText  # noqa: N815


class _LeanNumberNumber(Struct, kw_only=True, forbid_unknown_fields=True, gc=False):
    brand: _LabelText = ""
    assetId: _Number  # noqa: N815
    sectionId: _Number  # noqa: N815
    resourceType: _LabelText  # noqa: N815
    paidType: _LabelText  # noqa: N815


_Lean = _LeanTextNumber | _LeanTextText | _LeanNumberNumber
_SHAPES: list[tuple[type[_Lean], int]] = [(_LeanTextNumber, 18), (_LeanTextText, 20), (_LeanNumberNumber, 16)]
_BRAND_QUOTES = 4
_NOT_DECODED = (msgspec.MsgspecError, UnicodeDecodeError, RecursionError)


@dataclass(frozen=True, slots=True)
class _Form:
    """One way to write hits down: how each lane reads it."""

    lean: Sequence[tuple[Callable[[bytes], list[_Lean]], int]]  # with the quotation marks of one hit
    full: Callable[[bytes], list[SentHit]]
    pieces: Callable[[bytes, int], list[bytes]]
    lines: bool


_H = TypeVar("_H")


def _one_a_line(decode: Callable[[bytes], list[_H]]) -> Callable[[bytes], list[_H]]:
    """Return a decoder that leaves other layouts to the careful lane, where a line is a line."""

    def decode_lines(body: bytes) -> list[_H]:
        hits = decode(body)
        if len(hits) != body.strip().count(b"\n") + 1:
            raise msgspec.DecodeError("not one hit a line")
        return hits

    return decode_lines


_ARRAY = _Form(
    lean=[(msgspec.json.Decoder(list[shape]).decode, quotes) for shape, quotes in _SHAPES],  # pyright: ignore[reportArgumentType]
    full=msgspec.json.Decoder(list[SentHit]).decode,
    pieces=pieces_of_array,
    lines=False,
)
_LINES = _Form(
    lean=[(_one_a_line(msgspec.json.Decoder(shape).decode_lines), quotes) for shape, quotes in _SHAPES],  # pyright: ignore[reportArgumentType]
    full=_one_a_line(msgspec.json.Decoder(SentHit).decode_lines),
    pieces=pieces_of_lines,
    lines=True,
)
_decode_one = msgspec.json.Decoder(SentHit).decode
_encode = msgspec.json.Encoder().encode


class _NumberTexts(dict[int | str, str]):
    """Section numbers as texts, made once: building the same few texts anew would cost more than all the rest."""

    def __missing__(self, number: int | str) -> str:
        if len(self) >= _SECTION_TEXTS_MAX:
            self.clear()
        text = self[number] = str(number)
        return text


_section_texts = _NumberTexts()


def parse_hits(body: bytes, *, lines: bool, hits_max: int) -> Parsed:
    """Return the hits of a body: one object, an array, or (said by `lines`) one object a line."""
    start = body[:64].lstrip()[:1] or body.lstrip()[:1]
    if not start:
        raise Refused("body", "is empty")
    if lines:
        parsed = _parse(body, _LINES, hits_max)
    elif start == b"[":
        parsed = _parse(body, _ARRAY, hits_max)
    elif start == b"{":
        parsed = _only_one(body)
    else:
        raise Refused("body", "must be a JSON object, a JSON array or one JSON object a line")
    if parsed.count > hits_max:
        raise Refused("body", f"has {parsed.count:,} hits, at most {hits_max:,} are taken at once")
    return parsed


def parse_one(body: bytes) -> Hit:
    """Return the one hit of a body that is a JSON object, or raise Refused."""
    if b"\\" not in body:
        try:
            sent = _decode_one(body)
        except _NOT_DECODED:
            return careful_hit(body)
        if body.count(b'"') == _encode(sent).count(b'"'):
            return hit_from_plain(sent) if body.isascii() else hit_from_sent(sent)
    return careful_hit(body)


def parse_alone(bodies: Sequence[bytes]) -> list[Hit | Refused]:
    """Return the hit of each body that is a JSON object, or why there is none; many at once cost a third of one by one.

    The bodies are decoded as one array. It is believed only if every hit stands in a body of its own: each body has
    an even number of quotation marks, so none ends inside a text, and what was decoded accounts for all of them.
    """
    together = _together(bodies) if len(bodies) > 1 else None
    return [_one_or_refused(body) for body in bodies] if together is None else together


def _together(bodies: Sequence[bytes]) -> list[Hit | Refused] | None:
    joined = b"[" + b",".join(bodies) + b"]"
    if b"\\" in joined or not joined.isascii():
        return None
    quotes = [body.count(b'"') for body in bodies]
    for decode, branded in _ARRAY.lean:
        if quotes[0] in (branded, branded - _BRAND_QUOTES):
            with contextlib.suppress(*_NOT_DECODED):
                hits = decode(joined)
                if quotes == [branded if hit.brand else branded - _BRAND_QUOTES for hit in hits]:
                    return _lean_alone(hits)
    if any(number & 1 for number in quotes):
        return None
    try:
        sent = _ARRAY.full(joined)
        if len(sent) != len(bodies) or sum(quotes) != _encode(sent).count(b'"'):
            return None
        return [hit_from_plain(one) for one in sent]
    except (*_NOT_DECODED, Refused):
        return None


def _lean_alone(hits: list[_Lean]) -> list[Hit | Refused]:
    texts = _section_texts
    return [Hit(hit.brand, (str(hit.assetId), texts[hit.sectionId], hit.resourceType, hit.paidType)) for hit in hits]


def _one_or_refused(body: bytes) -> Hit | Refused:
    try:
        return parse_one(body)
    except Refused as refused:
        return refused


def _only_one(body: bytes) -> Parsed:
    try:
        return parsed_from_hits([(0, parse_one(body))], count=1)
    except Refused as error:
        return Parsed(1, [], [Refusal(0, error.field, error.reason)])


def _parse(body: bytes, form: _Form, hits_max: int) -> Parsed:
    return _native(body, lines=form.lines) or _decoded(body, form, hits_max)


def _native(body: bytes, *, lines: bool) -> Parsed | None:
    """Return hits of the plainest kind as packs of keys; None for any other body, and where no native code is."""
    found = None if keys_of_body is None else keys_of_body(body, lines)
    if found is None:
        return None
    is_one = len(found) == 1
    drafts = [
        Draft(
            brand,
            PackedKeys(packed, count),
            range(count) if is_one else memoryview(places).cast("I"),
            at_ms=PackedMoments(moments, count, (first_ms, last_ms)) if moments else None,
        )
        for brand, packed, places, count, moments, first_ms, last_ms in found
    ]
    return Parsed(sum(len(draft.keys) for draft in drafts), drafts)


def _decoded(body: bytes, form: _Form, hits_max: int) -> Parsed:
    if b"\\" in body:
        return _careful(form.pieces(body, hits_max))
    is_plain = body.isascii()
    if is_plain:
        for decode, quotes in form.lean:
            try:
                hits = decode(body)
            except _NOT_DECODED:
                continue
            if body.count(b'"') == _quotes_of(hits, quotes):
                return _lean(hits)
    try:
        sent = form.full(body)
    except _NOT_DECODED:
        return _careful(form.pieces(body, hits_max))
    if body.count(b'"') != _encode(sent).count(b'"'):
        return _careful(form.pieces(body, hits_max))
    return _full(sent, hit_from_plain if is_plain else hit_from_sent)


def _quotes_of(hits: list[_Lean], branded: int) -> int:
    """Return how many quotation marks the hits have if each of their keys stands once."""
    return branded * len(hits) - _BRAND_QUOTES * sum([not hit.brand for hit in hits])


def _lean(hits: list[_Lean]) -> Parsed:
    """Return hits whose every field was proven by decoding; only the brands are still to be looked at."""
    texts = _section_texts
    if hits and isinstance(hits[0], _LeanNumberNumber):
        keys = [(str(hit.assetId), texts[hit.sectionId], hit.resourceType, hit.paidType) for hit in hits]
    else:
        keys = [(hit.assetId, texts[hit.sectionId], hit.resourceType, hit.paidType) for hit in hits]
    brands = {hit.brand for hit in hits}
    if len(brands) == 1:
        return Parsed(len(hits), [Draft(brands.pop(), keys, range(len(keys)))])  # pyright: ignore[reportArgumentType] - texts by now
    drafts: dict[str, tuple[list[HitKey], list[int]]] = {}
    for place, (hit, key) in enumerate(zip(hits, keys, strict=True)):
        of_brand = drafts.setdefault(hit.brand, ([], []))
        of_brand[0].append(key)  # pyright: ignore[reportArgumentType] - texts by now
        of_brand[1].append(place)
    return Parsed(len(hits), [Draft(brand, keys, places) for brand, (keys, places) in drafts.items()])


def _full(sent: list[SentHit], hit_from: Callable[[SentHit], Hit]) -> Parsed:
    taken: list[tuple[int, Hit]] = []
    refused: list[Refusal] = []
    for place, one in enumerate(sent):
        try:
            taken.append((place, hit_from(one)))
        except Refused as error:
            refused.append(Refusal(place, error.field, error.reason))
    parsed = parsed_from_hits(taken, count=len(sent))
    parsed.refused.extend(refused)
    return parsed


def _careful(pieces: list[bytes]) -> Parsed:
    taken, refused = careful_hits(pieces)
    parsed = parsed_from_hits(taken, count=len(pieces))
    parsed.refused.extend(refused)
    return parsed
