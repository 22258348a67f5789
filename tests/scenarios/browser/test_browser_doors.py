"""The pages that people come in by, in both themes and all widths, a forgotten password, and a brand that is open."""

from datetime import UTC, datetime, timedelta
from pathlib import Path

from playwright.sync_api import Browser, expect

from tests.scenarios.browser.newsroom import SCREENSHOTS, Editor
from tests.scenarios.browser.scene import WAIT_S
from tests.scenarios.browser.test_browser_dashboard import looked_at
from tests.scenarios.browser.test_browser_people import PASSWORD, set_up
from tests.scenarios.instance import Instance, Starter, footfall, hit, until

NEW_PASSWORD = "a horse that writes"


def printed(instance: Instance, *argv: str) -> str:
    """Return the link that a command prints, as an address of the instance."""
    done = footfall(*argv, "--data", str(instance.data))
    assert done.returncode == 0, done.stderr
    link = done.stdout.strip()
    return "/" + link.split("/", maxsplit=3)[3]


def doors_look_right(editor: Editor, instance: Instance) -> None:
    """Take pictures of the pages of whoever is not signed in."""
    doors = {
        "sign-in": "/sign-in",
        "reset": "/reset",
        "invitation": printed(instance, "people", "invite", "--brand", "herald", "--role", "editor"),
    }
    for name, address in doors.items():
        editor.open("/trending")  # An address that differs behind its hash alone is not opened anew.
        editor.open(address)
        expect(editor.page.locator("h1")).to_be_visible()
        editor.settle()
        assert looked_at(editor, f"door-{name}") == []


def a_forgotten_password_is_replaced(editor: Editor, instance: Instance) -> None:
    """Follow the link that an operator prints to a new password, with which one is signed in."""
    page = editor.page
    editor.open(printed(instance, "people", "reset", "ann@example.com"))
    form = page.get_by_role("form", name="Set a new password")
    form.get_by_label("New password").fill(NEW_PASSWORD)
    form.get_by_role("button").click()
    expect(page.get_by_role("heading", name="Sign in")).to_be_visible()
    page.get_by_label("E-mail").fill("ann@example.com")
    page.get_by_label("Password").fill(PASSWORD)
    page.get_by_role("button", name="Sign in").click()
    expect(page.get_by_role("alert")).to_contain_text("is wrong")
    page.get_by_label("Password").fill(NEW_PASSWORD)
    page.get_by_role("button", name="Sign in").click()
    expect(page.get_by_role("banner").get_by_role("link", name="Ann Editor")).to_be_visible()


def test_people_come_in_by_pages_that_look_right_and_back_in_by_a_new_password(
    browser: Browser, starter: Starter, data: Path
) -> None:
    instance = starter.start(data, dev=False)
    SCREENSHOTS.mkdir(parents=True, exist_ok=True)
    owner, stranger = Editor(browser, instance), Editor(browser, instance)
    stranger.open("/setup")
    expect(stranger.page.get_by_role("heading", name="Set up footfall")).to_be_visible()
    assert looked_at(stranger, "door-set-up") == []
    set_up(owner, instance)
    doors_look_right(stranger, instance)
    a_forgotten_password_is_replaced(stranger, instance)
    for name, address in (("settings-of-an-owner", "/settings?brand=herald"), ("account", "/account")):
        stranger.open(address)
        expect(stranger.page.locator("h1")).to_be_visible()
        stranger.settle()
        assert looked_at(stranger, name) == []
    stranger.leave(expected=["status of 401"])
    owner.leave(expected=["status of 401"])


def test_an_open_brand_shows_no_forms_that_could_only_fail(browser: Browser, starter: Starter, data: Path) -> None:
    instance = starter.start(data)
    assert instance.post([hit("one")]).status == 202
    owner = Editor(browser, instance)
    page = owner.page
    set_up(owner, instance, at="/setup")
    owner.open("/settings?brand=abc")
    expect(page.get_by_text("Everybody may read this brand and send hits to it")).to_be_visible()
    expect(page.get_by_role("form", name="Add a brand")).to_be_visible()
    owner.settle()
    for name in ("The brand's rules", "Make a key", "Invite somebody", "Add a period"):
        assert page.get_by_role("form", name=name).count() == 0, name
    assert owner.violations() == []
    yesterday = (datetime.now(tz=UTC) - timedelta(days=1)).date().isoformat()
    owner.open(f"/most-read?brand=abc&from={yesterday}&to={yesterday}")  # Days, as somebody types them.
    owner.settle()
    assert page.locator(".refused").count() == 0
    owner.open("/settings?brand=herald")
    until(lambda: page.get_by_role("form", name="Make a key").count(), bool, seconds=WAIT_S)
    owner.leave()
