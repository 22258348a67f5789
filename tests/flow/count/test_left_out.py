"""Packs that a judge need not see: kept away from it or not, it holds the same hits and finds the same."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from random import Random
from typing import Any

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from footfall.flow.count.suspects import Suspects
from footfall.flow.stream.records import (
    RULES,
    VERSION,
    Pack,
    judged_from_record,
    outline_from_record,
    record_from_pack,
)
from footfall.screening.judging import Judge, new_learned
from footfall.screening.verdicts import Verdict

START_MS = 1_794_700_800_000
MINUTE_MS = 60_000
HITS_MAX = 120
MINUTES = 8


@dataclass
class Court:
    """Judges what is put before it, and hands over now and then, at moments of its own."""

    keeps_away: bool
    chance: Random
    suspects: Suspects = field(default_factory=lambda: Suspects(Judge(new_learned(seed=1), hits_max=HITS_MAX)))
    kept_away: int = 0

    def take(self, record: bytes) -> None:
        outline = outline_from_record(record)
        assert outline is not None
        if self.keeps_away and self.suspects.leaves_out(outline):
            self.kept_away += 1
            return
        self.suspects.add(judged_from_record(record))
        if self.chance.random() < 0.2:
            self.suspects.hand_over()

    def close(self, end_ms: int) -> tuple[list[Verdict], list[Any]]:
        """Return what is found in a minute, and the hits of all minutes that are looked at."""
        self.suspects.hand_over()
        slots = list(self.suspects.judge._asset_window._slots)
        held = [(one_of, *(column.tolist() for column in _columns(hits))) for hits, one_of in slots]
        return self.suspects.verdicts(now_ms=end_ms), held


def _columns(hits: Any) -> Sequence[np.ndarray]:
    return [getattr(hits, name) for name in type(hits).__slots__]


def minute_of(chance: Random, minute: int, *, pushed: bool) -> list[bytes]:
    """Return a minute's records: batches of servers without visitors, and readers of their own."""
    moments = sorted(chance.randrange(MINUTE_MS) for _ in range(chance.choice((5, 40, 80))))
    records: list[bytes] = []
    for moment_ms in moments:
        count = chance.choice((1, 4, 20))
        assets = ["story" if pushed and chance.random() < 0.5 else f"{chance.randrange(8)}" for _ in range(count)]
        pack = Pack(
            *(VERSION, RULES, START_MS + minute * MINUTE_MS + moment_ms),
            [(asset, "news", "article", "free") for asset in assets],
            visitors=[chance.randrange(1, 60).to_bytes(8, "big") for _ in assets] if chance.random() < 0.3 else None,
            agents=[chance.choice((1, 1, 2, 3)) for _ in assets] if chance.random() < 0.5 else None,
            screened={0: "bot-agent"} if chance.random() < 0.1 else None,
        )
        records.append(record_from_pack(pack))
    return records


def courts_after(seed: int) -> tuple[Court, Court]:
    """Let both see the same minutes, and hold them against each other after each."""
    chance = Random(seed)
    every, fewer = Court(False, Random(seed + 1)), Court(True, Random(seed + 2))
    for minute in range(MINUTES):
        for record in minute_of(chance, minute, pushed=minute >= MINUTES // 2):
            every.take(record)
            fewer.take(record)
        end_ms = START_MS + (minute + 1) * MINUTE_MS
        assert every.close(end_ms) == fewer.close(end_ms)
    return every, fewer


@given(seed=st.integers(0, 2**32))
def test_a_judge_finds_the_same_without_the_packs_that_it_leaves_out(seed: int) -> None:
    every, fewer = courts_after(seed)
    assert every.suspects.judge.one_of == fewer.suspects.judge.one_of
    assert every.suspects.judge.learned.usual == fewer.suspects.judge.learned.usual


def test_many_packs_are_left_out_where_more_come_than_are_kept() -> None:
    # Else the comparison above would say nothing.
    assert sum(courts_after(seed)[1].kept_away for seed in range(3)) > 100


def test_nothing_is_left_out_while_all_are_kept_nor_before_anything_came() -> None:
    suspects = Suspects(Judge(new_learned(seed=1), hits_max=HITS_MAX))
    record = record_from_pack(Pack(VERSION, RULES, START_MS + 1, [("1", "", "", "")] * 10))
    outline = outline_from_record(record)
    assert outline is not None
    assert not suspects.leaves_out(outline)
    suspects.add(judged_from_record(record))
    suspects.hand_over()
    assert not suspects.leaves_out(outline)


def test_a_pack_in_which_somebody_is_told_apart_is_never_left_out() -> None:
    suspects = Suspects(Judge(new_learned(seed=1), hits_max=HITS_MAX))
    for moment_ms in range(60):
        one = Pack(VERSION, RULES, START_MS + moment_ms, [("1", "", "", "")] * 10)
        suspects.add(judged_from_record(record_from_pack(one)))
    suspects.hand_over()
    assert suspects.judge.one_of > 1
    outlines = [
        outline_from_record(record_from_pack(Pack(VERSION, RULES, START_MS + at, [("1", "", "", "")], visitors=whose)))
        for at in range(100)
        for whose in (None, [b"12345678"])
    ]
    left_out = [one for one in outlines if one is not None and suspects.leaves_out(one)]
    assert len(left_out) > 30
    assert not any(one.has_visitors for one in left_out)
