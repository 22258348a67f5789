"""The review queue in a real browser: what was held, why, and the operator's decision."""

from pathlib import Path

from playwright.sync_api import Browser, Locator, expect

from tests.scenarios.browser.newsroom import NOTES, SUBJECTS, Editor, hold
from tests.scenarios.browser.test_browser_people import set_up, shown
from tests.scenarios.instance import Starter


def bars_can_be_compared(held: Locator) -> None:
    """Require that what a bar is of is said to everybody, and that all bars are equally long."""
    header = held.get_by_role("columnheader", name="Part of the score")
    header.scroll_into_view_if_needed()
    expect(header).to_be_in_viewport()
    assert header.locator("xpath=ancestor::*[contains(@class, 'hidden')]").count() == 0
    bars = held.locator(".notes progress").evaluate_all("(all) => all.map((one) => one.getBoundingClientRect().width)")
    assert len({round(width) for width in bars}) == 1, bars


def test_what_was_held_is_explained_and_decided_on_one_by_one_and_many_at_once(
    browser: Browser, starter: Starter, data: Path
) -> None:
    instance = starter.start(data, dev=False)
    editor = Editor(browser, instance)
    set_up(editor, instance)
    instance.terminate()
    hold(data)
    editor.instance = starter.start(data, dev=False, port=instance.port)
    editor.open("/screening?brand=herald")
    page = editor.page
    expect(page.get_by_text("5 waiting")).to_be_visible()
    first = page.locator(".verdict", has_text=SUBJECTS[0])
    assert first.locator(".notes progress").count() == len(NOTES)
    expect(first).to_contain_text("times as even as by chance")
    bars_can_be_compared(first)
    expect(page.locator(".verdict", has_text="story-1")).to_contain_text("only hits of 2 visitors")
    shown(editor, "review-queue")
    first.get_by_role("button", name="Release").click()
    expect(page.get_by_text("4 waiting")).to_be_visible()
    expect(page.locator(".card .balance")).to_contain_text("The past is being counted again")
    for subject in SUBJECTS[1:3]:
        page.get_by_label(f"Choose visitor {subject}").check()
    page.get_by_role("button", name="Confirm 2 cases").click()
    expect(page.get_by_text("2 waiting")).to_be_visible()
    page.get_by_label("Kind").select_option("asset")
    expect(page.locator(".verdict")).to_have_count(1)
    page.get_by_label("Kind").select_option("")
    expect(page.locator(".verdict")).to_have_count(2)
    page.get_by_role("button", name="Release all").click()
    page.get_by_role("button", name="Really release all").click()
    expect(page.get_by_text("0 waiting")).to_be_visible()
    page.get_by_role("button", name="Settled").click()
    expect(page.locator(".verdict")).to_have_count(5)
    assert sorted(page.locator(".verdict .tag").all_text_contents()) == ["kept out"] * 2 + ["released"] * 3
    editor.leave(expected=["net::ERR_"])
