"""Progress is kept and told, and the report says what to do next."""

from dataclasses import replace

from footfall.adapters.embedded.sqlite_table import SqliteTable
from footfall.migrate.comparing import Difference
from footfall.migrate.reporting import Blocked, Progress, document_of, keep_progress, kept_progress, report_of
from footfall.migrate.verifying import Verified
from footfall.ports.relational import Problem
from footfall.values.clock import SetClock

NOW_MS = 1_794_744_000_000
DONE = Progress(entity="metric", at_ms=NOW_MS, started_at_ms=NOW_MS - 60_000, migrated=20_000, differences=0)
SOUND = Verified(
    run="r", at_ms=NOW_MS, entities=20_000, buckets=256, source_root="ab12", table_root="ab12", differing=0,
    differences=(), behind=0, left=0, set_aside=0,
)  # fmt: skip


def test_progress_is_kept_in_the_table() -> None:
    table = SqliteTable(":memory:", clock=SetClock(NOW_MS))
    assert kept_progress(table, "metric") is None
    made = replace(DONE, blocked=Blocked().with_one(3.5).with_one(0.2).with_one(5_000))
    keep_progress(table, made)
    assert kept_progress(table, "metric") == made
    told = document_of(made)
    assert (told["share"], told["time_left_ms"], told["blocked"]["<= 5 ms"]) == (1.0, 0, 1)


def test_the_time_that_is_left_follows_from_the_pace() -> None:
    made = replace(DONE, left=500, moving=500, per_second=250.0)
    assert (made.time_left_ms, made.all) == (4_000, 21_000)
    assert replace(made, per_second=0.0).time_left_ms is None


def test_a_report_of_a_sound_end_says_to_switch() -> None:
    told = report_of(DONE, SOUND, [])
    assert "**Everything is moved, and equal on both sides.**" in told
    assert "| moved | 20,000 |" in told
    assert "| digest of the table | `ab12` |" in told
    assert "1. `footfall migrate switch`" in told


def test_a_report_names_what_is_set_aside_and_what_differs() -> None:
    gone = Difference("7", "metric#abc#reads", "v0000000002", "updatedBy", '"ann"', '"a|b"')
    broken = replace(SOUND, differing=3, differences=(gone,))
    told = report_of(replace(DONE, set_aside=2, left=1, lag=4), broken, [Problem("9", "name:\nno")])
    assert "**3 differences were found: do not switch.**" in told
    assert '| 7 | metric#abc#reads v0000000002 | updatedBy | "ann" | "a\\|b" |' in told
    assert "| 9 | name: no |" in told
    assert told.count("And ") == 2
    assert "4. Wait until no changes wait." in told


def test_a_report_before_anything_was_verified_says_so() -> None:
    told = report_of(DONE, None, [])
    assert "Nothing was verified yet." in told
    assert "1. `footfall migrate verify`" in told
    assert "Nobody waited" in told
