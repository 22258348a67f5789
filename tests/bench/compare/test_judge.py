"""The judge: a list that is right passes whatever its ties, and every kind of fault that a peer may have is seen."""

from pathlib import Path

import numpy as np
import pytest

from bench.compare.judge import Recount
from bench.compare.protocol import Question
from bench.compare.traffic import BODY_HITS, DAY_MS, FIRST_ASSET, FIRST_SECTION, Columns, Shape, made

HITS = np.array([5, 4, 4, 2, 2, 1, 7])  # the last is another brand's
SECTION = np.array([0, 0, 1, 0, 0, 0, 0], np.int16)
ALL = Question("abc", None, limit=4)
SOME = Question("abc", FIRST_SECTION, limit=3)
DAY_STARTS_MS = 1_794_700_800_000


def columns() -> Columns:
    asset = np.repeat(np.arange(len(HITS), dtype=np.int32), HITS)
    brand = np.array([0, 0, 0, 0, 0, 0, 1], np.int16)
    return Columns(asset, np.empty(0, np.int64), SECTION, SECTION, SECTION, brand)


def recount() -> Recount:
    return Recount(columns(), int(HITS.sum()))


def rows(*pairs: tuple[int, int]) -> list[tuple[int, int]]:
    return [(FIRST_ASSET + place, hits) for place, hits in pairs]


def test_its_own_list_is_right() -> None:
    verdict = recount().judged(ALL, recount().listed(ALL))
    assert (verdict.is_right, verdict.share, verdict.why) == (True, 1.0, "")


@pytest.mark.parametrize("last", [3, 4])
@pytest.mark.parametrize("ties", [(1, 2), (2, 1)])
def test_ties_may_stand_in_any_order_and_any_of_them_may_be_last(last: int, ties: tuple[int, int]) -> None:
    made_list = rows((0, 5), (ties[0], 4), (ties[1], 4), (last, 2))
    assert recount().judged(ALL, made_list).is_right


@pytest.mark.parametrize(
    ("planted", "why"),
    [
        (rows((0, 5), (1, 4), (2, 4)), "3 rows, not 4"),
        (rows((0, 5), (1, 4), (2, 4), (3, 3)), "has 3 hits, not 2"),
        (rows((0, 10), (1, 8), (2, 8), (3, 4)), "has 10 hits, not 5"),
        (rows((0, 5), (1, 4), (2, 4), (5, 1)), "rank 4 has 1 hits, not 2"),
        (rows((1, 4), (0, 5), (2, 4), (3, 2)), "rank 1 has 4 hits, not 5"),
        (rows((0, 5), (1, 4), (1, 4), (3, 2)), "stands twice"),
        (rows((6, 7), (0, 5), (1, 4), (2, 4)), "has 7 hits, not 0"),
        (rows((0, 5), (1, 4), (2, 4), (99, 2)), "has 2 hits, not 0"),
        ([], "0 rows, not 4"),
    ],
    ids=["short", "one more hit", "doubled", "wrong member", "order", "twice", "other brand", "never sent", "empty"],
)
def test_a_planted_fault_is_seen(planted: list[tuple[int, int]], why: str) -> None:
    verdict = recount().judged(ALL, planted)
    assert not verdict.is_right
    assert why in verdict.why


def test_a_row_of_another_section_is_a_fault() -> None:
    assert recount().judged(SOME, rows((0, 5), (1, 4), (3, 2))).is_right
    assert not recount().judged(SOME, rows((0, 5), (1, 4), (2, 4))).is_right


def test_the_share_of_true_rows_counts_those_that_belong_there() -> None:
    assert recount().judged(SOME, rows((0, 5))).share == pytest.approx(1 / 3)
    assert recount().judged(SOME, rows((0, 5), (1, 4), (5, 1))).share == pytest.approx(2 / 3)
    assert recount().judged(Question("def", FIRST_SECTION + 7), []).share == 1.0


def test_hits_beyond_the_file_are_its_hits_again() -> None:
    twice_and_five = Recount(columns(), 2 * int(HITS.sum()) + 5)
    assert twice_and_five.listed(ALL)[0] == (FIRST_ASSET, 3 * 5)
    assert twice_and_five.listed(ALL)[1] == (FIRST_ASSET + 1, 2 * 4)


def test_a_span_counts_the_hits_of_its_time_alone(tmp_path: Path) -> None:
    day = made(Shape(20 * BODY_HITS, 1_000, DAY_STARTS_MS), tmp_path).columns
    judge = Recount(day, 20 * BODY_HITS)
    half = DAY_STARTS_MS + DAY_MS // 2
    spans = [(DAY_STARTS_MS, half), (half, DAY_STARTS_MS + DAY_MS), (DAY_STARTS_MS, DAY_STARTS_MS + DAY_MS)]
    before, after, whole = [judge.totals(Question("abc", None, 100, *span)).sum() for span in spans]
    assert before + after == whole == judge.totals(Question("abc", None)).sum() > 0
