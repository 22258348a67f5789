"""Old senders' batches: page hits that were added up before they were sent, as the page-hit-counter thesis has them."""

from collections import defaultdict
from typing import Annotated

import msgspec
from msgspec import Meta, Struct

from footfall.flow.collect.careful import careful_hit, pieces_of_array
from footfall.flow.collect.fields import Draft, Parsed, Refusal
from footfall.flow.stream.records import HitKey
from footfall.values.errors import Refused

HITS_MAX = 1_000_000  # of one page hit: far more than the busiest asset has in a minute


class _PageHit(Struct, gc=False):
    hits: Annotated[int, Meta(ge=0, le=HITS_MAX)]


_decode_weight = msgspec.json.Decoder(_PageHit).decode


def parse_pagehits(body: bytes, *, brand: str, hits_max: int) -> Parsed:
    """Return the page hits of a body: an array of objects, or one; those of no hits at all are left out.

    A page hit that names no brand is of the given one; an empty one is that of the sender's key.
    """
    start = body.lstrip()[:1]
    if start not in (b"[", b"{"):
        raise Refused("body", "must be a JSON array of page hits, or one page hit")
    pieces = pieces_of_array(body, hits_max) if start == b"[" else [body]
    if len(pieces) > hits_max:
        raise Refused("body", f"has {len(pieces):,} page hits, at most {hits_max:,} are taken at once")
    taken: defaultdict[str, list[tuple[int, HitKey, int]]] = defaultdict(list)
    refused: list[Refusal] = []
    for place, piece in enumerate(pieces):
        try:
            named, key, weight = _page_hit(piece)
        except Refused as error:
            refused.append(Refusal(place, error.field, error.reason))
            continue
        if weight:
            taken[named or brand].append((place, key, weight))
    return Parsed(len(pieces), [_draft(*one) for one in taken.items()], refused)


def _page_hit(piece: bytes) -> tuple[str, HitKey, int]:
    hit = careful_hit(piece)
    try:
        return hit.brand, hit.key, _decode_weight(piece).hits
    except msgspec.MsgspecError as error:
        raise Refused("hits", f"must be a whole number from 0 to {HITS_MAX:,}") from error


def _draft(brand: str, page_hits: list[tuple[int, HitKey, int]]) -> Draft:
    places, keys, weights = zip(*page_hits, strict=True)
    return Draft(brand, list(keys), places, weights=list(weights))
