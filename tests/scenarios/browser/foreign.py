"""A foreign page with a most-read box on it: another origin than the instance's, and whatever that page is like."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from playwright.sync_api import Browser, Locator, Page, Route

from tests.scenarios.browser.newsroom import AXE
from tests.scenarios.browser.publisher import Publisher
from tests.scenarios.browser.scene import WAIT_S, Reader
from tests.scenarios.instance import Instance

TITLES = (
    "Harbour reopens after two winters", "Council votes against the budget, and everybody stays until midnight",
    "Ferry cancelled again: what passengers should know before they leave home on Monday morning, by our reporters",
    "Minister answers seven questions about housing", "Storm in pictures", "The library is late, and nobody says why",
)  # fmt: skip
# What moved on a page without anybody's doing, as the browser sees it.
WATCH = """
window.shifts = [];
new PerformanceObserver((list) => list.getEntries().forEach((one) => window.shifts.push(one.value)))
  .observe({type: "layout-shift", buffered: true});
"""
PAINTED = "() => performance.getEntriesByName('first-contentful-paint').length > 0"
TWO_FRAMES = (
    "() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(() => setTimeout(done, 50))))"
)
# Where a box has room from the start, as the how-to has it.
ROOM = '<div style="min-height: 21em">{}</div>'


@dataclass(slots=True)
class Foreign:
    """A site that carries boxes of an instance, and its readers."""

    brand: str
    instance: Instance
    site: Publisher
    browser: Browser
    readers: list[Reader] = field(default_factory=list[Reader])

    def tell(self, assets: Sequence[Mapping[str, Any]], *, hits: int = 0) -> None:
        """Have assets with titles in the list, the first of them with the most hits."""
        known = [{name: one[name] for name in ("assetId", "title", "address") if name in one} for one in assets]
        answer = self.instance.call("PUT", f"/v1/assets?brand={self.brand}", json.dumps(known).encode())
        assert answer.status == 200, answer.body
        read = [
            {"brand": self.brand, "assetId": one["assetId"], "sectionId": one.get("section", "news")}
            for place, one in enumerate(assets)
            for _ in range(hits + len(assets) - place)
        ]
        assert self.instance.post(read).status == 202
        self.instance.drained(self.brand)

    def tag(self, attributes: str = "", *, how: str = "async") -> str:
        """Return the line that a site puts on its pages."""
        return f'<script {how} src="{self.instance.url}/widget.js" data-brand="{self.brand}" {attributes}></script>'

    def add(self, path: str, body: str, **headers: str) -> str:
        """Put a page on the site and return its address."""
        # A page that begins with a script would have it in its head.
        begin = "" if "<html" in body else "<body>"
        return self.site.add(f"/{self.brand}{path}", begin + body, **headers)

    def reader(self, before: str = WATCH, **options: Any) -> Page:
        """Open a browser of its own."""
        reader = Reader.opened(self.browser, **options)
        reader.context.add_init_script(before)
        reader.page.set_default_timeout(WAIT_S * 1_000)
        self.readers.append(reader)
        return reader.page

    def complaints(self) -> list[str]:
        """Return what the pages complained about."""
        return [said for reader in self.readers for said in reader.complaints]

    def questions(self) -> list[str]:
        """Return what boxes asked for."""
        return [
            request.url.partition("/v1/popular")[2]
            for reader in self.readers
            for request in reader.requests
            if "/v1/popular" in request.url
        ]


def stories(titles: Sequence[str] = TITLES, section: str = "news") -> list[dict[str, str]]:
    """Return assets with these titles."""
    return [
        {
            "assetId": f"{section}-{n}",
            "title": title,
            "address": f"https://example.com/{section}/{n}",
            "section": section,
        }
        for n, title in enumerate(titles)
    ]


def box(page: Page, place: int = 0) -> Locator:
    """Return a box of the page."""
    return page.locator(".footfall-widget").nth(place)


def titles(page: Page, place: int = 0) -> list[str]:
    """Return the titles that a box shows, in order, once it shows any."""
    box(page, place).locator("a").first.wait_for()
    return box(page, place).locator("ol > li > a").all_text_contents()


def moved(page: Page) -> float:
    """Return how much moved on the page so far, after two frames of which the browser has told."""
    page.evaluate(TWO_FRAMES)
    return page.evaluate("shifts.reduce((sum, one) => sum + one, 0)")


def violations(page: Page) -> list[str]:
    """Return what axe finds in the boxes of the page, in words."""
    page.evaluate(AXE.read_text(encoding="utf-8"))
    found = page.evaluate("axe.run().then((told) => told.violations)")
    return [f"{one['id']}: {[node['html'][:160] for node in one['nodes'][:3]]}" for one in found]


def told(items: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    """Return an answer of the instance with these items."""
    return {
        "status": 200,
        "content_type": "application/json",
        "headers": {"access-control-allow-origin": "*"},
        "body": json.dumps({"items": items}),
    }


class Held:
    """A request that waits until the test lets it go on."""

    def __init__(self, page: Page, pattern: str) -> None:
        self._page = page
        self._routes: list[Route] = []
        page.route(pattern, lambda route: self._routes.append(route))

    def came(self) -> Route:
        """Wait for the request and return it."""
        for _ in range(int(WAIT_S * 100)):
            if self._routes:
                return self._routes.pop(0)
            self._page.wait_for_timeout(10)
        raise AssertionError("nobody asked")
