"""Whatever a page does, a capture of it ends with a reason that a person understands, and the next one works."""

import os
import signal
import threading
import time
from collections.abc import Callable, Generator, Mapping
from concurrent.futures import Future, ThreadPoolExecutor
from pathlib import Path

import pytest

from footfall.adapters.chromium.canary import Leaks
from footfall.adapters.chromium.chromium_capturing import ChromiumCapturing
from footfall.adapters.chromium.launching import NoChromium
from footfall.adapters.chromium.limits import Limits
from footfall.adapters.gate.gate_proxy import GateProxy
from footfall.ports.capturing import Captured, CaptureFailed, Reason, Wanted
from footfall.values.public_addresses import Policy
from tests.archive_site import Site

REASONS = {
    "/status/401": Reason.NEEDS_SIGN_IN,
    "/status/403": Reason.NEEDS_SIGN_IN,
    "/status/404": Reason.NOT_FOUND,
    "/status/503": Reason.SITE_FAILED,
    "/circle": Reason.TOO_MANY_REDIRECTS,
    "/restless": Reason.TOO_MANY_REDIRECTS,
    "/download": Reason.DOWNLOAD,
    "/pdf": Reason.DOWNLOAD,
    "/never": Reason.TOO_SLOW,
    "/endless/slow": Reason.TOO_SLOW,
    "/endless/fast": Reason.TOO_LARGE,
    "/gzip-bomb": Reason.TOO_LARGE,
    "/endless-alert": Reason.TOO_SLOW,
    "/loop": Reason.TOO_SLOW,
    "/bomb": Reason.OUT_OF_MEMORY,
    "/framed-bomb": Reason.OUT_OF_MEMORY,
    "/leaving": Reason.UNFIT_ADDRESS,
    "/inward": Reason.BLOCKED_ADDRESS,
    "/inward-tls": Reason.BLOCKED_ADDRESS,
    "/moved/moved/inward": Reason.BLOCKED_ADDRESS,
}
WAITED_FOR = ("/never", "/endless/slow", "/loop")  # Nothing but a limit of time ends them.
KEPT = {
    "/meta": "/article",
    "/script": "/article",
    "/moved/article": "/article",
    "/auto-download": "/auto-download",
    # What a browser shows that is no page of HTML.
    "/text": "/text",
    "/image/3": "/image/3",
    "/feed": "/feed",
    "/drawing": "/drawing",
}
ELSEWHERE = {
    "http://127.0.0.1:1/": Reason.BLOCKED_ADDRESS,
    "http://169.254.169.254/latest/meta-data/": Reason.BLOCKED_ADDRESS,
    "https://no-such-host.invalid/": Reason.NO_SUCH_HOST,
    "file:///etc/passwd": Reason.UNFIT_ADDRESS,
    "chrome://version/": Reason.UNFIT_ADDRESS,
    "view-source:http://127.0.0.1/": Reason.UNFIT_ADDRESS,
}
WAIT_S = 120.0


@pytest.fixture(scope="module")
def limits() -> Limits:
    # As much time as a busy machine needs for what does come to an end.
    return Limits(
        contexts_max=6, received_bytes_max=4_000_000, renderer_bytes_max=500_000_000, open_ms=60_000, whole_ms=100_000
    )


@pytest.fixture(scope="module")
def impatient(gate: GateProxy) -> Generator[ChromiumCapturing]:
    """A browser for what never comes to an end, so that nothing else is measured by its patience."""
    limits = Limits(open_ms=3_000, stuck_ms=3_000)
    with ChromiumCapturing(gate, now_us=lambda: time.time_ns() // 1_000, limits=limits) as capturing:
        yield capturing


@pytest.fixture(scope="module")
def outcomes(
    site: Site, capturing: ChromiumCapturing, impatient: ChromiumCapturing
) -> Mapping[str, Captured | CaptureFailed]:
    """Capture all of them beside each other."""

    def outcome(url: str) -> Captured | CaptureFailed:
        try:
            by = impatient if any(path in url for path in WAITED_FOR) else capturing
            return by.capture(Wanted(url))
        except CaptureFailed as failure:
            return failure

    urls = {path: site.url(path) for path in [*REASONS, *KEPT]} | {url: url for url in ELSEWHERE}
    with ThreadPoolExecutor(6) as threads:
        return dict(zip(urls, threads.map(outcome, urls.values()), strict=True))


@pytest.mark.parametrize("path", [*REASONS, *ELSEWHERE])
def test_a_page_that_cannot_be_captured_says_why(path: str, outcomes: Mapping[str, Captured | CaptureFailed]) -> None:
    outcome = outcomes[path]
    assert isinstance(outcome, CaptureFailed)
    assert outcome.reason == {**REASONS, **ELSEWHERE}[path], outcome
    assert len(str(outcome)) > 20


@pytest.mark.parametrize("path", KEPT)
def test_a_page_that_leads_on_is_captured_where_it_ends(
    path: str, site: Site, outcomes: Mapping[str, Captured | CaptureFailed]
) -> None:
    outcome = outcomes[path]
    assert isinstance(outcome, Captured), outcome
    assert (outcome.url, outcome.final_url) == (site.url(path), site.url(KEPT[path]))


def test_the_browser_that_met_all_of_them_takes_the_next_one(
    site: Site, capturing: ChromiumCapturing, outcomes: Mapping[str, Captured | CaptureFailed]
) -> None:
    assert outcomes
    assert capturing.capture(Wanted(site.url("/article?n=1"))).title == "The boats came back"


def test_a_page_that_writes_its_own_address_anew_is_captured(site: Site, capturing: ChromiumCapturing) -> None:
    assert capturing.capture(Wanted(site.url("/router"))).text == "here"


def test_an_error_is_kept_as_a_page_on_request(site: Site, capturing: ChromiumCapturing) -> None:
    captured = capturing.capture(Wanted(site.url("/status/404"), keep_errors=True))
    assert (captured.status, captured.text) == (404, "404")


def test_a_browser_that_is_killed_fails_its_capture_and_the_next_one_has_another(
    site: Site, capturing: ChromiumCapturing
) -> None:
    site.asked.clear()
    failed: Future[Captured] = Future()

    def capture() -> None:
        try:
            failed.set_result(capturing.capture(Wanted(site.url("/hanging"))))
        except CaptureFailed as failure:
            failed.set_exception(failure)

    capturing.start()
    [before] = capturing.processes()
    thread = threading.Thread(target=capture)
    thread.start()
    _until(lambda: any("/never" in asked for asked in site.asked))
    os.kill(before, signal.SIGKILL)
    thread.join(WAIT_S)
    failure = failed.exception(0)
    assert isinstance(failure, CaptureFailed)
    assert failure.reason is Reason.CRASHED
    assert capturing.capture(Wanted(site.url("/article?n=1"))).status == 200
    assert capturing.processes() != [before]


def test_a_browser_that_nothing_drives_any_more_is_followed_by_another(
    site: Site, capturing: ChromiumCapturing
) -> None:
    capturing.start()
    [before] = capturing.processes()
    driver = int(Path(f"/proc/{before}/stat").read_text().rpartition(")")[2].split()[1])
    assert driver != os.getpid()
    site.asked.clear()
    with ThreadPoolExecutor(1) as threads:
        under_way = threads.submit(capturing.capture, Wanted(site.url("/hanging")))
        _until(lambda: any("/never" in asked for asked in site.asked))
        os.kill(driver, signal.SIGKILL)
        failure = under_way.exception(WAIT_S)
    assert isinstance(failure, CaptureFailed)
    assert failure.reason is Reason.CRASHED
    assert capturing.capture(Wanted(site.url("/article?n=1"))).status == 200
    assert capturing.processes() != [before]


def test_a_browser_that_reaches_this_machine_is_not_used() -> None:
    class OpenPolicy(Policy):
        def is_allowed(self, host: str, port: int) -> bool:
            return True

    with (
        GateProxy(OpenPolicy()) as gate,
        ChromiumCapturing(gate, now_us=lambda: time.time_ns() // 1_000) as capturing,
        pytest.raises(Leaks, match="past the gate"),
    ):
        capturing.start()


def test_a_browser_that_is_not_there_is_asked_for_by_name(gate: GateProxy) -> None:
    with pytest.raises(NoChromium, match="apt install chromium"):
        ChromiumCapturing(gate, now_us=lambda: 0, chromium="/nowhere/chromium")


def _until(holds: Callable[[], bool]) -> None:
    until_s = time.monotonic() + WAIT_S
    while not holds():
        assert time.monotonic() < until_s
        time.sleep(0.02)
