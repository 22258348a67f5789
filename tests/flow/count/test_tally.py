"""Every hit of a record goes to exactly one place, and where follows from its record alone."""

from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec import structs

from footfall.flow.count.aside_items import LISTED_TOGETHER_MAX, AsideRecord, listed_together
from footfall.flow.count.placing import Placing
from footfall.flow.count.tally import Rules, Tally
from footfall.flow.store.checkpoints import Lines
from footfall.flow.stream.records import RULES, VERSION, Pack, record_from_pack, weight_of
from footfall.ports.stream import Record
from footfall.values.period import RETENTION_MS
from footfall.values.window import DAY_MS, MINUTE_MS, Grain, window_of
from tests.flow.count.stage import NOON_MS, key_of

LATENESS_MS, AHEAD_MS = DAY_MS, 5 * MINUTE_MS
MINUTE = ("abc", NOON_MS)
PLACING = Placing(kept_ms=RETENTION_MS, zone_of=lambda _: "UTC")


def pack_of(*assets: str, **columns: object) -> Pack:
    return Pack(VERSION, RULES, NOON_MS + 1, [key_of(asset) for asset in assets], **columns)  # pyright: ignore[reportArgumentType]


def record_of(pack: Pack, sequence: int = 1, **more: object) -> Record:
    return structs.replace(Record(sequence, "abc", weight_of(pack), record_from_pack(pack), NOON_MS + 1), **more)


def tally_of(*records: Record, through: int = 0) -> Tally:
    tally = Tally(Rules(LATENESS_MS, AHEAD_MS), placing=PLACING, through_of=lambda _: through)
    for record in records:
        tally.add(record)
    return tally


def total(lines: Lines) -> int:
    named = (lines.counted, lines.duplicate, lines.late, lines.future, lines.unlabelled, lines.dead)
    return sum(named) + lines.screened.total()


def test_a_lean_pack_counts_at_its_arrival() -> None:
    tally = tally_of(record_of(pack_of("1", "2", "1")))
    assert tally.minutes() == [MINUTE]
    assert tally.counts_after(MINUTE, 0) == {key_of("1"): 2, key_of("2"): 1}
    assert tally.lines["abc"].counted == 3
    assert (tally.through, tally.arrived_at_ms) == (1, NOON_MS + 1)


def test_a_hit_counts_in_the_minute_of_its_own_time() -> None:
    tally = tally_of(record_of(pack_of("1", "2", at_ms=[NOON_MS - 1, NOON_MS])))
    assert tally.counts_after(("abc", NOON_MS - MINUTE_MS), 0) == {key_of("1"): 1}
    assert tally.counts_after(MINUTE, 0) == {key_of("2"): 1}


@pytest.mark.parametrize(
    ("off_ms", "line"),
    [
        (-LATENESS_MS, "counted"),
        (-LATENESS_MS - 1, "late"),
        (AHEAD_MS, "counted"),
        (AHEAD_MS + 1, "future"),
    ],
)
def test_a_hit_is_late_or_in_the_future_from_one_millisecond_beyond_the_limit(off_ms: int, line: str) -> None:
    tally = tally_of(record_of(pack_of("1", at_ms=[NOON_MS + 1 + off_ms])))
    assert getattr(tally.lines["abc"], line) == 1
    assert total(tally.lines["abc"]) == 1
    assert bool(tally.aside) == (line != "counted")


def test_trusted_times_hold_however_old_they_are() -> None:
    tally = tally_of(record_of(pack_of("1", at_ms=[NOON_MS - 300 * DAY_MS], trusted=True)))
    day = window_of(NOON_MS - 300 * DAY_MS, Grain.DAY, "UTC")
    assert (tally.minutes(), tally.spans()) == ([], [("abc", day)])
    assert tally.counts_after(("abc", day), 0) == {key_of("1"): 1}


def test_a_heavy_hit_weighs_in_its_line_and_costs_no_memory() -> None:
    tally = tally_of(record_of(pack_of("1", "2", weights=[10**12, 3])))
    assert tally.counts_after(MINUTE, 0) == {key_of("1"): 10**12, key_of("2"): 3}
    assert tally.lines["abc"].counted == 10**12 + 3
    assert tally.rows == 2


def test_screened_hits_are_told_by_their_reason_and_not_set_aside() -> None:
    tally = tally_of(record_of(pack_of("1", "2", "3", screened={0: "bot-agent", 2: "bot-agent"})))
    assert tally.lines["abc"].screened == {"bot-agent": 2}
    assert tally.lines["abc"].counted == 1
    assert tally.aside == {}


def test_screened_hits_are_counted_in_their_window_under_the_label_of_their_reason() -> None:
    verdicts = {0: "bot-agent", 2: "reload", 3: "ai-agent", 4: "nobody knows", 5: "rule-path", 6: "prefetch"}
    tally = tally_of(record_of(pack_of("1", "2", "3", "3", "3", "3", "3", screened=verdicts)))
    assert tally.counts_after(MINUTE, 0) == {
        (*key_of("1"), "bot"): 1,
        key_of("2"): 1,
        (*key_of("3"), "suspected"): 2,
        (*key_of("3"), "ai"): 1,
        (*key_of("3"), "blocked"): 1,
        (*key_of("3"), "prefetch"): 1,
    }


def test_screened_hits_that_are_late_or_ahead_are_in_the_ledger_alone() -> None:
    times = [NOON_MS - 9 * DAY_MS, NOON_MS + 9 * DAY_MS, NOON_MS]
    tally = tally_of(record_of(pack_of("1", "2", "3", at_ms=times, screened=dict.fromkeys(range(3), "rate"))))
    assert tally.counts_after(MINUTE, 0) == {(*key_of("3"), "suspected"): 1}
    assert (tally.minutes(), tally.aside) == ([MINUTE], {})
    assert (tally.lines["abc"].screened, total(tally.lines["abc"])) == ({"rate": 3}, 3)


def test_only_persons_are_visitors() -> None:
    tally = tally_of(record_of(pack_of("1", "1", screened={0: "rate"}, visitors=[b"a" * 8, b"b" * 8])))
    (met,) = tally.met().values()
    assert len(met.by_key()) == 1
    assert met.keys()[int(met.by_key().groups[0])] == key_of("1")


def test_unlabelled_hits_wait_with_their_places() -> None:
    tally = tally_of(record_of(pack_of("1", "2", "3", screened={0: "unlabelled", 2: "unlabelled"}), 7))
    assert tally.lines["abc"].unlabelled == 2
    assert tally.aside == {("abc", "unlabelled", ""): [AsideRecord(7, [0, 2], 2)]}


def test_repeated_ids_are_duplicates_whatever_else_they_are() -> None:
    pack = pack_of("1", "2", "3", screened={0: "bot"}, at_ms=[NOON_MS, NOON_MS - 9 * DAY_MS, NOON_MS])
    tally = tally_of(record_of(pack, repeats=(0, 1)))
    lines = tally.lines["abc"]
    assert (lines.duplicate, lines.counted, lines.late, lines.screened) == (2, 1, 0, Counter())


def test_a_record_that_came_again_whole_is_all_duplicates_even_when_it_cannot_be_read() -> None:
    pack = pack_of("1", "2")
    tally = tally_of(record_of(pack, repeated=True), record_of(pack, 2, repeated=True, data=b"\xc1"))
    assert tally.lines["abc"].duplicate == 4
    assert tally.minutes() == []


def test_a_record_that_cannot_be_read_is_dead_with_its_weight_and_its_reason() -> None:
    tally = tally_of(Record(3, "abc", 5, b"\xc1", NOON_MS), Record(4, "abc", 1, b"\x94\x63\x01\x00\x90", NOON_MS))
    assert tally.lines["abc"].dead == 6
    (first, one), (second, two) = tally.aside.items()
    assert (one, two) == ([AsideRecord(3, [], 5)], [AsideRecord(4, [], 1)])
    assert first[:2] == second[:2] == ("abc", "dead")
    assert "version 99" in second[2]


def test_a_replay_waits_to_be_asked_whether_it_was_counted_already() -> None:
    pack = pack_of(
        "1", "2", "3", at_ms=[NOON_MS - 9 * DAY_MS] * 3, trusted=True, replays=(4, "late"), screened={1: "bot"}
    )
    tally = tally_of(record_of(pack, 9, weight=0))
    counts = Counter({key_of("1"): 1, (*key_of("2"), "suspected"): 1, key_of("3"): 1})
    hour = window_of(NOON_MS - 9 * DAY_MS, Grain.HOUR, "UTC")  # Its minutes are not kept any more.
    assert tally.places() == []
    (replay,) = tally.replays
    assert (replay.sequence, replay.by, replay.line) == (4, 9, "late")
    assert (replay.counts, replay.moves) == ({hour: counts}, Counter(counted=2, bot=1))
    assert tally.lines["abc"] == Lines()
    tally.count_replay(replay)
    assert tally.counts_after(("abc", hour), 0) == counts


def test_records_that_the_store_has_are_told_apart_by_where_they_stood() -> None:
    tally = tally_of(*(record_of(pack_of("1"), sequence) for sequence in (3, 4, 5)), through=4)
    assert tally.minutes() == [MINUTE]
    assert [tally.counts_after(MINUTE, through)[key_of("1")] for through in (2, 3, 4)] == [3, 2, 1]
    assert tally.lines["abc"].counted == 3  # Lines belong to the checkpoint, which has none of them yet.


columns = st.fixed_dictionaries(
    {},
    optional={
        "at_ms": st.lists(st.integers(NOON_MS - 2 * DAY_MS, NOON_MS + 2 * AHEAD_MS), min_size=4, max_size=4),
        "weights": st.lists(st.integers(1, 50), min_size=4, max_size=4),
        "screened": st.dictionaries(st.integers(0, 3), st.sampled_from(["bot", "unlabelled", "suspect"]), min_size=1),
    },
)
records = st.builds(
    lambda given, repeats, repeated: record_of(
        pack_of("1", "2", "x", "1", **given), repeats=tuple(sorted(repeats)), repeated=repeated
    ),
    columns,
    st.sets(st.integers(0, 3)),
    st.booleans(),
)
unreadable = st.builds(
    lambda data, weight: Record(1, "abc", weight, data, NOON_MS), st.binary(max_size=9), st.integers(0, 9)
)


@given(st.lists(records | unreadable, max_size=12))
def test_the_lines_add_up_to_the_weights_of_the_records(given_records: list[Record]) -> None:
    numbered = [structs.replace(record, sequence=at) for at, record in enumerate(given_records, start=1)]
    tally = tally_of(*numbered)
    lines = tally.lines.get("abc", Lines())
    assert total(lines) == sum(record.weight for record in numbered)
    counted = sum((Counter(tally.counts_after(minute, 0)) for minute in tally.minutes()), start=Counter())
    assert sum(hits for key, hits in counted.items() if len(key) == 4) == lines.counted
    assert counted.total() <= lines.counted + lines.screened.total()  # Late ones are in no window.
    waiting = Counter[str]()
    for (_, line, _), listed in tally.aside.items():
        waiting[line] += sum(one.hits for one in listed)
    assert waiting == +Counter(late=lines.late, future=lines.future, unlabelled=lines.unlabelled, dead=lines.dead)


@given(st.lists(records, max_size=8), st.integers(0, 8))
def test_where_a_run_of_records_is_cut_does_not_matter(given_records: list[Record], at: int) -> None:
    numbered = [structs.replace(record, sequence=at) for at, record in enumerate(given_records, start=1)]
    whole, parts = tally_of(*numbered), [tally_of(*numbered[:at]), tally_of(*numbered[at:])]
    for minute in whole.minutes():
        counted = (Counter(part.counts_after(minute, 0)) for part in parts)
        assert whole.counts_after(minute, 0) == sum(counted, start=Counter())
    lines = Lines()
    for part in parts:
        lines.add(part.lines.get("abc", Lines()))
    assert lines == whole.lines.get("abc", Lines())


@given(st.lists(st.integers(0, LISTED_TOGETHER_MAX + 10), max_size=12))
def test_set_aside_records_are_listed_in_runs_that_fit_an_item(sizes: list[int]) -> None:
    given_records = [AsideRecord(at, list(range(size)), size) for at, size in enumerate(sizes)]
    runs = list(listed_together(given_records))
    assert [record for run in runs for record in run] == given_records
    for run in runs:
        assert run
        assert len(run) == 1 or sum(max(len(one.places), 1) for one in run) <= LISTED_TOGETHER_MAX
