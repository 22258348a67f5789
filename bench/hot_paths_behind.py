"""The hot paths behind the counting: hits are gathered and judged, and where readers came from is added up."""

from collections.abc import Sequence
from random import Random

import msgspec

from bench.hot_inputs import (
    SHARED,
    HotPath,
    Step,
    append_entries,
    decoded_bodies,
    plain_steps,
    records_of,
    records_of_readers,
)
from bench.traffic import BATCH
from footfall.flow.count.referred import ReferredRules, ReferredTally
from footfall.flow.count.suspects import KnownCodes, Suspects
from footfall.flow.count.tally import Rules
from footfall.flow.store.referrers import Hour
from footfall.flow.stream.records import judged_from_record
from footfall.native import new_key_table
from footfall.ports.stream import Record
from footfall.screening.judging import Judge, new_learned
from footfall.screening.visitor_features import VisitorFeature
from footfall.sketches.random_cut_forest.forest import Forest
from footfall.sketches.random_cut_forest.shape import Shape
from footfall.values.source import DIRECT
from footfall.values.window import DAY_MS

LEARNED = 500  # points of a forest: more than a step scores
SECTIONS = 20  # that its keys have


def _judge(size: int) -> Step:
    """Gather hits to be judged, and hand them to a judge that has seen nothing."""
    records, known = records_of_readers(size, agents=[1] * BATCH), KnownCodes()

    def taken() -> Suspects:
        suspects = Suspects(Judge(new_learned(seed=8)), known=known)
        for record in records:
            suspects.add(judged_from_record(record.data))
        suspects.hand_over()
        return suspects

    return Step(taken, size * BATCH)


def _score(size: int) -> Step:
    """Score points by a forest that has learned some."""
    chance, forest = Random(8), Forest(Shape(len(VisitorFeature)), seed=8)
    points = [[chance.random() for _ in VisitorFeature] for _ in range(LEARNED)]
    for point in points:
        forest.add(point)
    return Step(lambda: [forest.score(point) for point in points[: 10 * size]], 10 * size)


def _referred(size: int) -> Step:
    """Add up where the readers of each record came from: some sites, each with its pages."""
    ones = range(BATCH)
    pages = [f"https://www.site-{one % 17}.example/{one % 40}" for one in ones]
    records = records_of_readers(size, urls=["https://news.example/story"] * BATCH, referrers=pages)
    return Step(lambda: _referred_tally(records), size * BATCH)


def _referred_bare(size: int) -> Step:
    records = records_of(append_entries(size))
    return Step(lambda: _referred_tally(records), size * SHARED * BATCH)


def _poured(size: int) -> Step:
    """Add the keys of hits that tell of no source to an hour that has none of them."""
    keys = [(str(number), str(number % SECTIONS), "article", "free") for number in range(1_000 * size)]
    table = new_key_table()
    assert table is not None, "native code was not built"
    assert table.count(msgspec.msgpack.encode(keys), len(keys))

    def poured() -> Hour:
        table.text_bytes(0)
        hour = Hour()
        hour.add_table(table, DIRECT)
        return hour

    return Step(poured, len(keys))


def _referred_tally(records: Sequence[Record]) -> ReferredTally:
    tally = ReferredTally(ReferredRules(Rules(), 60 * DAY_MS, zone_of=lambda _: "UTC", sites_of=lambda _: ()))
    for record in records:
        tally.add(record, has=lambda _hour, _sequence: False, counted_again=lambda _record, _replays: None)
    return tally


BEHIND: Sequence[HotPath] = (
    HotPath("gather hits to be judged", "hit", _judge, decoded_bodies, 4.8),
    HotPath("score a point by a forest", "point", _score, plain_steps, 330),
    HotPath("add up a pack's referrers", "hit", _referred, decoded_bodies, 3.7),
    HotPath("add up a pack without referrers", "hit", _referred_bare, decoded_bodies, 0.24),
    HotPath("add keys without referrers to an hour", "key", _poured, decoded_bodies, 1.4),
)
