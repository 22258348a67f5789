"""Ids that were seen: gathered in the order of their coming, settled some at a time, and known all the while."""

from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from random import Random

import apsw
import pytest
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, rule, run_state_machine_as_test

from footfall.adapters.embedded import seen_ids
from footfall.adapters.embedded.seen_ids import SETTLED_AT_ONCE, SeenIds
from footfall.adapters.embedded.sqlite_stream import SqliteStream
from footfall.ports.stream import Claim, ClaimKnown, Entry
from footfall.values.clock import SetClock
from tests.adapters.embedded.killed_program import told_before_kill
from tests.adapters.embedded.pages_read import pages_read

NOON_MS = 1_794_744_000_000
KEEP_MS = 1_000
GATHERED = 5
IDS = st.lists(st.integers(0, 40), max_size=12)
SETTLED = "SELECT (SELECT count(*) FROM ids_0) + (SELECT count(*) FROM ids_1) + (SELECT count(*) FROM ids_2)"
GATHERED_ROWS = "SELECT count(*) FROM ids_recent"


def id_of(number: int) -> bytes:
    return Random(number).randbytes(16)


def seen(number: int) -> Entry:
    return Entry(0, "abc", 1, b"", NOON_MS, ((0, id_of(number)),))


APPEND_FOR_EVER = """
import sys
from footfall.adapters.embedded.sqlite_stream import SqliteStream
from footfall.values.clock import SetClock
from tests.adapters.embedded.test_seen_ids import NOON_MS, seen
stream = SqliteStream(sys.argv[1], clock=SetClock(NOON_MS), recent_ids_max=10)
number = int(sys.argv[2])
while True:
    stream.append([seen(number)])
    print(number, flush=True)
    number += 1
"""


class History(RuleBasedStateMachine):
    """Any history of ids, beside a dictionary that knows when each was new."""

    def __init__(self) -> None:
        super().__init__()
        self.db = apsw.Connection(":memory:")
        self.ids = SeenIds(self.db, keep_ms=KEEP_MS, recent_max=GATHERED)
        self.known: dict[int, int] = {}
        self.now_ms = NOON_MS

    def repeats(self, numbers: list[int]) -> tuple[tuple[int, ...], dict[int, int]]:
        known, places = dict(self.known), list[int]()
        for place, number in enumerate(numbers):
            if self.now_ms - known.get(number, -KEEP_MS) <= KEEP_MS:
                places.append(place)
            else:
                known[number] = self.now_ms
        return tuple(places), known

    @rule(numbers=IDS)
    def add(self, numbers: list[int]) -> None:
        places, self.known = self.repeats(numbers)
        self.db.execute("BEGIN")
        assert self.ids.repeats([(at, id_of(number)) for at, number in enumerate(numbers)], self.now_ms) == places
        self.ids.store(self.now_ms)
        self.db.execute("COMMIT")
        self.ids.keep()

    @rule(numbers=IDS)
    def add_and_take_back(self, numbers: list[int]) -> None:
        places, _ = self.repeats(numbers)
        self.db.execute("BEGIN")
        assert self.ids.repeats([(at, id_of(number)) for at, number in enumerate(numbers)], self.now_ms) == places
        self.ids.store(self.now_ms)
        self.db.execute("ROLLBACK")
        self.ids.take_back()

    @rule(by_ms=st.sampled_from([1, KEEP_MS // 3, KEEP_MS, KEEP_MS + 1]))
    def time_passes(self, by_ms: int) -> None:
        self.now_ms += by_ms

    @rule()
    def old_ones_are_forgotten(self) -> None:
        self.ids.forget(self.now_ms)

    @rule()
    def forgetting_is_taken_back(self) -> None:
        self.db.execute("BEGIN")
        self.ids.forget(self.now_ms)
        self.db.execute("ROLLBACK")

    @rule()
    def it_is_opened_again(self) -> None:
        self.ids = SeenIds(self.db, keep_ms=KEEP_MS, recent_max=GATHERED)

    def teardown(self) -> None:
        self.db.close()


def test_ids_are_known_as_a_dictionary_knows_them_whatever_is_taken_back_and_opened_again(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(seen_ids, "FILTERED_AT_ONCE", 4)  # so that filters are seen in part
    run_state_machine_as_test(History, settings=settings(max_examples=60, stateful_step_count=40))


def test_new_ids_are_looked_for_in_tables_only_until_the_filters_know_those_after_a_start() -> None:
    def pages_of_new_ids() -> int:
        before = pages_read(db)
        assert ids.repeats([(place, id_of(10_000 + place)) for place in range(50)], NOON_MS) == ()
        ids.take_back()
        return pages_read(db) - before

    with closing(apsw.Connection(":memory:")) as db:
        ids = SeenIds(db, keep_ms=KEEP_MS, recent_max=100)
        for number in range(1_000):
            ids.repeats([(0, id_of(number))], NOON_MS)
            ids.store(NOON_MS)
            ids.keep()
        assert pages_of_new_ids() < 5  # A filter may be wrong about one of them.
        ids = SeenIds(db, keep_ms=KEEP_MS, recent_max=100)
        assert pages_of_new_ids() > 30
        ids.forget(NOON_MS)
        assert pages_of_new_ids() < 5
        assert ids.repeats([(place, id_of(place)) for place in range(1_000)], NOON_MS) == tuple(range(1_000))


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "stream.db"


@pytest.fixture
def db(path: Path) -> Iterator[apsw.Connection]:
    SqliteStream(path, clock=SetClock(NOON_MS)).close()
    with closing(apsw.Connection(str(path))) as opened:
        yield opened


def test_ids_are_settled_some_at_a_time_and_none_is_left_behind(path: Path, db: apsw.Connection) -> None:
    most = 0
    with closing(SqliteStream(path, clock=SetClock(NOON_MS), recent_ids_max=30)) as stream:
        for number in range(300):
            before = db.execute(SETTLED).get
            assert stream.append([seen(number)])[0].repeats == ()
            most = max(most, db.execute(SETTLED).get - before)
        assert most == 4
        assert db.execute(SETTLED).get >= 240
        assert db.execute(SETTLED).get + db.execute(GATHERED_ROWS).get >= 300
        every = tuple((number, id_of(number)) for number in range(300))
        assert stream.append([Entry(0, "abc", 300, b"", NOON_MS, every)])[0].repeats == tuple(range(300))


def test_an_append_settles_twice_as_many_as_it_brings_where_those_are_many(path: Path, db: apsw.Connection) -> None:
    sizes = (20_000, 1_000, 5_000)
    with closing(SqliteStream(path, clock=SetClock(NOON_MS), recent_ids_max=100)) as stream:
        settled, first = [0], 0
        for size in sizes:
            ids = tuple((place, id_of(first + place)) for place in range(size))
            stream.append([Entry(0, "abc", size, b"", NOON_MS, ids)])
            settled.append(db.execute(SETTLED).get)
            first += size
    assert settled == [0, 0, SETTLED_AT_ONCE, SETTLED_AT_ONCE + 10_000]


def test_what_was_gathered_and_not_settled_is_known_after_a_start(path: Path) -> None:
    for start in range(0, 60, 20):
        with closing(SqliteStream(path, clock=SetClock(NOON_MS), recent_ids_max=30)) as stream:
            assert all(stream.append([seen(number)])[0].repeats == (0,) for number in range(start))
            assert all(stream.append([seen(number)])[0].repeats == () for number in range(start, start + 20))


def test_every_id_that_was_acknowledged_before_a_kill_is_known_whatever_was_being_settled(path: Path) -> None:
    first = 0
    for wanted in (8, 15, 33, 57):
        told = told_before_kill(APPEND_FOR_EVER, str(path), str(first), wanted=wanted)
        with closing(SqliteStream(path, clock=SetClock(NOON_MS), recent_ids_max=10)) as stream:
            known = [stream.append([seen(number)])[0].repeats == (0,) for number in range(told[-1] + 3)]
        assert known[: told[-1] + 1] == [True] * (told[-1] + 1)
        assert not known[-1]  # One that was committed and not told of may be known, and none after it.
        first = len(known)


@pytest.mark.parametrize("recent_max", [1, 3_000])
def test_however_many_ids_come_at_once_those_in_memory_have_a_bound(recent_max: int) -> None:
    chance, most, number = Random(5), 0, 0
    with closing(apsw.Connection(":memory:")) as db:
        ids = SeenIds(db, keep_ms=KEEP_MS, recent_max=recent_max)
        for _ in range(60):
            size = chance.randrange(1, 6_000)
            ids.repeats([(place, (number + place).to_bytes(16, "big")) for place in range(size)], NOON_MS)
            ids.store(NOON_MS)
            ids.keep()
            number += size
            most = max(most, ids.gathered)
    assert most <= 2 * (recent_max + 2 * 6_000)


def test_ids_of_a_quiet_instance_are_forgotten_before_they_are_settled(path: Path, db: apsw.Connection) -> None:
    clock = SetClock(NOON_MS)
    with closing(SqliteStream(path, clock=clock, id_ms=KEEP_MS)) as stream:
        for number in range(30):
            stream.append([seen(number % 7)])
            clock.advance(KEEP_MS // 3)
            stream.forget_ids()
        assert (db.execute(SETTLED).get, db.execute(GATHERED_ROWS).get) == (0, 3)
        clock.advance(KEEP_MS + 1)
        stream.forget_ids()
        assert db.execute(GATHERED_ROWS).get == 0


def test_claims_that_an_append_took_back_are_new_the_next_time(path: Path) -> None:
    first, second = (Claim(id_of(number), b"b" * 16) for number in range(2))
    with closing(SqliteStream(path, clock=SetClock(NOON_MS))) as stream:
        stream.append([Entry(0, "abc", 1, b"", NOON_MS, claim=second)])
        with pytest.raises(ClaimKnown):
            stream.append([Entry(0, "abc", 2, b"", NOON_MS, shared=(first, second))])
        (done,) = stream.append([Entry(0, "abc", 1, b"", NOON_MS, claim=first)])
        assert not done.repeated


def test_old_ids_are_forgotten_and_young_ones_are_not(path: Path, db: apsw.Connection) -> None:
    clock = SetClock(NOON_MS)
    with closing(SqliteStream(path, clock=clock, id_ms=KEEP_MS, recent_ids_max=3)) as stream:
        for number in range(60):
            stream.append([seen(number)])
            clock.advance(KEEP_MS // 10)
            stream.forget_ids()
        assert 6 <= db.execute(SETTLED).get <= 31
        assert stream.append([seen(50)])[0].repeats == (0,)


def test_ids_that_do_not_decode_are_told_of_and_keep_nobody_from_sending(
    path: Path, db: apsw.Connection, caplog: pytest.LogCaptureFixture
) -> None:
    with closing(SqliteStream(path, clock=SetClock(NOON_MS))) as stream:
        stream.append([seen(1)])
        stream.append([seen(2)])
    db.execute("UPDATE ids_recent SET ids=? WHERE number=1", (b"\xc1",))
    with closing(SqliteStream(path, clock=SetClock(NOON_MS))) as stream:
        assert [stream.append([seen(number)])[0].repeats for number in (1, 2)] == [(), (0,)]
    assert "counted again" in caplog.text
