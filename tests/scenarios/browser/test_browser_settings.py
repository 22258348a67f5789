"""What owners and editors set up in a real browser: keys, periods, brands, other rules, and the trail of it all."""

from pathlib import Path

from playwright.sync_api import Browser, expect

from tests.scenarios.browser.newsroom import Editor
from tests.scenarios.browser.scene import WAIT_S
from tests.scenarios.browser.test_browser_people import set_up, shown
from tests.scenarios.instance import Starter, hit, until

REPEATS = 8


def bearer(key: str) -> dict[str, str]:
    return {"Authorization": f"Bearer {key}"}


def make_key(editor: Editor) -> str:
    form = editor.page.get_by_role("form", name="Make a key")
    form.get_by_label("Kind").select_option("secret")
    form.get_by_label("Label").fill("the site")
    form.get_by_role("button").click()
    expect(form.get_by_text("Made: it is above.")).to_be_visible()
    return editor.page.locator("[role=status] .copied code").first.inner_text()


def rotate(editor: Editor) -> None:
    """Give a key a successor; both work."""
    page, instance = editor.page, editor.instance
    old = make_key(editor)
    page.get_by_role("button", name="Rotate the site").click()
    expect(page.get_by_text("which works for another day")).to_be_visible()
    new = page.locator("[role=status] .copied code").first.inner_text()
    assert new != old
    assert [instance.post([hit("one", "herald")], bearer(key)).status for key in (old, new)] == [202, 202]
    expect(page.locator("tr", has_text="replaced")).to_have_count(1)


def change_the_brand(editor: Editor) -> None:
    """Give the brand a period of its own and another mode, both of which stay."""
    page = editor.page
    periods = page.get_by_role("form", name="Add a period")
    periods.get_by_label("Name").fill("weekend")
    periods.get_by_role("button").click()
    expect(page.get_by_text("the last 2d, moving on every 1h")).to_be_visible()
    rules = page.get_by_role("form", name="The brand's rules")
    rules.get_by_label("Suspected hits").select_option("filter")
    rules.get_by_role("button", name="Save").click()
    expect(rules.get_by_text("Saved.")).to_be_visible()
    page.reload()
    expect(rules.get_by_label("Suspected hits")).to_have_value("filter")  # What is chosen is what is in use.
    shown(editor, "settings-of-an-owner-at-work")
    editor.choose_page("Most read")
    page.get_by_role("button", name="weekend").click()
    until(editor.rows, lambda rows: rows == ["one"], seconds=WAIT_S)


def add_a_brand(editor: Editor) -> None:
    """Add another brand, whose first page says what to do."""
    page = editor.page
    editor.choose_page("Settings")
    brands = page.get_by_role("form", name="Add a brand")
    brands.get_by_label("Name").fill("gazette")
    brands.get_by_label("Time zone of its days").fill("Moon/Base")
    brands.get_by_role("button").click()
    zone = brands.get_by_label("Time zone of its days")
    # What is wrong stands beside the field, in words for people, and the field is where the keyboard is.
    expect(zone).to_have_attribute("aria-invalid", "true")
    expect(zone).to_be_focused()
    expect(brands.locator("[data-field=zone]").get_by_role("alert")).to_contain_text("Moon/Base")
    assert "zone:" not in brands.inner_text()
    brands.get_by_label("Time zone of its days").fill("Europe/Oslo")
    brands.get_by_role("button").click()
    expect(page.get_by_role("heading", name="No hits yet: here is your snippet")).to_be_visible()
    assert page.url == f"{editor.instance.url}/?brand=gazette"


def test_an_owner_rotates_a_key_adds_a_period_and_a_brand_and_reads_who_did_it(
    browser: Browser, starter: Starter, data: Path
) -> None:
    instance = starter.start(data, dev=False)
    editor = Editor(browser, instance)
    page = editor.page
    set_up(editor, instance)
    editor.choose_page("Settings")
    rotate(editor)
    change_the_brand(editor)
    add_a_brand(editor)
    editor.choose_page("Settings")
    expect(page.get_by_text("Ann Editor added the brand gazette")).to_be_visible()
    expect(page.get_by_role("heading", name="Who did what in the whole instance")).to_be_visible()
    expect(page.locator(".deeds", has_text="signed in").last).to_be_visible()
    page.locator(".brand select").select_option("herald")
    expect(page.get_by_text("rotated the key").first).to_be_visible()
    editor.leave(expected=["status of 400"])


def test_an_editor_tries_another_limit_and_sees_what_it_would_change(
    browser: Browser, starter: Starter, data: Path
) -> None:
    instance = starter.start(data, dev=False)
    editor = Editor(browser, instance)
    page = editor.page
    set_up(editor, instance)
    editor.choose_page("Settings")
    key = bearer(make_key(editor))
    for _ in range(REPEATS):
        assert instance.post([hit("one", "herald", visitor="somebody")], key).status == 202
    editor.choose_page("Screening")
    form = page.get_by_role("form", name="Try other rules")
    form.get_by_label("Hits of a visitor on one asset").fill("3")
    form.get_by_label("Mode").select_option("hold")
    form.get_by_role("button", name="Try").click()
    expect(page.get_by_text(f"5 of {REPEATS} hits (62.5%) would be labelled otherwise.")).to_be_visible()
    expect(page.locator(".outcome")).to_contain_text("one visitor reloading one asset")
    expect(page.locator(".outcome")).to_contain_text("Lists would show \u22125 hits: 3 for 8")
    expect(page.locator(".outcome").get_by_role("link", name="one")).to_be_visible()
    shown(editor, "what-if")
    form.get_by_label("Hits of a visitor on one asset").fill("-1")
    form.get_by_role("button", name="Try").click()
    expect(form.get_by_role("alert")).to_contain_text("Hits of a visitor on one asset")
    assert "repeatsMax" not in form.inner_text()
    editor.leave(expected=["status of 400"])
