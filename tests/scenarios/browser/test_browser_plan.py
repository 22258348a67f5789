"""The page of a plan as a person opens it: from a file, in both themes, wide and narrow, with nothing loaded."""

from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page

from tests.planning.plan_page import plan_page

WIDTHS = (1280, 768, 390)
SHOTS = Path(__file__).parents[3] / "build" / "screenshots"
# Texts of one picture that lie over each other, and texts that reach beyond their picture.
CROWDED = """() => [...document.querySelectorAll('svg')].flatMap(svg => {
  const edge = svg.getBoundingClientRect(), texts = [...svg.querySelectorAll('text')];
  const boxes = texts.map(text => [text.textContent, text.getBoundingClientRect()]);
  const out = boxes.filter(([, box]) =>
    box.left < edge.left - 1 || box.right > edge.right + 1 || box.bottom > edge.bottom + 1);
  const over = boxes.flatMap(([one, a], n) => boxes.slice(n + 1).filter(([, b]) =>
    a.left < b.right - 1 && b.left < a.right - 1 && a.top < b.bottom - 2 && b.top < a.bottom - 2
  ).map(([two]) => [one, two]));
  return [...out.map(([text]) => `beyond: ${text}`), ...over.map(([one, two]) => `over: ${one} | ${two}`)];
})"""


@pytest.fixture(scope="module")
def report(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("plan") / "report.html"
    path.write_text(plan_page(), encoding="utf-8")
    return path


def opened(browser: Browser, report: Path, *, scheme: str, width: int) -> tuple[Page, list[str]]:
    context = browser.new_context(color_scheme=scheme, viewport={"width": width, "height": 900})  # pyright: ignore[reportArgumentType]
    page = context.new_page()
    asked: list[str] = []
    page.on("request", lambda request: asked.append(request.url))
    page.goto(report.as_uri())
    return page, asked


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("width", WIDTHS)
def test_a_plans_page_is_readable_and_loads_nothing(browser: Browser, report: Path, scheme: str, width: int) -> None:
    page, asked = opened(browser, report, scheme=scheme, width=width)
    SHOTS.mkdir(parents=True, exist_ok=True)
    page.screenshot(path=SHOTS / f"plan-{scheme}-{width}.png", full_page=True)
    assert asked == [report.as_uri()]
    # A picture that is wider than the screen scrolls by itself, and the page does not.
    assert page.evaluate("document.documentElement.scrollWidth") <= width
    assert page.evaluate(CROWDED) == []
    page.context.close()


def test_numbers_are_there_for_those_who_do_not_see_pictures(browser: Browser, report: Path) -> None:
    page, _ = opened(browser, report, scheme="light", width=1280)
    pictures = page.get_by_role("img")
    assert pictures.count() >= 10
    for place in range(pictures.count()):
        assert pictures.nth(place).get_attribute("aria-labelledby")
    page.get_by_text("The numbers").first.click()
    assert page.get_by_role("table").first.is_visible()
    page.context.close()
