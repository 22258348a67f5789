"""Two captures as the compare route tells them: what is only in one, where pixels differ, and which sentences."""

import io
from collections.abc import Sequence
from pathlib import Path

from PIL import Image

from footfall.adapters.embedded.file_blobs import FileBlobs
from footfall.adapters.embedded.sqlite_table import SqliteTable
from footfall.app.archive_comparing import compared
from footfall.app.archive_control import Archive, Asker
from footfall.archive.word_search import WordSearch
from footfall.values.clock import SetClock
from tests.archive.archive_world import BRAND, World

URL = "https://news.example/"
ANN = Asker(brand=BRAND, id="ann", is_person=True, may=frozenset(), signature="Ann (ann)")
ROW_PX, WIDTH_PX = 100, 1_280


def drawn(colours: Sequence[str], *, box: tuple[int, int, int, int] | None = None) -> bytes:
    """Return a picture of rows in colours that are all different, 800 px in all, as the world's tiles are."""
    picture = Image.new("RGB", (WIDTH_PX, ROW_PX * len(colours)))
    for number, colour in enumerate(colours):
        picture.paste(colour, (0, number * ROW_PX, WIDTH_PX, (number + 1) * ROW_PX))
    if box is not None:
        picture.paste("white", box)
    out = io.BytesIO()
    picture.save(out, "WEBP", lossless=True)
    return out.getvalue()


def test_what_was_put_in_is_a_band_and_what_was_drawn_otherwise_a_box(tmp_path: Path) -> None:
    clock = SetClock(1_790_000_000_000)
    world = World(SqliteTable(":memory:", clock=clock), FileBlobs(tmp_path), clock)
    archive = Archive(world.table, world.blobs, WordSearch(world.table), "words")
    rows = ["#102030", "#203040", "#304050", "#405060", "#506070", "#607080", "#708090", "#8090a0"]
    old = world.kept("ann", URL, "The harbour is shut. Boats wait.", picture=drawn(rows))
    put_in = [*rows[:2], "#e0b020", *rows[2:7]]  # and the last row is gone
    picture = drawn(put_in, box=(64, 520, 264, 560))
    new = world.kept("ann", URL, "The harbour is open. Boats wait.", picture=picture)

    told = compared(archive, ANN, (old.id, new.id))
    assert (told["a"]["id"], told["b"]["id"], told["isSame"]) == (old.id, new.id, False)
    assert told["text"] == [
        {"kind": "removed", "text": "The harbour is shut."},
        {"kind": "added", "text": "The harbour is open."},
        {"kind": "equal", "text": "Boats wait."},
    ]
    bands = told["picture"]["bands"]
    added = [band for band in bands if band["kind"] == "added"]
    assert added == [{"kind": "added", "aTop": 200, "aHeight": 0, "bTop": 200, "bHeight": 100, "boxes": []}]
    assert [band["boxes"] for band in bands if band["kind"] == "changed"] == [[[64, 520, 200, 40]]]
    assert bands[-1]["kind"] == "removed"
    assert sum(band["bHeight"] for band in bands) == sum(band["aHeight"] for band in bands) == 800
    # A row of eight was put in and one taken out, and a box of 200 by 40.
    assert told["picture"]["changedShare"] == round((200 + 200 * 40 / WIDTH_PX) / 800, 4)

    same = compared(archive, ANN, (new.id, new.id))
    assert (same["isSame"], same["picture"]["changedShare"]) == (True, 0.0)
