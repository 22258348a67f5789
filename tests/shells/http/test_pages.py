"""The pages beside the hot lane: what they say, what they refuse, and what they never let through."""

import html
import re
from collections.abc import Generator
from html.parser import HTMLParser
from importlib import resources
from pathlib import Path

import msgspec
import pytest

from footfall.accounts.brands import Brand
from footfall.adapters.embedded.sqlite_stream import SqliteStream
from tests.shells.http.stage import NOW_MS, Reply, Stage, asked, staged

PAGES = ("/", "/v1/ledger", "/readyz", "/metrics")
PARTS = ("counted", "duplicate", "late", "future", "unlabelled", "dead", "inFlight")
DAY_MS = 86_400_000


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

    def body(self) -> dict[str, str | None]:
        return next(attributes for tag, attributes in self.found if tag == "body")


def static_text(name: str) -> str:
    return (resources.files("footfall.shells.http") / "static" / name).read_text(encoding="utf-8")


def shown_brands(reply: Reply) -> list[str]:
    return msgspec.json.decode(Tags(reply.text).body()["data-brands"] or "", type=list[str])


def require_problem(reply: Reply, status: int, says: str) -> dict[str, object]:
    assert reply.status == status
    assert reply.headers["content-type"] == "application/problem+json"
    assert reply.headers["cache-control"] == "no-store"
    document = reply.json()
    assert document["status"] == status
    assert says in str(document["detail"])
    return document


# Every page.


@pytest.mark.parametrize("path", PAGES)
def test_every_page_answers(stage: Stage, path: str) -> None:
    stage.make_ready()
    reply = stage.ask(path + ("?brand=abc" if path == "/v1/ledger" else ""))
    assert reply.status == 200
    assert reply.body
    assert reply.headers["content-length"] == str(len(reply.body))


@pytest.mark.parametrize("path", PAGES)
def test_head_has_the_headers_of_get(stage: Stage, path: str) -> None:
    target = path + ("?brand=abc" if path == "/v1/ledger" else "")
    stage.make_ready()
    head, got = stage.ask(target, method="HEAD"), stage.ask(target)
    assert head.status == got.status
    if path == "/metrics":  # Its numbers change from one moment to the next, and so may its length.
        head.headers["content-length"] = got.headers["content-length"]
    assert head.headers == got.headers


@pytest.mark.parametrize("path", PAGES)
def test_another_method_is_refused_with_the_methods_that_are_allowed(stage: Stage, path: str) -> None:
    reply = stage.ask(path, method="DELETE")
    require_problem(reply, 405, "DELETE")
    assert reply.headers["allow"] == "GET, HEAD"


@pytest.mark.parametrize("path", ["/nothing", "/v1", "/v1/ledger/", "/static/", "/static/index.html", "/static/../x"])
def test_anything_else_is_a_problem_that_names_the_path(stage: Stage, path: str) -> None:
    require_problem(stage.ask(path), 404, path)


@pytest.mark.parametrize("target", ["/", "/v1/ledger?brand=abc", "/v1/ledger", "/readyz", "/none"])
def test_every_answer_is_guarded(stage: Stage, target: str) -> None:
    headers = stage.ask(target).headers
    policy = headers["content-security-policy"].split("; ")
    assert {"default-src 'none'", "script-src 'self'", "style-src 'self'", "frame-ancestors 'none'"} <= set(policy)
    assert "unsafe" not in headers["content-security-policy"]
    assert headers["x-content-type-options"] == "nosniff"
    assert headers["referrer-policy"] == "no-referrer"


def test_a_defect_is_a_problem_and_is_raised_for_the_log(stage: Stage) -> None:
    stage.state.stream = None  # pyright: ignore[reportAttributeAccessIssue] - a defect of ours
    reply = stage.runner.run(asked(stage.application, "/", method="GET", headers={}))
    require_problem(reply, 500, "its log says why")
    assert isinstance(reply.raised, AttributeError)


# The ledger.


def test_the_lines_of_a_ledger_add_up(stage: Stage) -> None:
    stage.send(
        {"brand": "abc", "assetId": 1},
        {"brand": "abc", "assetId": 2, "id": "once"},
        {"brand": "abc", "assetId": 2, "id": "once"},
        {"brand": "abc", "assetId": 3, "at": NOW_MS - 2 * DAY_MS},
        {"brand": "abc", "assetId": 4, "at": NOW_MS + DAY_MS},
    )
    stage.append("abc", data=b"not a record", weight=7)
    stage.count()
    stage.send({"brand": "abc", "assetId": 5})
    book = stage.ask("/v1/ledger?brand=abc").json()
    assert book["accepted"] == 13
    assert {name: book[name] for name in PARTS} == {
        "counted": 2, "duplicate": 1, "late": 1, "future": 1, "unlabelled": 0, "dead": 7, "inFlight": 1,
    }  # fmt: skip
    assert book["accepted"] == sum(book[name] for name in PARTS) + sum(book["screened"].values())


def test_a_ledger_says_since_when_raw_hits_are_kept(stage: Stage) -> None:
    stage.send({"brand": "abc", "assetId": 1})
    stage.count()
    assert stage.ask("/v1/ledger?brand=abc").json()["rawSince"] is None
    stage.stream.trim(0, through=1)
    assert stage.ask("/v1/ledger?brand=abc").json()["rawSince"] == "2026-11-15T14:30:00.001Z"


def test_a_ledger_is_never_kept_by_caches(stage: Stage) -> None:
    assert stage.ask("/v1/ledger?brand=abc").headers["cache-control"] == "no-store"


def test_the_ledger_of_an_unknown_brand_is_not_found_and_the_field_is_named(stage: Stage) -> None:
    document = require_problem(stage.ask("/v1/ledger?brand=nobody"), 404, "'nobody' is not a brand here")
    assert document["field"] == "brand"


@pytest.mark.parametrize(
    ("query", "field", "says"),
    [
        ("", "brand", "missing"),
        ("?brand=", "brand", "missing"),
        ("?brand=abc&brand=def", "brand", "twice"),
        ("?brand=abc&since=1", "since", "not a parameter"),
        ("?brand=%3Cb%3E", "brand", "not a brand name"),
        ("?brand=%ff", "brand", "not a brand name"),
        ("?brand=" + "a" * 65, "brand", "not a brand name"),
    ],
)
def test_a_question_that_makes_no_sense_is_refused_and_the_field_is_named(
    stage: Stage, query: str, field: str, says: str
) -> None:
    assert require_problem(stage.ask(f"/v1/ledger{query}"), 400, says)["field"] == field


def test_a_ledger_that_does_not_balance_is_not_shown(stage: Stage) -> None:
    stage.send({"brand": "abc", "assetId": 1})
    stage.count()
    assert isinstance(stage.stream, SqliteStream)
    stage.stream._db.execute("UPDATE appended SET weight = 0")
    require_problem(stage.ask("/v1/ledger?brand=abc"), 500, "add up to 1 hits, but only 0")


# Readiness.


def test_a_front_is_ready_when_both_processes_are_up(stage: Stage) -> None:
    stage.make_ready()
    reply = stage.ask("/readyz")
    assert (reply.status, reply.json()) == (200, {"status": "ready"})


def test_a_front_that_is_not_ready_names_what_is_missing(stage: Stage) -> None:
    stage.state.counting.is_ready.set()
    reply = stage.ask("/readyz")
    document = require_problem(reply, 503, "answering")
    assert "counting" not in str(document["detail"])
    assert reply.headers["retry-after"]


def test_a_front_that_drains_is_not_ready(stage: Stage) -> None:
    stage.make_ready()
    stage.state.lane.drain()
    require_problem(stage.ask("/readyz"), 503, "stopping")


# The page.


def test_the_page_names_every_brand_the_busiest_first(tmp_path: Path) -> None:
    brands = {name: Brand(name) for name in ("quiet", "busy", "silent")}
    with staged(tmp_path, brands=brands) as stage:
        stage.append("busy", weight=9)
        stage.append("quiet", weight=2)
        assert shown_brands(stage.ask("/")) == ["busy", "quiet", "silent"]


def test_the_page_names_every_period(stage: Stage) -> None:
    body = Tags(stage.ask("/").text).body()
    assert msgspec.json.decode(body["data-periods"] or "") == ["justnow", "day", "week"]


def test_a_brand_that_is_markup_stays_text(stage: Stage) -> None:
    name = """"><script src="//evil.example"></script><b data-x='"""
    stage.append(name)
    reply = stage.ask("/")
    assert name in shown_brands(reply)
    assert name not in reply.text
    assert html.escape("<script src=") in reply.text
    assert "evil.example" not in str([attributes for tag, attributes in Tags(reply.text).found if tag == "script"])


def test_a_brand_that_is_a_mark_of_the_template_stays_text(stage: Stage) -> None:
    stage.append("{{version}}")
    assert shown_brands(stage.ask("/")) == ["{{version}}", "abc"]


def test_the_page_asks_nobody_else_and_has_nothing_that_its_policy_forbids(stage: Stage) -> None:
    text = stage.ask("/").text
    assert "{{" not in text
    assert not re.search(r"\son\w+=|javascript:|<style", text)
    for tag, attributes in Tags(text).found:
        assert "style" not in attributes
        for name in ("href", "src"):
            assert re.match(r"/(?!/)|#|data:image/", attributes.get(name) or "#"), (tag, attributes)
        assert tag != "script" or attributes.get("src") == "/static/page.js"


def test_the_script_never_makes_markup_of_what_strangers_sent() -> None:
    script = static_text("page.js")
    for means in (
        "innerHTML",
        "outerHTML",
        "insertAdjacentHTML",
        "document.write",
        "eval(",
        "new Function",
        "http://",
        "https://",
    ):
        assert means not in script


def test_what_the_script_looks_up_is_in_the_page() -> None:
    page, script = static_text("index.html"), static_text("page.js")
    ids = re.findall(r'(?:getElementById|made)\("([\w-]+)"\)', script)
    assert ids
    assert [name for name in ids if f'id="{name}"' not in page] == []
    parts = set(re.findall(r'part\([\w.]+, "([\w-]+)"\)', script))
    made = set(re.findall(r'element\("\w+", "([\w-]+)"', script))
    classes = {name for found in re.findall(r'class="([^"]+)"', page) for name in found.split()}
    assert parts - made - classes == set()


def test_the_page_without_an_open_brand_says_why_and_how_to_open_one(tmp_path: Path) -> None:
    with staged(tmp_path, brands={}) as stage:
        reply = stage.ask("/")
        assert shown_brands(reply) == []
        for says in ("No open brand is listed here", "Brands with keys are not listed", "footfall brands add"):
            assert says in reply.text
        assert "open-brand" in [attributes.get("id") for tag, attributes in Tags(reply.text).found if tag == "input"]


def test_the_page_leads_to_the_description_of_the_routes(stage: Stage) -> None:
    leads = [attributes.get("href") for tag, attributes in Tags(stage.ask("/").text).found if tag == "a"]
    assert {"/docs", "/openapi.json", "/readyz", "/metrics"} <= set(leads)


def test_a_page_that_is_asked_for_a_brand_does_not_tell_whether_it_exists(stage: Stage) -> None:
    assert stage.ask("/?brand=nobody").body == stage.ask("/").body


def test_with_dev_a_brand_that_is_asked_for_is_open(tmp_path: Path) -> None:
    with staged(tmp_path, brands={}, dev=True) as stage:
        assert shown_brands(stage.ask("/?brand=new")) == ["new"]


def test_the_page_itself_is_always_sent(stage: Stage) -> None:
    assert stage.ask("/", headers={"if-none-match": "*"}).status == 200
