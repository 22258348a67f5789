"""A feed tells what followed things published, the newest first, however many are followed; suggestions are bounded."""

import pytest

from footfall.audience import publishing
from footfall.audience.blocking import block
from footfall.audience.follows import Follows
from footfall.audience.publishing import FEW, WEEK_MS, Publication, feed, publish, published, unpublish
from footfall.audience.suggesting import suggested
from footfall.audience.things import Thing
from footfall.values.errors import Refused
from tests.audience.follow_stage import BRAND, GROUNDS, NOW_MS, Stage, member, new_stage, series

ME = member("me")


@pytest.fixture(params=GROUNDS)
def stage(request: pytest.FixtureRequest) -> Stage:
    return new_stage(request, request.param)


def tell(stage: Stage, thing: Thing, id: str, *, at_ms: int) -> None:
    publish(stage.table, BRAND, Publication(thing, id, at_ms, {"title": id}), now_ms=NOW_MS + WEEK_MS)


def whole_feed(follows: Follows, *, limit: int) -> list[str]:
    found: list[str] = []
    after: str | None = ""
    while after is not None:
        page = feed(follows, BRAND, ME, limit=limit, after=after)
        found += [one.id for one in page.items]
        after = page.after
    return found


@pytest.mark.parametrize("count", [3, FEW + 1])
def test_a_feed_is_what_followed_things_published_in_the_order_of_time(stage: Stage, count: int) -> None:
    stage.follow(ME, *(series(number) for number in range(count)))
    wanted: list[str] = []
    for number in range(40):  # of the last weeks, some at one moment, every fourth by somebody who is not followed
        thing = series(number % 3) if number % 4 else series("other")
        tell(stage, thing, f"e{number:02}", at_ms=NOW_MS - (40 - number) // 2 * WEEK_MS // 7)
        wanted += [f"e{number:02}"] if number % 4 else []
    tell(stage, series(1), "old", at_ms=NOW_MS - 20 * WEEK_MS)
    found = whole_feed(stage.follows, limit=7)
    assert sorted(found) == sorted(wanted)
    moments = [NOW_MS - (40 - int(id[1:])) // 2 * WEEK_MS // 7 for id in found]
    assert moments == sorted(moments, reverse=True)
    assert whole_feed(stage.follows, limit=100) == found


def test_a_feed_takes_as_many_queries_as_is_said(stage: Stage) -> None:
    stage.follow(ME, *(series(number) for number in range(FEW)))
    for number in range(FEW + 5):
        tell(stage, series(number), "1", at_ms=NOW_MS)
    stage.table.taken()
    assert len(feed(stage.follows, BRAND, ME, limit=5).items) == 5
    assert stage.table.taken() == {"query": 1 + FEW}
    stage.follow(ME, *(series(number) for number in range(FEW, FEW + 5)))
    stage.table.taken()
    assert len(feed(stage.follows, BRAND, ME, limit=20).items) == 20
    assert stage.table.taken() == {"query": 2}


def test_a_page_of_a_feed_looks_at_so_many_and_the_next_goes_on(
    request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch
) -> None:
    stage = new_stage(request, "sqlite")
    monkeypatch.setattr(publishing, "LOOKED_AT_MAX", 10)
    stage.follow(ME, *(series(number) for number in range(FEW + 1)))
    for number in range(35):
        tell(stage, series("other"), str(number), at_ms=NOW_MS - number)
    tell(stage, series(1), "mine", at_ms=NOW_MS - 30)
    first = feed(stage.follows, BRAND, ME, limit=5)
    assert (list(first.items), first.after is None) == ([], False)
    assert whole_feed(stage.follows, limit=5) == ["mine"]


def test_publishing_again_replaces_and_what_is_taken_back_is_gone(stage: Stage) -> None:
    tell(stage, series(1), "a", at_ms=NOW_MS - 9)
    tell(stage, series(1), "b", at_ms=NOW_MS - 5)
    tell(stage, series(1), "a", at_ms=NOW_MS)
    assert [one.id for one in published(stage.table, BRAND, series(1), limit=9).items] == ["a", "b"]
    assert published(stage.table, BRAND, series(1), limit=1).items[0].about == {"title": "a"}
    unpublish(stage.table, BRAND, series(1), "a")
    assert [one.id for one in published(stage.table, BRAND, series(1), limit=9).items] == ["b"]


def test_what_cannot_be_published_is_refused_with_a_sentence(request: pytest.FixtureRequest) -> None:
    table = new_stage(request, "sqlite").table
    for wrong, says in (
        (Publication(ME, "", NOW_MS), "id: is missing"),
        (Publication(ME, "x" * 257, NOW_MS), "id: has 257 bytes"),
        (Publication(ME, "x", NOW_MS + 1), "at: is not a moment of the past"),
        (Publication(ME, "x", -1), "at: is not a moment of the past"),
        (Publication(ME, "x", NOW_MS, {"a": "x" * 5_000}), "about: has 5,008 bytes as JSON"),
        (Publication(ME, "x", NOW_MS, {"a": "\ud800"}), "about: has a lone surrogate"),
    ):
        with pytest.raises(Refused, match=says):
            publish(table, BRAND, wrong, now_ms=NOW_MS)


def test_suggestions_are_what_those_follow_who_follow_the_same(stage: Stage) -> None:
    stage.follow(ME, series("a"), series("b"))
    stage.follow(member(1), series("a"), series("b"), series("c"), member("x"))
    stage.follow(member(2), series("b"), series("d"), series("c"))
    stage.follow(member(3), series("z"))
    stage.follow(ME, member("x"))
    stage.table.taken()
    found = suggested(stage.follows, BRAND, ME, limit=9)
    assert [(one.thing, one.weight) for one in found] == [(series("c"), 4), (series("d"), 1)]
    assert stage.table.taken() == {"query": 1 + 3 + 2 + 2}
    assert suggested(stage.follows, BRAND, ME, limit=9, kind="member") == []
    assert suggested(stage.follows, BRAND, member("nobody"), limit=9) == []


def test_nobody_is_suggested_who_blocks_the_asker_or_is_blocked_by_it(stage: Stage) -> None:
    stage.follow(ME, series("a"))
    stage.follow(member(1), series("a"), member("x"), member("y"), member("z"))
    block(stage.follows, BRAND, member("x"), ME)
    block(stage.follows, BRAND, ME, member("y"))
    assert [one.thing for one in suggested(stage.follows, BRAND, ME, limit=9)] == [member("z")]


def test_suggestions_of_a_kind_are_found_behind_any_number_of_another(stage: Stage) -> None:
    stage.follow(ME, series("a"))
    stage.follow(member(1), series("a"), *(member(f"n{number}") for number in range(120)), series("good"))
    assert [one.thing for one in suggested(stage.follows, BRAND, ME, limit=9, kind="series")] == [series("good")]


def test_suggestions_take_at_most_43_queries(request: pytest.FixtureRequest) -> None:
    stage = new_stage(request, "sqlite")
    for number in range(60):
        stage.follow(member(number), *(series(one) for one in range(number % 7, 50)))
    stage.follow(ME, *(series(number) for number in range(40)))
    stage.table.taken()
    assert len(suggested(stage.follows, BRAND, ME, limit=5)) == 5
    assert stage.table.taken() == {"query": 43}
