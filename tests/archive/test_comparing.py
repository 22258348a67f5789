"""What changed between two captures is told as what was done: a band put in is a band put in."""

from io import BytesIO
from random import Random

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from PIL import Image

from footfall.archive.comparing import (
    ALIGNED_MAX,
    Band,
    Box,
    Kind,
    PictureDifference,
    TextDifference,
    picture_difference,
    text_difference,
)
from footfall.archive.picture_rows import Picture
from footfall.ports.errors import Corrupt
from tests.archive.captured_pages import tiles_of

WIDTH = 320


def page(height: int, *, seed: int = 7) -> np.ndarray:
    """Return a page of lines with white between them, as pages are."""
    chance = np.random.default_rng(seed)
    pixels = np.full((height, WIDTH, 3), 255, np.uint8)
    for top in range(10, height - 30, 30):
        ink = chance.random((12, WIDTH - 80)) < 0.3
        pixels[top : top + 12, 40:-40][ink] = (20, 20, 60)
    return pixels


def picture(pixels: np.ndarray, *, tile_px: int = 1_000) -> Picture:
    tiles = tiles_of(Image.fromarray(pixels), height_px=tile_px)
    return Picture([kept.height_px for _, kept in tiles], lambda number: tiles[number][0])


def lossy_picture(pixels: np.ndarray, *, tile_px: int = 1_000) -> Picture:
    image = Image.fromarray(pixels)
    heights = [min(tile_px, image.height - top) for top in range(0, image.height, tile_px)]

    def read(number: int) -> bytes:
        out = BytesIO()
        top = number * tile_px
        image.crop((0, top, image.width, top + heights[number])).save(out, "WEBP", quality=80, method=2)
        return out.getvalue()

    return Picture(heights, read)


def changes(difference: PictureDifference) -> list[Band]:
    return [band for band in difference.bands if band.kind is not Kind.SAME]


def test_an_inserted_band_of_120_rows_is_told_as_exactly_that() -> None:
    before = page(9_000)
    after = np.concatenate([before[:4_000], page(120, seed=9), before[4_000:]])
    found = picture_difference(picture(before), picture(after))
    (band,) = changes(found)
    assert (band.kind, band.before_px, band.after_px) == (Kind.ADDED, 0, 120)
    # Where white stands at both ends, a band may be told as put in some white rows earlier; what it holds is the same.
    moved = np.concatenate([after[: band.after_top], after[band.after_top + 120 :]])
    assert (moved == before).all()
    assert (found.added_px, found.removed_px, found.changed_px, found.boxes, found.is_exact) == (120, 0, 0, [], True)
    gone = picture_difference(picture(after), picture(before))
    assert [(band.kind, band.before_px) for band in changes(gone)] == [(Kind.REMOVED, 120)]


def test_an_inserted_band_is_told_among_photographs_that_were_kept_with_losses() -> None:
    chance = np.random.default_rng(3)
    coarse = chance.integers(0, 255, (100, 40, 3), np.uint8)
    before = np.asarray(Image.fromarray(coarse).resize((1_280, 3_000), Image.Resampling.BICUBIC))
    after = np.concatenate([before[:2_000], np.full((120, 1_280, 3), (200, 30, 30), np.uint8), before[2_000:]])
    found = picture_difference(lossy_picture(before), lossy_picture(after))
    assert abs(found.added_px - 120) <= 8
    assert found.removed_px <= 8
    assert found.changed_px <= 8


def test_changed_pixels_are_boxes_where_they_are_and_a_band_below_them_stays_aligned() -> None:
    before = page(3_000)
    after = before.copy()
    after[1_210:1_225, 100:150] = (255, 0, 0)
    after[1_212:1_220, 250:260] = (0, 0, 255)
    after = np.concatenate([after[:2_000], page(60, seed=5), after[2_000:]])
    found = picture_difference(picture(before), picture(after))
    assert found.boxes == [Box(100, 1_210, 50, 15, 1_210), Box(250, 1_212, 10, 8, 1_212)]
    assert [(band.kind, band.after_px) for band in changes(found)] == [(Kind.CHANGED, 15), (Kind.ADDED, 60)]


def test_a_margin_that_grew_is_rows_added() -> None:
    before = page(600)
    after = np.concatenate([before[:25], np.full((7, WIDTH, 3), 255, np.uint8), before[25:]])
    (band,) = changes(picture_difference(picture(before), picture(after)))
    assert (band.kind, band.before_px, band.after_px) == (Kind.ADDED, 0, 7)


def test_equal_pictures_differ_in_nothing_however_they_are_cut() -> None:
    pixels = page(2_500)
    found = picture_difference(picture(pixels, tile_px=1_000), picture(pixels, tile_px=777))
    assert [band.kind for band in found.bands] == [Kind.SAME]
    assert picture_difference(Picture([], lambda _: b""), picture(pixels)).added_px == 2_500


def test_a_page_of_repeated_rows_is_told_as_one_change_instead_of_laying_each_beside_each() -> None:
    stripes = np.zeros((20_000, 40, 3), np.uint8)
    stripes[::2] = 255
    other = stripes.copy()
    other[::7] = 100
    found = picture_difference(picture(stripes, tile_px=4_000), picture(other, tile_px=4_000))
    assert not found.is_exact


def test_what_is_no_tile_is_told() -> None:
    with pytest.raises(Corrupt, match="no picture"):
        picture_difference(Picture([10], lambda _: b"nonsense"), Picture([], lambda _: b""))
    tile = tiles_of(Image.new("RGB", (4, 9)), height_px=9)[0][0]
    with pytest.raises(Corrupt, match="not 10 high"):
        picture_difference(Picture([10], lambda _: tile), Picture([], lambda _: b""))


def told(difference: TextDifference) -> list[tuple[str, list[str], list[str]]]:
    return [(part.kind.value, list(part.before), list(part.after)) for part in difference.parts]


def test_texts_are_compared_by_sentence() -> None:
    found = text_difference("One here. Two there.\nThree.", "One here. Two was there. Three.\nFour.")
    assert told(found) == [
        ("same", ["One here."], ["One here."]),
        ("changed", ["Two there."], ["Two was there."]),
        ("same", ["Three."], ["Three."]),
        ("added", [], ["Four."]),
    ]
    assert (found.added, found.removed, found.is_exact) == (2, 1, True)


@given(st.lists(st.sampled_from(["a.", "b.", "c.", "d."])), st.lists(st.sampled_from(["a.", "b.", "c.", "e."])))
def test_the_parts_of_a_difference_are_both_texts(before: list[str], after: list[str]) -> None:
    found = text_difference("\n".join(before), "\n".join(after))
    assert [line for part in found.parts for line in part.before] == before
    assert [line for part in found.parts for line in part.after] == after
    assert all(part.before == part.after for part in found.parts if part.kind is Kind.SAME)


def test_a_text_that_is_too_long_is_told_as_one_change_between_what_is_equal() -> None:
    chance = Random(5)
    lines = [str(chance.random()) for _ in range(ALIGNED_MAX + 5)]
    found = text_difference("same.\n" + "\n".join(lines) + "\nend.", "same.\n" + "\n".join(reversed(lines)) + "\nend.")
    assert [part.kind for part in found.parts] == [Kind.SAME, Kind.CHANGED, Kind.SAME]
    assert not found.is_exact
