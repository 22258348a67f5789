"""What a stream with transactions promises, asked with arbitrary histories against plain lists."""

from collections.abc import Callable
from contextlib import AbstractContextManager, ExitStack
from functools import partial
from pathlib import Path

import pytest
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, rule, run_state_machine_as_test

from footfall.ports.stream import Appended, ClaimKnown, Entry, Record
from tests.contract.streams import ID_MS, TRANSACTIONAL, Made, claim, everything, id_of

ENTRIES = st.builds(
    lambda shard, group, data, at_ms, ids, claimed: Entry(
        shard,
        group,
        len(data),
        data,
        at_ms,
        tuple((place, id_of(id_)) for place, id_ in enumerate(ids) if id_),
        claim(*claimed) if claimed else None,
    ),
    st.integers(0, 1),
    st.sampled_from(["abc", "def"]),
    st.binary(max_size=12),
    st.integers(1, 60),
    st.lists(st.sampled_from(["", "p", "q", "r", "s"]), max_size=3),
    st.none() | st.tuples(st.sampled_from(["k", "m"]), st.sampled_from(["x", "y"])),
)


class History(RuleBasedStateMachine):
    """Any history of one stream, beside plain lists that remember everything."""

    def __init__(self, make: Callable[[], AbstractContextManager[Made]]) -> None:
        super().__init__()
        self.opened = ExitStack()
        self.made = self.opened.enter_context(make())
        self.stream = self.made.stream
        self.kept: list[list[Record]] = [[], []]
        self.tips = [0, 0]
        self.trimmed_ms = 0
        self.weights: dict[str, int] = {}
        self.ids: dict[bytes, int] = {}
        self.claims: dict[bytes, tuple[int, bytes]] = {}

    @rule(entries=st.lists(ENTRIES, max_size=4))
    def append(self, entries: list[Entry]) -> None:
        assert self.stream.append(entries) == [self.expected(one) for one in entries]

    def expected(self, one: Entry) -> Appended:
        now_ms = self.made.clock.now_ms()
        repeats: tuple[int, ...] = ()
        repeated = False
        before = self.claims.get(one.claim.key) if one.claim else None
        if before is not None and one.claim and now_ms - before[0] <= ID_MS:
            repeated = before[1] == one.claim.body
            if not repeated:
                return Appended(0)
        else:
            if one.claim:
                self.claims[one.claim.key] = (now_ms, one.claim.body)
            repeats = tuple(place for place, id_ in one.ids if not self.is_new(id_, now_ms))
        self.tips[one.shard] += 1
        sequence = self.tips[one.shard]
        self.weights[one.group] = self.weights.get(one.group, 0) + one.weight
        record = Record(sequence, one.group, one.weight, one.data, one.arrived_at_ms, repeats, repeated)
        self.kept[one.shard].append(record)
        return Appended(sequence, repeats, repeated)

    @rule(keys=st.lists(st.sampled_from(["k", "m", "n", "o"]), min_size=1, max_size=3))
    def append_what_several_acts_share(self, keys: list[str]) -> None:
        now_ms = self.made.clock.now_ms()
        claims = tuple(claim(key, "x") for key in keys)
        known = [one for one in claims if now_ms - self.claims.get(one.key, (-ID_MS - 1, b""))[0] <= ID_MS]
        one = Entry(0, "abc", 2, b"ab", 7, shared=claims)
        if known or len(set(keys)) < len(keys):
            with pytest.raises(ClaimKnown):
                self.stream.append([Entry(1, "def", 1, b"beside", 7), one])
            return
        self.claims |= {each.key: (now_ms, each.body) for each in claims}
        assert self.stream.append([one]) == [self.expected(one)]

    def is_new(self, id_: bytes, now_ms: int) -> bool:
        if now_ms - self.ids.get(id_, -ID_MS - 1) <= ID_MS:
            return False
        self.ids[id_] = now_ms
        return True

    @rule(by_ms=st.sampled_from([1, ID_MS // 3, ID_MS, ID_MS + 1]))
    def time_passes(self, by_ms: int) -> None:
        self.made.clock.advance(by_ms)

    @rule(shard=st.integers(0, 1), through=st.integers(0, 12))
    def trim(self, shard: int, through: int) -> None:
        self.stream.trim(shard, through=through)
        left = self.stream.read(shard, after=0)
        first = left[0].sequence if left else self.tips[shard] + 1
        gone = [record for record in self.kept[shard] if record.sequence < first]
        assert all(record.sequence <= through for record in gone)
        self.trimmed_ms = max([self.trimmed_ms, *(record.arrived_at_ms for record in gone)])
        del self.kept[shard][: len(gone)]

    @rule(shard=st.integers(0, 1), after=st.integers(0, 12), limit=st.integers(1, 5))
    def read(self, shard: int, after: int, limit: int) -> None:
        expected = [record for record in self.kept[shard] if record.sequence > after]
        assert self.stream.read(shard, after=after, limit=limit) == expected[:limit]

    @rule(shard=st.integers(0, 1), moment_ms=st.integers(0, 62))
    def look_for_a_moment(self, shard: int, moment_ms: int) -> None:
        start = self.stream.sequence_at(shard, arrived_at_ms=moment_ms)
        assert all(r.sequence > start for r in self.kept[shard] if r.arrived_at_ms >= moment_ms)

    @invariant()
    def everything_agrees(self) -> None:
        assert [everything(self.stream, shard) for shard in range(2)] == self.kept
        assert [self.stream.tip(shard) for shard in range(2)] == self.tips
        assert self.stream.appended() == self.weights
        assert self.stream.kept_since_ms() > self.trimmed_ms or self.trimmed_ms == 0

    def teardown(self) -> None:
        self.opened.close()


@pytest.mark.parametrize("name", list(TRANSACTIONAL))
def test_a_stream_remembers_as_plain_lists_do(name: str, request: pytest.FixtureRequest, tmp_path: Path) -> None:
    class Machine(History):
        def __init__(self) -> None:
            super().__init__(partial(TRANSACTIONAL[name], request, tmp_path, 2))

    run_state_machine_as_test(Machine, settings=settings(max_examples=25, stateful_step_count=25))
