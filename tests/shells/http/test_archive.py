"""The archive over HTTP: pages are asked for once, found by address, day and words, shared, held and removed."""

import io
import zipfile
from collections.abc import Generator
from pathlib import Path
from urllib.parse import quote

import pytest

from footfall.accounts.brands import Brand
from footfall.archive import queueing, requests
from footfall.archive.captures import State
from footfall.ports.capturing import Reason
from tests.shells.http.archive_stage import BRAND, PICTURE, ArchiveStage, archive_staged, captures_in
from tests.shells.http.people_stage import set_up
from tests.shells.http.stage import staged

PAGE = "https://news.example/story"
OF = f"?brand={BRAND}"


@pytest.fixture(scope="module")
def ground(tmp_path_factory: pytest.TempPathFactory) -> Generator[ArchiveStage]:
    folder: Path = tmp_path_factory.mktemp("archive")
    with archive_staged(folder) as opened:
        yield opened


def of_url(url: str) -> str:
    return f"{OF}&url={quote(url, safe='')}"


def test_a_page_that_is_being_kept_is_not_asked_for_twice(ground: ArchiveStage) -> None:
    ann = ground.people["ann"]
    first = ann.ask("POST", f"/v1/archive{OF}", {"url": "News.Example:443/once?utm_source=mail#top"})
    again = ann.ask("POST", f"/v1/archive{OF}", {"url": "news.example/once"})
    assert (first.status, again.status) == (202, 200)
    assert first.json()["request"]["id"] == again.json()["request"]["id"]
    told = first.json()["request"]
    assert (told["typed"], told["url"], told["state"]) == (
        "News.Example:443/once?utm_source=mail#top", "news.example/once", "pending",
    )  # fmt: skip
    done = ground.work("once", told["id"])
    reused = ann.ask("POST", f"/v1/archive{OF}", {"url": "news.example/once", "reuseWithinMinutes": 5})
    assert (reused.status, reused.json()["request"]["capture"]) == (200, done.capture)


@pytest.mark.parametrize(
    ("document", "status", "field"),
    [
        ({}, 400, "url"),
        ({"url": "file:///etc/passwd"}, 400, "url"),
        ({"url": "http://127.0.0.1/"}, 400, "url"),
        ({"url": "http://169.254.169.254/latest/meta-data"}, 400, "url"),
        ({"url": "https://user:pass@news.example/"}, 400, "url"),
        ({"url": PAGE, "hideBanners": 1}, 400, "hideBanners"),
        ({"url": PAGE, "reuseWithinMinutes": -1}, 400, "reuseWithinMinutes"),
        ({"url": PAGE, "depth": 3}, 400, "depth"),
        ({"url": PAGE, "share": True}, 403, "brand"),
    ],
)
def test_what_cannot_be_asked_for_is_refused_with_its_field(
    ground: ArchiveStage, document: dict[str, object], status: int, field: str
) -> None:
    reply = ground.people["ann"].ask("POST", f"/v1/archive{OF}", document)
    assert (reply.status, reply.json()["field"]) == (status, field)


def test_a_key_that_only_reads_keeps_nothing_and_one_that_edits_keeps_for_the_whole_brand(ground: ArchiveStage) -> None:
    assert ground.people["reader"].ask("POST", "/v1/archive", {"url": PAGE}).status == 403
    capture_id = ground.kept("key", "https://news.example/by-key", "kept by a program")
    seen = ground.capture("bob", capture_id)
    assert (seen.status, seen.json()["isShared"]) == (200, True)
    assert seen.json()["by"].startswith("key:")
    assert capture_id in captures_in(ground.people["reader"].ask("GET", "/v1/archive/library"))


def test_captures_of_a_page_are_found_by_day_by_calendar_and_as_the_latest(ground: ArchiveStage) -> None:
    ann, url = ground.people["ann"], "https://news.example/days"
    first = ground.kept("ann", url, "the first")
    second = ground.kept("ann", url, "the second")
    ground.stage.clock.advance(86_400_000)
    third = ground.kept("ann", url, "the third")
    assert captures_in(ann.ask("GET", f"/v1/archive/captures{of_url(url)}")) == [third, second, first]
    assert ann.ask("GET", f"/v1/archive/latest{of_url(url)}").json()["id"] == third
    calendar = ann.ask("GET", f"/v1/archive/calendar{of_url(url)}&year=2026").json()
    day, next_day = calendar["days"]
    assert list(calendar["days"].values()) == [2, 1]
    assert calendar["first"] < calendar["last"]
    assert captures_in(ann.ask("GET", f"/v1/archive/captures{of_url(url)}&day={day}")) == [second, first]
    page = ann.ask("GET", f"/v1/archive/captures{of_url(url)}&limit=2").json()
    rest = ann.ask("GET", f"/v1/archive/captures{of_url(url)}&after={quote(page['after'])}").json()
    assert [one["id"] for one in (*page["captures"], *rest["captures"])] == [third, second, first]
    assert ann.ask("GET", f"/v1/archive/calendar{of_url(url)}&year=2025").json()["days"] == {}
    assert ann.ask("GET", f"/v1/archive/captures{of_url(url)}&day=2026-13-01").json()["field"] == "day"
    assert ann.ask("GET", f"/v1/archive/captures{of_url(url)}&day={next_day}").status == 200


def test_a_library_is_a_members_own_and_the_brands_is_what_was_shared(ground: ArchiveStage) -> None:
    bob, eve = ground.people["bob"], ground.people["eve"]
    his = ground.kept("bob", "https://news.example/his", "his own")
    hers = ground.kept("eve", "https://news.example/hers", "hers", share=True)
    assert captures_in(bob.ask("GET", f"/v1/archive/library{OF}")) == [his]
    shared = captures_in(bob.ask("GET", f"/v1/archive/library{OF}&of=brand"))
    assert (hers in shared, his in shared) == (True, False)
    assert captures_in(eve.ask("GET", f"/v1/archive/library{OF}"))[0] == hers


def test_words_find_what_whoever_asks_may_see_with_the_words_marked(ground: ArchiveStage) -> None:
    own = ground.kept("bob", "https://news.example/lighthouse", "The lighthouse keeper rows home")
    found = ground.people["bob"].ask("GET", f"/v1/archive/search{OF}&q=lighthouse+rows").json()
    assert (found["kind"], [one["id"] for one in found["results"]]) == ("full-text", [own])
    marked = [piece for piece, is_match in found["results"][0]["excerpt"] if is_match]
    assert [one.lower() for one in marked] == ["lighthouse", "rows"]
    assert ground.people["ann"].ask("GET", f"/v1/archive/search{OF}&q=lighthouse").json()["results"] == []


def test_an_editor_shares_what_is_theirs_and_then_everybody_finds_it(ground: ArchiveStage) -> None:
    eve, url = ground.people["eve"], "https://news.example/shared-later"
    capture_id = ground.kept("eve", url, "Narwhals were seen")
    assert ground.capture("bob", capture_id).status == 404
    assert eve.ask("POST", f"/v1/archive/captures/{capture_id}/share{OF}").json()["isShared"] is True
    assert ground.capture("bob", capture_id).json()["isShared"] is True
    found = ground.people["bob"].ask("GET", f"/v1/archive/search{OF}&q=narwhals").json()["results"]
    assert [one["id"] for one in found] == [capture_id]
    calendar = eve.ask("GET", f"/v1/archive/calendar{of_url(url)}&year=2026").json()
    assert sum(calendar["days"].values()) == 1  # It lies in two spaces of hers, and is one.


def test_what_was_shared_by_mistake_is_one_s_own_again(ground: ArchiveStage) -> None:
    eve, url = ground.people["eve"], "https://news.example/by-mistake"
    capture_id = ground.kept("eve", url, "Puffins were seen", share=True)
    assert ground.capture("bob", capture_id).status == 200
    assert eve.ask("POST", f"/v1/archive/captures/{capture_id}/unshare{OF}").json()["isShared"] is False
    assert ground.capture("bob", capture_id).status == 404
    assert not ground.people["bob"].ask("GET", f"/v1/archive/search{OF}&q=puffins").json()["results"]
    his = ground.kept("bob", "https://news.example/his-shared", "Gulls")
    requests_made = ground.people["eve"].ask("POST", f"/v1/archive/captures/{his}/unshare{OF}")
    assert requests_made.status == 404, "what is another's alone is nobody's to act on"


def test_what_is_held_is_not_removed_and_every_act_is_in_the_audit_trail(ground: ArchiveStage) -> None:
    eve = ground.people["eve"]
    capture_id = ground.kept("eve", "https://news.example/held", "held", share=True)
    at = f"/v1/archive/captures/{capture_id}"
    held = eve.ask("POST", f"{at}/hold{OF}").json()
    assert (held["isHeld"], held["heldBy"].split(" ")[0]) == (True, "Eve")
    assert eve.ask("GET", f"/v1/archive/library{OF}").json()["captures"][0]["isHeld"] is True
    assert eve.ask("DELETE", f"{at}{OF}").status == 409
    assert ground.people["bob"].ask("POST", f"{at}/release{OF}").status == 403
    assert eve.ask("POST", f"{at}/release{OF}").json()["isHeld"] is False
    assert ground.people["bob"].ask("DELETE", f"{at}{OF}").status == 403
    assert eve.ask("DELETE", f"{at}{OF}&why=wrong+page").status == 204
    gone = ground.capture("bob", capture_id)
    assert (gone.status, gone.json()["tombstone"]["why"]) == (410, "wrong page")
    trail = ground.people["owner"].ask("GET", f"/v1/audit?brand={BRAND}&limit=100").json()["items"]
    acts = [one["act"] for one in trail if one["subject"] == capture_id]
    assert sorted(acts) == ["capture-held", "capture-released", "capture-removed"]  # the refused removal is none


def test_bytes_of_a_capture_are_kept_by_browsers_and_by_no_cache_between(ground: ArchiveStage) -> None:
    capture = ground.capture("ann", ground.kept("ann", "https://news.example/bytes", "Some text")).json()
    tile = ground.people["ann"].ask("GET", capture["tiles"][0]["url"])
    assert (tile.status, tile.body, tile.headers["content-type"]) == (200, PICTURE, "image/webp")
    assert tile.headers["cache-control"] == "private, max-age=31536000, immutable"
    assert (tile.headers["vary"], tile.headers["x-content-type-options"]) == ("cookie, authorization", "nosniff")
    same = ground.people["ann"].ask("GET", capture["tiles"][0]["url"], None, {"if-none-match": tile.headers["etag"]})
    assert (same.status, same.body) == (304, b"")
    assert ground.people["ann"].ask("GET", capture["text"]).text == "Some text"
    assert ground.people["ann"].ask("GET", capture["thumbnail"]).body == b"small" + PICTURE
    assert ground.people["ann"].ask("GET", capture["tiles"][0]["url"].replace("/0?", "/1?")).status == 404
    assert ground.people["ann"].ask("GET", capture["text"].replace("/text?", "/passwords?")).status == 404


@pytest.mark.parametrize(("file", "ending"), [("html", "html"), ("warc", "warc.gz"), ("wacz", "wacz")])
def test_what_could_run_or_is_a_file_is_handed_out_as_an_attachment(
    ground: ArchiveStage, file: str, ending: str
) -> None:
    capture_id = ground.kept("ann", f"https://news.example/{file}", "Some text")
    reply = ground.people["ann"].ask("GET", f"/v1/archive/captures/{capture_id}/{file}{OF}")
    assert reply.headers["content-disposition"] == f'attachment; filename="{capture_id}.{ending}"'
    if file == "wacz":
        assert "datapackage.json" in zipfile.ZipFile(io.BytesIO(reply.body)).namelist()


def test_two_captures_are_laid_beside_each_other(ground: ArchiveStage) -> None:
    first = ground.kept("ann", "https://news.example/two", "Weather.\nHarbour open.")
    second = ground.kept("ann", "https://news.example/two", "Weather.\nHarbour closed.")
    told = ground.people["ann"].ask("GET", f"/v1/archive/compare{OF}&a={first}&b={second}").json()
    assert [one["kind"] for one in told["text"]] == ["equal", "removed", "added"]
    assert [(one["kind"], one["bHeight"]) for one in told["picture"]["bands"]] == [("equal", 800)]
    assert ground.people["ann"].ask("GET", f"/v1/archive/compare{OF}&a={first}").json()["field"] == "b"


def test_a_request_that_failed_is_told_why_and_can_wait_again(ground: ArchiveStage) -> None:
    ann, table = ground.people["ann"], ground.opened.table
    asked = ann.ask("POST", f"/v1/archive{OF}", {"url": "https://news.example/slow"}).json()["request"]
    waiting = next(one for one in queueing.waiting(table, limit=50) if one.request.id == asked["id"])
    now_ms = ground.stage.clock.now_ms()
    begun = queueing.begin(table, waiting, now_ms=now_ms)
    assert begun is not None
    requests.fail(table, begun, reason=Reason.TOO_SLOW, says="The site took too long.", now_ms=now_ms)
    at = f"/v1/archive/requests/{asked['id']}"
    failed = ann.ask("GET", f"{at}{OF}").json()
    assert (failed["state"], failed["reason"], failed["says"]) == ("failed", "too-slow", "The site took too long.")
    listed = ann.ask("GET", f"/v1/archive/requests{OF}&state=failed").json()["requests"]
    assert [one["id"] for one in listed] == [asked["id"]]
    assert ann.ask("POST", f"{at}/retry{OF}").json()["state"] == State.PENDING
    assert ann.ask("POST", f"{at}/retry{OF}").status == 409


def test_tools_of_other_archives_find_captures_by_memento_and_cdx(ground: ArchiveStage) -> None:
    eve, url = ground.people["eve"], "https://news.example/memento?id=7"
    first = ground.kept("eve", url, "one")
    ground.stage.clock.advance(3_600_000)
    second = ground.kept("eve", url, "two")
    gate = eve.ask("GET", f"/archive/{BRAND}/timegate/{url}")
    assert (gate.status, gate.headers["vary"]) == (302, "accept-datetime")
    assert 'rel="timemap"' in gate.headers["link"]
    target = gate.headers["location"].removeprefix("https://footfall.example.com")
    assert target.endswith(f"/{url}")
    shown = eve.ask("GET", target)
    assert shown.headers["location"].endswith(f"/archive/capture/{second}{OF}")
    assert "memento-datetime" not in shown.headers, "a redirect is not the page as it was"
    early = eve.ask(
        "GET", f"/archive/{BRAND}/timegate/{url}", None, {"accept-datetime": "Thu, 01 Jan 2026 00:00:00 GMT"}
    )
    before = eve.ask("GET", early.headers["location"].removeprefix("https://footfall.example.com"))
    assert first in before.headers["location"]
    time_map = eve.ask("GET", f"/archive/{BRAND}/timemap/link/{url}")
    assert (time_map.headers["content-type"], time_map.text.count('memento"')) == ("application/link-format", 2)
    lines = eve.ask("GET", f"/archive/{BRAND}/cdx?url={quote(url, safe='')}").text.splitlines()
    assert [line.split(" ")[0] for line in lines] == ["example,news)/memento?id=7"] * 2
    assert eve.ask("GET", f"/archive/{BRAND}/cdx?url={quote(url, safe='')}&from=2027").text == ""
    assert eve.ask("GET", f"/archive/{BRAND}/web/2026x/{url}").status == 400
    assert eve.ask("GET", f"/archive/{BRAND}/timegate/https://news.example/never").status == 404


def test_a_public_archive_shows_everybody_what_is_shared_and_nothing_else(ground: ArchiveStage) -> None:
    url = "https://news.example/public"
    own = ground.kept("eve", f"{url}-not", "not shared")
    shared = ground.kept("eve", url, "shared", share=True)
    stranger = ground.stage
    assert stranger.ask(f"/archive/{BRAND}/timegate/{url}").status == 401
    changed = ground.people["owner"].ask("PATCH", f"/v1/brand{OF}", {"isArchivePublic": True})
    assert changed.status == 200
    try:
        assert stranger.ask(f"/archive/{BRAND}/timegate/{url}").status == 302
        assert stranger.ask(f"/archive/{BRAND}/timegate/{url}-not").status == 404
        assert stranger.ask(f"/v1/archive/captures/{shared}{OF}").status == 200
        assert stranger.ask(f"/v1/archive/captures/{own}{OF}").status == 404
        assert stranger.ask(f"/v1/archive/library{OF}&of=brand").status == 401
    finally:
        ground.people["owner"].ask("PATCH", f"/v1/brand{OF}", {"isArchivePublic": False})


def test_strangers_are_told_of_pages_and_not_of_the_people_who_keep_them(ground: ArchiveStage) -> None:
    held, gone = (ground.kept("eve", f"https://news.example/{name}", name, share=True) for name in ("held", "gone"))
    eve, stranger = ground.people["eve"], ground.stage
    assert eve.ask("POST", f"/v1/archive/captures/{held}/hold{OF}").status == 200
    assert eve.ask("DELETE", f"/v1/archive/captures/{gone}{OF}&why=Ann+asked").status == 204
    own = [eve.ask("GET", f"/v1/archive/captures/{one}{OF}").text for one in (held, gone)]
    person = ground.capture("eve", held).json()["by"]
    assert ("Eve" in own[0], person in own[0], "Eve" in own[1], "Ann asked" in own[1]) == (True,) * 4
    ground.people["owner"].ask("PATCH", f"/v1/brand{OF}", {"isArchivePublic": True})
    try:
        found = [stranger.ask(f"/v1/archive/captures/{one}{OF}") for one in (held, gone)]
        assert [one.status for one in found] == [200, 410]
        assert (found[0].json()["isHeld"], found[0].json()["by"], found[0].json()["heldBy"]) == (True, "", None)
        files = [stranger.ask(f"/v1/archive/captures/{held}/{name}{OF}") for name in ("wacz", "html", "text")]
        lists = [stranger.ask(f"/archive/{BRAND}/cdx?url=https://news.example/held")]
        assert [one.status for one in (*files, *lists)] == [200] * 4
        packed = zipfile.ZipFile(io.BytesIO(files[0].body))
        told = b"".join(
            [one.body for one in (*found, *files[1:], *lists)] + [packed.read(one) for one in packed.namelist()]
        )
        assert [one for one in (b"Eve", b"Ann asked", person.encode()) if one in told] == []
    finally:
        ground.people["owner"].ask("PATCH", f"/v1/brand{OF}", {"isArchivePublic": False})


def test_watches_are_editors_to_make_and_everybodys_to_see(ground: ArchiveStage) -> None:
    eve, rule = ground.people["eve"], {"kind": "page", "url": "news.example", "everyMinutes": 15}
    assert ground.people["bob"].ask("POST", f"/v1/archive/watches{OF}", {"rule": rule}).status == 403
    made = eve.ask("POST", f"/v1/archive/watches{OF}", {"rule": rule, "name": "Front"})
    assert made.status == 201, made.text
    at = f"/v1/archive/watches/{made.json()['id']}{OF}"
    assert ground.people["bob"].ask("GET", at).json() == made.json()
    assert made.json()["id"] in [one["id"] for one in eve.ask("GET", f"/v1/archive/watches{OF}").json()["watches"]]
    assert eve.ask("PATCH", at, {"isOn": False}).json()["isOn"] is False
    wrong = eve.ask("PATCH", at, {"alert": {"places": ["al_none"]}})
    assert (wrong.status, wrong.json()["field"]) == (400, "alert.places")
    private = eve.ask("PATCH", at, {"rule": {**rule, "url": "http://10.0.0.5/"}})
    assert (private.status, private.json()["field"]) == (400, "url")
    assert ground.people["strange-key"].ask("GET", "/v1/archive/watches").json() == {"watches": []}
    assert eve.ask("DELETE", at).status == 204
    assert eve.ask("GET", at).status == 404
    trail = ground.people["owner"].ask("GET", f"/v1/audit?brand={BRAND}&limit=100").json()["items"]
    acts = [one["act"] for one in trail if one["subject"] == made.json()["id"]]
    assert sorted(acts) == ["watch-added", "watch-changed", "watch-removed"]


def test_in_an_open_brand_whoever_is_signed_in_has_captures_of_their_own_and_others_only_read(tmp_path: Path) -> None:
    with staged(tmp_path, brands={"abc": Brand("abc")}) as stage:
        owner, wish = set_up(stage), {"url": "https://news.example/own"}
        made = owner.ask("POST", "/v1/archive?brand=abc", wish)
        assert made.status == 202
        assert [one["id"] for one in owner.ask("GET", "/v1/archive/requests?brand=abc").json()["requests"]] == [
            made.json()["request"]["id"]
        ]
        assert owner.ask("POST", "/v1/archive?brand=abc", wish, {"x-footfall-csrf": "guessed"}).status == 403
        assert stage.ask("/v1/archive?brand=abc", method="POST", body=b'{"url": "https://news.example/"}').status == 401
        assert stage.ask("/v1/archive/requests?brand=abc").json()["requests"] == []
        assert stage.ask("/v1/archive/library?brand=abc&of=brand").json()["captures"] == []
        assert stage.ask("/v1/archive/watches?brand=abc", method="POST", body=b"{}").status == 401
