"""Lists for a program that shows them: asked for once per cache time, and still there when the server is not.

What the server says in Cache-Control and ETag is kept to, as RFC 9111 and RFC 5861 have it: a fresh list is
returned without a call, an old one is asked for again by its ETag, and while the server fails the last good list is
returned for as long as stale-if-error allows.
"""

import email.utils
import re
import threading
import time
from collections import OrderedDict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from http import HTTPStatus
from urllib.parse import quote

from footfall.client.answers import Popular, popular_from_table
from footfall.client.calls import Clock, Line, Reply, Server, refusal_of
from footfall.client.errors import CallFailed, Unreachable

LISTS_MAX = 1_000  # Some 20 KB each at most; the least asked go.
IDLE_LINES_MAX = 8
FAILURE_S = 0.5  # A failure answers for this long, where there is no list to return.
RETRY_S = 5.0  # While the server fails, it is asked at most this often for one list.
# Parameters with one value; in all others a comma separates values, and one inside a value is written as `\\,`.
SINGLE = ("brand", "period", "from", "to", "limit", "closed", "publishedAfter", "sort", "edited")
_DIRECTIVE = re.compile(r"([a-z-]+)\s*=\s*\"?(\d{1,10})\"?")

Values = str | int | Iterable[str | int] | None


@dataclass(frozen=True, slots=True)
class _Kept:
    popular: Popular
    etag: str
    fresh_until_s: float
    usable_until_s: float  # while the server fails


class _Place:
    """Where one list is kept; its lock lets one thread ask while the others wait for that answer."""

    __slots__ = ("asking", "failed_until_s", "failure", "kept")

    def __init__(self) -> None:
        self.asking = threading.Lock()
        self.kept: _Kept | None = None
        self.failure: CallFailed | None = None  # the last one, which also answers those who waited for it
        self.failed_until_s = float("-inf")


class Reader:
    """The asking side of the client, for any number of threads."""

    def __init__(self, server: Server, *, timeout_ms: int, clock: Clock) -> None:
        self._server = server
        self._timeout_ms = timeout_ms
        self._clock = clock
        self._lines: list[Line] = []
        self._places: OrderedDict[str, _Place] = OrderedDict()
        self._lock = threading.Lock()

    def popular(self, query: str) -> Popular:
        """Return the list of a canonical query, from memory while it is fresh or while there is no newer one."""
        place = self._place(query)
        kept = place.kept
        if kept is not None and time.monotonic() < kept.fresh_until_s:
            return kept.popular
        if not place.asking.acquire(blocking=kept is None or time.monotonic() >= kept.usable_until_s):
            assert kept is not None
            return kept.popular  # Another thread is asking; its answer is for the next.
        try:
            if place.kept is not kept and place.kept is not None:
                return place.kept.popular  # Somebody asked while this thread waited.
            if place.failure is not None and time.monotonic() < place.failed_until_s:
                raise place.failure.with_traceback(None)
            place.kept = self._asked(query, place)
            return place.kept.popular
        finally:
            place.asking.release()

    def call(self, target: str, headers: Mapping[str, str] | None = None) -> Reply:
        """Return the answer to a GET, over a kept connection when one is idle."""
        with self._lock:
            line = self._lines.pop() if self._lines else Line(self._server, timeout_ms=self._timeout_ms)
        try:
            return line.call("GET", target, headers=headers)
        finally:
            with self._lock:
                is_kept = len(self._lines) < IDLE_LINES_MAX
                if is_kept:
                    self._lines.append(line)
            if not is_kept:
                line.close()

    def close(self) -> None:
        """Let go of the connections; another call opens one again."""
        with self._lock:
            lines, self._lines = self._lines, []
        for line in lines:
            line.close()

    def after_fork(self) -> None:
        """Begin anew in a child: connections are the parent's, and so are locks that its threads held."""
        for line in self._lines:
            line.close()
        self._lines = []
        self._lock = threading.Lock()
        for place in list(self._places.values()):
            place.asking = threading.Lock()

    def _place(self, query: str) -> _Place:
        with self._lock:
            place = self._places.get(query)
            if place is None:
                place = self._places[query] = _Place()
                if len(self._places) > LISTS_MAX:
                    self._places.popitem(last=False)
            else:
                self._places.move_to_end(query)
            return place

    def _asked(self, query: str, place: _Place) -> _Kept:
        kept = place.kept
        headers = {"If-None-Match": kept.etag} if kept is not None and kept.etag else {}
        try:
            reply = self.call(f"/v1/popular?{query}", headers)
            if reply.status == HTTPStatus.OK:
                return self._kept(popular_from_table(reply.table()), reply)
            if reply.status == HTTPStatus.NOT_MODIFIED and kept is not None:
                return self._kept(replace(kept.popular, is_stale=False), reply)
            if reply.status != HTTPStatus.TOO_MANY_REQUESTS and reply.status < HTTPStatus.INTERNAL_SERVER_ERROR:
                raise refusal_of(reply)
            failure: CallFailed = refusal_of(reply)
        except Unreachable as error:
            failure = error
        now_s = time.monotonic()
        if kept is None or now_s >= kept.usable_until_s:
            # Threads that wait here would otherwise wait for one time-out after another.
            place.failure, place.failed_until_s = failure, now_s + FAILURE_S
            raise failure
        return replace(kept, popular=replace(kept.popular, is_stale=True), fresh_until_s=now_s + RETRY_S)

    def _kept(self, popular: Popular, reply: Reply) -> _Kept:
        control = reply.headers.get("cache-control", "").lower()
        times = {name: int(seconds) for name, seconds in _DIRECTIVE.findall(control)}
        now_s = time.monotonic()
        if "no-store" in control:
            return _Kept(popular, "", now_s, now_s)
        fresh_s = 0 if "no-cache" in control else times.get("max-age", 0) - self._age_s(reply)
        fresh_until_s = now_s + max(0.0, fresh_s)
        return _Kept(
            popular, reply.headers.get("etag", ""), fresh_until_s, fresh_until_s + times.get("stale-if-error", 0)
        )

    def _age_s(self, reply: Reply) -> float:
        """Return how old the answer was when it came: as a cache says, or else by its Date."""
        said = reply.headers.get("age", "")
        if said.isascii() and said.isdecimal():
            return float(said[:9])
        try:
            made_s = email.utils.parsedate_to_datetime(reply.headers["date"]).timestamp()
        except (KeyError, ValueError):
            return 0.0
        return max(0.0, self._clock() / 1_000 - made_s)


def canonical_query(values: Mapping[str, Values]) -> str:
    """Return the query in the one order that the server and its caches prefer: names sorted, values sorted."""
    parts: list[str] = []
    for name in sorted(values):
        given = sorted(set(_listed(values[name])))
        if given:
            texts = [one if name in SINGLE else one.replace("\\", r"\\").replace(",", r"\,") for one in given]
            parts.append(f"{name}={','.join(quote(text, safe='') for text in texts)}")
    return "&".join(parts)


def _listed(value: Values) -> Sequence[str]:
    if value is None or value == "":
        return ()
    if isinstance(value, str | int):
        return (str(value),)
    return [str(one) for one in value]
