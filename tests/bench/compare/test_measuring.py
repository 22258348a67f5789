"""Every answer is judged, timed ones and those after a kill among them; a fault planted in any of them is seen."""

from collections.abc import Sequence
from pathlib import Path

import pytest

from bench.compare.judge import Recount
from bench.compare.killing import row_differences
from bench.compare.measuring import Verdicts, judged, rounds_timed
from bench.compare.peer_dictionary import Dictionary
from bench.compare.protocol import Question
from bench.compare.sides import CollectorSide
from bench.compare.traffic import BODY_HITS, Shape, Traffic, framed_bodies, made

SHAPE = Shape(20_000, 5_000)  # enough of both that no list is empty
ALL = Question("abc", None)


class Forgetful(CollectorSide):
    """The dictionary within this process, which drops a list's last row from some ask on."""

    def __init__(self, folder: Path, traffic: Traffic, *, wrong_from: int) -> None:
        super().__init__("dictionary", folder)
        self._counts, self._asks, self._wrong_from = Dictionary(), 0, wrong_from
        bodies = framed_bodies(traffic.bodies)
        self._counts.load([next(bodies) for _ in range(SHAPE.hits // BODY_HITS)], now_ms=1_794_700_800_000)

    def ask(self, questions: Sequence[Question]) -> tuple[list[list[tuple[int, int]]], list[float]]:
        """Answer, rightly or not."""
        lists = [self._counts.listed(one) for one in questions]
        self._asks += 1
        return [rows[:-1] for rows in lists] if self._asks >= self._wrong_from else lists, [0.5] * len(questions)


@pytest.fixture(scope="module")
def traffic(tmp_path_factory: pytest.TempPathFactory) -> Traffic:
    return made(SHAPE, tmp_path_factory.mktemp("traffic"))


@pytest.mark.parametrize(
    ("wrong_from", "wrong"),
    [(1, 255), (2, 255), (6, 255), (7, 250), (8, 250), (11, 250), (12, 0)],
    ids=[
        "first",
        "timed plain",
        "last of timed plain",
        "first filtered",
        "repeated filtered",
        "last of repeated filtered",
        "none",
    ],
)
def test_a_list_that_is_wrong_only_when_it_is_timed_is_wrong(
    tmp_path: Path, traffic: Traffic, wrong_from: int, wrong: int
) -> None:
    side = Forgetful(tmp_path, traffic, wrong_from=wrong_from)
    found = judged(side, traffic, Recount(traffic.columns, SHAPE.hits))
    assert found["is_right"] is (wrong == 0)
    assert found["wrong"].startswith(f"{wrong} of 255 lists: " if wrong else "")
    assert (found["plain"].asked, found["filtered"].asked, found["repeated"].asked) == (1_000, 250, 1_000)


def test_another_order_of_ties_is_no_fault(traffic: Traffic, tmp_path: Path) -> None:
    recount = Recount(traffic.columns, SHAPE.hits)
    right = recount.listed(ALL)
    place = next(n for n in range(len(right) - 1) if right[n][1] == right[n + 1][1])
    swapped = [*right[:place], right[place + 1], right[place], *right[place + 2 :]]
    verdicts = Verdicts(recount)
    for rows in (right, swapped, right):
        side = Answering(tmp_path, rows)
        verdicts.asked(side, [ALL])
    assert verdicts.told == ""


class Answering(CollectorSide):
    """Whoever answers with the rows it is given."""

    def __init__(self, folder: Path, rows: list[tuple[int, int]]) -> None:
        super().__init__("dictionary", folder)
        self._rows = rows

    def ask(self, questions: Sequence[Question]) -> tuple[list[list[tuple[int, int]]], list[float]]:
        """Answer."""
        return [self._rows for _ in questions], [1.0 for _ in questions]


@pytest.mark.parametrize(
    ("each_ms", "asks"), [(0.04, 1_000), (4.9, 1_000), (10.0, 500), (100.0, 100), (1_000.0, 20), (60_000.0, 5)]
)
def test_quick_lists_are_timed_a_thousand_times_and_slow_ones_as_often_as_time_allows(
    each_ms: float, asks: int
) -> None:
    assert 5 * rounds_timed([each_ms] * 5) == asks


def test_a_row_that_a_kill_took_away_is_lost_even_if_no_other_row_is_off(traffic: Traffic) -> None:
    recount = Recount(traffic.columns, SHAPE.hits)
    true = recount.listed(ALL)
    following = recount.listed(Question("abc", None, limit=101))[100]
    assert sum(row_differences(recount, ALL, true)) == 0
    assert sum(row_differences(recount, ALL, [*true[1:], following])) == following[1] - true[0][1]
    assert sum(row_differences(recount, ALL, true[1:])) == -true[0][1]
    doubled = [(asset, 2 * hits) for asset, hits in true]
    assert sum(row_differences(recount, ALL, doubled)) == sum(hits for _, hits in true)
