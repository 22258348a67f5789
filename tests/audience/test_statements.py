"""Statements: written once, whole or not at all, each day under one name; told as a table and as a page to print."""

import contextlib
import csv
import io
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from threading import Barrier, Thread

import pytest

from footfall.adapters.embedded.sqlite_table import SqliteTable
from footfall.audience import earning_keys
from footfall.audience.earnings import Line, Terms, Watched, divided, folded
from footfall.audience.statement_errors import AlreadyClosed, DaysClosed, NotClosed
from footfall.audience.statement_text import minutes, money, statement_csv, statement_page
from footfall.audience.statements import (
    Entry,
    close,
    differences,
    entries,
    entry_of,
    lines_of,
    statements,
    sums_of,
    terms_of,
)
from footfall.flow.serve.days import day_named
from footfall.ports.errors import Corrupt
from footfall.ports.table import Put, Table, everything
from footfall.values.clock import SystemClock
from tests.audience.follow_stage import GROUNDS
from tests.audience.test_earnings import row, terms
from tests.engines.dynamodb import DynamoDbEngine, table_of


def _table_on(ground: str, request: pytest.FixtureRequest) -> Table:
    if ground == "sqlite":
        return SqliteTable(":memory:", clock=SystemClock())
    engine: DynamoDbEngine = request.getfixturevalue("dynamodb")
    return table_of(engine.shared(), engine.names(engine.shared()), clock=SystemClock())


def closed(
    table: Table, on: Terms, watched: Sequence[Watched], *, number: int = 0, told: list[Line] | None = None
) -> Entry:
    fold = folded(on, watched)
    division = divided(on, fold)
    lines = division.lines if told is None else differences(division.lines, told)
    entry = entry_of(on, division, lines=lines, log=fold.log, by="kim", at_ms=9, number=number)
    close(table, "daily", entry, lines=lines, terms=on)
    return entry


def test_a_closed_period_stays_as_it_is_and_corrections_follow_it() -> None:
    table = SqliteTable(":memory:", clock=SystemClock())
    watched = [row(f"film {at}", 1_000 + at, session=f"s{at}", from_ms=at) for at in range(3_000)]
    first = closed(table, terms(pool=100_000), watched)
    with pytest.raises(AlreadyClosed):
        closed(table, terms(pool=100_001), watched)
    before = lines_of(table, "daily", first)
    assert sum(line.amount for line in before) == 100_000
    second = closed(table, terms(pool=100_500), watched[1:], number=1, told=before)
    assert entries(table, "daily", "2026-10") == [first, second]
    assert list(statements(table, "daily")) == [first]
    together = sums_of([before, lines_of(table, "daily", second)])
    on = terms(pool=100_500)
    right = divided(on, folded(on, watched[1:])).lines
    assert [line for line in together if line.amount or line.watched_ms] == list(right)
    assert terms_of(table, "daily", first) == terms(pool=100_000)
    with pytest.raises(NotClosed):
        entries(table, "daily", "2026-11")


@pytest.mark.parametrize("ground", GROUNDS)
def test_a_day_is_closed_under_one_name_until_a_correction_gives_it_back(
    ground: str, request: pytest.FixtureRequest
) -> None:
    table = _table_on(ground, request)
    october = terms(name="october", from_ms=0, to_ms=31)
    closed(table, october, [])
    with pytest.raises(DaysClosed, match="closed as 'october'"):
        closed(table, terms(name="oktober", from_ms=30, to_ms=40), [])
    closed(table, terms(name="november", from_ms=31, to_ms=61), [])
    with pytest.raises(DaysClosed, match="closed as 'november'"):
        closed(table, replace(october, to_ms=32), [], number=1)
    closed(table, replace(october, to_ms=30), [], number=1)
    closed(table, terms(name="the 31st", from_ms=30, to_ms=31), [])
    assert [one.name for one in statements(table, "daily")] == ["november", "october", "the 31st"]


def test_of_many_who_close_the_same_days_under_many_names_one_does(tmp_path: Path) -> None:
    path = tmp_path / "audience.db"
    SqliteTable(path, clock=SystemClock()).close()
    start, done, refused = Barrier(8), list[str](), list[str]()

    def closing(name: str) -> None:
        with contextlib.closing(SqliteTable(path, clock=SystemClock())) as table:
            start.wait()
            try:
                closed(table, terms(name=name), [])
                done.append(name)
            except AlreadyClosed:
                refused.append(name)

    threads = [Thread(target=closing, args=(f"p{n}",)) for n in range(8)]
    for one in threads:
        one.start()
    for one in threads:
        one.join()
    with contextlib.closing(SqliteTable(path, clock=SystemClock())) as table:
        assert [one.name for one in statements(table, "daily")] == done
    assert (len(done), len(refused)) == (1, 7)


def test_lines_that_were_changed_in_the_table_are_never_told() -> None:
    table = SqliteTable(":memory:", clock=SystemClock())
    entry = closed(table, terms(pool=100), [row("film", 9)])
    (block,) = everything(table, earning_keys.blocks("daily", "2026-10", 0, entry.digest))
    table.put(Put(block.key, {"data": b"\x28\xb5\x2f\xfd" + bytes(8)}))
    with pytest.raises(Corrupt):
        lines_of(table, "daily", entry)


def test_a_statement_is_a_table_for_spreadsheets_and_a_page_to_print() -> None:
    table = SqliteTable(":memory:", clock=SystemClock())
    on = terms(pool=1_001, owners={"=film": {"Studio <A>": 1, "Studio B": 1}})
    entry = closed(table, on, [row("=film", 90_000)])
    told = [(entry, lines_of(table, "daily", entry))]
    read = list(csv.DictReader(io.StringIO(b"".join(statement_csv(told, zone="UTC")).decode())))
    assert [(row["asset"], row["owner"], row["minutes"], row["amount"]) for row in read] == [
        ("'=film", "Studio <A>", "0.750", "5.01"),
        ("'=film", "Studio B", "0.750", "5.00"),
    ]
    page = statement_page("daily", told, zone="UTC")
    assert "Studio &lt;A&gt;" in page
    assert "10.01" in page
    assert entry.log in page


def test_a_statement_names_the_days_of_the_brand_and_a_page_the_moments_at_which_they_begin_and_end() -> None:
    zone = "Europe/Helsinki"
    october, november = (day_named(text, field="from", zone=zone).from_ms for text in ("2026-10-01", "2026-11-01"))
    table = SqliteTable(":memory:", clock=SystemClock())
    entry = closed(table, terms(pool=1_001, from_ms=october, to_ms=november), [row("film", 90_000)])
    halloween = replace(entry, number=1, from_ms=day_named("2026-10-31", field="from", zone=zone).from_ms)
    told = [(entry, lines_of(table, "daily", entry)), (halloween, [])]
    page = statement_page("daily", told, zone=zone)
    assert "<p>1 October 2026 to 31 October 2026 (Europe/Helsinki), divided by everybody's minutes.</p>" in page
    assert "From 2026-09-30T21:00Z until 2026-10-31T22:00Z" in page  # Summer time ends in between.
    assert "<p>31 October 2026 (Europe/Helsinki), divided" in page
    read = list(csv.DictReader(io.StringIO(b"".join(statement_csv(told, zone=zone)).decode())))
    assert [(one["firstDay"], one["lastDay"], one["zone"]) for one in read] == [
        ("2026-10-01", "2026-10-31", zone),
        ("2026-10-31", "2026-10-31", zone),
    ]
    # Whoever reads columns by their numbers finds those of before where they were.
    assert list(read[0])[:9] == [
        "period", "entry", "line", "asset", "owner", "minutes", "amount", "currency", "reason",
    ]  # fmt: skip


def test_a_table_of_a_correction_has_numbers_below_zero_and_what_is_left_undivided() -> None:
    table = SqliteTable(":memory:", clock=SystemClock())
    nothing = closed(table, terms(pool=1_000), [])
    first = closed(table, terms(name="2026-11", from_ms=2 * 10**6, to_ms=3 * 10**6, pool=250), [row("film", 9)])
    back = replace(first, number=1, undivided=250, amount=0)
    told = [(nothing, []), (first, lines_of(table, "daily", first)), (back, [Line("film", "", -9, -250)])]
    read = list(csv.DictReader(io.StringIO(b"".join(statement_csv(told, zone="UTC")).decode())))
    assert [(row["line"], row["asset"], row["amount"]) for row in read] == [
        ("undivided", "", "10.00"),
        ("earned", "film", "2.50"),
        ("earned", "film", "-2.50"),
        ("undivided", "", "2.50"),
    ]
    page = statement_page("daily", told, zone="UTC")
    assert (page.count("<td>Undivided"), page.count(">12.50")) == (3, 2)  # As a row of each, and of all together.


def test_amounts_are_written_with_the_digits_of_their_currency() -> None:
    assert [money(5, 2), money(-1234, 2), money(7, 0), money(1_000, 3)] == ["0.05", "-12.34", "7", "1.000"]
    assert [minutes(90_000), minutes(-1)] == ["1.500", "-0.000"]
