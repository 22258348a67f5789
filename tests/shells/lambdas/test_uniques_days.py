"""Days of named counters over HTTP, those that are gone among them, and the list of their names."""

from collections.abc import Generator
from contextlib import closing
from pathlib import Path
from urllib.parse import quote

import pytest

from footfall.app import wiring
from footfall.flow.store.retention import note_retention
from footfall.values.window import DAY_MS, Grain
from tests.shells.lambdas.counter_site import Counted, counted, told


@pytest.fixture
def site(tmp_path: Path) -> Generator[Counted]:
    with counted(tmp_path) as opened:
        yield opened


def test_days_are_the_brand_s_and_are_merged_when_they_are_asked_for(site: Counted) -> None:
    for values in (["x", "y"], ["y", "z"], ["z"]):
        site.post("a", values)
        site.count()
        site.clock.advance(DAY_MS)

    def of(span: str) -> int:
        return told(site.get(f"/v1/uniques/a?{span}"))["estimate"]

    assert of("from=2026-11-15T00:00Z&to=2026-11-15T12:00Z") == 2
    assert of("from=2026-11-16T12:00Z&to=2026-11-16T12:01Z") == 2
    assert of("from=2026-11-15T12:00Z&to=2026-11-17T22:00Z") == 3
    assert of("from=2026-11-10T12:00Z&to=2026-11-11T22:00Z") == 0
    answer = told(site.get("/v1/uniques/a?from=2026-11-15T12:00Z&to=2026-11-16T12:00%2B02:00"))
    assert (answer["from"], answer["to"]) == ("2026-11-14T22:00Z", "2026-11-16T22:00Z")
    span = "from=2026-11-16T12:00Z&to=2026-11-17T12:00Z"
    assert told(site.get(f"/v1/uniques?union=a&minus=a&{span}"))["estimate"] == 0


def retained(site: Counted, days: int) -> None:
    """Keep days for so long from now on."""
    with closing(wiring.open_store(site.settings, site.clock)) as store:
        kept_ms = {**wiring.kept_ms(site.settings), Grain.DAY: days * DAY_MS}
        note_retention(store, kept_ms, now_ms=site.clock.now_ms())


def test_a_span_of_which_days_are_gone_says_so_and_has_no_upper_bound(site: Counted) -> None:
    retained(site, 2)
    for day in range(8):
        site.post("a", [f"a{day}", "always"])
        if day == 7:
            site.post("new", ["x", "always"])
        site.count()
        site.clock.advance(DAY_MS)
    retained(site, 700)
    site.clock.advance(1)
    span = "from=2026-11-15T12:00Z&to=2026-11-23T12:00Z"
    answer = told(site.get(f"/v1/uniques/a?{span}"))
    assert (answer["keptSince"], answer["upper"]) == ("2026-11-20T22:00Z", None)
    assert "keptSince" not in told(site.get("/v1/uniques/a?from=2026-11-21T00:00Z&to=2026-11-22T12:00Z"))
    assert "keptSince" not in told(site.get("/v1/uniques/a"))
    newer = told(site.get(f"/v1/uniques/new?{span}"))
    assert ("keptSince" in newer, newer["upper"]) == (False, 2), "it had not begun then"
    minus = told(site.get(f"/v1/uniques?union=new&minus=a&{span}"))
    assert (minus["lower"], minus["upper"], minus["keptSince"]) == (0, 1, "2026-11-20T22:00Z")
    assert told(site.get(f"/v1/uniques?union=new&intersect=a&{span}"))["upper"] is None
    refused = site.get(f"/v1/uniques/a/sketch?{span}")
    assert (refused.status, told(refused)["field"]) == (400, "from")


@pytest.mark.parametrize(
    "ends", ["from=2026-11-15T00:00Z&to=2026-11-15T22:01Z", "from=2030-01-01T00:00Z&to=2030-01-02T00:00Z"]
)
def test_a_span_that_ends_after_today_is_refused(site: Counted, ends: str) -> None:
    site.post("a", ["x"])
    site.count()
    for path in ("/v1/uniques/a?", "/v1/uniques?union=a&", "/v1/uniques/a/sketch?"):
        refused = site.get(f"{path}{ends}")
        assert (refused.status, told(refused)["field"]) == (400, "to")
    assert site.get("/v1/uniques/a?from=2026-11-15T00:00Z&to=2026-11-15T22:00Z").status == 200


def listed(site: Counted, query: str = "") -> list[str]:
    return [one["name"] for one in told(site.get(f"/v1/counters?{query}"))["items"]]


def test_counters_are_listed_a_page_at_a_time_until_they_are_deleted(site: Counted) -> None:
    assert listed(site) == []
    names = ["b", "a\nb", "caf\u00e9", "\U0001f418", "\uffee", *(f"n{number:02d}" for number in range(20))]
    for name in names:
        site.post(quote(name, safe=""), ["x"])
    site.count()
    expected = sorted(names, key=str.encode)
    assert listed(site) == expected
    found: list[str] = []
    after = ""
    for _ in names:
        page = told(site.get(f"/v1/counters?limit=4&after={quote(after)}"))
        found += [one["name"] for one in page["items"]]
        after = page.get("after", "")
        if not after:
            break
    assert found == expected
    site.call("DELETE", "/v1/uniques/b")
    site.count()
    assert listed(site) == [name for name in expected if name != "b"]
    assert told(site.get(f"/v1/counters?limit={len(names) - 1}")).get("after") is None


@pytest.mark.parametrize("query", ["limit=0", "limit=1001", "limit=x", "after=%FF", "after=a&after=b", "name=a"])
def test_a_page_that_cannot_be_is_refused(site: Counted, query: str) -> None:
    refused = site.get(f"/v1/counters?{query}")
    assert (refused.status, told(refused)["field"]) == (400, query.partition("=")[0])
