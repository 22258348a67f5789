"""A person's first day at the dashboard, in a real browser: from the set-up's code to signing out."""

import re
from contextlib import closing
from pathlib import Path

from playwright.sync_api import Browser, expect

from tests.scenarios.browser.newsroom import SCREENSHOTS, SUBJECTS, Editor, hold
from tests.scenarios.browser.publisher import Publisher
from tests.scenarios.browser.scene import WAIT_S
from tests.scenarios.instance import Instance, Starter, hit, until

PASSWORD = "a horse that reads"
# A browser that is steered says so, and is a program to the door; a person's does not.
UNSTEERED = "Object.defineProperty(Navigator.prototype, 'webdriver', {get: () => false})"
PERSON = "Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/150.0.0.0 Safari/537.36"
CODE = re.compile(r"\b(?:[a-z0-9]{4}-){3}[a-z0-9]{4}\b")


def setup_code(instance: Instance) -> str:
    found = until(lambda: CODE.findall(instance.said()), bool, seconds=WAIT_S)
    return found[-1]


def shown(editor: Editor, name: str) -> None:
    """Take a picture, and require that nobody is kept out."""
    SCREENSHOTS.mkdir(parents=True, exist_ok=True)
    editor.page.evaluate("scrollTo({top: 0, behavior: 'instant'})")  # The head would lie across the content.
    editor.page.screenshot(path=SCREENSHOTS / f"{name}.png", full_page=True, animations="disabled")
    assert editor.violations() == []


def set_up(editor: Editor, instance: Instance, *, at: str = "/") -> None:
    editor.open(at)
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


def test_a_person_s_first_day(browser: Browser, site: Publisher, starter: Starter, data: Path) -> None:
    instance = starter.start(data, dev=False)
    editor = Editor(browser, instance)
    set_up(editor, instance)
    first_hits_are_seen_moving(browser, editor, site)
    editor.choose_page("Ledger")
    expect(editor.page.get_by_text("The lines add up.")).to_be_visible()
    lists_become_private(editor, site)
    shared = a_list_is_filtered(editor, site)
    colleague_comes(browser, editor, shared)
    instance.terminate()
    hold(data)
    editor.instance = starter.start(data, dev=False, port=instance.port)
    what_was_held_is_released(editor)
    a_key_is_rotated(editor)
    an_asset_is_pinned(editor, site)
    somebody_signs_out_and_in(editor)
    editor.leave(expected=["status of 401", "net::ERR_"])


def first_hits_are_seen_moving(browser: Browser, editor: Editor, site: Publisher) -> None:
    """Put the snippet that the page shows on a site's pages, and watch the list while they are read."""
    snippet = editor.page.locator(".first code").first.inner_text()
    for name, section in (("harbour", "news"), ("ferry", "sports")):
        site.add(f"/{name}", f'<meta name="footfall:section" content="{section}">{snippet}')
    read(browser, site, "harbour")
    until(editor.rows, lambda rows: rows == [f"{site.url}/harbour"], seconds=WAIT_S)
    read(browser, site, "ferry", "ferry")
    until(editor.rows, lambda rows: rows == [f"{site.url}/ferry", f"{site.url}/harbour"], seconds=WAIT_S)
    shown(editor, "first-hits")


def read(browser: Browser, site: Publisher, *names: str) -> None:
    """Read pages, each in a browser of its own, and close it when the hit was sent."""
    for name in names:
        with closing(browser.new_context(user_agent=PERSON)) as context:
            context.add_init_script(UNSTEERED)
            page = context.new_page()
            with page.expect_response(lambda answer: "/v1/hits" in answer.url):
                page.goto(f"{site.url}/{name}")


def a_list_is_filtered(editor: Editor, site: Publisher) -> str:
    """Ask for one section's list, and return the address that shows it to others."""
    editor.choose_page("Most read")
    editor.page.get_by_label("Section").fill("sports")
    editor.page.get_by_label("Section").press("Enter")
    until(editor.rows, lambda rows: rows == [f"{site.url}/ferry"], seconds=WAIT_S)
    return editor.page.url


def what_was_held_is_released(editor: Editor) -> None:
    editor.choose_page("Screening")
    held = editor.page.locator(".verdict", has_text=SUBJECTS[0])
    held.get_by_role("button", name="Release").click()
    expect(editor.page.get_by_text("4 waiting")).to_be_visible()


def a_key_is_rotated(editor: Editor) -> None:
    """Make a key, put another in its place, and end the first one."""
    page, instance = editor.page, editor.instance
    editor.choose_page("Settings")
    making = page.get_by_role("form", name="Make a key")
    making.get_by_label("Kind").select_option("secret")
    making.get_by_label("Label").fill("the news server")
    making.get_by_role("button").click()
    new = page.locator("[role=status] .copied code").first
    expect(new).to_be_visible()
    old_key = new.inner_text()
    shown(editor, "settings-of-an-owner")
    page.get_by_role("button", name="Rotate the news server").click()
    expect(new).not_to_have_text(old_key)
    status = {key: sent_with(instance, key) for key in (old_key, new.inner_text())}
    assert list(status.values()) == [202, 202]  # The old one works for another day.
    replaced = page.get_by_role("row", name="replaced")
    replaced.get_by_role("button", name="Revoke").click()
    replaced.get_by_role("button", name="Really revoke").click()
    expect(replaced).to_have_count(0)
    assert [sent_with(instance, key) for key in status] == [401, 202]


def sent_with(instance: Instance, key: str) -> int:
    return instance.post([hit("by-a-server", "herald")], {"Authorization": f"Bearer {key}"}).status


def an_asset_is_pinned(editor: Editor, site: Publisher) -> None:
    editor.choose_page("Settings")
    edits = editor.page.get_by_role("form", name="Pin or hide an asset")
    edits.get_by_label("Asset").fill(f"{site.url}/harbour")
    edits.get_by_role("button").click()
    expect(editor.page.get_by_role("link", name=f"{site.url}/harbour")).to_be_visible()
    editor.choose_page("Most read")
    until(editor.rows, lambda rows: rows[:1] == [f"{site.url}/harbour"], seconds=WAIT_S)


def somebody_signs_out_and_in(editor: Editor) -> None:
    page = editor.page
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


def lists_become_private(editor: Editor, site: Publisher) -> None:
    """Close the lists to strangers; whoever is signed in is told of them as before."""
    editor.choose_page("Settings")
    rules = editor.page.get_by_role("form", name="The brand's rules")
    rules.locator("select[name=isPublic]").select_option("false")
    rules.get_by_role("button", name="Save").click()
    expect(rules.get_by_text("Saved.")).to_be_visible()
    assert editor.instance.get("/v1/live?brand=herald").status == 401
    editor.choose_page("Now")
    until(editor.rows, lambda rows: rows == [f"{site.url}/ferry", f"{site.url}/harbour"], seconds=WAIT_S)
    expect(editor.page.locator(".pulse")).to_have_text("live")


def colleague_comes(browser: Browser, editor: Editor, shared: str) -> None:
    """Invite a colleague, who sees the list that was shared and may change nothing."""
    page = editor.page
    editor.choose_page("Settings")
    page.get_by_role("form", name="Invite somebody").get_by_role("button").click()
    link = page.locator("[role=status] .copied code", has_text="/invitation#").inner_text()
    colleague = Editor(browser, editor.instance)
    colleague.open("/invitation" + link.partition("/invitation")[2])
    expect(colleague.page.get_by_text("The Herald")).to_be_visible()
    shown(colleague, "invitation")
    secret = link.rpartition("~")[2]
    assert [one.url for one in colleague.reader.requests if secret in one.url.partition("#")[0]] == []
    colleague.page.get_by_label("Name", exact=True).fill("Bob Reader")
    colleague.page.get_by_label("E-mail").fill("bob@example.com")
    colleague.page.get_by_label("Password").fill(PASSWORD)
    colleague.page.get_by_role("button", name="Accept").click()
    until(colleague.rows, bool, seconds=WAIT_S)
    colleague.page.goto(shared)
    until(colleague.rows, lambda rows: len(rows) == 1 and rows[0].endswith("/ferry"), seconds=WAIT_S)
    colleague.choose_page("Settings")
    expect(colleague.page.get_by_text("you are viewer")).to_be_visible()
    assert colleague.page.get_by_role("heading", name="Keys").count() == 0
    colleague.leave()
