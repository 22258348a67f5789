"""The routes that readers ask: from ready bytes, whatever order the question's words come in."""

from collections.abc import Callable, Mapping
from http import HTTPStatus
from typing import NamedTuple, Protocol, TypeVar

from footfall.accounts.brands import Brand, Brands
from footfall.app.settings import Settings
from footfall.flow.serve.parameters import Given, brand_from
from footfall.shells.http.access import Access, Headers
from footfall.shells.http.answers import SPAN_WAIT_S_MAX, WAIT_S_MAX, Answers, Ready, etag_matches
from footfall.shells.http.lane import Exchange
from footfall.shells.http.problems import not_allowed, problem_of
from footfall.shells.http.wire import response
from footfall.values.clock import Clock
from footfall.values.errors import FootfallError, Refused
from footfall.values.period import Period

T = TypeVar("T")

KNOWN_TARGETS_MAX = 20_000  # Spellings of questions that need no parsing; a few hundred bytes each.

PREFLIGHT = response(
    HTTPStatus.NO_CONTENT,
    b"",
    headers={
        "access-control-allow-origin": "*",
        "access-control-allow-methods": "GET, HEAD, OPTIONS",
        "access-control-allow-headers": "authorization",
        "access-control-max-age": "86400",
    },
)
_PUBLIC, _PRIVATE = b"\r\ncache-control: public,", b"\r\nvary: authorization, cookie\r\ncache-control: private,"


class Question(NamedTuple):
    """A question in its one text, and what is still to be looked at before it is worked on."""

    text: str
    is_of_the_past: bool  # It is read from the store when it is asked for, which takes longer.
    require: Callable[[str, int], None]  # Raises Refused when it cannot be asked in the brand's zone at this moment.


class Asks(Protocol):
    """What may be asked on a route."""

    def given(self, target: bytes) -> Given:
        """Return the parameters of an address, or refuse one that there is not."""
        ...

    def question(self, given: Given, periods: Mapping[str, Period], /) -> Question:
        """Return the question that the parameters ask of a brand with these periods."""
        ...


class ReadingRoute:
    """A route that serves answers of one kind."""

    def __init__(
        self, asks: Asks, answers: Answers, brands: Brands, settings: Settings, *, access: Access, clock: Clock
    ) -> None:
        self._asks = asks
        self._answers = answers
        self._brands = brands
        self._periods = settings.periods
        self._access = access
        self._clock = clock
        self._canonicals: dict[bytes, str] = {}  # of questions that anybody may ask, as the brands are now
        self._changes = brands.changes

    def __call__(self, exchange: Exchange) -> None:
        """Send the answer."""
        if not is_read(exchange):
            return
        if self._brands.changes != self._changes:
            self._changes = self._brands.changes
            self._canonicals.clear()
        canonical_text = self._canonicals.get(exchange.target)
        if canonical_text is not None:
            ready = self._answers.find(canonical_text)
            if ready is not None:
                send(exchange, ready, is_private=False)
                return
        try:
            self._look_up(exchange)
        except FootfallError as error:
            exchange.reply(problem_of(error))

    def _look_up(self, exchange: Exchange) -> None:
        """Find out who asks and for what, and send the answer when it is there."""
        headers = dict(exchange.headers)
        given, name, is_free = self._counting_refusals(exchange, headers, lambda: self._named(exchange.target))
        if is_free:
            question = self._counting_refusals(exchange, headers, lambda: self._question(given, name))
        else:
            # Whoever needs a key is counted with it, others only when there is something to do for them.
            caller = self._access.reader(exchange, headers, name=name)
            name = name or caller.brand
            question = self._question(given, name)
        ready = self._answers.find(question.text)
        if ready is None:
            if is_free:
                self._access.count_question(exchange, headers, brand=name)
            question.require((self._brands.named(name) or Brand(name)).zone, self._clock.now_ms())
        if is_free and self._brands.named(name) is not None:
            self._remember(exchange.target, question.text)
        if ready is not None:
            send(exchange, ready, is_private=not is_free)
            return
        wait_s = SPAN_WAIT_S_MAX if question.is_of_the_past else WAIT_S_MAX
        self._answers.wait_for(question.text, lambda made: send(exchange, made, is_private=not is_free), wait_s=wait_s)

    def _named(self, target: bytes) -> tuple[Given, str, bool]:
        """Return what is asked, the brand if it is named, and whether its lists need no key."""
        given = self._asks.given(target)
        name = brand_from(given) if "brand" in given else ""
        return given, name, bool(name) and self._is_free(name)

    def _is_free(self, name: str) -> bool:
        """Tell whether a brand's answers need no key."""
        return self._access.may_read_freely(name)

    def _question(self, given: Given, name: str) -> Question:
        return self._asks.question({**given, "brand": [name]}, self._periods_of(name))

    def _counting_refusals(self, exchange: Exchange, headers: Headers, work: Callable[[], T]) -> T:
        """Do what may be refused; whoever asks nonsense is limited, too."""
        try:
            return work()
        except Refused:
            self._access.count_question(exchange, headers, brand="")
            raise

    def _periods_of(self, name: str) -> Mapping[str, Period]:
        brand = self._brands.named(name)
        return self._periods if brand is None or not brand.periods else {**self._periods, **brand.periods}

    def _remember(self, target: bytes, canonical_text: str) -> None:
        if len(self._canonicals) >= KNOWN_TARGETS_MAX:
            self._canonicals.clear()
        self._canonicals[target] = canonical_text


class OwnersRoute(ReadingRoute):
    """A route whose answers are a brand's own: however public its lists are, a brand that has keys needs one."""

    def _is_free(self, name: str) -> bool:
        return super()._is_free(name) and self._brands.is_open(name)


def is_read(exchange: Exchange) -> bool:
    """Tell whether a request reads; answer one that does not."""
    if exchange.method == b"GET" or exchange.method == b"HEAD":
        return True
    is_preflight = exchange.method == b"OPTIONS"
    refusal = not_allowed("GET, HEAD, OPTIONS", detail="lists are read with GET")
    exchange.reply(PREFLIGHT if is_preflight else refusal)
    return False


def send(exchange: Exchange, made: Ready | bytes, *, is_private: bool) -> None:
    """Send an answer, or that the asker has it already, or the problem why there is none."""
    if isinstance(made, bytes):
        exchange.reply(made)
        return
    whole = made.whole
    for name, _ in exchange.headers:  # Most askers have nothing to compare with, so it is only looked for.
        if name == b"if-none-match" and etag_matches(made.etag, exchange.header(name)):
            whole = made.not_modified
    exchange.reply(whole.replace(_PUBLIC, _PRIVATE, 1) if is_private else whole)
