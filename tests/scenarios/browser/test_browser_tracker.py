"""The tracker in a real Chromium: when a page counts, and as what."""

from pathlib import Path

import pytest

from footfall.flow.collect.page_address import asset_from_address
from tests.scenarios.browser.publisher import Seen, seen, unwatched_browser
from tests.scenarios.browser.scene import Scene, assets
from tests.scenarios.instance import until


def test_a_plain_page_counts_once_by_its_address(scene: Scene) -> None:
    page = scene.reader()
    page.goto(scene.add("/story") + "?id=7&utm_source=mail&fbclid=x&&gad_source=1&b=%20#part")
    page.wait_for_function("typeof footfall === 'function'", polling=50)
    (hit,) = scene.end(page)
    address = scene.address("/story") + "?id=7&b=%20"
    assert hit == Seen(address, "", "", "", address, "", has_visitor=True)
    assert page.evaluate("[document.cookie, localStorage.length, sessionStorage.length]") == ["", 0, 0]
    assert page.context.cookies() == []
    (beacon, _) = [request for request in scene.readers[0].requests if "/v1/" in request.url]
    assert (beacon.resource_type, beacon.headers["content-type"]) == ("ping", "text/plain;charset=UTF-8")


def test_the_tag_names_asset_and_labels_and_metas_overrule_it(scene: Scene) -> None:
    tag = 'data-asset="132141398" data-section="563" data-type="article" data-paid="free"'
    page = scene.reader()
    page.goto(scene.add("/tagged", attributes=tag))
    scene.count(1)
    metas = '<meta name="footfall:asset" content="8"><meta name="footfall:paid" content="paid">'
    page.evaluate(f"location.href = '{scene.add('/metas', metas, attributes=tag)}'")
    first, second = scene.count(2)
    assert (first.asset, first.section, first.kind, first.paid) == ("132141398", "563", "article", "free")
    assert (second.asset, second.section, second.kind, second.paid) == ("8", "563", "article", "paid")
    assert second.referrer == scene.address("/tagged")
    assert first.url == scene.address("/tagged")


def test_the_canonical_address_is_the_asset(scene: Scene) -> None:
    page = scene.reader()
    page.goto(scene.add("/amp/story", '<link rel="alternate canonical" href="/story?page=2&utm_medium=x">'))
    (hit,) = scene.count(1)
    assert (hit.asset, hit.url) == (f"{scene.site.url}/story?page=2", scene.address("/amp/story"))


def test_a_tracker_that_is_there_before_the_page_s_head_waits_for_it(scene: Scene) -> None:
    # A script that does not come holds up all that stands below it.
    held = f'<script src="/gate/{scene.brand}"></script><link rel="canonical" href="/itself">'
    page = scene.reader()
    page.goto(scene.add("/slow", held), wait_until="commit")
    # Not by frames: a page whose head is held up may draw none.
    page.wait_for_function("typeof footfall === 'function'", polling=50)
    assert seen(scene.instance, scene.brand) == []
    scene.site.gate(scene.brand).set()
    assert assets(scene.count(1)) == [f"{scene.site.url}/itself"]


def test_a_long_address_keeps_its_beginning_and_is_told_from_its_like(scene: Scene) -> None:
    address = scene.add("/long")
    for last in "ab":
        page = scene.reader()
        page.goto(f"{address}?{'x' * 3_000 if last == 'b' else 'x' * 300}{last}")
    hits = scene.count(2)
    assert all(len(hit.asset) <= 256 and hit.asset.startswith(f"{address}?xxx") for hit in hits)
    assert len(set(assets(hits))) == 2
    assert sorted(len(hit.url) for hit in hits) == [len(address) + 302, 2_048]


ADDRESSES = [
    "/?", "/?&&", "/?a=1&&b=2&", "/?UTM_Source=x", "/?_gl=1&_ga=2&_gallery=3&_hsenc=4", "/?clid=1&gclid=2&msclkid=3",
    "/?clidx=1&xclid&id=2", "/?a?b&utm_id=1?2", "/?q=%C3%A5+%20%2b&pk_kwd=1", "/å?å=å&ö_clid=1", "/?mc_eid=1&mc_x=2",
    f"/{'a' * 221}?bcdefgh", f"/{'x' * 400}?utm_a=1", f"/?{'&'.join(f'n{n}={n}' for n in range(80))}",
]  # fmt: skip


def test_script_and_pixel_make_the_same_asset_of_an_address(scene: Scene) -> None:
    page = scene.reader()
    page.goto(scene.add("", attributes='data-auto="off"'))
    page.wait_for_function("typeof footfall === 'function'", polling=50)
    visited = (
        "(addresses) => addresses.map((one) => { history.replaceState(0, '', one); footfall(); return location.href })"
    )
    hrefs: list[str] = page.evaluate(visited, ADDRESSES)
    assert sorted(assets(scene.count(len(ADDRESSES)))) == sorted(asset_from_address(href) for href in hrefs)


@pytest.mark.parametrize("before", ["", "Object.defineProperty(window, 'navigation', {value: 'of the page'})"])
def test_a_single_page_app_counts_each_address_once(scene: Scene, before: str) -> None:
    page = scene.reader(before)
    page.goto(scene.add("/app", f'<link rel="canonical" href="{scene.address("/app")}">'))
    scene.count(1)
    page.evaluate("history.pushState({}, '', 'app/one?utm_campaign=x')")
    scene.count(2)
    # The same address, its fragment, its state and a tracking parameter are no new page.
    page.evaluate("history.replaceState({scroll: 7}, '', 'one#below')")
    page.evaluate("history.pushState({}, '', 'one?fbclid=1')")
    page.evaluate("location.hash = 'above'")
    # A redirect is left before anybody could see it; the page after it names itself a moment later.
    page.evaluate(
        """() => {
            history.pushState({}, '', 'redirect');
            setTimeout(() => history.replaceState({}, '', 'two'), 20);
            setTimeout(() => { document.querySelector('link').href = '/two-itself'; }, 100);
        }"""
    )
    scene.count(3)
    page.evaluate("history.go(-2)")
    hits = scene.count(4)
    assert assets(hits)[:3] == [scene.address("/app"), scene.address("/app/one"), f"{scene.site.url}/two-itself"]
    assert [hit.referrer for hit in hits[:3]] == ["", scene.address("/app"), scene.address("/app/one")]
    assert hits[2].url == scene.address("/app/two")
    assert hits[3].url == scene.address("/app/one")
    assert len(scene.end(page)) == 4


def test_fragments_are_addresses_only_where_the_tag_says_so(scene: Scene) -> None:
    page = scene.reader()
    page.goto(scene.add("/hash", '<link rel="canonical" href="/">', attributes='data-hash="on"') + "#/first")
    scene.count(1)
    page.evaluate("location.hash = '/second'")
    assert assets(scene.count(2)) == [scene.address("/hash#/first"), scene.address("/hash#/second")]


def test_a_page_may_count_by_itself_alone(scene: Scene) -> None:
    page = scene.reader()
    page.goto(scene.add("/manual", attributes='data-auto="off" data-section="news"'))
    page.wait_for_function("typeof footfall === 'function'", polling=50)
    page.evaluate("history.pushState({}, '', 'elsewhere')")
    page.evaluate("footfall({asset: 7, type: 'video'})")
    scene.count(1)
    page.evaluate("footfall()")
    first, second = scene.count(2)
    assert (first.asset, first.section, first.kind) == ("7", "news", "video")
    assert second.asset == scene.address("/elsewhere")
    assert len(scene.end(page)) == 2


def test_a_page_that_comes_back_from_the_cache_counts_again(scene: Scene) -> None:
    page = scene.reader("addEventListener('pageshow', (event) => { window.wasKept = event.persisted; })")
    page.goto(scene.add("/kept", '<link rel="canonical" href="/kept"><a href="/elsewhere">elsewhere</a>'))
    (first,) = scene.count(1)
    # A browser that is short of memory keeps no pages. Then it is a plain visit, which counts once as well.
    for visits in range(2, 8):
        page.click("a")
        page.wait_for_url("**/elsewhere")
        page.evaluate("setTimeout(() => history.back())")
        assert scene.count(visits) == [first] * visits
        if page.evaluate("window.wasKept"):
            break
    else:
        raise AssertionError("no page was ever kept")
    assert first.asset == f"{scene.site.url}/kept"


def test_a_page_that_is_left_at_once_has_been_counted(scene: Scene) -> None:
    scene.site.add("/next", "next")
    page = scene.reader()
    page.goto(scene.add("/left"))
    scene.count(1)
    page.evaluate("history.pushState({}, '', 'quick'); location.href = '/next'")
    assert scene.count(2)[1].asset == scene.address("/quick")


def test_a_prefetched_page_counts_when_it_is_opened(scene: Scene) -> None:
    ahead = scene.add("/ahead")
    rules = f'{{"prefetch": [{{"source": "list", "urls": ["{ahead}"], "eagerness": "immediate"}}]}}'
    start = scene.add("/start", f'<a href="{ahead}">go</a><script type="speculationrules">{rules}</script>')
    page = scene.reader()
    page.goto(start)
    scene.site.was_asked(f"/{scene.brand}/ahead", purpose="prefetch")
    assert assets(scene.end(page)) == [start]
    page.click("a")
    until(lambda: assets(seen(scene.instance, scene.brand)), lambda found: ahead in found, seconds=10)


def test_a_prerendered_page_counts_when_it_is_opened(scene: Scene, tmp_path: Path) -> None:
    site, brand = scene.site, scene.brand
    ahead = scene.add(
        "/ahead",
        """<script>
            addEventListener('load', async () => {
                const wasAhead = document.prerendering;
                footfall({asset: 'asked for while ahead'});
                await fetch('/state/' + (wasAhead ? 'ahead' : 'late'));
                document.addEventListener('prerenderingchange', () => fetch('/state/opened'));
            });
        </script>""",
    )
    rules = f'{{"prerender": [{{"source": "list", "urls": ["{ahead}"], "eagerness": "immediate"}}]}}'
    start = scene.add(
        "/start",
        f"""<script type="speculationrules">{rules}</script><a href="{ahead}">go</a><script>
            fetch('/gate/{brand}').then(() => document.querySelector('a').click());
        </script>""",
    )
    with unwatched_browser(tmp_path / "profile", start):
        site.was_asked(f"/{brand}/ahead", purpose="prefetch;prerender")
        site.was_asked("/state/ahead", purpose="prefetch;prerender")
        assert assets(scene.count(1)) == [start]
        site.gate(brand).set()
        site.was_asked("/state/opened")
        hits = scene.count(3)
    assert sorted(assets(hits)) == sorted([start, ahead, "asked for while ahead"])


def test_a_page_in_a_hidden_tab_counts_when_it_is_looked_at(scene: Scene, tmp_path: Path) -> None:
    site, brand = scene.site, scene.brand
    cover = scene.add("/cover", attributes='data-asset="cover"')
    # The tag is inserted once another tab covers this one; that tab is closed when the test has looked.
    opener = site.add(
        f"/{brand}/covered",
        f"""<script>
            const cover = open('{cover}', '_blank');
            document.addEventListener('visibilitychange', () => {{
                fetch('/state/' + document.visibilityState);
                if (!document.hidden || document.querySelector('script[data-brand]')) return;
                const tag = document.createElement('script');
                Object.assign(tag, {{src: '{scene.instance.url}/footfall.js', onload: () => fetch('/state/loaded')}});
                tag.dataset.brand = '{brand}';
                document.head.append(tag);
                fetch('/gate/{brand}').then(() => cover.close());
            }});
        </script>""",
    )
    with unwatched_browser(tmp_path / "profile", opener):
        site.was_asked("/state/hidden")
        site.was_asked("/state/loaded")
        assert assets(scene.count(1)) == ["cover"]
        site.gate(brand).set()
        site.was_asked("/state/visible")
        assert assets(scene.count(2)) == ["cover", opener]
