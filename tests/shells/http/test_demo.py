"""The demo beside a server: its key, its metrics, and that neither keeps anybody from starting."""

from pathlib import Path

import pytest

from footfall.accounts.keyring import Keyring, UnknownKey
from footfall.adapters.embedded.sqlite_table import SqliteTable
from footfall.app.demo_metrics import DEMO_METRICS, define_demo
from footfall.app.settings import Settings
from footfall.metrics.catalogue import MetricCatalogue
from footfall.metrics.definition import definition_from
from footfall.metrics.writing import Saved
from footfall.shells.http.demo import DEMO_BRAND, Demo
from footfall.values.clock import SetClock

NOW_MS = 1_794_753_000_000


def demo_in(folder: Path) -> Demo:
    return Demo(Settings(data_dir=str(folder)), SetClock(NOW_MS), rate=1.0)


def test_its_key_is_in_a_file_of_its_own_and_edits_the_demo_alone(tmp_path: Path) -> None:
    elsewhere = tmp_path / "elsewhere"
    elsewhere.write_text("mine")
    (tmp_path / "demo.key").symlink_to(elsewhere)
    keyring, demo = Keyring(), demo_in(tmp_path)
    demo.lend_key(keyring)
    caller = keyring.caller(demo.key_file.read_text().strip(), now_ms=NOW_MS)
    assert (caller.brand, caller.may) == (DEMO_BRAND, {"audience", "edit", "read", "write", "hits"})
    assert (elsewhere.read_text(), demo.key_file.stat().st_mode & 0o777) == ("mine", 0o600)
    demo.stop()
    assert not demo.key_file.exists()
    with pytest.raises(UnknownKey):
        Keyring().caller(caller.key_id, now_ms=NOW_MS)


def test_a_key_that_cannot_be_written_is_none(tmp_path: Path) -> None:
    keyring, demo = Keyring(), demo_in(tmp_path / "absent")
    demo.lend_key(keyring)
    assert not demo.has_key
    demo.stop()


def test_its_metrics_are_defined_once_and_stay_as_somebody_left_them() -> None:
    clock = SetClock(NOW_MS)
    catalogue, notes = MetricCatalogue(SqliteTable(":memory:", clock=clock), clock=clock), list[object]()
    assert define_demo(catalogue, DEMO_BRAND, notes.append) == len(DEMO_METRICS) == len(notes)
    assert catalogue.newest(DEMO_BRAND, "reads_per_visitor").definition.unit == "hits/visitors"
    assert catalogue.newest(DEMO_BRAND, "paid_share").definition.unit == "ratio"
    assert catalogue.newest(DEMO_BRAND, "completed_share").definition.unit == "completions/playbacks"
    assert catalogue.newest(DEMO_BRAND, "net_follows").definition.unit == "follows"
    catalogue.delete(DEMO_BRAND, "paid_share")
    assert define_demo(catalogue, DEMO_BRAND, notes.append) == 0
    assert catalogue.known(DEMO_BRAND, "paid_share") is None
    assert catalogue.newest(DEMO_BRAND, "minutes_per_viewer").definition.unit == "minutes/viewers"


def test_metrics_that_a_demo_of_before_never_had_are_added_and_removed_ones_do_not_come_back() -> None:
    clock = SetClock(NOW_MS)
    catalogue, notes = MetricCatalogue(SqliteTable(":memory:", clock=clock), clock=clock), list[object]()
    saved = [Saved(definition_from(one)) for one in DEMO_METRICS[:5]]
    catalogue.save_all(DEMO_BRAND, saved, by="ann")
    for name in ("reads_per_visitor", "paid_share", "paid_reads"):
        catalogue.delete(DEMO_BRAND, name)
    assert define_demo(catalogue, DEMO_BRAND, notes.append) == len(DEMO_METRICS) - 5 == len(notes)
    assert {row.name for row in catalogue.rows(DEMO_BRAND)} == {str(one["name"]) for one in DEMO_METRICS} - {
        "reads_per_visitor",
        "paid_share",
        "paid_reads",
    }
