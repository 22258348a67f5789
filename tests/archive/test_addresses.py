"""What is typed becomes what a browser would open, and pages that are the same have one key."""

import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from footfall.archive.addresses import UnfitAddress, address_from, require_reachable, same_page_key
from footfall.values.public_addresses import Policy


@pytest.mark.parametrize(
    ("typed", "url"),
    [
        ("https://News.Example/Story", "https://news.example/Story"),
        ("  HTTP://NEWS.example:80  ", "http://news.example/"),
        ("https://news.example.:443/a/../b", "https://news.example/b"),
        ("https://news.example:8443/", "https://news.example:8443/"),
        ("https://news.example/a#part", "https://news.example/a"),
        ("https://news.example/#!/story/1", "https://news.example/#!/story/1"),
        ("https://news.example/#/story/1", "https://news.example/#/story/1"),
        ("https://bücher.example/é?q=ü", "https://xn--bcher-kva.example/%C3%A9?q=%C3%BC"),
        ("https://news.example/?b=2&utm_source=x&a=1&fbclid=y", "https://news.example/?b=2&a=1"),
        ("https://news.example/?utm_source=x&GCLID=1", "https://news.example/"),
        ("https://news.example/a b?c d", "https://news.example/a%20b?c%20d"),
        ("http:news.example", "http://news.example/"),
        ("http://127.1/", "http://127.0.0.1/"),
        ("http://0x7f.1/", "http://127.0.0.1/"),
        ("http://2130706433/", "http://127.0.0.1/"),
        ("http://①②⑦.⓪.⓪.①/", "http://127.0.0.1/"),
        ("http://[0:0::1]:8080/", "http://[::1]:8080/"),
    ],
)
def test_an_address_is_written_as_a_browser_writes_it(typed: str, url: str) -> None:
    address = address_from(typed)
    assert (address.typed, address.url, address.has_scheme) == (typed, url, True)
    assert address.candidates == (url,)


@pytest.mark.parametrize(
    ("typed", "url"),
    [
        ("news.example", "news.example/"),
        ("News.example:8080/a?b", "news.example:8080/a?b"),
        ("localhost:8080", "localhost:8080/"),
        ("//news.example/a", "news.example/a"),
        ("news.example:443/a", "news.example/a"),
        ("news.example:80/a", "news.example/a"),
        ("news.example/a:b", "news.example/a:b"),
        ("[::1]:8080/x", "[::1]:8080/x"),
    ],
)
def test_an_address_without_a_scheme_has_two_candidates(typed: str, url: str) -> None:
    address = address_from(typed)
    assert (address.url, address.has_scheme) == (url, False)
    assert address.candidates == (f"https://{url}", f"http://{url}")


@pytest.mark.parametrize(
    ("typed", "says"),
    [
        ("", "is empty"),
        ("   ", "is empty"),
        ("https://", "could open"),
        ("https://user@news.example/", "password"),
        ("https://user:secret@news.example/", "password"),
        ("user@news.example", "password"),
        ("https://news.example\\@127.0.0.1/", "backslash"),
        ("https:\\\\news.example/", "backslash"),
        ("https://news.example/\x00", "control"),
        ("https://news.ex\nample/", "control"),
        ("java\tscript:alert(1)", "control"),
        ("https://a..example/", "no host"),
        ("https://news.example:99999/", "could open"),
        ("https://news example/", "could open"),
        ("https://[::1/", "could open"),
        ("https://news.example/" + "a" * 2_000, "2000"),
        ("https://" + "a" * 9_000, "2000"),
        ("file:///etc/passwd", "file:"),
        ("chrome://version", "chrome:"),
        ("devtools://devtools/bundled/inspector.html", "devtools:"),
        ("view-source:https://news.example/", "view-source:"),
        ("about:blank", "about:"),
        ("data:text/html,x", "data:"),
        ("blob:https://news.example/1", "blob:"),
        ("javascript:alert(1)", "javascript:"),
        ("ftp://news.example/", "ftp:"),
        ("filesystem:https://news.example/x", "filesystem:"),
        ("chrome-extension://abc/x.html", "chrome-extension:"),
        ("mailto:a@news.example", "mailto:"),
        ("FILE:/etc/passwd", "file:"),
        ("ws://news.example/", "ws:"),
    ],
)
def test_what_is_no_page_s_address_is_refused_with_a_sentence(typed: str, says: str) -> None:
    with pytest.raises(UnfitAddress, match=says):
        address_from(typed)


def test_the_same_page_has_one_key_however_it_is_written() -> None:
    spellings = [
        "https://news.example/a~b?x=1&y=2",
        "http://NEWS.example:80/a%7Eb?y=2&x=1#part",
        "news.example/a%7eb?&x=1&&y=2&utm_campaign=z",
        "https://news.example./c/../a~b?y=%32&x=1",
    ]
    assert {same_page_key(one) for one in spellings} == {"news.example/a~b?x=1&y=2"}


def test_pages_that_differ_have_keys_that_differ() -> None:
    others = ["/", "/a", "/a/", "/A", "/a?x", "/a?x=", "/a?x=1", "/a?x=2", "/a#!b", "/a#/b", "/a%2Fb", "/a/b", "/a%25"]
    assert len({same_page_key(f"https://news.example{one}") for one in others}) == len(others)
    assert same_page_key("https://www.news.example/") != same_page_key("https://news.example/")


def test_an_address_that_could_never_be_visited_is_told_when_it_is_typed() -> None:
    require_reachable(address_from("news.example"), Policy())
    require_reachable(address_from("127.0.0.1:8081"), Policy(frozenset({("127.0.0.1", 8081)})))
    for typed in (
        "http://127.1/",
        "localhost:8080",
        "https://[::ffff:7f00:1]/",
        "intranet/",
        "https://news.example:22/",
    ):
        with pytest.raises(UnfitAddress, match="public web"):
            require_reachable(address_from(typed), Policy())


PIECES = st.text(
    st.characters(codec="utf-8", exclude_categories=("Cc", "Cs", "Zs"), exclude_characters="\\#?&"), max_size=9
)


@given(
    st.sampled_from(["https://", "http://", ""]),
    PIECES,
    st.lists(PIECES, max_size=6),
    st.sampled_from(["", "#!/a%", "#x"]),
)
def test_what_was_made_of_an_address_stays_as_it_is(scheme: str, path: str, query: list[str], fragment: str) -> None:
    address = address_from(f"{scheme}news.example/{path}?{'&'.join(query)}{fragment}")
    again = address_from(address.url)
    assert (again.url, again.key, again.has_scheme) == (address.url, address.key, address.has_scheme)
    assert same_page_key(address.key) == address.key


@given(st.lists(PIECES, max_size=6), st.randoms(use_true_random=False))
def test_the_order_of_a_query_is_no_part_of_the_key(query: list[str], chance: random.Random) -> None:
    shuffled = list(query)
    chance.shuffle(shuffled)
    urls = [f"https://news.example/a?{'&'.join(pieces)}" for pieces in (query, shuffled)]
    assert same_page_key(urls[0]) == same_page_key(urls[1])


@given(st.text(max_size=60))
def test_whatever_is_typed_is_an_address_or_refused(typed: str) -> None:
    try:
        candidates = address_from(typed).candidates
    except UnfitAddress:
        candidates = ()
    assert all(url.startswith(("https://", "http://")) for url in candidates)
