"""Money divided by watched time: to the last cent, the same way every time, closed for good, and traced back."""

import csv
import io
from collections import Counter
from dataclasses import replace
from random import Random
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from footfall.adapters.embedded.sqlite_table import SqliteTable
from footfall.audience import earning_keys
from footfall.audience.dividing import divide
from footfall.audience.earnings import (
    Line,
    Method,
    Terms,
    Unwatched,
    Watched,
    divided,
    log_digest,
    require_terms,
)
from footfall.audience.statement_errors import AlreadyClosed, NotClosed
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
from footfall.audience.tracing import trace
from footfall.ports.errors import Corrupt
from footfall.ports.table import Put, everything
from footfall.values.clock import SystemClock
from footfall.values.errors import Refused

names = st.text(min_size=1, max_size=4)
weights = st.dictionaries(names, st.integers(0, 10**12), max_size=12)
amounts = st.integers(0, 10**9)
rows = st.lists(
    st.builds(
        Watched,
        session=names,
        member=st.sampled_from(["", "ann", "bo", "çem"]),
        asset=st.sampled_from(["film", "series 1", "🎬"]),
        from_ms=st.integers(0, 10**6),
        to_ms=st.just(2 * 10**6),
        watched_ms=st.integers(0, 10**5),
    ),
    max_size=20,
)
fees = st.dictionaries(st.sampled_from(["ann", "bo", "çem", "dee"]), st.integers(0, 2_000))
owners = st.dictionaries(
    st.sampled_from(["film", "series 1"]), st.dictionaries(names, st.integers(1, 100), min_size=1, max_size=4)
)


def terms(**said: Any) -> Terms:
    usual: dict[str, Any] = {"name": "2026-10", "from_ms": 0, "to_ms": 2 * 10**6, "currency": "EUR"}
    return Terms(**{**usual, **said})


either = st.one_of(
    st.builds(lambda pool, parts: terms(pool=pool, owners=parts), amounts, owners),
    st.builds(
        lambda all_fees, parts, idle: terms(method=Method.MEMBER_CENTRIC, fees=all_fees, owners=parts, unwatched=idle),
        fees,
        owners,
        st.sampled_from(Unwatched),
    ),
)


@given(amounts, weights)
def test_parts_add_up_to_the_whole_and_none_is_a_cent_from_its_share(
    amount: int, given_weights: dict[str, int]
) -> None:
    parts = divide(amount, given_weights)
    total = sum(given_weights.values())
    assert sum(parts.values()) == (amount if total else 0)
    for name, part in parts.items():
        assert abs(part * total - amount * given_weights[name]) < total


@given(amounts, weights, st.randoms())
def test_the_order_in_which_weights_come_changes_nothing(
    amount: int, given_weights: dict[str, int], random: Random
) -> None:
    shuffled = list(given_weights.items())
    random.shuffle(shuffled)
    assert divide(amount, dict(shuffled)) == divide(amount, given_weights)


@given(either, rows)
def test_every_cent_is_on_a_line_or_told_as_undivided(on: Terms, watched: list[Watched]) -> None:
    division = divided(on, watched)
    assert sum(line.amount for line in division.lines) + division.undivided == on.amount
    assert all(line.amount >= 0 and line.watched_ms >= 0 for line in division.lines)
    assert sum(line.watched_ms for line in division.lines) == division.watched_ms
    assert divided(on, [*reversed(watched), *watched]) == division  # Rows that come twice, in any order, count once.
    if division.watched_ms and (on.method is Method.PRO_RATA or on.unwatched is Unwatched.POOLED):
        assert division.undivided == 0


def test_a_members_fee_goes_only_to_what_that_member_watched() -> None:
    watched = [
        Watched("s1", "ann", "film", 0, 60_000, 60_000),
        Watched("s2", "bo", "series 1", 0, 600_000, 540_000),
        Watched("s3", "bo", "film", 600_000, 700_000, 60_000),
    ]
    centric = divided(terms(method=Method.MEMBER_CENTRIC, fees={"ann": 1_000, "bo": 1_000}), watched)
    assert [(line.asset, line.amount) for line in centric.lines] == [("film", 1_100), ("series 1", 900)]
    pooled = divided(terms(pool=2_000), watched)
    assert [(line.asset, line.amount) for line in pooled.lines] == [("film", 364), ("series 1", 1_636)]


def test_fees_of_those_who_watched_nothing_are_pooled_or_kept_as_it_is_said() -> None:
    watched = [Watched("s1", "ann", "film", 0, 60_000, 60_000)]
    kept = terms(method=Method.MEMBER_CENTRIC, fees={"ann": 999, "bo": 500}, unwatched=Unwatched.KEPT)
    assert divided(kept, watched).undivided == 500
    pooled = terms(method=Method.MEMBER_CENTRIC, fees={"ann": 999, "bo": 500})
    assert divided(pooled, watched).lines == [Line("film", "", 60_000, 1_499)]


@given(either, rows)
def test_every_cent_is_traced_to_rows_of_its_asset_and_all_rows_are_reached(on: Terms, watched: list[Watched]) -> None:
    small = replace(on, pool=min(on.pool, 40))
    amounts_of = Counter[str]()
    for line in divided(small, watched).lines:
        amounts_of[line.asset] += line.amount
    for asset, amount in amounts_of.items():
        reached = set[Watched]()
        for cent in range(1, min(amount, 60) + 1):
            told = trace(small, watched, asset=asset, cent=cent)
            assert told.rows
            assert all(row.asset == asset and (not told.source or row.member == told.source) for row in told.rows)
            reached.update(told.rows)
        if small.method is Method.PRO_RATA and 0 < amount <= 60:
            assert reached == {row for row in watched if row.asset == asset and row.watched_ms}
    with pytest.raises(Refused):
        trace(small, watched, asset="film", cent=amounts_of["film"] + 1)


@pytest.mark.parametrize(
    "wrong",
    [
        terms(name=""),
        terms(name="x" * 65),
        terms(from_ms=5, to_ms=5),
        terms(currency="euro"),
        terms(pool=-1),
        terms(pool=10**15 + 1),
        terms(pool=5, fees={"ann": 5}),
        terms(method=Method.MEMBER_CENTRIC, pool=5),
        terms(method=Method.MEMBER_CENTRIC, fees={"ann": -5}),
        terms(owners={"film": {}}),
        terms(owners={"film": {"": 1}}),
        terms(owners={"film": {"studio": 0}}),
        terms(digits=9),
    ],
)
def test_terms_that_nothing_can_be_divided_on_are_refused(wrong: Terms) -> None:
    with pytest.raises(Refused):
        require_terms(wrong)


def closed(
    table: SqliteTable, on: Terms, watched: list[Watched], *, number: int = 0, told: list[Line] | None = None
) -> Entry:
    division = divided(on, watched)
    lines = division.lines if told is None else differences(division.lines, told)
    entry = entry_of(on, division, lines=lines, log=log_digest(watched), by="kim", at_ms=9, number=number)
    close(table, "daily", entry, lines=lines, terms=on)
    return entry


def test_a_closed_period_stays_as_it_is_and_corrections_follow_it() -> None:
    table = SqliteTable(":memory:", clock=SystemClock())
    watched = [Watched(f"s{at}", "", f"film {at}", at, at + 9, 1_000 + at) for at in range(3_000)]
    first = closed(table, terms(pool=100_000), watched)
    with pytest.raises(AlreadyClosed):
        closed(table, terms(pool=100_001), watched)
    before = lines_of(table, "daily", first)
    assert sum(line.amount for line in before) == 100_000
    second = closed(table, terms(pool=100_500), watched[1:], number=1, told=before)
    assert entries(table, "daily", "2026-10") == [first, second]
    assert list(statements(table, "daily")) == [first]
    together = sums_of([before, lines_of(table, "daily", second)])
    right = divided(terms(pool=100_500), watched[1:]).lines
    assert [line for line in together if line.amount or line.watched_ms] == list(right)
    assert terms_of(table, "daily", first) == terms(pool=100_000)
    with pytest.raises(NotClosed):
        entries(table, "daily", "2026-11")


def test_lines_that_were_changed_in_the_table_are_never_told() -> None:
    table = SqliteTable(":memory:", clock=SystemClock())
    entry = closed(table, terms(pool=100), [Watched("s", "", "film", 0, 9, 9)])
    (block,) = everything(table, earning_keys.blocks("daily", "2026-10", 0, entry.digest))
    table.put(Put(block.key, {"data": b"\x28\xb5\x2f\xfd" + bytes(8)}))
    with pytest.raises(Corrupt):
        lines_of(table, "daily", entry)


def test_a_statement_is_a_table_for_spreadsheets_and_a_page_to_print() -> None:
    table = SqliteTable(":memory:", clock=SystemClock())
    on = terms(pool=1_001, owners={"=film": {"Studio <A>": 1, "Studio B": 1}})
    entry = closed(table, on, [Watched("s", "", "=film", 0, 90_000, 90_000)])
    told = [(entry, lines_of(table, "daily", entry))]
    read = list(csv.DictReader(io.StringIO(b"".join(statement_csv(told)).decode())))
    assert [(row["asset"], row["owner"], row["minutes"], row["amount"]) for row in read] == [
        ("'=film", "Studio <A>", "0.750", "5.01"),
        ("'=film", "Studio B", "0.750", "5.00"),
    ]
    page = statement_page("daily", told)
    assert "Studio &lt;A&gt;" in page
    assert "10.01" in page
    assert entry.log in page


def test_a_table_of_a_correction_has_numbers_below_zero_and_what_is_left_undivided() -> None:
    table = SqliteTable(":memory:", clock=SystemClock())
    nothing = closed(table, terms(pool=1_000), [])
    first = closed(table, terms(name="2026-11", pool=250), [Watched("s", "", "film", 0, 9, 9)])
    back = replace(first, number=1, undivided=250, amount=0)
    told = [(nothing, []), (first, lines_of(table, "daily", first)), (back, [Line("film", "", -9, -250)])]
    read = list(csv.DictReader(io.StringIO(b"".join(statement_csv(told)).decode())))
    assert [(row["line"], row["asset"], row["amount"]) for row in read] == [
        ("undivided", "", "10.00"),
        ("earned", "film", "2.50"),
        ("earned", "film", "-2.50"),
        ("undivided", "", "2.50"),
    ]
    page = statement_page("daily", told)
    assert (page.count("<td>Undivided"), page.count(">12.50")) == (3, 2)  # As a row of each, and of all together.


def test_amounts_are_written_with_the_digits_of_their_currency() -> None:
    assert [money(5, 2), money(-1234, 2), money(7, 0), money(1_000, 3)] == ["0.05", "-12.34", "7", "1.000"]
    assert [minutes(90_000), minutes(-1)] == ["1.500", "-0.000"]
