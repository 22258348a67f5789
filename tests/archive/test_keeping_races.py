"""What happens between two reads of somebody else: what was kept stays whole, whoever sweeps or comes late."""

from dataclasses import replace
from pathlib import Path

import pytest

from footfall.adapters.embedded.file_blobs import FileBlobs
from footfall.adapters.embedded.sqlite_table import SqliteTable
from footfall.archive import finding, references, requests, verifying
from footfall.archive.captures import Capture, Request, Tombstone
from footfall.archive.stored import blobs_of
from footfall.ports.table import Table
from footfall.values.clock import SetClock
from tests.archive.archive_world import World

PAGE = "https://a.example/"


@pytest.fixture
def world(tmp_path: Path) -> World:
    clock = SetClock(1_790_000_000_000)
    return World(SqliteTable(":memory:", clock=clock), FileBlobs(tmp_path), clock)


@pytest.fixture
def begun(world: World) -> Request:
    world.ask("ann", PAGE)
    request = world.begin()
    assert request is not None
    return request


def require_whole(world: World, id: str) -> None:
    world.sweep()
    lost = [one for one in blobs_of(world.capture(id)) if world.blobs.get(references.name_of(one.sha256)) is None]
    assert not lost


def test_a_capture_that_is_late_takes_nothing_from_the_one_that_was_kept(world: World, begun: Request) -> None:
    world.store(begun, "seen by the second call", picture=b"second")
    world.keep(begun)
    world.store(begun, "seen by the first call, which was given up", picture=b"first")
    require_whole(world, begun.id)


def test_what_is_kept_while_it_is_verified_is_not_taken_for_gone(
    world: World, begun: Request, monkeypatch: pytest.MonkeyPatch
) -> None:
    world.store(begun, "a text")
    read = finding.capture

    def kept_in_between(table: Table, id: str) -> Capture | Tombstone | None:
        found = read(table, id)
        if found is None:
            world.keep(begun)
        return found

    monkeypatch.setattr(finding, "capture", kept_in_between)
    while not verifying.verify_some(world.table, world.blobs, now_ms=world.clock.now_ms()).is_done:
        pass
    monkeypatch.undo()
    world.keep(begun)
    require_whole(world, begun.id)


def test_verifying_misses_what_a_capture_names_although_no_row_refers_to_it(world: World, begun: Request) -> None:
    world.store(begun, "a text")
    world.keep(begun)
    named = {one.sha256 for one in blobs_of(world.capture(begun.id))}
    references.let_go(world.table, begun.id, now_ms=world.clock.now_ms())
    for digest in named:
        world.blobs.delete(references.name_of(digest))
    while not (told := verifying.verify_some(world.table, world.blobs, now_ms=world.clock.now_ms())).is_done:
        pass
    assert told.missing == len(named)


def test_a_page_that_is_open_in_one_brand_is_another_request_in_the_next(world: World) -> None:
    one, other = (
        requests.ask(world.table, replace(world.new("ann", PAGE), brand=brand), now_ms=world.clock.now_ms())
        for brand in ("a", "b")
    )
    assert (one.brand, other.brand) == ("a", "b")
    assert one.id != other.id


def test_a_young_capture_that_is_nobody_else_s_is_not_used_where_it_was_to_be_shared(world: World) -> None:
    mine = world.kept("ann", PAGE, "a text")
    assert world.ask("ann", PAGE, reuse_ms=3_600_000).capture == mine.id
    assert world.ask("ann", PAGE, reuse_ms=3_600_000, is_shared=True).capture is None
