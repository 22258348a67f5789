"""What a page says, without its menus where it is an article, and all that is seen where it is none."""

from footfall.archive.reading import TITLE_CHARACTERS_MAX, reading_from

ARTICLE = (
    "<html><head><title>Lock closed</title></head><body><nav><a href=/a>Home</a> <a href=/b>Subscribe now</a></nav>"
    "<article><h1>Lock closed</h1>"
    + "".join(
        f"<p>Engineers found {number} cracks in the lock that separates basin {number} from the sea, said the city.</p>"
        for number in range(8)
    )
    + "</article><footer>All rights reserved by nobody</footer></body></html>"
)


def test_an_article_is_read_without_its_menus() -> None:
    found = reading_from(ARTICLE, seen="Home Subscribe now Engineers found", title="Lock closed", url="http://a/")
    assert found.is_article
    assert "Engineers found 3 cracks" in found.text
    assert "Subscribe now" not in found.text


def test_a_page_of_teasers_is_read_as_it_is_seen() -> None:
    teasers = "".join(f"<div><a href=/{number}>Story number {number}</a></div>" for number in range(60))
    seen = "\n".join(f"  Story   number {number} \n" for number in range(60))
    found = reading_from(f"<body>{teasers}</body>", seen=seen, title=" Front\n page ", url="http://a/")
    assert (found.title, found.is_article) == ("Front page", False)
    assert found.text.splitlines()[:2] == ["Story number 0", "Story number 1"]


def test_a_page_without_a_title_has_its_first_line_for_one() -> None:
    assert reading_from("<p>x", seen="\n \nFirst words\nmore", title=" ", url="http://a/").title == "First words"
    assert len(reading_from("", seen="", title="t" * 999, url="http://a/").title) == TITLE_CHARACTERS_MAX


def test_what_no_parser_takes_is_read_as_it_is_seen() -> None:
    for html in ("", "\x00\x01", "<" * 5_000, "<div>" * 20_000, "<?xml version='1.0' encoding='utf-16'?><a/>"):
        assert reading_from(html, seen="What was seen", title="", url="not an address").text == "What was seen"
