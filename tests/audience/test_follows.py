"""Follows are written whole or not at all, answer the same twice, and are read in as few queries as is promised."""

import pytest

from footfall.audience import following
from footfall.audience.blocking import block, set_private, unblock
from footfall.audience.follows import Blocked, FollowsItself, FollowsTooMuch, NotAsked, State
from footfall.audience.heads import SHARDS_MAX, counted
from footfall.audience.merging import Place, text_from_place
from footfall.audience.things import Thing
from footfall.values.errors import Refused
from tests.audience.follow_stage import BRAND, GROUNDS, Stage, member, new_stage, series

DARK = series("dark")
ODD_IDS = (
    "#",
    "a#b",
    "a\x7fb",
    "%2F/../",
    "日本語",
    "🧙",
    "e\u0301",
    "\u00e9",
    " ",
    "x" * 256,
    "👨‍👩‍👧",
    "'; DROP",
    "\u202e",
)


@pytest.fixture(params=GROUNDS)
def stage(request: pytest.FixtureRequest) -> Stage:
    return new_stage(request, request.param)


def test_a_follow_is_one_transaction_of_three_and_following_twice_changes_nothing(stage: Stage) -> None:
    first = stage.follows.follow(BRAND, member(1), DARK)
    assert stage.table.taken() == {"transact": 1, "actions": 3}
    stage.clock.advance(60_000)
    again = stage.follows.follow(BRAND, member(1), DARK)
    assert (first.is_new, again.is_new, again.at_us) == (True, False, first.at_us)
    assert following.counts(stage.follows, BRAND, DARK) == following.Counts(0, 1)
    stage.table.taken()
    assert stage.follows.unfollow(BRAND, member(1), DARK)
    assert stage.table.taken() == {"transact": 1, "actions": 3}
    assert not stage.follows.unfollow(BRAND, member(1), DARK)
    assert following.counts(stage.follows, BRAND, DARK) == following.Counts(0, 0)
    assert following.counts(stage.follows, BRAND, member(1)) == following.Counts(0, 0)
    assert stage.all_followers(DARK) == stage.all_followed(member(1)) == []


def test_every_read_is_one_query(stage: Stage) -> None:
    me = member("me")
    stage.follow(me, *(series(number) for number in range(130)))
    stage.table.taken()
    asked = [series(number) for number in range(100, 200)]
    found = following.which_of(stage.follows, BRAND, me, asked)
    assert stage.table.taken() == {"query": 1}
    assert set(found) == {series(number) for number in range(100, 130)}
    assert following.state_of(stage.follows, BRAND, me, series(7))[0] is State.FOLLOWING
    assert stage.table.taken() == {"get": 1}
    page = following.following(stage.follows, BRAND, me, limit=20)
    assert stage.table.taken() == {"query": 1}
    assert [one.thing for one in page.items] == [series(number) for number in range(129, 109, -1)]
    assert following.counts(stage.follows, BRAND, me) == following.Counts(130, 0)
    assert stage.table.taken() == {"query": 1}
    following.followers(stage.follows, BRAND, series(7), limit=20)
    assert stage.table.taken() == {"query": 1}
    with pytest.raises(Refused, match="has 101 things, from 1 to 100 are taken"):
        following.which_of(stage.follows, BRAND, me, [series(number) for number in range(101)])


def test_lists_of_one_kind_are_still_one_query(stage: Stage) -> None:
    stage.follow(member(1), DARK, member(2), Thing("actor", "x"), series("light"), Thing("author", "z"))
    stage.table.taken()
    page = following.following(stage.follows, BRAND, member(1), limit=9, kind="series")
    assert [one.thing for one in page.items] == [series("light"), DARK]
    assert stage.table.taken() == {"query": 1}


def test_a_thing_with_many_followers_is_divided_and_read_in_the_same_order(stage: Stage) -> None:
    fans = [member(number) for number in range(60)]
    for fan in fans[:20]:
        stage.follow(fan, DARK)
    other = stage.again()  # It believes that there is one shard.
    assert stage.follows.spread(BRAND, DARK, followers=20_000) == 16
    for fan in fans[20:40]:
        stage.follow(fan, DARK)
    for fan in fans[40:]:
        other.follow(fan, DARK)
    assert other.table.taken()["transact"] == 21, "only the first was mistaken about the shards"
    for limit in (1, 7, 100):
        assert stage.all_followers(DARK, limit=limit) == fans[::-1]
    assert following.counts(stage.follows, BRAND, DARK).followers == 60
    shards = {found.key.partition for found in counted(stage.table, BRAND, DARK) if found.item.get("n")}
    assert len(shards) > 8
    for fan in fans[::2]:
        assert other.follows.unfollow(BRAND, fan, DARK)
    assert stage.all_followers(DARK, limit=7) == fans[1::2][::-1]
    assert following.counts(stage.follows, BRAND, DARK).followers == 30


def test_a_follow_of_a_divided_thing_costs_what_any_other_does(stage: Stage) -> None:
    stage.follows.spread(BRAND, DARK, followers=1_000_001)
    assert stage.follows.head(_edge(member(1))).shards == SHARDS_MAX
    stage.follows.follow(BRAND, member(1), DARK)
    stage.table.taken()
    stage.follows.follow(BRAND, member(2), DARK)
    assert stage.table.taken() == {"transact": 1, "actions": 3}
    stage.clock.advance(61_000)  # It is forgotten, and found out again by the write that fails.
    stage.follows.follow(BRAND, member(3), DARK)
    assert stage.table.taken() == {"transact": 2, "actions": 6, "get": 4}


def test_a_page_goes_on_where_it_ended_whatever_happens_between(stage: Stage) -> None:
    fans = [member(number) for number in range(30)]
    for fan in fans:  # all of one millisecond
        stage.follows.follow(BRAND, fan, DARK)
    first = following.followers(stage.follows, BRAND, DARK, limit=10)
    assert first.after is not None
    stage.clock.advance(5)
    for newer in range(100, 110):
        stage.follows.follow(BRAND, member(newer), DARK)
    stage.follows.unfollow(BRAND, first.items[-1].thing, DARK)
    second = following.followers(stage.follows, BRAND, DARK, limit=100, after=first.after)
    seen = [one.thing for one in (*first.items, *second.items)]
    assert sorted(seen) == sorted(fans)
    assert len(set(seen)) == 30
    made_up = (Place(-1, ""), Place(10**18, ""), Place(1, "", 65), Place(1, "", 0))
    for after in ("x" * 9, "é", *map(text_from_place, made_up)):
        with pytest.raises(Refused, match="is not what an answer said"):
            following.followers(stage.follows, BRAND, DARK, limit=10, after=after)


def test_nothing_follows_itself_and_nobody_follows_more_than_is_allowed(request: pytest.FixtureRequest) -> None:
    stage = new_stage(request, "sqlite", follows_max=3)
    with pytest.raises(FollowsItself, match="a thing cannot follow itself"):
        stage.follows.follow(BRAND, member(1), member(1))
    stage.follow(member(1), series(1), series(2), series(3))
    with pytest.raises(FollowsTooMuch, match="follows 3 things, at most 3 are possible; unfollow some first"):
        stage.follows.follow(BRAND, member(1), series(4))
    assert not stage.follows.follow(BRAND, member(1), series(3)).is_new
    assert following.counts(stage.follows, BRAND, series(4)) == following.Counts(0, 0)
    stage.follows.unfollow(BRAND, member(1), series(1))
    assert stage.follows.follow(BRAND, member(1), series(4)).is_new


def test_ids_of_any_script_are_told_apart(stage: Stage) -> None:
    things = [Thing("author", id) for id in ODD_IDS]
    stage.follow(member("ü#"), *things)
    assert stage.all_followed(member("ü#")) == things[::-1]
    for thing in things:
        assert stage.all_followers(thing) == [member("ü#")]
    assert set(following.which_of(stage.follows, BRAND, member("ü#"), things)) == set(things)


def test_a_block_ends_the_follow_in_one_transaction_and_stands_in_the_way_of_another(stage: Stage) -> None:
    stage.follow(member(1), member(2))
    stage.follow(member(3), member(2))
    stage.table.taken()
    assert block(stage.follows, BRAND, member(2), member(1))
    assert stage.table.taken()["transact"] == 1
    assert not block(stage.follows, BRAND, member(2), member(1))
    assert stage.all_followers(member(2)) == [member(3)]
    assert following.counts(stage.follows, BRAND, member(2)) == following.Counts(0, 1)
    for process in (stage, stage.again()):
        with pytest.raises(Blocked, match=r"'member:2' blocks 'member:1'"):
            process.follows.follow(BRAND, member(1), member(2))
    stage.follow(member(4), member(2))  # Everybody else is let in.
    assert [one.thing for one in following.blocked(stage.follows, BRAND, member(2), limit=9).items] == [member(1)]
    assert unblock(stage.follows, BRAND, member(2), member(1))
    assert not unblock(stage.follows, BRAND, member(2), member(1))
    assert stage.follows.follow(BRAND, member(1), member(2)).is_new
    assert stage.all_followers(member(2)) == [member(1), member(4), member(3)]


def test_a_private_thing_is_asked_first(stage: Stage) -> None:
    other = stage.again()
    other.follow(member(7), member(2))
    set_private(stage.follows, BRAND, member(2), is_private=True)
    asked = other.follows.follow(BRAND, member(1), member(2))
    assert (asked.state, asked.is_new) == (State.REQUESTED, True)
    assert other.follows.follow(BRAND, member(1), member(2)).at_us == asked.at_us
    assert following.state_of(stage.follows, BRAND, member(1), member(2)) == (State.REQUESTED, asked.at_us)
    other.follow(member(3), member(2))
    stage.table.taken()
    waiting = following.requests(stage.follows, BRAND, member(2), limit=9)
    assert stage.table.taken() == {"query": 1}
    assert [one.thing for one in waiting.items] == [member(3), member(1)]
    assert stage.follows.approve(BRAND, member(2), member(1)).state is State.FOLLOWING
    stage.follows.decline(BRAND, member(2), member(3))
    for act in (stage.follows.approve, stage.follows.decline):
        with pytest.raises(NotAsked, match="'member:3' did not ask to follow 'member:2'"):
            act(BRAND, member(2), member(3))
    assert stage.all_followers(member(2)) == [member(1), member(7)]
    assert other.follows.follow(BRAND, member(4), member(2)).state is State.REQUESTED
    assert other.follows.unfollow(BRAND, member(4), member(2)), "a request is taken back"
    set_private(stage.follows, BRAND, member(2), is_private=False)
    assert other.follows.follow(BRAND, member(4), member(2)).state is State.FOLLOWING


@pytest.mark.parametrize("ground", GROUNDS)
@pytest.mark.parametrize("uncounted", [(), (BRAND,)])
def test_whoever_follows_what_is_open_again_and_leaves_it_has_asked_for_nothing(
    request: pytest.FixtureRequest, ground: str, uncounted: tuple[str, ...]
) -> None:
    stage = new_stage(request, ground, uncounted=uncounted)
    graph, me, shy = stage.follows, member(1), member(2)
    set_private(graph, BRAND, shy, is_private=True)
    assert graph.follow(BRAND, me, shy).state is State.REQUESTED
    set_private(graph, BRAND, shy, is_private=False)
    assert graph.follow(BRAND, me, shy).state is State.FOLLOWING
    assert following.requests(graph, BRAND, shy, limit=9).items == []
    assert graph.unfollow(BRAND, me, shy)
    assert following.state_of(graph, BRAND, me, shy) == (State.NONE, None)
    set_private(graph, BRAND, shy, is_private=True)
    with pytest.raises(NotAsked):
        graph.approve(BRAND, shy, me)
    assert graph.follow(BRAND, me, shy).state is State.REQUESTED
    assert graph.unfollow(BRAND, me, shy)
    assert not graph.unfollow(BRAND, me, shy)


def test_a_brand_without_counts_writes_one_item(request: pytest.FixtureRequest) -> None:
    for ground in GROUNDS:
        stage = new_stage(request, ground, uncounted=[BRAND])
        stage.follow(member(1), DARK)
        assert stage.table.taken() == {"get": 1, "put": 1}
        stage.follow(member(1), series("light"))
        stage.follow(member(2), DARK)  # What was looked up is known for a minute.
        assert stage.table.taken() == {"get": 1, "put": 2}
        assert not stage.follows.follow(BRAND, member(1), DARK).is_new
        assert following.counts(stage.follows, BRAND, DARK) == following.Counts(None, None)
        stage.follows.spread(BRAND, DARK, followers=20_000)
        for number in range(3, 40):
            stage.follow(member(number), DARK)
        assert stage.all_followers(DARK, limit=9) == [member(number) for number in range(39, 0, -1)]
        block(stage.follows, BRAND, DARK, member(5))
        with pytest.raises(Blocked):
            stage.follows.follow(BRAND, member(5), DARK)
        stage.table.taken()
        assert stage.follows.unfollow(BRAND, member(6), DARK)
        assert stage.table.taken() == {"delete": 1}
        assert len(stage.all_followers(DARK)) == 37


def test_without_counts_another_process_knows_of_a_block_within_a_minute(request: pytest.FixtureRequest) -> None:
    stage = new_stage(request, "sqlite", uncounted=[BRAND])
    other = stage.again(uncounted=[BRAND])
    other.follow(member(1), DARK)
    block(stage.follows, BRAND, DARK, member(2))
    stage.clock.advance(60_001)
    with pytest.raises(Blocked):
        other.follows.follow(BRAND, member(2), DARK)


def _edge(follower: Thing) -> "following.Edge":
    return following.edge_of(BRAND, follower, DARK)


@pytest.mark.parametrize("count", [20, 130])
def test_mutual_follows_are_found_of_those_who_follow_few_and_many(request: pytest.FixtureRequest, count: int) -> None:
    stage, me = new_stage(request, "sqlite"), member("me")
    stage.follow(me, *(member(number) for number in range(count)))
    for number in (3, 200, 5, 7, 201, 11, 202):
        stage.follow(member(number), me)
    found: list[Thing] = []
    after: str | None = ""
    stage.table.taken()
    while after is not None:
        page = following.mutual(stage.follows, BRAND, me, limit=3, after=after)
        found += [one.thing for one in page.items]
        after = page.after
    assert found == [member(11), member(7), member(5), member(3)]
    assert stage.table.taken() == ({"query": 4} if count > 100 else {"query": 2, "get": 2 * count})
