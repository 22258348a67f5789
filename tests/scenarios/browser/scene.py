"""A scene: one brand on one site, its readers with real browsers, and the hits they leave."""

from dataclasses import dataclass, field
from typing import Any

from playwright.sync_api import Browser, BrowserContext, Page, Request

from tests.scenarios.browser.publisher import Publisher, Seen, seen, seen_until
from tests.scenarios.instance import Instance, until

WAIT_S = 30.0  # Longer than a busy machine takes to draw a page.


@dataclass(slots=True)
class Reader:
    """A person with a fresh browser profile, and what the page complained about."""

    context: BrowserContext
    page: Page
    complaints: list[str] = field(default_factory=list[str])
    requests: list[Request] = field(default_factory=list[Request])

    @classmethod
    def opened(cls, browser: Browser, **options: Any) -> "Reader":
        """Open a fresh profile and listen to its page."""
        context = browser.new_context(**options)
        reader = cls(context, context.new_page())
        reader.page.on("pageerror", lambda error: reader.complaints.append(str(error)))
        reader.page.on("console", lambda said: reader.heard(said.type, said.text))
        reader.page.on("request", lambda request: reader.requests.append(request))
        return reader

    def heard(self, kind: str, text: str) -> None:
        """Take down what the console calls an error or a warning."""
        if kind in ("error", "warning"):
            self.complaints.append(text)


@dataclass(slots=True)
class Scene:
    """One brand on one site: its pages, its readers and its hits."""

    brand: str
    instance: Instance
    site: Publisher
    browser: Browser
    readers: list[Reader] = field(default_factory=list[Reader])
    tag: str = ""  # how the tracker knows whose hits it sends; by the brand's name unless a test has a key

    def script(self, attributes: str = "") -> str:
        tag = self.tag or f'data-brand="{self.brand}"'
        return f'<script async src="{self.instance.url}/footfall.js" {tag} {attributes}></script>'

    def add(self, path: str, body: str = "", *, attributes: str = "", **headers: str) -> str:
        """Put a page with the tracker on the site and return its address."""
        return self.site.add(f"/{self.brand}{path}", self.script(attributes) + body, **headers)

    def address(self, path: str) -> str:
        return f"{self.site.url}/{self.brand}{path}"

    def reader(self, before: str = "", **options: Any) -> Page:
        """Open a browser profile of its own; `before` runs in every page ahead of everything else."""
        reader = Reader.opened(self.browser, **options)
        if before:
            reader.context.add_init_script(before)
        self.readers.append(reader)
        return reader.page

    def ways(self) -> list[str]:
        """Return how the last reader's hits went out."""
        return [request.resource_type for request in self.readers[-1].requests if "/v1/" in request.url]

    def end(self, page: Page) -> list[Seen]:
        """Let the page count something last of all; return all that was counted before it."""
        page.evaluate("footfall({asset: 'the end'})")
        return [hit for hit in seen_until(self.instance, self.brand, "the end") if hit.asset != "the end"]

    def count(self, hits: int) -> list[Seen]:
        """Wait until the brand has that many hits."""
        return until(lambda: seen(self.instance, self.brand), lambda found: len(found) >= hits, seconds=WAIT_S)


def assets(hits: list[Seen]) -> list[str]:
    return [hit.asset for hit in hits]
