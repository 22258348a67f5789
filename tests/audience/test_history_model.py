"""Histories against a small model: writes in any order and any number leave what their moments say."""

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from random import Random

from hypothesis import example, given
from hypothesis import strategies as st

from footfall.adapters.embedded.sqlite_table import SqliteTable
from footfall.audience import history_removing as removing
from footfall.audience.history import Watching, record
from footfall.audience.history_next import next_up
from footfall.audience.history_reading import all_of, latest_of, recent
from footfall.audience.history_rule import USUAL_RULE, Progress, State, state_of
from footfall.values.clock import SetClock
from tests.audience.history_stage import HOUR_MS, INDEXES, MINUTE_MS, NOON_MS

SERIES = {"s": ("e1", "e2", "e3"), "t#1": ("e1", "é#2"), "lone": ("lone",)}
EPISODES = [(series, asset) for series, assets in SERIES.items() for asset in assets]

moments = st.lists(st.tuples(st.sampled_from(EPISODES), st.integers(0, 100), st.booleans()), min_size=1, max_size=12)


def told(rows: Sequence[tuple[tuple[str, str], int, bool]]) -> list[Watching]:
    """Return what happened, each seven minutes after the one before, with a sequence of its device."""
    return [
        Watching(
            "ann", asset, series, Progress(HOUR_MS * percent // 100, HOUR_MS, is_ended=is_ended),
            NOON_MS - HOUR_MS * 24 + 7 * MINUTE_MS * (number // 2), sequence=number,
        )
        for number, ((series, asset), percent, is_ended) in enumerate(rows)
    ]  # fmt: skip


def new_table() -> SqliteTable:
    return SqliteTable(":memory:", clock=SetClock(NOON_MS), indexes=INDEXES)


@given(moments, st.randoms(use_true_random=False), st.integers(1, 5))
def test_the_order_of_arrival_changes_nothing_nor_does_arriving_twice(rows: list, random: Random, limit: int) -> None:
    happened = told(rows)
    arriving = [*happened, *random.sample(happened, len(happened) // 2)]
    random.shuffle(arriving)
    table = new_table()
    for one in arriving:
        record(table, "blog", one, now_ms=NOON_MS)
    kept = [one for one in happened if state_of(one.progress) is not State.IGNORED]
    for series in SERIES:
        of_series = {one.asset: one for one in kept if one.series == series}  # the last of each stays
        found = {entry.asset: entry for entry in all_of(table, "blog", "ann", series=series)}
        assert {asset: (one.progress, one.at_ms) for asset, one in of_series.items()} == {
            asset: (entry.progress, entry.at_ms) for asset, entry in found.items()
        }
        last = latest_of(table, "blog", "ann", series=series)
        newest = [one for one in kept if one.series == series][-1:]
        assert ([(last.asset, last.at_ms)] if last else []) == [(one.asset, one.at_ms) for one in newest]
    pages, after = list[str](), None
    while True:
        page = recent(table, "blog", "ann", limit=limit, after=after)
        assert len(page.entries) <= limit
        pages += [entry.series for entry in page.entries]
        after = page.after
        if after is None:
            break
    newest_of = {one.series: one.at_ms for one in kept}
    assert sorted(pages) == sorted(newest_of)
    assert [newest_of[series] for series in pages] == sorted(newest_of.values(), reverse=True)


@given(st.lists(st.integers(0, 100), min_size=1, max_size=30))
def test_a_full_watch_is_counted_once_however_many_beats_tell_of_it(percents: list[int]) -> None:
    table, times, is_over = new_table(), 0, False
    for number, percent in enumerate(percents):
        at_ms = NOON_MS - HOUR_MS + number * 1_000
        one = Watching("ann", "e1", "s", Progress(HOUR_MS * percent // 100, HOUR_MS), at_ms)
        state = state_of(one.progress)
        times += state is State.WATCHED and not is_over
        is_over = is_over if state is State.IGNORED else state is State.WATCHED
        record(table, "blog", one, now_ms=NOON_MS)
        record(table, "blog", replace(one, sequence=0), now_ms=NOON_MS)  # It arrives twice.
    found = all_of(table, "blog", "ann", series="s")
    assert [entry.times_watched(USUAL_RULE) for entry in found] in ([times], [])
    assert found or times == 0


@given(
    st.lists(st.tuples(st.integers(0, 5), st.integers(0, 100)), max_size=12),
    st.booleans(),
    st.booleans(),
)
@example([(0, 91), (2, 91), (0, 91), (0, 5)], False, False)
def test_next_up_is_behind_the_last_that_was_watched(
    rows: list[tuple[int, int]], skip_in_progress: bool, rewatching: bool
) -> None:
    episodes = [f"e{n}" for n in range(6)]
    table, states, ever, last = new_table(), dict[int, State](), set[int](), -1
    for number, (place, percent) in enumerate(rows):
        one = Watching(
            "ann", episodes[place], "s", Progress(HOUR_MS * percent // 100, HOUR_MS), NOON_MS - HOUR_MS + number
        )
        record(table, "blog", one, now_ms=NOON_MS)
        state = state_of(one.progress)
        if state is State.IGNORED:
            continue
        states[place] = state
        if state is State.WATCHED:
            ever.add(place)
            last = place
    known = {entry.asset: entry for entry in all_of(table, "blog", "ann", series="s")}
    found = next_up(episodes, known, rule=USUAL_RULE, skip_in_progress=skip_in_progress, rewatching=rewatching)
    expected = [
        place
        for place in range(last + 1, 6)
        if (place in ever) == rewatching
        and not (skip_in_progress and states.get(place) is State.IN_PROGRESS)
        and (last >= 0 or not rewatching)
    ]
    assert found == (episodes[expected[0]] if expected else None)


@dataclass(slots=True)
class Remembered:
    """What Ann's history has to say of a series: plain sets and moments, without any order of arrival."""

    left: dict[str, int] = field(default_factory=dict[str, int])  # when each episode was watched last
    removed: dict[str, int] = field(default_factory=dict[str, int])  # when each was removed
    all_removed_ms: int = -1
    hidden_ms: int = -1

    @property
    def latest(self) -> tuple[int, str] | None:
        """Return the newest of what is left; what was removed as a whole is not told of by what arrives late."""
        return max(((at_ms, one) for one, at_ms in self.left.items() if at_ms > self.all_removed_ms), default=None)

    def watch(self, asset: str, at_ms: int) -> bool:
        is_newest = at_ms > self.left.get(asset, -1) and at_ms > self.removed.get(asset, -1)
        if is_newest:
            self.left[asset] = at_ms
        return is_newest

    def remove(self, asset: str, now_ms: int) -> None:
        self.left.pop(asset, None)
        self.removed[asset] = now_ms

    def remove_all(self, now_ms: int) -> None:
        for asset in {*self.left, *self.removed}:
            self.remove(asset, now_ms)
        self.all_removed_ms, self.hidden_ms = now_ms, -1

    def hide(self, now_ms: int) -> bool:
        if self.latest is None:
            return False
        self.hidden_ms = now_ms
        return True

    def show(self) -> bool:
        if self.latest is None:
            return False
        self.hidden_ms = -1
        return True


acts = st.tuples(
    st.sampled_from(["watch", "watch", "watch", "remove", "remove all", "hide", "show"]),
    st.sampled_from(EPISODES),
    st.integers(0, 40),  # how many minutes late it arrives
)


@given(st.lists(acts, min_size=1, max_size=25))
@example([("watch", ("s", "e1"), 0), ("watch", ("s", "e2"), 0), ("remove", ("s", "e2"), 0), ("watch", ("s", "e2"), 1)])
@example([("watch", ("s", "e1"), 0), ("remove", ("s", "e2"), 0), ("watch", ("s", "e2"), 1)])
@example([("remove", ("s", "e2"), 0), ("watch", ("s", "e2"), 1), ("watch", ("s", "e1"), 2)])
def test_what_was_removed_stays_away_and_what_was_not_is_told_however_late_it_arrives(rows: list) -> None:
    table, known = new_table(), {series: Remembered() for series in SERIES}
    for number, (act, (series, asset), late) in enumerate(rows):
        now_ms = NOON_MS + number * MINUTE_MS
        at_ms = (
            now_ms - late * MINUTE_MS + number + 1
        )  # Some milliseconds of its own, so that no two are at one moment.
        of = known[series]
        match act:
            case "watch":
                now_ms = max(now_ms, at_ms)
                one = Watching("ann", asset, series, Progress(HOUR_MS // 2, HOUR_MS), at_ms)
                assert record(table, "blog", one, now_ms=now_ms).is_newest == of.watch(asset, at_ms)
            case "remove":
                removing.remove_asset(table, "blog", "ann", series=series, asset=asset, now_ms=now_ms)
                of.remove(asset, now_ms)
            case "remove all":
                removing.remove_series(table, "blog", "ann", series=series, now_ms=now_ms)
                of.remove_all(now_ms)
            case "hide":
                assert removing.hide(table, "blog", "ann", series=series, now_ms=now_ms) == of.hide(now_ms)
            case _:
                assert removing.show(table, "blog", "ann", series=series) == of.show()
        require_told(table, known)


def require_told(table: SqliteTable, known: dict[str, Remembered]) -> None:
    """Hold every list to what is remembered."""
    for series, of in known.items():
        found = all_of(table, "blog", "ann", series=series)
        assert {one.asset: one.at_ms for one in found} == of.left
        last = latest_of(table, "blog", "ann", series=series)
        assert (None if last is None else (last.at_ms, last.asset)) == of.latest
    shown = {series: of.latest for series, of in known.items() if of.latest and of.latest[0] > of.hidden_ms}
    listed = recent(table, "blog", "ann", limit=9).entries
    assert {one.series: (one.at_ms, one.asset) for one in listed} == shown
