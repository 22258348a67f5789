"""GET /v1/widget: the most-read box as HTML for pages to include; nothing rather than an error, and a true status.

Servers put what they are sent into a page, whatever its status is. So whoever cannot have a box gets an empty body, and
a header that says why.
"""

from collections.abc import Mapping
from http import HTTPStatus
from typing import Any

import msgspec
from xxhash import xxh3_64_hexdigest

from footfall.flow.serve.parameters import Given
from footfall.flow.serve.widget import box_from, box_parameters, fragment, list_given
from footfall.shells.http.answers import etag_matches
from footfall.shells.http.lane import Exchange, Route
from footfall.shells.http.pixel import PROBLEM_HEADER, header_text, reason_of
from footfall.shells.http.popular import ListAsks
from footfall.shells.http.reading import Question
from footfall.shells.http.wire import response
from footfall.values.period import Period

WIDGET = "/v1/widget"
HTML = "text/html; charset=utf-8"
MARK_LENGTH = 8  # of the id of a heading: enough to tell the boxes of a page from each other

_KEPT = ("cache-control", "vary", "access-control-allow-origin")  # what the list says to caches and browsers
_GUARDS = {"cross-origin-resource-policy": "cross-origin", "x-content-type-options": "nosniff"}


class _Listed(msgspec.Struct):
    """What a box needs of a list."""

    items: list[dict[str, Any]]


class WidgetAsks:
    """What may be asked of the box: what may be asked of the list, and how the box is to look."""

    def __init__(self, lists: ListAsks) -> None:
        self._lists = lists

    def given(self, target: bytes) -> Given:
        """Return the parameters of an address, or refuse one that there is not."""
        return _given(target)

    def question(self, given: Given, periods: Mapping[str, Period]) -> Question:
        """Return what is asked of the list, so that boxes that differ in their looks share an answer."""
        return self._lists.question(list_given(given), periods)


class WidgetRoute:
    """The route of the box: the list is asked for like any other, and its answer becomes HTML."""

    def __init__(self, lists: Route) -> None:
        self._lists = lists

    def __call__(self, exchange: Exchange) -> None:
        """Send the box."""
        if exchange.method == b"OPTIONS":
            self._lists(exchange)
        else:
            self._lists(_Asked(exchange))


class _Asked(Exchange):
    """The request as one for the list, whose answer becomes the box's."""

    __slots__ = ("_asked",)

    def __init__(self, asked: Exchange) -> None:
        super().__init__(asked.connection, asked.method, asked.target)
        # What the asker has is a box, which the list's etag says nothing of.
        self.headers = [header for header in asked.headers if header[0] != b"if-none-match"]
        self._asked = asked

    def reply(self, whole: bytes) -> None:
        """Answer with the box, with nothing when there is none, or that the asker has it already."""
        head, _, body = whole.partition(b"\r\n\r\n")
        line, *lines = head.decode("latin-1").split("\r\n")
        status = int(line.split(" ")[1])
        headers = dict(one.split(": ", 1) for one in lines)
        if status == HTTPStatus.OK:
            self._asked.reply(self._box(body, {name: headers[name] for name in _KEPT if name in headers}))
            return
        kept = {name: value for name, value in headers.items() if not name.startswith("content-")}
        told = {PROBLEM_HEADER: header_text(reason_of(body))}
        self._asked.reply(response(status, b"", kind=HTML, headers={**kept, **_GUARDS, **told}))

    def _box(self, body: bytes, kept: Mapping[str, str]) -> bytes:
        listed = msgspec.json.decode(body, type=_Listed)
        mark = xxh3_64_hexdigest(self.target)[:MARK_LENGTH]
        made = fragment(listed.items, box_from(_given(self.target)), mark=mark).encode()
        etag = f'"{xxh3_64_hexdigest(made)}"'
        headers = {**kept, "etag": etag, **_GUARDS}
        if etag_matches(etag, self._asked.header(b"if-none-match")):
            return response(HTTPStatus.NOT_MODIFIED, b"", headers=headers)
        return response(HTTPStatus.OK, made, kind=HTML, headers=headers)


def _given(target: bytes) -> Given:
    return box_parameters(target.partition(b"?")[2].decode("latin-1"))
