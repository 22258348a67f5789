"""Money divided by watched time: to the last cent, by every minute, the same way every time, and traced back."""

import tracemalloc
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import replace
from random import Random
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from footfall.audience.dividing import divide
from footfall.audience.earnings import (
    Division,
    Line,
    Method,
    Terms,
    Unwatched,
    Watched,
    divided,
    folded,
    require_terms,
)
from footfall.audience.statement_errors import LogChanged
from footfall.audience.tracing import Trace, trace
from footfall.values.errors import Refused

DAY_MS = 86_400_000
names = st.text(min_size=1, max_size=4)
assets = st.sampled_from(["film", "series 1", "🎬"])
weights = st.dictionaries(names, st.integers(0, 10**12), max_size=12)
amounts = st.integers(0, 10**9)


@st.composite
def logs(draw: st.DrawFn) -> list[Watched]:
    """Return rows as counting makes them: a session has stretches, also of one asset again, a stretch a row a day."""
    rows = list[Watched]()
    for session in draw(st.lists(names, unique=True, max_size=5)):
        member = draw(st.sampled_from(["", "ann", "bo", "çem"]))
        from_ms, number = draw(st.integers(0, 2 * DAY_MS)), 0
        for _ in range(draw(st.integers(1, 3))):
            asset, to_ms = draw(assets), from_ms + draw(st.integers(1, 30 * 3_600_000))
            for day_ms in range(from_ms - from_ms % DAY_MS, to_ms, DAY_MS):
                most_ms = min(to_ms, day_ms + DAY_MS) - max(from_ms, day_ms)
                watched_ms = draw(st.integers(1, most_ms))
                rows.append(Watched(session, member, asset, from_ms, to_ms, watched_ms, day_ms, number))
            from_ms, number = to_ms + draw(st.integers(0, 7_200_000)), number + draw(st.integers(1, 500))
    return rows


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


def row(asset: str, watched_ms: int, *, member: str = "", session: str = "s", from_ms: int = 0) -> Watched:
    return Watched(session, member, asset, from_ms, from_ms + watched_ms, watched_ms, day_ms=0, number=0)


def division(on: Terms, watched: Sequence[Watched]) -> Division:
    return divided(on, folded(on, watched))


@given(either, logs(), st.randoms())
def test_every_cent_is_on_a_line_or_told_as_undivided_and_no_minute_is_lost(
    on: Terms, watched: list[Watched], random: Random
) -> None:
    found = division(on, watched)
    assert sum(line.amount for line in found.lines) + found.undivided == on.amount
    assert all(line.amount >= 0 and line.watched_ms >= 0 for line in found.lines)
    assert sum(line.watched_ms for line in found.lines) == found.watched_ms == sum(one.watched_ms for one in watched)
    random.shuffle(watched)
    assert division(on, watched) == found
    if found.watched_ms and (on.method is Method.PRO_RATA or on.unwatched is Unwatched.POOLED):
        assert found.undivided == 0


def test_a_viewing_over_midnight_earns_as_much_as_one_before_it() -> None:
    film = [
        Watched("ann", "ann", "film", DAY_MS - 3_600_000, DAY_MS + 600_000, ms, day_ms=day_ms, number=0)
        for day_ms, ms in ((0, 3_600_000), (DAY_MS, 600_000))
    ]
    show = row("show", 4_200_000, member="bob", session="bob")
    for watched in ([*film, show], [show, *reversed(film)]):
        lines = division(terms(pool=10_000, to_ms=2 * DAY_MS), watched).lines
        assert [(line.asset, line.amount) for line in lines] == [("film", 5_000), ("show", 5_000)]


@given(logs())
def test_another_row_or_one_that_is_missing_is_another_log(watched: list[Watched]) -> None:
    on = terms(pool=1)
    log = folded(on, watched).log
    assert log == folded(terms(method=Method.MEMBER_CENTRIC, fees={"ann": 5}), watched).log
    for at, one in enumerate(watched):
        without = [*watched[:at], *watched[at + 1 :]]
        assert folded(on, without).log != log
        for change in ({"member": one.member + "x"}, {"day_ms": one.day_ms + DAY_MS}, {"number": one.number + 1}):
            assert folded(on, [*watched[:at], replace(one, **change), *watched[at + 1 :]]).log != log


def test_memory_grows_with_assets_and_members_who_pay_and_not_with_rows() -> None:
    def rows(count: int) -> Iterator[Watched]:
        return (row(f"film {n % 50}", 1_000, member=f"m{n}", session=f"s{n}") for n in range(count))

    def peak_bytes(count: int) -> int:
        tracemalloc.start()
        try:
            folded(terms(pool=1), rows(count))
            return tracemalloc.get_traced_memory()[1]
        finally:
            tracemalloc.stop()

    peak_bytes(100)
    assert peak_bytes(20_000) < 2 * peak_bytes(1_000)


def test_a_members_fee_goes_only_to_what_that_member_watched() -> None:
    watched = [
        row("film", 60_000, member="ann", session="s1"),
        row("series 1", 540_000, member="bo", session="s2"),
        row("film", 60_000, member="bo", session="s3", from_ms=600_000),
    ]
    centric = division(terms(method=Method.MEMBER_CENTRIC, fees={"ann": 1_000, "bo": 1_000}), watched)
    assert [(line.asset, line.amount) for line in centric.lines] == [("film", 1_100), ("series 1", 900)]
    pooled = division(terms(pool=2_000), watched)
    assert [(line.asset, line.amount) for line in pooled.lines] == [("film", 364), ("series 1", 1_636)]


def test_fees_of_those_who_watched_nothing_are_pooled_or_kept_as_it_is_said() -> None:
    watched = [row("film", 60_000, member="ann")]
    kept = terms(method=Method.MEMBER_CENTRIC, fees={"ann": 999, "bo": 500}, unwatched=Unwatched.KEPT)
    assert division(kept, watched).undivided == 500
    pooled = terms(method=Method.MEMBER_CENTRIC, fees={"ann": 999, "bo": 500})
    assert division(pooled, watched).lines == [Line("film", "", 60_000, 1_499)]


def traced(on: Terms, watched: Sequence[Watched], *, asset: str, cent: int) -> Trace:
    mine = sorted((one for one in watched if one.asset == asset), key=lambda one: (one.day_ms, one.from_ms))
    return trace(on, folded(on, watched), mine, asset=asset, cent=cent)


@given(either, logs())
def test_every_cent_is_traced_to_rows_of_its_asset_and_all_rows_are_reached(on: Terms, watched: list[Watched]) -> None:
    small = replace(on, pool=min(on.pool, 40))
    amounts_of = Counter[str]()
    for line in division(small, watched).lines:
        amounts_of[line.asset] += line.amount
    for asset, amount in amounts_of.items():
        reached = set[Watched]()
        for cent in range(1, min(amount, 60) + 1):
            told = traced(small, watched, asset=asset, cent=cent)
            assert told.rows_in_all == len(told.rows) > 0
            assert all(one.asset == asset and (not told.source or one.member == told.source) for one in told.rows)
            reached.update(told.rows)
        if small.method is Method.PRO_RATA and 0 < amount <= 60:
            assert reached == {one for one in watched if one.asset == asset}
    with pytest.raises(Refused):
        traced(small, watched, asset="film", cent=amounts_of["film"] + 1)


def test_a_cent_over_very_many_rows_is_told_by_the_first_and_a_log_that_changes_meanwhile_is_noticed() -> None:
    watched = [row("film", 10, session=f"{n:04d}", from_ms=n) for n in range(1_200)]
    told = traced(terms(pool=1), watched, asset="film", cent=1)
    assert (told.rows_in_all, list(told.rows)) == (1_200, watched[:1_000])
    with pytest.raises(LogChanged):
        trace(terms(pool=1), folded(terms(pool=1), watched), watched[1:], asset="film", cent=1)


@pytest.mark.parametrize(
    "wrong",
    [
        terms(name=""),
        terms(name="x" * 65),
        terms(name="2026/10"),
        terms(name="2026#10"),
        terms(name=".."),
        terms(from_ms=5, to_ms=5),
        terms(currency="euro"),
        terms(pool=-1),
        terms(pool=10**15 + 1),
        terms(pool=5, fees={"ann": 5}),
        terms(method=Method.MEMBER_CENTRIC, pool=5),
        terms(method=Method.MEMBER_CENTRIC, fees={"ann": -5}),
        terms(method=Method.MEMBER_CENTRIC, fees={"": 5}),
        terms(owners={"": {"studio": 1}}),
        terms(owners={"film": {}}),
        terms(owners={"film": {"": 1}}),
        terms(owners={"film": {"studio": 0}}),
        terms(digits=9),
    ],
)
def test_terms_that_nothing_can_be_divided_on_are_refused(wrong: Terms) -> None:
    with pytest.raises(Refused):
        require_terms(wrong)
