"""What is a member's is nobody else's: every route of the archive is asked, by everybody, for what is Ann's."""

from collections.abc import Generator
from pathlib import Path
from urllib.parse import quote

import pytest

from footfall.shells.http.described import archive, archive_mementos, archive_watches
from tests.shells.http.archive_stage import BRAND, ArchiveStage, archive_staged
from tests.shells.http.stage import Reply

SECRET, PAGE = "annssecret", "https://secret.example/ann?draft=1"
NEVER = "01M8Z4Q0W3T6V9X2C5B8N1K4J7"
OTHERS = ("bob", "eve", "owner", "reader", "key")
OUTSIDERS = ("stranger", "strange-key")
Routes = dict[str, tuple[str, str, object]]


@pytest.fixture(scope="module")
def ground(tmp_path_factory: pytest.TempPathFactory) -> Generator[ArchiveStage]:
    folder: Path = tmp_path_factory.mktemp("archive")
    with archive_staged(folder) as opened:
        yield opened


@pytest.fixture(scope="module")
def hers(ground: ArchiveStage) -> tuple[str, str]:
    """Ann's capture, and a request of hers that waits."""
    capture_id = ground.kept("ann", PAGE, f"{SECRET} is what nobody else reads")
    waiting = ground.people["ann"].ask("POST", f"/v1/archive?brand={BRAND}", {"url": f"{PAGE}&waits=1"})
    return capture_id, waiting.json()["request"]["id"]


def by_id(capture_id: str, request_id: str) -> Routes:
    """What is asked for by the id of something, by the name of the operation."""
    at, of = f"/v1/archive/captures/{capture_id}", f"?brand={BRAND}"
    return {
        "archiveRequest": ("GET", f"/v1/archive/requests/{request_id}{of}", None),
        "retryArchiveRequest": ("POST", f"/v1/archive/requests/{request_id}/retry{of}", None),
        "capture": ("GET", f"{at}{of}", None),
        "removeCapture": ("DELETE", f"{at}{of}&why=mine", None),
        "shareCapture": ("POST", f"{at}/share{of}", None),
        "unshareCapture": ("POST", f"{at}/unshare{of}", None),
        "holdCapture": ("POST", f"{at}/hold{of}", None),
        "releaseCapture": ("POST", f"{at}/release{of}", None),
        "captureTile": ("GET", f"{at}/tiles/0{of}", None),
        "captureFile": ("GET", f"{at}/text{of}", None),
        "compareCaptures": ("GET", f"/v1/archive/compare{of}&a={capture_id}&b={capture_id}", None),
    }


def by_address() -> Routes:
    """What is asked for by the address of the page, by words, or without naming anything."""
    of, url = f"?brand={BRAND}", quote(PAGE, safe="")
    return {
        "archiveRequests": ("GET", f"/v1/archive/requests{of}&limit=200", None),
        "captures": ("GET", f"/v1/archive/captures{of}&url={url}", None),
        "latestCapture": ("GET", f"/v1/archive/latest{of}&url={url}", None),
        "captureCalendar": ("GET", f"/v1/archive/calendar{of}&url={url}&year=2026", None),
        "captureLibrary": ("GET", f"/v1/archive/library{of}&of=brand", None),
        "searchCaptures": ("GET", f"/v1/archive/search{of}&q={SECRET}", None),
        "watches": ("GET", f"/v1/archive/watches{of}", None),
        "timeGate": ("GET", f"/archive/{BRAND}/timegate/{PAGE}", None),
        "timeMap": ("GET", f"/archive/{BRAND}/timemap/link/{PAGE}", None),
        "memento": ("GET", f"/archive/{BRAND}/web/2026/{PAGE}", None),
        "captureIndex": ("GET", f"/archive/{BRAND}/cdx?url={url}", None),
    }


# They make something of the asker's own, or concern watches, which are the whole brand's.
ELSEWHERE = {"archivePage", "addWatch", "watch", "changeWatch", "removeWatch"}


def is_told(reply: Reply, hers: tuple[str, str]) -> bool:
    """Whether an answer says anything of Ann's: her page's text, her ids, her address."""
    told = reply.text + "".join(reply.headers.values())
    return any(one in told for one in (*hers, SECRET, "secret.example"))


def test_every_operation_of_the_archive_is_asked_here() -> None:
    described = {one.name for one in (*archive.OPERATIONS, *archive_watches.OPERATIONS, *archive_mementos.OPERATIONS)}
    assert described == {*by_id("", ""), *by_address(), *ELSEWHERE}


def test_ann_herself_sees_what_is_hers(ground: ArchiveStage, hers: tuple[str, str]) -> None:
    for name, (method, target, document) in {**by_id(*hers), **by_address()}.items():
        if method == "GET" and name not in ("captureLibrary", "watches", "captureTile"):
            reply = ground.people["ann"].ask(method, target, document)
            assert reply.status in (200, 302), (name, reply.text)
            assert is_told(reply, hers) or name == "captureCalendar", name


@pytest.mark.parametrize("who", OTHERS)
def test_nobody_else_is_told_by_id_and_in_the_same_words_as_of_what_never_was(
    ground: ArchiveStage, hers: tuple[str, str], who: str
) -> None:
    never = by_id(NEVER, NEVER)
    for name, (method, target, document) in by_id(*hers).items():
        reply = ground.people[who].ask(method, target, document)
        other = ground.people[who].ask(*never[name])
        assert reply.status in (403, 404), (name, reply.text)
        assert reply.status == other.status, name
        assert reply.text.replace(hers[0], NEVER).replace(hers[1], NEVER) == other.text, name


@pytest.mark.parametrize("who", OTHERS)
def test_nobody_else_finds_it_by_address_by_words_or_in_a_list(
    ground: ArchiveStage, hers: tuple[str, str], who: str
) -> None:
    for name, (method, target, document) in by_address().items():
        reply = ground.people[who].ask(method, target, document)
        assert reply.status in (200, 404), (name, reply.text)
        assert not is_told(reply, hers), (name, reply.text)
    calendar = ground.people[who].ask(*by_address()["captureCalendar"]).json()
    assert (calendar["days"], calendar["first"], calendar["last"]) == ({}, None, None)


@pytest.mark.parametrize("who", OUTSIDERS)
def test_whoever_is_of_another_brand_is_refused_whatever_they_ask(
    ground: ArchiveStage, hers: tuple[str, str], who: str
) -> None:
    for name, (method, target, document) in {**by_id(*hers), **by_address()}.items():
        reply = ground.people[who].ask(method, target, document)
        assert reply.status in (401, 403), (name, reply.text)
        assert SECRET not in reply.text


def test_another_members_request_for_the_same_page_is_their_own(ground: ArchiveStage, hers: tuple[str, str]) -> None:
    asked = ground.people["bob"].ask("POST", f"/v1/archive?brand={BRAND}", {"url": PAGE, "reuseWithinMinutes": 60})
    assert asked.status == 202  # Had it been told that the page was kept a moment ago, it would be 200.
    assert asked.json()["request"]["id"] not in hers


def test_nobody_without_a_session_or_a_key_is_told_anything(ground: ArchiveStage, hers: tuple[str, str]) -> None:
    for method, target, _ in {**by_id(*hers), **by_address()}.values():
        assert ground.stage.ask(target, method=method).status == 401


def test_what_was_removed_is_a_tombstone_for_its_member_and_nothing_for_others(ground: ArchiveStage) -> None:
    capture_id = ground.kept("ann", "https://secret.example/gone", "gone soon")
    at = f"/v1/archive/captures/{capture_id}?brand={BRAND}"
    assert ground.people["ann"].ask("DELETE", f"{at}&why=by+mistake").status == 204
    gone = ground.people["ann"].ask("GET", at)
    assert (gone.status, gone.json()["tombstone"]["why"]) == (410, "by mistake")
    assert {ground.people[who].ask("GET", at).status for who in OTHERS} == {404}
    trail = ground.people["owner"].ask("GET", f"/v1/audit?brand={BRAND}").text
    assert capture_id not in trail  # What only she ever saw is nobody else's to read of.
