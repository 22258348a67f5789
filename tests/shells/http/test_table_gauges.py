"""What tables are asked and refuse is told as Prometheus reads it: at once, by second, and by key."""

import re
from pathlib import Path

from prometheus_client import CollectorRegistry
from prometheus_client.exposition import generate_latest

from footfall.adapters.aws.counting_calls import KEPT_SECONDS, PARTITIONS_MAX, CountedCalls, Spent
from footfall.shells.http.table_gauges import PARTITIONS_SHOWN_MAX, TableGauges
from footfall.values.clock import SetClock

NOON_MS = 1_794_744_000_000


def told(counted: CountedCalls) -> dict[str, float]:
    registry = CollectorRegistry()
    registry.register(TableGauges({"store": counted}))
    lines = generate_latest(registry).decode().splitlines()
    found = (re.fullmatch(r"(footfall_table_\w+\{.*\}) (\S+)", line) for line in lines)
    return {one[1]: float(one[2]) for one in found if one}


def test_units_are_told_for_the_last_second_the_highest_one_and_since_the_start() -> None:
    clock = SetClock(NOON_MS)
    counted = CountedCalls(clock)
    counted.add("a", Spent(written=7, read=0.5))
    counted.add("b", Spent(written=2, refused=1))
    clock.advance(1_000)
    counted.add("a", Spent(written=3))
    counted.attempted(25)
    counted.asked()
    clock.advance(1_000)
    counted.add("a", Spent(written=100))  # Of a second that is not over.
    now = told(counted)
    assert now['footfall_table_units_last_second{kind="written",table="store"}'] == 3
    assert now['footfall_table_units_second_max{kind="written",table="store"}'] == 100
    assert now['footfall_table_units_total{kind="written",table="store"}'] == 112
    assert now['footfall_table_units_total{kind="read",table="store"}'] == 0.5
    assert now['footfall_table_units_total{kind="refused",table="store"}'] == 1
    assert now['footfall_table_attempts_total{table="store"}'] == 25
    assert now['footfall_table_reads_total{table="store"}'] == 1


def test_a_quiet_table_is_told_as_quiet_and_not_as_it_last_was() -> None:
    clock = SetClock(NOON_MS)
    counted = CountedCalls(clock)
    counted.add("a", Spent(written=7))
    clock.advance((KEPT_SECONDS + 1) * 1_000)
    now = told(counted)
    assert now['footfall_table_units_last_second{kind="written",table="store"}'] == 0
    assert now['footfall_table_units_second_max{kind="written",table="store"}'] == 0
    assert now['footfall_table_units_total{kind="written",table="store"}'] == 7
    assert not [name for name in now if "partition" in name]


def test_the_hottest_keys_are_named_those_that_were_refused_first() -> None:
    counted = CountedCalls(SetClock(NOON_MS))
    for number in range(50):
        counted.add(f"key {number:02d}", Spent(written=number))
    counted.add("refused", Spent(refused=1))
    shown = {name for name in told(counted) if "partition_units" in name and 'kind="written"' in name}
    assert len(shown) == PARTITIONS_SHOWN_MAX
    assert any("refused" in name for name in shown)
    assert any("key 49" in name for name in shown)
    assert not any("key 00" in name for name in shown)


def test_however_many_keys_there_are_memory_is_bounded() -> None:
    clock = SetClock(NOON_MS)
    counted = CountedCalls(clock)
    for number in range(PARTITIONS_MAX + 500):
        counted.add(str(number), Spent(written=1))
    assert counted.last_second().partitions == {}
    clock.advance(1_000)
    assert len(counted.last_second().partitions) == PARTITIONS_MAX + 1
    assert told(counted)['footfall_table_partition_units{kind="written",partition="(others)",table="store"}'] == 500
    for _ in range(KEPT_SECONDS * 2):
        clock.advance(1_000)
        counted.add("a", Spent(read=1))
    assert len(counted.seconds()) == KEPT_SECONDS


def test_the_page_tells_of_each_in_the_same_words() -> None:
    page = (Path(__file__).resolve().parents[3] / "docs" / "reference" / "gauges.md").read_text(encoding="utf-8")
    rows = dict(re.findall(r"^\| `(footfall_table_\w+)` \| (.+) \|$", page, re.MULTILINE))
    registry = CollectorRegistry()
    registry.register(TableGauges({"store": CountedCalls(SetClock(NOON_MS))}))
    said = dict(re.findall(r"^# HELP (\w+) (.+)$", generate_latest(registry).decode(), re.MULTILINE))
    assert sorted(rows) == sorted(said)
    for name, says in said.items():
        assert rows[name].startswith(says)


def test_what_several_processes_counted_is_added_up_by_second() -> None:
    clock = SetClock(NOON_MS)
    ours, theirs = CountedCalls(clock), CountedCalls(clock)
    ours.add("a", Spent(written=1))
    theirs.add("a", Spent(written=2))
    clock.advance(1_000)
    theirs.add("b", Spent(read=4))
    ours.take_over(theirs.hand_over())
    assert theirs.hand_over() == []
    assert [second.total for second in ours.seconds()] == [Spent(written=3), Spent(read=4)]
    assert ours.total == Spent(written=3, read=4)
