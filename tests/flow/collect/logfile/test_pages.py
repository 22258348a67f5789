"""Which asset a path stands for: one text per page, however it was asked for, and ids and labels from expressions."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from footfall.flow.collect.logfile.line import NotUnderstood
from footfall.flow.collect.logfile.pages import PageRules, Pages, asset_pattern, canonical_path
from footfall.flow.collect.page_address import asset_from_address
from footfall.values.errors import Refused


def page(request: str, rules: PageRules | None = None, host: bytes = b"") -> tuple[str, tuple[str, ...], str]:
    return Pages(rules or PageRules())[request.encode("latin-1"), host]


@pytest.mark.parametrize(
    ("path", "asset"),
    [
        ("/", "/"),
        ("//", "/"),
        ("/news/", "/news"),
        ("/news//one", "/news/one"),
        ("/news?page=2", "/news"),
        ("/news#top", "/news"),
        ("/news;v=1", "/news;v=1"),
        ("/%6Eews", "/news"),
        ("/a%2fb", "/a%2Fb"),
        ("/a%3Fb%23c%25d", "/a%3Fb%23c%25d"),
        ("/caf%C3%A9", "/café"),
        ("/caf\\xc3\\xa9", "/café"),
        ("/caf%E9", "/caf%E9"),
        ("/a%00b%0Ac", "/a%00b%0Ac"),
        ("/a%zz%", "/a%zz%"),
        ("/a b", "/a b"),
        ("http://www.example.com/news/one?x", "/news/one"),
        ("http://www.example.com", "/"),
        ("/index.html", "/index.html"),
        ("/report.pdf", "/report.pdf"),
    ],
)
def test_a_path_is_one_asset_however_it_is_written(path: str, asset: str) -> None:
    reason, key, _ = page(f"GET {path} HTTP/1.1")
    assert (reason, key) == ("", (asset, "", "", ""))


@given(st.binary(max_size=60))
def test_the_text_of_a_path_stands_for_itself(raw: bytes) -> None:
    once = canonical_path(b"/" + raw)
    assert once.isprintable()
    assert once == "/" or not once.endswith("/")


@pytest.mark.parametrize(
    "path",
    [
        "/a.css",
        "/A.JS?v=1",
        "/favicon.ico",
        "/robots.txt",
        "/sitemap.xml",
        "/.well-known/x",
        "/wp-content/u/a",
        "/i.PNG",
    ],
)
def test_files_that_pages_are_made_of_are_static(path: str) -> None:
    assert page(f"GET {path} HTTP/1.1")[0] == "static"
    assert page(f"GET {path} HTTP/1.1", PageRules(counts_static=True))[0] == ""


@pytest.mark.parametrize(
    "path", ["/css", "/v1.js/page", "/a.b/c", "/2.0", "/node.js/", "/story.html", "/x.php?f=a.png"]
)
def test_a_page_whose_path_only_looks_like_a_file_is_no_file(path: str) -> None:
    # A last slash belongs to a folder of that name, which no server sends as a file.
    assert page(f"GET {path} HTTP/1.1")[0] == ""


def test_an_expression_picks_asset_and_labels_and_leaves_other_paths_out() -> None:
    rules = PageRules(asset=asset_pattern(r"^/(?P<section>[^/]+)/(?P<type>article|video)/[^/]*?(?P<asset>\d+)$"))
    assert page("GET /sport/article/a-goal-1321/?x=1 HTTP/1.1", rules)[:2] == ("", ("1321", "sport", "article", ""))
    assert page("GET / HTTP/1.1", rules)[0] == "no-asset"
    assert page("GET /sport HTTP/1.1", rules)[0] == "no-asset"


def test_a_group_that_matched_nothing_is_no_asset_and_an_empty_label() -> None:
    rules = PageRules(asset=asset_pattern(r"^/(?P<section>s\d)?/?(?P<asset>\d*)"))
    assert page("GET /17 HTTP/1.1", rules)[1] == ("17", "", "", "")
    assert page("GET /s1 HTTP/1.1", rules)[0] == "no-asset"


@pytest.mark.parametrize("text", ["(", r"(?P<id>\d+)", r"(\d+)", r"(?P<asset>a)(?P<brand>b)"])
def test_an_expression_that_cannot_pick_an_asset_is_refused(text: str) -> None:
    with pytest.raises(Refused, match="asset"):
        asset_pattern(text)


def test_an_expression_picks_ids_from_the_query_where_the_path_has_none() -> None:
    rules = PageRules(asset=asset_pattern(r"[?&]p=(?P<asset>\d+)"))
    assert page("GET /?x=1&p=17&utm_source=y HTTP/1.1", rules)[1] == ("17", "", "", "")
    assert page("GET /p=17 HTTP/1.1", rules)[0] == "no-asset"
    rules = PageRules(asset=asset_pattern(r"^/story(?:\?id=(?P<asset>\d+))?"))
    assert page("GET /story?id=5 HTTP/1.1", rules)[1] == ("5", "", "", "")
    assert page("GET /story HTTP/1.1", rules)[0] == "no-asset"
    rules = PageRules(asset=asset_pattern(r"(?P<asset>\d+)$"))
    assert page("GET /story-5?page=2 HTTP/1.1", rules)[1] == ("5", "", "", "")


@pytest.mark.parametrize(
    ("target", "kept"),
    [
        ("/caf%C3%A9/?utm_medium=1", "/caf%C3%A9/"),
        ("/story?id=5&utm_source=x", "/story?id=5"),
        ("/story?fbclid=1&id=5", "/story?id=5"),
        ("/story?", "/story"),
        ("/story?id=5#top", "/story?id=5"),
    ],
)
def test_with_an_origin_the_asset_is_the_address_as_the_tracker_sends_it(target: str, kept: str) -> None:
    rules = PageRules(origin="https://www.example.com")
    whole = "https://www.example.com" + kept
    assert page(f"GET {target} HTTP/1.1", rules) == ("", (whole, "", "", ""), whole)
    assert asset_from_address("https://www.example.com" + target) == whole


def test_with_an_origin_a_long_address_has_the_id_that_the_tracker_makes_of_it() -> None:
    target = "/" + "a" * 400
    _, key, _ = page(f"GET {target} HTTP/1.1", PageRules(origin="https://www.example.com"))
    assert key[0] == asset_from_address("https://www.example.com" + target)


def test_what_is_too_long_to_be_stored_is_left_out() -> None:
    assert page(f"GET /{'a' * 255} HTTP/1.1")[0] == ""
    assert page(f"GET /{'a' * 256} HTTP/1.1")[0] == "too-long"
    rules = PageRules(asset=asset_pattern(r"^/(?P<section>a+)/(?P<asset>\d+)"))
    assert page(f"GET /{'a' * 65}/1 HTTP/1.1", rules)[0] == "too-long"
    rules = PageRules(asset=asset_pattern(r"[?&]p=(?P<asset>\d+)"))
    assert page(f"GET /a?p=1&{'b' * 3_000} HTTP/1.1", rules)[1:] == (("1", "", "", ""), "")


@pytest.mark.parametrize("request_line", ["-", "", "\x16\x03\x01", "get / HTTP/1.1", "GET", '\\"'])
def test_a_request_that_is_none_is_not_understood(request_line: str) -> None:
    with pytest.raises(NotUnderstood, match="not one of HTTP"):
        page(request_line)


def test_the_query_is_kept_only_where_it_says_which_asset_it_was() -> None:
    request = "GET /story-5?email=someone@example.com&p=7 HTTP/1.1"
    assert page(request)[2] == "/story-5"
    assert page(request, PageRules(asset=asset_pattern(r"-(?P<asset>\d+)$")))[2] == "/story-5"
    by_query = PageRules(asset=asset_pattern(r"&p=(?P<asset>\d+)"))
    assert page(request, by_query)[1:] == (("7", "", "", ""), "/story-5?email=someone@example.com&p=7")
