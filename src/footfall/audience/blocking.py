"""Who blocks whom, and what is private: the transaction that makes a block ends the follow of the blocked."""

from dataclasses import replace

from footfall.audience import keys
from footfall.audience.follows import RACES_MAX, Follows, FollowsBusy, edge_of
from footfall.audience.heads import changed_head, with_added
from footfall.audience.things import Thing
from footfall.ports.errors import Changed
from footfall.ports.table import Absent, Action, Check, Delete, Item, Key, Put, Update


def block(follows: Follows, brand: str, blocker: Thing, blocked: Thing) -> bool:
    """Let nobody of that name follow the blocker, neither as before nor anew; return whether it is a new block."""
    edge = edge_of(brand, blocked, blocker)
    at_us = edge.at_us(follows.clock.now_ms())
    item: Item = {"to": keys.blocks(brand, blocker), "at_us": at_us}
    for _ in range(RACES_MAX):
        head = follows.heads.read(brand, blocker)
        writes: dict[Key, Put | Update] = {}
        if not head.has_blocked:
            after = replace(head, has_blocked=True)
            writes = changed_head(brand, blocker, head, after, is_counted=follows.is_counted(brand))
        is_there = follows.table.get(edge.key) is not None
        ended: list[Action] = follows.removals(edge, head) if is_there else [Check(edge.key, (Absent(),))]
        ended += [Delete(edge.request), Put(edge.block, item, expects=(Absent(),))]
        try:
            follows.table.transact(with_added(writes, ended))
        except Changed:
            if follows.table.get(edge.block) is not None:
                return False
            continue
        follows.heads.forget(brand, blocker)
        return True
    raise FollowsBusy(f"{blocked} could not be blocked: others write its follows; try again")


def unblock(follows: Follows, brand: str, blocker: Thing, blocked: Thing) -> bool:
    """Let somebody follow again, which they have to do anew; return whether they were blocked."""
    key = edge_of(brand, blocked, blocker).block
    was_blocked = follows.table.get(key) is not None
    follows.table.delete(Delete(key))
    return was_blocked


def set_private(follows: Follows, brand: str, thing: Thing, *, is_private: bool) -> None:
    """Say whether following a thing has to be approved; those who follow it already stay."""
    for _ in range(RACES_MAX):
        head = follows.heads.read(brand, thing)
        if head.is_private == is_private:
            return
        after = replace(head, is_private=is_private, was_private=True)
        writes = changed_head(brand, thing, head, after, is_counted=follows.is_counted(brand))
        try:
            follows.table.transact(list(writes.values()))
        except Changed:
            continue
        follows.heads.forget(brand, thing)
        return
    raise FollowsBusy(f"{thing} could not be changed: others write it; try again")
