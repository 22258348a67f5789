"""A page's head is read for what it says, and nothing that a page holds does more than be left out."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from footfall.catalog.asset import TITLE_BYTES_MAX
from footfall.catalog.page_facts import PageFacts, facts_from_page

ADDRESS = "https://news.example/story?from=mail"


def facts(page: str) -> PageFacts:
    return facts_from_page(page.encode(), address=ADDRESS)


def test_title_image_and_own_address_are_read() -> None:
    page = """<!doctype html><html><head><title>Plain &amp; simple</title>
      <meta property="og:title" content="The  story
      of a day"><meta property="og:image" content="/img/a.jpg"><link rel="Canonical" href="/story"></head>"""
    assert facts(page) == PageFacts(
        "The story of a day", "https://news.example/img/a.jpg", "https://news.example/story"
    )


def test_without_open_graph_the_title_is_the_page_s_own() -> None:
    assert facts("<head><title>Plain &amp; simple</title><title>other</title>").title == "Plain & simple"


def test_what_stands_in_the_body_is_not_believed() -> None:
    page = "<head><title>Head</title></head><body><meta property=og:title content=Comment><title>x</title>"
    assert facts(page) == PageFacts("Head")


@pytest.mark.parametrize(
    "link", ["javascript:alert(1)", "data:text/html,x", "ftp://news.example/", "http://[", "//", ""]
)
def test_a_link_that_is_no_page_is_left_out(link: str) -> None:
    page = f'<meta property="og:image" content="{link}"><link rel=canonical href="{link}">'
    found = facts(page)
    assert found.image in ("", ADDRESS, "https://news.example/story")
    assert not found.image.startswith(("javascript", "data", "ftp"))
    assert found.address in ("", ADDRESS, "https://news.example/story")


def test_another_host_s_address_is_not_taken_for_the_page_s_own() -> None:
    assert facts('<link rel=canonical href="https://elsewhere.example/story">').address == ""


def test_a_title_is_cut_to_its_limit_between_characters() -> None:
    title = facts(f"<title>{'ä' * TITLE_BYTES_MAX}</title>").title
    assert title == "ä" * (TITLE_BYTES_MAX // 2)


def test_other_character_sets_are_read_and_unknown_ones_survived() -> None:
    page = "<title>Päivä</title>"
    assert facts_from_page(page.encode("latin-1"), address=ADDRESS, charset="iso-8859-1").title == "Päivä"
    assert facts_from_page(page.encode(), address=ADDRESS, charset="no such set").title == "Päivä"


@given(st.binary(max_size=300) | st.text(alphabet="<>/=\"'!-&; tilemahrcnogbd:", max_size=200).map(str.encode))
def test_whatever_comes_is_read_without_an_error(page: bytes) -> None:
    found = facts_from_page(b"<head><title>" + page, address=ADDRESS)
    assert len(found.title.encode()) <= TITLE_BYTES_MAX
