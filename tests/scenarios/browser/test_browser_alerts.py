"""Alerts in the settings, in a real browser: made, tried out, told, and removed."""

import json
from pathlib import Path

from playwright.sync_api import Browser, expect

from tests.engines.webhook import webhook_receiver
from tests.scenarios.browser.newsroom import Editor
from tests.scenarios.browser.scene import WAIT_S
from tests.scenarios.browser.test_browser_people import set_up, shown
from tests.scenarios.instance import Starter, footfall, hit, until
from tests.scenarios.test_alerts import ENV


def test_an_alert_is_made_tried_out_told_and_removed(browser: Browser, starter: Starter, data: Path) -> None:
    with webhook_receiver() as receiver:
        instance = starter.start(data, dev=False, env=ENV)
        editor = Editor(browser, instance)
        page = editor.page
        set_up(editor, instance)
        editor.choose_page("Settings")
        form = page.get_by_role("form", name="Make an alert")
        form.get_by_label("Name of the alert").fill("<b>Front page</b>")
        form.get_by_label("Hits", exact=True).fill("2")
        form.get_by_label("Where to").fill(receiver.url)
        form.get_by_role("button").click()
        expect(page.get_by_text("An asset has 2 hits in an hour")).to_be_visible()
        expect(page.get_by_text("which is shown this once")).to_be_visible()
        page.get_by_role("button", name="Test <b>Front page</b>").click()
        expect(page.get_by_text(f"{receiver.url}: taken (200 OK)")).to_be_visible()
        new = footfall("keys", "add", "--data", str(data), "--brand", "herald", "--scope", "write", "--json")
        headers = {"Authorization": f"Bearer {json.loads(new.stdout)['key']}"}
        assert instance.post([hit("one", "herald")] * 3, headers).status == 202
        until(lambda: len(receiver.bodies), lambda found: found == 2, seconds=WAIT_S)
        editor.choose_page("Now")
        editor.choose_page("Settings")
        expect(page.get_by_text("one has 3 hits in its hour.")).to_be_visible()
        expect(page.get_by_text(f"{receiver.url}: delivered (200 OK)")).to_be_visible()
        form.get_by_label("Tell when").select_option("brand-silent")
        shown(editor, "settings-with-alerts")
        page.get_by_role("button", name="Remove <b>Front page</b>").click()
        page.get_by_role("button", name="Really remove <b>Front page</b>").click()
        expect(page.get_by_text("Nobody is told of anything yet.")).to_be_visible()
        editor.leave()
