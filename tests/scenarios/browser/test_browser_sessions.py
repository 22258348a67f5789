"""Sessions that end while somebody looks at a page: by time, and from another browser."""

from pathlib import Path

from playwright.sync_api import Browser, expect

from footfall.accounts import people_keys as keys
from footfall.app import wiring
from footfall.app.settings import Settings
from footfall.ports.table import Update
from footfall.values.clock import SystemClock
from tests.scenarios.browser.newsroom import Editor
from tests.scenarios.browser.test_browser_people import PASSWORD, set_up
from tests.scenarios.instance import Starter


def let_expire(data: Path) -> int:
    """Let every session have ended a moment ago, as a week without use would; return how many there were."""
    clock = SystemClock()
    accounts = wiring.open_accounts(Settings(data_dir=str(data)), clock)
    people = accounts.register.people
    ended = [one for person in people.all() for one in people.sessions.of(person.id)]
    for session in ended:
        accounts.table.update(Update(keys.session(session.digest), expires_at_ms=clock.now_ms() - 1))
    accounts.table.close()
    return len(ended)


def sign_in(editor: Editor) -> None:
    editor.page.get_by_label("E-mail").fill("ann@example.com")
    editor.page.get_by_label("Password").fill(PASSWORD)
    editor.page.get_by_role("button", name="Sign in").click()


def test_whoever_s_session_ended_signs_in_and_is_where_they_were(
    browser: Browser, starter: Starter, data: Path
) -> None:
    instance = starter.start(data, dev=False)
    editor = Editor(browser, instance)
    page = editor.page
    set_up(editor, instance)
    editor.choose_page("Ledger")
    expect(page.get_by_text("The lines add up.")).to_be_visible()
    instance.terminate()
    assert let_expire(data) == 1
    editor.instance = starter.start(data, dev=False, port=instance.port)
    editor.choose_page("Screening")
    expect(page.get_by_role("heading", name="Sign in to see this").first).to_be_visible()
    # Nobody is signed in, and the page learns of it.
    expect(page.get_by_role("button", name="Sign out")).to_have_count(0)
    page.get_by_role("main").get_by_role("link", name="Sign in").first.click()
    sign_in(editor)
    expect(page.get_by_role("heading", name="Screening", level=1)).to_be_visible()
    assert page.url.startswith(f"{instance.url}/screening?brand=herald")
    expect(page.locator(".refused")).to_have_count(0)
    editor.leave(expected=["status of 401", "net::ERR_"])


def test_signing_out_everywhere_ends_what_other_browsers_show(browser: Browser, starter: Starter, data: Path) -> None:
    instance = starter.start(data, dev=False)
    at_home, at_work = Editor(browser, instance), Editor(browser, instance)
    set_up(at_home, instance)
    at_work.open("/sign-in")
    sign_in(at_work)
    at_work.choose_page("Settings")
    expect(at_work.page.get_by_role("heading", name="Keys")).to_be_visible()
    at_work.page.get_by_role("link", name="Ann Editor").click()
    at_work.page.get_by_role("button", name="Sign out everywhere").click()
    expect(at_work.page.get_by_role("heading", name="Sign in")).to_be_visible()
    at_home.choose_page("Ledger")
    expect(at_home.page.get_by_role("heading", name="Sign in to see this").first).to_be_visible()
    at_home.leave(expected=["status of 401"])
    at_work.leave(expected=["status of 401"])
