"""A page that takes too much memory is ended; a browser that has had many pages has no more than at first."""

import os
from concurrent.futures import ThreadPoolExecutor

import pytest

from bench.compare.processes import tree_of
from bench.instance import memory_bytes
from footfall.adapters.chromium.chromium_capturing import ChromiumCapturing
from footfall.adapters.chromium.limits import Limits
from footfall.adapters.chromium.watching_memory import over_limit
from footfall.adapters.gate.gate_proxy import GateProxy
from footfall.ports.capturing import Wanted
from tests.archive_site import Site

LIMITS = Limits(renderer_bytes_max=1_000, renderers_bytes_max=2_500)


def test_each_page_above_its_limit_is_ended() -> None:
    assert over_limit({1: 1_001, 2: 900, 3: 2_000}, LIMITS) == [1, 3]


def test_the_largest_page_is_ended_when_all_together_take_too_much() -> None:
    assert over_limit({1: 800, 2: 900, 3: 850}, LIMITS) == [2]


def test_pages_within_their_limits_are_left_alone() -> None:
    assert over_limit({1: 1_000, 2: 900}, LIMITS) == []


def test_a_browser_that_has_had_its_captures_is_followed_by_another_and_none_is_left(
    site: Site, gate: GateProxy
) -> None:
    before = set(tree_of(os.getpid()))
    with ChromiumCapturing(gate, now_us=lambda: 0, limits=Limits(jobs_per_browser_max=1)) as capturing:
        capturing.start()
        [first] = capturing.processes()
        capturing.capture(Wanted(site.url("/status/404"), keep_errors=True))
        [second] = capturing.processes()
        assert first != second
        assert first not in tree_of(os.getpid())
    assert set(tree_of(os.getpid())) <= before


@pytest.mark.soak
def test_memory_is_back_at_its_start_after_200_captures(site: Site, capturing: ChromiumCapturing) -> None:
    def capture(number: int) -> None:
        assert capturing.capture(Wanted(site.url(f"/article?n={number % 3 + 1}"))).status == 200

    def resident() -> int:
        return sum(memory_bytes(os.getpid()).values())

    with ThreadPoolExecutor(4) as threads:
        list(threads.map(capture, range(20)))
        before = resident()
        list(threads.map(capture, range(200)))
    assert resident() < before * 1.2
