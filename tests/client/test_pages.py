"""What counts as a page view, and what of it leaves the application."""

from dataclasses import replace
from typing import Any

import pytest

from footfall.client import Page
from footfall.client.pages import AGENT_BYTES_MAX, Rules, View, count_page, is_page_view
from footfall.values import hit as of_server
from footfall.values.hit import require_text

BROWSER = "Mozilla/5.0 (X11; Linux x86_64; rv:131.0) Gecko/20100101 Firefox/131.0"
SEEN = View(
    "GET",
    "https://news.example/story?token=secret",
    {"user-agent": BROWSER, "sec-fetch-dest": "document", "referer": "https://ann:pw@news.example/?q=private"},
    200,
    {"content-type": "text/html; charset=utf-8"},
)


class Book:
    """Writes down what a middleware hands over."""

    def __init__(self) -> None:
        self.hits: list[dict[str, Any]] = []

    def hit(self, asset: str | int, **more: Any) -> None:
        self.hits.append({"asset": asset, **{name: value for name, value in more.items() if value}})


def counted(view: View, page: Page | None = None, rules: Rules | None = None) -> list[dict[str, Any]]:
    book = Book()
    count_page(book, lambda: view, page_of=lambda: page, rules=rules or Rules())
    return book.hits


def with_headers(**more: str) -> View:
    return replace(SEEN, asked={**SEEN.asked, **{name.replace("_", "-"): value for name, value in more.items()}})


def test_a_page_counts_under_its_address_without_what_may_be_private() -> None:
    address = "https://news.example/story"
    assert counted(SEEN) == [{"asset": address, "url": address, "referrer": "https://news.example/", "agent": BROWSER}]


@pytest.mark.parametrize(
    "view",
    [
        replace(SEEN, method="HEAD"),
        replace(SEEN, method="POST"),
        replace(SEEN, status=404),
        replace(SEEN, status=304),
        replace(SEEN, answered={"content-type": "application/json"}),
        replace(SEEN, answered={}),
        replace(SEEN, answered={**SEEN.answered, "footfall-count": "no"}),
        replace(SEEN, address="https://news.example/static/page.html"),
        with_headers(sec_purpose="prefetch;prerender"),
        with_headers(purpose="prefetch"),
        with_headers(sec_fetch_dest="empty"),
        with_headers(user_agent=""),
        with_headers(user_agent="Mozilla/5.0 (compatible; Examplebot/2.1; +http://bot.example/)"),
        with_headers(user_agent="curl/8.5.0"),
    ],
)
def test_what_nobody_looks_at_is_not_counted(view: View) -> None:
    assert counted(view) == []


@pytest.mark.parametrize(
    "agent",
    [
        BROWSER,
        "Mozilla/5.0 (Linux; Android 10; CUBOT X30) AppleWebKit/537.36 Chrome/120.0 Mobile Safari/537.36",
        "Mozilla/5.0 (iPhone; CPU iPhone OS 17_0 like Mac OS X) AppleWebKit/605.1.15 Version/17.0 Safari/604.1",
    ],
)
def test_a_browser_is_no_program(agent: str) -> None:
    assert is_page_view(with_headers(user_agent=agent), Rules())


def test_an_old_browser_says_less_and_counts_too() -> None:
    assert counted(replace(SEEN, asked={"user-agent": BROWSER}))


def test_the_application_describes_its_page() -> None:
    page = Page(asset=42, section=563, type="article", paid="free", visitor="m-7")
    (hit,) = counted(SEEN, page)
    assert (hit["asset"], hit["section"], hit["type"], hit["paid"]) == (42, 563, "article", "free")
    assert hit["visitor"] == "m-7"


def test_the_responses_headers_describe_the_page() -> None:
    described = {"footfall-asset": "42", "footfall-section": "563", "footfall-type": "article"}
    (hit,) = counted(replace(SEEN, answered={**SEEN.answered, **described}))
    assert (hit["asset"], hit["section"], hit["type"]) == ("42", "563", "article")


def test_a_page_may_ask_not_to_be_counted() -> None:
    assert counted(SEEN, Page(is_counted=False)) == []


@pytest.mark.parametrize("name", ["sec_gpc", "dnt"])
def test_who_asks_not_to_be_followed_is_counted_without_a_visitor(name: str) -> None:
    (hit,) = counted(with_headers(**{name: "1"}), Page(asset="a", visitor="m-7"))
    assert "visitor" not in hit


def test_the_readers_address_is_not_handed_over_and_the_agent_only_where_it_is_wanted() -> None:
    view = with_headers(x_forwarded_for="198.51.100.1")
    (hit,) = counted(view, Page(asset="a"))
    assert set(hit) == {"asset", "url", "referrer", "agent"}
    (hit,) = counted(view, Page(asset="a"), Rules(sends_agent=False))
    assert set(hit) == {"asset", "url", "referrer"}


@pytest.mark.parametrize(
    "agent", ["Mozilla/5.0 (X11)\t\x00\x7f", "Mozilla/5.0 " + "x" * 3_000, "Mozilla/5.0 \udc80", "Möz " * 400]
)
def test_an_odd_agent_is_handed_over_as_the_server_takes_it(agent: str) -> None:
    (hit,) = counted(with_headers(user_agent=agent))
    assert require_text("agent", hit["agent"], bytes_max=AGENT_BYTES_MAX)


def test_the_server_takes_agents_as_long_as_we_send() -> None:
    assert AGENT_BYTES_MAX <= of_server.AGENT_BYTES_MAX


def test_what_fails_while_counting_never_reaches_the_application(caplog: pytest.LogCaptureFixture) -> None:
    def fail() -> Page:
        raise RuntimeError("the application's own")

    count_page(Book(), lambda: SEEN, page_of=fail, rules=Rules())
    assert caplog.messages == ["a page view could not be counted"]
