"""The page of reproduced figures: nothing of the sources is missing, and its pictures can be read."""

from functools import cache
from xml.etree import ElementTree

from footfall.app.price_files import shipped_prices
from footfall.planning.drawn_lines import Axis, Line, Mark, drawn
from footfall.planning.reproduced import Section
from footfall.planning.source_drawings import api_drawing, batch_drawing
from footfall.planning.source_figures import sections
from scripts.source_figures import API, BATCH, DOCS, PAGE, measured, page

SVG = "{http://www.w3.org/2000/svg}"


@cache
def listed() -> list[Section]:
    return sections(shipped_prices(), measured())


def test_the_page_and_its_pictures_are_fresh() -> None:
    files = {PAGE: page(listed()), BATCH: batch_drawing(), API: api_drawing()}
    assert {name: (DOCS / name).read_text(encoding="utf-8") == text for name, text in files.items()} == dict.fromkeys(
        files, True
    )


def test_every_figure_that_the_sources_state_stands_on_the_page() -> None:
    theirs = {one.theirs for section in listed() for one in section.figures}
    assert {
        "$260.85", "about $55", "about $85", "$25", "28,800", "8",
        "$0.00104", "$0.0022246", "$0.0013125", "$0.00001216", "$0.2746", "$27.4626", "$27,497.45", "5", "10",
    } <= theirs  # fmt: skip


def test_every_figure_has_a_reason_and_breaks_no_table() -> None:
    for section in listed():
        assert section.figures
        for one in section.figures:
            cells = (one.what, one.place, one.theirs, one.ours, one.reason)
            assert all(cells)
            assert not any("|" in cell or "\n" in cell for cell in cells)


def test_the_pictures_are_sound_and_show_where_curves_cross() -> None:
    for text, crossing in ((batch_drawing(), "28.6 s"), (api_drawing(), "21.8 M")):
        root = ElementTree.fromstring(text)
        said = ["".join(one.itertext()) for one in root.iter(f"{SVG}text")]
        assert any(crossing in one for one in said)
        assert all(one.get("points") for one in root.iter(f"{SVG}polyline"))


def test_points_beyond_an_axis_are_left_out_and_names_cannot_break_the_picture() -> None:
    text = drawn(
        "a <title>",
        Axis("x", 1, 100, is_log=True),
        Axis("y & z", 0, 10),
        [Line("<b>", [(1, 1), (10, 5), (1_000, 50)])],
        [Mark(10, 5, '"here"')],
    )
    root = ElementTree.fromstring(text)
    (line,) = root.iter(f"{SVG}polyline")
    assert len(line.get("points", "").split()) == 2
    said = ["".join(one.itertext()) for one in root.iter(f"{SVG}text")]
    assert {"a <title>", "y & z", "<b>", '"here"', "1", "10", "100"} <= set(said)
