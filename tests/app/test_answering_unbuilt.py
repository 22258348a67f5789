"""A board looks for finer windows only where shards say that some may be, and finds all the same."""

from collections import Counter
from dataclasses import replace
from random import Random
from typing import Any

import pytest

from footfall.accounts.brands import Brand
from footfall.adapters.embedded.sqlite_table import SqliteTable
from footfall.app import answering
from footfall.app.answering import Answering
from footfall.app.settings import Settings
from footfall.app.sights import Sights
from footfall.flow.store.checkpoints import Checkpoint
from footfall.flow.stream.records import RULES, VERSION, Pack, record_from_pack
from footfall.ports.stream import Entry
from footfall.ports.table import Page
from footfall.values.window import HOUR_MS, MINUTE_MS, instant_text
from tests.app.stage import NOON_MS, Instance

QUESTIONS = ("period=justnow", "period=day", "period=week", "period=day&closed=true", "period=week&closed=true")


class SeesNothingUnbuilt(Sights):
    """Sees the store as if shards said nothing of what they have still to build."""

    def checkpoints(self) -> dict[int, Checkpoint]:
        return {shard: replace(one, unbuilt=None) for shard, one in super().checkpoints().items()}


def looking_everywhere(instance: Instance) -> Answering:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(answering, "Sights", SeesNothingUnbuilt)
        return Answering(instance.settings, instance.table, clock=instance.clock)


class CountedTable(SqliteTable):
    """A table that counts questions by grain."""

    def __init__(self, *args: Any, **named: Any) -> None:
        super().__init__(*args, **named)
        self.asked: Counter[str] = Counter()

    def query(self, partition: str, **named: Any) -> Page:
        self.asked[partition.split("#")[1] if "#" in partition else partition] += 1
        return super().query(partition, **named)


def instance_of(*, shards: int) -> Instance:
    brands = {"abc": Brand("abc", zone="Asia/Kathmandu")}
    return Instance(Settings(brands=brands, stream_shards=shards, store_minutes_days=1))


def send(instance: Instance, *assets: str, shard: int, at_ms: int) -> None:
    now_ms = instance.clock.now_ms()
    keys = [(asset, "news", "article", "free") for asset in assets]
    pack = Pack(VERSION, RULES, now_ms, keys, at_ms=[at_ms] * len(assets))
    instance.stream.append([Entry(shard, "abc", len(assets), record_from_pack(pack), now_ms)])


def bodies(answering: Answering, now_ms: int) -> list[object]:
    hour_ms = now_ms // HOUR_MS * HOUR_MS - 15 * MINUTE_MS
    span = f"from={instant_text(hour_ms - 20 * HOUR_MS)}&to={instant_text(hour_ms)}"
    told: list[object] = []
    for question in (*QUESTIONS, span):
        answer = answering.answer(f"brand=abc&{question}")
        while answer is None:
            found = answering.read_some()
            answer = found[0] if found else None
        assert answer[2] == "", answer
        told.append(answer[5])
    return told


@pytest.mark.parametrize("seed", range(2))
def test_what_is_left_out_is_empty(seed: int) -> None:
    look_everywhere(seed, steps=4)


@pytest.mark.soak
@pytest.mark.parametrize("seed", range(2, 22))
def test_what_is_left_out_is_empty_for_long(seed: int) -> None:
    look_everywhere(seed, steps=30)


def look_everywhere(seed: int, *, steps: int) -> None:
    chance = Random(seed)
    instance = instance_of(shards=chance.choice((1, 3)))
    kept = instance.answering
    for _ in range(steps):
        for _ in range(chance.choice((0, 1, 1, 4))):
            late_ms = chance.choice((0, 0, 0, MINUTE_MS, 50 * MINUTE_MS, 5 * HOUR_MS, 23 * HOUR_MS))
            at_ms = instance.clock.now_ms() - late_ms
            shard = chance.randrange(instance.stream.shards)
            send(instance, *chance.choices("abcdef", k=chance.randint(1, 5)), shard=shard, at_ms=at_ms)
        if chance.random() < 0.8:
            instance.count()
        kept.refresh()
        now_ms = instance.clock.now_ms()
        everywhere = looking_everywhere(instance)
        anew = Answering(instance.settings, instance.table, clock=instance.clock)
        found = bodies(everywhere, now_ms)
        assert bodies(anew, now_ms) == found, f"seed {seed}"
        # A span of the past is read again after some seconds only.
        assert bodies(kept, now_ms)[:-1] == found[:-1], f"seed {seed}"
        instance.clock.advance(chance.choice((1_000, MINUTE_MS, 20 * MINUTE_MS, HOUR_MS, 7 * HOUR_MS)))


def test_a_cold_board_of_a_quiet_brand_reads_few_windows() -> None:
    instance = instance_of(shards=2)
    table = CountedTable(":memory:", clock=instance.clock)
    instance.table = table
    instance.counting = type(instance.counting)(instance.settings, instance.stream, table, clock=instance.clock)
    for hours in (40, 20, 3):
        instance.clock.set(NOON_MS - hours * HOUR_MS)
        send(instance, "a", shard=0, at_ms=instance.clock.now_ms())
        instance.count()
    instance.clock.set(NOON_MS)
    instance.count()
    table.asked.clear()
    answering = Answering(instance.settings, table, clock=instance.clock)
    answering.refresh()
    assert answering.answer("brand=abc&period=week") is not None
    # Two weeks of days, two days of hours, and the minutes of the last ten minutes.
    assert table.asked["D"] <= 16
    assert table.asked["H"] <= 50
    assert table.asked["M"] <= 20
