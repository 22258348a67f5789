"""One site and one browser for the tests of a file; what a test needs otherwise it makes itself."""

import time
from collections.abc import Generator

import pytest

from footfall.adapters.chromium.chromium_capturing import ChromiumCapturing
from footfall.adapters.chromium.limits import Limits
from footfall.adapters.gate.gate_proxy import GateProxy
from footfall.values.public_addresses import Policy
from tests.archive_site import Site, archive_site


@pytest.fixture(scope="module")
def site() -> Generator[Site]:
    with archive_site() as site:
        yield site


@pytest.fixture(scope="module")
def gate(site: Site) -> Generator[GateProxy]:
    with GateProxy(Policy(allowed=site.allowed)) as gate:
        yield gate


@pytest.fixture(scope="module")
def limits() -> Limits:
    return Limits()


@pytest.fixture(scope="module")
def capturing(gate: GateProxy, limits: Limits) -> Generator[ChromiumCapturing]:
    with ChromiumCapturing(gate, now_us=lambda: time.time_ns() // 1_000, limits=limits) as capturing:
        yield capturing
