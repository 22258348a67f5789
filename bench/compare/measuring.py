"""Measure a side at a size: feed it, let it settle, judge its lists, time them, have it count again."""

import contextlib
import json
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

from bench.compare.judge import Listed, Recount, Verdict
from bench.compare.peers import PEERS
from bench.compare.points import Again, Times
from bench.compare.processes import cpu_seconds, disk_bytes, memory_bytes
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
KEY = "compare"
MARKS = 5
MARK_S_MAX = 20.0
GRACE_S = 60.0  # what a group may still take that was under way at the deadline
SHOWN_S_MAX = 10.0
SAMPLE_S = 0.5
TIMED_MANY, TIMED_S_MAX = 1_000, 5.0  # A p99 of a hundred is their slowest; a thousand quick lists take no time.
TIMED_FEW = 100
MOMENTS, MOMENT_S = 5, 0.2  # A thousand quick asks are over in a tenth of a second, which has its own luck.
ASK_S_MAX = 20.0  # A peer whose lists take seconds is asked fewer.
HOUR_MS = 3_600_000
REST_S_MAX, REST_LOOK_S = 60.0, 4.0
REST_RATE_MAX = 0.06  # processor seconds a second: an instance that has nothing to do uses 0.025


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
    after: Fed | None = None,
    on_progress: Callable[[int], None] = lambda _bodies: None,
) -> Fed:
    """Feed a side in another process, until all is acknowledged, time is over or one of them is gone.

    Who goes on after a feeding, or will, sends keys, so that a body that is sent again can be told.
    """
    arguments, files = side.feed_arguments()
    key, after = ("", NOTHING_YET) if after is None else (KEY, after)
    command = [sys.executable, "-m", "bench.compare.feeding", str(bodies), "--seconds", str(seconds), *arguments]
    command += _what_is_left(count, after, key)
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


def _what_is_left(count: int, after: Fed, key: str) -> list[str]:
    """Return how a feeder is told what to send."""
    span = ["--first", str(after.through), "--count", str(count - after.through)]
    return [*span, "--skip", ",".join(map(str, after.beyond)), "--key", key]


class Watch:
    """Looks at a side while it is fed."""

    def __init__(self, side: Side) -> None:
        self._side = side
        self._started = time.monotonic()
        self._cpu_before = cpu_seconds(side.pid)
        self._is_over = threading.Event()
        self._thread = threading.Thread(target=self._sample, daemon=True)
        self.memory = 0

    def __enter__(self) -> "Watch":
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._is_over.set()
        self._thread.join()

    @property
    def took_s(self) -> float:
        """Return the seconds since it began."""
        return time.monotonic() - self._started

    @property
    def cpu_s(self) -> dict[str, float]:
        """Return the processor seconds since it began."""
        now = cpu_seconds(self._side.pid)
        return {name: round(used - self._cpu_before.get(name, 0.0), 2) for name, used in now.items()}

    def _sample(self) -> None:
        while not self._is_over.wait(SAMPLE_S):
            self.memory = max(self.memory, memory_bytes(self._side.pid))


def load(
    side: Side, traffic: Traffic, folder: Path, *, hits: int, seconds: float, is_keyed: bool = False
) -> dict[str, Any]:
    """Load a side that was started and settle it; return what is to be said of it, lists judged."""
    side.get_ready()
    with Watch(side) as watch:
        after = NOTHING_YET if is_keyed else None
        fed = feed(side, traffic.bodies, count=hits // BODY_HITS, seconds=seconds, after=after)
        if fed.why:
            raise PeerFailed(fed.why)
        done = fed.through * BODY_HITS
        try:
            side.end_feeding()
            side.settle()
        except OutOfTime:
            told = f"{done:,} of {hits:,} hits were collected and not counted when its time was over"
            return {"stopped": told}
        recount, took_s, cpu_s = Recount(traffic.columns, done), watch.took_s, watch.cpu_s
        with contextlib.suppress(OutOfTime):
            took_s, cpu_s = _settled(side, traffic, recount, watch)
        memory = max(watch.memory, memory_bytes(side.pid))
    stopped = "" if done == hits else f"stopped after {took_s:.0f} s at {done:,} of {hits:,} hits"
    found: dict[str, Any] = {"hits": done, "took_s": took_s, "cpu_s": cpu_s, "stopped": stopped, "memory_bytes": memory}
    found["disk_bytes"] = disk_bytes(folder)
    try:
        found |= judged(side, traffic, recount)
    except OutOfTime:
        told = f"{stopped or f'{done:,} hits were counted'}; lists were not all answered when its time was over"
        found |= {"stopped": told, "wrong": "not judged"}
    return found | caught_up(side, watch, found, folder)


def caught_up(side: Side, watch: Watch, found: Mapping[str, Any], folder: Path) -> dict[str, Any]:
    """Wait for what the load has still to cost; return what is to be said of it then.

    Who serves no list is charged with all that it used since the load began; the others with what they use from the end
    of asking on, but for what they use all the time, which no load causes.
    """
    if not side.behind:
        return {}
    asked, asked_s = watch.cpu_s, watch.took_s
    behind = side.catch_up()
    upkeep, is_quiet = upkeep_of(side)
    used, later_s = watch.cpu_s, watch.took_s - asked_s
    cpu_s = {name: used[name] for name in side.behind if name in used}
    for name, settled in found["cpu_s"].items():
        if name not in side.behind:
            later = used.get(name, 0.0) - asked.get(name, 0.0) - upkeep.get(name, 0.0) * later_s
            cpu_s[name] = round(settled + max(0.0, later), 2)
    return {
        "behind": behind or ("" if is_quiet else "it was not at rest in its time"),
        "cpu_s": cpu_s,
        "memory_bytes": max(found["memory_bytes"], memory_bytes(side.pid)),
        "disk_bytes": max(found["disk_bytes"], disk_bytes(folder)),
    }


def upkeep_of(side: Side) -> tuple[dict[str, float], bool]:
    """Wait until it is at rest; return the processor seconds that each process then uses in a second, and if it is."""
    give_up_at_s = min(time.monotonic() + REST_S_MAX, side.ends_at_s)
    while True:
        before = cpu_seconds(side.pid)
        time.sleep(REST_LOOK_S)
        rates = {name: (now - before.get(name, now)) / REST_LOOK_S for name, now in cpu_seconds(side.pid).items()}
        if sum(rates.values()) < REST_RATE_MAX:
            return rates, True
        if time.monotonic() > give_up_at_s:
            return {}, False  # All that it used is charged.


def _settled(side: Side, traffic: Traffic, recount: Recount, watch: Watch) -> tuple[float, dict[str, float]]:
    """Wait until the plain lists show every hit; return what it took until then, or to now if they never do."""
    took_s, cpu_s = watch.took_s, watch.cpu_s
    return (watch.took_s, watch.cpu_s) if shows_all(side, traffic, recount) else (took_s, cpu_s)


def shows_all(side: Side, traffic: Traffic, recount: Recount, *, brands: Sequence[str] = BRANDS) -> bool:
    """Ask for the plain lists until they are right, which may take a moment; tell whether they came to be."""
    give_up_at = time.monotonic() + SHOWN_S_MAX
    questions = [one for one in plain_questions(traffic) if one.brand in brands]
    while time.monotonic() < give_up_at:
        lists, _ = side.ask(questions)
        if all(recount.judged(one, rows).is_right for one, rows in zip(questions, lists, strict=True)):
            return True
        time.sleep(0.05)
    return False


def spans(traffic: Traffic) -> list[tuple[int | None, int | None]]:
    """Return the spans that lists are asked for: everything, or the day's last hour and all of it."""
    start = traffic.shape.day_starts_ms
    return [(start + DAY_MS - HOUR_MS, start + DAY_MS), (start, start + DAY_MS)] if start else [(None, None)]


def plain_questions(traffic: Traffic) -> list[Question]:
    """Return the lists of every brand."""
    return [Question(brand, None, LIST_ROWS, *span) for span in spans(traffic) for brand in BRANDS]


def filtered_questions(traffic: Traffic) -> list[Question]:
    """Return the lists of every section of every brand."""
    sections = range(FIRST_SECTION, FIRST_SECTION + SECTIONS)
    return [Question(brand, one, LIST_ROWS, *span) for span in spans(traffic) for one in sections for brand in BRANDS]


def judged(side: Side, traffic: Traffic, recount: Recount) -> dict[str, Any]:
    """Ask for every list, each filtered one for the first time, and judge all answers, repeated ones too."""
    plain, filtered = plain_questions(traffic), filtered_questions(traffic)
    verdicts = Verdicts(recount)
    once_ms = verdicts.asked(side, plain)
    plain_ms = verdicts.asked_again(side, plain, rounds_timed(once_ms))
    few = filtered[: _asked_few(len(filtered), once_ms)]
    filtered_ms = verdicts.asked(side, few)
    repeated_ms = verdicts.asked_again(side, few, rounds_timed(filtered_ms))
    exactness: dict[str, list[float]] = {}
    for one, verdict in verdicts.found.items():
        if one.section is not None and one.section - FIRST_SECTION < len(JUDGED_SHARES):
            exactness.setdefault(f"{JUDGED_SHARES[one.section - FIRST_SECTION]:.0%}", []).append(verdict.share)
    return {
        "plain": _times(plain_ms),
        "filtered": _times(filtered_ms),
        "repeated": _times(repeated_ms),
        "exactness": {name: round(sum(shares) / len(shares), 4) for name, shares in exactness.items()},
        "lists_asked": len(verdicts.found),
        "lists_all": len(plain) + len(filtered),
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


def _asked_few(count: int, once_ms: Sequence[float]) -> int:
    """Return how many of so many lists can be asked for in the time that there is, at least the judged sections'."""
    each_ms = sum(once_ms) / len(once_ms)
    return max(len(JUDGED_SHARES) * len(BRANDS), min(count, int(1e3 * ASK_S_MAX / max(each_ms, 0.001))))


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
    started, cpu_before = time.monotonic(), sum(cpu_seconds(side.pid).values())
    try:
        refused = side.count_again()
    except OutOfTime:
        refused = "not done within the point's time"
    if refused:
        return {"again": Again(refused=refused)}
    took_s = time.monotonic() - started
    cpu_s = sum(cpu_seconds(side.pid).values()) - cpu_before
    found: dict[str, Any] = {"again": Again(round(took_s, 3), round(cpu_s, 2))}
    # The first brand has the marks that were sent alone.
    if before["is_right"] and not shows_all(side, traffic, recount, brands=BRANDS[1:]):
        found |= {"is_right": False, "wrong": "lists changed when everything was counted again"}
    return found
