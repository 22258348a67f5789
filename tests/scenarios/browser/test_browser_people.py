"""A person's first day at the dashboard, in a real browser: from the set-up's code to signing out."""

import re
from pathlib import Path

from playwright.sync_api import Browser, expect

from tests.scenarios.browser.newsroom import SCREENSHOTS, Editor
from tests.scenarios.browser.scene import WAIT_S
from tests.scenarios.instance import Instance, Starter, hit, until

PASSWORD = "a horse that reads"
CODE = re.compile(r"\b(?:[a-z0-9]{4}-){3}[a-z0-9]{4}\b")


def setup_code(instance: Instance) -> str:
    found = until(lambda: CODE.findall(instance.said()), bool, seconds=WAIT_S)
    return found[-1]


def shown(editor: Editor, name: str) -> None:
    """Take a picture, and require that nobody is kept out."""
    SCREENSHOTS.mkdir(parents=True, exist_ok=True)
    editor.page.screenshot(path=SCREENSHOTS / f"{name}.png", full_page=True, animations="disabled")
    assert editor.violations() == []


def set_up(editor: Editor, instance: Instance) -> None:
    editor.open("/")
    page = editor.page
    expect(page.get_by_role("heading", name="Set up footfall")).to_be_visible()
    shown(editor, "set-up")
    page.get_by_label("Code").fill(setup_code(instance))
    page.get_by_label("Name", exact=True).fill("Ann Editor")
    page.get_by_label("E-mail").fill("ann@example.com")
    page.get_by_label("Password").fill(PASSWORD)
    page.get_by_label("First brand").fill("herald")
    page.get_by_label("Its title").fill("The Herald")
    page.get_by_label("Its time zone").fill("Europe/Helsinki")
    page.get_by_role("button", name="Begin").click()
    expect(page.get_by_role("heading", name="No hits yet: here is your snippet")).to_be_visible()


def test_a_person_s_first_day(browser: Browser, starter: Starter, data: Path) -> None:
    instance = starter.start(data, dev=False)
    editor = Editor(browser, instance)
    page = editor.page
    set_up(editor, instance)
    editor.choose_page("Settings")
    expect(page.get_by_role("heading", name="Keys")).to_be_visible()
    page.get_by_role("form", name="Make a key").get_by_label("Kind").select_option("secret")
    page.get_by_role("form", name="Make a key").get_by_role("button").click()
    key = page.locator("[role=status] .copied code").first.inner_text()
    shown(editor, "settings-of-an-owner")
    answer = instance.post(
        [hit("one", "herald"), hit("one", "herald"), hit("two", "herald")], {"Authorization": f"Bearer {key}"}
    )
    assert answer.status == 202
    editor.choose_page("Now")
    until(editor.rows, lambda rows: rows == ["one", "two"], seconds=WAIT_S)
    editor.choose_page("Ledger")
    expect(page.get_by_text("The lines add up.")).to_be_visible()
    lists_become_private(editor)
    editor.choose_page("Settings")
    edits = page.get_by_role("form", name="Pin or hide an asset")
    edits.get_by_label("Asset").fill("two")
    edits.get_by_role("button").click()
    expect(page.get_by_role("link", name="two")).to_be_visible()
    editor.choose_page("Most read")
    until(editor.rows, lambda rows: rows == ["two", "one"], seconds=WAIT_S)
    colleague_comes(browser, editor)
    page.get_by_role("button", name="Sign out", exact=True).click()
    expect(page.get_by_role("heading", name="Sign in")).to_be_visible()
    shown(editor, "sign-in")
    page.get_by_label("E-mail").fill("ann@example.com")
    page.get_by_label("Password").fill("not that one at all")
    page.get_by_role("button", name="Sign in").click()
    expect(page.get_by_role("alert")).to_be_visible()
    page.get_by_label("Password").fill(PASSWORD)
    page.get_by_role("button", name="Sign in").click()
    until(editor.rows, bool, seconds=WAIT_S)
    editor.leave(expected=["status of 401"])


def lists_become_private(editor: Editor) -> None:
    """Close the lists to strangers; whoever is signed in is told of them as before."""
    editor.choose_page("Settings")
    rules = editor.page.get_by_role("form", name="The brand's rules")
    rules.locator("select[name=isPublic]").select_option("false")
    rules.get_by_role("button", name="Save").click()
    expect(rules.get_by_text("Saved.")).to_be_visible()
    assert editor.instance.get("/v1/live?brand=herald").status == 401
    editor.choose_page("Now")
    until(editor.rows, lambda rows: rows == ["one", "two"], seconds=WAIT_S)
    expect(editor.page.locator(".pulse")).to_have_text("live")


def colleague_comes(browser: Browser, editor: Editor) -> None:
    """Invite a colleague, who sees the brand and may change nothing."""
    page = editor.page
    editor.choose_page("Settings")
    page.get_by_role("form", name="Invite somebody").get_by_role("button").click()
    link = page.locator("[role=status] .copied code", has_text="/invitation#").inner_text()
    colleague = Editor(browser, editor.instance)
    colleague.open("/invitation" + link.partition("/invitation")[2])
    expect(colleague.page.get_by_text("The Herald")).to_be_visible()
    shown(colleague, "invitation")
    colleague.page.get_by_label("Name", exact=True).fill("Bob Reader")
    colleague.page.get_by_label("E-mail").fill("bob@example.com")
    colleague.page.get_by_label("Password").fill(PASSWORD)
    colleague.page.get_by_role("button", name="Accept").click()
    until(colleague.rows, bool, seconds=WAIT_S)
    colleague.choose_page("Settings")
    expect(colleague.page.get_by_text("you are viewer")).to_be_visible()
    assert colleague.page.get_by_role("heading", name="Keys").count() == 0
    colleague.leave()
