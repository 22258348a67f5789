"""What the routes look at in a function: tables of AWS instead of files, opened when they are first needed."""

from collections.abc import Callable, Mapping
from functools import cached_property
from typing import TYPE_CHECKING, Protocol, runtime_checkable

from footfall.accounts.keyring import Keyring
from footfall.accounts.nonces import Nonces
from footfall.accounts.proofs import Proofs
from footfall.accounts.register import Register
from footfall.adapters.aws.counting_calls import CountedCalls
from footfall.app import wiring
from footfall.app.screening import KeptScreen
from footfall.app.settings import DAY_MS, HOUR_MS, Settings
from footfall.catalog.catalogue import Catalogue
from footfall.catalog.followed_labels import FollowedLabels
from footfall.flow.collect.accept import Acceptance
from footfall.flow.store import keys
from footfall.flow.store.checkpoints import lines_item, load_checkpoints
from footfall.ports.errors import PortError
from footfall.ports.stream import Stream
from footfall.ports.table import Table
from footfall.shells.http.access import access_from
from footfall.shells.http.door import Door, HitLimits
from footfall.shells.http.refusals import Refusals
from footfall.shells.http.totals import Totals
from footfall.shells.lambdas.accounts import KnownBrands, StoredAccounts
from footfall.shells.lambdas.appends import Appends
from footfall.shells.lambdas.archive import FunctionArchive
from footfall.shells.lambdas.audience import FunctionAudience
from footfall.shells.lambdas.catalogue import FunctionCatalogue
from footfall.shells.lambdas.counters import FunctionCounters
from footfall.shells.lambdas.gauges import emit_units
from footfall.shells.lambdas.metrics import DataGround, FunctionMetrics
from footfall.values.clock import Clock
from footfall.values.groups import is_beside

if TYPE_CHECKING:  # Whoever only takes hits starts without numpy and all that stands on it.
    from footfall.app.archive_control import Archive
    from footfall.app.audience_opening import Audience
    from footfall.app.audience_playing import Playing
    from footfall.flow.serve.in_flight import InFlight
    from footfall.flow.serve.ledger import Ledger
    from footfall.shells.lambdas.lists import Lists

TELL_UNITS_MS = 60_000
ASSETS_MAX = 1_000  # Some four milliseconds each: what a function can write before the API gives up on it.


@runtime_checkable
class Counted(Protocol):
    """A table that counts what it is asked."""

    @property
    def counted(self) -> CountedCalls:
        """Return the counts."""
        ...


class FunctionSite:
    """The parts of a function that answers requests."""

    def __init__(
        self,
        settings: Settings,
        clock: Clock,
        *,
        memory_mb: int,
        read_only: bool = False,
        open_stream: Callable[[Settings, Clock], Stream] | None = None,
    ) -> None:
        self.settings = settings
        self.clock = clock
        self.tables: list[Table] = []  # those that were opened so far
        self._read_only = read_only
        self._open_stream = open_stream or _open_stream
        self._units_told_at_ms = clock.now_ms()
        self.request_id = ""  # of the event in progress
        self.brands = wiring.brands(settings)
        keyring = Keyring()
        proofs = Proofs(keyring, Nonces(lambda: self.accounts.table), clock=clock)
        self._kept_screen = KeptScreen(settings)  # Each function has its own, and knows what it has seen itself.
        self.desk = StoredAccounts(
            lambda: self.accounts.register,
            self.brands,
            keyring,
            counts=proofs.counts,
            clock=clock,
            follow=_nothing if read_only else self._kept_screen.follow,
        )
        self.access = access_from(
            settings, self.brands, keyring, proofs=proofs, clock=clock, people=lambda: self.accounts.register.people
        )
        self.catalogue = FunctionCatalogue(lambda: self.catalog_table, lambda: self.labels, clock=clock)
        facts = KnownBrands(settings, self.brands, lambda: self.accounts.register)
        ground = DataGround(settings, facts, lambda: self.store, memory_mb)
        self.metrics = FunctionMetrics(lambda: self.metrics_table, ground, clock=clock)
        self.archive = FunctionArchive(settings, clock, self._opened_archive)
        self.audience = FunctionAudience(self._opened_audience, self._opened_playing, clock)
        self.refusals = Refusals(clock, new_id=lambda: self.request_id)
        self.date = b""  # The API adds it.
        self._memory_mb = memory_mb

    @property
    def assets_max(self) -> int:
        """Return how many assets one request may put."""
        return min(ASSETS_MAX, self.settings.http_batch_hits_max)

    @cached_property
    def accounts(self) -> wiring.OpenedAccounts:
        """Open the brands and keys, beside which nonces lie."""
        opened = wiring.open_accounts(self.settings, self.clock, read_only=self._read_only, for_requests=True)
        self.tables.append(opened.table)
        return opened

    @cached_property
    def catalog_table(self) -> Table:
        """Open the table of the catalogue."""
        return self._noted(
            wiring.open_catalog_table(self.settings, self.clock, read_only=self._read_only, for_requests=True)
        )

    @cached_property
    def metrics_table(self) -> Table:
        """Open the table of metrics."""
        return self._noted(
            wiring.open_metrics_table(self.settings, self.clock, read_only=self._read_only, for_requests=True)
        )

    @cached_property
    def store(self) -> Table:
        """Open the table of counts, for reading."""
        return self._noted(wiring.open_store(self.settings, self.clock, read_only=True, for_requests=True))

    @cached_property
    def labels(self) -> FollowedLabels:
        """Return the labels that hits get."""
        return FollowedLabels(self.catalog_table, clock=self.clock)

    @cached_property
    def door(self) -> Door:
        """Return the door that hits go through."""
        settings, clock = self.settings, self.clock
        self.desk.note_zones(tuple(settings.brands.values()))
        acceptance = Acceptance(
            self.brands,
            wiring.salts(self._noted(wiring.open_salt_table(settings, clock, for_requests=True))),
            shards=settings.stream_shards,
            lateness_ms=settings.count_lateness_hours * HOUR_MS,
            future_ms=settings.count_future_ms,
            labels=self.labels,
        )
        if settings.screening_rules:
            acceptance.screen_with(self._kept_screen.screen)
        return Door(
            acceptance,
            self.appends,
            limits=HitLimits(
                settings.http_inflated_bytes_max, settings.http_batch_hits_max, settings.http_pending_bytes_max
            ),
            access=self.access,
            clock=clock,
            totals=Totals(),
        )

    @cached_property
    def appends(self) -> Appends:
        """Return the way into the stream."""
        return Appends(lambda: self._open_stream(self.settings, self.clock))

    @property
    def counters(self) -> FunctionCounters:
        """Return the way to the named counters."""
        return FunctionCounters(lambda: self.appends, lambda: self.store, shards=self.settings.stream_shards)

    @cached_property
    def in_flight(self) -> "InFlight":
        """Return the estimate of what is on its way."""
        from footfall.flow.serve.in_flight import InFlight

        return InFlight(passed_ms=self.settings.count_passed_ms)

    @cached_property
    def lists(self) -> "Lists":
        """Return the lists, with as many rows as the function has memory for."""
        from footfall.app.answering import Answering
        from footfall.shells.lambdas.lists import Lists, settings_within

        settings = settings_within(self.settings, memory_mb=self._memory_mb)
        answering = Answering(
            settings,
            self.store,
            clock=self.clock,
            catalogue=lambda: Catalogue(self.catalog_table, self.clock),
            brands=KnownBrands(settings, self.brands, lambda: self.accounts.register),
        )
        return Lists(answering, self.in_flight, settings, clock=self.clock)

    def ledger(self, brand: str) -> "Ledger":
        """Return a brand's ledger; what is in flight is an estimate."""
        from footfall.flow.serve.ledger import estimated_ledger

        checkpoints = load_checkpoints(self.store)
        self.in_flight.take(checkpoints)
        handled = {
            keys.shard_name(shard): lines_item(one.lines[brand])
            for shard, one in checkpoints.items()
            if brand in one.lines
        }
        return estimated_ledger(brand, handled, in_flight=self.in_flight.of(brand, now_ms=self.clock.now_ms()))

    def raw_since_ms(self) -> int:
        """Return the hour before which raw hits may be gone: the archive keeps them by their age."""
        kept_ms = self.settings.stream_keep_days * DAY_MS
        return -(-(self.clock.now_ms() - kept_ms) // HOUR_MS) * HOUR_MS

    def hits_of_brands(self) -> Mapping[str, int]:
        """Return how many hits were counted of each brand that was ever heard of."""
        hits: dict[str, int] = {}
        for checkpoint in load_checkpoints(self.store).values():
            for brand, lines in checkpoint.lines.items():
                if not is_beside(brand):
                    hits[brand] = hits.get(brand, 0) + lines.counted
        return hits

    def tell_units(self) -> None:
        """Tell once a minute what the tables took and refused."""
        now_ms = self.clock.now_ms()
        if not 0 <= now_ms - self._units_told_at_ms < TELL_UNITS_MS:
            self._units_told_at_ms = now_ms
            emit_units(table.counted for table in self.tables if isinstance(table, Counted))

    def reasons_not_ready(self) -> list[str]:
        """Return why lists are not served; none when the counts can be read."""
        try:
            load_checkpoints(self.store)
        except PortError as error:
            return [f"the counts cannot be read: {error}"]
        return []

    def _opened_archive(self) -> "Archive":
        from footfall.app.archive_opening import open_archive

        opened = open_archive(self.settings, self.clock, for_requests=True)
        self._noted(opened.table)
        return opened.archive

    def _opened_audience(self) -> "Audience":
        from footfall.app.audience_opening import open_audience

        opened = open_audience(self.settings, self.clock, read_only=self._read_only, for_requests=True)
        self._noted(opened.table)
        return opened.audience

    def _opened_playing(self) -> "Playing":
        from footfall.app.audience_playing import open_playing

        return open_playing(self.settings, self.clock)

    def _noted(self, table: Table) -> Table:
        self.tables.append(table)
        return table


def _nothing(_register: Register) -> None:
    """Follow nothing: whoever takes no hits needs no rules for them."""


def _open_stream(settings: Settings, clock: Clock) -> Stream:
    if settings.ground != "aws":
        return wiring.open_stream_to_write(settings, clock)
    from footfall.app import aws_wiring

    return aws_wiring.open_stream_for_requests(settings, clock)
