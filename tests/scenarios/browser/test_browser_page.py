"""The page at / in a real browser: its lists move with the traffic, and nothing in it fails."""

from pathlib import Path

from playwright.sync_api import Browser, Page

from tests.scenarios.browser.scene import WAIT_S, Reader
from tests.scenarios.instance import Starter, until


def hits_shown(page: Page) -> list[int]:
    """Return the hits of each row, read as a person does: the page's own policy lets no script of ours run."""
    return [int(text.replace(",", "")) for text in page.locator(".row .hits-number").all_text_contents()]


def in_order(shown: list[int]) -> bool:
    # Rows and their texts are read one after the other, so a list that moves between may look out of order once.
    return shown == sorted(shown, reverse=True)


def test_the_list_moves_with_the_traffic_and_nothing_fails(browser: Browser, starter: Starter, data: Path) -> None:
    instance = starter.start(data, "--demo", "--demo-rate", "300")
    reader = Reader.opened(browser)
    page = reader.page
    page.goto(instance.url)
    before = until(lambda: hits_shown(page), lambda shown: len(shown) >= 3, seconds=WAIT_S)
    assert page.text_content(".brand-name") == "demo"
    after = until(lambda: hits_shown(page), lambda shown: sum(shown) > sum(before) and in_order(shown), seconds=WAIT_S)
    assert page.text_content("#pulse-text") == "live"
    until(lambda: page.text_content(".accepted"), bool, seconds=WAIT_S)
    page.get_by_role("button", name="Day", exact=True).click()
    until(lambda: hits_shown(page), lambda shown: sum(shown) >= sum(after), seconds=WAIT_S)
    assert page.locator(".trouble:visible, .brand-trouble:visible").count() == 0
    assert reader.complaints == []
    reader.context.close()
