"""The dashboard's shell and files: what they tell, what they let run, and how much they weigh."""

import html
import re
from collections.abc import Generator
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import msgspec
import pytest

from footfall.accounts.brands import Brand
from footfall.shells.http.dashboard import PAGES, Built, built
from tests.shells.http.stage import Reply, Stage, staged

FIRST_VIEW_BYTES_MAX = 150_000
ADDRESSES = [re.sub(r"\{\w+:path\}", "a%2Fb", page) for page in PAGES]


@pytest.fixture
def stage(tmp_path: Path) -> Generator[Stage]:
    with staged(tmp_path) as opened:
        yield opened


class Tags(HTMLParser):
    """Collects the tags of a page with their attributes."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.found: list[tuple[str, dict[str, str | None]]] = []
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.found.append((tag, dict(attrs)))


def facts(reply: Reply) -> dict[str, Any]:
    body = next(attributes for tag, attributes in Tags(reply.text).found if tag == "body")
    return msgspec.json.decode(body["data-facts"] or "", type=dict[str, Any])


def shown_brands(reply: Reply) -> list[str]:
    return [one["brand"] for one in facts(reply)["brands"]]


def policy(reply: Reply) -> dict[str, str]:
    return dict(part.split(" ", 1) for part in reply.headers["content-security-policy"].split("; "))


@pytest.mark.parametrize("path", ADDRESSES)
def test_every_page_is_the_same_shell(stage: Stage, path: str) -> None:
    reply = stage.ask(path)
    assert reply.status == 200
    assert reply.headers["content-type"] == "text/html; charset=utf-8"
    assert shown_brands(reply) == ["abc"]
    assert stage.ask(path, method="POST").status == 405


def test_a_browser_at_a_mistyped_address_gets_the_page_that_says_so_and_a_program_a_problem(stage: Stage) -> None:
    browser = {"accept": "text/html,application/xhtml+xml,*/*;q=0.8"}
    shown = stage.ask("/setings", headers=browser)
    assert (shown.status, shown.headers["content-type"]) == (404, "text/html; charset=utf-8")
    assert shown_brands(shown) == ["abc"]
    assert policy(shown)["script-src"].startswith("'nonce-")
    asked = [("/setings", {"accept": "*/*"}), ("/v1/populer", browser), ("/v1", browser), ("/static/x.js", browser)]
    for path, headers in asked:
        reply = stage.ask(path, headers=headers)
        assert (reply.status, reply.headers["content-type"]) == (404, "application/problem+json"), path
    assert stage.ask("/setings", method="POST", headers=browser).headers["content-type"] == "application/problem+json"


def test_only_what_has_this_answer_s_nonce_runs(stage: Stage) -> None:
    replies = [stage.ask("/") for _ in range(2)]
    nonces = {policy(reply)["script-src"] for reply in replies}
    assert len(nonces) == 2
    for reply in replies:
        rules = policy(reply)
        assert rules["default-src"] == "'none'"
        assert re.fullmatch(r"'nonce-[\w-]{24}'", rules["script-src"])
        assert rules["style-src"] == rules["script-src"]
        assert rules["connect-src"] == "'self'"
        assert {rules[name] for name in ("base-uri", "form-action", "frame-ancestors")} == {"'none'"}
        assert "unsafe" not in reply.headers["content-security-policy"]
        nonce = rules["script-src"][len("'nonce-") : -1]
        for tag, attributes in Tags(reply.text).found:
            if tag in ("script", "style") or attributes.get("rel") == "stylesheet":
                assert attributes["nonce"] == nonce, tag


def test_the_shell_asks_nobody_else_and_has_nothing_that_its_policy_forbids(stage: Stage) -> None:
    reply = stage.ask("/")
    assert "{{" not in reply.text
    assert not re.search(r"\son\w+=|javascript:|<style|\sstyle=", reply.text)
    for tag, attributes in Tags(reply.text).found:
        for name in ("href", "src"):
            assert re.match(r"/(?!/)|#|data:image/", attributes.get(name) or "#"), (tag, attributes)
    assert reply.headers["cache-control"] == "no-store"
    assert reply.headers["x-content-type-options"] == "nosniff"
    assert reply.headers["referrer-policy"] == "no-referrer"


def test_a_first_view_weighs_little(stage: Stage) -> None:
    shell = stage.ask("/")
    files = [stage.ask(f"/static/{name}", headers={"accept-encoding": "gzip"}) for name in built().files]
    assert len(files) == 2
    assert sum(len(reply.body) for reply in (shell, *files)) < FIRST_VIEW_BYTES_MAX


@pytest.mark.parametrize(
    ("accepted", "encoding"),
    [("gzip, deflate, br", "br"), ("gzip", "gzip"), ("", None), ("br;q=0, gzip", "gzip"), ("identity", None)],
)
def test_files_are_sent_as_a_browser_takes_them_and_kept_for_good(
    stage: Stage, accepted: str, encoding: str | None
) -> None:
    for name, bodies in built().files.items():
        reply = stage.ask(f"/static/{name}", headers={"accept-encoding": accepted} if accepted else {})
        assert reply.status == 200
        assert reply.headers.get("content-encoding") == encoding
        assert reply.body == bodies[encoding or ""]
        assert reply.headers["cache-control"] == "public, max-age=31536000, immutable"
        assert reply.headers["vary"] == "accept-encoding"
        assert re.search(r"-[\w-]{8}\.(js|css)$", name)


@pytest.mark.parametrize("name", ["nothing.js", "manifest.json", "..%2Fdashboard.html", "main.js.br", "%00"])
def test_nothing_else_of_the_folder_is_sent(stage: Stage, name: str) -> None:
    reply = stage.ask(f"/static/{name}")
    assert reply.status == 404
    assert reply.headers["content-type"] == "application/problem+json"


def test_the_script_asks_only_its_own_server() -> None:
    text = built().files[built().script][""].decode()
    # Preact's names of namespaces and the example in a field are no addresses that anybody asks.
    addresses = set(re.findall(r"https?://[\w.-]+", text)) - {"http://www.w3.org", "https://hooks.example.com"}
    assert addresses == set()
    for means in ("document.write", "eval(", "new Function", "dangerouslySetInnerHTML={"):
        assert means not in text


def test_brands_are_named_the_busiest_first_with_how_they_tell_the_time(tmp_path: Path) -> None:
    brands = {"quiet": Brand("quiet", zone="Europe/Helsinki", title="The Quiet"), "busy": Brand("busy")}
    with staged(tmp_path, brands=brands) as stage:
        stage.append("busy", weight=9)
        stage.append("quiet", weight=2)
        told = facts(stage.ask("/"))
        assert told["brands"] == [
            {"brand": "busy", "title": "", "zone": "UTC", "periods": [], "isOpen": True},
            {"brand": "quiet", "title": "The Quiet", "zone": "Europe/Helsinki", "periods": [], "isOpen": True},
        ]
        assert (told["periods"], told["live"]) == (["justnow", "day", "week"], True)


def test_a_brand_that_is_markup_or_a_mark_of_the_template_stays_text(stage: Stage) -> None:
    names = ["""\"><script src="//evil.example"></script><b data-x='""", "{{version}}"]
    for name in names:
        stage.append(name)
    reply = stage.ask("/")
    assert set(names) <= set(shown_brands(reply))
    assert names[0] not in reply.text
    assert html.escape("<script src=") in reply.text
    assert "evil.example" not in str([attributes for tag, attributes in Tags(reply.text).found if tag == "script"])


def test_a_page_that_is_asked_for_a_brand_does_not_tell_whether_it_exists(stage: Stage) -> None:
    assert shown_brands(stage.ask("/?brand=nobody")) == shown_brands(stage.ask("/"))


def test_with_dev_a_brand_that_is_asked_for_is_open(tmp_path: Path) -> None:
    with staged(tmp_path, brands={}, dev=True) as stage:
        assert shown_brands(stage.ask("/?brand=new")) == ["new"]
        assert shown_brands(stage.ask("/")) == []


def test_a_package_that_was_made_without_node_says_so(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("footfall.shells.http.dashboard.built", Built)
    with staged(tmp_path) as stage:
        reply = stage.ask("/most-read")
        assert reply.status == 200
        assert "make dashboard" in reply.text
        assert "script" not in [tag for tag, _ in Tags(reply.text).found]
