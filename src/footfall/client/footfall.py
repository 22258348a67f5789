"""The client's front: hand over hits, ask for lists, and be done at the end of the program."""

import atexit
import os
import ssl
import time
from collections.abc import Callable
from datetime import UTC, datetime
from types import TracebackType
from typing import Self

from footfall.client.answers import Ledger, Popular, ledger_from_table
from footfall.client.calls import Clock, refusal_of, server_at
from footfall.client.lists import Reader, Values, canonical_query
from footfall.client.sending import Counts, Options, Refusal, Sender

LIMIT_DEFAULT = 100  # The server's own; a question that leaves it out is the same question.


def system_clock() -> int:
    """Return the wall clock in milliseconds; the client stands alone, so it has a clock of its own."""
    return time.time_ns() // 1_000_000  # noqa: TID251 - there is nothing below the client to take a clock from


class Footfall:
    """A footfall server, as a program sees it. Safe to use from any thread, and on both sides of a fork."""

    def __init__(  # noqa: PLR0913 - all but the address have a default
        self,
        url: str,
        *,
        key: str = "",
        brand: str = "",
        signing_key: str = "",
        options: Options | None = None,
        on_refused: Callable[[Refusal], None] | None = None,
        tls: ssl.SSLContext | None = None,
        clock: Clock = system_clock,
    ) -> None:
        options = options or Options()
        server = server_at(url, key=key, tls=tls, signing_key=signing_key)
        self.brand = brand
        self._clock = clock
        self._close_ms = options.close_ms
        self._sender = Sender(server, brand=brand, options=options, on_refused=on_refused, clock=clock)
        self._put = self._sender.put
        self._reader = Reader(server, timeout_ms=options.read_timeout_ms, clock=clock)
        _remember(self)

    def hit(  # noqa: PLR0913 - a hit has that many fields, and all but the first may be left out
        self,
        asset: str | int,
        *,
        section: str | int | None = None,
        type: str | None = None,
        paid: str | None = None,
        url: str | None = None,
        referrer: str | None = None,
        at: datetime | int | str | None = None,
        visitor: str | None = None,
        id: str | None = None,
        agent: str | None = None,
    ) -> None:
        """Hand over a hit and return at once; nothing that goes wrong with it is raised here.

        `at` is when it was seen: now unless given, so that a hit that waits for the server keeps its minute. `agent` is
        the reader's user agent; the server tells programs by it and does not keep it.
        """
        seen_at = self._clock() if at is None else at
        self._put((asset, section, type, paid, url, referrer, seen_at, visitor, id, agent))

    def popular(  # noqa: PLR0913 - what may be asked for, each with a default
        self,
        *,
        period: str = "",
        starts: datetime | str | None = None,
        ends: datetime | str | None = None,
        section: Values = None,
        type: Values = None,
        paid: Values = None,
        limit: int = LIMIT_DEFAULT,
        closed: bool = False,
        brand: str = "",
        **more: Values,
    ) -> Popular:
        """Return the most popular assets; raises CallFailed only when there is not even an older list to return.

        The span is a period (`justnow` unless given) or goes from `starts` to `ends`, whole days or hours of the brand.
        `more` is for what else the server knows, by its names there, such as `author` or `tag`, or `sort="uniques"` for
        the assets with the most visitors.
        """
        query = canonical_query(
            {
                "brand": brand or self.brand,
                "period": period or ("justnow" if starts is None and ends is None else None),
                "from": _moment_text(starts),
                "to": _moment_text(ends),
                "section": section,
                "resourceType": type,
                "paidType": paid,
                "limit": None if limit == LIMIT_DEFAULT else limit,
                "closed": "true" if closed else None,
                **more,
            }
        )
        return self._reader.popular(query)

    def ledger(self, *, brand: str = "") -> Ledger:
        """Return where every accepted hit of the brand has gone; raises CallFailed."""
        reply = self._reader.call(f"/v1/ledger?{canonical_query({'brand': brand or self.brand})}")
        if not 200 <= reply.status < 300:
            raise refusal_of(reply)
        return ledger_from_table(reply.table())

    def counts(self) -> Counts:
        """Return what became of the hits that were handed over in this process."""
        return self._sender.counts()

    def flush(self, timeout: float = 5.0) -> bool:
        """Wait until everything handed over so far is settled; tell whether it was within the seconds given."""
        return self._sender.flush(round(timeout * 1_000))

    def close(self, timeout: float | None = None) -> None:
        """Send what is queued, within the seconds given, and take no more hits. The end of a program does this."""
        self._sender.close(self._close_ms if timeout is None else round(timeout * 1_000))
        self._reader.close()
        _known.pop(id(self), None)

    def after_fork(self) -> None:
        """Begin anew in a forked child; called by itself."""
        self._sender.after_fork()
        self._reader.after_fork()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()


# The clients of this process that are not closed, so that a fork and the end of the program find them: one whose
# variable is gone may still have hits to send.
_known: dict[int, Footfall] = {}
_is_hooked = False


def _remember(client: Footfall) -> None:
    global _is_hooked
    _known[id(client)] = client
    if not _is_hooked:
        _is_hooked = True
        os.register_at_fork(after_in_child=_after_fork)
        atexit.register(_close_all)


def _after_fork() -> None:
    for client in list(_known.values()):
        client.after_fork()


def _close_all() -> None:
    for client in list(_known.values()):
        client.close()


def _moment_text(moment: datetime | str | None) -> str | None:
    if not isinstance(moment, datetime):
        return moment
    # As the server spells it, so that caches know it again.
    return f"{moment.astimezone(UTC):%Y-%m-%dT%H:%M}Z" if not moment.second else moment.isoformat()
