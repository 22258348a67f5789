"""The archive's pages in a real browser: found by day and by words, seen, compared, held, removed and watched."""

import json
from collections.abc import Generator
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from PIL import Image
from playwright.sync_api import Browser, Locator, expect

from tests.scenarios.browser.archived import BAND_PX, Page, ask, keep, opened
from tests.scenarios.browser.newsroom import Editor, looked_at
from tests.scenarios.browser.scene import WAIT_S
from tests.scenarios.browser.test_browser_people import set_up, shown
from tests.scenarios.instance import Starter, until

BRAND = "herald"
HOSTILE = "<img src=x onerror=\"document.title='taken'\"> </title><script>alert(1)</script>"
URL = "https://harbour.example/news"
OLD = Page(URL, HOSTILE, "The harbour is shut.\n<b>Ferries</b> wait.\n" + "Nothing else is new. " * 40, ["#204060"] * 4)
NEW = Page(
    URL, "Harbour reopens", OLD.text.replace("is shut", "reopens on Monday"), ["#204060", "#e0b020", *["#204060"] * 3]
)
DAYS = (datetime(2025, 3, 9, 8, 15, tzinfo=UTC), datetime(2026, 2, 3, 9, 30, tzinfo=UTC))
MOMENTS = (datetime(2026, 11, 2, 7, 0, 5, tzinfo=UTC), datetime(2026, 11, 2, 18, 45, 9, tzinfo=UTC))


@pytest.fixture(scope="module")
def editor(browser: Browser, tmp_path_factory: pytest.TempPathFactory) -> Generator[Editor]:
    """Somebody who signed in, and has captures of three days."""
    folder = tmp_path_factory.mktemp("archive")
    starter = Starter(folder)
    try:
        editor = Editor(browser, starter.start(folder / "data", dev=False), viewport={"width": 1440, "height": 900})
        set_up(editor, editor.instance)
        yield editor
        editor.leave(expected=["status of 410", "status of 400"])
    finally:
        starter.end_all()


@pytest.fixture(scope="module")
def captures(editor: Editor) -> list[str]:
    """Return the ids of what was kept, the oldest first; the last alone is another picture."""
    person = json.loads(editor.inside("fetch('/v1/session').then((told) => told.text())"))["person"]["id"]
    with opened(editor.instance.data) as archive:
        return [
            keep(archive, page, brand=BRAND, person=person, at=at)
            for page, at in zip((OLD, OLD, OLD, NEW), (*DAYS, *MOMENTS), strict=True)
        ]


def at(editor: Editor, path: str, **parameters: str) -> None:
    more = "".join(f"&{name}={value}" for name, value in parameters.items())
    editor.open(f"/archive{path}?brand={BRAND}{more}")
    editor.settle()


def is_drawn(image: Locator) -> bool:
    return bool(image.evaluate("(one) => one.complete && one.naturalWidth > 0"))


def test_only_days_with_captures_can_be_chosen(editor: Editor, captures: list[str]) -> None:
    page = editor.page
    at(editor, "/page", url="harbour.example/news")
    days = page.locator(".calendar button")
    assert [one.get_attribute("aria-label") for one in days.all()] == [
        "Tuesday, 3 February 2026: 1 capture",
        "Monday, 2 November 2026: 2 captures",
    ]
    days.first.focus()
    page.keyboard.press("ArrowRight")
    page.keyboard.press("Enter")
    moments = page.locator(".moments a")
    expect(moments).to_have_count(2)
    found = looked_at(editor, "Archive page")
    page.set_viewport_size({"width": 1440, "height": 900})
    page.get_by_label("Year").select_option("2025")
    expect(page.get_by_role("button", name="Sunday, 9 March 2025: 1 capture")).to_be_visible()
    expect(days).to_have_count(1)
    days.click()
    page.locator(".moments a").click()
    expect(page).to_have_url(f"{editor.instance.url}/archive/capture/{captures[0]}?brand={BRAND}")
    assert found == []


def test_what_a_page_says_is_text_and_nothing_else(editor: Editor, captures: list[str]) -> None:
    page = editor.page
    at(editor, "")
    expect(page.locator(".shelf .asset")).to_have_text(["Harbour reopens", HOSTILE, HOSTILE, HOSTILE])
    until(lambda: [is_drawn(one) for one in page.locator(".shelf img").all()], all, seconds=WAIT_S)
    found = looked_at(editor, "Archive")
    page.set_viewport_size({"width": 1440, "height": 900})
    page.get_by_label("Find by words").fill("ferries")
    page.get_by_role("button", name="Find", exact=True).click()
    expect(page.locator(".excerpt mark").first).to_have_text("Ferries")
    expect(page.locator(".excerpt").first).to_contain_text("<b>Ferries</b> wait.")
    shown(editor, "archive-search")
    at(editor, f"/capture/{captures[0]}")
    expect(page.locator("h1")).to_have_text(HOSTILE)
    expect(page).to_have_title(f"{HOSTILE}: The Herald · footfall")
    until(lambda: [is_drawn(one) for one in page.locator(".tiles img").all()], all, seconds=WAIT_S)
    found += looked_at(editor, "Capture")
    for view, words in (("Text", "<b>Ferries</b> wait."), ("Details", "2025-03-09 08:15:00.000007 UTC")):
        page.get_by_role("navigation", name="Views").get_by_role("link", name=view).click()
        expect(page.get_by_role("main")).to_contain_text(words)
        shown(editor, f"capture-{view.lower()}")
    assert editor.inside("document.querySelectorAll('main script, main b, main img[src=x]').length") == 0
    assert found == []


def test_two_captures_are_compared_band_by_band(editor: Editor, captures: list[str]) -> None:
    page = editor.page
    page.set_viewport_size({"width": 1440, "height": 900})
    at(editor, f"/capture/{captures[3]}")
    page.get_by_label("Compare with…").select_option(captures[2])
    inserted = page.get_by_role("listitem", name=f"Only in the newer one: {BAND_PX} px from {BAND_PX} px on")
    expect(inserted).to_be_visible()
    expect(inserted.locator(".older img")).to_have_count(0)
    until(
        lambda: [is_drawn(one) for one in inserted.locator("img").all()],
        lambda is_: bool(is_) and all(is_),
        seconds=WAIT_S,
    )
    expect(page.locator(".bands li:not(.equal)")).to_have_count(1)
    expect(page.locator("ins")).to_contain_text(["new", "reopens on Monday"])
    found = looked_at(editor, "Archive compare")
    page.set_viewport_size({"width": 1440, "height": 900})
    page.get_by_role("button", name="One over the other").click()
    page.get_by_label("Older on the left").fill("20")
    assert inserted.locator(".newer").evaluate("(one) => getComputedStyle(one).clipPath") == "inset(0px 0px 0px 20%)"
    assert found == [*editor.violations()] == []


def test_a_capture_is_held_released_and_removed_with_a_reason(editor: Editor, captures: list[str]) -> None:
    page = editor.page
    at(editor, f"/capture/{captures[1]}")
    page.get_by_role("button", name="Hold").click()
    expect(page.get_by_text("nobody removes it until it is released")).to_be_visible()
    page.get_by_role("button", name="Release").click()
    page.get_by_role("button", name="Share").click()
    expect(page.get_by_role("button", name="Stop sharing")).to_be_visible()
    page.get_by_text("Remove it for good").click()
    page.get_by_label("Reason", exact=True).fill("<i>asked for by the author</i>")
    page.get_by_role("button", name="Remove it").click()
    expect(page.get_by_role("heading", name="This capture was removed")).to_be_visible()
    expect(page.get_by_role("main")).to_contain_text("by Ann Editor")
    expect(page.get_by_role("main")).to_contain_text("<i>asked for by the author</i>")
    shown(editor, "capture-removed")


def test_pages_are_watched_and_no_more(editor: Editor) -> None:
    page = editor.page
    page.set_viewport_size({"width": 1440, "height": 900})
    at(editor, "/watches")
    form = page.get_by_role("form", name="Watch something")
    form.get_by_label("Address").fill(URL)
    form.get_by_label("only when its text changed").check()
    form.get_by_role("button").click()
    expect(page.get_by_text("harbour.example/news, every 15 minutes, kept only when its text changed")).to_be_visible()
    form.get_by_label("What").select_option("popular")
    form.get_by_label("Every so many minutes").fill("1")
    form.get_by_role("button").click()
    expect(form.locator("[aria-invalid=true]")).to_have_attribute("name", "everyMinutes")
    form.get_by_label("Every so many minutes").fill("60")
    form.get_by_label("Name").fill("Top ten")
    form.get_by_role("button").click()
    page.get_by_role("button", name="Switch off Top ten").click()
    expect(page.get_by_role("button", name="Switch on Top ten")).to_be_visible()
    found = looked_at(editor, "Archive watches")
    page.get_by_role("button", name="Remove Top ten").click()
    page.get_by_role("button", name="Really remove Top ten").click()
    expect(page.get_by_text("Top ten")).to_have_count(0)
    assert found == []


def test_all_requests_can_be_paged_through_and_the_whole_picture_taken_along(
    editor: Editor, captures: list[str], tmp_path: Path
) -> None:
    page = editor.page
    page.set_viewport_size({"width": 1440, "height": 900})
    person = json.loads(editor.inside("fetch('/v1/session').then((told) => told.text())"))["person"]["id"]
    with opened(editor.instance.data) as archive:
        for number in range(9):
            waits, now = Page(f"https://waits.example/{number}", str(number), "", []), datetime.now(UTC)
            ask(archive, waits, brand=BRAND, person=person, at=now + timedelta(milliseconds=number))
    at(editor, "")
    rows = page.locator(".wishes .what bdi")
    expect(rows).to_have_text([f"waits.example/{number}" for number in range(8, 0, -1)])
    more = page.get_by_role("navigation", name="More requests")
    more.get_by_role("link", name="Older").click()
    expect(rows).to_have_text(["waits.example/0", *["harbour.example/news"] * 4])
    shown(editor, "archive-requests-older")
    more.get_by_role("link", name="From the start").click()
    expect(rows.first).to_have_text("waits.example/8")
    at(editor, f"/capture/{captures[3]}")
    with page.expect_download() as taken:
        page.get_by_role("link", name="Picture", exact=True).last.click()
    assert taken.value.suggested_filename == f"{captures[3]}.png"
    taken.value.save_as(tmp_path / "picture.png")
    with Image.open(tmp_path / "picture.png") as picture:
        assert picture.size == (1_280, BAND_PX * len(NEW.bands))
        pixels = picture.convert("RGB").tobytes()
    middles = [3 * (1_280 * (BAND_PX * number + 100) + 700) for number in range(len(NEW.bands))]
    assert [f"#{pixels[at : at + 3].hex()}" for at in middles] == list(NEW.bands)
    shown(editor, "capture-picture")
