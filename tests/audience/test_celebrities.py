"""A thing with very many followers: divided by itself, as cheap to follow as any other, and read in pages."""

from contextlib import closing
from pathlib import Path

import pytest

from footfall.adapters.embedded.sqlite_table import SqliteTable
from footfall.audience import following, keys
from footfall.audience.blocking import block
from footfall.audience.follows import Follows
from footfall.audience.heads import SHARDS_BY_FOLLOWERS
from footfall.audience.keys import AUDIENCE_INDEXES
from footfall.audience.personal import erase_some
from footfall.audience.things import Thing
from footfall.values.clock import SetClock
from tests.audience.follow_stage import BRAND, GROUNDS, NOW_MS, CountedTable, member, new_stage

STAR = Thing("actor", "star")
A_COMMIT = 5_000


def followed_by(path: Path | str, count: int) -> tuple[SqliteTable, CountedTable, Follows, SetClock]:
    clock = SetClock(NOW_MS)
    inner = SqliteTable(path, clock=clock, indexes=AUDIENCE_INDEXES, durable=False)
    table = CountedTable(inner)
    follows = Follows(table, clock=clock)
    for start in range(0, count, A_COMMIT):
        with inner.together():
            for number in range(start, min(start + A_COMMIT, count)):
                clock.advance(1)
                follows.follow(BRAND, member(number), STAR)
    return inner, table, follows, clock


def require_as_cheap_as_any(table: CountedTable, follows: Follows, clock: SetClock, *, count: int, shards: int) -> None:
    """Assert that one more follower, and a page of them, cost what they should."""
    table.taken()
    clock.advance(1)
    follows.follow(BRAND, member("one more"), STAR)
    assert table.taken() == {"transact": 1, "actions": 3}
    page = following.followers(follows, BRAND, STAR, limit=20)
    newest = [member("one more"), *(member(number) for number in range(count - 1, count - 20, -1))]
    assert [one.thing for one in page.items] == newest
    queries = table.taken()["query"]
    assert shards <= queries <= 2 * shards
    assert page.after is not None
    following.followers(follows, BRAND, STAR, limit=20, after=page.after)
    assert table.taken()["query"] <= 2 * shards
    assert following.counts(follows, BRAND, STAR).followers == count + 1
    assert table.taken() == {"query": 1, "get": shards - 1}


@pytest.mark.parametrize("blocks", [False, True], ids=["who blocks nobody", "who blocks"])
@pytest.mark.parametrize("uncounted", [(), (BRAND,)], ids=["with counts", "without"])
@pytest.mark.parametrize("ground", GROUNDS)
def test_no_key_takes_more_than_a_small_share_of_a_celebrity_s_writes(
    request: pytest.FixtureRequest, ground: str, uncounted: tuple[str, ...], *, blocks: bool
) -> None:
    stage = new_stage(request, ground, uncounted=uncounted)
    assert stage.follows.spread(BRAND, STAR, followers=2_000_000) == SHARDS_BY_FOLLOWERS[0][1]
    if blocks:
        block(stage.follows, BRAND, STAR, member("rude"))
        stage.follows.heads.read(BRAND, STAR)
    follows = 1_000 if ground == "sqlite" else 300
    stage.table.partitions.clear()
    for number in range(follows):
        stage.follow(member(number), STAR)
    units = {(False, False): 7, (False, True): 9, (True, False): 2, (True, True): 5}[bool(uncounted), blocks] * follows
    assert stage.table.partitions.total() == units
    partition, most = stage.table.partitions.most_common(1)[0]
    assert most <= units / 25, f"{most} of {units} units are those of {partition}"


@pytest.mark.parametrize("ground", GROUNDS)
def test_a_count_stays_exact_while_its_thing_is_divided_and_once_it_is_erased_nothing_is_left(
    request: pytest.FixtureRequest, ground: str
) -> None:
    stage = new_stage(request, ground)
    other, fans = stage.again(), [member(number) for number in range(40)]
    for step, expected, shards in ((0, 10, 1), (10, 20_000, 16), (20, 2_000_000, 64)):
        assert stage.follows.spread(BRAND, STAR, followers=expected) == shards
        for fan in fans[step : step + 10]:
            other.follow(fan, STAR)
        assert following.counts(stage.follows, BRAND, STAR).followers == step + 10
    for fan in fans[:15]:  # They followed before there were so many shards.
        assert stage.follows.unfollow(BRAND, fan, STAR)
    assert following.counts(other.follows, BRAND, STAR) == following.Counts(0, 15)
    while erase_some(stage.follows, BRAND, STAR, 100):
        pass
    places = (keys.count_of_followers(BRAND, STAR, shard) for shard in range(64))
    assert [stage.table.get(key) for key in places] == [None] * 64
    assert following.counts(stage.follows, BRAND, STAR) == following.Counts(0, 0)


def test_a_thing_with_more_than_10_000_followers_is_divided_by_itself() -> None:
    count = 11_500
    inner, table, follows, clock = followed_by(":memory:", count)
    with closing(inner):
        assert follows.heads.read(BRAND, STAR).shards == 16
        require_as_cheap_as_any(table, follows, clock, count=count, shards=16)


@pytest.mark.soak
def test_a_thing_with_a_million_followers_costs_a_write_what_any_other_does(tmp_path: Path) -> None:
    most, shards = SHARDS_BY_FOLLOWERS[0]
    count = most + 20_000
    inner, table, follows, clock = followed_by(tmp_path / "audience.db", count)
    with closing(inner):
        require_as_cheap_as_any(table, follows, clock, count=count, shards=shards)
        lists = (keys.followers(BRAND, STAR, shard) for shard in range(shards))
        sizes = [len(inner.query(one, limit=500, index=keys.FOLLOWERS).items) for one in lists]
        assert min(sizes) > 100, "the followers of after the growth are spread evenly"
