"""Where a peer stands: durable and exact is who is so in its load and in its kills, not by its word alone."""

from collections.abc import Sequence
from enum import Enum

from bench.compare.peers import PEERS
from bench.compare.planned import KILL
from bench.compare.points import Killed, Point
from bench.results import number


class Standing(Enum):
    """What is to be said of a peer's load and kills together, in the words of the picture's legend."""

    EXACT = "durable and exact"
    SPOILT = "lost or doubled by kill -9"
    VOLATILE = "not durable"
    WRONG = "lists wrong"


def kills_of(points: Sequence[Point]) -> dict[str, Killed]:
    """Return what kills did to each peer that was killed and told of it."""
    return {one.peer: one.killed for one in points if one.size.kind == KILL and one.killed is not None}


def standing_of(load: Point, found: Killed | None) -> Standing:
    """Return where a peer stands; of one whose kills were not run through, the load alone decides."""
    if not load.is_right:
        return Standing.WRONG
    if not PEERS[load.peer].is_durable:
        return Standing.VOLATILE
    is_spoilt = found is not None and bool(found.lost or found.doubled or found.wrong_lists)
    return Standing.SPOILT if is_spoilt else Standing.EXACT


def told_of_kills(found: Killed | None) -> str:
    """Say in a cell what kills did."""
    if found is None:
        return "not run through"
    hits = [f"{number(count)} {what}" for what, count in (("lost", found.lost), ("doubled", found.doubled)) if count]
    if found.wrong_lists and not hits:
        return f"{number(found.wrong_lists)} lists wrong"
    return ", ".join(hits) or "all there, once"
