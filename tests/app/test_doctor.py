"""A doctor sees what is wrong, says what to do, and finds nothing in a healthy directory."""

import os
import resource
import socket
from contextlib import closing
from dataclasses import replace
from pathlib import Path

import pytest

from footfall import native
from footfall.accounts.brands import Brand
from footfall.adapters.embedded import damage, workflow_layout
from footfall.app import doctor_data, doctor_machine, wiring
from footfall.app.archive_opening import ARCHIVE_FOLDER
from footfall.app.archive_run import WORKFLOWS_FILE
from footfall.app.doctor import examine
from footfall.app.findings import Finding, age_text, size_text
from footfall.app.kept_settings import KEPT_FILE, keep_settings
from footfall.app.lock import take_lock
from footfall.app.settings import HOUR_MS, ImpossibleSetting, Settings
from footfall.flow.stream.records import RULES, VERSION, Pack, record_from_pack
from footfall.ports.stream import Entry
from footfall.values.clock import SetClock
from tests.app.directories import NOON_MS, give_key, make_directory, record_of

CLOCK = SetClock(NOON_MS)


@pytest.fixture
def data(tmp_path: Path) -> Path:
    directory = tmp_path / "data"
    give_key(make_directory(directory, record_of("1", "2")))
    return directory


def findings(directory: Path, settings: Settings | None = None, *, now_ms: int = NOON_MS + 1_000) -> list[Finding]:
    """Return what is found about a directory; settings that are given are those that it ran with."""
    if settings is not None:
        keep_settings(replace(settings, data_dir=str(directory)))
        (directory / KEPT_FILE).chmod(0o600)
    return examine(directory, Settings(data_dir=str(directory)), now_ms=now_ms)[1]


def to_do(found: list[Finding], check: str) -> Finding:
    (one,) = [finding for finding in found if finding.check == check and finding.level == "todo"]
    assert one.do
    return one


def notes(found: list[Finding], check: str) -> list[str]:
    return [finding.says for finding in found if finding.check == check and finding.level == "note"]


def test_a_healthy_directory_has_nothing_to_do(data: Path) -> None:
    found = findings(data)
    assert [finding for finding in found if finding.level != "fine"] == []
    checks = {
        "brands",
        "settings",
        "instance",
        "disk",
        "files",
        "limits",
        "versions",
        "native",
        "zones",
        "formats",
        "clock",
        "lag",
        "hits",
    }
    assert {finding.check for finding in found} == checks | {"growth"}


def test_native_code_that_was_not_built_is_worth_a_note_and_no_failure(
    data: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(native, "IN_PYTHON", ("counting hits", "crediting pings"))
    (found,) = [finding for finding in findings(data) if finding.check == "native"]
    assert found.level == "note"
    assert "was not built for counting hits, crediting pings:" in found.says
    assert "C compiler" in found.do


def test_looking_changes_nothing(data: Path) -> None:
    before = {path.name: path.read_bytes() for path in data.iterdir() if path.suffix != ".db-shm"}
    findings(data)
    after = {path.name: path.read_bytes() for path in data.iterdir() if path.suffix != ".db-shm"}
    assert {name: after[name] for name in before} == before


def test_a_directory_that_is_not_there_is_said(tmp_path: Path) -> None:
    assert "is not there" in to_do(findings(tmp_path / "gone"), "instance").says


def test_an_empty_directory_is_fine(tmp_path: Path) -> None:
    (tmp_path / "new").mkdir(mode=0o700)
    found = findings(tmp_path / "new", Settings(brands={"abc": Brand("abc")}))
    assert [finding.check for finding in found if finding.level != "fine"] == ["brands"]
    assert notes(found, "brands") == ["Without a key, anybody may send hits for abc."]


@pytest.mark.parametrize(("host", "level"), [("localhost", "note"), ("::1", "note"), ("0.0.0.0", "todo")])
def test_an_open_brand_is_something_to_do_where_others_can_reach_it(tmp_path: Path, host: str, level: str) -> None:
    (tmp_path / "new").mkdir(mode=0o700)
    found = findings(tmp_path / "new", Settings(brands={"abc": Brand("abc")}, http_host=host))
    (brands,) = [finding for finding in found if finding.check == "brands"]
    assert (brands.level, brands.do) == (level, f"footfall brands add abc --data {tmp_path}/new")


def test_settings_that_stop_a_start_are_said(data: Path) -> None:
    found = examine(data, ImpossibleSetting("http_port in x is 'y': it must be a number."), now_ms=NOON_MS)[1]
    assert "A start would fail: http_port in x" in to_do(found, "settings").says


def test_kept_settings_that_cannot_be_read_are_said(data: Path) -> None:
    (data / KEPT_FILE).write_text("{")
    found = examine(data, Settings(data_dir=str(data), brands={"abc": Brand("abc")}), now_ms=NOON_MS)[1]
    assert "cannot be read" in to_do(found, "settings").says


@pytest.mark.parametrize("network", ["0.0.0.0/0", "::/0", "128.0.0.0/1"])
def test_trust_in_everybody_is_something_to_do(data: Path, network: str) -> None:
    settings = Settings(brands={"abc": Brand("abc")}, http_trusted_proxies=("10.0.0.0/8", network))
    assert network in to_do(findings(data, settings), "settings").says


def test_no_brand_at_all_is_something_to_do(tmp_path: Path) -> None:
    (tmp_path / "new").mkdir(mode=0o700)
    assert "no brand" in to_do(findings(tmp_path / "new", Settings()), "brands").says


def test_risks_that_may_be_meant_are_notes(data: Path) -> None:
    found = findings(data, Settings(dev=True, http_host="0.0.0.0"))
    assert len(notes(found, "settings")) == 2


def test_a_full_disk_and_a_log_that_has_grown_are_seen(data: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(doctor_machine, "FREE_BYTES_MIN", 1 << 62)
    monkeypatch.setattr(doctor_machine, "WAL_BYTES_MAX", 10)
    (data / "other.db-wal").write_bytes(b"x" * 11)
    says = [finding.says for finding in findings(data) if (finding.check, finding.level) == ("disk", "todo")]
    assert "free" in says[0]
    assert "other.db-wal has grown to 11 bytes" in says[1]


def test_files_that_others_may_read_are_named(data: Path) -> None:
    (data / "stream.db").chmod(0o644)
    found = to_do(findings(data), "files")
    assert "stream.db" in found.says
    assert found.do == f"chmod -R go= {data}"


def test_a_limit_of_open_files_that_is_too_low_is_seen(data: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    hard = resource.getrlimit(resource.RLIMIT_NOFILE)[1]
    assert doctor_machine._files_allowed(os.getpid()) == doctor_machine._files_allowed(None) == hard
    monkeypatch.setattr(doctor_machine, "_files_allowed", lambda _process: 1_024)
    found = to_do(findings(data), "limits")
    assert "At most 1,024 files may be open" in found.says
    assert "LimitNOFILE" in found.do


def test_libraries_that_are_too_old_are_named(data: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(doctor_machine, "_libraries", lambda: iter([("apsw", "3.9.1", "3.54.1.0")]))
    assert "apsw 3.9.1 (needs 3.54.1.0)" in to_do(findings(data), "versions").says


def test_old_time_zone_data_is_seen(data: Path, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    (tmp_path / "tzdata.zi").write_text("# version 2019c\n")
    monkeypatch.setattr("zoneinfo.TZPATH", (str(tmp_path),))
    assert "2019c" in to_do(findings(data), "zones").says


def test_what_a_killed_instance_left_is_a_note(data: Path) -> None:
    with socket.socket(socket.AF_UNIX) as line:
        line.bind(str(data / "control.sock"))
    (data / "control.sock").chmod(0o600)
    assert "left from an instance that was killed" in notes(findings(data), "instance")[0]


def test_an_instance_that_does_not_answer_is_something_to_do(data: Path) -> None:
    lock = take_lock(data)
    try:
        assert f"Process {os.getpid()} holds" in to_do(findings(data), "instance").says
    finally:
        os.close(lock)
    assert [finding.level for finding in findings(data) if finding.check == "instance"] == ["fine"]


def test_a_clock_that_was_set_back_is_seen(data: Path) -> None:
    found = to_do(findings(data, now_ms=NOON_MS - HOUR_MS), "clock")
    assert "2026-11-15T12:00Z" in found.says
    assert "60 minutes" in found.says


def test_hits_that_wait_are_a_note_when_nothing_runs_and_to_do_when_it_does(tmp_path: Path) -> None:
    make_directory(tmp_path / "data", record_of("1"), is_counted=False)
    assert notes(findings(tmp_path / "data"), "lag") == ["1 record of the stream still to count."]
    lock = take_lock(tmp_path / "data")
    try:
        assert "30 s and 1 record behind" in to_do(findings(tmp_path / "data", now_ms=NOON_MS + 30_000), "lag").says
    finally:
        os.close(lock)


def test_a_stream_that_lacks_what_was_counted_is_seen(data: Path) -> None:
    (data / "stream.db").unlink()
    with closing(wiring.open_stream(Settings(data_dir=str(data)), CLOCK)):
        pass
    assert "lacks 1 record of shard 0" in to_do(findings(data), "lag").says


def test_hits_that_could_not_be_read_are_something_to_do(tmp_path: Path) -> None:
    make_directory(tmp_path / "data", Entry(0, "abc", 3, b"\xc1\x02", NOON_MS))
    found = to_do(findings(tmp_path / "data"), "hits")
    assert "abc (3)" in found.says
    assert found.do.startswith("footfall dead-letters list")


def test_follows_that_could_not_be_read_are_something_to_do(tmp_path: Path) -> None:
    make_directory(tmp_path / "data", Entry(0, "abc~unfollows", 3, b"\xc1\x02", NOON_MS))
    found = to_do(findings(tmp_path / "data"), "hits")
    assert "Unfollows that could not be read are set aside: abc (3)" in found.says
    assert found.do.endswith("--brand abc --of unfollows")


def test_senders_whose_clocks_are_wrong_are_a_note(tmp_path: Path) -> None:
    early = record_of(*("1",) * 20, at_ms=NOON_MS)
    pack = Pack(VERSION, RULES, NOON_MS, [("2", "", "", "")] * 11, at_ms=[NOON_MS + 9 * HOUR_MS] * 11)
    make_directory(tmp_path / "data", early, Entry(0, "abc", 11, record_from_pack(pack), NOON_MS))
    assert "ahead of the clock: abc (11)" in notes(findings(tmp_path / "data"), "hits")[0]


def test_a_brand_that_is_silent_is_a_note(data: Path) -> None:
    assert "abc (3 days)" in notes(findings(data, now_ms=NOON_MS + 72 * HOUR_MS), "hits")[0]


def test_a_disk_that_will_be_full_is_foretold(data: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    fine = [one for one in findings(data, now_ms=NOON_MS + 24 * HOUR_MS) if one.check == "growth"]
    assert "a day" in fine[0].says
    monkeypatch.setattr(doctor_data, "FREE_BYTES_KEPT", 1 << 62)
    assert "the disk is full in" in to_do(findings(data, now_ms=NOON_MS + 24 * HOUR_MS), "growth").says


def test_data_that_cannot_be_read_is_something_to_do(data: Path) -> None:
    (data / "store.db").write_bytes(b"not a database" * 1_000)
    assert "damaged" in to_do(findings(data), "formats").says


def test_every_database_has_a_line(data: Path) -> None:
    wiring.open_catalog_table(Settings(data_dir=str(data)), CLOCK).close()
    says = [finding.says for finding in findings(data) if finding.check == "formats"]
    assert [text.partition(" (")[0] for text in says] == [
        f"{name} is whole" for name in ("stream.db", "store.db", "accounts.db", "catalog.db")
    ]


@pytest.mark.parametrize("name", ["stream.db", "store.db", "accounts.db", "catalog.db"])
@pytest.mark.parametrize("first", [0, 8_192])
def test_a_database_that_is_damaged_anywhere_is_named(data: Path, name: str, first: int) -> None:
    wiring.open_catalog_table(Settings(data_dir=str(data)), CLOCK).close()
    whole = (data / name).read_bytes()
    (data / name).write_bytes(whole[:first] + b"\xff" * (len(whole) - first))
    found = to_do(findings(data), "formats")
    assert found.says.startswith(f"{name} cannot be read: ")
    assert "damaged" in found.says


def test_a_database_that_is_too_large_is_only_opened(data: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(damage, "WHOLE_BYTES_MAX", 1)
    assert "stream.db can be opened" in next(one.says for one in findings(data) if one.check == "formats")


@pytest.mark.parametrize(
    ("size", "text"), [(0, "0 bytes"), (1_500, "1.5 kB"), (250e6, "250 MB"), (81.5e9, "81.5 GB"), (7e12, "7.0 TB")]
)
def test_sizes_are_said_as_people_say_them(size: float, text: str) -> None:
    assert size_text(size) == text


@pytest.mark.parametrize(("age_ms", "text"), [(5_000, "5 s"), (600_000, "10 minutes"), (50 * HOUR_MS, "2 days")])
def test_ages_are_said_as_people_say_them(age_ms: int, text: str) -> None:
    assert age_text(age_ms) == text


def test_a_worker_that_runs_apart_shares_one_folder_and_is_missed_while_pages_wait_for_it(data: Path) -> None:
    data.chmod(0o710)
    (data / ARCHIVE_FOLDER).mkdir()
    (data / ARCHIVE_FOLDER).chmod(0o770)
    assert to_do(findings(data), "files").says == f"Other people of this machine may read ., {ARCHIVE_FOLDER}."
    apart = Settings(archive=True, archive_worker_apart=True)
    found = findings(data, apart)
    assert [one.level for one in found if one.check == "files"] == ["fine"]
    assert "no worker runs" in to_do(found, "archive").says
    lock = workflow_layout.take_lock(data / WORKFLOWS_FILE)
    assert [one.says for one in findings(data, apart) if one.check == "archive"] == ["Pages can be captured; 0 wait."]
    os.close(lock)
