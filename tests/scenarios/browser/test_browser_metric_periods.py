"""A metric's periods and unit in a real browser: hours where there are any, and one word for one thing."""

from collections.abc import Generator

import pytest
from playwright.sync_api import Browser, expect

from tests.scenarios.browser.newsroom import Editor, define
from tests.scenarios.instance import Instance, Starter, hit

BRAND = "herald"


@pytest.fixture(scope="module")
def measured(tmp_path_factory: pytest.TempPathFactory) -> Generator[Instance]:
    folder = tmp_path_factory.mktemp("periods")
    starter = Starter(folder)
    try:
        define(folder / "data", BRAND)
        define(folder / "data", "plain", [{"name": "sold", "valueType": "SCALAR"}])
        instance = starter.start(folder / "data")
        assert instance.post([hit(one, BRAND) for one in range(9)]).status == 202
        instance.drained(BRAND)
        yield instance
    finally:
        starter.end_all()


def test_hours_are_of_counts_and_a_unit_has_one_name(browser: Browser, measured: Instance) -> None:
    editor = Editor(browser, measured)
    page = editor.page
    editor.open(f"/catalogue/reads?brand={BRAND}")
    numbers = page.get_by_role("region", name="Its numbers")
    numbers.get_by_role("button", name="Hours").click()
    expect(numbers.locator(".figure", has_text="Hours with data")).to_be_visible()
    numbers.get_by_text("The same as a table").click()
    expect(numbers.locator("tbody tr").first).to_contain_text("9 so far")
    assert editor.violations() == []
    editor.open("/catalogue/sold?brand=plain")
    expect(page.get_by_role("region", name="What it is", exact=True)).to_contain_text("a plain number")
    expect(numbers.locator(".figure").first).to_contain_text("a plain number")
    assert numbers.get_by_role("button", name="Hours").count() == 0
    editor.open("/catalogue?brand=plain")
    expect(page.locator("td[data-name=Unit]").first).to_have_text("a plain number")
    editor.leave()
