"""One Chromium, one site and one instance for all tests here; a scene of its own for each."""

import itertools
from collections.abc import Generator

import pytest
from playwright.sync_api import Browser, expect, sync_playwright

from tests.scenarios.browser.publisher import FLAGS, Publisher, chromium_path, published
from tests.scenarios.browser.scene import WAIT_S, Scene
from tests.scenarios.instance import Instance, Starter

NUMBERS = itertools.count(1)  # Each test has a brand of its own.
CACHING = "--disable-back-forward-cache"  # What Playwright switches off, and we look at.
expect.set_options(timeout=WAIT_S * 1_000)


@pytest.fixture(scope="package")
def instance(tmp_path_factory: pytest.TempPathFactory) -> Generator[Instance]:
    folder = tmp_path_factory.mktemp("tracked")
    starter = Starter(folder)
    yield starter.start(folder / "data")
    starter.end_all()


@pytest.fixture(scope="package")
def browser() -> Generator[Browser]:
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(
            executable_path=chromium_path(), args=list(FLAGS), ignore_default_args=[CACHING]
        )
        yield browser
        browser.close()


@pytest.fixture(scope="package")
def site() -> Generator[Publisher]:
    with published() as site:
        yield site


@pytest.fixture
def scene(instance: Instance, browser: Browser, site: Publisher) -> Generator[Scene]:
    scene = Scene(f"brand-{next(NUMBERS)}", instance, site, browser)
    yield scene
    for reader in scene.readers:
        reader.context.close()
    # Whatever a page is like, it never hears of its tracker.
    assert [reader.complaints for reader in scene.readers] == [[] for _ in scene.readers]
