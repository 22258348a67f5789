"""Counting again where others count too and nothing is written at once: to the same bytes, and nothing is lost."""

import pytest

from footfall.flow.count.recount import SWAP_TRIES_MAX, Asked, Done
from footfall.flow.count.releasing import Releases
from footfall.flow.stream.records import HitKey
from footfall.ports.errors import Unavailable
from footfall.values.window import DAY_MS, HOUR_MS, MINUTE_MS, Grain
from tests.flow.count.aws_stage import AwsStage
from tests.flow.count.stage import NOON_MS, Side, Stage, go_on_until, key_of
from tests.flow.count.test_recount import eventful
from tests.simulation.grounds import Killed, KilledTable, TroubledTable


def grown_old(stage: Stage) -> Side:
    side = eventful(stage)
    go_on_until(stage, side, NOON_MS + 40 * HOUR_MS)
    stage.clock.advance(11 * MINUTE_MS)
    side.build()
    side.finish()
    return side


@pytest.mark.parametrize(("shards", "keep_rows"), [(1, 0), (2, 1)])
def test_both_grounds_count_again_to_the_same_bytes(shards: int, keep_rows: int) -> None:
    embedded, shared = Stage(shards=shards, keep_rows=keep_rows), AwsStage(shards=shards, keep_rows=keep_rows)
    for stage in (embedded, shared):
        side = grown_old(stage)
        done = side.recount(NOON_MS - 3 * DAY_MS, stage.clock.now_ms())
        assert (done.windows > 0, done.changed) == (True, 0)
        stage.clock.advance(DAY_MS)  # What was final is finished again.
        side.build()
        side.finish()
    assert shared.everything() == embedded.everything()
    assert shared.lines() == embedded.lines()
    assert checksums(shared) == checksums(embedded)


def checksums(stage: Stage) -> object:
    """Return the bytes of all that counts; late parts that were taken in stay, but say nothing."""
    return {
        (window, summary.part): stage.parts(window.from_ms, window.grain)[summary.part].checksum
        for window in stage.windows()
        for summary in stage.summaries.live("abc", window)
        if len(summary.columns.ident)
    }


def test_hits_that_another_process_counts_meanwhile_are_neither_lost_nor_doubled() -> None:
    stage = AwsStage(shards=2)
    grown_old(stage)
    for _ in range(1_500):  # More than one read takes.
        stage.send("9")
    other, side = stage.side(), stage.side()
    other.count()
    sent = 0
    for progress in side.recounter.run(Asked("abc", NOON_MS - DAY_MS, stage.clock.now_ms())):
        if isinstance(progress, Done):
            break
        if sent < 5:
            stage.send("7", "8")
            stage.clock.advance(600)
            sent += 1
            for worker in other.workers:
                worker.drain()
    now = stage.side()
    now.count()
    stage.clock.advance(3 * HOUR_MS)
    now.build()
    totals = stage.counts(stage.clock.now_ms() - 3 * HOUR_MS, Grain.HOUR)
    assert (totals[key_of("7")], totals[key_of("8")]) == (sent, sent)
    lines = stage.lines()
    assert lines.counted + lines.screened.total() == sum(hits for hits in all_hits(stage)) > sent > 0


def all_hits(stage: Stage) -> list[int]:
    windows = [window for window in stage.windows() if window.grain is Grain.HOUR]
    return [hits for window in windows for hits in stage.counts(window.from_ms, Grain.HOUR).values()]


class Interrupting(TroubledTable):
    """A table in front of which somebody else counts just when a checkpoint is to be written."""

    def __init__(self, stage: AwsStage, *, times: int) -> None:
        super().__init__(stage.table, is_ordered=True)
        self._stage = stage
        self._times = times
        self._other: Side | None = None

    def put(self, put: object) -> None:
        if self._times and put.key.partition == "@shards":  # pyright: ignore[reportAttributeAccessIssue]
            self._times -= 1
            self._stage.send("7", at_ms=NOON_MS + 30 * MINUTE_MS)
            self._other = self._other or self._stage.side()
            self._other.workers[0].drain()
        super().put(put)  # pyright: ignore[reportArgumentType]


@pytest.mark.parametrize("times", [1, 3])
def test_a_swap_that_was_overtaken_reads_on_and_is_made_again(times: int) -> None:
    stage = AwsStage()
    eventful(stage)
    side = stage.side(Interrupting(stage, times=times))
    done = side.recount(NOON_MS, NOON_MS + HOUR_MS)
    assert done.changed == 0
    for grain in (Grain.MINUTE, Grain.HOUR):
        assert stage.counts(NOON_MS + 30 * MINUTE_MS, grain)[key_of("7")] == times


def test_a_quarrel_ends_with_a_refusal_and_without_a_loss() -> None:
    stage = AwsStage()
    eventful(stage)
    times = SWAP_TRIES_MAX + 5
    side = stage.side(Interrupting(stage, times=times))
    with pytest.raises(Unavailable, match="count again later"):
        side.recount(NOON_MS, NOON_MS + HOUR_MS)
    assert stage.counts(NOON_MS + 30 * MINUTE_MS, Grain.HOUR)[key_of("7")] == SWAP_TRIES_MAX


@pytest.mark.parametrize("every", [41, pytest.param(1, marks=pytest.mark.soak)])
def test_a_recount_killed_between_any_two_writes_changes_nothing(every: int) -> None:
    for writes in range(1, 5_000, every):
        stage = AwsStage(keep_rows=0)
        grown_old(stage)
        before = stage.everything()
        side = stage.side(KilledTable(stage.table, writes=writes, is_ordered=True))
        try:
            side.recount(NOON_MS - DAY_MS, stage.clock.now_ms())
        except Killed:
            assert stage.everything() == before, f"killed after {writes} writes"
        else:
            assert writes > 30
            return


def test_held_hits_are_released_from_the_archive() -> None:
    stage = AwsStage(shards=2)
    side = stage.side()
    hits: list[HitKey] = [("1", "", "", ""), ("2", "", "", ""), ("3", "", "", "")]
    stage.send_pack(hits, screened=dict.fromkeys(range(3), "unlabelled"))
    side.count()
    known = {"1", "3"}

    def labelled(_: str, keys: list[HitKey]) -> list[HitKey]:
        return [(key[0], "news", "article", "free") if key[0] in known else key for key in keys]

    releases = Releases(stage.table, stage.raw, shards=2, labelled=labelled, now_ms=stage.clock.now_ms)
    for entries in releases.released("abc", None):
        stage.stream.append(entries)
    side.count()
    assert stage.counts(NOON_MS, Grain.MINUTE) == {key_of("1"): 1, key_of("3"): 1}
    assert (stage.lines().counted, stage.lines().unlabelled) == (2, 1)
