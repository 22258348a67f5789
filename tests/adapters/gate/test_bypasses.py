"""A browser that keeps to the gate reaches no inner server, whatever a stranger's page tries; without it, it does."""

import contextlib
import shutil
import time
from collections.abc import Callable, Generator
from dataclasses import dataclass

import pytest
from playwright.sync_api import Browser, BrowserContext, Error, Page, sync_playwright

from footfall.adapters.gate.gate_proxy import BROWSER_FLAGS, BrowserProxy, GateProxy
from footfall.values.public_addresses import Policy
from tests.adapters.gate.attacks import (
    DATAGRAMS,
    HEADERS,
    OTHER_FORMS,
    PAGES,
    SPELLINGS,
    Attack,
    attacks,
    datagrams,
)
from tests.adapters.gate.places import PUBLIC, STRANGER, Inner, Internet, inner_server, stranger_server

WAIT_S_MAX = 20.0  # Longer than any busy machine takes; what is waited for comes in two or three seconds.


@dataclass
class Ground:
    """The servers, and what is tried."""

    inner: Inner
    known: dict[str, Attack]
    stranger_port: int

    @property
    def stranger(self) -> str:
        return f"http://{STRANGER}:{self.stranger_port}"

    @property
    def hosts(self) -> set[str]:
        return {attack.host for attack in self.known.values()}

    def names(self, hosts: set[str]) -> set[str]:
        return {name for name, attack in self.known.items() if attack.host in hosts}


@dataclass
class Gated:
    """A browser that keeps to the gate, and a job of it."""

    gate: GateProxy
    token: str
    context: BrowserContext
    internet: Internet


@pytest.fixture
def ground() -> Generator[Ground]:
    hosts = [attack.host for attack in attacks(0).values()]
    with inner_server(hosts) as inner:
        known = attacks(inner.port)
        with stranger_server(known) as port:
            yield Ground(inner, known, port)


@pytest.fixture
def gated(ground: Ground) -> Generator[Gated]:
    internet = Internet(ground.stranger_port)
    # The inner server's port counts as one of the web's, so that nothing but its address keeps a browser from it.
    policy = Policy(frozenset({(STRANGER, ground.stranger_port)}), ports=frozenset({80, 443, ground.inner.port}))
    with (
        GateProxy(policy, resolve=internet.addresses, dial=internet.dial) as gate,
        started(ground, *BROWSER_FLAGS, proxy=gate.browser_proxy()) as browser,
    ):
        token = gate.open_job()
        yield Gated(gate, token, browser.new_context(proxy=gate.browser_proxy(token)), internet)


def test_no_attempt_reaches_the_inner_server_through_the_gate(ground: Ground, gated: Gated) -> None:
    def refused() -> set[str]:
        seen = gated.gate.job(gated.token)
        return {refusal.host for refusal in seen.blocked if refusal.port == ground.inner.port}

    page = gated.context.new_page()
    statuses = {url: visit(page, url) for url in typed_urls(ground)}
    heard = ground.hosts - {ground.known[name].host for name in DATAGRAMS}
    try_everything(ground, gated.context, lambda: heard <= refused())
    page.goto(ground.stranger)
    page.evaluate(datagrams(ground.known))
    assert (ground.inner.reached, ground.inner.lines) == (set(), [])
    # Each was really tried: the gate heard of every one, and said no.
    assert set(ground.known) - ground.names(refused()) == set(DATAGRAMS)
    assert {url: status for url, status in statuses.items() if status != 403} == {}
    assert len(ground.known) + len(statuses) >= 110


def test_a_name_that_changes_its_mind_is_reached_where_it_was_looked_at_and_then_not_at_all(
    ground: Ground, gated: Gated
) -> None:
    page = gated.context.new_page()
    url = f"http://rebind.example:{ground.inner.port}/"
    assert visit(page, url) == 200
    assert page.title() == "stranger"
    again = "fetch('/again', {cache: 'no-store'}).then(answer => answer.status)"
    assert page.evaluate(again) == 403
    assert visit(page, f"{url}later") == 403
    assert gated.internet.dialled[0] == (PUBLIC, ground.inner.port)
    assert ("127.0.0.1", ground.inner.port) not in gated.internet.dialled
    assert ground.inner.reached == set()


def test_the_same_attempts_reach_the_inner_server_without_the_gate(ground: Ground) -> None:
    with started(ground, "--host-resolver-rules=MAP *.example 127.0.0.1") as browser:
        context = browser.new_context()
        page = context.new_page()
        for url in typed_urls(ground):
            visit(page, url)
        page = context.new_page()  # The last one may still be on its way to where it was sent.
        page.goto(ground.stranger)
        page.evaluate(
            f"{{ {datagrams(ground.known)} }}; 0"
        )  # Nobody waits for it: without the gate it is given up late.
        try_everything(ground, context, lambda: ground.hosts <= ground.inner.reached)
    # The checker is checked: it sees whoever comes, and nothing but the gate kept these from coming.
    assert set(ground.known) - ground.names(ground.inner.reached) == set()
    assert len([line for line in ground.inner.lines if "/typed" in line]) >= 30


@contextlib.contextmanager
def started(ground: Ground, *flags: str, proxy: BrowserProxy | None = None) -> Generator[Browser]:
    path = shutil.which("chromium")
    assert path is not None, "chromium is not installed: run `make setup-tests`"
    # What Chromium itself forbids pages that reach for a network of ours is switched off: the gate stands alone.
    own = (
        "--no-sandbox",
        "--disable-gpu",
        "--disable-popup-blocking",
        "--allow-loopback-in-peer-connection",
        "--disable-features=LocalNetworkAccessChecks,PrivateNetworkAccessChecks,BlockInsecurePrivateNetworkRequests",
        f"--unsafely-treat-insecure-origin-as-secure={ground.stranger}",
    )
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=path, args=[*own, *flags], proxy=proxy)
        yield browser
        browser.close()


def typed_urls(ground: Ground) -> list[str]:
    port = str(ground.inner.port)
    return [f"http://{host}:{port}/typed" for host in SPELLINGS] + [url.replace("PORT", port) for url in OTHER_FORMS]


def try_everything(ground: Ground, context: BrowserContext, is_done: Callable[[], bool]) -> None:
    """Open the stranger's pages, and wait until whatever they try was tried."""
    page = context.new_page()
    for name, status in PAGES.items():
        visit(page, f"{ground.stranger}/redirect/{status}?{ground.known[name].filled('T')}")
    for path in ["all", *(f"header/{ground.known[name].host}" for name in HEADERS)]:
        visit(context.new_page(), f"{ground.stranger}/{path}")
    until = time.monotonic() + WAIT_S_MAX
    while not is_done() and time.monotonic() < until:
        page.wait_for_timeout(50)


def visit(page: Page, url: str) -> int:
    """Open a page, and return its status, or 0 if there is none."""
    try:
        answer = page.goto(url, wait_until="commit", timeout=WAIT_S_MAX * 1_000)
    except Error:
        return 0
    return 0 if answer is None else answer.status
