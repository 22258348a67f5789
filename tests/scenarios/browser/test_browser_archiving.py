"""An address becomes a picture, in a real browser and by a real one: asked for, captured, seen, replayed."""

from pathlib import Path
from urllib.parse import urlsplit

from playwright.sync_api import Browser, expect

from tests.archive_site.site import archive_site
from tests.scenarios.browser.newsroom import Editor
from tests.scenarios.browser.scene import WAIT_S
from tests.scenarios.browser.test_browser_people import set_up, shown
from tests.scenarios.instance import Starter, until

HEIGHTS = "[...document.querySelectorAll('.tiles img')].map((one) => one.complete && one.naturalHeight)"


def test_an_address_is_archived_seen_and_replayed(browser: Browser, starter: Starter, data: Path) -> None:
    with archive_site() as site:
        allowed = ",".join(f"{host}:{port}" for host, port in site.allowed)
        instance = starter.start(data, dev=False, env={"FOOTFALL_ARCHIVE": "true", "FOOTFALL_ARCHIVE_ALLOWED": allowed})
        editor = Editor(browser, instance, viewport={"width": 1440, "height": 900})
        set_up(editor, instance)
        editor.choose_page("Archive")
        an_inner_address_is_refused(editor)
        for path in ("/missing", "/article"):
            ask_for(editor, site.url(path))
            expect(editor.page.get_by_text(f"{path} is asked for")).to_be_visible()
        what_failed_says_why(editor)
        origin = what_was_kept_is_seen(editor)
        editor.leave(expected=["status of 400"], origins=(origin,))


def ask_for(editor: Editor, address: str) -> None:
    editor.page.get_by_label("Address", exact=True).fill(address)
    editor.page.get_by_role("button", name="Archive", exact=True).click()


def an_inner_address_is_refused(editor: Editor) -> None:
    ask_for(editor, "169.254.169.254/latest/meta-data")
    expect(editor.page.get_by_role("alert")).to_contain_text("is not on the public web")
    expect(editor.page.get_by_label("Address", exact=True)).to_be_focused()


def what_failed_says_why(editor: Editor) -> None:
    """Wait, without asking, until the page says what became of a request."""
    failed = editor.page.locator(".wishes li", has_text="/missing")
    expect(failed.locator(".bad")).to_contain_text("404", timeout=4 * WAIT_S * 1_000)
    expect(failed.get_by_role("button", name="Retry")).to_be_visible()


def what_was_kept_is_seen(editor: Editor) -> str:
    """Open the capture as soon as the page offers it, look at all of it, and return the origin of its replay."""
    page = editor.page
    page.get_by_role("link", name="Open", exact=True).click(timeout=4 * WAIT_S * 1_000)
    expect(page.locator("h1")).to_have_text("The boats came back")
    tall = page.get_by_role("img", name="Picture of “The boats came back” as it was")
    expect(tall).to_be_visible()
    until(lambda: editor.inside(HEIGHTS), lambda heights: bool(heights) and all(heights), seconds=WAIT_S)
    shown(editor, "archived-picture")
    page.get_by_role("navigation", name="Views").get_by_role("link", name="Replay").click()
    frame = page.locator("iframe")
    expect(frame.content_frame.get_by_role("heading", name="The boats came back")).to_be_visible()
    assert frame.get_attribute("sandbox") == ""
    origin = "{0.scheme}://{0.netloc}".format(urlsplit(frame.get_attribute("src") or ""))
    assert origin not in ("://", editor.instance.url)
    shown(editor, "archived-replay")
    return origin
