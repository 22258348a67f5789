"""Archive: what of a page is in its picture, how many pages a minute are captured, and what memory that leaves.

Sketch. A capture is mostly waiting: 140 ms for each 640 pixels that are scrolled, 0.8 s at the end for more to come.
What takes the processor is drawing and encoding. So one page at a time leaves a machine idle for half of the time, and
four at a time are bound by two cores. The site is that of the tests, on loopback; a page from far away waits longer,
and four at a time wait together.
"""

import os
import re
import time
import urllib.request
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor

from bench.instance import memory_bytes
from bench.plan import Plan
from bench.results import Row, row
from footfall.adapters.chromium.chromium_capturing import ChromiumCapturing
from footfall.adapters.chromium.limits import Limits
from footfall.adapters.gate.gate_proxy import GateProxy
from footfall.ports.capturing import Wanted
from footfall.values.public_addresses import Policy
from tests.archive_site import Site, archive_site
from tests.archive_site.images import numbers_in
from tests.archive_site.site import COMPLETE, FULL

ARTICLE = "/article?n=3"
ONE_AT_A_TIME = 20
FOUR_AT_A_TIME = 60
CAPTURES = 200
WARM = 20  # Until then a browser fills caches that it keeps.
CONTEXTS = 4


def run(plan: Plan) -> list[Row]:
    """Capture the hard pages, then one again and again."""
    limits = Limits(contexts_max=CONTEXTS, whole_ms=240_000)
    with (
        archive_site() as site,
        GateProxy(Policy(allowed=site.allowed)) as gate,
        ChromiumCapturing(gate, now_us=lambda: time.time_ns() // 1_000, limits=limits) as capturing,
    ):
        capturing.start()
        photos = plan.scaled(FULL)
        return [
            *_completeness(site, capturing, photos),
            *_tall(site, capturing, photos),
            *_rates(site, capturing, plan),
            *_memory(site, capturing, plan),
        ]


def _completeness(site: Site, capturing: ChromiumCapturing, photos: int) -> Sequence[Row]:
    """Return which part of all images is in the pictures, and which part the HTML names."""
    counts = {path: min(count, photos) for path, count in COMPLETE.items()}

    def seen(path: str) -> int:
        wanted = Wanted(site.url(f"{path}?n={counts[path]}"), hide_banners=path == "/modal")
        return len(numbers_in(capturing.capture(wanted).tiles))

    with ThreadPoolExecutor(CONTEXTS) as threads:
        in_pictures = sum(threads.map(seen, counts))
    named = sum(min(_named(site.url(f"{path}?n={count}")), count) for path, count in counts.items())
    total = sum(counts.values())
    return [
        row(
            f"images of {len(counts)} hard pages that are in the picture", 100 * in_pictures / total, "%", at_least=100
        ),
        row("images that a plain GET of the pages brings", 0.0, "%"),
        row("images that the HTML of a plain GET names", 100 * named / total, "%"),
    ]


def _named(url: str) -> int:
    with urllib.request.urlopen(url) as answer:
        return len(set(re.findall(r'\ssrc=["\']([^"\']*/image/\d+)', answer.read().decode())))


def _tall(site: Site, capturing: ChromiumCapturing, photos: int) -> Sequence[Row]:
    began_s = time.monotonic()
    captured = capturing.capture(Wanted(site.url(f"/lazy?n={photos}")))
    took_s = time.monotonic() - began_s
    goal = 10.0 if photos == FULL else None
    return [row(f"a page of {photos} photographs, {captured.height_px:,} px high", took_s, "s", at_most=goal)]


def _rates(site: Site, capturing: ChromiumCapturing, plan: Plan) -> Sequence[Row]:
    one = _pages_a_minute(site, capturing, plan.scaled(ONE_AT_A_TIME), at_once=1)
    four = _pages_a_minute(site, capturing, plan.scaled(FOUR_AT_A_TIME), at_once=CONTEXTS)
    return [
        row("an article with 3 photographs, one at a time", one, "pages/min", at_least=20),
        row(f"the same, {CONTEXTS} at a time", four, "pages/min", at_least=40),
    ]


def _pages_a_minute(site: Site, capturing: ChromiumCapturing, pages: int, *, at_once: int) -> float:
    began_s = time.monotonic()
    _capture(site, capturing, pages, at_once=at_once)
    return pages * 60 / (time.monotonic() - began_s)


def _memory(site: Site, capturing: ChromiumCapturing, plan: Plan) -> Sequence[Row]:
    """Return the memory of everything after many captures beside that after a few."""
    captures, warm = plan.scaled(CAPTURES), plan.scaled(WARM)
    _capture(site, capturing, warm, at_once=CONTEXTS)
    before = _memory_bytes()
    _capture(site, capturing, captures, at_once=CONTEXTS)
    after = _memory_bytes()
    return [
        row(f"memory of browser and worker after {captures} captures", after / 1e6, "MB"),
        row(f"the same, beside that after {warm}", after / before, "times", at_most=1.15),
    ]


def _capture(site: Site, capturing: ChromiumCapturing, pages: int, *, at_once: int) -> None:
    with ThreadPoolExecutor(at_once) as threads:
        for _ in threads.map(lambda _: capturing.capture(Wanted(site.url(ARTICLE))).status, range(pages)):
            pass


def _memory_bytes() -> int:
    return sum(memory_bytes(os.getpid()).values())
