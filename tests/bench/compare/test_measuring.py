"""Every answer is judged, timed ones and those after a kill among them; a fault planted in any of them is seen."""

import subprocess
import sys
from collections.abc import Sequence
from itertools import pairwise
from pathlib import Path

import pytest

from bench.compare.judge import Recount
from bench.compare.killing import row_differences
from bench.compare.measuring import Verdicts, counted_again, judged, judged_once, rounds_timed, sections_asked
from bench.compare.peer_dictionary import Dictionary
from bench.compare.protocol import Question
from bench.compare.sides import CollectorSide
from bench.compare.traffic import BODY_HITS, BRANDS, DAY_MS, Shape, Traffic, framed_bodies, made

SHAPE = Shape(60_000, 5_000)  # enough of both that no list is empty
ALL = Question("abc", None)


class Forgetful(CollectorSide):
    """The dictionary within this process, which drops a list's last row from some ask on."""

    def __init__(self, folder: Path, traffic: Traffic, *, wrong_from: int, each_ms: float = 0.5) -> None:
        super().__init__("dictionary", folder)
        self._counts, self._asks, self._wrong_from = Dictionary(), 0, wrong_from
        self._each_ms = each_ms
        self.asked: list[list[Question]] = []
        bodies = framed_bodies(traffic.bodies)
        self._counts.load([next(bodies) for _ in range(SHAPE.hits // BODY_HITS)], now_ms=1_794_700_800_000)

    def ask(self, questions: Sequence[Question]) -> tuple[list[list[tuple[int, int]]], list[float]]:
        """Answer, rightly or not."""
        lists = [self._counts.listed(one) for one in questions]
        self.asked.append(list(questions))
        self._asks += 1
        return [rows[:-1] for rows in lists] if self._asks >= self._wrong_from else lists, [self._each_ms] * len(
            questions
        )


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


@pytest.mark.parametrize(("wrong_from", "wrong"), [(1, 255), (2, 250), (3, 0)])
def test_lists_that_are_asked_for_once_are_judged_and_not_timed(
    tmp_path: Path, traffic: Traffic, wrong_from: int, wrong: int
) -> None:
    side = Forgetful(tmp_path, traffic, wrong_from=wrong_from)
    found = judged_once(side, traffic, Recount(traffic.columns, SHAPE.hits))
    assert found["wrong"].startswith(f"{wrong} of 255 lists: " if wrong else "")
    assert (found["is_right"], found["lists_asked"], "plain" in found) == (wrong == 0, 255, False)


DAY = Shape(SHAPE.hits, 5_000, day_starts_ms=1_794_700_800_000)


@pytest.mark.parametrize(("wrong_from", "right"), [(1, False), (9, False), (10, True)])
def test_a_days_lists_are_timed_for_all_of_it_and_those_of_its_last_hour_judged_once(
    tmp_path: Path, wrong_from: int, right: bool
) -> None:
    traffic = made(DAY, tmp_path / "traffic")
    side = Forgetful(tmp_path, traffic, wrong_from=wrong_from, each_ms=40.0)
    found = judged(side, traffic, Recount(traffic.columns, DAY.hits))
    assert found["is_right"] is right
    assert (found["lists_asked"], found["lists_all"]) == (510, 510)
    assert (found["plain"].asked, found["filtered"].asked, found["repeated"].asked) == (125, 250, 250)
    spans = [{(one.from_ms, one.to_ms) for one in questions} for questions in side.asked]
    end_ms = DAY.day_starts_ms + DAY_MS
    assert spans == [{(DAY.day_starts_ms, end_ms)}] * 8 + [{(end_ms - 3_600_000, end_ms)}]


@pytest.mark.parametrize(
    ("each_ms", "spans", "sections"), [(1.0, 1, 50), (80.0, 1, 50), (80.0, 2, 25), (400.0, 1, 10), (60_000.0, 2, 3)]
)
def test_who_is_slow_is_asked_for_fewer_sections_of_every_brand_from_all_over(
    each_ms: float, spans: int, sections: int
) -> None:
    found = sections_asked([each_ms] * 5, spans=spans)
    assert len(set(found)) == len(found) == sections
    assert found[:3] == [500, 501, 502]
    gaps = [after - before for before, after in pairwise(found[3:])]
    assert not gaps or max(gaps) - min(gaps) <= 1
    assert sections == 3 or found[-1] >= 550 - max([*gaps, 1])


def test_a_slow_peers_day_has_as_many_lists_of_the_hour_as_of_the_day(tmp_path: Path) -> None:
    traffic = made(DAY, tmp_path / "traffic")
    side = Forgetful(tmp_path, traffic, wrong_from=99, each_ms=400.0)
    found = judged(side, traffic, Recount(traffic.columns, DAY.hits))
    assert (found["is_right"], found["lists_asked"], found["lists_all"]) == (True, 2 * 5 * (1 + 5), 510)
    hour, day = set(side.asked[-1]), set(side.asked[0] + side.asked[-2])
    assert {(one.brand, one.section) for one in hour} == {(one.brand, one.section) for one in day}
    assert {one.brand for one in hour} == set(BRANDS)


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


BUSY = "import time\nwhile time.process_time() < 0.5: pass"


class Commanded(CollectorSide):
    """Whoever counts again by a command, as footfall does: a child of whoever measures."""

    def start(self) -> None:
        """Be a process that does nothing."""
        self.process = subprocess.Popen(["sleep", "60"])
        self.pid = self.process.pid

    def count_again(self) -> str:
        """Run it."""
        subprocess.run([sys.executable, "-c", BUSY], check=True)
        return ""


def test_a_command_that_counts_again_is_among_what_counting_again_cost(tmp_path: Path, traffic: Traffic) -> None:
    side = Commanded("dictionary", tmp_path)
    side.start()
    try:
        found = counted_again(side, traffic, Recount(traffic.columns, SHAPE.hits), before={"is_right": False})
    finally:
        side.process.kill()
        side.process.wait()
    assert found["again"].cpu_s >= 0.5
