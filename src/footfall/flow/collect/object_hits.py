"""From the pieces of an object to stream entries, each under a claim that stays the same however often it is read.

An object is cut into runs. An entry of a run is claimed under the object, the run, the brand and its place among the
entries of both; so what is appended a second time, by a delivery that was repeated or went on where another failed,
is found to be a repeat when it is counted. A claim costs two ids an entry, where an id for each hit would cost two
thousand.
"""

import hashlib
import shlex
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

import msgspec
from msgspec import Struct

from footfall.accounts.brands import Brands
from footfall.flow.collect.accept import Acceptance, Request
from footfall.flow.collect.fields import Draft, Parsed, Refusal
from footfall.flow.collect.legacy import parse_pagehits
from footfall.flow.collect.parse import parse_hits
from footfall.flow.collect.senders import Sender
from footfall.ports.stream import Entry
from footfall.values.errors import Refused

RUN_HITS = 2_000  # Part of every claim: with another number, objects on their way during an upgrade would count twice.
SHOWN_MAX = 5  # Refused pieces that are told with their reason; the rest are numbers.


class _MayBePageHit(Struct):
    hits: msgspec.Raw | msgspec.UnsetType = msgspec.UNSET


_looked = msgspec.json.Decoder(_MayBePageHit).decode


@dataclass(frozen=True, slots=True)
class Source:
    """Which object hits come from, who it belongs to when they do not say, and when it was written."""

    name: str  # with its bucket and version: no other object ever has it
    written_at_ms: int
    brand: str = ""


@dataclass(slots=True)
class Taken:
    """What became of pieces: entries to append, and how many were refused and why."""

    entries: list[Entry] = field(default_factory=list[Entry])
    hits: int = 0
    refused: Counter[str] = field(default_factory=Counter[str])  # by field
    shown: list[str] = field(default_factory=list[str])
    no_brand: str = ""  # What is wrong with the first brand that is not known; empty when all are.

    def note(self, refusals: Iterable[tuple[int, Refusal]]) -> None:
        """Count what was refused; the first few are told with their place in the object."""
        for place, refusal in refusals:
            self.refused[refusal.field] += 1
            if len(self.shown) < SHOWN_MAX:
                self.shown.append(f"hit {place + 1}: {refusal.field} {refusal.reason}")

    def add(self, later: "Taken") -> None:
        """Add what became of later pieces; their entries are not kept."""
        self.hits += later.hits
        self.refused.update(later.refused)
        self.shown = [*self.shown, *later.shown][:SHOWN_MAX]
        self.no_brand = self.no_brand or later.no_brand


def runs_of(pieces: Sequence[bytes]) -> int:
    """Return how many runs the pieces of an object make."""
    return -(-len(pieces) // RUN_HITS)


class ObjectHits:
    """Takes the hits of objects: whoever may write the bucket may send for every brand there is."""

    def __init__(self, brands: Brands, acceptance: Acceptance) -> None:
        self._brands = brands
        self._acceptance = acceptance

    def run(self, pieces: Sequence[bytes], number: int, *, source: Source, now_ms: int) -> Taken:
        """Return the entries of one run of an object."""
        taken = Taken()
        first = number * RUN_HITS
        plain: list[int] = []
        added_up: list[int] = []
        for place in range(first, min(first + RUN_HITS, len(pieces))):
            (added_up if _is_page_hit(pieces[place]) else plain).append(place)
        for kind, places in (("hits", plain), ("pagehits", added_up)):
            parsed = _parsed(kind, [pieces[place] for place in places])
            taken.note((places[refusal.index], refusal) for refusal in parsed.refused)
            for draft in parsed.drafts:
                # A draft's own name is in the claim, not the brand's: hits that name no brand are counted beside those.
                claim = _claim_key(source.name, number, kind, draft.brand)
                refusals = self._take(taken, draft, claim, source, now_ms=now_ms)
                taken.note((places[refusal.index], refusal) for refusal in refusals)
        return taken

    def _take(self, taken: Taken, draft: Draft, claim: str, source: Source, *, now_ms: int) -> list[Refusal]:
        name = draft.brand or source.brand
        if not name or self._brands.named(name) is None:
            reason = _no_brand(name)
            taken.no_brand = taken.no_brand or reason
            return [Refusal(place, "brand", reason) for place in draft.places]
        draft.brand = name
        request = Request(
            now_ms,
            Sender(address="", agent="", wants_privacy=False, brand=name, is_server=True, is_past=True),
            is_batch=True,
            idempotency_key=claim,
            sent_at_ms=source.written_at_ms,
        )
        taken.entries += self._acceptance.entries(Parsed(len(draft.keys), [draft]), request)
        taken.hits += draft.weight
        return []


def _no_brand(name: str) -> str:
    if name:
        return f"{name[:64]!r} is not a brand here; `footfall brands add {shlex.quote(name[:64])}` makes it one"
    return "is missing: name it in each hit, or in the object's key as in brand=abc/"


def _is_page_hit(piece: bytes) -> bool:
    if b'"hits"' not in piece:
        return False
    try:
        return not isinstance(_looked(piece).hits, msgspec.UnsetType)
    except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError):
        return False  # Whoever takes it says what is wrong with it.


def _parsed(kind: str, pieces: list[bytes]) -> Parsed:
    if not pieces:
        return Parsed(0)
    if kind == "hits":
        # A piece may hold a line end between its fields; as white space of JSON it means nothing.
        lines = b"\n".join(piece.replace(b"\n", b" ") for piece in pieces)
        return parse_hits(lines, lines=True, hits_max=RUN_HITS)
    parsed = Parsed(len(pieces))
    try:
        return parse_pagehits(b"[" + b",".join(pieces) + b"]", brand="", hits_max=RUN_HITS)
    except Refused as refused:
        parsed.refused = [Refusal(place, refused.field, refused.reason) for place in range(len(pieces))]
    return parsed


def _claim_key(*parts: str | int) -> str:
    return hashlib.blake2b("\0".join(map(str, parts)).encode(), digest_size=16, person=b"object").hexdigest()
