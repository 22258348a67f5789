"""The metrics page in a real browser: found, charted, traced, compared, defined, changed and retired."""

import re
from collections.abc import Generator
from pathlib import Path
from urllib.parse import quote

import pytest
from playwright.sync_api import Browser, Page, expect

from tests.scenarios.browser.newsroom import METRICS, Editor, define
from tests.scenarios.browser.scene import WAIT_S
from tests.scenarios.browser.test_browser_attacks import payloads
from tests.scenarios.browser.test_browser_people import set_up, shown
from tests.scenarios.instance import Instance, Starter, hit, until

BRAND = "herald"
HYBRID = "reads per person"
PAGE_ROWS = 50  # of the list of metrics
NAME_BYTES_MAX = 200
ATTACK = "<img src=x onerror=top.ran=1>"


def attacks() -> list[dict[str, str]]:
    """Return metrics that are called what would run if it were not text, and some that are computed from one."""
    names = ["W" * NAME_BYTES_MAX]
    names += [one.encode()[:NAME_BYTES_MAX].decode(errors="ignore").strip() for one in payloads()[::5]]
    called = [{"name": one, "title": one, "owner": one, "description": one, "valueType": "SCALAR"} for one in names]
    formulas = [f'"{ATTACK}" * {number}' for number in (2, 3)]
    users = [{"name": f"user {n}", "valueType": "HYBRID", "hybridFormula": one} for n, one in enumerate(formulas)]
    return [*called, *users]


def woven() -> list[dict[str, str]]:
    """Return thirty metrics that all hang together: sources, parts, a centre, users of it, and reports."""
    told = [{"name": f"source {n}", "valueType": "SCALAR"} for n in range(8)]
    formulas = {f"part {n}": f'"source {n}" + "source {(n + 3) % 8}" * 2 + "source {(n + 1) % 8}"' for n in range(6)}
    formulas["centre"] = " + ".join(f'"part {n}"' for n in range(6))
    formulas |= {f"user {n}": f"centre * {n + 2}" for n in range(8)}
    formulas |= {f"report {n}": f'"user {n}" + "user {(n + 2) % 8}" + "part {n % 6}"' for n in range(7)}
    hybrids = [{"name": name, "valueType": "HYBRID", "hybridFormula": one} for name, one in formulas.items()]
    return [*told, *hybrids]


@pytest.fixture(scope="module")
def measured(tmp_path_factory: pytest.TempPathFactory) -> Generator[Instance]:
    folder = tmp_path_factory.mktemp("metrics")
    starter = Starter(folder)
    try:
        assert len(define(folder / "data", BRAND)) == len(METRICS)
        define(folder / "data", "long", [{"name": f"m{n:03d}", "valueType": "SCALAR"} for n in range(PAGE_ROWS + 1)])
        define(folder / "data", "attacked", attacks())
        assert len(define(folder / "data", "woven", woven())) == 30
        instance = starter.start(folder / "data")
        hits = [hit(one, BRAND, sectionId=("news", "sports")[one % 2], visitor=f"r{one % 3}") for one in range(9)]
        assert instance.post(hits).status == 202
        instance.drained(BRAND)
        yield instance
    finally:
        starter.end_all()


def rows(page: Page) -> list[str]:
    return page.locator("table.metrics tbody .asset").all_text_contents()


def test_metrics_are_found_by_words_and_kinds_and_the_address_tells_which(browser: Browser, measured: Instance) -> None:
    editor = Editor(browser, measured)
    page = editor.page
    editor.open(f"/?brand={BRAND}")
    editor.choose_page("Metrics")
    until(lambda: rows(page), lambda found: len(found) == 5, seconds=WAIT_S)
    expect(page.locator("tr", has_text="minutes")).to_contain_text("deprecated")
    form = page.get_by_role("form", name="Find metrics")
    form.get_by_label("Words").fill("audience desk")
    form.get_by_label("Words").press("Enter")
    until(lambda: rows(page), lambda found: found == ["Reads per person"], seconds=WAIT_S)
    assert "q=audience+desk" in page.url
    form.get_by_label("Words").fill("")
    form.get_by_label("Words").press("Enter")
    form.get_by_label("Kind").select_option("SCALAR")
    form.get_by_label("Deprecated").select_option("false")
    until(lambda: rows(page), lambda found: found == ["people", "Reads"], seconds=WAIT_S)
    colleague = Editor(browser, measured)
    colleague.page.goto(page.url)
    until(lambda: rows(colleague.page), lambda found: found == ["people", "Reads"], seconds=WAIT_S)
    colleague.leave()
    form.get_by_label("Words").fill("nothing like it")
    form.get_by_label("Words").press("Enter")
    expect(page.get_by_role("heading", name="No metric is like that")).to_be_visible()
    assert editor.violations() == []
    editor.leave()


def test_a_long_catalogue_has_pages(browser: Browser, measured: Instance) -> None:
    editor = Editor(browser, measured)
    editor.open("/catalogue?brand=long")
    until(lambda: len(rows(editor.page)), lambda found: found == PAGE_ROWS, seconds=WAIT_S)
    more = editor.page.get_by_role("navigation", name="More metrics")
    more.get_by_role("link", name="Next").click()
    until(lambda: rows(editor.page), lambda found: found == [f"m{PAGE_ROWS:03d}"], seconds=WAIT_S)
    more.get_by_role("link", name="From the start").click()
    until(lambda: len(rows(editor.page)), lambda found: found == PAGE_ROWS, seconds=WAIT_S)
    editor.leave()


def test_one_metric_tells_what_it_is_its_numbers_and_where_they_come_from(browser: Browser, measured: Instance) -> None:
    editor = Editor(browser, measured)
    page = editor.page
    editor.open(f"/catalogue/{quote(HYBRID)}?brand={BRAND}")
    expect(page.locator("h1")).to_have_text("Reads per person")
    expect(page.get_by_role("region", name="What it is", exact=True)).to_contain_text("ratio(reads, people, 0)")
    numbers = page.get_by_role("region", name="Its numbers")
    expect(numbers.get_by_role("img")).to_have_attribute("aria-label", re.compile("last 3$"))
    expect(numbers).to_contain_text("Given by people version 1")
    numbers.get_by_text("The same as a table").click()
    expect(numbers.locator("tbody tr").first).to_contain_text("3 so far")
    for words, count in (("Quarters", 9), ("Years", 6)):
        numbers.get_by_role("button", name=words).click()
        expect(numbers.locator("tbody tr")).to_have_count(count)
    numbers.get_by_role("button", name="Months").click()
    expect(numbers.locator("tbody tr")).to_have_count(13)
    numbers.get_by_label("Grouped by").select_option("section")
    until(lambda: page.url, lambda url: "grain=month" in url and "by=section" in url, seconds=WAIT_S)
    expect(numbers.get_by_role("columnheader")).to_have_text(["From", "news", "sports"])
    lineage = page.get_by_role("region", name="Where it comes from and who needs it")
    lineage.get_by_text("The same as lists").click()
    assert lineage.get_by_role("region", name="It is computed from").get_by_role("link").all_text_contents() == [
        "people", "Reads",
    ]  # fmt: skip
    shown(editor, "metric-by-section")
    lineage.get_by_role("region", name="It is needed by").get_by_role("link").click()
    expect(page.locator("h1")).to_have_text("Leser/Tag 読者")
    # Each name keeps to itself, so that two from right to left do not change places around a sign.
    expect(page.locator(".formula bdi")).to_have_text(['"reads per person"', "2", "reads", "people"])
    # The same parts on two ways are opened once.
    page.get_by_text("The same as lists").click()
    tree = page.get_by_role("region", name="It is computed from")
    until(tree.get_by_role("link").all_text_contents, lambda found: len(found) == 5, seconds=WAIT_S)
    editor.settle()
    shown(editor, "metric-lineage")
    editor.leave()


def test_a_metric_that_is_deprecated_or_unknown_says_so(browser: Browser, measured: Instance) -> None:
    editor = Editor(browser, measured)
    page = editor.page
    editor.open(f"/catalogue/minutes?brand={BRAND}")
    expect(page.locator(".warning")).to_contain_text("counts tabs that nobody looks at")
    expect(page.get_by_text("There are no numbers from")).to_be_visible()
    assert editor.violations() == []
    page.locator(".warning").get_by_role("link", name="reads").click()
    expect(page.locator("h1")).to_have_text("Reads")
    editor.open(f"/catalogue/nothing?brand={BRAND}")
    expect(page.get_by_text("There is no metric “nothing”.", exact=True)).to_be_visible()
    editor.leave(expected=["status of 404"])


def test_conditions_and_groups_are_in_the_address_and_in_the_table_to_take_along(
    browser: Browser, measured: Instance
) -> None:
    editor = Editor(browser, measured)
    page = editor.page
    editor.open(f"/catalogue/reads?brand={BRAND}")
    numbers = page.get_by_role("region", name="Its numbers")
    numbers.get_by_text("Conditions and older definitions").click()
    form = numbers.get_by_role("form", name="Add a condition")
    form.get_by_label("is", exact=True).focus()
    until(
        lambda: page.locator("#known-values option").evaluate_all("(all) => all.map((one) => one.value)"),
        lambda found: found == ["news", "sports"],
        seconds=WAIT_S,
    )
    page.keyboard.type("sports")
    page.keyboard.press("Enter")
    numbers.get_by_label("Grouped by").select_option("section")
    until(lambda: page.url, lambda url: "where=section%3Asports" in url and "by=section" in url, seconds=WAIT_S)
    colleague = Editor(browser, measured)
    colleague.page.goto(page.url)
    numbers = colleague.page.get_by_role("region", name="Its numbers")
    expect(numbers.get_by_text("section is “sports”")).to_be_visible()
    numbers.get_by_text("The same as a table").click()
    expect(numbers.get_by_role("columnheader")).to_have_text(["From", "sports"])
    with colleague.page.expect_download() as saved:
        numbers.get_by_role("link", name="Download CSV").click()
    lines = saved.value.path().read_text(encoding="utf-8").splitlines()
    assert (lines[0], saved.value.suggested_filename[:6]) == ("period,section,value", "reads ")
    assert {line.split(",")[1] for line in lines[1:]} == {"sports"}
    assert colleague.violations() == []
    numbers.get_by_role("button", name="Leave out section: sports").click()
    expect(numbers.get_by_role("columnheader")).to_have_text(["From", "news", "sports"])
    colleague.open(f"/catalogue/reads?brand={BRAND}&where=colour:red")
    expect(numbers.get_by_role("alert")).to_contain_text("colour")
    numbers.get_by_role("button", name="Leave out").click()
    expect(numbers.get_by_role("img")).to_be_visible()
    colleague.leave(expected=["status of 400"])
    editor.leave()


def test_a_picture_of_thirty_metrics_is_legible_and_reached_by_keys(browser: Browser, measured: Instance) -> None:
    editor = Editor(browser, measured)
    page = editor.page
    editor.open("/catalogue/centre?brand=woven")
    boxes = page.locator(".spot")
    expect(boxes).to_have_count(30)
    placed = [boxes.nth(n).bounding_box() for n in range(30)]
    known = [one for one in placed if one is not None]
    assert len(known) == 30
    for place, one in enumerate(known):
        for other in known[place + 1 :]:
            assert (
                one["x"] + one["width"] <= other["x"] or other["x"] + other["width"] <= one["x"]
                or one["y"] + one["height"] <= other["y"] or other["y"] + other["height"] <= one["y"]
            )  # fmt: skip
    page.get_by_role("region", name="The lineage as a picture").focus()
    page.keyboard.press("Tab")
    expect(page.locator(".spot a").first).to_be_focused()
    assert page.locator(".picture line.near").count() > 0
    assert editor.violations() == []
    shown(editor, "metric-picture")
    page.keyboard.press("Enter")
    expect(page.locator("h1")).to_have_text(re.compile("^source "))
    editor.leave()


def define_by_hand(page: Page) -> None:
    """Define the example of an empty catalogue, then a ratio whose formula is wrong at first."""
    expect(page.get_by_role("heading", name="No metrics yet: here is one as an example")).to_be_visible()
    page.get_by_role("button", name="Fill in the example").click()
    form = page.get_by_role("form", name="Define a metric")
    expect(form.get_by_label("Only where")).to_have_value("resourceType: article")
    form.get_by_role("button", name="Define").click()
    expect(page.get_by_role("region", name="What it is", exact=True)).to_contain_text("where resourceType is “article”")
    page.get_by_role("link", name="All metrics").click()
    # What is wanted now and then is one line above the list until somebody opens it.
    expect(form).to_have_count(0)
    page.get_by_text("Write a definition").click()
    form.get_by_label("Name").fill("doubled")
    form.get_by_label("It is").select_option("HYBRID")
    form.get_by_label("Formula").fill("reads * 2 + readz")
    form.get_by_role("button", name="Define").click()
    expect(form.locator(".pointed mark")).to_have_text("r")
    expect(form.locator("[data-field=hybridFormula]").get_by_role("alert")).to_contain_text(
        "There is no metric “readz”"
    )
    formula = form.get_by_label("Formula")
    expect(formula).to_be_focused()
    assert formula.evaluate("(field) => [field.selectionStart, field.selectionEnd]") == [12, 13]


def change_by_hand(editor: Editor) -> None:
    """Give a metric another version, and look in what it differs."""
    page = editor.page
    form = page.get_by_role("form", name="Change the metric")
    expect(form).to_have_count(0)
    page.get_by_text("Write another version").click()
    form.get_by_label("Title").fill("Twice the reads")
    form.get_by_label("Why").fill("a name for people")
    form.get_by_role("button", name="Save").click()
    expect(page.get_by_text("Saved as version 2.")).to_be_visible()
    versions = page.get_by_role("region", name="Versions", exact=True)
    expect(versions).to_contain_text("Version 2 by Ann Editor")
    expect(versions).to_contain_text("a name for people · the same numbers")
    expect(versions.locator(".differences ins").last).to_have_text("Twice the reads")
    expect(versions.locator(".differences tbody th")).to_have_text("Title added")
    expect(versions).to_contain_text("Both give the same numbers.")


def look_back(editor: Editor) -> None:
    """Look at the numbers by the first version, and come back to the newest."""
    page = editor.page
    page.get_by_role("link", name="Show its numbers by version 1").click()
    until(lambda: page.url, lambda url: "version=1" in url, seconds=WAIT_S)
    numbers = page.get_by_role("region", name="Its numbers")
    expect(numbers.get_by_role("note")).to_contain_text("By version 1")
    expect(numbers.get_by_role("note")).to_contain_text("the newest is 2")
    expect(numbers.locator(".figure", has_text="Version")).to_contain_text("the newest is 2")
    assert editor.violations() == []
    numbers.get_by_role("button", name="Show the newest").click()
    expect(numbers.get_by_role("note")).to_have_count(0)
    numbers.get_by_text("Conditions and older definitions").click()
    numbers.get_by_label("or as all was at the end of").fill("2020-01-31")
    expect(numbers.get_by_role("alert")).to_contain_text("was not defined yet then")
    numbers.get_by_label("By the definition of").select_option("1")
    expect(numbers.get_by_role("note")).to_contain_text("By version 1")
    numbers.get_by_role("button", name="Show the newest").click()


def remove_by_hand(editor: Editor) -> None:
    """Be told who needs a metric, go there, and remove that one."""
    page = editor.page
    page.get_by_role("link", name="All metrics").click()
    page.locator("table.metrics").get_by_role("link", name="Reads").click()
    press_remove(page)
    refusal = page.get_by_role("alert").filter(has_text="It stays, because these need it")
    expect(refusal.get_by_role("link")).to_have_text(["doubled"])
    shown(editor, "metric-in-use")
    refusal.get_by_role("link").click()
    expect(page.locator("h1")).to_have_text("Mine")
    press_remove(page)
    until(lambda: rows(page), lambda found: found == ["Reads"], seconds=WAIT_S)


def press_remove(page: Page) -> None:
    page.get_by_text("Remove it for good").click()
    page.get_by_role("button", name="Remove").click()
    page.get_by_role("button", name="Really remove").click()


def test_an_editor_defines_changes_retires_and_removes(browser: Browser, starter: Starter, data: Path) -> None:
    instance = starter.start(data, dev=False)
    editor = Editor(browser, instance)
    page = editor.page
    set_up(editor, instance)
    editor.choose_page("Metrics")
    define_by_hand(page)
    shown(editor, "metric-refused")
    form = page.get_by_role("form", name="Define a metric")
    form.get_by_label("Formula").fill("reads * 2")
    form.get_by_role("button", name="Define").click()
    expect(page.locator("h1")).to_have_text("doubled")
    change_by_hand(editor)
    look_back(editor)
    rival = editor.reader.context.new_page()
    rival.goto(page.url)
    rival.get_by_text("Write another version").click()
    save_as(rival, "Theirs")
    expect(rival.get_by_text("Saved as version 3.")).to_be_visible()
    save_as(page, "Mine")
    expect(page.get_by_text("Somebody else saved version 3 meanwhile.")).to_be_visible()
    expect(page.locator(".differences").last).to_contain_text("Theirs")
    shown(editor, "metric-meanwhile")
    page.get_by_role("button", name="Keep what I typed").click()
    save_as(page, "Mine")
    expect(page.get_by_text("Saved as version 4.")).to_be_visible()
    expect(page.locator("h1")).to_have_text("Mine")
    retire(page)
    shown(editor, "metric-of-an-editor")
    remove_by_hand(editor)
    editor.choose_page("Settings")
    expect(page.get_by_text("Ann Editor deprecated the metric doubled")).to_be_visible()
    expect(page.get_by_text("Ann Editor removed the metric doubled")).to_be_visible()
    editor.leave(expected=["status of 400", "status of 404", "status of 409"])


def save_as(page: Page, title: str) -> None:
    form = page.get_by_role("form", name="Change the metric")
    form.get_by_label("Title").fill(title)
    form.get_by_role("button", name="Save").click()


def retire(page: Page) -> None:
    """Deprecate a metric and take that back."""
    page.get_by_text("Say why, and what to use instead").click()
    form = page.get_by_role("form", name="Deprecate the metric")
    form.get_by_label("Why").fill("nobody asks for it")
    form.get_by_label("To use instead").fill("raeds")
    form.get_by_role("button").click()
    expect(form.get_by_role("alert").first).to_contain_text("raeds")
    form.get_by_label("To use instead").fill("reads")
    form.get_by_role("button").click()
    expect(page.locator(".warning")).to_contain_text("nobody asks for it. Use reads instead.")
    page.get_by_role("form", name="Restore the metric").get_by_role("button").click()
    expect(page.locator(".warning")).to_have_count(0)


def test_who_may_not_edit_sees_no_form(browser: Browser, measured: Instance) -> None:
    editor = Editor(browser, measured)
    editor.open("/catalogue?brand=empty")
    expect(editor.page.get_by_text("Editors who signed in define metrics here.")).to_be_visible()
    assert editor.page.get_by_role("form", name="Define a metric").count() == 0
    assert editor.violations() == []
    editor.open(f"/catalogue/reads?brand={BRAND}")
    editor.settle()
    assert editor.page.get_by_role("form", name="Change the metric").count() == 0
    assert editor.page.get_by_role("button", name="Remove").count() == 0
    editor.leave()


def test_a_metric_may_be_called_anything_and_stays_text(browser: Browser, measured: Instance) -> None:
    listed = measured.get("/v1/metrics?brand=attacked&valueType=SCALAR&limit=1000").json()
    taken = [one["name"] for one in listed["items"]]
    assert len(taken) > PAGE_ROWS  # Some have what no name may have, such as a second line.
    editor = Editor(browser, measured, viewport={"width": 390, "height": 900})
    wider = "document.documentElement.scrollWidth - document.documentElement.clientWidth"
    cut = "[...document.querySelectorAll('.figure')].filter((one) => one.scrollWidth > one.clientWidth).length"
    editor.open("/catalogue?brand=attacked")
    until(lambda: len(rows(editor.page)), lambda found: found == PAGE_ROWS, seconds=WAIT_S)
    assert editor.inside(wider) == 0
    for name in ("W" * NAME_BYTES_MAX, *taken[:: len(taken) // 8]):
        editor.open(f"/catalogue/{quote(name, safe='')}?brand=attacked&by={quote(name)}&grain={quote(name)}")
        expect(editor.page.locator("h1")).to_have_text(name)
        editor.settle()
        assert editor.inside(wider) == 0, name
        assert editor.inside(cut) == 0, name
    editor.open("/catalogue/user%201?brand=attacked")
    expect(editor.page.locator(".tree a").first).to_have_text(ATTACK)
    editor.settle()
    assert editor.inside("typeof window.ran + typeof top.ran") == "undefinedundefined"
    editor.leave()
