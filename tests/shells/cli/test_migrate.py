"""`footfall migrate` as an operator types it, on a real database."""

import json
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from footfall.adapters.embedded.sqlite_table import SqliteTable
from footfall.app import wiring
from footfall.app.settings import Settings
from footfall.metrics.keys import version
from footfall.migrate.reporting import Progress, kept_progress_of
from footfall.ports.table import Delete
from footfall.values.clock import SystemClock
from tests.engines.aws_ground import NewGround
from tests.engines.mariadb import MariaDbEngine
from tests.migrate.moving_stage import EXAMPLE, old_database


@pytest.fixture(autouse=True)
def _stays_as_quick(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("os.nice", lambda _by: 0)  # It would last for all tests that follow in this process.


@pytest.fixture(params=["directory", "aws"])
def on_both(request: pytest.FixtureRequest, shell: Any) -> list[str]:
    """Return the flags that name a database and where it goes: a directory, or tables of DynamoDB."""
    if request.param == "aws":
        new_ground: NewGround = request.getfixturevalue("new_ground")
        shell.variables = dict(new_ground().variables())
        folder = str(request.getfixturevalue("tmp_path") / "workflows")
        return [*_database(request.getfixturevalue("mariadb")), "--data", folder]
    return request.getfixturevalue("named")


def _database(mariadb: MariaDbEngine) -> list[str]:
    source = old_database(mariadb, metrics=30, versions=3)
    return ["--from", source, "--mapping", str(EXAMPLE / "mapping.yaml")]


@pytest.fixture
def named(mariadb: MariaDbEngine, tmp_path: Path, shell: Any) -> list[str]:
    folder = str(tmp_path / "data")
    assert shell.run("brands", "add", "abc", "--data", folder) == 0
    shell.printed()
    return [*_database(mariadb), "--data", folder]


def test_a_catalogue_is_moved_verified_switched_and_ended_by_commands_alone(on_both: list[str], shell: Any) -> None:
    named = on_both
    assert shell.run("migrate", "check", *named) == 0
    assert "30 would be moved. Nothing was changed." in shell.printed()
    assert shell.run("migrate", "prepare", *named) == 0
    assert shell.run("migrate", "run", "--until-copied", *named) == 0
    assert "30 moved, 0 moving, 0 left" in shell.complained()
    assert shell.run("migrate", "verify", *named) == 0
    assert "30 compared in" in shell.printed()
    assert shell.run("migrate", "switch", "7", *named) == 0
    shell.printed()
    assert shell.run("migrate", "status", "--json", *named) == 0
    told = json.loads(shell.printed().splitlines()[-1])
    assert (told["migrated"], told["differences"], told["sides"]) == (30, 0, {"old": 29, "doubt": 0, "new": 1})
    assert shell.run("migrate", "end", *named) == 4
    assert "29 old, 1 new" in shell.complained()
    assert shell.run("migrate", "back", "7", *named) == 0
    assert shell.run("migrate", "switch", "--all", *named) == 0
    assert "30 answer on the new side." in shell.printed()
    assert shell.run("migrate", "report", *named) == 0
    assert "Everything is moved, and equal on both sides." in shell.printed()
    assert shell.run("migrate", "end", *named) == 0
    assert shell.run("metrics", "get", "metric 7", "--brand", "abc", "--data", named[-1]) == 0
    assert "metric 7" in shell.printed()


def test_how_far_it_is_lies_in_the_table_with_its_brand_and_its_end(named: list[str], shell: Any) -> None:
    def told() -> Progress:
        clock = SystemClock()
        with closing(wiring.open_metrics_table(Settings(data_dir=named[-1]), clock, read_only=True)) as table:
            (one,) = kept_progress_of(table, "abc")
        return one

    assert shell.run("migrate", "prepare", *named) == 0
    first = told()
    assert (first.left, first.ended_at_ms) == (30, None)
    assert shell.run("migrate", "end", *named) == 0
    ended_at_ms = told().ended_at_ms
    assert ended_at_ms is not None
    assert shell.run("migrate", "prepare", *named) == 0
    again = told()
    assert again.ended_at_ms is None
    assert again.started_at_ms >= ended_at_ms  # It is another one.


def test_what_is_not_prepared_says_how_it_is(named: list[str], shell: Any) -> None:
    for action in ("status", "verify", "report", "end"):
        assert shell.run("migrate", action, *named) == 4
        assert "footfall migrate prepare" in shell.complained()


def test_a_brand_that_is_not_there_is_told_before_anything_is_moved(
    named: list[str], tmp_path: Path, shell: Any
) -> None:
    (tmp_path / "mapping.yaml").write_text(
        (EXAMPLE / "mapping.yaml").read_text().replace("brand: abc", "brand: herald")
    )
    named[3] = str(tmp_path / "mapping.yaml")
    assert shell.run("migrate", "check", *named) == 0
    assert "footfall brands add herald" in shell.complained()


def test_switching_says_which_ones(named: list[str], shell: Any) -> None:
    for words in (("switch",), ("switch", "7", "--all"), ("verify", "7")):
        assert shell.run("migrate", *words, *named) == 2
        assert "keys" in shell.complained()


def test_a_mapping_that_does_not_fit_is_refused_with_the_place_in_it(
    named: list[str], tmp_path: Path, shell: Any
) -> None:
    (tmp_path / "mapping.yaml").write_text("entity: metric\ntable: metrics\nkey: id\nparts:\n  versions: {table: x}\n")
    named[3] = str(tmp_path / "mapping.yaml")
    assert shell.run("migrate", "check", *named) == 4
    assert "parts.versions" in shell.complained()


def test_what_ended_on_the_old_side_is_begun_anew_as_if_it_had_never_been(named: list[str], shell: Any) -> None:
    for _ in range(2):
        assert shell.run("migrate", "prepare", *named) == 0
        assert shell.run("migrate", "run", "--until-copied", *named) == 0
        assert shell.run("migrate", "verify", *named) == 0
        assert shell.run("migrate", "end", *named) == 0
        assert "It has ended on the old side: nothing of it is left in the table" in shell.printed()
        assert shell.run("metrics", "list", "--brand", "abc", "--data", named[-1], "--json") == 0
        assert json.loads(shell.printed().splitlines()[-1])["items"] == []


def test_what_ended_on_the_new_side_is_not_prepared_again(named: list[str], shell: Any) -> None:
    assert shell.run("migrate", "prepare", *named) == 0
    assert shell.run("migrate", "switch", "--all", *named) == 0
    assert shell.run("migrate", "end", *named) == 0
    assert shell.run("migrate", "prepare", *named) == 4
    assert "has ended on the new side" in shell.complained()


def test_a_difference_is_repaired_by_a_command(named: list[str], shell: Any) -> None:
    assert shell.run("migrate", "prepare", *named) == 0
    assert shell.run("migrate", "run", "--until-copied", *named) == 0
    with closing(SqliteTable(Path(named[-1]) / "metrics.db", clock=SystemClock())) as table:
        table.delete(Delete(version("abc", "metric 7", 2)))
    assert shell.run("migrate", "verify", *named) == 4
    assert "metric 7" in shell.printed()
    assert shell.run("migrate", "repair", *named) == 0
    assert "equal on both sides" in shell.printed()


def test_an_address_may_lie_in_a_file_or_in_the_environment(named: list[str], tmp_path: Path, shell: Any) -> None:
    (tmp_path / "address.txt").write_text(f"{named[1]}\n")
    assert shell.run("migrate", "check", "--from", f"@{tmp_path / 'address.txt'}", *named[2:]) == 0
    assert shell.run("migrate", "check", *named[2:]) == 2
    assert "DATABASE_URL" in shell.complained()
    shell.variables = {**shell.variables, "DATABASE_URL": named[1]}
    assert shell.run("migrate", "check", *named[2:]) == 0
