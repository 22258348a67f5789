"""What is answered of an audience: how many watch something, also where few do, and how far it is watched."""

from typing import Any

from footfall.flow.serve.audience import completion_document, viewers_document
from footfall.flow.store.watch_log import LISTED_MAX
from footfall.flow.stream.beats import PlayState
from tests.flow.count.playing import beat, send_beats
from tests.flow.count.stage import Stage


def viewers(stage: Stage, **given: str) -> dict[str, Any]:
    asked = {name: [value] for name, value in {"brand": "abc", **given}.items()}
    return viewers_document(stage.table, asked, now_ms=stage.clock.now_ms())


def test_an_asset_among_many_is_told_to_have_at_most_so_many_viewers_and_never_none() -> None:
    stage = Stage()
    beats = [(f"s{n}", beat(0, asset=f"a{n % (LISTED_MAX + 200):04}")) for n in range(2 * LISTED_MAX + 300)]
    send_beats(stage, beats)
    stage.worker(0, stage.table).drain()
    assert viewers(stage)["viewers"] == len(beats)
    watched = {f"a{n:04}": 2 if n < LISTED_MAX - 100 + 200 else 1 for n in range(LISTED_MAX + 200)}
    told = {asset: viewers(stage, asset=asset) for asset in watched}
    for asset, number in watched.items():
        least, most = told[asset]["viewers"], told[asset].get("viewersAtMost", told[asset]["viewers"])
        assert least <= number <= most
    assert sum("viewersAtMost" in one for one in told.values()) == 200
    assert viewers(stage, section="news")["viewers"] == len(beats)


def test_all_that_few_watch_is_told_exactly() -> None:
    stage = Stage()
    send_beats(stage, [("s1", beat(0, asset="a")), ("s2", beat(0, asset="b")), ("s3", beat(0, asset="b"))])
    stage.worker(0, stage.table).drain()
    assert (viewers(stage, asset="b")["viewers"], "viewersAtMost" in viewers(stage, asset="b")) == (2, False)
    assert (viewers(stage, asset="c")["viewers"], "viewersAtMost" in viewers(stage, asset="c")) == (0, False)


def test_a_curve_is_read_from_one_item_of_each_day_and_shard() -> None:
    stage = Stage(shards=2)
    for one in range(30):
        last = 10 if one < 20 else 5
        beats = [(f"s{one}", beat(n, duration_ms=100_000)) for n in range(last + 1)]
        send_beats(stage, [*beats, (f"s{one}", beat(last + 1, state=int(PlayState.ENDED)))])
    for shard in range(2):
        stage.worker(shard, stage.table).drain()
    asked = {"brand": ["abc"], "asset": ["film"]}
    now_ms = stage.clock.now_ms()
    found = completion_document(stage.table, asked, zone="UTC", shards=2, now_ms=now_ms)
    assert found["seen"] == [30] * 50 + [20] * 50
    assert (found["playbacks"], found["finished"], found["milliseconds"]) == (30, 20, 20 * 100_000 + 10 * 50_000)
