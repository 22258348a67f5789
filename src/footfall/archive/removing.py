"""Removing captures, which leaves a tombstone; holding them, so that nobody can; and what is too old."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace

from footfall.archive import finding, keys
from footfall.archive.captures import Capture, Tombstone
from footfall.archive.keeping import counted_in, lines_in
from footfall.archive.references import let_go
from footfall.archive.stored import CAPTURE, item_of_record, line_of
from footfall.ports.errors import Changed, Throttled
from footfall.ports.table import Action, Condition, Delete, Equals, Put, Table, Update, everything
from footfall.values.errors import Refused

TRIES_MAX = 10
WHY_CHARACTERS_MAX = 500
RETENTION = "retention"  # who removes what is too old


class NoSuchCapture(Refused):
    """There is no capture under that id, or it was removed."""


class Held(Refused):
    """The capture is under legal hold."""


def remove(table: Table, id: str, *, by: str, why: str, now_ms: int) -> Tombstone:
    """Remove a capture and leave a tombstone; raise Held or NoSuchCapture. Its bytes go a day later."""
    for _ in range(TRIES_MAX):
        found = finding.capture(table, id)
        if isinstance(found, Tombstone):
            let_go(table, id, now_ms=now_ms)
            return found
        capture = _required(found, id)
        if capture.held_by is not None:
            raise Held("id", f"{id} is under legal hold by {capture.held_by}; it has to be released before")
        stone = Tombstone(
            id, capture.brand, capture.spaces, capture.key, capture.at_us, now_ms, by, why[:WHY_CHARACTERS_MAX]
        )
        try:
            table.transact(list(_removal(capture, stone)))
        except Changed:
            continue
        let_go(table, id, now_ms=now_ms)
        return stone
    raise Throttled(f"capture {id} is being changed by others all the time; try again")


def hold(table: Table, id: str, *, by: str) -> Capture:
    """Put a capture under legal hold: nobody removes it until it is released."""
    return _changed(table, id, lambda one: replace(one, held_by=one.held_by or by))


def release(table: Table, id: str) -> Capture:
    """Release a capture from legal hold."""
    return _changed(table, id, lambda one: replace(one, held_by=None))


def set_outside_url(table: Table, id: str, url: str) -> Capture:
    """Say where an outside archive keeps the page."""
    return _changed(table, id, lambda one: replace(one, outside_url=url[:2_000]))


def share(table: Table, id: str) -> Capture:
    """Put a capture into its brand's space as well."""
    return _changed(table, id, lambda one: replace(one, spaces=_with(one, keys.brand_space(one.brand))))


def unshare(table: Table, id: str) -> Capture:
    """Take a capture out of its brand's space, unless it belongs there."""
    return _changed(table, id, lambda one: replace(one, spaces=one.spaces[:1]))


def remove_old(table: Table, brand: str, *, before_us: int, now_ms: int, limit: int = 1_000) -> Sequence[Tombstone]:
    """Remove some captures of a brand from before a moment, but those that are held."""
    removed: list[Tombstone] = []
    for found in everything(table, keys.all_of(brand), at_most=keys.moment(before_us, "0")):
        try:
            why = "It was older than captures are kept."
            removed.append(remove(table, str(found.item["id"]), by=RETENTION, why=why, now_ms=now_ms))
        except Held:
            continue
        if len(removed) >= limit:
            break
    return removed


def brands(table: Table) -> Sequence[str]:
    """Return the brands that have, or had, captures."""
    return [found.key.sort for found in everything(table, keys.BRANDS)]


def _changed(table: Table, id: str, change: Callable[[Capture], Capture]) -> Capture:
    for _ in range(TRIES_MAX):
        before = _required(finding.capture(table, id), id)
        after = change(before)
        if after == before:
            return before
        try:
            table.transact(list(_replacing(before, after)))
        except Changed:
            continue
        return after
    raise Throttled(f"capture {id} is being changed by others all the time; try again")


def _replacing(before: Capture, after: Capture) -> Iterator[Action]:
    yield Put(keys.capture(after.id), item_of_record(after), expects=_still(before))
    came = [space for space in after.spaces if space not in before.spaces]
    went = [space for space in before.spaces if space not in after.spaces]
    if line_of(after) != line_of(before) or came:
        for space in after.spaces:
            yield from lines_in(after, space)
    yield from (counted_in(after, space, by=1) for space in came)
    for space in went:
        yield from _out_of(before, space)


def _removal(capture: Capture, stone: Tombstone) -> Iterator[Action]:
    yield Put(keys.capture(capture.id), item_of_record(stone), expects=_still(capture))
    yield Delete(keys.one_of(capture.brand, at_us=capture.at_us, id=capture.id))
    yield Put(keys.removed_one(capture.brand, at_us=capture.at_us, id=capture.id), {"id": capture.id})
    yield Update(keys.brand(capture.brand), add={"captures": -1, "bytes": -capture.size_bytes, "removed": 1})
    for space in capture.spaces:
        yield from _out_of(capture, space)


def _out_of(capture: Capture, space: str) -> Iterator[Action]:
    yield Delete(keys.line_by_address(space, capture.key, at_us=capture.at_us, id=capture.id))
    yield Delete(keys.line_by_time(space, at_us=capture.at_us, id=capture.id))
    yield counted_in(capture, space, by=-1)


def _still(capture: Capture) -> Sequence[Condition]:
    return (
        Equals("kind", CAPTURE),
        Equals("held_by", capture.held_by),
        Equals("outside_url", capture.outside_url),
        Equals("spaces", list(capture.spaces)),
    )


def _with(capture: Capture, space: str) -> Sequence[str]:
    return list(dict.fromkeys([*capture.spaces, space]))


def _required(found: Capture | Tombstone | None, id: str) -> Capture:
    if not isinstance(found, Capture):
        was = "was removed" if found is not None else "is not a capture here"
        raise NoSuchCapture("id", f"{id[:40]!r} {was}")
    return found
