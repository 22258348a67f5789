"""Everything that a person sees who scrolls is in the picture: each image, each band of a tall page, once."""

import urllib.request
from collections.abc import Mapping
from concurrent.futures import ThreadPoolExecutor

import pytest

from footfall.adapters.chromium.chromium_capturing import ChromiumCapturing
from footfall.ports.capturing import TILE_PX_MAX, WIDTH_PX, Captured, Stop, Wanted
from tests.archive_site import Site
from tests.archive_site.images import BAND_PX, HEIGHT_PX, band_colour, column, numbers_in
from tests.archive_site.site import COMPLETE

PHOTOS = 5  # Those that are measured have up to forty.
PAGES = {path: min(count, PHOTOS) for path, count in COMPLETE.items()}
TALL = "/tall?px=30000"
HEADER, BAR, HERO = (0x12, 0x34, 0x56), (0x65, 0x43, 0x21), (0x55, 0x77, 0x55)


@pytest.fixture(scope="module")
def captures(site: Site, capturing: ChromiumCapturing) -> Mapping[str, Captured]:
    """Take all of them, four at a time."""
    wanted = {
        path: Wanted(site.url(f"{path}?n={count}"), hide_banners=path == "/modal") for path, count in PAGES.items()
    }
    wanted[TALL] = Wanted(site.url(TALL))
    wanted["bare"] = Wanted(site.url("/sticky?n=2"), hide_banners=True, hide_sticky=True)
    with ThreadPoolExecutor(4) as threads:
        return dict(zip(wanted, threads.map(capturing.capture, wanted.values()), strict=True))


@pytest.mark.parametrize("path", PAGES)
def test_every_image_that_a_reader_would_scroll_to_is_in_the_picture(
    path: str, captures: Mapping[str, Captured]
) -> None:
    captured = captures[path]
    assert sorted(numbers_in(captured.tiles)) == list(range(PAGES[path]))
    assert captured.stop is Stop.BOTTOM
    assert captured.pending_images == (1 if path == "/hanging" else 0)
    assert sum(tile.height_px for tile in captured.tiles) == captured.height_px
    assert all(tile.width_px == WIDTH_PX and tile.height_px <= TILE_PX_MAX for tile in captured.tiles)


def test_a_plain_get_has_few_of_them(site: Site) -> None:
    site.asked.clear()
    named = 0
    for path, count in PAGES.items():
        with urllib.request.urlopen(site.url(f"{path}?n={count}")) as answer:
            text = answer.read().decode()
        named += 0 if 'loading="lazy"' in text else text.count("<img") - text.count("data-src")
    assert not any("/image/" in asked for asked in site.asked)
    assert named < sum(PAGES.values()) / 3


def test_a_tall_page_has_every_band_at_its_place(captures: Mapping[str, Captured]) -> None:
    captured = captures[TALL]
    assert captured.height_px == 30_000
    colours = column(captured.tiles, WIDTH_PX // 2)
    assert [colours[y] for y in range(0, 30_000, 50)] == [band_colour(y // BAND_PX) for y in range(0, 30_000, 50)]


def test_what_stays_while_one_scrolls_is_there_once(captures: Mapping[str, Captured]) -> None:
    colours = column(captures["/sticky"].tiles, 600)
    assert rows_of(HEADER, colours) == pytest.approx(90, abs=3)
    assert rows_of(HEADER, colours[:90]) > 80
    assert rows_of(BAR, colours) == pytest.approx(120, abs=3)


def test_what_lies_over_a_page_is_hidden_on_request(captures: Mapping[str, Captured]) -> None:
    colours = column(captures["bare"].tiles, 600)
    assert rows_of(BAR, colours) == 0
    assert rows_of(HEADER, colours) == pytest.approx(90, abs=3)
    assert sorted(numbers_in(captures["bare"].tiles)) == [0, 1]


def test_a_first_screen_keeps_its_height(captures: Mapping[str, Captured]) -> None:
    colours = column(captures["/hero"].tiles, 10)
    assert rows_of(HERO, colours) == pytest.approx(800, abs=3)
    assert captures["/hero"].height_px == 800 + PHOTOS * (HEIGHT_PX + 75)


def test_what_a_page_says_of_itself_is_kept(site: Site, captures: Mapping[str, Captured]) -> None:
    captured = captures["/article"]
    assert (captured.title, captured.language, captured.status) == ("The boats came back", "en", 200)
    assert captured.canonical_url == site.url("/article")
    assert captured.text.startswith("The boats came back\n")
    assert captured.frames[0].html.startswith('<!DOCTYPE html><html lang="en"><head>')
    assert 'src="/image/4"' in captures["/shadow"].frames[0].html  # drawn by a component within itself
    framed = [frame.url for frame in captures["/frames"].frames]
    assert framed[1:] == [f"{site.other if n % 2 else site.url('')}/framed/{n}" for n in range(PHOTOS)]


def test_equal_pages_have_equal_pictures_and_others_do_not(
    site: Site, capturing: ChromiumCapturing, captures: Mapping[str, Captured]
) -> None:
    again = capturing.capture(Wanted(site.url("/article?n=3")))
    edited = capturing.capture(Wanted(site.url("/article?n=3&edited=1")))
    assert again.pixels_sha256 == captures["/article"].pixels_sha256
    assert [tile.data for tile in again.tiles] == [tile.data for tile in captures["/article"].tiles]
    assert edited.pixels_sha256 != again.pixels_sha256


def rows_of(colour: tuple[int, int, int], column: list[tuple[int, int, int]]) -> int:
    """Return how many rows have a colour, as well as a picture of photographs keeps it."""
    return sum(all(abs(a - b) <= 12 for a, b in zip(colour, row, strict=True)) for row in column)


@pytest.mark.soak
def test_a_page_above_the_limit_is_cut_there_and_says_so(site: Site, capturing: ChromiumCapturing) -> None:
    captured = capturing.capture(Wanted(site.url("/tall?px=70000")))
    assert (captured.height_px, captured.stop) == (60_000, Stop.HEIGHT)
    colours = column(captured.tiles, WIDTH_PX // 2)
    assert [colours[y] for y in range(0, 60_000, 50)] == [band_colour(y // BAND_PX) for y in range(0, 60_000, 50)]


@pytest.mark.soak
def test_a_list_without_an_end_ends_at_a_limit(site: Site, capturing: ChromiumCapturing) -> None:
    assert capturing.capture(Wanted(site.url("/forever"))).stop in {Stop.TIME, Stop.HEIGHT}
