"""What differs between two answers to one question, and what may."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

Item = Mapping[str, Any]
Answer = Mapping[str, Any]

LABELS = ("sectionId", "resourceType", "paidType")
# What says when and how an answer was made, or what the catalogue knows, is not compared: revision, final, keptSince,
# title, address.


@dataclass(frozen=True, slots=True)
class Difference:
    """One thing on which two answers do not agree."""

    query: str
    what: str
    asset: str
    left: object
    right: object


@dataclass(frozen=True, slots=True)
class Tolerance:
    """How far counts may be apart where hits still arrive between two questions, in percent of the larger."""

    percent: float = 0.0

    def lets(self, left: object, right: object) -> bool:
        """Return whether two counts pass for one."""
        if not isinstance(left, int) or not isinstance(right, int):
            return left == right
        return abs(left - right) <= self.percent / 100 * max(left, right)


def has_same_span(left: Answer, right: Answer) -> bool:
    """Return whether both answers are about the same time."""
    return (left.get("from"), left.get("to")) == (right.get("from"), right.get("to"))


def differences(query: str, left: Answer, right: Answer, *, tolerance: Tolerance) -> Iterator[Difference]:
    """Yield everything on which two answers do not agree; closed lists have to agree in full."""
    is_settled = "revision" in left and "revision" in right
    for name in ("brand", "period", "from", "to"):
        if left.get(name) != right.get(name):
            yield Difference(query, name, "", left.get(name), right.get(name))
    allowed = Tolerance() if is_settled else tolerance
    if allowed.percent == 0 and left.get("exact") != right.get("exact"):
        yield Difference(query, "exact", "", left.get("exact"), right.get("exact"))
    yield from _of_items(query, left["items"], right["items"], allowed)


def _of_items(query: str, left: Sequence[Item], right: Sequence[Item], allowed: Tolerance) -> Iterator[Difference]:
    lefts, rights = _by_asset(left), _by_asset(right)
    for asset in [*lefts, *(asset for asset in rights if asset not in lefts)]:
        one, other = lefts.get(asset), rights.get(asset)
        if one is not None and other is not None:
            yield from _of_one(query, asset, one, other, (left, right), allowed)
        elif one is not None and not _may_be_cut(one, right, allowed):
            yield Difference(query, "only left", asset, _place(one), None)
        elif other is not None and not _may_be_cut(other, left, allowed):
            yield Difference(query, "only right", asset, None, _place(other))


def _of_one(
    query: str, asset: str, one: Item, other: Item, lists: tuple[Sequence[Item], Sequence[Item]], allowed: Tolerance
) -> Iterator[Difference]:
    if one.get("rank") != other.get("rank") and not _may_be_swapped(one, other, lists, allowed):
        yield Difference(query, "rank", asset, one.get("rank"), other.get("rank"))
    for name in ("hits", "hitsAtMost"):
        if not allowed.lets(one.get(name), other.get(name)):
            yield Difference(query, name, asset, one.get(name), other.get(name))
    strict = (*LABELS, "change") if allowed.percent == 0 else ()
    for name in strict:
        if one.get(name) != other.get(name):
            yield Difference(query, name, asset, one.get(name), other.get(name))


def _by_asset(items: Sequence[Item]) -> dict[str, Item]:
    return {str(item.get("assetId")): item for item in items}


def _place(item: Item) -> str:
    return f"rank {item.get('rank')}, {item.get('hits')} hits"


def _may_be_cut(item: Item, other: Sequence[Item], allowed: Tolerance) -> bool:
    """Return whether an asset may be just below the last one of the other list."""
    return allowed.percent > 0 and bool(other) and allowed.lets(item.get("hits"), other[-1].get("hits"))


def _may_be_swapped(one: Item, other: Item, lists: tuple[Sequence[Item], Sequence[Item]], allowed: Tolerance) -> bool:
    """Return whether an asset only changed places with some that have as many hits within the tolerance."""
    if allowed.percent == 0:
        return False
    there = [item for item in lists[1] if item.get("rank") == one.get("rank")]
    here = [item for item in lists[0] if item.get("rank") == other.get("rank")]
    return all(allowed.lets(one.get("hits"), item.get("hits")) for item in there) and all(
        allowed.lets(other.get("hits"), item.get("hits")) for item in here
    )
