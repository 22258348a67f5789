"""GET /v1/popular: from ready bytes, whatever order the question's words come in."""

from collections.abc import Mapping
from typing import NamedTuple

from footfall.accounts.brands import Brand, Brands
from footfall.app.settings import DAY_MS, Settings
from footfall.flow.serve.query import PopularQuery, brand_from, canonical, parameters, query_from
from footfall.flow.serve.spans import asked_span
from footfall.shells.http.access import Access
from footfall.shells.http.answers import SPAN_WAIT_S_MAX, WAIT_S_MAX, Answers, Ready, etag_matches
from footfall.shells.http.lane import Exchange
from footfall.shells.http.problems import not_allowed, problem_of
from footfall.values.clock import Clock
from footfall.values.errors import FootfallError
from footfall.values.period import Period

KNOWN_TARGETS_MAX = 20_000  # Spellings of questions that need no parsing; a few hundred bytes each.

_PUBLIC, _PRIVATE = b"\r\ncache-control: public,", b"\r\nvary: authorization\r\ncache-control: private,"


class Asked(NamedTuple):
    """A question that was understood: its canonical text, its brand as it was then, and how long to wait for it."""

    canonical: str
    name: str
    brand: Brand | None
    wait_s: float


class PopularRoute:
    """The route that serves lists."""

    def __init__(self, answers: Answers, brands: Brands, settings: Settings, *, access: Access, clock: Clock) -> None:
        self._answers = answers
        self._brands = brands
        self._periods = settings.periods
        self._minutes_kept_ms = settings.store_minutes_days * DAY_MS
        self._access = access
        self._clock = clock
        self._asked: dict[bytes, Asked] = {}

    def __call__(self, exchange: Exchange) -> None:
        """Send the list."""
        if exchange.method != b"GET" and exchange.method != b"HEAD":
            exchange.reply(not_allowed("GET, HEAD", detail="lists are read with GET"))
            return
        asked = self._asked.get(exchange.target)
        if asked is not None:
            brand = self._brands.named(asked.name)
            if brand is not None and brand is asked.brand and brand.is_public:
                ready = self._answers.find(asked.canonical)
                if ready is not None:
                    _send(exchange, ready, is_private=False)
                    return
        try:
            self._look_up(exchange)
        except FootfallError as error:
            exchange.reply(problem_of(error))

    def _look_up(self, exchange: Exchange) -> None:
        """Find out who asks and for what, and send the list when it is there."""
        headers = dict(exchange.headers)
        given = parameters(exchange.target.partition(b"?")[2].decode("latin-1"))
        reader = None if "brand" in given else self._access.reader_of(exchange.target, headers)
        name = brand_from(given) if reader is None else reader.brand
        is_free = self._access.may_read_freely(name)
        if reader is not None or not is_free:
            self._access.require_reader(name, exchange.target, headers)
        asked = self._understood(query_from({**given, "brand": [name]}, periods=self._periods_of(name)))
        if reader is None:
            self._remember(exchange.target, asked)
        is_private = reader is not None or not is_free
        ready = self._answers.find(asked.canonical)
        if ready is not None:
            _send(exchange, ready, is_private=is_private)
            return
        self._access.count_question(exchange, headers, brand=name)
        self._answers.wait_for(
            asked.canonical, lambda made: _send(exchange, made, is_private=is_private), wait_s=asked.wait_s
        )

    def _understood(self, query: PopularQuery) -> Asked:
        brand = self._brands.named(query.brand)
        if query.from_ms is None or query.to_ms is None:
            return Asked(canonical(query), query.brand, brand, WAIT_S_MAX)
        asked_span(
            from_ms=query.from_ms,
            to_ms=query.to_ms,
            zone=(brand or Brand(query.brand)).zone,
            now_ms=self._clock.now_ms(),
            minutes_kept_ms=self._minutes_kept_ms,
        )
        return Asked(canonical(query), query.brand, brand, SPAN_WAIT_S_MAX)

    def _periods_of(self, name: str) -> Mapping[str, Period]:
        brand = self._brands.named(name)
        return self._periods if brand is None or not brand.periods else {**self._periods, **brand.periods}

    def _remember(self, target: bytes, asked: Asked) -> None:
        if len(self._asked) >= KNOWN_TARGETS_MAX:
            self._asked.clear()
        self._asked[target] = asked


def _send(exchange: Exchange, made: Ready | bytes, *, is_private: bool) -> None:
    if isinstance(made, bytes):
        exchange.reply(made)
        return
    wanted = exchange.header(b"if-none-match")
    whole = made.not_modified if wanted and etag_matches(made.etag, wanted) else made.whole
    exchange.reply(whole.replace(_PUBLIC, _PRIVATE, 1) if is_private else whole)
