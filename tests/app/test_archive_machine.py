"""The archive's tasks and its sweep: errors named after their reasons, nothing done twice, nothing left behind."""

import json
from collections.abc import Callable, Iterator
from contextlib import closing
from dataclasses import replace
from pathlib import Path
from random import Random

import pytest

from footfall.adapters.chromium.launching import chromium_path
from footfall.adapters.embedded.file_blobs import FileBlobs
from footfall.adapters.embedded.sqlite_workflow import SqliteWorkflow
from footfall.app import archive_machine
from footfall.app.archive_capturing import Capturer
from footfall.app.archive_machine import FAILURES, ONE, KillsWorkers, Tasks, as_read, definition
from footfall.app.archive_opening import open_archive
from footfall.app.archive_run import Grounds, Worker, dispatch, start, sweep, tidy
from footfall.app.settings import Settings
from footfall.archive import finding, keys, references, removing, requests
from footfall.archive.captures import Capture, Request, State, Tombstone
from footfall.ports.capturing import RETRIED, Capturing, Frame, Reason
from footfall.ports.errors import NoSpace
from footfall.ports.table import Table, Update
from footfall.states.definition import machine_from_json
from footfall.states.execution import Status
from footfall.states.values import Json
from footfall.values.clock import SetClock, SystemClock
from tests.app.archive_campaign import Site
from tests.archive.archive_world import BRAND, World, seen
from tests.scenarios.instance import until

PAGE = "https://a.example/"


@pytest.fixture(scope="module")
def site() -> Iterator[Site]:
    site = Site()
    yield site
    site.close()


@pytest.fixture(scope="module")
def capturer(site: Site) -> Iterator[Capturer]:
    capturer = Capturer(Settings(archive_allowed=f"127.0.0.1:{site.port}"))
    yield capturer
    capturer.close()


def nobody() -> Capturing:
    raise AssertionError("nobody needs a browser for this")


@pytest.fixture
def settings(tmp_path: Path) -> Settings:
    return Settings(data_dir=str(tmp_path), archive_keep_days=30)


@pytest.fixture
def grounds(settings: Settings) -> Iterator[Grounds]:
    grounds = Grounds(settings, SystemClock())
    yield grounds
    grounds.close()


def world_of(grounds: Grounds) -> World:
    archive = grounds.own().archive
    return World(archive.table, archive.blobs, SetClock(SystemClock().now_ms()))


def tasks_of(grounds: Grounds, capturing: Callable[[], Capturing] = nobody) -> Tasks:
    return Tasks(grounds.ground, capturing, lambda url: url, SystemClock())


def workflow_of(folder: str, tasks: Tasks) -> SqliteWorkflow:
    return SqliteWorkflow(
        Path(folder) / "archive-workflows.db", machines={ONE: definition()}, tasks=tasks.by_name(),
        clock=SystemClock(), chance=Random(1), threads=2,
    )  # fmt: skip


def test_the_machine_is_sound_and_tries_again_what_may_be_otherwise_later() -> None:
    machine_from_json(definition())
    retried = {
        name for retrier in json.loads(definition())["States"]["Capture"]["Retry"] for name in retrier["ErrorEquals"]
    }
    assert {one.__name__ for reason, one in FAILURES.items() if reason in RETRIED} <= retried
    assert not {one.__name__ for reason, one in FAILURES.items() if reason not in RETRIED} & retried


def test_pages_end_with_their_reasons_and_a_sweep_mends_what_was_lost(
    settings: Settings, grounds: Grounds, site: Site, capturer: Capturer
) -> None:
    world, table, clock = world_of(grounds), grounds.own().archive.table, SystemClock()
    lost = world.ask("ann", f"http://127.0.0.1:{site.port}/page/1")
    assert world.begin() is not None  # and whoever took it out of the queue was killed before it started anything
    stopped = world.ask("bob", f"http://127.0.0.1:{site.port}/page/2")
    begun = world.begin()
    assert begun is not None
    missing = world.ask("cem", f"http://127.0.0.1:{site.port}/gone/3")
    with closing(workflow_of(settings.data_dir, tasks_of(grounds, capturer.capturing))) as workflow:
        name = f"{stopped.id}-1"
        workflow.start(ONE, name=name, input={"id": "of another", "attempt": 1})
        until(lambda: workflow.describe(ONE, name=name).status, lambda one: one is not Status.RUNNING, seconds=60)
        assert dispatch(table, workflow, places=2, now_ms=clock.now_ms()) == 0, "both places are taken"
        assert sweep(table, workflow, now_ms=clock.now_ms()) == 2
        assert dispatch(table, workflow, places=2, now_ms=clock.now_ms()) == 1
        for id in (lost.id, missing.id):
            name = f"{id}-1"
            until(lambda: workflow.describe(ONE, name=name).status, lambda one: one is not Status.RUNNING, seconds=120)  # noqa: B023
    told = {id: requests.one(table, id) for id in (lost.id, stopped.id, missing.id)}
    assert [one.state for one in told.values()] == [State.DONE, State.FAILED, State.FAILED]
    assert (told[stopped.id].reason, told[stopped.id].says) == (Reason.CRASHED, archive_machine.BROKEN_OFF)
    assert told[missing.id].reason is Reason.NOT_FOUND
    assert "no page" in told[missing.id].says
    found = grounds.own().archive.searching.search("page", spaces=["member:ann"])
    assert [hit.id for hit in found.hits] == [lost.id]
    assert not grounds.own().archive.searching.search("page", spaces=["member:bob"]).hits


def test_pages_wait_while_no_browser_starts(settings: Settings, grounds: Grounds, tmp_path: Path) -> None:
    broken = tmp_path / "chromium"
    broken.write_text("#!/bin/sh\nexit 1\n")
    broken.chmod(0o755)
    asked = world_of(grounds).ask("ann", PAGE)
    rounds = iter([False, False, True])
    capturer = Capturer(replace(settings, archive_chromium=str(broken)))
    Worker(settings, SystemClock(), Random(1), capturer).run(lambda _seconds: next(rounds))
    assert requests.one(grounds.own().archive.table, asked.id).state is State.PENDING


class FullAtFirst(FileBlobs):
    """A folder on a disk that is full for the first writes."""

    refused = 0

    def put(self, name: str, data: bytes) -> None:
        if self.refused < 2:
            self.refused += 1
            raise NoSpace(f"no space for {name}; nothing was written, free some and try again")
        super().put(name, data)


def test_a_page_for_which_there_is_no_space_waits_for_some(
    settings: Settings, grounds: Grounds, site: Site, capturer: Capturer, tmp_path: Path
) -> None:
    asked = world_of(grounds).ask("ann", f"http://127.0.0.1:{site.port}/page/7")
    table, full = grounds.own().archive.table, FullAtFirst(tmp_path / "full")
    tasks = Tasks(lambda: replace(grounds.ground(), blobs=full), capturer.capturing, lambda url: url, SystemClock())
    with closing(workflow_of(settings.data_dir, tasks)) as workflow:
        assert dispatch(table, workflow, places=1, now_ms=SystemClock().now_ms()) == 1
        name = f"{asked.id}-1"
        until(lambda: workflow.describe(ONE, name=name).status, lambda one: one is not Status.RUNNING, seconds=120)
    assert full.refused == 2
    assert requests.one(table, asked.id).state is State.DONE
    capture = finding.capture(table, asked.id)
    assert isinstance(capture, Capture)
    assert references.bytes_of(full, capture.text)


def test_a_page_under_way_when_no_browser_starts_any_more_waits_for_one(
    settings: Settings, grounds: Grounds, site: Site, tmp_path: Path
) -> None:
    world, table, tried = world_of(grounds), grounds.own().archive.table, tmp_path / "tried"
    chromium = tmp_path / "chromium"
    chromium.write_text(f"#!/bin/sh\necho >> {tried}\nexit 1\n")
    chromium.chmod(0o755)
    asked = world.ask("ann", f"http://127.0.0.1:{site.port}/page/1")
    begun = world.begin()
    assert begun is not None
    allowed = f"127.0.0.1:{site.port}"
    capturer = Capturer(replace(settings, archive_chromium=str(chromium), archive_allowed=allowed))
    with (
        closing(capturer),
        closing(workflow_of(settings.data_dir, tasks_of(grounds, capturer.capturing))) as workflow,
    ):
        start(workflow, begun)
        until(lambda: tried.exists() and len(tried.read_text()), lambda tries: tries >= 2, seconds=120)
        started = table.get(keys.running(asked.id))
        chromium.write_text(f'#!/bin/sh\nexec {chromium_path()} "$@"\n')
        name = f"{asked.id}-1"
        until(lambda: workflow.describe(ONE, name=name).status, lambda one: one is not Status.RUNNING, seconds=240)
    assert started is not None
    assert int(str(started["starts"])) <= 1, "what no browser began is held against no page"
    assert requests.one(table, asked.id).state is State.DONE


def test_a_sweep_takes_nothing_from_what_is_kept_while_it_looks(
    settings: Settings, grounds: Grounds, monkeypatch: pytest.MonkeyPatch
) -> None:
    world, table = world_of(grounds), grounds.own().archive.table
    world.ask("ann", PAGE)
    begun = world.begin()
    assert begun is not None
    world.store(begun, "a text")
    read, name = requests.one, f"{begun.id}-1"

    def kept_in_between(table: Table, id: str) -> Request:
        found = read(table, id)
        monkeypatch.undo()
        world.keep(begun)
        return found

    with closing(workflow_of(settings.data_dir, tasks_of(grounds))) as workflow:
        workflow.start(ONE, name=name, input={"id": "of another", "attempt": 1})
        until(lambda: workflow.describe(ONE, name=name).status, lambda one: one is not Status.RUNNING, seconds=60)
        monkeypatch.setattr(requests, "one", kept_in_between)
        sweep(table, workflow, now_ms=SystemClock().now_ms())
    assert requests.one(table, begun.id).state is State.DONE
    assert list(references.held(table, begun.id))


def test_what_is_kept_of_an_article_is_its_text_without_the_menus() -> None:
    story = "".join(
        f"<p>The harbour was open for {hour} hours, and boats came and went all day.</p>" for hour in range(12)
    )
    menu = "<nav><a href='/'>Home</a><a href='/sport'>Sport</a><a href='/weather'>Weather</a></nav>"
    html = (
        f"<html><head><title>Harbour</title></head><body>{menu}<article><h1>Harbour</h1>{story}</article></body></html>"
    )
    told = as_read(replace(seen(PAGE, "Home Sport Weather Harbour", at_us=1), frames=[Frame(PAGE, html)]))
    assert "boats came and went" in told.text
    assert "Sport" not in told.text


def test_a_page_that_ends_its_worker_each_time_is_given_up(grounds: Grounds) -> None:
    world, table = world_of(grounds), grounds.own().archive.table
    world.ask("ann", PAGE)
    begun = world.begin()
    assert begun is not None
    table.update(Update(keys.running(begun.id), set={"starts": archive_machine.STARTS_MAX}))
    tasks = tasks_of(grounds)
    with pytest.raises(KillsWorkers):
        tasks.capture({"id": begun.id, "attempt": 1}, "key")
    tasks.fail({"id": begun.id, "attempt": 1, "error": {"Error": "KillsWorkers", "Cause": ""}}, "key")
    assert requests.one(table, begun.id).says == archive_machine.KILLS


def test_a_task_that_is_called_again_does_its_work_once(grounds: Grounds) -> None:
    world, table = world_of(grounds), grounds.own().archive.table
    world.ask("ann", PAGE)
    begun = world.begin()
    assert begun is not None
    told: dict[str, Json] = {"id": begun.id, "attempt": 1}
    tasks = tasks_of(grounds)
    world.store(begun, "text")  # and whoever did was killed before it could say so
    assert tasks.capture(told, "key") == {"stored": True}, "what was seen is stored, and nobody looks again"
    assert tasks.keep(told, "key") == tasks.keep(told, "key") == {"state": "done", "capture": begun.id}
    assert tasks.capture(told, "key") == {"stored": False}
    tasks.fail({**told, "error": {"Error": "Crashed", "Cause": "{}"}}, "key")
    assert isinstance(finding.capture(table, begun.id), Capture)


def test_what_is_too_old_goes_and_is_found_no_more_unless_it_is_held(settings: Settings, grounds: Grounds) -> None:
    world, opened = world_of(grounds), grounds.own()
    old, held = (world.kept("ann", f"https://{name}.example/", "text") for name in ("a", "b"))
    removing.hold(opened.archive.table, held.id, by="judge")
    later_ms = SystemClock().now_ms() + 31 * 86_400_000
    assert tidy(opened, settings, now_ms=later_ms) == (1, 0)
    assert isinstance(finding.capture(opened.archive.table, old.id), Tombstone)
    assert isinstance(finding.capture(opened.archive.table, held.id), Capture)
    with closing(open_archive(settings, SystemClock())) as other:
        assert tidy(other, settings, now_ms=later_ms + 2 * 86_400_000) == (0, 2)
    assert BRAND in removing.brands(opened.archive.table)
