"""Each phase of a load has known processor seconds here, so whoever is charged for the wrong one is seen."""

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import pytest

from bench.compare import charging, measuring
from bench.compare.charging import REST_LOOK_S, REST_S_MAX, Reading, Watch, caught_up, charged, upkeep_of
from bench.compare.judge import Recount
from bench.compare.measuring import Fed, load
from bench.compare.protocol import Question
from bench.compare.sides import CollectorSide
from bench.compare.traffic import BODY_HITS, Shape, Traffic, made

SHAPE = Shape(20_000, 5_000)
IDLE = {"front": 0.01, "answering": 0.0, "counting": 0.005, "judging": 0.0}
FEED_S, SETTLE_S, ASK_S, CATCH_S = 10.0, 2.0, 10.0, 60.0


class World:
    """A clock, and what the processes of a side have used by it."""

    def __init__(self, idle: Mapping[str, float] = IDLE) -> None:
        self.now_s, self.idle, self.used = 1_000.0, idle, dict.fromkeys(IDLE, 5.0)

    def monotonic(self) -> float:
        return self.now_s

    def sleep(self, seconds: float, **worked_s: float) -> None:
        """Go on: everybody idles, and some work beside."""
        self.now_s += seconds
        for name in self.used:
            self.used[name] += self.idle.get(name, 0.0) * seconds + worked_s.get(name, 0.0)

    def cpu_seconds(self, _pid: int) -> dict[str, float]:
        return dict(self.used)


class Known(CollectorSide):
    """A side whose processes use what this test says: the first list that is asked for is the dear one."""

    behind: tuple[str, ...] = ("counting", "judging")

    def __init__(self, folder: Path, world: World, recount: Recount, *, wrong_rounds: int = 0) -> None:
        super().__init__("dictionary", folder)
        self._world, self._recount, self._asks, self._wrong_rounds = world, recount, 0, wrong_rounds

    def end_feeding(self) -> None:
        """Do nothing."""

    def settle(self) -> None:
        """Count what is left."""
        self._world.sleep(SETTLE_S, front=0.2, counting=0.4)

    def ask(self, questions: Sequence[Question]) -> tuple[list[list[tuple[int, int]]], list[float]]:
        """Answer; counting builds hours meanwhile, and judging judges."""
        self._asks += 1
        if self._asks <= self._wrong_rounds:
            self._world.sleep(0.1, front=0.1)
            return [[] for _ in questions], [1.0 for _ in questions]
        if self._asks == self._wrong_rounds + 1:
            self._world.sleep(ASK_S, front=3.0, answering=2.0, counting=1.5, judging=0.7)
        return [self._recount.listed(one) for one in questions], [1.0 for _ in questions]

    def catch_up(self) -> str:
        """Judge the rest, and join blocks."""
        self._world.sleep(CATCH_S, front=0.8, answering=0.1, counting=0.2, judging=4.0)
        return ""


Loaded = Callable[..., dict[str, Any]]


@pytest.fixture(scope="module")
def traffic(tmp_path_factory: pytest.TempPathFactory) -> Traffic:
    return made(SHAPE, tmp_path_factory.mktemp("traffic"))


@pytest.fixture
def loaded(tmp_path: Path, traffic: Traffic, monkeypatch: pytest.MonkeyPatch) -> Loaded:
    """Return what a load is said to have cost whose feeding has known seconds, too."""

    def run(*, world: World | None = None, behind: tuple[str, ...] = Known.behind, wrong_rounds: int = 0) -> Any:
        world = world or World()

        def feed(*_: object, **__: object) -> Fed:
            world.sleep(FEED_S, front=6.0, counting=2.0, judging=1.0)
            return Fed(SHAPE.hits // BODY_HITS, (), "")

        set_world(world, monkeypatch)
        monkeypatch.setattr(measuring, "feed", feed)
        side = Known(tmp_path, world, Recount(traffic.columns, SHAPE.hits), wrong_rounds=wrong_rounds)
        side.behind = behind
        return load(side, traffic, tmp_path, hits=SHAPE.hits, seconds=100)

    return run


def set_world(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    for module in (charging, measuring):
        monkeypatch.setattr(module, "time", world)
    monkeypatch.setattr(charging, "cpu_seconds", world.cpu_seconds)
    monkeypatch.setattr(charging, "memory_bytes", lambda _pid: 1)


def fed_s(name: str) -> float:
    """Return what a process idled while it was fed and settled, which nobody takes off."""
    return IDLE[name] * (FEED_S + SETTLE_S)


def test_who_answers_no_list_is_charged_with_all_and_who_answers_not_with_the_asking(loaded: Loaded) -> None:
    found = loaded()
    assert (found["is_right"], found["behind"], found["took_s"]) == (True, "", FEED_S + SETTLE_S)
    assert found["cpu_s"] == pytest.approx(
        {
            "front": 6.0 + 0.2 + 0.8 + fed_s("front"),
            "answering": 0.1,
            "counting": 2.0 + 0.4 + 1.5 + 0.2 + fed_s("counting"),
            "judging": 1.0 + 0.7 + 4.0,
        },
        abs=0.011,
    )


def test_who_has_nothing_behind_its_lists_pays_for_no_list_that_was_right(loaded: Loaded) -> None:
    found = loaded(behind=())
    assert found["took_s"] == FEED_S + SETTLE_S
    assert found["cpu_s"]["front"] == pytest.approx(6.2 + fed_s("front"), abs=0.011)
    assert found["cpu_s"]["answering"] == 0


def test_a_load_ends_before_the_asks_that_show_it_and_after_those_that_do_not(loaded: Loaded) -> None:
    found = loaded(behind=(), wrong_rounds=2)
    assert found["took_s"] == pytest.approx(FEED_S + SETTLE_S + 2 * (0.1 + 0.05))
    assert found["cpu_s"]["front"] == pytest.approx(6.2 + 2 * 0.1 + fed_s("front"), abs=0.011)


def test_a_load_that_no_list_ever_shows_ends_before_any_is_asked_for(loaded: Loaded) -> None:
    found = loaded(behind=(), wrong_rounds=10_000)
    assert not found["is_right"]
    assert found["took_s"] == FEED_S + SETTLE_S
    assert found["cpu_s"]["front"] == pytest.approx(6.2 + fed_s("front"), abs=0.011)


@pytest.mark.parametrize(
    ("fresh", "at_rest", "taken_off"),
    [(0.01, 0.01, 0.01), (0.01, 0.05, 0.01), (0.4, 0.02, 0.02), (0.0, 0.05, 0.0)],
    ids=["the same", "thin work trails behind", "the fresh one was still starting", "it did not idle"],
)
def test_idling_is_the_less_of_what_it_used_when_fresh_and_at_rest(
    tmp_path: Path, traffic: Traffic, monkeypatch: pytest.MonkeyPatch, fresh: float, at_rest: float, taken_off: float
) -> None:
    world = World({"front": at_rest})
    set_world(world, monkeypatch)
    side = Known(tmp_path, world, Recount(traffic.columns, SHAPE.hits))
    cpu_s, behind = caught_up(side, Watch(side), Reading(0.0, dict.fromkeys(IDLE, 0.0)), fresh={"front": fresh})
    assert behind == ""
    assert cpu_s["front"] == pytest.approx(0.8 + (at_rest - taken_off) * (CATCH_S + REST_LOOK_S), abs=0.011)


def test_who_does_not_come_to_rest_is_charged_with_all_and_it_is_said(
    tmp_path: Path, traffic: Traffic, monkeypatch: pytest.MonkeyPatch
) -> None:
    world = World({"front": 0.1})
    set_world(world, monkeypatch)
    side = Known(tmp_path, world, Recount(traffic.columns, SHAPE.hits))
    cpu_s, behind = caught_up(side, Watch(side), Reading(0.0, dict.fromkeys(IDLE, 0.0)), fresh={"front": 0.1})
    waited_s = world.now_s - 1_000.0
    assert behind == "it was not at rest in its time"
    assert waited_s > CATCH_S + REST_S_MAX
    assert cpu_s["front"] == pytest.approx(0.8 + 0.1 * waited_s, abs=0.011)


def test_rest_is_waited_for_until_all_processes_together_use_little(
    tmp_path: Path, traffic: Traffic, monkeypatch: pytest.MonkeyPatch
) -> None:
    world = World({"front": 0.05, "counting": 0.05})
    set_world(world, monkeypatch)
    monkeypatch.setattr(world, "sleep", lambda seconds: _calmer(world, seconds))
    rates, is_quiet = upkeep_of(Known(tmp_path, world, Recount(traffic.columns, SHAPE.hits)))
    assert is_quiet
    assert (rates["front"], rates["counting"]) == (pytest.approx(0.025), pytest.approx(0.025))


def _calmer(world: World, seconds: float) -> None:
    """Go on, and use half as much from then on."""
    World.sleep(world, seconds)
    world.idle = {name: rate / 2 for name, rate in world.idle.items()}


def test_a_process_that_comes_or_goes_on_the_way_is_charged_with_what_was_seen_of_it() -> None:
    settled, asked = Reading(10.0, {"front": 1.0, "helper": 0.5}), Reading(20.0, {"front": 2.0})
    done = Reading(80.0, {"front": 2.5, "late": 0.25})
    found = charged([settled, asked, done], unlisted=("late",), upkeep={})
    assert found == {"front": 1.5, "helper": 0.5, "late": 0.25}
