"""Two captures beside each other as a document: passages of the text, bands and boxes of real pictures."""

from io import BytesIO
from pathlib import Path

import pytest
from PIL import Image, ImageDraw

from footfall.adapters.embedded.file_blobs import FileBlobs
from footfall.adapters.embedded.fts_search import FtsSearch
from footfall.adapters.embedded.sqlite_table import SqliteTable
from footfall.app.archive_comparing import compared, passages
from footfall.app.archive_control import Archive, Asker
from footfall.values.clock import SetClock
from tests.archive.archive_world import BRAND, World


def picture(*, mark: bool) -> bytes:
    """Return 800 rows that all differ, with or without a mark."""
    image = Image.new("RGB", (1_280, 800), "white")
    draw = ImageDraw.Draw(image)
    for row in range(0, 800, 8):
        draw.line((row, row, 1_000, row), fill=(row % 256, 40, 90), width=3)
    if mark:
        draw.rectangle((100, 300, 299, 339), fill="red")
    out = BytesIO()
    image.save(out, "WEBP", lossless=True)
    return out.getvalue()


@pytest.fixture
def world(tmp_path: Path) -> World:
    clock = SetClock(1_794_753_000_000)
    return World(SqliteTable(":memory:", clock=clock), FileBlobs(tmp_path), clock)


def test_a_mark_and_a_sentence_are_told_where_they_are(world: World) -> None:
    before = world.kept("ann", "https://a.example/", "Weather.\nHarbour open.", picture=picture(mark=False))
    after = world.kept("ann", "https://a.example/", "Weather.\nHarbour closed.", picture=picture(mark=True))
    archive = Archive(world.table, world.blobs, FtsSearch(":memory:"), "full-text")
    asker = Asker(brand=BRAND, id="ann", is_person=True, may=frozenset(), signature="Ann (ann)")
    told = compared(archive, asker, [before.id, after.id])
    assert (told["a"]["id"], told["b"]["id"], told["isSame"]) == (before.id, after.id, False)
    assert [(one["kind"], one["text"]) for one in told["text"]] == [
        ("equal", "Weather."), ("removed", "Harbour open."), ("added", "Harbour closed."),
    ]  # fmt: skip
    changed = [band for band in told["picture"]["bands"] if band["kind"] == "changed"]
    boxes = [box for band in changed for box in band["boxes"]]
    assert min(x for x, *_ in boxes) in range(90, 111)
    assert all(y >= 290 and y + height <= 350 for _, y, _, height in boxes)
    assert 0.03 < told["picture"]["changedShare"] < 0.08
    same = compared(archive, asker, [after.id, after.id])
    assert (same["isSame"], same["picture"]["changedShare"]) == (True, 0.0)
    assert {band["kind"] for band in same["picture"]["bands"]} == {"equal"}


def test_passages_are_what_came_and_what_went() -> None:
    assert passages("One.\nTwo.\nThree.", "One.\nThree.\nFour.") == (["Four."], ["Two."])
