"""Histories of an archive that hypothesis makes up: who asks, what is kept, what is stopped in between."""

from collections.abc import Sequence
from random import Random

from hypothesis import strategies as st

from footfall.archive import queueing, references, removing, requests
from footfall.archive.captures import Capture, State
from footfall.archive.finding import capture
from tests.archive.archive_world import World, require_nothing_left_over, require_whole

MEMBERS = ["ann", "bob", "cem"]
PAGES = ["https://a.example/", "https://b.example/"]
ACTS = (
    "ask", "ask", "ask shared", "ask if changed", "begin", "begin", "store", "store", "keep", "keep", "keep twice",
    "whole", "whole", "whole", "fail", "retry", "remove", "remove", "hold", "release", "share", "unshare", "day",
)  # fmt: skip

histories = st.lists(st.tuples(st.sampled_from(ACTS), st.integers(0, 1_000)), min_size=40, max_size=90)


def live_through(world: World, history: Sequence[tuple[str, int]]) -> None:
    """Do everything that a history tells, and look at all of it from time to time and in the end."""
    stored: set[tuple[str, int]] = set()
    for number, (act, choice) in enumerate(history):
        _do(world, act, Random(choice), stored)
        if number % 10 == 9:
            require_whole(world, MEMBERS, PAGES)
    require_whole(world, MEMBERS, PAGES)
    require_nothing_left_over(world)


def _do(world: World, act: str, chance: Random, stored: set[tuple[str, int]]) -> None:
    match act:
        case "ask" | "ask shared" | "ask if changed":
            member, page = chance.choice(MEMBERS), chance.choice(PAGES)
            world.ask(member, page, is_shared=act == "ask shared", if_changed=act == "ask if changed")
        case "begin":
            world.begin()
        case "store" | "keep" | "keep twice" | "fail":
            _go_on(world, act, chance, stored)
        case "whole":
            world.ask(chance.choice(MEMBERS), chance.choice(PAGES))
            if (begun := world.begin()) is not None:
                world.store(begun, f"text {chance.randrange(2)}")
                assert world.keep(begun).state is State.DONE
        case "retry":
            _retry(world, chance)
        case "day":
            world.clock.advance(90_000_000)
            references.remove_loose(world.table, world.blobs, now_ms=world.clock.now_ms())
        case _:
            _change(world, act, chance)


def _go_on(world: World, act: str, chance: Random, stored: set[tuple[str, int]]) -> None:
    running = queueing.running(world.table)
    if not running:
        return
    request = requests.one(world.table, chance.choice(running).id)
    if act == "fail":
        world.fail(request)
        references.let_go(world.table, request.id, now_ms=world.clock.now_ms())
    elif act == "store":
        world.store(request, f"text {chance.randrange(3)}", picture=b"picture %d" % chance.randrange(2))
        stored.add((request.id, request.attempts))
    elif (request.id, request.attempts) in stored:
        done = world.keep(request)
        assert done.state is State.DONE
        if act == "keep twice":
            assert world.keep(request) == done


def _retry(world: World, chance: Random) -> None:
    if world.asked:
        id = chance.choice(sorted(world.asked))
        try:
            requests.retry(world.table, id, now_ms=world.clock.now_ms())
        except requests.NothingToRetry:
            return


def _change(world: World, act: str, chance: Random) -> None:
    there = [id for id in sorted(world.asked) if isinstance(capture(world.table, id), Capture)]
    if not there:
        return
    id = chance.choice(there)
    if act == "remove":
        if id in world.held:
            try:
                world.remove(id)
            except removing.Held:
                return
            raise AssertionError("what is held was removed")
        world.remove(id)
        world.removed.add(id)
    elif act == "hold":
        removing.hold(world.table, id, by="judge")
        world.held.add(id)
    elif act == "release":
        removing.release(world.table, id)
        world.held.discard(id)
    else:
        (removing.share if act == "share" else removing.unshare)(world.table, id)
