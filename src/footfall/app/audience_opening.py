"""The audience as an instance, a function or a command opens it: its table, and what the settings say of it."""

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from footfall.adapters.embedded.sqlite_changes import SqliteChanges
from footfall.adapters.embedded.sqlite_table import SqliteTable
from footfall.app import wiring
from footfall.app.audience_settings import kinds_of, names_in
from footfall.app.settings import Settings
from footfall.audience.follows import Follows
from footfall.audience.keys import AUDIENCE_INDEXES, FOLLOWS_TOLD
from footfall.audience.things import Kinds
from footfall.ports.changes import Changes
from footfall.ports.table import Table
from footfall.values.clock import Clock

AUDIENCE_FILE = wiring.AUDIENCE_FILE


class Audience:
    """What the parts of the audience stand on; each part is made when it is first asked for."""

    def __init__(
        self, table: Table, settings: Settings, clock: Clock, *, open_log: Callable[[], Table | None] = lambda: None
    ) -> None:
        self.table = table
        self._open_log = open_log
        self.settings = settings
        self.clock = clock

    @cached_property
    def kinds(self) -> Kinds:
        """Return the kinds that things may have."""
        return kinds_of(self.settings)

    @property
    def log(self) -> Table | None:
        """Return the store, which has the watch log, to be read; None where nothing was counted yet."""
        return self._open_log()

    @cached_property
    def follows(self) -> Follows:
        """Return the follow graph."""
        uncounted, follows_max = names_in(self.settings.audience_uncounted_brands), self.settings.audience_follows_max
        return Follows(self.table, clock=self.clock, uncounted=uncounted, follows_max=follows_max)


@dataclass(frozen=True, slots=True)
class OpenedAudience:
    """The audience, and the tables that have to be closed."""

    table: wiring.OpenTable
    audience: Audience
    log: "_Log"

    def close(self) -> None:
        """Let go of the tables."""
        self.log.close()
        self.table.close()


class _Log:
    """Opens the store when the watch log is first asked for."""

    def __init__(self, settings: Settings, clock: Clock, *, for_requests: bool) -> None:
        self._settings = settings
        self._clock = clock
        self._for_requests = for_requests
        self._opened: wiring.OpenTable | None = None

    def __call__(self) -> Table | None:
        if self._opened is None and wiring.has_table(self._settings, wiring.STORE_FILE):
            self._opened = wiring.open_store(
                self._settings, self._clock, read_only=True, for_requests=self._for_requests
            )
        return self._opened

    def close(self) -> None:
        """Let go of it."""
        if self._opened is not None:
            self._opened.close()


def has_audience(settings: Settings) -> bool:
    """Tell whether anybody has followed, watched or played anything that was told."""
    return bool(settings.aws_audience_table) if settings.ground == "aws" else wiring.has_table(settings, AUDIENCE_FILE)


def open_audience(
    settings: Settings, clock: Clock, *, read_only: bool = False, for_requests: bool = False
) -> OpenedAudience:
    """Open it; in a directory, it is made when there is none, unless it is only read."""
    table = open_audience_table(settings, clock, read_only=read_only, for_requests=for_requests)
    log = _Log(settings, clock, for_requests=for_requests)
    return OpenedAudience(table, Audience(table, settings, clock, open_log=log), log)


def open_audience_table(
    settings: Settings, clock: Clock, *, read_only: bool = False, for_requests: bool = False
) -> wiring.OpenTable:
    """Open the table of the audience."""
    if settings.ground != "aws":
        path = Path(settings.data_dir) / AUDIENCE_FILE
        return SqliteTable(path, clock=clock, indexes=AUDIENCE_INDEXES, read_only=read_only, told=FOLLOWS_TOLD)
    from footfall.app import aws_wiring

    opened = aws_wiring.open_table_for_requests if for_requests else aws_wiring.open_table
    return opened(
        settings, "aws_audience_table", clock, read_only=read_only, transactions=True, indexes=AUDIENCE_INDEXES
    )


def open_follow_changes(settings: Settings, clock: Clock) -> Changes:
    """Open what a directory's follow graph has to tell; its table, which has to be there, tells from now on."""
    # A file of an older release is brought to what this one knows by whoever opens its table.
    open_audience_table(settings, clock).close()
    return SqliteChanges(Path(settings.data_dir) / AUDIENCE_FILE, told=FOLLOWS_TOLD)
