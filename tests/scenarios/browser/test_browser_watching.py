"""The page Watching in a real browser: viewers and minutes as they come, how far it is watched, what it earned."""

import itertools
import json
import time
from pathlib import Path

from playwright.sync_api import Browser, Page, expect

from tests.scenarios.browser.newsroom import Editor, looked_at
from tests.scenarios.browser.scene import WAIT_S
from tests.scenarios.browser.test_browser_people import set_up
from tests.scenarios.browser.test_browser_settings import bearer, make_key
from tests.scenarios.instance import Instance, Starter, footfall, until

TERMS = {"name": "2026-01", "from": "2026-01-01", "to": "2026-02-01", "currency": "EUR", "pool": 4_500_007}


def ping(session: str, sequence: int, *, at_ms: int, state: str = "playing") -> dict[str, object]:
    return {
        "brand": "herald", "session": session, "sequence": sequence, "assetId": "harbour-1", "playhead": sequence * 10,
        "state": state, "at": at_ms + sequence * 10_000, "duration": 100, "sectionId": "drama", "series": "the-harbour",
    }  # fmt: skip


def send(instance: Instance, key: dict[str, str], *beats: dict[str, object]) -> None:
    assert instance.call("POST", "/v1/pings", json.dumps(beats).encode(), key).status == 202


def watch(editor: Editor, key: dict[str, str]) -> None:
    """Let one viewing end and another go on until the page counts it."""
    page, instance, beats = editor.page, editor.instance, itertools.count()
    at_ms = int(time.time() * 1_000) - 200_000
    send(instance, key, *(ping("one", number, at_ms=at_ms) for number in range(6)))
    send(instance, key, ping("one", 6, at_ms=at_ms, state="ended"))

    def viewers() -> str:
        number = next(beats)
        # Each beat is of its own moment.
        send(instance, key, ping("two", number, at_ms=int(time.time() * 1_000) - number * 10_000))
        page.wait_for_timeout(500)
        return page.inner_text("#viewers-now .figure-value")

    until(viewers, lambda shown: shown == "1", seconds=WAIT_S)


def see_minutes_and_a_curve(page: Page) -> None:
    expect(page.locator("#minutes-today .figure-value")).not_to_have_text("0 min")
    listed = page.get_by_role("region", name="Most watched")
    expect(listed.locator("tbody tr")).to_have_count(1)
    expect(listed.get_by_role("link", name="harbour-1")).to_be_visible()
    expect(page.get_by_role("region", name="Sections").get_by_text("drama")).to_be_visible()
    curve = page.get_by_role("region", name="How far it is watched")
    drawn = curve.get_by_role("img", name="of 1 viewing that is over, 100% saw the beginning")
    expect(drawn).to_be_visible(timeout=90_000)  # It is asked for again every minute.
    page.get_by_role("button", name="Series", exact=True).click()
    expect(listed.get_by_text("the-harbour")).to_be_visible()
    page.get_by_role("button", name="Assets", exact=True).click()
    page.evaluate("scrollTo({top: 0, behavior: 'instant'})")
    page.get_by_role("button", name="How far harbour-1 is watched").click()
    expect(curve).to_be_focused()  # It lies far below, and whoever asked for it is taken to it.
    expect(curve).to_be_in_viewport()


def take_the_statement_along(page: Page) -> None:
    row = page.get_by_role("region", name="Closed periods").locator("tbody tr")
    expect(row).to_contain_text("45,000.07 EUR")
    expect(row).to_contain_text("2026-01-01 to 2026-01-31")
    with page.expect_download() as saved:
        row.get_by_role("link", name="2026-01 as CSV").click()
    assert saved.value.suggested_filename == "2026-01.csv"
    with page.expect_popup() as printed:
        row.get_by_role("link", name="2026-01 as a page to print").click()
    expect(printed.value.locator("body")).to_contain_text("2026-01")
    printed.value.close()


def test_an_owner_sees_who_watches_how_far_and_what_it_earned(browser: Browser, starter: Starter, data: Path) -> None:
    instance = starter.start(data, dev=False)
    editor = Editor(browser, instance)
    page = editor.page
    set_up(editor, instance)
    editor.choose_page("Watching")
    # Nothing was watched yet, and each part says so.
    for words in ("Nothing was watched in this span", "Nobody watches at this moment", "No period is closed yet"):
        expect(page.get_by_role("heading", name=words)).to_be_visible()
    assert looked_at(editor, "Watching nothing") == []
    editor.choose_page("Settings")
    key = bearer(make_key(editor))
    terms = data.parent / "january.json"
    terms.write_text(json.dumps(TERMS))
    closed = footfall("earnings", "close", str(terms), "--data", str(data), "--brand", "herald")
    assert closed.returncode == 0, closed.stderr
    editor.choose_page("Watching")
    watch(editor, key)
    see_minutes_and_a_curve(page)
    take_the_statement_along(page)
    page.evaluate("scrollTo({top: 0, behavior: 'instant'})")  # The head would lie across the content.
    assert looked_at(editor, "Watching at work") == []
    editor.leave()


def test_whoever_is_nobody_s_administrator_is_told_who_sees_earnings(
    browser: Browser, starter: Starter, data: Path
) -> None:
    instance = starter.start(data)
    editor = Editor(browser, instance)
    editor.open("/watching?brand=abc")
    expect(editor.page.get_by_role("heading", name="Watching", exact=True)).to_be_visible()
    expect(editor.page.get_by_role("region", name="Earnings")).to_contain_text("administers the brand")
    editor.settle()
    asked = [request.url for request in editor.reader.requests]
    assert not [url for url in asked if "/v1/audience/earnings" in url]
    editor.leave()
