"""Before the first page, a browser shows that it keeps to the gate; one that does not is not used."""

import contextlib
import shutil
import urllib.request
from collections.abc import Generator

import pytest
from playwright.sync_api import Browser, Error, sync_playwright

from footfall.adapters.gate.canary import NotGated, require_gated
from footfall.adapters.gate.gate_proxy import GateProxy
from footfall.values.public_addresses import Policy

FLAGS = ["--no-sandbox", "--disable-gpu"]


@pytest.fixture
def gate() -> Generator[GateProxy]:
    with GateProxy(Policy()) as gate:
        yield gate


@contextlib.contextmanager
def chromium(*flags: str) -> Generator[Browser]:
    path = shutil.which("chromium")
    assert path is not None, "chromium is not installed: run `make setup-tests`"
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=path, args=[*FLAGS, *flags])
        yield browser
        browser.close()


def test_a_browser_that_keeps_to_the_gate_is_used(gate: GateProxy) -> None:
    with chromium() as browser:

        def visit(url: str, token: str) -> None:
            context = browser.new_context(proxy=gate.browser_proxy(token))
            context.new_page().goto(url)
            context.close()

        require_gated(gate, visit)


def test_a_browser_that_has_its_proxy_from_a_flag_goes_around_it_on_loopback_and_is_not_used(gate: GateProxy) -> None:
    with chromium(f"--proxy-server={gate.address}") as browser:

        def visit(url: str, _token: str) -> None:
            page = browser.new_page()
            with contextlib.suppress(Error):
                page.goto(url)

        with pytest.raises(NotGated, match="goes around the gate"):
            require_gated(gate, visit)


def test_a_browser_that_never_comes_is_not_used(gate: GateProxy) -> None:
    with pytest.raises(NotGated, match="never heard of it"):
        require_gated(gate, lambda _url, _token: None)


def test_whatever_reaches_the_canary_is_seen(gate: GateProxy) -> None:
    def visit(url: str, _token: str) -> None:
        with urllib.request.build_opener(urllib.request.ProxyHandler({})).open(url, timeout=20) as answer:
            assert answer.read() == b"canary"

    with pytest.raises(NotGated, match="goes around the gate"):
        require_gated(gate, visit)
