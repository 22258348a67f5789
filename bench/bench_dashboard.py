"""Dashboard: milliseconds until a browser has drawn the first view, and until its list has rows.

Sketch. A shell of 2 KB, a style sheet of 5 KB and a script of 60 KB, compressed, over loopback; then one question for
the list. The network is nothing here; parsing the script and the first layout are most of the time, on a core that the
server shares. Each round is a fresh profile, so nothing is cached; the server is warm.
"""

import shutil
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


class NoChromium(Exception):
    """There is no Chromium to draw in; `make setup-tests` installs it."""


def run(plan: Plan) -> list[Row]:
    """Open the page again and again, each time as somebody who never was there."""
    path = shutil.which("chromium")
    if path is None:
        raise NoChromium("chromium is not installed: run `make setup-tests`")
    painted: list[float] = []
    listed: list[float] = []
    sizes: list[float] = []
    with Instance(plan.directory / "data") as instance, sync_playwright() as playwright:
        send_all(instance.port, batches(Traffic(seed=7).bulky(HITS, url_bytes=40)))
        instance.drain()
        browser = playwright.chromium.launch(executable_path=path, args=list(FLAGS))
        try:
            for _ in range(plan.scaled(ROUNDS) + 1):  # The first warms the server and the browser.
                one = _opened(browser, f"http://127.0.0.1:{instance.port}/?brand={BRAND}")
                for values, value in zip((painted, listed, sizes), one, strict=True):
                    values.append(value)
        finally:
            browser.close()
    return [
        row("first view painted, median", median(painted[1:]), "ms", at_most=1_000),
        row("first view painted, longest", max(painted[1:]), "ms"),
        row("rows of the first list there, median", median(listed[1:]), "ms", at_most=1_000),
        row("rows of the first list there, longest", max(listed[1:]), "ms"),
        row("first view, as it is sent", max(sizes) / 1_000, "kB", at_most=150),
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
