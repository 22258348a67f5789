"""WACZ: a capture as one file that every web archive's player opens, made anew whenever somebody asks for it.

A zip with a WARC 1.1 (requests, responses, the picture's tiles, the text), an index and a list of pages. The same
capture gives the same bytes: ids come from the capture's own, and moments from when it was taken. Bodies are as the
page got them, decoded; what their headers said of the coding on the way is kept under `X-Archive-Orig-`.
"""

import zipfile
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from hashlib import sha256
from http import HTTPStatus
from importlib import import_module
from io import BytesIO
from typing import IO, Any
from urllib.parse import urlsplit
from uuid import UUID, uuid5

import msgspec

from footfall.archive.captures import Capture
from footfall.archive.cdx import index_line, post_key, url_key
from footfall.ports.capturing import Exchange
from footfall.values.web_urls import NotInstalled

WACZ_VERSION = "1.1.1"
MEDIA_TYPE = "application/wacz"
SOFTWARE = "footfall"  # without its version: a capture's file is the same after an upgrade

_IDS = UUID("8d1ad4a5-6a5c-4d57-9d5b-9d0f9a2d7c11")
_WARC = "data.warc.gz"
_OF_THE_WAY = frozenset({"content-encoding", "content-length", "transfer-encoding"})


@dataclass(frozen=True, slots=True)
class Contents:
    """What goes into the file; exchanges and tiles are taken one at a time."""

    capture: Capture
    exchanges: Iterable[Exchange]
    tiles: Iterable[bytes]
    thumbnail: bytes
    text: str


@dataclass(slots=True)
class _Hashing:
    """Passes bytes on and knows how many there were, and their hash."""

    out: IO[bytes]
    size_bytes: int = 0
    hash: Any = field(default_factory=sha256)

    def write(self, data: bytes) -> None:
        self.out.write(data)
        self.hash.update(data)
        self.size_bytes += len(data)

    def flush(self) -> None:
        """Do nothing: a member of a zip is written when it is closed."""


@dataclass(frozen=True, slots=True)
class _Resource:
    path: str
    hash: str
    size_bytes: int


def write_wacz(contents: Contents, out: IO[bytes]) -> None:
    """Write the file; at most one body of a recorded exchange is held in memory at a time."""
    capture = contents.capture
    with zipfile.ZipFile(out, "w", zipfile.ZIP_STORED) as pack:
        index: list[str] = []
        with pack.open(_member(f"archive/{_WARC}", capture.at_us), "w", force_zip64=True) as member:
            hashing = _Hashing(member)
            for record in _records(contents):
                at = hashing.size_bytes
                record.write(hashing)
                if record.key:
                    index.append(_index_line(record, offset=at, length=hashing.size_bytes - at))
        resources = [_Resource(f"archive/{_WARC}", hashing.hash.hexdigest(), hashing.size_bytes)]
        lines = "".join(f"{line}\n" for line in sorted(index))
        for path, data in (
            ("indexes/index.cdxj", lines.encode()),
            ("pages/pages.jsonl", _pages(capture, contents.text)),
        ):
            pack.writestr(_member(path, capture.at_us), data)
            resources.append(_Resource(path, sha256(data).hexdigest(), len(data)))
        package = _data_package(capture, resources)
        pack.writestr(_member("datapackage.json", capture.at_us), package)
        digest = {"path": "datapackage.json", "hash": f"sha256:{sha256(package).hexdigest()}"}
        pack.writestr(_member("datapackage-digest.json", capture.at_us), _json(digest))


def wacz_of(contents: Contents) -> bytes:
    """Return the whole file."""
    out = BytesIO()
    write_wacz(contents, out)
    return out.getvalue()


@dataclass(frozen=True, slots=True)
class _Record:
    """A record of the WARC, and how the index names it; without a key it is not in the index."""

    write: Callable[[_Hashing], None]
    key: str = ""
    at_us: int = 0
    fields: dict[str, Any] = field(default_factory=dict[str, Any])


def _records(contents: Contents) -> Iterator[_Record]:
    making = _Making(contents.capture.id)
    capture = contents.capture
    about = f"software: {SOFTWARE}\r\nformat: WARC File Format 1.1\r\nisPartOf: {capture.id}\r\n"
    warcinfo = making.record("warcinfo", "", about.encode(), at_us=capture.at_us, kind="application/warc-fields")
    yield _Record(making.writing(warcinfo))
    for exchange in contents.exchanges:
        yield from _of_exchange(making, exchange)
    url = capture.final_url
    for number, tile in enumerate(contents.tiles, start=1):
        yield _resource(making, f"urn:screenshot:{number}:{url}", tile, "image/webp", capture.at_us)
    yield _resource(making, f"urn:thumbnail:{url}", contents.thumbnail, "image/webp", capture.at_us)
    yield _resource(making, f"urn:text:{url}", contents.text.encode(), "text/plain; charset=utf-8", capture.at_us)


def _of_exchange(making: "_Making", exchange: Exchange) -> Iterator[_Record]:
    response = making.response(exchange)
    request = making.request(exchange, beside=response)
    kind = _header(exchange.response_headers, "content-type")
    posted = post_key(
        exchange.url,
        method=exchange.method,
        content_type=_header(exchange.request_headers, "content-type"),
        body=exchange.request_body,
    )
    fields = {"url": exchange.url, "mime": kind.partition(";")[0].strip() or "unk", "status": str(exchange.status)}
    fields |= {"digest": f"sha256:{sha256(exchange.body).hexdigest()}"}
    if posted is not None:
        fields |= {"method": exchange.method, "requestBody": posted.query}
    key = url_key(exchange.url + (posted.suffix if posted is not None else ""))
    yield _Record(making.writing(response), key.replace(" ", "%20"), exchange.at_us, fields)
    yield _Record(making.writing(request))


def _resource(making: "_Making", uri: str, data: bytes, kind: str, at_us: int) -> _Record:
    fields = {"url": uri, "mime": kind.partition(";")[0], "status": "200"}
    fields["digest"] = f"sha256:{sha256(data).hexdigest()}"
    record = making.record("resource", uri, data, at_us=at_us, kind=kind)
    return _Record(making.writing(record), uri.replace(" ", "%20"), at_us, fields)


class _Making:
    """Makes records whose ids are those of the capture and their own place in it."""

    def __init__(self, capture_id: str) -> None:
        self._capture_id = capture_id
        self._count = 0
        self._headers = _part_of_warcio("statusandheaders").StatusAndHeaders
        self._writer = _part_of_warcio("warcwriter").WARCWriter
        self._builder = _part_of_warcio("recordbuilder").RecordBuilder(warc_version="1.1")

    def record(self, type: str, uri: str, data: bytes, *, at_us: int, kind: str) -> Any:
        """Return a record without HTTP headers."""
        headers = {**self._named(at_us), "Content-Type": kind}
        return self._builder.create_warc_record(
            uri, type, payload=BytesIO(data), length=len(data), warc_content_type=kind, warc_headers_dict=headers
        )

    def response(self, exchange: Exchange) -> Any:
        """Return the record of what was answered."""
        headers = [(_orig(name), value) for name, value in _sendable(exchange.response_headers)]
        headers.append(("Content-Length", str(len(exchange.body))))
        more = {"WARC-Truncated": "length"} if exchange.is_cut else {}
        return self._http("response", exchange, _status_line(exchange.status), headers, exchange.body, more)

    def request(self, exchange: Exchange, *, beside: Any) -> Any:
        """Return the record of what was asked."""
        parts = urlsplit(exchange.url)
        target = (parts.path or "/") + (f"?{parts.query}" if parts.query else "")
        headers = [(name, value) for name, value in _sendable(exchange.request_headers) if name.lower() != "host"]
        more = {"WARC-Concurrent-To": beside.rec_headers.get_header("WARC-Record-ID")}
        line = f"{exchange.method} {target.replace(' ', '%20')} HTTP/1.1"
        return self._http("request", exchange, line, [("Host", parts.netloc), *headers], exchange.request_body, more)

    def writing(self, record: Any) -> Callable[[_Hashing], None]:
        """Return what writes the record."""

        def write(out: _Hashing) -> None:
            self._writer(out, gzip=True, warc_version="1.1").write_record(record)

        return write

    def _http(
        self,
        type: str,
        exchange: Exchange,
        line: str,
        headers: Sequence[tuple[str, str]],
        body: bytes,
        more: dict[str, str],
    ) -> Any:
        first, _, rest = line.partition(" ")
        http = self._headers(rest, list(headers), protocol=first)
        return self._builder.create_warc_record(
            exchange.url,
            type,
            payload=BytesIO(body),
            length=len(body),
            http_headers=http,
            warc_headers_dict={**self._named(exchange.at_us), **more},
        )

    def _named(self, at_us: int) -> dict[str, str]:
        self._count += 1
        name = uuid5(_IDS, f"{self._capture_id}#{self._count}")
        return {"WARC-Record-ID": f"<urn:uuid:{name}>", "WARC-Date": _date(at_us)}


def _orig(name: str) -> str:
    return f"X-Archive-Orig-{name}" if name.lower() in _OF_THE_WAY else name


def _sendable(headers: Sequence[tuple[str, str]]) -> Iterator[tuple[str, str]]:
    # HTTP/2 has headers of its own that begin with a colon; a line break in a value would begin another header.
    for name, value in headers:
        if name and not name.startswith(":") and name.isascii() and not any(letter in name for letter in " \r\n:"):
            yield name, " ".join(value.splitlines())


def _status_line(status: int) -> str:
    try:
        phrase = HTTPStatus(status).phrase
    except ValueError:
        phrase = "Unknown"
    return f"HTTP/1.1 {status} {phrase}"


def _header(headers: Sequence[tuple[str, str]], name: str) -> str:
    return next((value for found, value in headers if found.lower() == name), "")


def _index_line(record: _Record, *, offset: int, length: int) -> str:
    place = {"length": str(length), "offset": str(offset), "filename": _WARC}
    return index_line(record.key, at_us=record.at_us, fields={**record.fields, **place})


def _pages(capture: Capture, text: str) -> bytes:
    head = {"format": "json-pages-1.0", "id": "pages", "title": "All Pages", "hasText": True}
    page = {"id": capture.id, "url": capture.final_url, "ts": _date(capture.at_us), "title": capture.title}
    return _json(head) + b"\n" + _json({**page, "text": text}) + b"\n"


def _data_package(capture: Capture, resources: Sequence[_Resource]) -> bytes:
    return msgspec.json.format(
        _json(
            {
                "profile": "data-package",
                "wacz_version": WACZ_VERSION,
                "title": capture.title or capture.final_url,
                "software": SOFTWARE,
                "created": _date(capture.at_us),
                "mainPageUrl": capture.final_url,
                "mainPageDate": _date(capture.at_us),
                "resources": [
                    {
                        "name": resource.path.rpartition("/")[2].lower(),
                        "path": resource.path,
                        "hash": f"sha256:{resource.hash}",
                        "bytes": resource.size_bytes,
                    }
                    for resource in resources
                ],
            }
        )
    )


def _json(document: Any) -> bytes:
    return msgspec.json.encode(document)


def _member(path: str, at_us: int) -> zipfile.ZipInfo:
    moment = _moment(at_us)
    member = zipfile.ZipInfo(path, (max(moment.year, 1980), *moment.timetuple()[1:6]))  # A zip begins in 1980.
    member.external_attr = 0o644 << 16
    return member


def _date(at_us: int) -> str:
    return _moment(at_us).strftime("%Y-%m-%dT%H:%M:%S.%fZ")


def _moment(at_us: int) -> datetime:
    return datetime(1970, 1, 1, tzinfo=UTC) + timedelta(microseconds=at_us)


def _part_of_warcio(name: str) -> Any:
    # Imported where it is used: only who takes a capture away needs it.
    try:
        return import_module(f"warcio.{name}")
    except ImportError as error:
        raise NotInstalled(
            f"a WACZ needs warcio, which is not installed: `pip install 'footfall[archive]'` ({error})"
        ) from error
