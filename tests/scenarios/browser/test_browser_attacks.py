"""What strangers send is text, whatever it looks like: 500 payloads on every page, and nothing of them runs."""

import html
import itertools
import json
import re
from collections.abc import Generator, Sequence
from urllib.parse import quote

import pytest
from playwright.sync_api import Browser, Dialog

from tests.scenarios.browser.newsroom import Editor
from tests.scenarios.browser.scene import WAIT_S
from tests.scenarios.instance import Instance, Starter, until

PAYLOADS = 500
BRANDS = 5  # A list has 100 rows at most.
LABEL_BYTES_MAX = 64
PAGES = (
    "Now", "Sections and types", "Trending", "Audience", "Metrics", "Screening", "Ledger", "Operations", "Settings",
)  # fmt: skip
RUNS = ("top.ran=1", "alert(1)", "window['ran']=1", "parent.ran=1", "self.ran=1")
SHAPES = (
    "<script>{}</script>", "<img src=x onerror={}>", "<svg onload={}>", "\"><script>{}</script>", "'><svg/onload={}>",
    "javascript:{}", "<a href=javascript:{}>x</a>", "<iframe srcdoc='<script>{}</script>'>", "<body onload={}>",
    "<details open ontoggle={}>", "</title><script>{}</script>", "</textarea><img src=x onerror={}>",
    "{{{{constructor.constructor('{}')()}}}}", "${{{}}}", "\" autofocus onfocus={} x=\"",
    "<math><mi xlink:href=javascript:{}>",
    "<style>@import 'javascript:{}'</style>", "<object data=javascript:{}>", "--><script>{}</script><!--",
    "\u2028<script>{}</script>",
)  # fmt: skip


def payloads() -> list[str]:
    """Return different ones: every shape with every act, in several disguises."""
    disguises = (str, str.upper, lambda text: f"&#38;{html.escape(text)}", lambda text: f"{text}{text}", quote)
    made = [as_told(shape.format(act)) for as_told, shape, act in itertools.product(disguises, SHAPES, RUNS)]
    assert len(set(made)) == PAYLOADS
    return made


def short(text: str) -> str:
    """Return as much of it as a label may have."""
    return text.encode()[:LABEL_BYTES_MAX].decode(errors="ignore")


def referrers(one: str) -> list[str]:
    """Return referrers with a payload where a host stands, where an app's name does, and as all there is."""
    # Of a host's letters only: this is what is left for somebody to put their words into, and it is shown.
    letters = re.sub(r"[^a-z0-9]+", "-", one.lower()).strip("-")[:50]
    return [f"https://{one}.example.com/", f"android-app://{one}", one, f"https://{letters}.example/"]


@pytest.fixture(scope="module")
def attacked(tmp_path_factory: pytest.TempPathFactory) -> Generator[Instance]:
    folder = tmp_path_factory.mktemp("attacked")
    starter = Starter(folder)
    try:
        instance = starter.start(folder / "data")
        told = payloads()
        for number in range(BRANDS):
            send(instance, f"brand{number}", told[number::BRANDS])
        for number in range(BRANDS):  # Referrers are counted behind the counting.
            asked = f"/v1/referrers?brand=brand{number}"
            until(lambda asked=asked: instance.get(asked).json()["hits"], bool, seconds=60)
        yield instance
    finally:
        starter.end_all()


def send(instance: Instance, brand: str, some: Sequence[str]) -> None:
    hits = [
        {
            "brand": brand, "assetId": f"{place}{one}"[:200], "sectionId": short(one), "resourceType": short(one),
            "paidType": short(one), "referrer": referrer,
        }
        for place, one in enumerate(some)
        for referrer in referrers(one)
    ]  # fmt: skip
    first = hits[0]["assetId"]  # Its page has all referrers, since they are listed by asset.
    hits += [{**hit, "assetId": first} for hit in hits if hit["assetId"] != first]
    answer = instance.post(hits)
    assert (answer.status, answer.json()) == (202, {"accepted": len(hits), "duplicates": 0})
    titled = [
        {"assetId": f"{place}{one}"[:200], "title": one, "authors": [one], "tags": [one]}
        for place, one in enumerate(some)
        if place % 2
    ]
    answer = instance.call("PUT", f"/v1/assets?brand={brand}", json.dumps(titled).encode())
    assert answer.status == 200, answer.body
    instance.drained(brand)


def test_nothing_that_strangers_send_runs_on_any_page(browser: Browser, attacked: Instance) -> None:
    editor = Editor(browser, attacked)
    page = editor.page
    dialogs: list[str] = []

    def opened(dialog: Dialog) -> None:
        dialogs.append(dialog.message)
        dialog.dismiss()

    page.on("dialog", opened)
    seen = 0
    for number in range(BRANDS):
        brand = f"brand{number}"
        editor.open(f"/most-read?brand={brand}&period=day&limit=100")
        seen += len(until(editor.rows, lambda rows: len(rows) == PAYLOADS // BRANDS, seconds=WAIT_S))
        for name in PAGES:
            editor.choose_page(name)
            until(page.locator("h1").inner_text, lambda head, name=name: head.startswith(name), seconds=WAIT_S)
        editor.choose_page("Most read")
        until(editor.rows, bool, seconds=WAIT_S)
        page.locator("table.assets .asset").first.click()  # It has most hits, and every referrer.
        editor.settle()
        assert page.locator("h1").inner_text()
        part = page.get_by_role("region", name="Where readers came from")
        until(part.locator("tbody tr").count, lambda rows: rows > 1, seconds=WAIT_S)
        page.keyboard.press("/")
        page.keyboard.type("script")
        until(lambda: page.locator(".found a").count(), bool, seconds=WAIT_S)
        assert editor.inside("typeof window.ran + typeof top.ran") == "undefinedundefined"
    assert seen == PAYLOADS
    assert dialogs == []
    editor.leave()  # Not even the policy had anything to refuse.


def test_an_address_can_be_anything_and_stays_text(browser: Browser, attacked: Instance) -> None:
    editor = Editor(browser, attacked)
    for one in payloads()[::50]:
        word = quote(one, safe="")
        editor.open(f"/most-read?brand={word}&section={word}&period={word}&from={word}&include={word}#{word}")
        editor.open(f"/assets/{word}?brand=brand0&span={word}")
        editor.settle()
        editor.open(f"/sign-in?next={word}")
    assert editor.inside("typeof window.ran") == "undefined"
    editor.leave(expected=["status of 4"])
