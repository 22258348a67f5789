"""GET /v1/popular: from ready bytes, whatever order the question's words come in."""

from collections.abc import Mapping

from footfall.accounts.brands import Brands
from footfall.flow.serve.query import canonical, popular_query
from footfall.shells.http.answers import Answers, Ready, etag_matches
from footfall.shells.http.lane import Exchange
from footfall.shells.http.problems import not_allowed, problem_of
from footfall.values.errors import Refused
from footfall.values.period import Period

KNOWN_TARGETS_MAX = 20_000  # Spellings of questions that need no parsing; a few hundred bytes each.


class PopularRoute:
    """The route that serves lists."""

    def __init__(self, answers: Answers, brands: Brands, periods: Mapping[str, Period]) -> None:
        self._answers = answers
        self._brands = brands
        self._periods = periods
        self._canonicals: dict[bytes, str] = {}

    def __call__(self, exchange: Exchange) -> None:
        """Send the list."""
        name = self._canonicals.get(exchange.target)
        if name is None:
            if exchange.method not in (b"GET", b"HEAD"):
                exchange.reply(not_allowed("GET, HEAD", detail="lists are read with GET"))
                return
            try:
                name = self._canonical(exchange.target)
            except Refused as error:
                exchange.reply(problem_of(error))
                return
        ready = self._answers.find(name)
        if ready is not None and exchange.method == b"GET":
            self._send(exchange, ready)
        elif exchange.method in (b"GET", b"HEAD"):
            self._answers.wait_for(name, lambda made: self._send(exchange, made))
        else:
            exchange.reply(not_allowed("GET, HEAD", detail="lists are read with GET"))

    def _send(self, exchange: Exchange, made: Ready | bytes) -> None:
        if isinstance(made, bytes):
            exchange.reply(made)
            return
        wanted = exchange.header(b"if-none-match")
        exchange.reply(made.not_modified if wanted and etag_matches(made.etag, wanted) else made.whole)

    def _canonical(self, target: bytes) -> str:
        query = popular_query(target.partition(b"?")[2].decode("latin-1"), periods=self._periods)
        self._brands.require_known(query.brand)
        if len(self._canonicals) >= KNOWN_TARGETS_MAX:
            self._canonicals.clear()
        name = self._canonicals[target] = canonical(query)
        return name
