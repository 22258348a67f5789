"""Migrations over HTTP: whose they are, how far they are, and when they were last heard of."""

from collections.abc import Generator
from contextlib import closing
from dataclasses import replace
from pathlib import Path

import pytest

from footfall.accounts.brands import Brand
from footfall.app import wiring
from footfall.app.settings import Settings
from footfall.migrate.reporting import BLOCKED_BOUNDS_MS, MIGRATIONS_MAX, Blocked, Progress, keep_progress
from footfall.shells.http.described import migrations as described
from footfall.values.clock import SetClock
from tests.shells.http.stage import NOW_MS, Stage, staged

MOVING = Progress(
    entity="metric", brand="abc", at_ms=NOW_MS - 2_500, started_at_ms=NOW_MS - 60_000, migrated=600, moving=100,
    left=299, set_aside=1, lag=4, lag_ms=35, per_second=10.0, behind=1, blocked=Blocked().with_one(3.5),
)  # fmt: skip
OTHERS = Progress(entity="gauge", brand="xyz", at_ms=NOW_MS, started_at_ms=NOW_MS)
NOBODYS = Progress(entity="page", at_ms=NOW_MS, started_at_ms=NOW_MS)
ENDED = Progress(entity="older", brand="abc", at_ms=NOW_MS, started_at_ms=NOW_MS, differences=0, ended_at_ms=NOW_MS)


def keep(folder: Path, *all_of_them: Progress) -> None:
    """Write down what movers would have said."""
    with closing(wiring.open_metrics_table(Settings(data_dir=str(folder)), SetClock(NOW_MS))) as table:
        for one in all_of_them:
            keep_progress(table, one)


@pytest.fixture
def stage(tmp_path: Path) -> Generator[Stage]:
    keep(tmp_path, MOVING, OTHERS, NOBODYS, ENDED, replace(MOVING, entity="locked", brand="own"))
    with staged(tmp_path, brands={"abc": Brand("abc"), "xyz": Brand("xyz"), "new": Brand("new")}) as opened:
        yield opened


def test_a_migration_is_told_with_how_far_it_was_and_how_long_ago(stage: Stage) -> None:
    told = stage.ask("/v1/migrations?brand=abc")
    assert (told.status, told.headers["cache-control"]) == (200, "no-store")
    moving, ended = told.json()["items"]
    assert moving == {
        "entity": "metric", "startedAt": "2026-11-15T14:29Z", "heardAt": "2026-11-15T14:29:57.500Z", "ageMs": 2_500,
        "endedAt": None, "all": 1_000, "migrated": 600, "moving": 100, "left": 299, "setAside": 1, "share": 0.6,
        "perSecond": 10.0, "timeLeftMs": 39_900, "lag": 4, "lagMs": 35, "differences": None, "behind": 1,
        "blocked": [
            {"upToMs": bound, "count": int(bound == 5)} for bound in (*BLOCKED_BOUNDS_MS, None)
        ],
    }  # fmt: skip
    assert (ended["entity"], ended["endedAt"], ended["differences"]) == ("older", "2026-11-15T14:30Z", 0)
    assert list(moving) == list(described.MIGRATION["properties"])
    assert (described.BLOCKED_BOUNDS_MS, described.MIGRATIONS_MAX) == (BLOCKED_BOUNDS_MS, MIGRATIONS_MAX)


def test_a_migration_is_told_to_its_own_brand_alone(stage: Stage) -> None:
    assert [one["entity"] for one in stage.ask("/v1/migrations?brand=xyz").json()["items"]] == ["gauge"]
    assert stage.ask("/v1/migrations?brand=new").json() == {"brand": "new", "items": []}


def test_whoever_may_read_the_catalogue_may_read_it_and_nobody_else(stage: Stage) -> None:
    def key_of(brand: str, scope: str) -> dict[str, str]:
        made = stage.runner.run(stage.state.desk.change(brand, lambda one: one.add_secret_key(brand, [scope])))
        return {"authorization": f"Bearer {made.text}"}

    for name in ("own", "far"):
        stage.runner.run(stage.state.desk.change(name, lambda one, name=name: one.add(Brand(name), zone_in_use=None)))
    reader, writer, stranger = key_of("own", "read"), key_of("own", "write"), key_of("far", "read")
    assert [one["entity"] for one in stage.ask("/v1/migrations", headers=reader).json()["items"]] == ["locked"]
    assert stage.ask("/v1/migrations", headers=stranger).json()["items"] == []
    assert stage.ask("/v1/migrations", headers=writer).status == 403
    assert stage.ask("/v1/migrations?brand=own").status == 401
    assert stage.ask("/v1/migrations?brand=own", headers=stranger).status == 403


def test_what_is_no_parameter_is_refused(stage: Stage) -> None:
    told = stage.ask("/v1/migrations?brand=abc&limit=1")
    assert (told.status, told.json()["field"]) == (400, "limit")
    assert stage.ask("/v1/migrations?brand=abc", method="POST").status == 405
