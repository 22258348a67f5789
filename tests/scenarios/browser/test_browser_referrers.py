"""Where readers came from, in a real browser: readable without colour, and whatever a referrer says is text."""

from pathlib import Path

from playwright.sync_api import Browser, Locator, Page, Route, expect

from tests.scenarios.browser.newsroom import SCREENSHOTS, Editor
from tests.scenarios.browser.scene import WAIT_S
from tests.scenarios.instance import Starter, until

BRAND = "herald"
CAME_FROM = {
    "https://www.google.com/search?q=x": 5,
    "": 3,
    "https://herald.example/front": 2,
    "https://<img src=x onerror=ran=1>.example/": 1,
    "javascript:ran=1": 1,
}
ROWS = [
    ["google.com", "5", "41.7%"],
    ["Direct (no referrer)", "3", "25.0%"],
    ["Our own pages", "2", "16.7%"],
    ["Unknown", "2", "16.7%"],
]


def test_an_editor_sees_where_the_readers_of_a_story_came_from(browser: Browser, starter: Starter, data: Path) -> None:
    instance = starter.start(data)
    story = {"brand": BRAND, "assetId": "story-1", "url": "https://herald.example/story-1"}
    hits = [{**story, "referrer": page} for page, count in CAME_FROM.items() for _ in range(count)]
    assert instance.post(hits).status == 202
    asked = f"/v1/referrers?brand={BRAND}&asset=story-1"
    until(lambda: instance.get(asked).json()["hits"], lambda told: told == len(hits), seconds=40)
    editor = Editor(browser, instance)
    for target, span in ((f"/assets/story-1?brand={BRAND}", "Four weeks"), (f"/audience?brand={BRAND}", "A month")):
        editor.open(target)
        part = editor.page.get_by_role("region", name="Where readers came from")
        expect(part).to_be_visible(timeout=WAIT_S * 1_000)
        expect(part.locator("tbody tr")).to_have_count(len(ROWS))
        rows = [row.locator("th, td").all_inner_texts() for row in part.locator("tbody tr").all()]
        assert rows == ROWS
        assert part.locator("a, img, script").count() == 0
        assert editor.violations() == []
        stays_while_another_span_is_read(editor.page, part, span)
    assert editor.inside("typeof window.ran") == "undefined"
    SCREENSHOTS.mkdir(parents=True, exist_ok=True)
    editor.page.screenshot(path=SCREENSHOTS / "referrers.png", full_page=True)
    editor.leave()


def stays_while_another_span_is_read(page: Page, part: Locator, span: str) -> None:
    """Hold the answer for another span back: what was told for the last one is not taken away meanwhile."""
    held = list[Route]()
    # A lambda: Playwright asks a function for its arguments, which a built-in has not.
    page.route("**/v1/referrers*", lambda route: held.append(route))
    with page.expect_request("**/v1/referrers*"):
        page.get_by_role("button", name=span).click()
    expect(page.get_by_role("button", name=span)).to_have_attribute("aria-pressed", "true")
    expect(part.locator("tbody tr")).to_have_count(len(ROWS), timeout=1)
    with page.expect_response("**/v1/referrers*"):
        for route in held:
            route.continue_()
    page.unroute("**/v1/referrers*")
    expect(part.locator("tbody tr")).to_have_count(len(ROWS))
