"""A queue of pages, with browsers and workers killed: each is done once or failed with a reason."""

import os
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.app.archive_campaign import Campaign, Site


@pytest.fixture
def site() -> Iterator[Site]:
    site = Site()
    yield site
    site.close()


def test_killed_browsers_and_workers_lose_no_page_and_keep_none_twice(tmp_path: Path, site: Site) -> None:
    campaign = Campaign(tmp_path, site, count=10)
    campaign.run(browser_kills=1, worker_kills=1, seconds_max=240)
    outcomes = campaign.require_each_once()
    assert (campaign.browsers_killed, campaign.workers_killed) == (1, 1)
    assert outcomes == {"done": 9, "not-found": 1}


@pytest.mark.soak
def test_a_thousand_pages_twenty_killed_browsers_and_five_killed_workers(tmp_path: Path, site: Site) -> None:
    campaign = Campaign(tmp_path, site, count=1_000)
    campaign.run(browser_kills=20, worker_kills=5, seconds_max=7_200)
    outcomes = campaign.require_each_once()
    assert (campaign.browsers_killed, campaign.workers_killed) == (20, 5)
    print(outcomes, os.times())
    assert outcomes["done"] + outcomes["crashed"] == 900
    assert outcomes["done"] >= 890, "a kill costs a retry, not a page"
