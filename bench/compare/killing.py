"""kill -9 under load, all processes of the peer at once; then a new start, and what was not acknowledged once more.

Whoever sends is a careful client: what was acknowledged is never sent again, what was not is, and where bodies bear an
Idempotency-Key, under the one that it was first sent with. A kill comes at any moment between two acknowledgements, by
chance from a seed: how far they are apart is seen in the load itself, so a group of any size is met while it is
gathered, committed and acknowledged alike.
"""

import time
from collections import deque
from pathlib import Path
from random import Random
from statistics import median
from typing import Any

from bench.compare.judge import Listed, Recount
from bench.compare.measuring import NOTHING_YET, Fed, Verdicts, feed, filtered_questions, plain_questions, shows_all
from bench.compare.peers import PEERS
from bench.compare.planned import KILLS
from bench.compare.points import Killed
from bench.compare.protocol import Question
from bench.compare.sides import PeerFailed, Side
from bench.compare.traffic import BODY_HITS, Traffic

GAPS_KEPT = 50  # between acknowledgements, the last ones


class Pulse:
    """How far acknowledgements are apart, as they come; the first of a feeding is measured from its beginning."""

    def __init__(self, chance: Random) -> None:
        self._chance = chance
        self._gaps_s: deque[float] = deque(maxlen=GAPS_KEPT)
        self._since_begin_s = 0.0
        self._began_s = self._last_s = 0.0

    def begin(self, now_s: float) -> None:
        """Note that a feeding begins, whose start is no gap."""
        self._began_s, self._last_s = now_s, 0.0

    def beat(self, now_s: float) -> None:
        """Note an acknowledgement."""
        if self._last_s:
            self._gaps_s.append(now_s - self._last_s)
        else:
            self._since_begin_s = now_s - self._began_s
        self._last_s = now_s

    @property
    def gap_s(self) -> float:
        """Return the usual time between two, or what the first one took while there was but one."""
        return median(self._gaps_s) if self._gaps_s else self._since_begin_s

    def wait_somewhere(self) -> None:
        """Wait until some moment before the next one, as chance has it."""
        time.sleep(self._chance.uniform(0, self.gap_s))


def killed(peer: str, side: Side, traffic: Traffic, *, hits: int) -> dict[str, Any]:
    """Load a side that was started, killing it on the way; return what came of it."""
    pulse, bodies = Pulse(Random(26)), hits // BODY_HITS
    fed, back_s, under_load = NOTHING_YET, 0.0, 0
    for number in range(1, KILLS + 1):
        at = bodies * number // (KILLS + 1)
        fed, is_met = _fed_until_killed(side, traffic.bodies, bodies, after=fed, at=at, pulse=pulse)
        under_load += is_met
        started = time.monotonic()
        side.start()
        back_s = max(back_s, time.monotonic() - started)
    fed = feed(side, traffic.bodies, count=bodies, seconds=_left_s(side), after=fed)
    if fed.why or fed.through < bodies:
        raise PeerFailed(fed.why or f"only {fed.through:,} of {bodies:,} bodies were taken in its time")
    side.end_feeding()
    side.settle()
    recount = Recount(traffic.columns, hits)
    shows_all(side, traffic, recount)  # Lists may be a moment behind what is counted; what they are is judged below.
    lost, doubled = differences(peer, side, traffic, recount, hits=hits)
    verdicts = _verdicts(peer, side, traffic, recount)
    found = Killed(KILLS, hits, lost, doubled, round(back_s, 2), under_load, len(verdicts.found), len(verdicts.wrong))
    is_right = not (lost or doubled or verdicts.wrong)
    return {"killed": found, "is_right": is_right, "wrong": verdicts.told}


def _fed_until_killed(side: Side, path: Path, bodies: int, *, after: Fed, at: int, pulse: Pulse) -> tuple[Fed, bool]:
    """Feed until so many bodies are acknowledged in all, then kill; return that, and whether bodies were on their way.

    On their way is what was sent and is not acknowledged when whoever feeds finds its peer gone.
    """
    before = after.through + len(after.beyond)
    is_killed = False
    pulse.begin(time.monotonic())

    def on_progress(acknowledged: int) -> None:
        nonlocal is_killed
        pulse.beat(time.monotonic())
        if not is_killed and before + acknowledged >= at:
            is_killed = True
            pulse.wait_somewhere()
            side.kill()

    fed = feed(side, path, count=bodies, seconds=_left_s(side), after=after, on_progress=on_progress)
    if not is_killed:
        side.kill()
    return fed, is_killed and fed.under_way > 0


def _left_s(side: Side) -> float:
    return max(1.0, min(600.0, side.ends_at_s - time.monotonic()))


def _verdicts(peer: str, side: Side, traffic: Traffic, recount: Recount) -> Verdicts:
    """Judge every list; of who cuts rows away those of the brands, whose rows it has."""
    verdicts = Verdicts(recount)
    sections = filtered_questions(traffic) if PEERS[peer].keeps_all_rows else []
    for question in [*plain_questions(traffic), *sections]:
        if verdicts.found and time.monotonic() > side.ends_at_s:
            break
        verdicts.asked(side, [question])
    return verdicts


def differences(peer: str, side: Side, traffic: Traffic, recount: Recount, *, hits: int) -> tuple[int, int]:
    """Return how many hits are lost and how many doubled: by the total, and by every row of the brands' lists."""
    more = side.total() - hits
    lost, doubled = (max(0, -more) if PEERS[peer].keeps_all_rows else 0), max(0, more)
    questions = plain_questions(traffic)
    by_row = [
        one
        for question, rows in zip(questions, side.ask(questions)[0], strict=True)
        for one in row_differences(recount, question, rows)
    ]
    return max(lost, -sum(one for one in by_row if one < 0)), max(doubled, sum(one for one in by_row if one > 0))


def row_differences(recount: Recount, question: Question, rows: Listed) -> list[int]:
    """Return by how much each row is off, and of a row that should be there and is not, how much it lacks at least."""
    totals, told = recount.totals(question), dict(rows)
    least = min(told.values()) if len(told) >= question.limit else 0
    missing = [min(0, least - hits) for asset, hits in recount.listed(question) if asset not in told]
    return [hits - recount.hits_of(asset, totals) for asset, hits in rows] + missing
