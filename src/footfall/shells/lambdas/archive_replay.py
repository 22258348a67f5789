"""The replay's own origin on AWS: a function behind an address of its own, which reads captures and nothing else.

It is the code that replays in an instance. Whoever has the address of a replay was allowed to see the capture by the
function that signed it; no cookie and no key is looked at here.
"""

import base64
from collections.abc import Mapping
from http import HTTPStatus
from typing import Any
from urllib.parse import urlsplit

from footfall.app.archive_opening import open_archive
from footfall.app.archive_replaying import Lookups, ReplayReader
from footfall.app.settings import Settings
from footfall.archive import finding
from footfall.archive.captures import Capture
from footfall.archive.references import bytes_of
from footfall.archive.replay_tokens import found_secret
from footfall.shells.http.archive_replay import Answer, refused, replay_answer
from footfall.shells.lambdas.archive import ANSWER_BYTES_MAX
from footfall.shells.lambdas.http_event import Event, require_http
from footfall.shells.lambdas.start import begin
from footfall.values.clock import Clock

UNFIT_HEADERS = ("content-length",)  # Lambda tells it itself.


class ReplayFunction:
    """One function's process: what it holds is made with its first event and kept for those that follow."""

    def __init__(self, settings: Settings, clock: Clock) -> None:
        self._archive = open_archive(settings, clock, for_requests=True).archive
        self._clock = clock
        self._reader: ReplayReader | None = None
        people = urlsplit(settings.people_url)
        self._shown_on = f"{people.scheme}://{people.netloc}" if people.netloc else "'none'"

    def answer(self, event: Event) -> dict[str, Any]:
        """Return what stands at the event's path."""
        asked = require_http(event)["http"]
        if asked["method"] not in ("GET", "HEAD"):
            return _event_answer(refused(HTTPStatus.METHOD_NOT_ALLOWED, "only GET and HEAD are", self._shown_on))
        reader = self._opened()
        if reader is None:
            return _event_answer(refused(HTTPStatus.NOT_FOUND, "nothing was ever replayed here", self._shown_on))
        headers: Mapping[str, Any] = event.get("headers") or {}
        wanted = str(headers.get("range", ""))
        answer = replay_answer(
            str(event.get("rawPath") or "/"),
            range_header=wanted, reader=reader, shown_on=self._shown_on, bytes_max=ANSWER_BYTES_MAX,
        )  # fmt: skip
        return _event_answer(answer, with_body=asked["method"] == "GET")

    def _opened(self) -> ReplayReader | None:
        if self._reader is None and (secret := found_secret(self._archive.table)) is not None:
            self._reader = ReplayReader(Lookups(self._capture, self._blob, secret, self._clock))
        return self._reader

    def _capture(self, capture_id: str) -> Capture | None:
        found = finding.capture(self._archive.table, capture_id)
        return found if isinstance(found, Capture) else None

    def _blob(self, digest: str) -> bytes:
        return bytes_of(self._archive.blobs, digest)


_functions: list[ReplayFunction] = []


def handler(event: Event, context: object) -> dict[str, Any]:
    """Answer one request of the function's address."""
    del context
    if not _functions:
        _functions.append(ReplayFunction(*begin("archive-replay")))
    return _functions[0].answer(event)


def _event_answer(answer: Answer, *, with_body: bool = True) -> dict[str, Any]:
    # Recorded bytes may say that they are text and be none.
    return {
        "statusCode": int(answer.status),
        "headers": {name.lower(): value for name, value in answer.headers if name.lower() not in UNFIT_HEADERS},
        "isBase64Encoded": True,
        "body": base64.b64encode(answer.body if with_body else b"").decode("ascii"),
    }
