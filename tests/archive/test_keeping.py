"""Whatever is asked, stopped and done again: each page is kept once, found by those who may, and lost by nobody."""

from collections.abc import Iterator, Sequence
from contextlib import closing
from pathlib import Path

import pytest
from hypothesis import Phase, given, settings

from footfall.adapters.embedded.file_blobs import FileBlobs
from footfall.adapters.embedded.fts_search import FtsSearch
from footfall.adapters.embedded.sqlite_table import SqliteTable
from footfall.archive import contents, finding, keeping, keys, queueing, references, removing, requests, verifying
from footfall.archive.captures import Capture, State, Tombstone
from footfall.archive.indexing import rebuild
from footfall.archive.quotas import OverQuota, Quotas
from footfall.ports.errors import Throttled
from footfall.ports.table import everything
from footfall.values.clock import SetClock
from footfall.values.errors import Refused
from tests.archive.archive_histories import histories, live_through
from tests.archive.archive_world import BRAND, World

NOON_MS = 1_794_744_000_000
PAGE = "https://a.example/"


@pytest.fixture
def world(tmp_path: Path) -> Iterator[World]:
    clock = SetClock(NOON_MS)
    with closing(SqliteTable(":memory:", clock=clock)) as table:
        yield World(table, FileBlobs(tmp_path), clock)


# Every object is synced to the disk, and a history has hundreds; to make one shorter would take minutes.
@settings(max_examples=10, phases=[Phase.explicit, Phase.reuse, Phase.generate])
@given(history=histories)
def test_every_history_ends_with_lists_counts_and_objects_that_agree(
    tmp_path_factory: pytest.TempPathFactory, history: Sequence[tuple[str, int]]
) -> None:
    clock = SetClock(NOON_MS)
    with closing(SqliteTable(":memory:", clock=clock)) as table:
        live_through(World(table, FileBlobs(tmp_path_factory.mktemp("blobs")), clock), history)


def test_members_are_served_in_turns_and_watches_in_between(world: World) -> None:
    for number in range(4):
        world.ask("watch:1", f"https://w.example/{number}", priority=1)
        world.ask("ann", f"https://a.example/{number}")
    served = [world.begin(), world.begin()]
    world.ask("bob", "https://b.example/1")
    world.ask("bob", "https://b.example/2")
    while (begun := world.begin()) is not None:
        served.append(begun)
    people = ["ann", "ann", "bob", "ann"]
    assert [one.by for one in served if one is not None] == [*people, "watch:1", "bob", "ann", *["watch:1"] * 3]


def test_a_page_that_is_open_is_asked_for_once_and_shared_when_one_of_both_wants_it(world: World) -> None:
    first = world.ask("ann", PAGE)
    assert world.ask("ann", PAGE).id == first.id
    assert world.ask("bob", PAGE).id != first.id, "each member has a library"
    assert world.ask("ann", PAGE, hide_banners=True).id != first.id, "another picture"
    assert world.ask("ann", PAGE, is_shared=True).id == first.id
    begun = world.begin()
    assert begun is not None
    assert begun.id == first.id
    assert world.ask("ann", PAGE).id == first.id
    world.store(begun, "text")
    world.keep(begun)
    assert list(world.capture(first.id).spaces) == ["member:ann", f"brand:{BRAND}"]
    assert world.ask("ann", PAGE).id != first.id


def test_a_young_capture_is_used_again_where_it_may_be_seen(world: World) -> None:
    capture = world.kept("ann", PAGE, "text")
    again = world.ask("ann", PAGE, reuse_ms=60_000)
    assert (again.state, again.capture) == (State.DONE, capture.id)
    assert requests.one(world.table, again.id) == again
    assert world.ask("bob", PAGE, reuse_ms=60_000).state is State.PENDING
    world.clock.advance(61_000)
    assert world.ask("ann", PAGE, reuse_ms=60_000).state is State.PENDING


def test_quotas_hold_for_members_and_brands_at_once_and_by_day(world: World) -> None:
    world.quotas = Quotas(open_max=2, per_day_max=3, brand_open_max=3, brand_per_day_max=100)
    world.ask("ann", "https://a.example/1")
    world.ask("ann", "https://a.example/2")
    with pytest.raises(OverQuota, match="you have 2 pages"):
        world.ask("ann", "https://a.example/3")
    world.ask("bob", "https://a.example/1")
    with pytest.raises(OverQuota, match="the brand has 3 pages"):
        world.ask("cem", "https://a.example/1")
    first = world.begin()
    assert first is not None
    world.fail(first)
    world.ask("ann", "https://a.example/3")
    with pytest.raises(OverQuota):
        requests.retry(world.table, first.id, now_ms=world.clock.now_ms(), quotas=world.quotas)
    while (begun := world.begin()) is not None:
        world.fail(begun)
    with pytest.raises(OverQuota, match="3 pages today"):
        world.ask("ann", "https://a.example/4")
    world.clock.advance(86_400_000)
    world.ask("ann", "https://a.example/4")


def test_equal_pictures_and_texts_are_told_and_their_bytes_stored_once(world: World) -> None:
    first = world.kept("ann", PAGE, "text")
    before = world.stored_names()
    second = world.kept("ann", PAGE, "text")
    assert second.same_as == first.id
    assert len(world.stored_names() - before) == 1, "the pack has the times of its exchanges"
    assert world.kept("ann", PAGE, "text", picture=b"other").same_as is None
    assert world.kept("bob", PAGE, "text").same_as is None, "nobody learns what others have"


def test_what_has_not_changed_is_not_kept_if_that_was_wished_and_says_so(world: World) -> None:
    first = world.kept("ann", PAGE, "text")
    world.ask("ann", PAGE, if_changed=True)
    begun = world.begin()
    assert begun is not None
    world.store(begun, "text", picture=b"an advertisement")
    done = world.keep(begun)
    assert (done.state, done.capture, done.says) == (State.DONE, first.id, keeping.UNCHANGED)
    assert finding.capture(world.table, begun.id) is None
    assert [line.id for line in finding.library(world.table, "member:ann").items] == [first.id]
    assert world.kept("ann", PAGE, "other text", if_changed=True).same_as is None


def test_an_attempt_that_was_stopped_leaves_nothing_and_cannot_end_the_next(world: World) -> None:
    world.ask("ann", PAGE)
    begun = world.begin()
    assert begun is not None
    world.store(begun, "seen first")
    world.store(begun, "seen again")  # by whoever went on after a crash
    failed = world.fail(begun)
    assert world.fail(begun) == failed
    again = requests.retry(world.table, begun.id, now_ms=world.clock.now_ms())
    assert (again.state, again.reason) == (State.PENDING, None)
    second = world.begin()
    assert second is not None
    assert second.attempts == 2
    assert world.keep(begun).state is State.RUNNING, "who comes late finds another attempt"
    assert world.fail(begun).state is State.RUNNING
    with pytest.raises(keeping.NothingToKeep):
        world.keep(second)
    world.store(second, "seen at last")
    assert world.keep(second).state is State.DONE
    text = references.bytes_of(world.blobs, world.capture(begun.id).text)
    assert text == b"seen at last"
    world.sweep()
    held = {references.name_of(one.sha256) for one in references.held(world.table, begun.id)}
    assert world.stored_names() == held


def test_a_shared_capture_is_counted_once_for_those_who_see_both_spaces(world: World) -> None:
    capture = world.kept("ann", PAGE, "text")
    removing.share(world.table, capture.id)
    day = {"2026-11-15": 1}
    both = ["member:ann", f"brand:{BRAND}"]
    for spaces in (both, both[:1], both[1:]):
        assert finding.days(world.table, spaces, PAGE, year=2026) == day
        assert [line.id for line in finding.captures(world.table, spaces, PAGE).items] == [capture.id]
    assert finding.days(world.table, ["member:bob"], PAGE, year=2026) == {}
    removing.unshare(world.table, capture.id)
    assert finding.days(world.table, both[1:], PAGE, year=2026) == {}
    assert finding.days(world.table, both, PAGE, year=2026) == day


def test_moments_are_found_by_day_by_nearness_and_page_by_page(world: World) -> None:
    ids: list[str] = []
    for _ in range(7):
        ids.append(world.kept("ann", PAGE, "text", is_shared=True).id)
        world.clock.advance(10 * 3_600_000)
    spaces = ["member:ann", f"brand:{BRAND}"]
    pages: list[str] = []
    after = None
    while True:
        found = finding.captures(world.table, spaces, PAGE, limit=2, after=after)
        pages += [line.id for line in found.items]
        after = found.after
        if after is None:
            break
    assert pages == ids
    counts = finding.days(world.table, spaces, PAGE, year=2026)
    assert sum(counts.values()) == 7
    at_us = world.capture(ids[3]).at_us
    near = finding.nearest(world.table, spaces, PAGE, at_us=at_us + 3_600_000_000)
    assert near is not None
    assert near.id == ids[3]
    with pytest.raises(Refused):
        finding.captures(world.table, spaces, PAGE, after="x" * 40)


def test_a_removed_capture_leaves_a_tombstone_and_its_bytes_go_a_day_later(world: World) -> None:
    mine, other = world.kept("ann", PAGE, "text"), world.kept("bob", PAGE, "text")
    removing.hold(world.table, mine.id, by="judge")
    with pytest.raises(removing.Held, match="judge"):
        world.remove(mine.id)
    assert removing.remove_old(world.table, BRAND, before_us=mine.at_us + 1, now_ms=NOON_MS) == []
    removing.release(world.table, mine.id)
    stone = world.remove(mine.id)
    assert finding.capture(world.table, mine.id) == stone
    assert world.remove(mine.id) == stone
    assert finding.latest(world.table, ["member:ann"], PAGE) is None
    assert finding.days(world.table, ["member:ann"], PAGE, year=2026) == {}
    before = len(world.stored_names())
    assert world.sweep(days=0) == 0
    assert world.sweep(days=2) == 1, "only the pack was nobody else's"
    assert len(world.stored_names()) == before - 1
    for one in references.held(world.table, other.id):
        references.bytes_of(world.blobs, one)
    with pytest.raises(removing.NoSuchCapture):
        removing.hold(world.table, mine.id, by="judge")


def test_retention_removes_what_is_older_and_keeps_what_is_held(world: World) -> None:
    old, held, young = (world.kept("ann", f"https://a.example/{number}", "text") for number in range(3))
    removing.hold(world.table, held.id, by="judge")
    gone = removing.remove_old(world.table, BRAND, before_us=young.at_us, now_ms=NOON_MS)
    assert [(stone.id, stone.removed_by) for stone in gone] == [(old.id, removing.RETENTION)]
    assert isinstance(finding.capture(world.table, old.id), Tombstone)
    assert [line.id for line in finding.library(world.table, "member:ann").items] == [young.id, held.id]


def test_bytes_on_their_way_out_are_not_referred_to_until_they_are_gone(world: World) -> None:
    capture = world.kept("ann", PAGE, "text")
    world.remove(capture.id)
    digest = capture.text.sha256
    world.table.update(references.Update(keys.loose(digest), set={"claimed": True}))  # by one that was then stopped
    world.ask("ann", PAGE)
    begun = world.begin()
    assert begun is not None
    with pytest.raises(Throttled):
        world.store(begun, "text")
    references.remove_loose(world.table, world.blobs, now_ms=world.clock.now_ms())
    world.store(begun, "text")
    assert world.keep(begun).state is State.DONE
    assert references.bytes_of(world.blobs, digest) == b"text"


def test_verifying_finds_what_changed_and_what_is_missing_and_goes_on_where_it_was(world: World) -> None:
    captures = [world.kept("ann", f"https://a.example/{number}", f"text {number}") for number in range(5)]
    world.blobs.put(references.name_of(captures[1].text.sha256), b"damaged")
    world.blobs.delete(references.name_of(captures[2].text.sha256))
    stray = references.Holding("nobody").add(b"stray")
    world.blobs.put(references.name_of(stray.sha256), b"stray")
    rounds = 1
    while not (found := verifying.verify_some(world.table, world.blobs, now_ms=NOON_MS, limit=3)).is_done:
        rounds += 1
    assert rounds > 5
    assert (found.changed, found.missing, found.loose, found.captures) == (1, 1, 1, 5)
    assert found.objects == len(world.stored_names())
    assert {(one.sha256, one.what) for one in verifying.damages(world.table)} == {
        (captures[1].text.sha256, verifying.CHANGED),
        (captures[2].text.sha256, verifying.MISSING),
    }
    for number in (1, 2):
        world.blobs.put(references.name_of(captures[number].text.sha256), b"text %d" % number)
    world.sweep()
    while not (found := verifying.verify_some(world.table, world.blobs, now_ms=NOON_MS)).is_done:
        pass
    assert (found.changed, found.missing, found.loose) == (0, 0, 0)
    assert verifying.damages(world.table) == []


def test_contents_are_counted_and_cleared_but_for_a_hold(world: World) -> None:
    first = world.kept("ann", PAGE, "text", is_shared=True)
    world.remove(world.kept("bob", PAGE, "text").id)
    world.ask("bob", PAGE)
    found = contents.contents(world.table, world.blobs)
    assert [(one.brand, one.captures, one.removed) for one in found.brands] == [(BRAND, 1, 1)]
    assert (found.spaces, found.waiting, found.running) == (2, 1, 0)
    assert found.objects == len(world.stored_names())
    removing.hold(world.table, first.id, by="judge")
    with pytest.raises(removing.Held):
        contents.clear(world.table, world.blobs)
    removing.release(world.table, first.id)
    assert contents.clear(world.table, world.blobs) == 1
    assert isinstance(world.table, SqliteTable)
    assert world.stored_names() == set()
    assert world.table._connection.execute("SELECT partition, sort FROM items").fetchall() == []
    assert isinstance(world.kept("ann", PAGE, "text"), Capture)
    assert queueing.count_waiting(world.table) == 0
    assert list(everything(world.table, keys.LOOSE)) == []


def test_all_that_is_kept_is_found_by_words_again_after_the_index_was_lost(world: World) -> None:
    first, second = (
        world.kept("ann", f"https://a.example/{word}", f"A {word} was seen.") for word in ("gull", "whale")
    )
    world.remove(first.id)
    search = FtsSearch(":memory:")
    assert rebuild(search, finding.everything_kept(world.table), lambda one: references.bytes_of(world.blobs, one)) == 1
    assert [hit.id for hit in search.search("whale", spaces=second.spaces).hits] == [second.id]
    assert not search.search("gull", spaces=first.spaces).hits


def test_a_capture_s_size_is_of_all_that_it_refers_to(world: World) -> None:
    kept = world.kept("ann", "https://a.example/", "a text")
    assert kept.size_bytes == sum(one.size_bytes for one in references.held(world.table, kept.id))
