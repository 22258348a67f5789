"""What a record of hits looks like: hits of one brand that came together, packed.

Everything that decides where a hit goes is frozen in here: arrival, event times, labels, the door's verdicts
and the version of the rules. docs/formats/records.md draws it.
"""

from collections.abc import Sequence
from typing import Annotated, TypeVar

import msgspec
from msgspec import Meta, Struct, structs

from footfall.flow.stream.moments import moments_of
from footfall.values.errors import FootfallError

VERSION = 1
RULES = 1  # The version of the rules that collecting applied.
RULES_OF_LOGS = 2  # Those of imported logs: when their hits arrived says nothing of when, or how often, people came.
VISITOR_BYTES = 8  # of the hash that stands for a visitor

# 16 bits of the hash of a user agent, 0 for none: kinds of agent can be told apart, and no agent can be read back.
AgentCode = Annotated[int, Meta(ge=0, lt=65_536)]

# asset, section, resourceType, paidType: what a hit is counted under. An empty text is a missing label.
HitKey = tuple[str, str, str, str]


class Unreadable(FootfallError):
    """A record is not a pack of hits that this version understands."""


class Counted(Struct, array_like=True, frozen=True, gc=False):
    """The columns of a pack that counting needs. A column that no hit uses is None."""

    version: int
    rules: int
    arrived_at_ms: int
    keys: list[HitKey]
    at_ms: Sequence[int] | None = None  # event times; None: all at arrival
    weights: list[Annotated[int, Meta(ge=1)]] | None = None  # None: one each
    screened: dict[int, str] | None = None  # place -> reason
    replays: tuple[int, str] | None = None  # sequence number and ledger line of the set-aside hits that these are
    trusted: bool = False  # event times hold however old they are


class Visited(Counted, array_like=True, frozen=True, gc=False):
    """The columns of a pack that counting needs when it counts visitors as well."""

    visitors: list[Annotated[bytes, Meta(max_length=VISITOR_BYTES)]] | None = None  # Empty: none.


class ReplayPack(Visited, array_like=True, frozen=True, gc=False):
    """Hits that were set aside and come again, perhaps not all of their record at once."""

    urls: list[str] | None = None
    referrers: list[str] | None = None
    places: list[int] | None = None  # where they stand in the record that they come from; None: all that were set aside


class Pack(ReplayPack, array_like=True, frozen=True, gc=False):
    """The hits of one brand from one request, with all that is kept of them."""

    agents: list[AgentCode] | None = None


class Kinds(Visited, array_like=True, frozen=True, gc=False):
    """The columns of a pack that counting needs where verdicts are narrowed to kinds of agent."""

    urls: msgspec.Raw = msgspec.Raw()
    referrers: msgspec.Raw = msgspec.Raw()
    places: msgspec.Raw = msgspec.Raw()
    agents: list[AgentCode] | None = None


class Bare(Counted, array_like=True, frozen=True, gc=False):
    """The columns of a pack that counting needs, with its keys left as bytes: they are counted by these."""

    keys: msgspec.Raw  # pyright: ignore[reportIncompatibleVariableOverride] - the same column, not decoded
    visitors: list[Annotated[bytes, Meta(max_length=VISITOR_BYTES)]] | None = None


class Outline(Counted, array_like=True, frozen=True, gc=False):
    """What can be told of a pack without looking at its hits one by one."""

    keys: msgspec.Raw  # pyright: ignore[reportIncompatibleVariableOverride] - the same column, not decoded
    visitors: msgspec.Raw = msgspec.Raw()
    urls: msgspec.Raw = msgspec.Raw()
    referrers: msgspec.Raw = msgspec.Raw()
    places: msgspec.Raw = msgspec.Raw()

    @property
    def has_visitors(self) -> bool:
        """Tell whether any of its hits has a visitor."""
        return bytes(self.visitors) not in _NOTHING

    @property
    def is_only_keys(self) -> bool:
        """Tell whether all that is known of its hits, but for times, visitors and agents, is what they count under."""
        columns = (self.weights, self.screened, self.replays)
        kept = (self.urls, self.referrers, self.places)
        return all(one is None for one in columns) and all(bytes(one) in _NOTHING for one in kept)


class _PackedBare(Bare, array_like=True, frozen=True, gc=False):
    """The same as it is decoded; its times are told by their bytes then."""

    at_ms: msgspec.Raw = msgspec.Raw()  # pyright: ignore[reportIncompatibleVariableOverride] - the same column


class _PackedOutline(Outline, array_like=True, frozen=True, gc=False):
    """The same as it is decoded."""

    at_ms: msgspec.Raw = msgspec.Raw()  # pyright: ignore[reportIncompatibleVariableOverride] - the same column


class Judged(Visited, array_like=True, frozen=True, gc=False):
    """The columns of a pack that judging needs; the others are passed over.

    Keys are left as bytes: the same few come over and over, and `key_from_raw` reads each once.
    """

    keys: list[msgspec.Raw]  # pyright: ignore[reportIncompatibleVariableOverride] - the same column, not decoded
    urls: msgspec.Raw = msgspec.Raw()
    referrers: list[str] | None = None
    places: msgspec.Raw = msgspec.Raw()
    agents: list[AgentCode] | None = None


class Referred(Counted, array_like=True, frozen=True, gc=False):
    """The columns of a pack that tell where readers came from; keys are left as bytes, as those of Judged are."""

    keys: list[msgspec.Raw]  # pyright: ignore[reportIncompatibleVariableOverride] - the same column, not decoded
    visitors: msgspec.Raw = msgspec.Raw()
    urls: list[str] | None = None
    referrers: list[str] | None = None
    places: list[int] | None = None


_P = TypeVar("_P", bound=Counted)
_NOTHING = (b"", b"\xc0")  # a column that is not there, or that no hit uses

_encoder = msgspec.msgpack.Encoder()
_pack_decoder = msgspec.msgpack.Decoder(Pack)
_counted_decoder = msgspec.msgpack.Decoder(Counted)  # Skips the later columns without decoding them.
_visited_decoder = msgspec.msgpack.Decoder(Visited)
_bare_decoder = msgspec.msgpack.Decoder(_PackedBare)
_outline_decoder = msgspec.msgpack.Decoder(_PackedOutline)
_kinds_decoder = msgspec.msgpack.Decoder(Kinds)
_judged_decoder = msgspec.msgpack.Decoder(Judged)
_referred_decoder = msgspec.msgpack.Decoder(Referred)
_key_decoder = msgspec.msgpack.Decoder(HitKey)


def record_from_pack(pack: ReplayPack) -> bytes:
    """Return the record's bytes."""
    return _encoder.encode(pack)


def pack_from_record(data: bytes) -> Pack:
    """Return every column of the pack, or raise Unreadable."""
    return _decoded(_pack_decoder, data)


def counted_from_record(data: bytes) -> Counted:
    """Return the columns that counting needs, or raise Unreadable."""
    return _decoded(_counted_decoder, data)


def visited_from_record(data: bytes) -> Visited:
    """Return the columns that counting needs and each hit's visitor, or raise Unreadable."""
    return _decoded(_visited_decoder, data)


def bare_from_record(data: bytes) -> Bare | None:
    """Return a pack that can be counted by the bytes of its keys; None for one that has to be looked into."""
    try:
        pack = _bare_decoder.decode(data)
        structs.force_setattr(pack, "at_ms", moments_of(pack.at_ms))
    except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError):
        return None
    # A column that is there and has nothing in it speaks of other hits than the keys do.
    is_plain = pack.version == VERSION and pack.weights is None and not (pack.screened or pack.replays)
    return pack if is_plain and pack.at_ms != [] and pack.visitors != [] else None


def outline_from_record(data: bytes) -> Outline | None:
    """Return what can be told of a pack without looking at its hits; None for what is no pack of this version."""
    try:
        pack = _outline_decoder.decode(data)
        structs.force_setattr(pack, "at_ms", moments_of(pack.at_ms))
    except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError):
        return None
    return pack if pack.version == VERSION else None


def kinds_from_record(data: bytes) -> Kinds:
    """Return the columns that counting needs and each hit's visitor and kind of agent, or raise Unreadable."""
    return _decoded(_kinds_decoder, data)


def judged_from_record(data: bytes) -> Judged:
    """Return the columns that judging needs, or raise Unreadable."""
    return _decoded(_judged_decoder, data)


def referred_from_record(data: bytes) -> Referred:
    """Return the columns that tell where readers came from, or raise Unreadable."""
    return _decoded(_referred_decoder, data)


def raw_from_key(key: HitKey) -> bytes:
    """Return a key's bytes as they stand in a record."""
    return _encoder.encode(key)


def key_from_raw(data: bytes) -> HitKey:
    """Return the key that a record's bytes of one stand for, or raise Unreadable."""
    try:
        return _key_decoder.decode(data)
    except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError) as error:
        raise Unreadable(f"not a key of a hit: {error}") from error


def weight_of(pack: Counted) -> int:
    """Return how many hits the pack stands for."""
    return len(pack.keys) if pack.weights is None else sum(pack.weights)


def _decoded(decoder: msgspec.msgpack.Decoder[_P], data: bytes) -> _P:
    try:
        pack = decoder.decode(data)
    except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError) as error:
        raise Unreadable(f"not a pack of hits: {error}") from error
    if pack.version != VERSION:
        raise Unreadable(f"a pack of version {pack.version}; this release reads version {VERSION}")
    _require_even(pack)
    return pack


def _require_even(pack: Counted) -> None:
    """Raise Unreadable unless every column speaks of the same hits."""
    count = len(pack.keys)
    visitors = pack.visitors if isinstance(pack, Visited) else None
    kept = (pack.urls, pack.referrers, pack.places) if isinstance(pack, ReplayPack | Referred) else ()
    for column in (pack.at_ms, pack.weights, visitors, *kept, *_of_judging(pack)):
        if column is not None and len(column) != count:
            raise Unreadable(f"a pack of {count} hits with a column of {len(column)}")
    if pack.screened and not all(0 <= place < count for place in pack.screened):
        raise Unreadable(f"a pack of {count} hits with a verdict on another")


def _of_judging(pack: Counted) -> tuple[list[str] | list[int] | None, ...]:
    if isinstance(pack, Judged):
        return pack.referrers, pack.agents
    return (pack.agents,) if isinstance(pack, Pack | Kinds) else ()
