"""Measure a side at a size: feed it, let it settle, judge its lists, time them, have it count again."""

import contextlib
import json
import resource
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from math import ceil
from pathlib import Path
from statistics import median, quantiles
from typing import Any

from bench.compare.charging import Reading, Watch, caught_up, idling
from bench.compare.judge import Listed, Recount, Verdict
from bench.compare.peers import PEERS
from bench.compare.points import NOT_JUDGED, Again, Times
from bench.compare.processes import cpu_seconds, disk_bytes
from bench.compare.protocol import LIST_ROWS, Question
from bench.compare.sides import HOUSE, OutOfTime, PeerFailed, Side
from bench.compare.traffic import (
    BODY_HITS,
    BRANDS,
    DAY_MS,
    FIRST_ASSET,
    FIRST_SECTION,
    JUDGED_SHARES,
    SECTIONS,
    Traffic,
)

MARK_SECTION = 999
MARKS = 5
MARK_S_MAX = 20.0
GRACE_S = 60.0  # what a group may still take that was under way at the deadline
SHOWN_S_MAX = 10.0
TIMED_MANY, TIMED_S_MAX = 1_000, 5.0  # A p99 of a hundred is their slowest; a thousand quick lists take no time.
TIMED_FEW = 100
MOMENTS, MOMENT_S = 5, 0.2  # A thousand quick asks are over in a tenth of a second, which has its own luck.
ASK_S_MAX = 20.0  # A peer whose lists take seconds is asked fewer.
HOUR_MS = 3_600_000
ALL_SECTIONS = range(FIRST_SECTION, FIRST_SECTION + SECTIONS)


@dataclass(frozen=True, slots=True)
class Fed:
    """How a feeding ended: bodies before `through` are acknowledged, and those beyond it that are named."""

    through: int
    beyond: tuple[int, ...]
    why: str
    under_way: int = 0  # bodies that were sent and not acknowledged when it ended


NOTHING_YET = Fed(0, (), "")


def feed(
    side: Side,
    bodies: Path,
    *,
    count: int,
    seconds: float,
    after: Fed = NOTHING_YET,
    on_progress: Callable[[int], None] = lambda _bodies: None,
) -> Fed:
    """Feed a side in another process, until all is acknowledged, time is over or one of them is gone."""
    arguments, files = side.feed_arguments()
    command = [sys.executable, "-m", "bench.compare.feeding", str(bodies), "--seconds", str(seconds), *arguments]
    command += ["--first", str(after.through), "--count", str(count - after.through)]
    command += ["--skip", ",".join(map(str, after.beyond))]
    # Ctrl+C is for us to pass on.
    feeder = subprocess.Popen(
        command, cwd=HOUSE, stdout=subprocess.PIPE, text=True, pass_fds=files, start_new_session=True
    )
    # A peer that hangs would be waited for without end.
    last_resort = threading.Timer(seconds + GRACE_S, feeder.kill)
    last_resort.start()
    told: dict[str, Any] = {"through": after.through, "beyond": after.beyond}
    try:
        assert feeder.stdout is not None
        for line in feeder.stdout:
            told = json.loads(line)
            on_progress(told["acknowledged"])
    finally:
        last_resort.cancel()
        feeder.kill()
        feeder.wait()
        assert feeder.stdout is not None
        feeder.stdout.close()
    if not told.get("last"):
        hits = told.get("acknowledged", 0) * BODY_HITS
        raise PeerFailed(f"it hung: {hits:,} hits were acknowledged, and nothing within {GRACE_S:.0f} s after its time")
    return Fed(told["through"], tuple(told["beyond"]), told["why"], told["under_way"])


def load(
    side: Side, traffic: Traffic, folder: Path, *, hits: int, seconds: float, is_timed: bool = True
) -> dict[str, Any]:
    """Load a side that was started and settle it; return what is to be said of it, lists judged and timed or not."""
    side.get_ready()
    fresh = idling(side) if side.behind else {}
    with Watch(side) as watch:
        fed = feed(side, traffic.bodies, count=hits // BODY_HITS, seconds=seconds)
        if fed.why:
            raise PeerFailed(fed.why)
        done = fed.through * BODY_HITS
        try:
            side.end_feeding()
            side.settle()
        except OutOfTime:
            told = f"{done:,} of {hits:,} hits were collected and not counted when its time was over"
            return {"stopped": told}
        recount, settled = Recount(traffic.columns, done), watch.reading()
        with contextlib.suppress(OutOfTime):
            settled = _settled(side, traffic, recount, watch)
        memory, disk = watch.memory, disk_bytes(folder)
    stopped = "" if done == hits else f"stopped after {settled.at_s:.0f} s at {done:,} of {hits:,} hits"
    found: dict[str, Any] = {"hits": done, "took_s": settled.at_s, "cpu_s": settled.cpu_s, "stopped": stopped}
    try:
        found |= judged(side, traffic, recount) if is_timed else judged_once(side, traffic, recount)
    except OutOfTime:
        told = f"{stopped or f'{done:,} hits were counted'}; lists were not all answered when its time was over"
        found |= {"stopped": told, "wrong": NOT_JUDGED}
    if side.behind:
        found["cpu_s"], found["behind"] = caught_up(side, watch, settled, fresh=fresh)
        memory, disk = watch.memory, max(disk, disk_bytes(folder))
    return found | {"memory_bytes": memory, "disk_bytes": disk}


def _settled(side: Side, traffic: Traffic, recount: Recount, watch: Watch) -> Reading:
    """Wait until the plain lists show every hit; return what was read before the asks that showed it, or at first."""
    readings = [watch.reading()]
    is_shown = shows_all(side, traffic, recount, before_asks=lambda: readings.append(watch.reading()))
    return readings[-1] if is_shown else readings[0]


def shows_all(
    side: Side,
    traffic: Traffic,
    recount: Recount,
    *,
    brands: Sequence[str] = BRANDS,
    before_asks: Callable[[], None] = lambda: None,
) -> bool:
    """Ask for the plain lists until they are right, which may take a moment; tell whether they came to be."""
    give_up_at = time.monotonic() + SHOWN_S_MAX
    questions = [one for one in plain_questions(traffic) if one.brand in brands]
    while time.monotonic() < give_up_at:
        before_asks()
        lists, _ = side.ask(questions)
        if all(recount.judged(one, rows).is_right for one, rows in zip(questions, lists, strict=True)):
            return True
        time.sleep(0.05)
    return False


def plain_questions(traffic: Traffic) -> list[Question]:
    """Return the lists of every brand, of everything there is or of all of the day."""
    return [Question(brand, None, LIST_ROWS, *_span(traffic)) for brand in BRANDS]


def filtered_questions(traffic: Traffic, sections: Sequence[int] = ALL_SECTIONS) -> list[Question]:
    """Return the lists of some sections of every brand, of everything there is or of all of the day."""
    return [Question(brand, one, LIST_ROWS, *_span(traffic)) for one in sections for brand in BRANDS]


def hour_questions(traffic: Traffic, sections: Sequence[int] = ALL_SECTIONS) -> list[Question]:
    """Return the lists of a day's last hour, of every brand and of some sections of it; none where there is no day."""
    _, end = _span(traffic)
    if end is None:
        return []
    return [Question(brand, one, LIST_ROWS, end - HOUR_MS, end) for one in (None, *sections) for brand in BRANDS]


def _span(traffic: Traffic) -> tuple[int | None, int | None]:
    start = traffic.shape.day_starts_ms
    return (start, start + DAY_MS) if start else (None, None)


def judged(side: Side, traffic: Traffic, recount: Recount) -> dict[str, Any]:
    """Ask for every list, each filtered one for the first time, and judge all answers, repeated ones too.

    Lists of a day's last hour are asked for once, and in nobody's times: they are another kind of list.
    """
    verdicts, plain = Verdicts(recount), plain_questions(traffic)
    once_ms = verdicts.asked(side, plain)
    plain_ms = verdicts.asked_again(side, plain, rounds_timed(once_ms))
    sections = sections_asked(once_ms, spans=2 if traffic.shape.day_starts_ms else 1)
    filtered = filtered_questions(traffic, sections)
    filtered_ms = verdicts.asked(side, filtered)
    repeated_ms = verdicts.asked_again(side, filtered, rounds_timed(filtered_ms))
    verdicts.asked(side, hour_questions(traffic, sections))
    times = {"plain": _times(plain_ms), "filtered": _times(filtered_ms), "repeated": _times(repeated_ms)}
    return times | _told_of(verdicts, traffic)


def judged_once(side: Side, traffic: Traffic, recount: Recount) -> dict[str, Any]:
    """Ask for every list once and judge the answers."""
    verdicts = Verdicts(recount)
    once_ms = verdicts.asked(side, plain_questions(traffic))
    verdicts.asked(side, filtered_questions(traffic, sections_asked(once_ms)))
    return _told_of(verdicts, traffic)


def _told_of(verdicts: "Verdicts", traffic: Traffic) -> dict[str, Any]:
    """Return what is to be said of answers."""
    exactness: dict[str, list[float]] = {}
    for one, verdict in verdicts.found.items():
        if one.section is not None and one.section - FIRST_SECTION < len(JUDGED_SHARES):
            exactness.setdefault(f"{JUDGED_SHARES[one.section - FIRST_SECTION]:.0%}", []).append(verdict.share)
    every = [*plain_questions(traffic), *filtered_questions(traffic), *hour_questions(traffic)]
    return {
        "exactness": {name: round(sum(shares) / len(shares), 4) for name, shares in exactness.items()},
        "lists_asked": len(verdicts.found),
        "lists_all": len(every),
        "is_right": not verdicts.wrong,
        "wrong": verdicts.told,
    }


class Verdicts:
    """What is to be said of every list that was asked for: it is right if all of its answers were."""

    def __init__(self, recount: Recount) -> None:
        self._recount = recount
        self._first: dict[Question, Listed] = {}
        self.found: dict[Question, Verdict] = {}

    def asked(self, side: Side, questions: Sequence[Question]) -> list[float]:
        """Ask, judge every answer, and return how many milliseconds each took."""
        lists, took_ms = side.ask(questions)
        for question, rows in zip(questions, lists, strict=True):
            self._judge(question, rows)
        return took_ms

    def asked_again(self, side: Side, questions: list[Question], rounds: int) -> list[float]:
        """Ask so many times more, in parts with pauses between them, as far as there are rounds for parts."""
        took_ms: list[float] = []
        parts = min(rounds, MOMENTS)
        for place in range(parts):
            if place:
                time.sleep(MOMENT_S)
            took_ms += self.asked(side, questions * (rounds * (place + 1) // parts - rounds * place // parts))
        return took_ms

    @property
    def wrong(self) -> list[Question]:
        """Return the questions that got a wrong answer at least once."""
        return [one for one, verdict in self.found.items() if not verdict.is_right]

    @property
    def told(self) -> str:
        """Return how many are wrong and what the first one's fault is, or nothing."""
        if not self.wrong:
            return ""
        first = self.wrong[0]
        return f"{len(self.wrong)} of {len(self.found)} lists: {_of(first)} {self.found[first].why}"

    def _judge(self, question: Question, rows: Listed) -> None:
        """Judge an answer, unless it is the one that was judged; one that differs may be right by other ties."""
        if rows == self._first.setdefault(question, rows) and question in self.found:
            return
        before = self.found.get(question)
        if before is None or before.is_right:
            self.found[question] = self._recount.judged(question, rows)


def rounds_timed(once_ms: Sequence[float]) -> int:
    """Return how often lists are asked for again: for a thousand asks where they are quick, else a hundred or fewer."""
    each_ms = max(sum(once_ms) / len(once_ms), 0.001)
    asks = max(min(TIMED_MANY, 1e3 * TIMED_S_MAX / each_ms), min(TIMED_FEW, 1e3 * ASK_S_MAX / each_ms))
    return max(1, ceil(asks / len(once_ms)))


def sections_asked(once_ms: Sequence[float], *, spans: int = 1) -> list[int]:
    """Return the sections whose lists of so many spans can be asked for in the time that there is.

    The judged ones are always among them; others lie at even distances, and each is asked for of every brand.
    """
    each_ms = max(sum(once_ms) / len(once_ms), 0.001)
    judged, others = ALL_SECTIONS[: len(JUDGED_SHARES)], ALL_SECTIONS[len(JUDGED_SHARES) :]
    count = min(int(1e3 * ASK_S_MAX / each_ms) // (spans * len(BRANDS)) - len(judged), len(others))
    return [*judged, *(others[place * len(others) // count] for place in range(count))]


def _of(question: Question) -> str:
    return question.brand if question.section is None else f"{question.brand} section {question.section}"


def floor_of(side: Side) -> Times | None:
    """Return what the bytes of a list take alone, where lists are asked for over HTTP."""
    took_ms = side.floor_ms()
    return _times(took_ms) if took_ms else None


def _times(took_ms: Sequence[float]) -> Times:
    steps = quantiles(took_ms, n=100, method="inclusive") if len(took_ms) > 1 else [took_ms[0]] * 99
    return Times(round(steps[49], 3), round(steps[98], 3), len(took_ms))


def to_list_ms(peer: str, side: Side, traffic: Traffic) -> float | None:
    """Return how long a body takes until a list shows it, sent alone: from sending to the list, the median of some."""
    if not PEERS[peer].shows_open_window or traffic.shape.day_starts_ms:
        return None
    asset = FIRST_ASSET + traffic.shape.assets  # nobody else's
    body = json.dumps([_mark(asset)] * BODY_HITS, separators=(",", ":")).encode()
    question = Question(BRANDS[0], MARK_SECTION)
    took: list[float] = []
    for number in range(1, MARKS + 1):
        started = time.monotonic()
        side.mark(body)
        while (asset, number * BODY_HITS) not in side.ask([question])[0][0]:
            if time.monotonic() - started > MARK_S_MAX:
                raise PeerFailed(f"a body was not in its list after {MARK_S_MAX:.0f} s")
            side.settle()
        took.append(1e3 * (time.monotonic() - started))
    return round(median(took), 2)


def _mark(asset: int) -> dict[str, Any]:
    labels = {"sectionId": MARK_SECTION, "resourceType": "article", "paidType": "free"}
    return {"brand": BRANDS[0], "assetId": asset, **labels}


def counted_again(side: Side, traffic: Traffic, recount: Recount, *, before: Mapping[str, Any]) -> dict[str, Any]:
    """Have everything counted again; return what it cost, and whether the lists are still right if they were before."""
    started, cpu_before = time.monotonic(), _cpu_with_commands_s(side)
    try:
        refused = side.count_again()
    except OutOfTime:
        refused = "not done within the point's time"
    if refused:
        return {"again": Again(refused=refused)}
    took_s = time.monotonic() - started
    cpu_s = _cpu_with_commands_s(side) - cpu_before
    found: dict[str, Any] = {"again": Again(round(took_s, 3), round(cpu_s, 2))}
    # The first brand has the marks that were sent alone.
    if before["is_right"] and not shows_all(side, traffic, recount, brands=BRANDS[1:]):
        found |= {"is_right": False, "wrong": "lists changed when everything was counted again"}
    return found


def _cpu_with_commands_s(side: Side) -> float:
    """Return the processor seconds of a side and of our own children that have ended, as commands have run for it."""
    ended = resource.getrusage(resource.RUSAGE_CHILDREN)
    return sum(cpu_seconds(side.pid).values()) + ended.ru_utime + ended.ru_stime
