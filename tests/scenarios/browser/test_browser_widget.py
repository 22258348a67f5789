"""The most-read box on a foreign page in a real Chromium: what it shows, and that the page never suffers from it."""

import itertools
from collections.abc import Generator
from typing import Any, Literal

import pytest
from playwright.sync_api import Browser, Page, Route, expect

from tests.scenarios.browser.foreign import (
    PAINTED,
    ROOM,
    TITLES,
    Foreign,
    Held,
    box,
    moved,
    stories,
    titles,
    told,
    violations,
)
from tests.scenarios.browser.newsroom import SCREENSHOTS
from tests.scenarios.browser.publisher import Publisher
from tests.scenarios.instance import Instance

NUMBERS = itertools.count(1)
POPULAR = "**/v1/popular*"
THEMES: tuple[Literal["light", "dark"], ...] = ("light", "dark")
TEXT = "<p>What the harbour saw on that day is told by those who were there.</p>"
ARTICLE = f"""
<html lang="en"><meta name="viewport" content="width=device-width">
<style>
:root {{ color-scheme: light dark }}
body {{ font: 17px/1.6 Georgia, serif; margin: 2rem auto; max-width: 60rem; padding: 0 1rem; color: #222 }}
.page {{ display: grid; grid-template-columns: 2fr 1fr; gap: 3rem }}
aside {{ font: 16px/1.4 system-ui, sans-serif }}
@media (max-width: 40rem) {{ .page {{ grid-template-columns: 1fr }} }}
@media (prefers-color-scheme: dark) {{ body {{ color: #ddd; background: #16181c }} }}
</style>
<div class="page"><main><h1>The harbour</h1>{TEXT * 8}</main><aside>%s</aside></div></html>
"""


@pytest.fixture
def foreign(instance: Instance, browser: Browser, site: Publisher) -> Generator[Foreign]:
    foreign = Foreign(f"foreign-{next(NUMBERS)}", instance, site, browser)
    yield foreign
    for reader in foreign.readers:
        reader.context.close()


def test_a_box_shows_the_list_in_order_to_everybody(foreign: Foreign) -> None:
    foreign.tell([*stories(), {"assetId": "untold"}])
    page = foreign.reader()
    page.goto(foreign.add("/", ARTICLE % ROOM.format(foreign.tag())))
    assert titles(page) == list(TITLES[:5])
    addresses = box(page).locator("a").evaluate_all("links => links.map((link) => link.href)")
    assert addresses == [f"https://example.com/news/{n}" for n in range(5)]
    expect(page.get_by_role("region", name="Most read")).to_be_visible()
    expect(page.get_by_role("heading", name="Most read", level=2)).to_be_visible()
    assert violations(page) == []
    assert foreign.questions() == [f"?brand={foreign.brand}&limit=10&period=day"]
    assert moved(page) == 0
    kept = page.evaluate("[document.cookie, localStorage.length, sessionStorage.length]")
    assert (kept, page.context.cookies(), foreign.complaints()) == (["", 0, 0], [], [])
    looked_at(page)


def looked_at(page: Page) -> None:
    """Take pictures in both themes and two widths, and see that everything fits."""
    SCREENSHOTS.mkdir(parents=True, exist_ok=True)
    for theme, width in itertools.product(THEMES, (390, 1100)):
        page.emulate_media(color_scheme=theme)
        page.set_viewport_size({"width": width, "height": 800})
        page.screenshot(path=SCREENSHOTS / f"box-{theme}-{width}.png", full_page=True, animations="disabled")
        assert page.evaluate("document.documentElement.scrollWidth") <= width
        assert violations(page) == []


def test_two_boxes_on_a_page_have_each_its_own_list_words_and_place(foreign: Foreign) -> None:
    foreign.tell([*stories(), *stories(("Goal", "Own goal, twice", "Rain"), "sports")])
    page = foreign.reader()
    more = (
        'data-section="sports" data-title="Sporten" data-lang="sv" data-level="3" data-limit="2" data-target="#there"'
    )
    other = ROOM.format(foreign.tag("data-limit=3 data-period=week"))
    page.goto(foreign.add("/two", f'{foreign.tag(more)}<p>Between</p>{other}<div id="there"></div>'))
    expect(page.locator("#there").get_by_role("region", name="Sporten")).to_be_visible()
    assert titles(page) == list(TITLES[:3])
    assert titles(page, 1) == ["Goal", "Own goal, twice"]
    expect(page.get_by_role("heading", name="Sporten", level=3)).to_be_visible()
    assert page.locator("#there section").get_attribute("lang") == "sv"
    assert sorted(foreign.questions()) == [
        f"?brand={foreign.brand}&limit=4&period=day&section=sports",
        f"?brand={foreign.brand}&limit=6&period=week",
    ]
    assert foreign.complaints() == []


def answered(kind: str, route: Route) -> None:
    if kind == "gone":
        route.abort()
    elif kind == "no json":
        route.fulfill(status=200, body="<html>Welcome to the hotel", headers={"access-control-allow-origin": "*"})
    elif kind == "no cors":
        route.fulfill(status=200, body='{"items": []}')
    elif kind.isdecimal():
        route.fulfill(status=int(kind), body="{}", headers={"access-control-allow-origin": "*"})
    else:
        route.fulfill(status=200, body=kind, headers={"access-control-allow-origin": "*"})


@pytest.mark.parametrize(
    "kind",
    [
        "gone", "no json", "no cors", "401", "404", "500", "{}", "null", "[]", '{"items": null}', '{"items": []}',
        '{"items": [null]}', '{"items": [{"title": {}, "address": []}]}', '{"items": {"filter": 1}}',
    ],
)  # fmt: skip
def test_where_there_is_no_list_there_is_nothing(foreign: Foreign, kind: str) -> None:
    page = foreign.reader()
    page.route(POPULAR, lambda route: answered(kind, route))
    with page.expect_event("requestfinished" if kind != "gone" else "requestfailed", lambda one: "popular" in one.url):
        page.goto(foreign.add("/broken", f"<p>Before</p>{foreign.tag(how='')}"))
    expect(box(page)).to_have_count(0)
    assert page.evaluate("document.body.scrollHeight") < 100
    # What the browser itself says of a failed request is its own; nothing is said by the box, and nothing is thrown.
    assert [said for said in foreign.complaints() if "Failed to load resource" not in said and "CORS" not in said] == []


def test_an_answer_that_does_not_come_is_not_waited_for(foreign: Foreign) -> None:
    page = foreign.reader()
    page.clock.install()
    held = Held(page, POPULAR)
    page.goto(foreign.add("/slow", foreign.tag(how="")))
    held.came()
    expect(box(page)).to_have_count(1)  # Its room is there.
    page.clock.fast_forward(9_000)
    expect(box(page)).to_have_count(0)
    assert foreign.complaints() == []


def test_a_box_that_comes_late_waits_until_nobody_sees_it_come(foreign: Foreign) -> None:
    foreign.tell(stories())
    page = foreign.reader(viewport={"width": 800, "height": 600})
    held = Held(page, "**/widget.js")
    below = '<p id="below" style="height: 3000px">Everything below</p>'
    page.goto(foreign.add("/late", f"<p>Before</p>{foreign.tag()}{below}"), wait_until="commit")
    page.wait_for_function(PAINTED, polling=50)
    with page.expect_response(POPULAR):
        held.came().continue_()
    assert moved(page) == 0
    expect(box(page)).to_have_count(0)
    page.mouse.wheel(0, 100)  # What is below is still there to be seen.
    page.wait_for_timeout(400)
    expect(box(page)).to_have_count(0)
    page.evaluate("document.querySelector('#below').remove()")
    page.evaluate("window.dispatchEvent(new Event('scroll'))")
    assert titles(page) == list(TITLES[:5])
    assert foreign.complaints() == []


def test_a_late_box_below_what_is_seen_is_there_before_its_reader(foreign: Foreign) -> None:
    foreign.tell(stories())
    page = foreign.reader(viewport={"width": 800, "height": 600})
    held = Held(page, "**/widget.js")
    above = '<p style="height: 2000px">A long story</p>'
    page.goto(foreign.add("/below", f"{above}{foreign.tag()}<p>After</p>"), wait_until="commit")
    page.wait_for_function(PAINTED, polling=50)
    held.came().continue_()
    box(page).locator("a").first.wait_for(state="attached")
    assert moved(page) == 0


def test_a_late_box_in_room_that_is_kept_for_it_is_shown_at_once_and_moves_nothing(foreign: Foreign) -> None:
    foreign.tell(stories())
    page = foreign.reader(viewport={"width": 320, "height": 900})
    held, answer = Held(page, "**/widget.js"), Held(page, POPULAR)
    page.goto(foreign.add("/room", ROOM.format(foreign.tag()) + TEXT * 3), wait_until="commit")
    page.wait_for_function(PAINTED, polling=50)
    held.came().continue_()
    asked = answer.came()
    expect(box(page)).to_have_count(1)
    height = box(page).bounding_box()
    asked.continue_()
    assert titles(page) == list(TITLES[:5])
    assert box(page).bounding_box() == height  # It is known before the list is.
    assert height is not None
    assert height["height"] == pytest.approx(21 * 16)
    assert moved(page) == 0


def test_room_that_nobody_fills_is_given_back_when_nobody_sees_it(foreign: Foreign) -> None:
    page = foreign.reader(viewport={"width": 800, "height": 600})
    answer = Held(page, POPULAR)
    below = '<p id="below">Below</p><p style="height: 3000px"></p>'
    page.goto(foreign.add("/empty", f"{foreign.tag(how='')}{below}"))
    page.wait_for_function(PAINTED, polling=50)
    asked = answer.came()
    with page.expect_response(POPULAR):
        asked.fulfill(status=503, body="", headers={"access-control-allow-origin": "*"})
    assert moved(page) == 0
    expect(box(page)).to_have_count(1)  # An empty room, rather than a jump.
    assert box(page).inner_text() == ""
    page.evaluate("document.querySelectorAll('p').forEach((one) => one.remove())")
    page.evaluate("window.dispatchEvent(new Event('scroll'))")
    expect(box(page)).to_have_count(0)


def test_the_browser_would_have_told_of_a_shift(foreign: Foreign) -> None:
    page = foreign.reader()
    page.goto(foreign.add("/control", "<div id=top></div>" + TEXT * 5))
    page.wait_for_function(PAINTED, polling=50)
    page.evaluate("document.querySelector('#top').style.height = '200px'")
    assert moved(page) > 0


HOSTILE = [
    {"title": "<img src=x onerror='window.hacked=1'>", "address": "https://example.com/1"},
    {"title": "</a></li><script>window.hacked=1</script>", "address": "https://example.com/2\"onclick='hacked=1'"},
    {"title": "javascript", "address": "javascript:window.hacked=1"},
    {"title": "javascript with a break", "address": "java\nscript:window.hacked=1"},
    {"title": "javascript after a space", "address": " javascript:window.hacked=1"},
    {"title": "data", "address": "data:text/html,<script>window.hacked=1</script>"},
    {"title": "by its id", "assetId": "javascript:window.hacked=1"},
    {"title": "{{constructor.constructor('window.hacked=1')()}}", "address": "/own"},
]


def test_what_strangers_wrote_is_shown_and_does_nothing(foreign: Foreign) -> None:
    page = foreign.reader()
    page.route(POPULAR, lambda route: route.fulfill(**told(HOSTILE)))
    page.goto(foreign.add("/hostile", foreign.tag("data-title='<img src=x onerror=hacked=1>' data-limit=20")))
    shown = [one["title"] for one in HOSTILE if one.get("address", "").startswith(("https:", "/"))]
    assert titles(page) == shown
    assert box(page).locator("h2").text_content() == "<img src=x onerror=hacked=1>"
    assert box(page).locator("img, script").count() == 0
    for link in box(page).locator("a").all():
        assert str(link.evaluate("link => link.protocol")).startswith("http")
        link.dispatch_event("mouseover")
    page.route("**/*", lambda route: route.fulfill(status=204))
    for link in box(page).locator("a").all():
        link.click(no_wait_after=True)
    assert page.evaluate("window.hacked") is None
    assert foreign.complaints() == []


BROKEN_STYLE = """<style>
body * { all: unset; display: none !important; float: left !important; position: absolute !important;
  opacity: 0 !important; font-size: 0 !important; width: 1px !important; height: 0 !important;
  transform: scale(0) !important; color: red }
li { float: left } ol { counter-reset: none !important } section, h2 { display: none !important }
</style>"""


def test_no_style_of_the_page_breaks_the_box_and_the_box_changes_nothing_on_the_page(foreign: Foreign) -> None:
    foreign.tell(stories())
    page = foreign.reader()
    page.goto(foreign.add("/style", f"{BROKEN_STYLE}{foreign.tag()}"))
    assert titles(page) == list(TITLES[:5])
    for link in box(page).locator("a").all():
        expect(link).to_be_visible()
    place = box(page).bounding_box()
    assert place is not None
    assert (place["width"] > 500, place["height"]) == (True, pytest.approx(21 * 16))
    assert box(page).evaluate("host => getComputedStyle(host).opacity") == "1"
    page.goto(foreign.add("/plain", f"<ol><li><a href=/>x</a></li></ol><h2>y</h2>{foreign.tag()}"))
    looks = (
        "[...document.querySelectorAll('ol, li, a, h2')].map((one) => getComputedStyle(one).cssText + one.offsetHeight)"
    )
    with_box = (titles(page), page.evaluate(looks))[1]
    page.goto(foreign.add("/bare", "<ol><li><a href=/>x</a></li></ol><h2>y</h2>"))
    assert page.evaluate(looks) == with_box


def test_the_strictest_policy_needs_the_instance_twice_and_nothing_else(foreign: Foreign) -> None:
    foreign.tell(stories())
    page = foreign.reader(before="")
    policy = f"default-src 'none'; script-src {foreign.instance.url}; connect-src {foreign.instance.url}"
    strict: dict[str, Any] = {
        "content_security_policy": f"{policy}; require-trusted-types-for 'script'; trusted-types 'none'",
        "cross_origin_embedder_policy": "require-corp",
    }
    page.goto(foreign.add("/policy", foreign.tag(), **strict))
    assert titles(page) == list(TITLES[:5])
    assert box(page).locator("li").first.evaluate("line => getComputedStyle(line).display") == "flex"
    assert foreign.complaints() == []


def test_a_policy_without_the_instance_shows_nothing(foreign: Foreign) -> None:
    foreign.tell(stories())
    page = foreign.reader(before="")
    page.goto(foreign.add("/closed", foreign.tag(how=""), content_security_policy="connect-src 'none'"))
    expect(box(page)).to_have_count(0)
    assert all("Content Security Policy" in said for said in foreign.complaints())


def test_a_page_that_is_open_for_long_has_the_new_list_and_keeps_the_last_good_one(foreign: Foreign) -> None:
    page = foreign.reader()
    page.clock.install()
    answers = Held(page, POPULAR)
    page.goto(foreign.add("/long", foreign.tag("data-refresh=1")))
    answers.came().fulfill(**told([{"title": "First", "address": "/1"}]))
    assert titles(page) == ["First"]
    page.clock.fast_forward(20_000)
    assert len(foreign.questions()) == 1  # Thirty seconds are the least, however little is asked for.
    page.clock.fast_forward(20_000)
    answers.came().fulfill(**told([{"title": "Second", "address": "/2"}]))
    expect(box(page).locator("a")).to_have_text(["Second"])
    page.clock.fast_forward(40_000)
    answers.came().abort()
    page.clock.fast_forward(40_000)
    assert titles(page) == ["Second"]
    assert len(foreign.questions()) == 3  # It is more patient with a server that fails.
    page.evaluate("Object.defineProperty(document, 'hidden', {value: true, configurable: true})")
    page.clock.fast_forward(400_000)
    assert len(foreign.questions()) == 3  # Nobody looks.
    page.evaluate("delete document.hidden; document.dispatchEvent(new Event('visibilitychange'))")
    page.clock.fast_forward(3_000)
    answers.came().fulfill(**told([{"title": "Third", "address": "/3"}]))
    expect(box(page).locator("a")).to_have_text(["Third"])
    page.evaluate("document.querySelector('.footfall-widget').remove()")
    page.clock.fast_forward(400_000)
    assert len(foreign.questions()) == 4  # The page has no use for it any more.


def test_what_a_server_includes_reads_like_the_box(foreign: Foreign) -> None:
    foreign.tell(stories())
    answer = foreign.instance.call("GET", f"/v1/widget?brand={foreign.brand}&title=Mest+l%C3%A4st&lang=sv&limit=3")
    assert answer.status == 200
    page = foreign.reader(before="")
    page.goto(
        foreign.add(
            "/included", ARTICLE.replace("<style>", "<style nonce=x>") % answer.body.decode(),
            content_security_policy="default-src 'none'; style-src 'nonce-x'",
        )
    )  # fmt: skip
    region = page.get_by_role("region", name="Mest läst")
    assert region.locator("ol > li > a").all_text_contents() == list(TITLES[:3])
    page.screenshot(path=SCREENSHOTS / "box-included.png", full_page=True)
    assert foreign.complaints() == []
