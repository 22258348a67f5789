"""GET /v1/top/brands: what several brands come to, put together from the ready line of each."""

from collections.abc import Mapping, Sequence
from http import HTTPStatus
from typing import Any

import msgspec

from footfall.accounts.brands import Brand, Brands
from footfall.app.settings import DAY_MS, Settings
from footfall.flow.serve.answer import Answer, answer_from
from footfall.flow.serve.parameters import BRAND_BYTES_MAX, KINDS, Given, Several, format_of, given_from, values_of
from footfall.flow.serve.query import BRANDS, BRANDS_MAX, HITS, LABELS, UNIQUES, label_parameters
from footfall.flow.serve.shown import SCREENED
from footfall.flow.serve.tables import formatted
from footfall.flow.serve.top_answer import BRAND_COLUMNS, VISITED_BRAND_COLUMNS
from footfall.flow.serve.unique_names import VISITOR_DAYS, VISITORS
from footfall.shells.http.access import Access, Headers
from footfall.shells.http.answers import SPAN_WAIT_S_MAX, Answers, Ready, etag_matches
from footfall.shells.http.lane import Exchange
from footfall.shells.http.popular import ListAsks
from footfall.shells.http.problems import problem_of
from footfall.shells.http.reading import Question, is_read
from footfall.shells.http.wire import JSON, response
from footfall.values.clock import Clock
from footfall.values.errors import FootfallError, Refused

CACHE_S = 30

_NAMES = Several(BRANDS_MAX, BRAND_BYTES_MAX)
_SINGLE = ("period", "from", "to", "closed", "sort", "format")


class TopBrandsRoute:
    """The route of the roll-up over brands."""

    def __init__(self, answers: Answers, brands: Brands, settings: Settings, *, access: Access, clock: Clock) -> None:
        self._answers = answers
        self._brands = brands
        self._settings = settings
        self._access = access
        self._clock = clock
        self._asks = ListAsks(BRANDS, label_parameters, settings.store_minutes_days * DAY_MS)

    def __call__(self, exchange: Exchange) -> None:
        """Send the list once the line of every brand is there."""
        if not is_read(exchange):
            return
        try:
            self._look_up(exchange)
        except FootfallError as error:
            exchange.reply(problem_of(error))

    def _look_up(self, exchange: Exchange) -> None:
        headers = dict(exchange.headers)
        given, names = self._counted_question(exchange, headers)
        is_free = self._require_readable(exchange, headers, names)
        format_name = format_of(given)
        questions = [self._question(given, name) for name in names]
        gathering = _Gathering(exchange, len(questions), format_name=format_name, is_private=not is_free)
        for question in questions:
            ready = self._answers.find(question.text)
            if ready is not None:
                gathering.take(ready)
            else:
                self._answers.wait_for(question.text, gathering.take, wait_s=SPAN_WAIT_S_MAX)

    def _counted_question(self, exchange: Exchange, headers: Headers) -> tuple[Given, tuple[str, ...]]:
        """Return what is asked about which brands; each question is counted: none is sent from ready bytes."""
        self._access.count_question(exchange, headers, brand="")
        raw_query = exchange.target.partition(b"?")[2].decode("latin-1")
        given = given_from(raw_query, single=_SINGLE, several={"brand": _NAMES, **LABELS, **SCREENED}, of="brands")
        names = values_of(given, "brand", _NAMES)
        if not names:
            raise Refused("brand", "is missing; name the brands, as in brand=abc&brand=xyz")
        return given, names

    def _require_readable(self, exchange: Exchange, headers: Headers, names: Sequence[str]) -> bool:
        """Raise unless whoever asks may read every one of the brands; tell whether anybody may."""
        closed = [name for name in names if not self._access.may_read_freely(name)]
        for name in closed:
            self._access.reader(exchange, headers, name=name)
        return not closed

    def _question(self, given: Given, name: str) -> Question:
        brand = self._brands.named(name) or Brand(name)
        # Each brand's line has no format: the whole list gets it.
        own = {key: values for key, values in given.items() if key != "format"} | {"brand": [name]}
        question = self._asks.question(own, {**self._settings.periods, **brand.periods})
        question.require(brand.zone, self._clock.now_ms())
        return question


class _Gathering:
    """One asker who waits for the lines of all brands."""

    def __init__(self, exchange: Exchange, count: int, *, format_name: str, is_private: bool) -> None:
        self._exchange = exchange
        self._left = count
        self._format_name = format_name
        self._is_private = is_private
        self._lines: list[Mapping[str, Any]] = []
        self._is_done = False

    def take(self, made: Ready | bytes) -> None:
        """Take the line of one brand, or the problem why there is none, which is then everybody's."""
        if self._is_done:
            return
        if isinstance(made, bytes):
            self._is_done = True
            self._exchange.reply(made)
            return
        self._lines.append(msgspec.json.decode(made.whole.partition(b"\r\n\r\n")[2], type=dict[str, Any]))
        self._left -= 1
        if not self._left:
            self._is_done = True
            self._send(formatted(rolled_up(self._lines), self._format_name))

    def _send(self, made: Answer) -> None:
        headers = {
            "cache-control": f"{'private' if self._is_private else 'public'}, max-age={made.max_age_s}",
            "etag": made.etag,
            "access-control-allow-origin": "*",
        }
        if self._is_private:
            headers["vary"] = "authorization, cookie"
        if etag_matches(made.etag, self._exchange.header(b"if-none-match")):
            self._exchange.reply(response(HTTPStatus.NOT_MODIFIED, b"", headers=headers))
            return
        kind = KINDS.get(self._format_name, JSON)
        self._exchange.reply(response(HTTPStatus.OK, made.body, kind=kind, headers=headers))


def rolled_up(lines: Sequence[Mapping[str, Any]]) -> Answer:
    """Return the brands in the order of their hits or visitors, and what they come to together."""
    has_visitors = all(UNIQUES in line for line in lines)
    by = UNIQUES if has_visitors else HITS
    ranked = sorted(lines, key=lambda line: (-line[by], -line["hits"], line["brand"]))
    is_exact = all(line["exact"] for line in ranked)
    before = [line["hitsBefore"] for line in ranked]
    body: dict[str, Any] = {
        "exact": is_exact,
        "hits": sum(line["hits"] for line in ranked),
        "hitsBefore": None if None in before else sum(before),
    }
    if has_visitors:
        # Every brand has salts of its own, so that nobody can tell who visits two of them.
        is_of_one_day = all(line["uniquesAre"] == VISITORS for line in ranked)
        body |= {"sort": UNIQUES, "uniquesAre": VISITORS if is_of_one_day else VISITOR_DAYS}
        at_most = [line["uniquesAtMost"] for line in ranked]
        body["uniques"] = sum(line["uniques"] for line in ranked)
        body["uniquesAtLeast"] = sum(line["uniquesAtLeast"] for line in ranked)
        body["uniquesAtMost"] = None if None in at_most else sum(at_most)
    body["items"] = [{"rank": rank, **line} for rank, line in enumerate(ranked, start=1)]
    columns = ("rank", *(VISITED_BRAND_COLUMNS if has_visitors else BRAND_COLUMNS))
    return answer_from(msgspec.json.encode(body), max_age_s=CACHE_S, exact=is_exact, columns=columns)
