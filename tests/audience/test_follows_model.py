"""Whatever is done to the follow graph, it answers as a small model in memory does, on both grounds."""

from collections.abc import Callable

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from footfall.audience import following
from footfall.audience.blocking import block, set_private, unblock
from footfall.audience.follows import Blocked, NotAsked, State
from footfall.audience.things import Thing
from tests.audience.follow_stage import BRAND, GROUNDS, Stage, member, new_stage, series

PEOPLE = [member(name) for name in "abcd"]
THINGS = [*PEOPLE, series("s"), series("#")]
STEPS = st.lists(
    st.one_of(
        st.tuples(st.sampled_from(("follow", "unfollow")), st.sampled_from(PEOPLE), st.sampled_from(THINGS)),
        st.tuples(st.sampled_from(("follow", "block", "approve")), st.sampled_from(PEOPLE), st.sampled_from(PEOPLE)),
        st.tuples(st.sampled_from(("unblock", "decline")), st.sampled_from(PEOPLE), st.sampled_from(PEOPLE)),
        st.tuples(st.sampled_from(("private", "open", "spread")), st.sampled_from(THINGS), st.just(THINGS[0])),
    ),
    max_size=40,
)


class Model:
    """What should be so."""

    def __init__(self) -> None:
        self.at = 0
        self.follows: dict[tuple[Thing, Thing], int] = {}
        self.asked: dict[tuple[Thing, Thing], int] = {}
        self.blocks: set[tuple[Thing, Thing]] = set()
        self.private: set[Thing] = set()

    def follow(self, one: Thing, other: Thing) -> str:
        edge = (one, other)
        if edge in self.follows:
            return "following"
        if (other, one) in self.blocks:
            return "blocked"
        if other in self.private:
            self.asked.setdefault(edge, self.at)
            return "requested"
        self.asked.pop(edge, None)
        self.follows[edge] = self.at
        return "following"

    def unfollow(self, one: Thing, other: Thing) -> str:
        left = (self.follows.pop((one, other), None), self.asked.pop((one, other), None))
        return str(left != (None, None))

    def approve(self, target: Thing, follower: Thing) -> str:
        edge = (follower, target)
        if (target, follower) in self.blocks:
            return "blocked"
        if edge not in self.asked and edge not in self.follows:
            return "not asked"
        if self.asked.pop(edge, None) is not None:
            self.follows.setdefault(edge, self.at)
        return "following"

    def decline(self, target: Thing, follower: Thing) -> str:
        return "None" if self.asked.pop((follower, target), None) is not None else "not asked"

    def block(self, one: Thing, other: Thing) -> str:
        if (one, other) in self.blocks:
            return "False"
        self.blocks.add((one, other))
        self.follows.pop((other, one), None)
        self.asked.pop((other, one), None)
        return "True"

    def unblock(self, one: Thing, other: Thing) -> str:
        is_there = (one, other) in self.blocks
        self.blocks.discard((one, other))
        return str(is_there)


@pytest.mark.hypothesis
@pytest.mark.parametrize("ground", GROUNDS)
def test_the_graph_answers_as_the_model_does(ground: str, request: pytest.FixtureRequest) -> None:
    @settings(
        max_examples=settings().max_examples if ground == "sqlite" else 4,
        suppress_health_check=[HealthCheck.function_scoped_fixture],
    )
    @given(STEPS, st.integers(1, 4))
    def tell(steps: list[tuple[str, Thing, Thing]], limit: int) -> None:
        stage, model = new_stage(request, ground), Model()
        processes = [stage, stage.again()]  # Each believes what it last read.
        for number, (name, one, other) in enumerate(steps):
            stage.clock.advance(1)
            model.at = number
            if one == other:
                continue
            if name in ("private", "open", "spread"):
                _change(processes[number % 2], model, name, one)
                continue
            assert _done(processes[number % 2], name, one, other) == getattr(model, name)(one, other), (name, number)
        _compare(stage, model, limit)

    tell()


def _change(stage: Stage, model: Model, name: str, thing: Thing) -> None:
    if name == "spread":
        stage.follows.spread(BRAND, thing, followers=20_000)
    else:
        set_private(stage.follows, BRAND, thing, is_private=name == "private")
        (model.private.add if name == "private" else model.private.discard)(thing)


def _done(stage: Stage, name: str, one: Thing, other: Thing) -> str:
    acts: dict[str, Callable[[], object]] = {
        "follow": lambda: stage.follows.follow(BRAND, one, other).state,
        "unfollow": lambda: stage.follows.unfollow(BRAND, one, other),
        "approve": lambda: stage.follows.approve(BRAND, one, other).state,
        "decline": lambda: stage.follows.decline(BRAND, one, other),
        "block": lambda: block(stage.follows, BRAND, one, other),
        "unblock": lambda: unblock(stage.follows, BRAND, one, other),
    }
    try:
        return str(acts[name]())
    except Blocked:
        return "blocked"
    except NotAsked:
        return "not asked"


def _compare(stage: Stage, model: Model, limit: int) -> None:
    follows = model.follows
    for thing in THINGS:
        ours = sorted((at, one) for (one, other), at in follows.items() if other == thing)
        theirs = sorted((at, other) for (one, other), at in follows.items() if one == thing)
        assert stage.all_followers(thing, limit=limit) == [one for _, one in ours][::-1]
        assert stage.all_followed(thing, limit=limit) == [one for _, one in theirs][::-1]
        assert following.counts(stage.follows, BRAND, thing) == following.Counts(len(theirs), len(ours))
        both = {one for one in PEOPLE if (thing, one) in follows and (one, thing) in follows}
        found = following.mutual(stage.follows, BRAND, thing, limit=9)
        assert {one.thing for one in found.items} == both
    for one in PEOPLE:
        for other in THINGS:
            wanted = State.NONE
            if (one, other) in follows or (one, other) in model.asked:
                wanted = State.FOLLOWING if (one, other) in follows else State.REQUESTED
            if one != other:
                assert following.state_of(stage.follows, BRAND, one, other)[0] is wanted
