"""Tiles become one picture, however tall it is."""

from io import BytesIO
from random import Random

import pytest
from PIL import Image

from footfall.archive.picture_file import png_of
from footfall.archive.picture_rows import Picture
from footfall.ports.errors import Corrupt
from tests.archive.captured_pages import tiles_of, webp


def test_a_picture_taller_than_any_webp_is_one_file_with_every_pixel() -> None:
    noise = Image.frombytes("RGB", (24, 17_000), Random(1).randbytes(24 * 17_000 * 3))
    tiles = tiles_of(noise, height_px=4_000)
    made = png_of(Picture([tile.height_px for _, tile in tiles], lambda number: tiles[number][0]))
    with Image.open(BytesIO(made)) as opened:
        assert (opened.format, opened.size) == ("PNG", noise.size)
        assert opened.tobytes() == noise.tobytes()


def test_tiles_of_different_widths_are_no_picture() -> None:
    tiles = [webp(Image.new("RGB", (width, 5))) for width in (24, 23)]
    with pytest.raises(Corrupt, match="23 pixels wide, the first 24"):
        png_of(Picture([5, 5], tiles.__getitem__))
