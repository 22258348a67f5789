"""GET /v1/screening/digest on a function's site: which day, in which form, and for whom."""

import json
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from footfall.accounts.brands import Brand
from footfall.app import wiring
from footfall.app.settings import Settings
from footfall.flow.store.digests import store_digest
from footfall.values.clock import SetClock
from footfall.values.window import DAY_MS
from tests.shells.cli.test_screening import DIGEST
from tests.shells.lambdas.sites import Staged, staged

NOON_MS = 1_794_744_000_000


@pytest.fixture
def site(tmp_path: Path) -> Iterator[tuple[Staged, dict[str, str]]]:
    """Return a site with digests of two days of a brand with keys and of an open one, and keys by what they may."""
    settings, clock = Settings(data_dir=str(tmp_path), brands={"open": Brand("open")}), SetClock(NOON_MS)
    with closing(wiring.open_store(settings, clock)) as store:
        for brand in ("abc", "open"):
            for day in ("2026-11-13", "2026-11-14"):
                document: dict[str, Any] = {**DIGEST, "brand": brand, "day": day, "verdictsThrough": 4}
                store_digest(store, document, json.dumps(document).encode(), expires_at_ms=NOON_MS + DAY_MS)
    with closing(wiring.open_accounts(settings, clock)) as accounts:
        register = accounts.register
        register.add(Brand("abc"), zone_in_use=None)
        may = {scope: register.add_secret_key("abc", scopes=frozenset({scope})) for scope in ("read", "admin")}
    with staged(settings, clock) as made:
        yield made, {scope: f"Bearer {key.text}" for scope, key in may.items()}


def told(site: Staged, target: str, key: str = "") -> dict[str, Any]:
    reply = site.call("GET", target, headers={"Authorization": key} if key else {})
    assert reply.status == 200
    return json.loads(reply.body)


def test_the_last_day_is_told_unless_another_is_named(site: tuple[Staged, dict[str, str]]) -> None:
    made, _ = site
    assert told(made, "/v1/screening/digest?brand=open")["day"] == "2026-11-14"
    assert told(made, "/v1/screening/digest?brand=open&day=2026-11-13")["day"] == "2026-11-13"
    assert made.call("GET", "/v1/screening/digest?brand=open&day=2026-11-12").status == 404


def test_acts_are_for_those_who_may_administer(site: tuple[Staged, dict[str, str]]) -> None:
    made, keys = site
    assert told(made, "/v1/screening/digest", keys["admin"])["acts"] == DIGEST["acts"]
    assert "acts" not in told(made, "/v1/screening/digest", keys["read"])
    assert "acts" not in told(made, "/v1/screening/digest?brand=open")
    assert made.call("GET", "/v1/screening/digest?brand=abc").status == 401


def test_a_digest_comes_as_markdown(site: tuple[Staged, dict[str, str]]) -> None:
    reply = site[0].call("GET", "/v1/screening/digest?brand=open&format=markdown")
    assert reply.headers["content-type"] == "text/markdown; charset=utf-8"
    assert reply.body.startswith(b"# open, 2026-11-14\n")
    assert b"Done by people" not in reply.body


def test_other_words_are_refused(site: tuple[Staged, dict[str, str]]) -> None:
    for words in ("day=today", "format=pdf", "period=day"):
        assert site[0].call("GET", f"/v1/screening/digest?brand=open&{words}").status == 400
