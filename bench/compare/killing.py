"""kill -9 under load, all processes of the peer at once; then a new start, and what was not acknowledged once more.

Whoever sends is a careful client: what was acknowledged is never sent again, what was not is, and to footfall under the
Idempotency-Key that it was first sent with. Kills come some milliseconds after an acknowledgement, so that they meet a
group that is on its way.
"""

import time
from pathlib import Path
from random import Random
from typing import Any

from bench.compare.judge import Recount
from bench.compare.measuring import Fed, feed, plain_questions
from bench.compare.peers import PEERS
from bench.compare.points import Killed
from bench.compare.protocol import Question
from bench.compare.sides import PeerFailed, Side
from bench.compare.traffic import BODY_HITS, Traffic

KILLS = 3
DELAY_S_MAX = 0.05


def killed(peer: str, side: Side, traffic: Traffic, *, hits: int) -> dict[str, Any]:
    """Load a side that was started, killing it on the way; return what came of it."""
    chance, bodies = Random(26), hits // BODY_HITS
    fed, back_s = Fed(0, (), ""), 0.0
    for number in range(1, KILLS + 1):
        fed = _fed_until_killed(
            side, traffic.bodies, bodies, after=fed, at=bodies * number // (KILLS + 1), chance=chance
        )
        started = time.monotonic()
        side.start()
        back_s = max(back_s, time.monotonic() - started)
    fed = feed(side, traffic.bodies, count=bodies, seconds=_left_s(side), after=fed)
    if fed.why or fed.through < bodies:
        raise PeerFailed(fed.why or f"only {fed.through:,} of {bodies:,} bodies were taken in its time")
    side.end_feeding()
    side.settle()
    lost, doubled = _differences(peer, side, traffic, hits)
    return {"killed": Killed(KILLS, hits, lost, doubled, round(back_s, 2)), "is_right": not lost and not doubled}


def _fed_until_killed(side: Side, path: Path, bodies: int, *, after: Fed, at: int, chance: Random) -> Fed:
    """Feed until so many bodies are acknowledged in all, then kill; return what was acknowledged."""
    before = after.through + len(after.beyond)
    is_killed = False

    def on_progress(acknowledged: int) -> None:
        nonlocal is_killed
        if not is_killed and before + acknowledged >= at:
            is_killed = True
            time.sleep(chance.uniform(0, DELAY_S_MAX))
            side.kill()

    fed = feed(side, path, count=bodies, seconds=_left_s(side), after=after, on_progress=on_progress)
    if not is_killed:
        side.kill()
    return fed


def _left_s(side: Side) -> float:
    return max(1.0, min(600.0, side.ends_at_s - time.monotonic()))


def _differences(peer: str, side: Side, traffic: Traffic, hits: int) -> tuple[int, int]:
    """Return how many hits are lost and how many doubled: by the total, and by every row of the brands' lists."""
    more = side.total() - hits
    lost, doubled = max(0, -more), max(0, more)
    if not PEERS[peer].keeps_all_rows:
        return lost, doubled
    questions = plain_questions(traffic)
    recount = Recount(traffic.columns, hits)
    time.sleep(1.0)  # Lists may be a moment behind what is counted.
    by_row = [
        counted - true
        for question, rows in zip(questions, side.ask(questions)[0], strict=True)
        for counted, true in _pairs(recount, rows, question)
    ]
    return max(lost, -sum(one for one in by_row if one < 0)), max(doubled, sum(one for one in by_row if one > 0))


def _pairs(recount: Recount, rows: list[tuple[int, int]], question: Question) -> list[tuple[int, int]]:
    totals = recount.totals(question)
    return [(hits, recount.hits_of(asset, totals)) for asset, hits in rows]
