"""A capture can be taken away as a WACZ, which holds what was captured and nothing that changes from day to day."""

import json
import zipfile
from dataclasses import replace
from hashlib import sha256
from io import BytesIO
from typing import Any

from PIL import Image
from warcio.archiveiterator import ArchiveIterator

from footfall.archive.wacz import Contents, wacz_of
from footfall.ports.capturing import Exchange
from tests.archive.captured_pages import AT_US, CAPTURE, exchange, webp

PAGE = exchange(
    "https://site.example/a",
    b"<p>words</p>",
    "text/html; charset=utf-8",
    headers=[("Content-Encoding", "gzip"), ("content-length", "9"), ("x-evil", "a\r\nX-Other: b")],
)
POSTED = replace(
    exchange("https://site.example/api?b=2", b"{}", "application/json", method="POST"),
    request_headers=[("content-type", "application/json")],
    request_body=b'{"q":"lock"}',
)
CUT = replace(exchange("https://site.example/video", b"\x00" * 70_000, "video/mp4", status=206), is_cut=True)
MOVED = exchange("https://site.example/old", b"", status=301, headers=[("location", "/a")])
ODD = exchange("https://site.example/odd", "é".encode(), "", status=799)
EXCHANGES: list[Exchange] = [MOVED, PAGE, POSTED, CUT, ODD]
TILES = [webp(Image.new("RGB", (8, 8), color)) for color in ("red", "blue")]


def file() -> bytes:
    return wacz_of(Contents(CAPTURE, iter(EXCHANGES), iter(TILES), thumbnail=TILES[0], text="words — é"))


def members() -> dict[str, bytes]:
    with zipfile.ZipFile(BytesIO(file())) as opened:
        assert opened.testzip() is None
        assert all(member.compress_type == zipfile.ZIP_STORED for member in opened.infolist())
        return {name: opened.read(name) for name in opened.namelist()}


def records() -> list[tuple[str, str, Any, bytes]]:
    found: list[tuple[str, str, Any, bytes]] = []
    warc = BytesIO(members()["archive/data.warc.gz"])
    for record in ArchiveIterator(warc, check_digests="raise"):  # pyright: ignore[reportArgumentType] - it takes both
        uri = record.rec_headers.get_header("WARC-Target-URI") or ""
        found.append((record.rec_type, uri, record, record.content_stream().read()))
    return found


def test_the_same_capture_gives_the_same_bytes() -> None:
    assert file() == file()


def test_every_part_has_the_hash_and_the_size_that_the_package_tells() -> None:
    found = members()
    package = json.loads(found["datapackage.json"])
    assert package["wacz_version"] == "1.1.1"
    assert {resource["path"] for resource in package["resources"]} == set(found) - {
        "datapackage.json",
        "datapackage-digest.json",
    }
    for resource in package["resources"]:
        assert resource["hash"] == f"sha256:{sha256(found[resource['path']]).hexdigest()}"
        assert resource["bytes"] == len(found[resource["path"]])
    digest = json.loads(found["datapackage-digest.json"])
    assert digest["hash"] == f"sha256:{sha256(found['datapackage.json']).hexdigest()}"


def test_all_that_was_recorded_comes_back_from_the_warc() -> None:
    found = records()
    assert [(type, uri, body) for type, uri, _, body in found if type == "response"] == [
        ("response", one.url, one.body) for one in EXCHANGES
    ]
    assert [(uri, body) for type, uri, _, body in found if type == "resource"] == [
        ("urn:screenshot:1:https://site.example/a", TILES[0]),
        ("urn:screenshot:2:https://site.example/a", TILES[1]),
        ("urn:thumbnail:https://site.example/a", TILES[0]),
        ("urn:text:https://site.example/a", "words — é".encode()),
    ]
    assert found[0][0] == "warcinfo"
    dates = {record.rec_headers.get_header("WARC-Date") for type, _, record, _ in found if type == "response"}
    assert dates == {"2026-11-17T12:00:00.123461Z"}
    assert AT_US % 1_000_000 == 123_456
    ids = [record.rec_headers.get_header("WARC-Record-ID") for _, _, record, _ in found]
    assert len(set(ids)) == len(ids)


def test_a_decoded_body_keeps_what_was_said_of_its_coding_under_another_name() -> None:
    (page,) = [record for type, uri, record, _ in records() if type == "response" and uri == PAGE.url]
    headers = {name.lower(): value for name, value in page.http_headers.headers}
    assert headers["x-archive-orig-content-encoding"] == "gzip"
    assert headers["x-archive-orig-content-length"] == "9"
    assert (headers["content-length"], headers["x-evil"]) == (str(len(PAGE.body)), "a X-Other: b")
    assert not {"content-encoding", "x-other", ":authority"} & headers.keys()


def test_a_request_stands_beside_its_response_with_its_body() -> None:
    found = records()
    asked = {uri: (record, body) for type, uri, record, body in found if type == "request"}
    record, body = asked[POSTED.url]
    assert body == POSTED.request_body
    assert (record.http_headers.protocol, record.http_headers.statusline) == ("POST", "/api?b=2 HTTP/1.1")
    assert record.http_headers.get_header("Host") == "site.example"
    (answered,) = [record for type, uri, record, _ in found if type == "response" and uri == POSTED.url]
    beside = answered.rec_headers.get_header("WARC-Record-ID")
    assert record.rec_headers.get_header("WARC-Concurrent-To") == beside
    (cut,) = [record for type, uri, record, _ in found if type == "response" and uri == CUT.url]
    assert cut.rec_headers.get_header("WARC-Truncated") == "length"


def test_the_index_is_sorted_and_each_line_leads_to_its_record() -> None:
    found = members()
    warc = found["archive/data.warc.gz"]
    lines = found["indexes/index.cdxj"].decode().splitlines()
    assert lines == sorted(lines)
    assert len(lines) == len(EXCHANGES) + len(TILES) + 2
    for line in lines:
        key, moment, fields = line.split(" ", 2)
        told = json.loads(fields)
        at, length = int(told["offset"]), int(told["length"])
        (record,) = ArchiveIterator(BytesIO(warc[at : at + length]))
        assert record.rec_headers.get_header("WARC-Target-URI") == told["url"]
        assert moment == "20261117120000"
        if told["url"] == POSTED.url:
            assert (key, told["method"]) == ("example,site)/api?__wb_method=post&b=2&q=lock", "POST")


def test_a_player_finds_the_page_in_the_list_of_pages() -> None:
    head, page = [json.loads(line) for line in members()["pages/pages.jsonl"].splitlines()]
    assert head["format"] == "json-pages-1.0"
    assert (page["url"], page["title"], page["text"]) == (CAPTURE.final_url, CAPTURE.title, "words — é")
