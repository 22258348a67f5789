"""The picture says what the points say: how much, by bars that are as long as that, and who stands where."""

from xml.etree import ElementTree

import msgspec
import pytest

from bench.compare.drawing import BAR, COLOURS, GAP, LISTS, NAMES, OURS, PANEL, RATES, WIDTH, drawing
from bench.compare.peers import FOOTFALL_KEYED
from bench.compare.points import Point
from bench.compare.standing import Standing
from tests.bench.compare.made_points import POINTS, SPOILT, killed

SVG = "{http://www.w3.org/2000/svg}"


def test_the_picture_is_well_formed_and_has_everybody_who_came_to_something() -> None:
    root = ElementTree.fromstring(drawing(POINTS))
    texts = [text.text for text in root.iter(f"{SVG}text")]
    assert {"footfall", "Python dictionary", "DuckDB", "PostgreSQL, summed first"} <= set(texts)
    assert "Apache Flink SQL" not in texts


def test_bars_of_rates_are_as_long_as_what_they_stand_for_and_those_of_lists_say_that_they_are_not() -> None:
    root = ElementTree.fromstring(drawing(POINTS))
    lengths = [float(rect.get("width", "")) for rect in root.iter(f"{SVG}rect") if rect.get("height") == str(BAR)]
    rates, lists = lengths[:4], lengths[4:]
    assert [round(one / rates[0], 2) for one in rates] == [1.0, 0.62, 0.5, 0.04]  # CPU seconds: 1, 1.6, 2 and 25
    assert lists[0] < 10 * lists[2]  # 20 ms and 0.1 ms
    panels = [text.text or "" for text in root.iter(f"{SVG}text") if "is better" in (text.text or "")]
    assert ["logarithmic" in panel for panel in panels] == [False, True]
    assert "0" in [text.text for text in root.iter(f"{SVG}text")]


def test_the_titles_of_the_pictures_panels_have_room() -> None:
    titles = {RATES: NAMES + PANEL + GAP, LISTS: WIDTH}
    for text in ElementTree.fromstring(drawing(POINTS)).iter(f"{SVG}text"):
        if (bound := titles.pop(text.text or "", None)) is not None:
            assert (
                float(text.get("x", "")) + 6 * len(text.text or "") <= bound
            )  # Half of their size is a letter's width.
    assert titles == {}


def test_a_footfall_that_is_sent_keys_has_our_colour() -> None:
    keyed = msgspec.structs.replace(POINTS[0], peer=FOOTFALL_KEYED, cpu_s={"front": 1.5})
    assert [_fills(points).count(OURS) for points in (POINTS, [*POINTS, keyed])] == [2, 4]


def _fills(points: list[Point]) -> list[str | None]:
    rects = ElementTree.fromstring(drawing(points)).iter(f"{SVG}rect")
    return [rect.get("fill") for rect in rects][1:-5]  # without the ground and the legend


@pytest.mark.parametrize("spoilt", SPOILT)
def test_the_picture_colours_who_was_spoilt_by_a_kill_as_that(spoilt: Point) -> None:
    exact, lost, volatile, wrong = COLOURS.values()
    kept = [*POINTS[:4], *(killed(peer) for peer in ("footfall", "dictionary", "duckdb"))]
    assert _fills([*kept, killed("postgres")]) == 2 * [volatile, wrong, OURS, exact]
    assert _fills([*kept, spoilt]) == 2 * [volatile, wrong, OURS, lost]
    assert _fills([*kept, killed("footfall", lost=1)])[2] == COLOURS[Standing.SPOILT]
