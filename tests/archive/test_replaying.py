"""Replayed documents: nothing in them acts, and everything they show is asked from the capture."""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from footfall.archive.packing import Recorded
from footfall.archive.replay_addresses import Addresses, link_from
from footfall.archive.replay_resources import CSS, HTML, OTHER, Resources, digest_of, kind_of
from footfall.archive.replaying import Replayed
from footfall.ports.capturing import Frame

PAGE = "https://site.example/dir/page?x=1"


def recorded(url: str, *, status: int = 200, kind: str = "image/png", **headers: str) -> Recorded:
    sent = [("Content-Type", kind), *((name.replace("_", "-"), value) for name, value in headers.items())]
    return Recorded(url, "GET", status, 1, [], sent, b"x")


def place(url: str) -> str:
    return f"/T/r/{digest_of(url)}"


RESOURCES = Resources(
    [
        recorded("https://site.example/dir/a.png"),
        recorded("https://site.example/old.png", status=302, location="/dir/a.png"),
        recorded("https://site.example/loop", status=302, location="/loop"),
        recorded("https://site.example/inner", status=301, location="https://other.example/inner2"),
        recorded("https://site.example/film", status=206, kind="video/mp4", content_range="bytes 500-999/1000"),
        recorded("https://site.example/film", status=206, kind="video/mp4", content_range="bytes 0-499/1000"),
        recorded("https://site.example/film", status=206, kind="video/mp4", content_range="bytes 600-999/1000"),
        recorded("https://site.example/gone", status=404),
    ]
)


def replayed(html: str, *others: Frame) -> str:
    found = Replayed([Frame(PAGE, html), *others], RESOURCES, prefix="/T").document(0)
    assert found is not None
    return found


def test_addresses_lead_to_the_replay_whatever_attribute_they_stand_in() -> None:
    told = replayed(
        "<!doctype html><body background='a.png'><img src='a.png#x' srcset='a.png 1x, missing.png 2x, /old.png 3x'>"
        "<video poster=/p.png><source src=/film></video><svg><image xlink:href='a.png'/><use href='#icon'/></svg>"
        "<picture><source srcset='missing.webp'><img src='//other.example/z.gif'></picture>"
        "<img src='data:image/gif;base64,AA'><img src='blob:https://site.example/1'>"
        "<a href='#part'>1</a><a href='/else'>2</a><a href='?x=1#part'>3</a><a href='mailto:a@b'>4</a>"
    )
    a = place("https://site.example/dir/a.png")
    assert f'<body background="{a}">' in told
    assert f'src="{a}#x" srcset="{a} 1x, {place("https://site.example/old.png")} 3x"' in told
    assert f'poster="{place("https://site.example/p.png")}"' in told
    assert f'href="{a}"' in told
    assert 'href="#icon"' in told
    assert f'src="{place("https://other.example/z.gif")}"' in told
    assert "missing" not in told
    assert 'src="data:image/gif;base64,AA"' in told
    assert "blob:" not in told
    assert told.startswith("<!doctype html><html>")
    links = re.findall(r'<a href="([^"]*)"', told)
    assert [links[0], links[2], links[3]] == ["#part", "#part", "#"]
    assert link_from(links[1].removeprefix("/T/to/")) == "https://site.example/else"


def test_a_base_says_where_addresses_begin_and_is_gone() -> None:
    told = replayed("<head><base href='//other.example/b/' target=_top></head><img src=c.png>")
    assert place("https://other.example/b/c.png") in told
    assert "<base" not in told


def test_frames_show_their_documents_and_redirected_ones_are_recognised() -> None:
    inner, twin = Frame("https://other.example/inner2", "<p>1"), Frame("https://site.example/same", "<p>2")
    told = replayed(
        "<iframe src='/inner#x'></iframe><iframe src='/same'></iframe><iframe src='/same'></iframe>"
        "<iframe src='/unknown' srcdoc='<script>x</script><p onclick=x()>y'></iframe>"
        "<iframe src='javascript:x'></iframe><iframe src='/unknown'></iframe><iframe src='about:srcdoc#1'></iframe>",
        inner, twin, twin, Frame("about:srcdoc#1", "<p>3"),
    )  # fmt: skip
    assert re.findall(r"<iframe([^>]*)>", told) == [
        ' src="/T/f/1"', ' src="/T/f/2"', ' src="/T/f/3"',
        ' srcdoc="&lt;html&gt;&lt;head&gt;&lt;/head&gt;&lt;body&gt;&lt;p&gt;y&lt;/p&gt;&lt;/body&gt;&lt;/html&gt;"', "",
        f' src="{place("https://site.example/unknown")}"', ' src="/T/f/4"',
    ]  # fmt: skip


def test_styles_are_led_to_the_replay_in_attributes_elements_and_sheets() -> None:
    told = replayed(
        "<style>@import 'b.css'; @import url(c.css) print; .a{background:url( \"a.png\" )} .b{background:url(#g)}"
        ".c{background:u\\72l(a.png);content:'<b'}</style>"
        "<p style='background:url(&quot;a.png&quot;)' fill='url(a.png#y)'>"
    )
    a = place("https://site.example/dir/a.png")
    assert f'@import url("{place("https://site.example/dir/b.css")}")' in told
    assert f'.c{{background:url("{a}")' in told
    assert f'@import url("{place("https://site.example/dir/c.css")}") print' in told
    assert 'url("#g")' in told
    assert f'.a{{background:url("{a}")}}' in told
    assert f"style='background:url(\"{a}\")' fill='url(\"{a}#y\")'" in told
    sets = Addresses(RESOURCES, "/T", PAGE).of_styles(
        "b{x:-webkit-image-set('a.png' 1x, url(a.png) 2x type('image/png'))}"
    )
    assert sets == f'b{{x:-webkit-image-set(url("{a}") 1x, url("{a}") 2x type(\'image/png\'))}}'
    sheet = Replayed([], RESOURCES, prefix="/T").styles("x{src:url(../f.woff2)}", url="https://cdn.example/css/a.css")
    assert sheet == f'x{{src:url("{place("https://cdn.example/f.woff2")}")}}'


ACTING = [
    "<script>x()</script>",
    "<script src=//evil></script>",
    "<svg><script>x()</script></svg>",
    "<img src=x onerror=x()>",
    "<body onload=x()>",
    "<a href=' jAvA&#9;script:x()'>",
    "<form action=//evil><button formaction=//evil>b</button></form>",
    "<meta http-equiv=refresh content='0;url=//evil'>",
    "<link rel=preconnect href=//evil>",
    "<link rel=dns-prefetch href=//evil>",
    "<link rel=manifest href=//evil>",
    "<object data=//evil></object>",
    "<embed src=//evil>",
    "<base href=//evil>",
    "<iframe srcdoc='<script>x()</script>'></iframe>",
    "<svg><a><animate attributeName=href to=javascript:x() /></a></svg>",
    "<svg><set attributeName=onload to=x() /></svg>",
    "<noscript><p title='</noscript><img src=x onerror=x()>'></noscript>",
    "<math><mtext><table><mglyph><style><img src=x onerror=x()>",
    "<svg></p><style><a id='</style><img src=x onerror=x()>'>",
    "<a ping=//evil href=/x>",
    "<input autofocus onfocus=x()>",
    "<details open ontoggle=x()>",
    "<video autoplay onplay=x()>",
    "<template><script>x()</script></template>",
    "<!--[if IE]><script>x()</script><![endif]-->",
    "<?xml-stylesheet href=//evil?>",
]


@pytest.mark.parametrize("html", ACTING)
def test_whatever_could_act_is_gone(html: str) -> None:
    told = replayed(f"<p>before</p>{html}<p>after</p>")
    assert "before" in told
    assert not re.search(r"<script|<base|<embed|<object|<noscript|http-equiv|//evil|javascript:", told.lower())
    # What looks like a handler inside a quoted attribute is a text; outside of quotes no element has one.
    assert not re.search(r"<[a-z][^<>]*\son\w+\s*=", re.sub(r'"[^"]*"', '""', told), re.IGNORECASE)


def test_the_text_behind_something_that_is_gone_stays() -> None:
    assert "<p>abcd</p>" in replayed("<p>a<script>1</script>b<script>2</script>c<!-- x -->d</p>")
    assert "<p><b>x</b>yz</p>" in replayed("<p><b>x</b>y<noscript>n</noscript>z</p>")


def test_documents_and_styles_made_to_take_long_do_not() -> None:
    # Each took from minutes to hours where it cost the square of its length.
    addresses = Addresses(RESOURCES, "/T", PAGE)
    assert addresses.of_set("a" + "," * 500_000) == ""
    assert addresses.of_set("a.png 1x, ," + " " * 500_000) == f"{place('https://site.example/dir/a.png')} 1x"
    for begin in ("url(", "@import", "@import '", "image-set(", "image-set(a("):
        addresses.of_styles(begin + " " * 500_000)
        addresses.of_styles(begin * 50_000)
    told = replayed("<p " + " ".join(f"a{number}=1" for number in range(3_000)) + ">x</p>" + "<div>" * 50_000)
    assert "<p>x</p>" in told


def test_a_resource_is_the_last_good_answer_and_a_redirect_ends_somewhere() -> None:
    found = RESOURCES.find("https://site.example/film")
    assert found is not None
    assert found.recorded.response_headers[1][1] == "bytes 0-499/1000"
    assert RESOURCES.find("https://site.example/loop") is None
    assert RESOURCES.find("https://site.example/gone") is None
    moved = RESOURCES.by_digest(digest_of("https://site.example/old.png"))
    assert moved is not None
    assert moved.url == "https://site.example/dir/a.png"


def test_kinds_are_those_that_a_page_shows_and_everything_else_is_bytes() -> None:
    kinds = {
        ("text/html; charset=latin1", b""): HTML,
        ("text/css", b""): CSS,
        ("image/svg+xml", b""): "image/svg+xml",
        ("text/plain", b"\x89PNG\r\n\x1a\n"): "image/png",
        ("", b"RIFF\x00\x00\x00\x00WEBP"): "image/webp",
        ("application/x-font-woff", b""): "font/woff",
        ("text/javascript", b"alert(1)"): OTHER,
        ("application/json", b"{}"): OTHER,
        ("image/x\r\nX-Evil: 1", b""): OTHER,
    }
    for (said, begin), kind in kinds.items():
        assert kind_of(recorded("https://a/", kind=said), begin) == kind


@given(st.text())
def test_any_text_can_be_a_document_a_style_sheet_or_a_set_of_pictures(text: str) -> None:
    replayed(text)
    addresses = Addresses(RESOURCES, "/T", PAGE)
    assert not re.search(r"url\(\"?https?:", addresses.of_styles(text), re.IGNORECASE)
    addresses.of_set(text)
    addresses.of_link(text)
