"""The tracker on pages that make it hard: strict, odd, blocked, without scripts. It counts, and no page hears of it."""

import json
import re

import pytest

from footfall.client import page_token
from tests.scenarios.browser.publisher import Seen, seen
from tests.scenarios.browser.scene import Scene, assets
from tests.scenarios.instance import footfall


def test_a_page_without_storage_and_origin_is_counted(scene: Scene) -> None:
    page = scene.reader()
    address = scene.add("/sandboxed", content_security_policy="sandbox allow-scripts")
    page.goto(address)
    assert (
        page.evaluate("() => { try { return localStorage.length } catch (error) { return error.name } }")
        == "SecurityError"
    )
    assert assets(scene.count(1)) == [address]


def test_a_strict_policy_that_names_only_the_instance_is_enough(scene: Scene) -> None:
    stats = scene.instance.url
    policy = f"default-src 'none'; script-src {stats}; connect-src {stats}; img-src 'self'; report-uri /reports"
    trusted = "; require-trusted-types-for 'script'; trusted-types 'none'"
    address = scene.add("/strict", content_security_policy=policy + trusted)
    page = scene.reader()
    page.goto(address)
    assert assets(scene.count(1)) == [address]
    assert scene.site.reports == []


@pytest.mark.parametrize("wish", ["globalPrivacyControl: {value: true}", "doNotTrack: {value: '1'}"])
def test_who_asks_for_privacy_is_counted_without_a_trace(scene: Scene, wish: str) -> None:
    page = scene.reader(f"Object.defineProperties(Navigator.prototype, {{{wish}}})")
    page.goto(scene.add("/first"))
    scene.count(1)
    page.evaluate(f"location.href = '{scene.add('/private')}'")
    hits = scene.count(2)
    assert [(hit.referrer, hit.has_visitor) for hit in hits] == [("", False), ("", False)]


@pytest.mark.parametrize(
    ("before", "way"),
    [
        ("delete Navigator.prototype.sendBeacon", "fetch"),
        ("Navigator.prototype.sendBeacon = () => false", "fetch"),
        ("Navigator.prototype.sendBeacon = () => { throw new Error('blocked') }", "fetch"),
        ("delete Navigator.prototype.sendBeacon; delete window.fetch", "image"),
        ("navigator.sendBeacon = null; window.fetch = () => { throw new Error('blocked') }", "image"),
    ],
)
def test_without_a_beacon_there_are_other_ways(scene: Scene, before: str, way: str) -> None:
    page = scene.reader(before)
    address = scene.add("/other", attributes='data-section="Åland & more"')
    page.goto(address)
    (hit,) = scene.count(1)
    assert (hit.asset, hit.section, hit.url, hit.has_visitor) == (address, "Åland & more", address, True)
    assert scene.ways() == [way]


def test_the_tracker_tells_that_a_program_drives_the_browser(scene: Scene) -> None:
    scene.reader("delete Navigator.prototype.sendBeacon").goto(scene.add("/driven"))
    scene.count(1)
    sent = [str(one.post_data) for one in scene.readers[0].requests if "/v1/hits" in one.url]
    assert [re.fullmatch(r"true,\d+,GMT[+-]\d{4}", json.loads(body)["client"]) is not None for body in sent] == [True]
    assert scene.instance.drained(scene.brand)["screened"] == {"headless": 1}


def test_a_brand_s_public_key_opens_every_way(scene: Scene) -> None:
    made = footfall(
        "brands", "add", scene.brand, "--data", str(scene.instance.data), "--origin", scene.site.url, "--json"
    )
    scene.tag = f'data-key="{json.loads(made.stdout)["publicKey"]}"'
    address = scene.add("/keyed")
    for before, way in (
        ("", "ping"),
        ("delete Navigator.prototype.sendBeacon", "fetch"),
        ("delete Navigator.prototype.sendBeacon; delete window.fetch", "image"),
    ):
        scene.reader(before).goto(address)
        scene.count(len(scene.readers))
        assert scene.ways() == [way]
    elsewhere = scene.reader()
    elsewhere.goto(address.replace("localhost", "127.0.0.1"))
    elsewhere.wait_for_load_state("networkidle")
    assert assets(seen(scene.instance, scene.brand)) == [address] * 3  # The key is for the origin that the brand named.
    scene.readers[-1].complaints.clear()  # The browser notes the refusal; no script is told.


def test_a_page_s_token_goes_every_way_and_may_be_changed_as_it_goes(scene: Scene) -> None:
    data = ("--data", str(scene.instance.data))
    made = footfall("brands", "add", scene.brand, *data, "--json")
    signing = footfall("keys", "add", *data, "--brand", scene.brand, "--signing").stdout.strip()
    assert footfall("brands", "change", scene.brand, *data, "--require-token", "yes").returncode == 0
    token = page_token(signing, scene.brand, origin=scene.site.url)
    scene.tag = f'data-key="{json.loads(made.stdout)["publicKey"]}" data-token="{token}"'
    address = scene.add("/tokened")
    for before in ("", "delete Navigator.prototype.sendBeacon; delete window.fetch"):
        scene.reader(before).goto(address)
        scene.count(len(scene.readers))
    page = scene.readers[0].page
    with page.expect_console_message(lambda said: "401" in said.text):
        page.evaluate("document.querySelector('script[data-token]').dataset.token = 'over'; footfall()")
    page.evaluate(f"document.querySelector('script[data-token]').dataset.token = '{token}'; footfall()")
    scene.count(3)
    scene.readers[0].complaints.clear()  # The browser notes the refusal; no script is told.


def test_an_instance_that_is_gone_is_not_the_page_s_trouble(scene: Scene) -> None:
    page = scene.reader("delete Navigator.prototype.sendBeacon")
    page.route("**/v1/hits*", lambda route: route.abort())
    page.goto(scene.add("/gone"))
    page.wait_for_function(
        "performance.getEntriesByType('resource').some((one) => one.name.includes('/v1/hits'))", polling=50
    )
    page.unroute_all()
    assert scene.end(page) == []
    # The browser itself writes down that a request failed; no script is told.
    complaints = scene.readers[0].complaints
    assert all("ERR_FAILED" in complaint for complaint in complaints)
    complaints.clear()


@pytest.mark.parametrize(
    "odd",
    [
        "<script>Object.freeze(history); Object.freeze(History.prototype); var navigation = {}</script>",
        '<img name="querySelector"><img name="hidden"><img name="addEventListener"><form id="footfall"></form>',
        "<script>Object.defineProperty(window, 'footfall', {set() { throw new Error('mine') }})</script>",
        '<link rel="canonical"><meta name="footfall:asset"><base href="https://example.com/">',
    ],
)
def test_a_page_that_is_odd_is_counted_and_hears_nothing(scene: Scene, odd: str) -> None:
    page = scene.reader()
    address = scene.site.add(f"/{scene.brand}", odd + scene.script())
    page.goto(address)
    assert assets(scene.count(1)) == [address]


def test_a_reader_without_scripts_is_counted_by_the_pixel(scene: Scene) -> None:
    source = f"{scene.instance.url}/v1/pixel.gif?brand={scene.brand}"
    image = f'<img src="{source}" alt="" width="1" height="1" referrerpolicy="no-referrer-when-downgrade">'
    address = scene.add("/still", f"<noscript>{image}</noscript>")
    page = scene.reader(java_script_enabled=False)
    page.goto(address + "?utm_source=x")
    assert scene.count(1) == [Seen(address, "", "", "", address, "", has_visitor=True)]
    with_scripts = scene.reader()
    with_scripts.goto(address)
    scene.count(2)
    assert assets(scene.end(with_scripts)) == [address, address]


def test_a_tag_that_stands_twice_counts_once(scene: Scene) -> None:
    page = scene.reader()
    page.goto(scene.add("/twice", scene.script()))
    page.wait_for_load_state()
    assert len(scene.end(page)) == 1


def test_an_element_cannot_pass_itself_off_as_the_script(scene: Scene) -> None:
    page = scene.reader()
    page.goto(scene.site.add(f"/{scene.brand}", '<img name="currentScript" src="/evil.gif">' + scene.script()))
    page.wait_for_load_state()
    assert page.evaluate("typeof window.footfall") == "undefined"
    assert [path for path, _ in scene.site.asked if path.startswith("/v1/")] == []
