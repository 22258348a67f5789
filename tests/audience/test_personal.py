"""All of a member is handed out and erased, in steps, and whoever is left has right counts."""

from collections.abc import Iterator

import pytest

from footfall.audience import following
from footfall.audience.blocking import block, set_private
from footfall.audience.kept_lists import Kept, Row, all_rows, some_rows
from footfall.audience.personal import erase_some, kept
from footfall.audience.publishing import Publication, publish
from footfall.ports.table import Found, everything
from footfall.values.errors import Refused
from tests.audience.follow_stage import BRAND, GROUNDS, NOW_MS, Stage, member, new_stage, series

ME, DARK = member("me"), series("dark")


@pytest.fixture(params=[*GROUNDS, "uncounted"])
def stage(request: pytest.FixtureRequest) -> Stage:
    if request.param == "uncounted":
        return new_stage(request, "sqlite", uncounted=[BRAND])
    return new_stage(request, request.param)


def _lived(stage: Stage) -> None:
    stage.follow(ME, DARK, member(1), member(2))
    for number in range(30):
        stage.follow(member(number), ME)
    stage.follows.spread(BRAND, ME, followers=20_000)
    for number in range(30, 40):
        stage.follow(member(number), ME, DARK)
    set_private(stage.follows, BRAND, member(9), is_private=True)
    set_private(stage.follows, BRAND, ME, is_private=True)
    stage.follow(ME, member(9))
    stage.follow(member(50), ME)
    block(stage.follows, BRAND, ME, member(3))
    block(stage.follows, BRAND, member(8), ME)
    publish(stage.table, BRAND, Publication(ME, "post", NOW_MS, {"text": "ü"}), now_ms=NOW_MS)


def test_all_of_a_member_is_handed_out(stage: Stage) -> None:
    _lived(stage)
    rows = list(all_rows(kept(stage.follows, BRAND, ME)))
    told = [f"{row['what']} {row.get('thing', row.get('id'))}" for row in rows]
    assert {"follows series:dark", "follows member:2", "asked member:9", "asked by member:50"} < set(told)
    assert {"blocks member:3", "published post"} < set(told)
    assert sorted(one for one in told if one.startswith("follower ")) == sorted(
        f"follower member:{number}" for number in range(40) if number != 3
    )
    assert not any("member:8" in one for one in told if not one.startswith("follower"))
    assert len(told) == 3 + 39 + 1 + 1 + 1 + 1


def test_all_of_a_member_is_erased_in_steps_and_others_keep_theirs(stage: Stage) -> None:
    _lived(stage)
    steps = 0
    while erase_some(stage.follows, BRAND, ME, 7):
        steps += 1
    assert steps > 6
    assert list(all_rows(kept(stage.follows, BRAND, ME))) == []
    is_counted = stage.follows.is_counted(BRAND)
    for thing, counts in ((ME, (0, 0)), (DARK, (0, 10)), (member(1), (0, 0)), (member(35), (1, 0))):
        wanted = following.Counts(*counts) if is_counted else following.Counts(None, None)
        assert following.counts(stage.follows, BRAND, thing) == wanted
    assert len(stage.all_followers(DARK)) == 10
    assert stage.all_followers(ME) == []
    assert stage.follows.follow(BRAND, member(3), ME).is_new, "neither blocks nor privacy are left"
    assert erase_some(stage.follows, BRAND, ME, 100) > 0
    assert erase_some(stage.follows, BRAND, member("never heard of"), 100) == 0


def paged(lists: list[Kept], *, reads_max: int) -> list[Row]:
    """Return all rows as pages of so many reads tell them."""
    rows, after = list[Row](), ""
    while True:
        some = some_rows(lists, after=after, reads_max=reads_max)
        assert len(some.rows) <= reads_max
        rows += some.rows
        if some.after is None:
            return rows
        after = some.after


@pytest.mark.parametrize("reads_max", [1, 2, 7, 1_000])
def test_what_is_handed_out_some_at_a_time_is_all_of_it_in_its_order(stage: Stage, reads_max: int) -> None:
    _lived(stage)
    lists = kept(stage.follows, BRAND, ME)
    whole = [row for one in lists for row in one.rows(list(everything_of(one)))]
    assert len(whole) == 3 + 39 + 1 + 1 + 1 + 1
    assert paged(lists, reads_max=reads_max) == whole


def test_a_place_of_another_question_is_refused_with_a_sentence(stage: Stage) -> None:
    _lived(stage)
    after = some_rows(kept(stage.follows, BRAND, ME), reads_max=2).after
    assert after
    for wrong in (after, "x", "gqFh", "kaFh"):
        with pytest.raises(Refused, match="after: is not what an answer said"):
            some_rows(kept(stage.follows, BRAND, DARK)[1:], after=wrong)


def everything_of(one: Kept) -> Iterator[Found]:
    return everything(one.table, one.partition, at_most=one.at_most, index=one.index)
