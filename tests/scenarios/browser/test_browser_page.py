"""The page at / in a real browser: its lists move with the traffic, and nothing in it fails."""

import json
from pathlib import Path

from playwright.sync_api import Browser, Page

from tests.scenarios.browser.scene import WAIT_S, Reader
from tests.scenarios.instance import Starter, footfall, hit, until


def hits_shown(page: Page) -> list[int]:
    """Return the hits of each row, read as a person does: the page's own policy lets no script of ours run."""
    return [int(text.replace(",", "")) for text in page.locator(".row .hits-number").all_text_contents()]


def in_order(shown: list[int]) -> bool:
    # Rows and their texts are read one after the other, so a list that moves between may look out of order once.
    return shown == sorted(shown, reverse=True)


def test_a_public_brand_with_keys_is_opened_by_its_name(browser: Browser, starter: Starter, data: Path) -> None:
    made = json.loads(footfall("brands", "add", "harbour", "--data", str(data), "--json").stdout)
    instance = starter.start(data, dev=False)
    key = {"Authorization": f"Bearer {made['secretKey']}"}
    titled = '<img src=x onerror="document.title=1">'
    assets = [
        {"assetId": "1", "title": "What the harbour saw", "address": "https://www.example.com/1"},
        {"assetId": "2", "title": titled, "address": "/2"},
    ]
    assert instance.call("PUT", "/v1/assets", json.dumps(assets).encode(), key).status == 200
    assert instance.post([hit(n, "harbour") for n in (1, 1, 1, 2, 2, 3)], key).status == 202
    reader = Reader.opened(browser)
    page = reader.page
    page.goto(instance.url)
    assert page.text_content("#none h2") == "No open brand is listed here"
    page.fill("#open-brand", "harbour")
    page.get_by_role("button", name="Open").click()
    until(lambda: hits_shown(page), lambda shown: shown == [3, 2, 1], seconds=WAIT_S)
    assert page.url == f"{instance.url}/?brand=harbour"
    assert page.locator(".row .asset").all_text_contents() == ["What the harbour saw", titled, "3"]
    links = [link.get_attribute("href") for link in page.locator(".row .asset").all()]
    assert links == ["https://www.example.com/1", None, None]  # An address without a host is the site's, not ours.
    assert page.locator(".closed").is_visible()
    assert page.locator(".ledger:visible, .trouble:visible, .brand-trouble:visible").count() == 0
    assert "Bearer $KEY" in (page.text_content("#try") or "")
    assert reader.complaints == []
    reader.context.close()


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


def test_the_visitors_of_today_stand_beside_the_list(browser: Browser, starter: Starter, data: Path) -> None:
    instance = starter.start(data)
    hits = [hit(1, visitor=f"reader-{n % 10}") for n in range(30)] + [hit(n, visitor=f"reader-{n}") for n in (98, 99)]
    assert instance.post(hits).status == 202
    instance.drained("abc")
    reader = Reader.opened(browser)
    page = reader.page
    page.goto(instance.url)
    until(lambda: hits_shown(page), lambda shown: shown == [30, 1, 1], seconds=WAIT_S)
    page.locator(".visitors:visible").wait_for()
    assert page.text_content(".visitors") == "12 visitors today"
    assert page.locator(".trouble:visible, .brand-trouble:visible").count() == 0
    assert reader.complaints == []
    reader.context.close()
