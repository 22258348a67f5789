"""A brand with a past and titles, and an editor who looks at it in a real browser."""

import itertools
import json
import random
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

from playwright.sync_api import Browser, Page

from tests.scenarios.browser.scene import WAIT_S, Reader
from tests.scenarios.instance import Instance, until

HOUSE = Path(__file__).resolve().parents[3]
SCREENSHOTS = HOUSE / "build" / "screenshots"
AXE = HOUSE / "web" / "node_modules" / "axe-core" / "axe.min.js"

WHO = ("Harbour", "Council", "Ferry", "Minister", "School", "Storm", "Market", "Hospital", "Tram", "Library")
WHAT = (
    "reopens after two winters", "votes against the budget", "cancelled again: what passengers should know",
    "answers seven questions about housing", "in pictures", "is late, and nobody says why",
)  # fmt: skip
BATCH = 2_000
BUSY = "status of 503"  # What a busy machine has not read in time is asked for again, and shown then.


def fill(instance: Instance, brand: str, *, hits: int = 6_000, assets: int = 40) -> None:
    """Give a brand a day of hits, most of them for few assets, and titles for all but some."""
    chance = random.Random(20261116)
    now = datetime.now(tz=UTC)
    told: list[Mapping[str, object]] = []
    for number in range(hits):
        ago_s = chance.random() * 290 if number % 4 == 0 else chance.random() ** 2 * 23 * 3_600
        asset = min(assets - 1, int(chance.expovariate(0.15)))
        told.append(
            {
                "brand": brand,
                "assetId": f"story-{asset}",
                "sectionId": ("news", "sports", "culture", "economy")[asset % 4],
                "resourceType": ("article", "article", "video", "gallery")[asset % 4],
                "paidType": ("free", "metered", "paid")[asset % 3],
                "visitor": f"reader-{chance.randrange(2_000)}",
                "at": (now - timedelta(seconds=ago_s)).isoformat(),
            }
        )
    for start in range(0, len(told), BATCH):
        assert instance.post(told[start : start + BATCH]).status == 202
    titles = list(itertools.product(WHO, WHAT))
    known = [
        {"assetId": f"story-{n}", "title": " ".join(titles[n * 7 % len(titles)]), "address": f"https://example.com/{n}"}
        for n in range(assets - 3)
    ]
    answer = instance.call("PUT", f"/v1/assets?brand={brand}", json.dumps(known).encode())
    assert answer.status == 200, answer.body
    instance.drained(brand)


class Editor:
    """Somebody at the dashboard: a browser of their own, and whatever it complained about or asked of strangers."""

    def __init__(self, browser: Browser, instance: Instance, **options: Any) -> None:
        self.instance = instance
        self.reader = Reader.opened(browser, **options)
        self.page: Page = self.reader.page
        self.page.set_default_timeout(WAIT_S * 1_000)
        self._inside = self.reader.context.new_cdp_session(self.page)

    def open(self, target: str) -> None:
        """Go to an address of the instance."""
        self.page.goto(self.instance.url + target)

    def inside(self, script: str) -> Any:
        """Return what a script says in the page; it comes from outside, so that the page's own policy stays."""
        told = self._inside.send(
            "Runtime.evaluate", {"expression": script, "awaitPromise": True, "returnByValue": True}
        )
        assert "exceptionDetails" not in told, told
        return told["result"].get("value")

    def violations(self) -> list[str]:
        """Return what axe finds, in words."""
        if self.inside("typeof axe") != "object":
            self.inside(AXE.read_text(encoding="utf-8"))
        found = self.inside("axe.run().then((told) => JSON.stringify(told.violations))")
        return [
            f"{one['id']}: {one['help']}: {[node['html'][:160] for node in one['nodes'][:3]]}"
            for one in json.loads(found)
        ]

    def choose_page(self, name: str) -> None:
        """Follow a link of the menu and wait until its page is there with what it shows."""
        self.page.get_by_role("navigation", name="Pages").get_by_role("link", name=name, exact=True).click()
        self.settle()

    def settle(self) -> None:
        """Wait until nothing on the page is still loading."""
        until(lambda: self.page.locator(".loading").count(), lambda waiting: waiting == 0, seconds=WAIT_S)

    def rows(self, table: str = "table.assets") -> list[str]:
        """Return the titles of the rows of a list."""
        return self.page.locator(f"{table} tbody .asset").all_text_contents()

    def strangers(self) -> list[str]:
        """Return whom the page asked besides its own server."""
        return [
            request.url
            for request in self.reader.requests
            if not request.url.startswith((self.instance.url + "/", "data:"))
        ]

    def leave(self, *, expected: Sequence[str] = ()) -> None:
        """Close the browser, having checked that nothing failed but what was expected to, and nobody else was asked."""
        known = (*expected, BUSY)
        complaints = [one for one in self.reader.complaints if not any(words in one for words in known)]
        strangers = self.strangers()
        self.reader.context.close()
        assert not complaints, complaints
        assert not strangers, strangers
