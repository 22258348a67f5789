"""Where readers came from, in a real browser: readable without colour, and whatever a referrer says is text."""

from pathlib import Path

from playwright.sync_api import Browser, expect

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
    for target in (f"/assets/story-1?brand={BRAND}", f"/audience?brand={BRAND}"):
        editor.open(target)
        part = editor.page.get_by_role("region", name="Where readers came from")
        expect(part).to_be_visible(timeout=WAIT_S * 1_000)
        expect(part.locator("tbody tr")).to_have_count(len(ROWS))
        rows = [row.locator("th, td").all_inner_texts() for row in part.locator("tbody tr").all()]
        assert rows == ROWS
        assert part.locator("a, img, script").count() == 0
        assert editor.violations() == []
    assert editor.inside("typeof window.ran") == "undefined"
    SCREENSHOTS.mkdir(parents=True, exist_ok=True)
    editor.page.screenshot(path=SCREENSHOTS / "referrers.png", full_page=True)
    editor.leave()
