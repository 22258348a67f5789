"""Playbacks against a model: whoever comes between a read and its write, no member has one place too many."""

from collections.abc import Callable
from random import Random

from hypothesis import given
from hypothesis import strategies as st

from footfall.adapters.embedded.sqlite_table import SqliteTable
from footfall.audience.playbacks import Ask, Lease, PlaybackOver, Policy, TooManyPlaying, without_expired
from footfall.audience.playbacks_ended import ended_of
from footfall.audience.playbacks_kept import Means, admit, beat, end, held
from footfall.audience.playbacks_memory import Admitted, Beaten, Finished, Happened, LastKnown, Unrecorded, caught_up
from footfall.ports.items import Item
from footfall.ports.table import Key
from footfall.values.clock import SetClock
from tests.audience.history_stage import INDEXES, NOON_MS, ask
from tests.simulation.grounds import TroubledTable

LIMIT = 2
STEP_MS = 20_000  # A place is lost after three of them.


class Interrupted(TroubledTable):
    """A table on which others act between the read of a change and its write, as they may on DynamoDB."""

    def __init__(self, inner: SqliteTable) -> None:
        super().__init__(inner, is_ordered=True)
        self.between: list[Callable[[], None]] = []

    def get(self, key: Key) -> Item | None:
        found = super().get(key)
        if self.between:
            self.between.pop(0)()
        return found


class World:
    """Members of a household, what they were told, and the checks that hold after every act."""

    def __init__(self) -> None:
        self.quiet = SqliteTable(":memory:", clock=SetClock(NOON_MS), indexes=INDEXES)
        self.table = Interrupted(self.quiet)
        self.now_ms = NOON_MS
        self.means = Means(Random(1), lambda _: None)
        self.given: set[str] = set()

    def act(self, what: str, session: str, policy: Policy) -> None:
        try:
            if what == "ask":
                self.now_ms += 1
                admit(self.table, "blog", "ann", ask(session, policy=policy), now_ms=self.now_ms, means=self.means)
                self.given.add(session)
            elif what == "beat":
                beat(self.table, "blog", "ann", session, now_ms=self.now_ms)
            elif what == "end":
                end(self.table, "blog", "ann", session, now_ms=self.now_ms, means=self.means)
            else:
                self.now_ms += STEP_MS
        except (PlaybackOver, TooManyPlaying):
            pass
        self.check()

    def check(self) -> None:
        leases = held(self.quiet, "blog", "ann").leases
        live, _ = without_expired(leases, now_ms=self.now_ms)
        assert len(leases) <= LIMIT
        assert len(live) <= LIMIT
        over = [ending.lease.session for _, ending in ended_of(self.quiet, "blog", "ann", limit=100).endings]
        # Whoever was given a place has it or is on record; and each ending is there once for each time it was given.
        assert self.given <= {lease.session for lease in leases} | set(over)


acts = st.tuples(
    st.sampled_from(["ask", "ask", "beat", "end", "wait"]), st.sampled_from("abcde"), st.sampled_from(Policy)
)


@given(st.lists(st.tuples(acts, st.lists(acts, max_size=3)), max_size=12))
def test_no_interleaving_gives_a_place_too_many_or_loses_a_record(
    rounds: list[tuple[tuple[str, str, Policy], list[tuple[str, str, Policy]]]],
) -> None:
    world = World()
    for act, others in rounds:
        world.table.between = [lambda other=other: world.act(*other) for other in others]
        world.act(*act)
        world.table.between = []


happenings = st.lists(
    st.tuples(st.sampled_from(["ask", "beat", "end"]), st.sampled_from("abcdef"), st.integers(0, 9)), max_size=15
)


@given(happenings, st.integers(0, 3), st.sampled_from(Policy))
def test_catching_up_never_gives_a_place_too_many_and_tells_of_everybody(
    rows: list[tuple[str, str, int]], before: int, policy: Policy
) -> None:
    leases = tuple(Lease(f"old{n}", "", f"id-old{n}", "film", NOON_MS - n, NOON_MS, 30_000) for n in range(before))
    wanted = [Ask(f"s{n}", "", f"id-{n}", "film", 3, policy) for n in range(10)]
    happened: list[Happened] = []
    for number, (what, letter, place) in enumerate(rows):
        at_ms = NOON_MS + number * 1_000
        session = f"old{place}" if letter < "c" else f"s{place}"
        if what == "ask":
            happened.append(Admitted(wanted[place], at_ms))
        elif what == "beat":
            happened.append(Beaten(session, at_ms))
        else:
            happened.append(Finished(session, at_ms))
    after, endings = caught_up(leases, happened)
    assert len(after) <= 3
    assert len({lease.session for lease in after}) == len(after)
    told = {lease.session for lease in after} | {ending.lease.session for ending in endings}
    assert told >= {lease.session for lease in leases}
    assert told >= {one.ask.session for one in happened if isinstance(one, Admitted)}


def test_what_is_remembered_is_bounded_and_what_is_forgotten_is_counted() -> None:
    unrecorded, known = Unrecorded(members_max=3), LastKnown(members_max=3)
    lease = Lease("s", "", "", "film", NOON_MS, NOON_MS, 30_000)
    for number in range(5):
        whose = ("blog", str(number))
        for later in range(100):
            unrecorded.add(whose, Beaten("s", NOON_MS + later))
        known.learn(whose, [lease])
    assert (len(unrecorded), unrecorded.forgotten, len(known)) == (3, 2, 3)
    for number in range(70):
        unrecorded.add(("blog", "4"), Finished(f"s{number}", NOON_MS))
    assert (len(unrecorded), unrecorded.forgotten) == (2 + 64, 2 + 7)
    assert known.of(("blog", "0")) == ()
    unrecorded.give_back(("blog", "3"), [Finished("earlier", 1)])
    assert unrecorded.take(("blog", "3")) == [Finished("earlier", 1), Beaten("s", NOON_MS + 99)]
