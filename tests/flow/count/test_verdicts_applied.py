"""Verdicts while counting: hits get their label as they are counted, and the past gets it by being counted again."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from footfall.accounts.audit import Trail
from footfall.accounts.verdict_store import VerdictStore
from footfall.adapters.embedded.sqlite_table import SqliteTable
from footfall.flow.count.verdict_recounts import JUDGED_EVERY_MS, VerdictRecounts
from footfall.flow.count.verdicts_applied import KnownVerdicts, line_under
from footfall.flow.count.worker import Worker
from footfall.flow.store.moved_lines import moved_in
from footfall.flow.store.visitors import load_visitors
from footfall.flow.stream.raw import StreamRaw
from footfall.ports.table import Table
from footfall.screening.findings import Cause, SubjectKind
from footfall.screening.hit_columns import visitor_code
from footfall.screening.verdicts import State, Verdict, visitor_subject
from footfall.values.window import DAY_MS, HOUR_MS, MINUTE_MS, Grain, Window
from tests.flow.count.stage import NOON_MS, Side, Stage, go_on_until, key_of, rules

ANN, BOB = b"a" * 8, b"b" * 8
VISITORS = (b"", ANN, BOB)
ASSETS = ("1", "2", "3")
STEPS_MAX = 5_000


@dataclass
class Judged(Stage):
    """A stage with verdicts."""

    verdict_table: SqliteTable = field(init=False)

    def __post_init__(self) -> None:
        super().__post_init__()
        self.verdict_table = SqliteTable(":memory:", clock=self.clock)
        self.store = VerdictStore(self.verdict_table, Trail(self.verdict_table, clock=self.clock), clock=self.clock)
        self.known = KnownVerdicts(lambda: self.store)

    def worker(self, shard: int, table: Table) -> Worker:
        """Return a worker that goes by what is known of verdicts."""
        return Worker(
            shard,
            self.stream,
            table,
            clock=self.clock,
            how=self.how,
            zone_of=lambda _: self.zone,
            verdicts=self.known,
        )

    def learn(self, side: Side) -> None:
        """Have counting know the verdicts as they are."""

        def write_tallied() -> None:
            for worker in side.workers:
                worker.flush_tallied()

        self.known.refresh(write_tallied)

    def past(self, side: Side) -> VerdictRecounts:
        """Return what puts the past right, as after a start."""
        return VerdictRecounts(
            self.table,
            self.known,
            lambda: self.store,
            self.raw,
            recounted=side.recounter.run,
            zone_of=lambda _: self.zone,
            clock=self.clock,
            ahead_ms=self.how.rules.future_ms,
        )

    def visitors(self) -> Mapping[Window, object]:
        """Return who was met in every window."""
        return {window: load_visitors(self.table, "abc", window) for window in self.windows()}


def put_right(past: VerdictRecounts) -> int:
    """Count again all that is due; return how many steps that took."""
    for steps in range(STEPS_MAX):
        if not past.step():
            return steps
    raise AssertionError(f"still busy after {STEPS_MAX} steps")


def verdict(
    subject: bytes | str,
    span: tuple[int, int],
    *,
    state: State = State.HELD,
    cause: Cause = Cause.FEW_AGENTS,
    agents: tuple[int, ...] = (),
    visitors: tuple[bytes, ...] = (),
) -> Verdict:
    """Return a verdict on a visitor's hash or an asset, perhaps narrowed."""
    kind = SubjectKind.ASSET if isinstance(subject, str) else SubjectKind.VISITOR
    text = subject if isinstance(subject, str) else visitor_subject(visitor_code(subject))
    named = tuple(visitor_subject(visitor_code(one)) for one in visitors)
    return Verdict(kind, text, *span, cause, state, NOON_MS, agents=agents, visitors=named)


def test_a_hit_is_labelled_by_a_verdict_that_is_known_when_it_is_counted() -> None:
    stage = Judged()
    stage.store.find("abc", [verdict(ANN, (NOON_MS, NOON_MS + HOUR_MS))], since={})
    side = stage.side()
    stage.learn(side)
    stage.send_pack([key_of("1"), key_of("1")], visitors=[ANN, BOB])
    side.count()
    assert stage.counts(NOON_MS, Grain.MINUTE) == {key_of("1"): 1, (*key_of("1"), "suspected"): 1}
    assert (stage.lines().counted, dict(stage.lines().screened)) == (1, {"verdict": 1})
    alone = Judged()
    alone.send_pack([key_of("1")], visitors=[BOB])
    alone.side().count()
    assert list(stage.visitors().values()) == list(alone.visitors().values())


def test_a_hold_that_is_narrowed_leaves_the_hits_of_other_kinds_and_visitors_in() -> None:
    stage = Judged()
    span = (NOON_MS, NOON_MS + HOUR_MS)
    stage.store.find("abc", [verdict("1", span, agents=(7,)), verdict("2", span, visitors=(ANN,))], since={})
    side = stage.side()
    stage.learn(side)
    assets = ["1", "1", "1", "2", "2"]
    stage.send_pack([key_of(one) for one in assets], visitors=[ANN, BOB, b"", ANN, BOB], agents=[7, 8, 7, 7, 7])
    stage.send("1", "2")  # Their agents and visitors are not known.
    side.count()
    assert stage.counts(NOON_MS, Grain.MINUTE) == {
        key_of("1"): 2,
        (*key_of("1"), "suspected"): 2,
        key_of("2"): 2,
        (*key_of("2"), "suspected"): 1,
    }
    assert (stage.lines().counted, dict(stage.lines().screened)) == (4, {"verdict": 3})


def test_what_an_operator_has_confirmed_is_blocked_and_what_the_judge_has_is_suspected() -> None:
    stage = Judged()
    found = verdict("1", (NOON_MS, NOON_MS + HOUR_MS))
    stage.store.find("abc", [found, verdict("2", (NOON_MS, NOON_MS + HOUR_MS), state=State.CONFIRMED)], since={})
    stage.store.settle("abc", found.id, State.CONFIRMED, by="key", since={})
    side = stage.side()
    stage.learn(side)
    stage.send("1", "2", "3")
    side.count()
    expected = {(*key_of("1"), "blocked"): 1, (*key_of("2"), "suspected"): 1, key_of("3"): 1}
    assert stage.counts(NOON_MS, Grain.MINUTE) == expected
    assert dict(stage.lines().screened) == {"verdict-confirmed": 1, "verdict": 1}


@pytest.mark.parametrize(
    ("line", "reason", "expected"),
    [
        ("counted", None, "counted"),
        ("counted", "verdict", "verdict"),
        ("reload", "verdict", "reload"),
        ("reload", "verdict-confirmed", "verdict-confirmed"),
        ("bot-agent", "verdict-confirmed", "bot-agent"),
        ("rule-path", "verdict-confirmed", "rule-path"),
        ("late", "verdict-confirmed", "late"),
        ("unlabelled", "verdict", "unlabelled"),
    ],
)
def test_the_door_is_overruled_only_where_it_suspects_and_an_operator_knows(
    line: str, reason: str | None, expected: str
) -> None:
    assert line_under(line, reason) == expected


def test_a_decision_acts_on_the_past_at_once_and_is_not_forgotten_by_a_crash() -> None:
    stage = Judged()
    held = verdict("1", (NOON_MS - HOUR_MS, NOON_MS + HOUR_MS))
    stage.store.find("abc", [held], since={})
    side = stage.side()
    stage.learn(side)
    stage.send("1", "2")
    side.count()
    put_right(stage.past(side))
    stage.clock.advance(MINUTE_MS)
    stage.store.settle("abc", held.id, State.RELEASED, by="key", since={})
    stage.learn(side)
    begun = stage.past(side)
    assert dict(stage.lines().screened) == {"verdict": 1}
    assert begun.step()  # And then the process is killed.
    side = stage.side()
    stage.learn(side)
    put_right(stage.past(side))
    assert stage.counts(NOON_MS, Grain.MINUTE) == {key_of("1"): 1, key_of("2"): 1}
    assert (stage.lines().counted, dict(stage.lines().screened)) == (2, {})
    assert put_right(stage.past(side)) == 0


def test_what_a_judge_goes_on_finding_is_counted_again_every_five_minutes() -> None:
    stage = Judged()
    side = stage.side()
    stage.send("1")
    side.count()
    for number in range(2):
        stage.store.find("abc", [verdict("1", (NOON_MS - HOUR_MS, NOON_MS + (1 + number) * MINUTE_MS))], since={})
        stage.learn(side)
        past = stage.past(side)
        assert bool(put_right(past)) is (number == 0)
        stage.clock.advance(MINUTE_MS)
    stage.clock.advance(JUDGED_EVERY_MS)
    assert put_right(stage.past(side)) > 0
    assert stage.counts(NOON_MS, Grain.MINUTE) == {(*key_of("1"), "suspected"): 1}


def test_of_a_built_day_only_the_hours_of_the_verdict_are_counted_again_while_its_hours_are_whole() -> None:
    stage = Judged()
    side = stage.side()
    for _ in range(4):
        stage.send("1", "2")
        side.count()
        stage.clock.advance(HOUR_MS)
    go_on_until(stage, side, NOON_MS + 13 * HOUR_MS)
    day = stage.counts(NOON_MS, Grain.DAY)
    assert day == {key_of("1"): 4, key_of("2"): 4}
    stage.store.find("abc", [verdict("1", (NOON_MS + HOUR_MS, NOON_MS + 2 * HOUR_MS))], since={})
    stage.learn(side)
    put_right(stage.past(side))
    assert stage.counts(NOON_MS, Grain.DAY) == {key_of("1"): 3, (*key_of("1"), "suspected"): 1, key_of("2"): 4}
    go_on_until(stage, side, NOON_MS + 5 * DAY_MS)  # Now the hours are cut, and all of the day is counted again.
    stage.store.find("abc", [verdict("2", (NOON_MS, NOON_MS + HOUR_MS))], since={})
    stage.learn(side)
    put_right(stage.past(side))
    assert stage.counts(NOON_MS, Grain.DAY)[(*key_of("2"), "suspected")] == 1
    assert sum(stage.counts(NOON_MS, Grain.DAY).values()) == 8


class Trimmed(StreamRaw):
    """Raw hits of which some are gone."""

    def kept_since_ms(self, brand: str) -> int:
        """Return a moment in the middle of an hour."""
        assert brand == "abc"
        return NOON_MS + HOUR_MS // 2


def test_hours_without_raw_hits_stay_as_they_are_and_the_others_are_put_right() -> None:
    stage = Judged()
    side = stage.side()
    for _ in range(3):
        stage.send("1")
        side.count()
        stage.clock.advance(HOUR_MS)
    stage.raw = Trimmed(stage.stream)
    side = stage.side()
    stage.store.find("abc", [verdict("1", (NOON_MS - HOUR_MS, NOON_MS + 5 * HOUR_MS))], since={})
    stage.learn(side)
    put_right(stage.past(side))
    found = [dict(stage.counts(NOON_MS + hours * HOUR_MS, Grain.MINUTE)) for hours in range(3)]
    assert found == [{key_of("1"): 1}, {(*key_of("1"), "suspected"): 1}, {(*key_of("1"), "suspected"): 1}]


hits = st.lists(
    st.tuples(st.sampled_from(ASSETS), st.sampled_from(VISITORS), st.integers(0, 90), st.integers(0, 2)),
    min_size=1,
    max_size=6,
)
sends = st.tuples(st.just("send"), hits)
spans = st.tuples(st.integers(-100, 200), st.integers(1, 200))
subjects = st.sampled_from((*ASSETS, ANN, BOB))
narrowings = st.sampled_from([((), ()), ((1,), ()), ((0, 2), ()), ((), (ANN,)), ((1,), (BOB,))])
finds = st.tuples(st.just("find"), st.tuples(subjects, spans, st.sampled_from(State), narrowings))
decisions = st.tuples(
    st.just("settle"), st.tuples(st.integers(0, 9), st.sampled_from([State.CONFIRMED, State.RELEASED]))
)
others = st.sampled_from([("count", None), ("learn", None), ("right", None), ("wait", None), ("begin", None)])
Event = tuple[str, Any]


def _sent(stage: Stage, given_hits: list[tuple[str, bytes, int, int]]) -> None:
    now_ms = stage.clock.now_ms()
    stage.send_pack(
        [key_of(asset) for asset, _, _, _ in given_hits],
        visitors=[visitor for _, visitor, _, _ in given_hits],
        at_ms=[now_ms - minutes * MINUTE_MS for _, _, minutes, _ in given_hits],
        agents=[agent for _, _, _, agent in given_hits],
    )


Found = tuple[bytes | str, tuple[int, int], State, tuple[tuple[int, ...], tuple[bytes, ...]]]


def _found(stage: Judged, made: list[Verdict], what: Found) -> None:
    subject, (start, length), state, (agents, visitors) = what
    if not isinstance(subject, str):
        agents, visitors = (), ()  # Only verdicts on assets are narrowed.
    from_ms = NOON_MS + start * MINUTE_MS
    one = verdict(subject, (from_ms, from_ms + length * MINUTE_MS), state=state, agents=agents, visitors=visitors)
    stage.store.find("abc", [one], since={})
    made.append(one)


def _played(stage: Judged, events: list[Event]) -> Side:
    """Do what happens, in its order, and put everything right at last."""
    side, made = stage.side(), list[Verdict]()
    past = stage.past(side)

    def settle(what: tuple[int, State]) -> None:
        if made:
            stage.store.settle("abc", made[what[0] % len(made)].id, what[1], by="key", since={})

    def begin(_: object) -> None:
        past.step()

    doings: Mapping[str, Callable[..., object]] = {
        "send": lambda what: _sent(stage, what),
        "find": lambda what: _found(stage, made, what),
        "settle": settle,
        "count": lambda _: side.count(),
        "learn": lambda _: stage.learn(side),
        "right": lambda _: put_right(past),
        "begin": begin,
        "wait": lambda _: stage.clock.advance(40 * MINUTE_MS),
    }
    for name, what in events:
        doings[name](what)
    side.count()
    stage.clock.advance(2 * JUDGED_EVERY_MS)
    stage.learn(side)
    put_right(past)
    side.count()
    return side


@settings(max_examples=60, deadline=None)
@given(st.lists(st.one_of(sends, finds, decisions, others), max_size=25))
def test_live_counting_and_the_past_put_right_equal_counting_with_all_verdicts_known(events: list[Event]) -> None:
    stage = Judged(how=rules(fold_ms=0))
    _played(stage, events)
    whole = Judged(how=rules(fold_ms=0))
    whole.store.find("abc", stage.store.standing("abc"), since={})
    side = whole.side()
    whole.learn(side)
    for name, what in events:
        if name == "send":
            _sent(whole, what)
        elif name == "wait":
            whole.clock.advance(40 * MINUTE_MS)
    side.count()
    whole.clock.advance(2 * JUDGED_EVERY_MS)
    side.count()
    assert stage.everything() == whole.everything()
    assert stage.lines() == whole.lines()  # by reason, too
    assert [moved_in(one) for one in stage.checkpoints()] == [moved_in(one) for one in whole.checkpoints()]
    ours, theirs = stage.visitors(), whole.visitors()
    assert {window: ours[window] for window in stage.everything()} == {w: theirs[w] for w in whole.everything()}
