"""A brand with a past and titles, and an editor who looks at it in a real browser."""

import itertools
import json
import random
from collections.abc import Mapping, Sequence
from contextlib import closing, suppress
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any, Literal

from playwright.sync_api import Browser, Page

from footfall.app import wiring
from footfall.app.settings import Settings
from footfall.metrics.applying import saved_from
from footfall.metrics.catalogue import MetricCatalogue
from footfall.screening.features import FeatureNote
from footfall.screening.findings import Cause, SubjectKind
from footfall.screening.verdicts import State, Verdict
from footfall.values.clock import SystemClock
from footfall.values.errors import Refused
from tests.scenarios.browser.scene import WAIT_S, Reader
from tests.scenarios.instance import Instance, until

HOUSE = Path(__file__).resolve().parents[3]
SCREENSHOTS = HOUSE / "build" / "screenshots"
WIDTHS = {"phone": 390, "tablet": 768, "wide": 1440}
THEMES: tuple[Literal["light", "dark"], ...] = ("light", "dark")
AXE = HOUSE / "web" / "node_modules" / "axe-core" / "axe.min.js"

WHO = ("Harbour", "Council", "Ferry", "Minister", "School", "Storm", "Market", "Hospital", "Tram", "Library")
WHAT = (
    "reopens after two winters", "votes against the budget", "cancelled again: what passengers should know",
    "answers seven questions about housing", "in pictures", "is late, and nobody says why",
)  # fmt: skip
NOTES = (
    FeatureNote("steadiness", 0.97, 1.9, "high", 0.98),
    FeatureNote("hits", 6.7, 0.9, "high", 0.9),
    FeatureNote("sections", 1.0, 0.3, "low", 0.6),
)
SUBJECTS = ("61c8f0a2b44d9e10", "71c8f0a2b44d9e10", "81c8f0a2b44d9e10", "91c8f0a2b44d9e10")
BATCH = 2_000
DEPRECATED = "minutes"
# Some need others, one of them is in other letters, and one should not be used any more.
METRICS: tuple[Mapping[str, object], ...] = (
    {
        "name": "reads", "title": "Reads", "valueType": "SCALAR", "source": {"counts": "hits"},
        "relatedDimensions": ["section"],
    },
    {"name": "people", "valueType": "SCALAR", "source": {"counts": "visitors"}, "relatedDimensions": ["section"]},
    {
        "name": "reads per person", "title": "Reads per person", "valueType": "HYBRID", "owner": "Audience desk",
        "hybridFormula": "ratio(reads, people, 0)", "description": "How much one person reads.",
    },
    {"name": "Leser/Tag 読者", "valueType": "HYBRID", "hybridFormula": '"reads per person" * 2 + reads / people'},
    {"name": DEPRECATED, "valueType": "SCALAR", "unit": "minutes"},
)  # fmt: skip
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


def define(data: Path, brand: str, told: Sequence[Mapping[str, object]] = METRICS) -> list[str]:
    """Define a brand's metrics in a directory that no instance runs on; return the names of those that can be."""
    clock, taken = SystemClock(), list[str]()
    data.mkdir(parents=True, exist_ok=True)
    with closing(wiring.open_metrics_table(Settings(data_dir=str(data)), clock)) as table:
        catalogue = MetricCatalogue(table, clock=clock)
        for one in told:
            with suppress(Refused):
                taken.append(catalogue.save(brand, saved_from(one), by="command line").name)
        if DEPRECATED in taken:
            why = "counts tabs that nobody looks at"
            catalogue.deprecate(brand, DEPRECATED, reason=why, replacement="reads", by="command line")
    return taken


def hold(data: Path) -> None:
    """Write what a judge would have found: visitors, and an asset with some of its readers."""
    clock = SystemClock()
    now_ms = clock.now_ms()
    accounts = wiring.open_accounts(Settings(data_dir=str(data)), clock)
    visitors = [
        Verdict(
            SubjectKind.VISITOR, subject, now_ms - 3_600_000, now_ms - 1_000 * number, Cause.UNUSUAL_VISITOR,
            State.HELD, now_ms, score=3.1, words="evenness higher than usual", notes=NOTES, changed_at_ms=now_ms,
        )
        for number, subject in enumerate(SUBJECTS)
    ]  # fmt: skip
    asset = Verdict(
        SubjectKind.ASSET, "story-1", now_ms - 3_600_000, now_ms, Cause.FEW_VISITORS, State.HELD, now_ms, score=4.2,
        notes=(FeatureNote("repeats", 0.6, 1.0, "high", 0.9),), visitors=("0123456789abcdef", "fedcba9876543210"),
        changed_at_ms=now_ms,
    )  # fmt: skip
    accounts.register.verdicts.find("herald", [*visitors, asset], since={})
    accounts.table.close()


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

    def leave(self, *, expected: Sequence[str] = (), origins: tuple[str, ...] = ()) -> None:
        """Close the browser, having checked that nothing failed but what was expected to, and nobody else was asked."""
        known = (*expected, BUSY)
        complaints = [one for one in self.reader.complaints if not any(words in one for words in known)]
        strangers = [one for one in self.strangers() if not one.startswith(origins)]
        self.reader.context.close()
        assert not complaints, complaints
        assert not strangers, strangers


def looked_at(editor: Editor, name: str) -> list[str]:
    """Take pictures of a page in both themes and all widths; return what is wrong with it."""
    SCREENSHOTS.mkdir(parents=True, exist_ok=True)
    found: list[str] = []
    for theme, width in itertools.product(THEMES, WIDTHS):
        editor.page.emulate_media(color_scheme=theme)
        editor.page.set_viewport_size({"width": WIDTHS[width], "height": 900})
        shown = f"{name.lower().replace(' ', '-')}-{theme}-{width}.png"
        editor.page.screenshot(path=SCREENSHOTS / shown, full_page=True, animations="disabled")
        wider = editor.inside("document.documentElement.scrollWidth - document.documentElement.clientWidth")
        if wider > 0:
            found.append(f"wider than a {width} by {wider}")
        # Colours are the same in every width, and room is the same in both themes.
        if (theme, width) in (("light", "phone"), ("light", "wide"), ("dark", "wide")):
            found += editor.violations()
    return found
