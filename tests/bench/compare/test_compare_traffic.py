"""The traffic: the same for everybody, and what the bodies say is what the columns say."""

from collections import Counter
from itertools import islice
from pathlib import Path

import msgspec
import pytest

from bench.compare.judge import Recount
from bench.compare.protocol import Question, by_window, lines_of, upserts_of
from bench.compare.traffic import (
    BODY_HITS,
    BODY_MS,
    BRANDS,
    DAY_MS,
    FIRST_ASSET,
    FIRST_SECTION,
    JUDGED_SHARES,
    Shape,
    framed_bodies,
    made,
)
from footfall.client.sending import Options

DAY_STARTS_MS = 1_794_700_800_000
SHAPE = Shape(20_000, 5_000)


def test_the_same_shape_gives_the_same_bytes(tmp_path: Path) -> None:
    one, other = made(SHAPE, tmp_path / "one"), made(SHAPE, tmp_path / "other")
    assert one.bodies.read_bytes() == other.bodies.read_bytes()
    assert one.bodies.name == other.bodies.name != made(Shape(20_000, 10_000), tmp_path / "one").bodies.name


def test_bodies_hold_what_the_columns_say(tmp_path: Path) -> None:
    traffic = made(SHAPE, tmp_path)
    bodies = list(islice(framed_bodies(traffic.bodies), SHAPE.hits // BODY_HITS))
    counted = Counter(hit["assetId"] for body in bodies for hit in msgspec.json.decode(body))
    recount = Recount(traffic.columns, SHAPE.hits)
    for brand in BRANDS:
        listed = recount.listed(Question(brand, None, 10))
        assert [counted[asset] for asset, _ in listed] == [hits for _, hits in listed]
    assert counted.total() == SHAPE.hits


def test_a_body_has_the_hits_of_one_brand(tmp_path: Path) -> None:
    traffic = made(SHAPE, tmp_path)
    for body in islice(framed_bodies(traffic.bodies), 50):
        hits = msgspec.json.decode(body)
        assert len(hits) == BODY_HITS
        assert len({hit["brand"] for hit in hits}) == 1


def test_a_body_is_as_large_as_the_client_sends_it() -> None:
    assert Options().batch_hits_max == BODY_HITS
    assert Options().linger_ms == BODY_MS


def test_a_body_of_a_day_has_the_hits_of_one_second(tmp_path: Path) -> None:
    at_ms = made(Shape(20_000, 5_000, DAY_STARTS_MS), tmp_path).columns.at_ms.reshape(-1, BODY_HITS)
    assert (at_ms // BODY_MS == at_ms[:, :1] // BODY_MS).all()
    assert (at_ms[:, 1:] >= at_ms[:, :-1]).all()
    assert at_ms.min() >= DAY_STARTS_MS
    assert at_ms.max() < DAY_STARTS_MS + DAY_MS


def test_the_bodies_begin_again_after_the_last(tmp_path: Path) -> None:
    traffic = made(SHAPE, tmp_path)
    count = SHAPE.hits // BODY_HITS
    again = list(islice(framed_bodies(traffic.bodies, first=count - 1), 3))
    assert again[1:] == list(islice(framed_bodies(traffic.bodies), 2))
    assert list(islice(framed_bodies(traffic.bodies, first=2 * count), 1)) == again[1:2]


def test_the_judged_sections_have_about_their_shares_of_the_hits(tmp_path: Path) -> None:
    shape = Shape(400_000, 100_000)
    recount = Recount(made(shape, tmp_path).columns, shape.hits)
    for place, share in enumerate(JUDGED_SHARES):
        found = [recount.share_of_hits(Question(brand, FIRST_SECTION + place)) for brand in BRANDS]
        assert sum(found) / len(found) == pytest.approx(share, rel=0.35)


def test_every_way_to_read_a_body_finds_the_same_hits(tmp_path: Path) -> None:
    for shape in (SHAPE, Shape(20_000, 5_000, DAY_STARTS_MS)):
        bodies = list(islice(framed_bodies(made(shape, tmp_path).bodies), 20))
        now_ms = DAY_STARTS_MS + 86_400_000
        sums = {(hit, at): n for at, counts in by_window(bodies, now_ms=now_ms).items() for hit, n in counts.items()}
        assert sums == Counter(upserts_of(bodies, now_ms=now_ms))
        lines = [msgspec.json.decode(line) for line in lines_of(bodies, at_ms=now_ms).splitlines()]
        assert len(lines) == 20 * BODY_HITS
        assert Counter(line["assetId"] for line in lines) == Counter(
            hit.assetId for hit, _ in upserts_of(bodies, now_ms=0)
        )
        assert all(line["at"] for line in lines)


def test_an_asset_is_named_by_its_place(tmp_path: Path) -> None:
    traffic = made(SHAPE, tmp_path)
    first = msgspec.json.decode(next(framed_bodies(traffic.bodies)))[0]
    assert first["assetId"] == FIRST_ASSET + int(traffic.columns.asset[0])
