"""What a record of player pings looks like: beats of one brand's playbacks, packed by column.

Everything that decides what a beat is credited is frozen in here: its time, its labels and whether it is set aside.
docs/formats/records.md draws it.
"""

from enum import IntEnum
from typing import Annotated, Literal

import msgspec
from msgspec import Meta, Struct

from footfall.flow.stream.records import VISITOR_BYTES, HitKey, Unreadable

VERSION = 1
RATE_ONE = 1_000  # Rates are in thousandths.
SILENT_MS = 600_000  # Then a session is over, whatever it said last.
INTERVAL_MS = 10_000  # between two beats, where the sender does not say
NO_ROOM = "no-room"  # The line of the ledger of beats whose session is one too many for its shard.


class PlayState(IntEnum):
    """What a player did when it sent a beat."""

    PLAYING = 0
    PAUSED = 1
    BUFFERING = 2
    SEEKING = 3
    BACKGROUND = 4
    ENDED = 5


_Whole = Annotated[int, Meta(ge=0)]
_Visitor = Annotated[bytes, Meta(max_length=VISITOR_BYTES)]


class Beats(Struct, array_like=True, frozen=True, gc=False):
    """Beats of one brand that came together. A column that no beat uses is None."""

    magic: Literal["ffpg"]
    version: int
    arrived_at_ms: int
    keys: list[HitKey]
    sessions: list[str]
    numbers: list[_Whole]  # of the beat in its session, from 0
    at_ms: list[int]
    playheads_ms: list[_Whole]
    states: bytes  # a byte each
    rates: list[_Whole] | None = None  # None: all play at their own speed
    intervals_ms: list[_Whole] | None = None  # None: INTERVAL_MS
    durations_ms: list[_Whole] | None = None  # 0: not known
    series: list[str] | None = None
    members: list[str] | None = None
    devices: list[str] | None = None
    visitors: list[_Visitor] | None = None
    aside: dict[int, str] | None = None  # place -> line of the ledger


_encoder = msgspec.msgpack.Encoder()
_decoder = msgspec.msgpack.Decoder(Beats)


def record_from_beats(beats: Beats) -> bytes:
    """Return the record's bytes."""
    return _encoder.encode(beats)


def tick_record(now_ms: int) -> bytes:
    """Return a record without beats, which says no more than that time has passed."""
    return _encoder.encode(Beats("ffpg", VERSION, now_ms, [], [], [], [], [], b""))


def beats_from_record(data: bytes) -> Beats:
    """Return the beats, or raise Unreadable."""
    try:
        beats = _decoder.decode(data)
    except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError) as error:
        raise Unreadable(f"not a pack of beats: {error}") from error
    if beats.version != VERSION:
        raise Unreadable(f"a pack of beats of version {beats.version}; this release reads version {VERSION}")
    _require_even(beats)
    return beats


def _require_even(beats: Beats) -> None:
    """Raise Unreadable unless every column speaks of the same beats."""
    count = len(beats.keys)
    always = (beats.sessions, beats.numbers, beats.at_ms, beats.playheads_ms, beats.states)
    some = (
        beats.rates, beats.intervals_ms, beats.durations_ms, beats.series, beats.members, beats.devices, beats.visitors
    )  # fmt: skip
    for column in (*always, *some):
        if column is not None and len(column) != count:
            raise Unreadable(f"a pack of {count} beats with a column of {len(column)}")
    if beats.states and max(beats.states) > max(PlayState):
        raise Unreadable(f"a pack of beats with a state {max(beats.states)} that this release does not know")
    if beats.aside and not all(0 <= place < count for place in beats.aside):
        raise Unreadable(f"a pack of {count} beats with a verdict on another")
