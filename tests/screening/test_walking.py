"""Who walks through a hundred assets like a clock is found without anybody to compare with; readers are not."""

import numpy as np

from footfall.screening.findings import Cause, Finding
from footfall.screening.hit_columns import HitColumns
from footfall.screening.judging import MINUTE_MS, Judge, new_learned
from tests.screening.made_hits import START_MS, hits

WALKER = 77


def found_in(walk: HitColumns) -> list[Finding]:
    """Return what is found in the first ten minutes of a site that nobody else reads."""
    judge, found = Judge(new_learned(seed=1)), list[Finding]()
    for minute in range(10):
        start_ms = START_MS + minute * MINUTE_MS
        judge.add(walk.chosen((walk.arrived_ms >= start_ms) & (walk.arrived_ms < start_ms + MINUTE_MS)))
        found += judge.closed(end_ms=start_ms + MINUTE_MS)
    return found


def test_a_walker_is_found_at_the_end_of_its_first_ten_minutes() -> None:
    seconds = np.arange(418)
    found = found_in(hits(START_MS + 1_000 * seconds, asset=1 + seconds, visitor=WALKER))
    assert [(one.subject, one.cause, one.is_held) for one in found] == [(WALKER, Cause.WALK, True)]
    assert found[0].from_ms == START_MS
    assert "different assets in the hour, 64.0 times as even as by chance" in found[0].words


def test_one_who_reads_as_much_in_the_rhythm_of_people_is_not() -> None:
    moments = START_MS + np.cumsum(1_000 * np.random.default_rng(3).lognormal(0, 1.2, 250)).astype(np.int64)
    assert found_in(hits(moments, asset=1 + np.arange(250), visitor=WALKER)) == []


def test_one_who_reloads_the_same_few_assets_is_left_to_other_rules() -> None:
    seconds = np.arange(418)
    assert found_in(hits(START_MS + 1_000 * seconds, asset=1 + seconds % 40, visitor=WALKER)) == []
