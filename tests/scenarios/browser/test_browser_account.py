"""One's own account, the settings on a phone, and links that were cut off, in a real browser."""

import json
from pathlib import Path

from playwright.sync_api import Browser, expect

from tests.scenarios.browser.newsroom import Editor
from tests.scenarios.browser.scene import WAIT_S
from tests.scenarios.browser.test_browser_people import PASSWORD, set_up, shown
from tests.scenarios.instance import Starter, hit, until

OPEN = {"FOOTFALL_PEOPLE_REGISTER": "open"}


def settings_on_a_phone(editor: Editor) -> None:
    """Find keys by the list at the top, and what can be done with one without scrolling sideways."""
    page = editor.page
    page.set_viewport_size({"width": 390, "height": 844})
    editor.choose_page("Settings")
    parts = page.get_by_role("navigation", name="On this page")
    expect(parts.get_by_role("link", name="Members")).to_be_visible()
    for address in parts.get_by_role("link").evaluate_all("(links) => links.map((one) => one.getAttribute('href'))"):
        assert page.locator(f"h2{address}").count() == 1, address
    parts.get_by_role("link", name="Keys", exact=True).click()
    heading = page.get_by_role("heading", name="Keys", exact=True)
    expect(heading).to_be_in_viewport()
    header = page.locator("header.top").bounding_box()
    place = heading.bounding_box()
    assert header
    assert place
    assert place["y"] >= header["height"]
    for name in ("Rotate", "Revoke"):
        button = page.get_by_role("button", name=name).first
        expect(button).to_be_in_viewport(ratio=1)
    shown(editor, "settings-of-an-owner-on-a-phone")


def whoever_has_no_brand_has_an_account(editor: Editor) -> None:
    """Make an account openly, change its password and sign out everywhere, all without a role in any brand."""
    page = editor.page
    editor.open("/sign-in")
    page.get_by_text("Make an account").click()
    making = page.get_by_role("form", name="Make an account")
    making.get_by_label("Name", exact=True).fill("Eve New")
    making.get_by_label("E-mail").fill("eve@example.com")
    making.get_by_label("Password").fill(PASSWORD)
    making.get_by_role("button").click()
    expect(page.get_by_role("heading", name="No brand yet")).to_be_visible()
    page.get_by_role("banner").get_by_role("link", name="Eve New").click()
    expect(page.get_by_role("heading", name="Your account")).to_be_visible()
    change = page.get_by_role("form", name="Change your password")
    change.get_by_label("Password now").fill(PASSWORD)
    change.get_by_label("New password").fill(PASSWORD + " twice")
    change.get_by_role("button").click()
    expect(change.get_by_text("Changed.")).to_be_visible()
    shown(editor, "account")
    page.get_by_role("button", name="Sign out everywhere").click()
    expect(page.get_by_role("heading", name="Sign in")).to_be_visible()
    editor.open("/account")  # Nobody's account is nothing to see, and signing in leads back to it.
    expect(page.get_by_role("heading", name="Sign in")).to_be_visible()
    assert page.url.endswith("/sign-in?next=%2Faccount")


def links_that_were_cut_off(editor: Editor) -> None:
    for address in ("/reset#%", "/invitation#%E0%A4%A"):
        editor.open("/sign-in")
        editor.open(address)
        expect(editor.page.get_by_role("alert")).to_contain_text("This link is not whole")


def small_looks(editor: Editor) -> None:
    """What is fixed looks fixed, and what is not does not; a title that turns the direction turns nothing else."""
    page = editor.page
    page.set_viewport_size({"width": 1440, "height": 900})
    rules = page.get_by_role("form", name="The brand's rules")
    paint = "(one) => getComputedStyle(one).backgroundColor"
    title, origins = rules.get_by_label("Title").evaluate(paint), rules.get_by_label("Origins").evaluate(paint)
    assert title == origins != rules.get_by_label("Time zone").evaluate(paint)
    page.get_by_role("form", name="Make a key").get_by_label("Kind").select_option("secret")
    page.get_by_role("form", name="Make a key").get_by_role("button").click()
    key = page.locator("[role=status] .copied code").first.inner_text()
    bearer = {"Authorization": f"Bearer {key}"}
    assert editor.instance.post([{**hit("turned", "herald"), "sectionId": "news"}], bearer).status == 202
    known = json.dumps([{"assetId": "turned", "title": "A \u202eback to front"}]).encode()
    assert editor.instance.call("PUT", "/v1/assets", known, bearer).status == 200
    editor.open("/most-read?brand=herald&period=day")
    until(editor.rows, lambda rows: rows == ["A \u202eback to front"], seconds=WAIT_S)
    titled, labelled = page.locator(".asset").bounding_box(), page.locator(".labels").bounding_box()
    assert titled
    assert labelled
    assert labelled["x"] >= titled["x"] + titled["width"]
    assert "justnow" not in page.get_by_role("main").inner_text()
    editor.open("/setings")
    expect(page.get_by_role("heading", name="There is no such page")).to_be_visible()
    expect(page.get_by_role("navigation", name="Pages")).to_be_visible()


def test_everybody_finds_their_account_and_what_they_set_up(browser: Browser, starter: Starter, data: Path) -> None:
    instance = starter.start(data, dev=False, env=OPEN)
    owner, eve = Editor(browser, instance), Editor(browser, instance)
    set_up(owner, instance)
    settings_on_a_phone(owner)
    small_looks(owner)
    whoever_has_no_brand_has_an_account(eve)
    links_that_were_cut_off(eve)
    owner.leave(expected=["status of 404"])
    eve.leave(expected=["status of 401"])
