"""From a request's body to players' beats: fast where all is well, exact about what is wrong where not.

Playhead, duration and interval are in seconds, as a video element tells them, and are kept in milliseconds.
"""

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Annotated, Any, Literal, get_args

import msgspec
from msgspec import UNSET, Meta, Struct, UnsetType

from footfall.flow.collect.careful import object_of, pieces_of_array, pieces_of_lines, words_for
from footfall.flow.collect.fields import Refusal, moment_sent
from footfall.flow.stream.beats import INTERVAL_MS, RATE_ONE, PlayState
from footfall.flow.stream.records import HitKey
from footfall.values.errors import Refused
from footfall.values.hit import ASSET_BYTES_MAX, ID_BYTES_MAX, LABEL_BYTES_MAX, NUMBER_MAX, require_number, require_text

NAME_BYTES_MAX = 256  # of a session, a member or a series
SEQUENCE_MAX = 2**31 - 1
PLAYHEAD_S_MAX = 10_000_000  # Four months; live channels that never stop count from their last start.
RATE_MAX = 16
INTERVAL_S_MIN, INTERVAL_S_MAX = 1, 300

_NOT_DECODED = (msgspec.MsgspecError, UnicodeDecodeError, RecursionError)
_State = Literal["playing", "paused", "buffering", "seeking", "background", "ended"]
STATES: tuple[str, ...] = get_args(_State)
_STATES = {name: int(PlayState[name.upper()]) for name in STATES}

# Lengths are in characters here: a longer text is too long in bytes as well, and in an ASCII body they are the same.
_Name = Annotated[str, Meta(min_length=1, max_length=NAME_BYTES_MAX)]
_MaybeName = Annotated[str, Meta(max_length=NAME_BYTES_MAX)]
_Label = Annotated[str, Meta(max_length=LABEL_BYTES_MAX)]
_Device = Annotated[str, Meta(max_length=ID_BYTES_MAX)]
_Number = Annotated[int, Meta(ge=0, le=NUMBER_MAX)]
_Seconds = Annotated[float, Meta(ge=0, le=PLAYHEAD_S_MAX)]
_Interval = Annotated[float, Meta(ge=INTERVAL_S_MIN, le=INTERVAL_S_MAX)]


class SentPing(Struct, kw_only=True, gc=False):
    """A beat in a player's words; fields that we do not know are left aside."""

    brand: str | UnsetType | None = UNSET
    session: _Name
    sequence: Annotated[int, Meta(ge=0, le=SEQUENCE_MAX)]
    assetId: _Name | _Number  # noqa: N815 - the sender's spelling
    playhead: _Seconds
    state: _State
    rate: Annotated[float, Meta(ge=0, le=RATE_MAX)] | UnsetType | None = UNSET
    at: str | int | UnsetType | None = UNSET
    interval: _Interval | UnsetType | None = UNSET
    duration: _Seconds | UnsetType | None = UNSET
    member: _MaybeName | UnsetType | None = UNSET
    device: _Device | UnsetType | None = UNSET
    series: _MaybeName | UnsetType | None = UNSET
    sectionId: _Label | _Number | UnsetType | None = UNSET  # noqa: N815
    resourceType: _Label | UnsetType | None = UNSET  # noqa: N815
    paidType: _Label | UnsetType | None = UNSET  # noqa: N815


class Ping(Struct, frozen=True, gc=False):
    """A beat that can be taken; an empty text is something that was not sent."""

    brand: str
    session: str
    number: int
    key: HitKey
    playhead_ms: int
    state: int
    at_ms: int | None = None
    rate: int = RATE_ONE
    interval_ms: int = INTERVAL_MS
    duration_ms: int = 0
    member: str = ""
    device: str = ""
    series: str = ""


@dataclass(slots=True)
class ParsedPings:
    """What a body held: beats with their places, what was refused or set aside, and how many it named in all."""

    count: int
    pings: list[tuple[int, Ping]] = field(default_factory=list[tuple[int, Ping]])
    refused: list[Refusal] = field(default_factory=list[Refusal])
    aside: Counter[str] = field(default_factory=Counter[str])  # by their line of the ledger


_decode_array = msgspec.json.Decoder(list[SentPing]).decode
_decode_lines = msgspec.json.Decoder(SentPing).decode_lines
_encode = msgspec.json.Encoder().encode


def parse_pings(body: bytes, *, lines: bool, pings_max: int) -> ParsedPings:
    """Return the beats of a body: one object, an array, or (said by `lines`) one object a line."""
    start = body.lstrip()[:1]
    if not start:
        raise Refused("body", "is empty")
    if lines:
        parsed = _parse(body, _decode_lines, pieces_of_lines, pings_max)
    elif start == b"[":
        parsed = _parse(body, _decode_array, pieces_of_array, pings_max)
    elif start == b"{":
        parsed = _careful([body])
    else:
        raise Refused("body", "must be a JSON object, a JSON array or one JSON object a line")
    if parsed.count > pings_max:
        raise Refused("body", f"has {parsed.count:,} pings, at most {pings_max:,} are taken at once")
    return parsed


def _parse(
    body: bytes,
    decode: Callable[[bytes], list[SentPing]],
    pieces: Callable[[bytes, int], list[bytes]],
    pings_max: int,
) -> ParsedPings:
    """Decode all at once where it is plain that no key stands twice, and one by one where not."""
    if b"\\" in body or not body.isascii():
        return _careful(pieces(body, pings_max))
    try:
        sent = decode(body)
    except _NOT_DECODED:
        return _careful(pieces(body, pings_max))
    if body.count(b'"') != _encode(sent).count(b'"'):
        return _careful(pieces(body, pings_max))
    parsed = ParsedPings(len(sent))
    for place, one in enumerate(sent):
        try:
            parsed.pings.append((place, _ping_from_plain(one)))
        except Refused as error:
            parsed.refused.append(Refusal(place, error.field, error.reason))
    return parsed


def _ping_from_plain(sent: SentPing) -> Ping:
    """Return a beat that was decoded from plain ASCII, where decoding has checked all but the time."""
    section, rate, interval, duration = sent.sectionId, sent.rate, sent.interval, sent.duration
    # By position, because this runs for every beat.
    return Ping(
        sent.brand or "",
        sent.session,
        sent.sequence,
        (
            str(sent.assetId),
            "" if section is UNSET or section is None else str(section),
            sent.resourceType or "",
            sent.paidType or "",
        ),
        round(sent.playhead * 1_000),
        _STATES[sent.state],
        None if sent.at is UNSET else moment_sent(sent.at),
        round(rate * RATE_ONE) if isinstance(rate, float) else RATE_ONE,
        round(interval * 1_000) if isinstance(interval, float) else INTERVAL_MS,
        round(duration * 1_000) if isinstance(duration, float) else 0,
        sent.member or "",
        sent.device or "",
        sent.series or "",
    )


def _careful(pieces: Sequence[bytes]) -> ParsedPings:
    parsed = ParsedPings(len(pieces))
    for place, piece in enumerate(pieces):
        try:
            parsed.pings.append((place, careful_ping(piece)))
        except Refused as error:
            parsed.refused.append(Refusal(place, error.field, error.reason))
    return parsed


def careful_ping(piece: bytes) -> Ping:
    """Return the beat that the text of one JSON object holds, or raise Refused with the first field that is wrong."""
    fields, constants = object_of(piece)
    if constants:
        raise Refused("body", "has NaN or an infinity, which JSON does not")
    state = fields.get("state")
    if state not in STATES:
        raise Refused("state", "is missing" if state is None else f"must be one of {', '.join(STATES)}")
    return Ping(
        brand=_text(fields, "brand", LABEL_BYTES_MAX),
        session=_needed(fields, "session"),
        number=_sequence(fields),
        key=(
            _needed(fields, "assetId", bytes_max=ASSET_BYTES_MAX),
            _text(fields, "sectionId", LABEL_BYTES_MAX, may_be_number=True),
            _text(fields, "resourceType", LABEL_BYTES_MAX),
            _text(fields, "paidType", LABEL_BYTES_MAX),
        ),
        playhead_ms=_thousandths(fields, "playhead", 0, PLAYHEAD_S_MAX, None),
        state=_STATES[state],
        at_ms=_moment(fields.get("at")),
        rate=_thousandths(fields, "rate", 0, RATE_MAX, RATE_ONE),
        interval_ms=_thousandths(fields, "interval", INTERVAL_S_MIN, INTERVAL_S_MAX, INTERVAL_MS),
        duration_ms=_thousandths(fields, "duration", 0, PLAYHEAD_S_MAX, 0),
        member=_text(fields, "member", NAME_BYTES_MAX),
        device=_text(fields, "device", ID_BYTES_MAX),
        series=_text(fields, "series", NAME_BYTES_MAX),
    )


def _needed(fields: dict[str, Any], name: str, *, bytes_max: int = NAME_BYTES_MAX) -> str:
    text = _text(fields, name, bytes_max, may_be_number=name == "assetId")
    if not text:
        raise Refused(name, "is missing" if fields.get(name) is None else "is empty")
    return text


def _text(fields: dict[str, Any], name: str, bytes_max: int, *, may_be_number: bool = False) -> str:
    value = fields.get(name)
    if value is None or value == "":
        return ""
    if may_be_number and type(value) is int:
        return require_number(name, value)
    if not isinstance(value, str):
        raise Refused(name, f"must be text{' or a whole number' if may_be_number else ''}, not {words_for(value)}")
    return require_text(name, value, bytes_max=bytes_max)


def _sequence(fields: dict[str, Any]) -> int:
    value = fields.get("sequence")
    if type(value) is not int or not 0 <= value <= SEQUENCE_MAX:
        raise Refused("sequence", "is missing" if value is None else f"must be a whole number from 0 to {SEQUENCE_MAX}")
    return value


def _thousandths(fields: dict[str, Any], name: str, lowest: int, highest: int, default: int | None) -> int:
    """Return a number of seconds, or a rate, in thousandths."""
    value = fields.get(name)
    if value is None:
        if default is None:
            raise Refused(name, "is missing")
        return default
    if isinstance(value, bool) or not isinstance(value, int | float):
        raise Refused(name, f"must be a number, not {words_for(value)}")
    if not lowest <= value <= highest:
        raise Refused(name, f"is {value}; it must lie between {lowest} and {highest:,}")
    return round(value * 1_000)


def _moment(value: object) -> int | None:
    if value is not None and (isinstance(value, bool) or not isinstance(value, str | int)):
        raise Refused("at", f"must be a time as text, or whole milliseconds, not {words_for(value)}")
    return moment_sent(value)
