"""The page of a migration in a real browser: how far it is, whether it is still heard of, and what to do next."""

from collections.abc import Generator
from contextlib import closing
from dataclasses import replace
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page, expect

from footfall.app import wiring
from footfall.app.settings import Settings
from footfall.migrate.reporting import Blocked, Progress, keep_progress
from footfall.values.clock import SystemClock
from tests.scenarios.browser.newsroom import Editor, define, looked_at
from tests.scenarios.instance import Instance, Starter

BRAND = "herald"
AHEAD_MS = 600_000  # What was just said stays fresh for as long as a slow machine takes to draw it.
WAITS = Blocked((1_204, 310, 42, 6, 0, 0, 0, 0, 0))


@pytest.fixture(scope="module")
def instance(tmp_path_factory: pytest.TempPathFactory) -> Generator[Instance]:
    folder = tmp_path_factory.mktemp("migration")
    starter = Starter(folder)
    try:
        define(folder / "data", BRAND)
        yield starter.start(folder / "data")
    finally:
        starter.end_all()


def moving() -> Progress:
    """Return what a mover says in the middle of its work."""
    now_ms = SystemClock().now_ms()
    return Progress(
        entity="metric", brand=BRAND, at_ms=now_ms + AHEAD_MS, started_at_ms=now_ms - 60_000, migrated=12_400,
        moving=200, left=7_397, set_aside=3, lag=4, lag_ms=35, per_second=410.5, blocked=WAITS,
    )  # fmt: skip


def say(data: Path, progress: Progress) -> None:
    """Write down how far a migration is beside the running instance, as a mover does."""
    clock = SystemClock()
    with closing(wiring.open_metrics_table(Settings(data_dir=str(data)), clock)) as table:
        keep_progress(table, progress)


def figure(page: Page, name: str) -> str:
    found = page.locator(".figure", has=page.locator(".figure-name").get_by_text(name, exact=True))
    return found.locator(".figure-value").inner_text()


def test_a_migration_is_seen_from_its_first_command_to_its_end(browser: Browser, instance: Instance) -> None:
    editor = Editor(browser, instance, viewport={"width": 1440, "height": 900})
    page = editor.page
    editor.open(f"/catalogue?brand={BRAND}")
    expect(page.get_by_role("link", name="Reads per person")).to_be_visible()
    expect(page.get_by_role("link", name="See the migration")).to_have_count(0)  # There is none yet.
    editor.open(f"/migration?brand={BRAND}")
    expect(page.get_by_role("heading", name="Nothing is being moved into this catalogue")).to_be_visible()
    found = looked_at(editor, "Migration none")

    made = moving()
    say(instance.data, made)  # The page finds out by itself.
    bar = page.get_by_role("progressbar", name="Moving every metric")
    expect(bar).to_have_attribute(
        "aria-valuetext", "62.0 %: 12,400 of 20,000 moved, 7,397 left, 200 moving, 3 set aside"
    )
    assert [figure(page, name) for name in ("Moved", "Moving", "Left", "Set aside", "Time left", "Lag", "State")] == [
        "12,400", "200", "7,397", "3", "19 s", "35 ms", "Moving",
    ]  # fmt: skip
    expect(page.get_by_text("not verified yet")).to_be_visible()
    expect(page.get_by_text("at 411 a second")).to_be_visible()  # 410.5, rounded
    expect(page.get_by_role("row", name="up to 10 ms")).to_contain_text("6")
    found += looked_at(editor, "Migration")

    say(instance.data, replace(made, at_ms=made.at_ms - AHEAD_MS - 300_000))
    expect(page.get_by_role("alert")).to_contain_text("The mover was last heard of 5 min ago")
    found += looked_at(editor, "Migration silent")

    done = replace(made, migrated=20_000, moving=0, left=0, set_aside=0, lag=0, lag_ms=0, differences=0)
    say(instance.data, done)
    expect(page.get_by_text("Everything is moved, and equal on both sides.")).to_be_visible()
    expect(page.get_by_role("alert")).to_have_count(0)
    found += looked_at(editor, "Migration done")
    say(instance.data, replace(done, ended_at_ms=made.started_at_ms + 90_000))
    expect(page.get_by_text("Nothing. It has ended")).to_be_visible()
    assert found == []
    editor.leave()


def test_the_catalogue_leads_to_a_migration_and_back(browser: Browser, instance: Instance) -> None:
    say(instance.data, moving())
    editor = Editor(browser, instance)
    page = editor.page
    editor.open(f"/catalogue?brand={BRAND}")
    page.get_by_role("link", name="See the migration").click()
    expect(page.locator("h1")).to_have_text("Migration")
    assert page.title() == f"Migration: {BRAND} · footfall"
    menu = page.get_by_role("navigation", name="Pages")
    expect(menu.get_by_role("link", name="Migration")).to_have_count(0)
    page.get_by_role("main").get_by_role("link", name="Metrics").click()
    expect(page.get_by_text("12,400 of 20,000 moved")).to_be_visible()
    editor.leave()


def test_a_page_nobody_looks_at_asks_nothing(browser: Browser, instance: Instance) -> None:
    say(instance.data, moving())
    editor = Editor(browser, instance)
    editor.reader.context.add_init_script(
        "Object.defineProperty(document, 'hidden', {get: () => !window.isLookedAt});"
        "document.addEventListener('look', () => { window.isLookedAt = true;"
        " document.dispatchEvent(new Event('visibilitychange')); });"
    )
    editor.open(f"/migration?brand={BRAND}")
    expect(editor.page.get_by_text("Asking how far it is")).to_be_visible()
    assert [one.url for one in editor.reader.requests if "/v1/migrations" in one.url] == []
    editor.inside("document.dispatchEvent(new Event('look'))")
    expect(editor.page.get_by_role("progressbar")).to_be_visible()
    editor.leave()
