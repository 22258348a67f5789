"""Hits straight into the stream: a function has one request at a time, so nothing waits and no thread is needed."""

import logging
from collections.abc import Callable, Sequence

from footfall.flow.collect.accept import Single, entries_of_singles
from footfall.flow.collect.plain import Taken, entries_of
from footfall.ports.errors import PortError, Throttled
from footfall.ports.stream import Appended, Entry, Stream
from footfall.shells.http.commits import Done, SinglesDone
from footfall.shells.http.problems import TooFast

_log = logging.getLogger(__name__)


class Appends:
    """Appends what it is given at once, and says so when the stream has it."""

    def __init__(self, open_stream: Callable[[], Stream]) -> None:
        self._open_stream = open_stream
        self._opened: Stream | None = None
        self.pending_bytes = 0

    def submit(self, entries: Sequence[Taken], done: Done) -> None:
        """Append entries."""
        own, places = entries_of(entries)
        outcome = self._appended(lambda _stream: own)
        done(outcome if isinstance(outcome, PortError) else [outcome[place] for place in places])

    def submit_singles(self, singles: Sequence[Single], done: SinglesDone) -> None:
        """Append hits that came alone."""
        outcome = self._appended(lambda stream: entries_of_singles(singles, shards=stream.shards))
        done(outcome if isinstance(outcome, PortError) else None)

    def _appended(self, entries_for: Callable[[Stream], Sequence[Entry]]) -> Sequence[Appended] | PortError:
        try:
            if self._opened is None:
                self._opened = self._open_stream()
            return self._opened.append(entries_for(self._opened))
        except Throttled as error:
            _log.warning("hits come faster than the stream takes them: %s", error)
            return TooFast("hits come faster than the stream takes them")
        except PortError as error:
            _log.warning("hits could not be stored: %s", error)
            return error
