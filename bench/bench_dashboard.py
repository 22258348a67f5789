"""Dashboard: milliseconds until a browser has drawn the first view, and until its list has rows.

Sketch. A shell of 2 KB, a style sheet of 5 KB and a script of 60 KB, compressed, over loopback; then one question for
the list. The network is nothing here; parsing the script and the first layout are most of the time, on a core that the
server shares. Each round is a fresh profile, so nothing is cached; the server is warm.

A chart of 100,000 points is drawn from an answer that the bench gives in the server's place, which sends no series that
long: from its last byte over parsing it, the words and the table beside it, to the frame after the one that has the
lines. So it is what somebody waits for, and more than the drawing alone.
"""

import json
import random
import shutil
from datetime import UTC, datetime, timedelta
from statistics import median

from playwright.sync_api import Browser, sync_playwright

from bench.client import send_all
from bench.instance import BRAND, Instance
from bench.plan import Plan
from bench.results import Row, row
from bench.traffic import Traffic, batches

HITS = 20_000
ROUNDS = 9
FLAGS = ("--no-sandbox", "--disable-background-networking", "--disable-component-update", "--disable-gpu")
PAINTED = "performance.getEntriesByName('first-contentful-paint')[0].startTime"
BYTES = (
    "performance.getEntriesByType('resource').concat(performance.getEntriesByType('navigation'))"
    ".filter((one) => !new URL(one.name).pathname.startsWith('/v1/')).reduce((sum, one) => sum + one.transferSize, 0)"
)
ROWS_S_MAX = 20.0
POINTS = 100_000
CHARTS = 5
# The first canvas, and the frame after the one in which it was drawn.
WATCH = """
new MutationObserver((_, watcher) => {
  if (!document.querySelector(".plot canvas")) return;
  watcher.disconnect();
  const tell = () => { document.documentElement.dataset.drawn = String(performance.now()); };
  requestAnimationFrame(() => requestAnimationFrame(tell));
}).observe(document, { childList: true, subtree: true });
"""
ANSWERED = (
    "performance.getEntriesByType('resource').filter((one) => one.name.includes('compare=lastWeek'))[0].responseEnd"
)


class NoChromium(Exception):
    """There is no Chromium to draw in; `make setup-tests` installs it."""


class WrongChart(Exception):
    """Another chart was drawn than the one that is measured."""


def run(plan: Plan) -> list[Row]:
    """Open the page again and again, each time as somebody who never was there."""
    path = shutil.which("chromium")
    if path is None:
        raise NoChromium("chromium is not installed: run `make setup-tests`")
    painted: list[float] = []
    listed: list[float] = []
    sizes: list[float] = []
    charts: list[float] = []
    with Instance(plan.directory / "data") as instance, sync_playwright() as playwright:
        send_all(instance.port, batches(Traffic(seed=7).bulky(HITS, url_bytes=40)))
        instance.drain()
        browser = playwright.chromium.launch(executable_path=path, args=list(FLAGS))
        try:
            for _ in range(plan.scaled(ROUNDS) + 1):  # The first warms the server and the browser.
                one = _opened(browser, f"http://127.0.0.1:{instance.port}/?brand={BRAND}")
                for values, value in zip((painted, listed, sizes), one, strict=True):
                    values.append(value)
            series = _series()
            for _ in range(plan.scaled(CHARTS) + 1):
                charts.append(_drawn(browser, f"http://127.0.0.1:{instance.port}/audience?brand={BRAND}", series))
        finally:
            browser.close()
    return [
        row("first view painted, median", median(painted[1:]), "ms", at_most=1_000),
        row("first view painted, longest", max(painted[1:]), "ms"),
        row("rows of the first list there, median", median(listed[1:]), "ms", at_most=1_000),
        row("rows of the first list there, longest", max(listed[1:]), "ms"),
        row("first view, as it is sent", max(sizes) / 1_000, "kB", at_most=150),
        row(f"chart of {POINTS:,} points drawn, median", median(charts[1:]), "ms", at_most=500),
        row(f"chart of {POINTS:,} points drawn, longest", max(charts[1:]), "ms"),
    ]


def _opened(browser: Browser, url: str) -> tuple[float, float, float]:
    """Return when the page was painted first and when its list had rows, since it was asked for, and its bytes."""
    context = browser.new_context(viewport={"width": 1_440, "height": 900})
    try:
        page = context.new_page()
        page.goto(url)
        page.wait_for_selector("table.assets tbody .asset", timeout=ROWS_S_MAX * 1_000)
        listed = page.evaluate("performance.now()")
        return page.evaluate(PAINTED), listed, page.evaluate(BYTES)
    finally:
        context.close()


def _series() -> bytes:
    """Return a series of so many minutes, as the server would answer with it."""
    chance = random.Random(7)
    begin = datetime(2026, 9, 1, tzinfo=UTC)
    moments = [f"{begin + timedelta(minutes=n):%Y-%m-%dT%H:%MZ}" for n in range(POINTS + 1)]
    points = [
        {"from": moments[n], "to": moments[n + 1], "hits": chance.randrange(500), "final": True} for n in range(POINTS)
    ]
    about = {"brand": BRAND, "grain": "minute", "zone": "UTC", "from": moments[0], "to": moments[-1], "exact": True}
    return json.dumps({**about, "hits": sum(int(one["hits"]) for one in points), "points": points}).encode()


def _drawn(browser: Browser, url: str, series: bytes) -> float:
    """Return the milliseconds from the last byte of a series until its chart was drawn."""
    context = browser.new_context(viewport={"width": 1_440, "height": 900})
    try:
        page = context.new_page()
        page.add_init_script(WATCH)
        kind = "application/json"
        page.route("**/v1/series*compare=lastWeek*", lambda route: route.fulfill(body=series, content_type=kind))
        page.route("**/v1/series*measure=uniques*", lambda _: None)  # The chart of visitors waits, and takes no time.
        page.goto(url)
        page.wait_for_selector("html[data-drawn]", timeout=ROWS_S_MAX * 1_000)
        name = page.locator(".chart-title").first.inner_text()
        if "minute" not in name:
            raise WrongChart(f"the first chart is {name!r}, and not the one that the bench answered for")
        return page.evaluate("Number(document.documentElement.dataset.drawn)") - page.evaluate(ANSWERED)
    finally:
        context.close()
