"""Data of metrics on the lane: an answer that is ready goes out as bytes, and whatever needs more than a look goes on.

Programs ask for the same numbers again and again, each with a key. For them all is in memory but a few numbers that
tell whether an answer is still right.
"""

from collections.abc import Mapping
from http import HTTPStatus
from typing import TYPE_CHECKING, NamedTuple
from urllib.parse import unquote

from footfall.accounts.keys import READ
from footfall.shells.http.access import Access
from footfall.shells.http.answers import etag_matches
from footfall.shells.http.lane import Exchange, Route
from footfall.shells.http.metric_data_routes import CSV_KIND, form_wanted, headers_of
from footfall.shells.http.metric_desk import MetricDesk
from footfall.shells.http.problems import problem_of
from footfall.shells.http.wire import JSON, response
from footfall.values.errors import FootfallError, Refused

if TYPE_CHECKING:  # Data bring numpy along, which is loaded with the first metric that is asked for.
    from footfall.metrics.data import DataQuery

KNOWN_TARGETS_MAX = 10_000  # Spellings of questions that need no parsing; some hundred bytes each.
_BEFORE, _BEHIND = b"/v1/metrics/", b"/data"


class _Known(NamedTuple):
    """What an address asks: the question, and the brand if it is named."""

    query: "DataQuery"
    brand: str
    format: tuple[str, ...]


class _Ready(NamedTuple):
    """An answer in the form that is wanted."""

    body: bytes
    kind: str
    headers: Mapping[str, str]


class ReadyData:
    """Sends what is ready to whoever has a key that reads, and passes on everything else."""

    def __init__(self, desk: MetricDesk, access: Access, otherwise: Route) -> None:
        self._desk = desk
        self._access = access
        self._otherwise = otherwise
        self._known: dict[bytes, _Known] = {}

    def __call__(self, exchange: Exchange) -> None:
        """Answer, or have somebody else answer."""
        target = exchange.target
        if exchange.method != b"GET" or not target.startswith(_BEFORE) or not self._desk.has_answers:
            self._otherwise(exchange)
            return
        headers = dict(exchange.headers)
        try:
            told = self._ready(target, headers)
            lines = self._access.counted_lines(exchange, headers) if told is not None else b""
        except FootfallError as error:
            exchange.reply(problem_of(error))
            return
        if told is None:
            self._otherwise(exchange)
            return
        exchange.reply(_whole(told, exchange.header(b"if-none-match"), lines))

    def _ready(self, target: bytes, headers: dict[bytes, bytes]) -> _Ready | None:
        """Return what is ready for whoever asks; nothing was counted yet."""
        caller = self._access.known_key(headers)
        if caller is None or READ not in caller.may:
            return None
        known = self._known.get(target) or self._read(target)
        if known is None or known.brand not in ("", caller.brand):
            return None
        told = self._desk.ready(caller.brand, known.query)
        if told is None:
            return None
        form = form_wanted(known.format, headers.get(b"accept", b"").decode("latin-1"))
        said = headers_of(told)
        if form == "json":
            return _Ready(told.body, JSON, {**said, "etag": told.etag})
        table = told.forms.get(form)
        return None if table is None else _Ready(table.body, CSV_KIND, {**said, "etag": table.etag})

    def _read(self, target: bytes) -> _Known | None:
        """Return what an address asks; None for one that is somebody else's to answer, or to refuse."""
        path, _, raw_query = target.partition(b"?")
        if not path.endswith(_BEHIND):
            return None
        from footfall.app.metric_questions import data_parameters, data_query

        name = unquote(path[len(_BEFORE) : -len(_BEHIND)].decode("latin-1"))
        try:
            given = data_parameters(raw_query.decode("latin-1"))
            said = tuple(given.get("format", ()))
            form_wanted(said, "")
            known = _Known(data_query(name, given), "".join(given.get("brand", ())), said)
        except Refused:
            return None
        if "key" in given or given.get("brand") == [""]:
            return None
        if len(self._known) >= KNOWN_TARGETS_MAX:
            self._known.clear()
        self._known[target] = known
        return known


def _whole(told: _Ready, wanted: str, lines: bytes) -> bytes:
    """Return the answer as it travels, with what it says of limits."""
    if wanted and etag_matches(told.headers["etag"], wanted):
        whole = response(HTTPStatus.NOT_MODIFIED, b"", headers=told.headers)
    else:
        whole = response(HTTPStatus.OK, told.body, kind=told.kind, headers=told.headers)
    if lines:
        end = whole.index(b"\r\n") + 2
        whole = whole[:end] + lines + whole[end:]
    return whole
