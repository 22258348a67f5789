"""Archive: what of a page is in its picture, how many pages a minute are captured, and what memory that leaves.

Sketch. A capture of an article takes some 1.8 s of a processor: 0.3 for a context and its process, 0.3 for what the
page has, 0.5 for drawing it while it is scrolled, 0.3 for drawing its picture, 0.3 for encoding that. Besides it waits:
65 ms for each 640 pixels, 140 when the page listens to scrolling; at the end 0.3 s for more to come, 0.8 when it
listens. So one page at a time leaves two cores idle for half of the time, and four at a time are bound by them. The
site is that of the tests, on loopback; a page from far away waits longer, and four at a time wait together. Limits are
those that a worker has: a page that takes longer than they let it counts as none.
"""

import os
import re
import sys
import time
import urllib.request
from collections import Counter
from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor

from bench.instance import memory_bytes
from bench.plan import Plan
from bench.results import Row, row
from footfall.adapters.chromium.chromium_capturing import ChromiumCapturing
from footfall.adapters.gate.gate_proxy import GateProxy
from footfall.ports.capturing import Captured, CaptureFailed, Wanted
from footfall.values.public_addresses import Policy
from tests.archive_site import Site, archive_site
from tests.archive_site.images import image, numbers_in
from tests.archive_site.site import COMPLETE, FULL

ARTICLE = {"/article": 3}
SHORT = 5  # images of a page that is of the length of most
ARTICLES = 20
CAPTURES = 100
CONTEXTS = 4
NAMED = re.compile(r'<img\s[^>]*?\ssrc=["\']([^"\']*/image/\d+[^"\']*)')


def run(plan: Plan) -> list[Row]:
    """Capture the hard pages, then an article again and again."""
    with (
        archive_site() as site,
        GateProxy(Policy(allowed=site.allowed)) as gate,
        ChromiumCapturing(gate, now_us=lambda: time.time_ns() // 1_000) as capturing,
    ):
        capturing.start()
        photos = plan.scaled(FULL)
        for number in range(photos):
            image(number)  # Drawing them is the site's work.
        return [
            *_completeness(site, capturing, photos),
            *_tall(site, capturing, photos),
            *_hard_pages(site, capturing, plan.scaled(SHORT)),
            *_articles(site, capturing, plan),
        ]


def _completeness(site: Site, capturing: ChromiumCapturing, photos: int) -> Sequence[Row]:
    """Return which part of all images is in the pictures, and which part a plain GET has."""
    counts = _counts(photos)
    captures, minutes = _captured(site, capturing, counts, at_once=CONTEXTS)
    in_pictures = sum(len(numbers_in(captured.tiles)) for captured in captures)
    brought, named = _plainly(site, counts)
    total = sum(counts.values())
    pages = f"{len(counts)} hard pages of up to {photos} images"
    return [
        row(f"images of {pages} that are in the picture", 100 * in_pictures / total, "%", at_least=100),
        row("images that a plain GET of the pages brings", 100 * brought / total, "%"),
        row("images that it names, fetched as well", 100 * named / total, "%"),
        row(f"{pages}, {CONTEXTS} at a time", len(captures) / minutes, "pages/min"),
    ]


def _plainly(site: Site, counts: Mapping[str, int]) -> tuple[int, int]:
    """Return how many images the site gave for the pages alone, and how many with those that they name."""
    brought = named = 0
    for path, count in counts.items():
        site.asked.clear()
        with urllib.request.urlopen(site.url(f"{path}?n={count}")) as answer:
            text = answer.read().decode()
        brought += _images_given(site)
        for address in set(NAMED.findall(text)):
            with urllib.request.urlopen(address if "://" in address else site.url(address)) as answer:
                assert answer.headers["Content-Type"].startswith("image/")
        named += min(_images_given(site), count)
    return brought, named


def _images_given(site: Site) -> int:
    return len({asked.partition("/image/")[2] for asked in site.asked if "/image/" in asked})


def _tall(site: Site, capturing: ChromiumCapturing, photos: int) -> Sequence[Row]:
    captures, minutes = _captured(site, capturing, {"/lazy": photos}, at_once=1)
    what = f"a page of {photos} photographs, {sum(one.height_px for one in captures):,} px high"
    goal = 10.0 if photos == FULL else None
    return [row(what, minutes * 60, "s", at_most=goal), *_phases("of that", captures)]


def _hard_pages(site: Site, capturing: ChromiumCapturing, photos: int) -> Sequence[Row]:
    counts = _counts(photos)
    captures, one = _captured(site, capturing, counts, at_once=1)
    at_once, four = _captured(site, capturing, counts, at_once=CONTEXTS)
    pages = f"{len(counts)} hard pages of up to {photos} images"
    return [
        row(f"{pages}, one at a time", len(captures) / one, "pages/min", at_least=20),
        row(f"the same, {CONTEXTS} at a time", len(at_once) / four, "pages/min", at_least=40),
        *_phases("one of them takes, one at a time", captures),
    ]


def _articles(site: Site, capturing: ChromiumCapturing, plan: Plan) -> Sequence[Row]:
    """Return how fast articles are captured, and the memory of everything after many beside that after a few."""
    few, many = plan.scaled(ARTICLES), plan.scaled(CAPTURES)
    captures, one = _captured(site, capturing, ARTICLE, at_once=1, times=few)
    before = _memory_bytes()
    at_once, four = _captured(site, capturing, ARTICLE, at_once=CONTEXTS, times=many)
    after = _memory_bytes()
    return [
        row("an article with 3 photographs, one at a time", len(captures) / one, "pages/min", at_least=20),
        row(f"the same, {CONTEXTS} at a time", len(at_once) / four, "pages/min", at_least=40),
        *_phases("one takes, one at a time", captures),
        row(f"memory of browser and worker after {many} articles more", after / 1e6, "MB"),
        row("the same, beside that before them", after / before, "times", at_most=1.15),
    ]


def _phases(what: str, captures: Sequence[Captured]) -> Sequence[Row]:
    """Return how long captures took on average, by what they were at."""
    spent: Counter[str] = Counter()
    for captured in captures:
        spent.update(captured.timings_ms)
    return [row(f"{what}: {phase}", ms / len(captures), "ms") for phase, ms in spent.items()]


def _counts(photos: int) -> Mapping[str, int]:
    return {path: min(count, photos) for path, count in COMPLETE.items()}


def _captured(
    site: Site, capturing: ChromiumCapturing, counts: Mapping[str, int], *, at_once: int, times: int = 1
) -> tuple[Sequence[Captured], float]:
    """Capture pages with so many images, and return those that did not fail and how many minutes that took."""
    wanted = [
        Wanted(site.url(f"{path}?n={count}"), hide_banners=path == "/modal") for path, count in counts.items()
    ] * times
    began_s = time.monotonic()
    with ThreadPoolExecutor(at_once) as threads:
        outcomes = list(threads.map(lambda one: _outcome(capturing, one), wanted))
    minutes = (time.monotonic() - began_s) / 60
    return [captured for captured in outcomes if captured is not None], minutes


def _outcome(capturing: ChromiumCapturing, wanted: Wanted) -> Captured | None:
    try:
        return capturing.capture(wanted)
    except CaptureFailed as failure:
        print(f"{wanted.url}: {failure}", file=sys.stderr)
        return None


def _memory_bytes() -> int:
    return sum(memory_bytes(os.getpid()).values())
