"""The first hour of an asset that nobody described: what an editor sees of it while it is new."""

from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from playwright.sync_api import Browser, expect

from tests.scenarios.browser.newsroom import SCREENSHOTS, Editor
from tests.scenarios.browser.scene import WAIT_S
from tests.scenarios.instance import Instance, Starter, hit, until

HITS = 40


@pytest.fixture
def young(starter: Starter, data: Path) -> Instance:
    instance = starter.start(data)
    now = datetime.now(tz=UTC)
    hits = [
        hit("fresh", sectionId=501, visitor=f"r{n}", at=(now - timedelta(seconds=7 * n)).isoformat())
        for n in range(HITS)
    ]
    assert instance.post(hits).status == 202
    instance.drained("abc")
    return instance


def test_an_asset_s_first_hour_is_drawn_labelled_and_compared_with_what_there_is(
    browser: Browser, young: Instance
) -> None:
    editor = Editor(browser, young)
    page = editor.page
    editor.open("/assets/fresh?brand=abc")
    expect(page.get_by_role("button", name="Two hours")).to_have_attribute("aria-pressed", "true")
    expect(page).to_have_title("fresh: abc · footfall")
    expect(page.locator(".labels-list")).to_contain_text("501")
    expect(page.get_by_role("main")).not_to_contain_text("none either time")
    page.get_by_role("button", name="Two days").click()
    expect(page.get_by_role("button", name="Two days")).to_have_attribute("aria-pressed", "true")
    expect(page.locator(".keys .so-far")).to_have_text("so far")
    page.get_by_text("The same as a table").click()
    expect(page.locator(".as-table tbody tr").first).to_contain_text("so far")
    expect(page.get_by_role("main")).not_to_contain_text("none either time")
    SCREENSHOTS.mkdir(parents=True, exist_ok=True)
    page.screenshot(path=SCREENSHOTS / "asset-of-the-first-hour.png", full_page=True, animations="disabled")
    assert editor.violations() == []
    editor.choose_page("Most read")
    expect(page).to_have_title("Most read: abc · footfall")
    until(
        lambda: page.locator(".spark svg").first.get_attribute("aria-label"),
        lambda said: said is not None and "at most 0" not in said,
        seconds=WAIT_S,
    )
    editor.leave()


def test_sections_are_compared_with_yesterday_and_it_is_said(browser: Browser, starter: Starter, data: Path) -> None:
    instance = starter.start(data, "--set", "count_lateness_hours=48")
    now = datetime.now(tz=UTC)
    hits = [
        hit("story", sectionId=section, visitor=f"r{n}", at=(now - timedelta(hours=hours)).isoformat())
        for section, hours, times in (("news", 27, 2), ("sports", 27, 1), ("sports", 3, 3), ("culture", 3, 2))
        for n in range(times)
    ]
    assert instance.post(hits).status == 202
    instance.drained("abc")
    editor = Editor(browser, instance)
    page = editor.page
    editor.open("/sections?brand=abc&period=day")
    sections = page.get_by_role("region", name="Sections")
    expect(sections).to_contain_text("+66.7% on the same time yesterday")
    expect(sections.get_by_role("columnheader", name="Change on yesterday", exact=True)).to_be_visible()
    expect(sections.get_by_role("row", name="sports")).to_contain_text("up 1")
    expect(sections.get_by_role("row", name="sports")).to_contain_text("+200%")
    expect(sections.get_by_role("row", name="culture")).to_contain_text("new")
    assert editor.violations() == []
    editor.leave()


def test_what_has_no_past_and_no_title_is_said_to_have_none(browser: Browser, young: Instance) -> None:
    editor = Editor(browser, young)
    page = editor.page
    editor.open("/sections?brand=abc&period=day")
    expect(page.get_by_text("nothing was counted at the same time yesterday").first).to_be_visible()
    editor.choose_page("Settings")
    box = page.get_by_role("region", name="Most-read box")
    expect(box).to_contain_text("1 of the 1 most read has no title and is left out, so the box is empty.")
    expect(box).to_contain_text("catalog_fetch_titles")
    assert editor.violations() == []
    editor.leave()


def test_a_page_that_asks_goes_on_after_a_look_at_another_tab(browser: Browser, young: Instance) -> None:
    editor = Editor(browser, young)
    page = editor.page
    page.route("**/v1/live*", lambda route: route.abort())
    editor.open("/?brand=abc")
    expect(page.locator(".pulse")).to_have_text("refreshed")
    expect(page.locator("#last-hit .figure-value")).to_contain_text("ago")
    for is_hidden in ("true", "false"):
        editor.inside(
            f"Object.defineProperty(document, 'hidden', {{value: {is_hidden}, configurable: true}});"
            "document.dispatchEvent(new Event('visibilitychange'))"
        )
    assert young.post([hit("second", visitor="s")]).status == 202
    until(editor.rows, lambda rows: "second" in rows, seconds=WAIT_S)
    editor.leave(expected=["ERR_FAILED"])
