"""The composition root: settings become adapters and rules, with plain functions and no magic.

Each is opened on the ground that the settings choose; what only one directory has is here, what only AWS has is in
aws_wiring.py, which is imported when it is needed.
"""

import contextlib
import ipaddress
import os
import secrets
from collections.abc import Callable
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

from footfall.accounts.brands import Brands
from footfall.accounts.limits import Limits, Rate
from footfall.accounts.nonces import Nonces
from footfall.accounts.people_store import People
from footfall.accounts.register import Register
from footfall.adapters.embedded.secret_table import SecretTable
from footfall.adapters.embedded.sqlite_stream import SqliteStream
from footfall.adapters.embedded.sqlite_table import SqliteTable
from footfall.app.brand_lookup import PAID_REFRESH_MS, REFRESH_MS, BrandLookup
from footfall.app.settings import DAY_MS, HOUR_MS, Settings
from footfall.catalog.catalogue import Catalogue
from footfall.catalog.labels import KnownLabels
from footfall.flow.collect.import_salts import ImportSalts
from footfall.flow.collect.senders import Network, Salts
from footfall.flow.store.checkpoints import load_checkpoint
from footfall.ports.errors import NotMade, PortError
from footfall.ports.stream import Stream
from footfall.ports.table import Table
from footfall.values.clock import Clock, SystemClock
from footfall.values.errors import FootfallError
from footfall.values.period import EXPIRY_GRACE_MS, expires_at_ms
from footfall.values.window import Grain, Window

STREAM_FILE = "stream.db"
STORE_FILE = "store.db"
SALTS_FILE = "salts.db"
ACCOUNTS_FILE = "accounts.db"
CATALOG_FILE = "catalog.db"
METRICS_FILE = "metrics.db"
AUDIENCE_FILE = "audience.db"
NONCES_FILE = "nonces.db"
TIDIED_AT_ONCE_MAX = 200  # Acts and counts that have expired; each minute as many.


class OpenTable(Table, Protocol):
    """A table of either ground, until it is closed."""

    def expire(self, limit: int) -> int:
        """Remove up to so many expired items and return how many there were; 0 where the ground does it itself."""
        ...

    def close(self) -> None:
        """Let go of what it holds open."""
        ...


class StreamIsBehind(FootfallError):
    """The store has counted records that the stream does not have."""


class ShardsAreFixed(FootfallError):
    """The number of shards is chosen when a data directory is made."""


def open_stream(settings: Settings, clock: Clock, *, read_only: bool = False) -> Stream:
    """Open the stream; on AWS it is a PlacedStream."""
    if settings.ground == "aws":
        from footfall.app import aws_wiring

        return aws_wiring.open_stream(settings, clock, read_only=read_only)
    return SqliteStream(
        Path(settings.data_dir) / STREAM_FILE,
        clock=clock,
        shards=settings.stream_shards,
        id_ms=settings.stream_id_hours * HOUR_MS,
        read_only=read_only,
    )


def open_stream_to_write(settings: Settings, clock: Clock) -> Stream:
    """Open the stream for an instance; raise ShardsAreFixed or StreamIsBehind when the two do not go together."""
    stream = open_stream(settings, clock)
    if settings.ground == "aws":
        return stream  # Records say among how many shards they were divided, and places say what was counted.
    try:
        _require_same_shards(stream, settings)
        require_not_behind(stream, settings, clock)
    except BaseException:
        stream.close()
        raise
    return stream


def _require_same_shards(stream: Stream, settings: Settings) -> None:
    if stream.shards != settings.stream_shards:
        raise ShardsAreFixed(
            f"the stream in {settings.data_dir} was made with {stream.shards} shards and stream_shards is "
            f"{settings.stream_shards}: set it to {stream.shards}, or begin with an empty directory"
        )


def require_not_behind(stream: Stream, settings: Settings, clock: Clock) -> None:
    """Refuse a stream that lacks records which the store has counted: new hits would be taken for those."""
    opened = made_store(settings, clock)
    if opened is None:
        return
    with closing(opened) as store:
        for shard in range(stream.shards):
            checkpoint = load_checkpoint(store, shard)
            if checkpoint is not None and checkpoint.through > stream.tip(shard):
                raise StreamIsBehind(
                    f"{STORE_FILE} in {settings.data_dir} has counted {checkpoint.through} records of shard {shard}, "
                    f"{STREAM_FILE} holds {stream.tip(shard)}: restore both from one moment, or move {STORE_FILE} away "
                    "to count anew what the stream holds"
                )


def open_store(settings: Settings, clock: Clock, *, read_only: bool = False, for_requests: bool = False) -> OpenTable:
    """Open the store. Its counts can be made again from the stream, so on a disk it need not sync.

    This and other tables of AWS are soon given up on when they are opened for requests, whose senders wait.
    """
    if settings.ground == "aws":
        return _aws_table(settings, "aws_store_table", clock, read_only=read_only, for_requests=for_requests)
    return SqliteTable(Path(settings.data_dir) / STORE_FILE, clock=clock, durable=False, read_only=read_only)


def made_store(settings: Settings, clock: Clock) -> OpenTable | None:
    """Return the store of a directory to read; None until the counting process has made it."""
    if not (Path(settings.data_dir) / STORE_FILE).exists():
        return None
    try:
        return open_store(settings, clock, read_only=True)
    except NotMade:
        return None  # A start was ended while it made its file.


def open_catalog_table(
    settings: Settings, clock: Clock, *, read_only: bool = False, for_requests: bool = False
) -> OpenTable:
    """Open the table of the catalogue."""
    if settings.ground == "aws":
        return _aws_table(settings, "aws_catalog_table", clock, read_only=read_only, for_requests=for_requests)
    return SqliteTable(Path(settings.data_dir) / CATALOG_FILE, clock=clock, read_only=read_only)


def open_catalogue(settings: Settings, clock: Clock, *, read_only: bool = False) -> Catalogue:
    """Open the catalogue."""
    return Catalogue(open_catalog_table(settings, clock, read_only=read_only), clock)


def catalogue_if_there(settings: Settings, clock: Clock) -> Catalogue | None:
    """Open the catalogue for reading, or return None while there is none: the front makes it."""
    with contextlib.suppress(PortError):
        return open_catalogue(settings, clock, read_only=True)
    return None


def open_metrics_table(
    settings: Settings, clock: Clock, *, read_only: bool = False, for_requests: bool = False
) -> OpenTable:
    """Open the table of the metric catalogue."""
    if settings.ground == "aws":
        return _aws_table(settings, "aws_metrics_table", clock, read_only=read_only, for_requests=for_requests)
    return SqliteTable(Path(settings.data_dir) / METRICS_FILE, clock=clock, read_only=read_only)


def present_labels(settings: Settings, clock: Clock) -> Callable[[], KnownLabels | None]:
    """Return the function that gives the catalogue's labels as they are when it is called; None without a catalogue."""
    opened: list[Table] = []

    def labels() -> KnownLabels | None:
        if not opened and has_table(settings, CATALOG_FILE):
            opened.append(open_catalog_table(settings, clock, read_only=True))
        return KnownLabels(opened[0]) if opened else None

    return labels


def open_salt_table(settings: Settings, clock: Clock, *, for_requests: bool = False) -> OpenTable:
    """Open the table of the visitors' salts; in a directory it is a SecretTable, which leaves no trace on the disk."""
    if settings.ground == "aws":
        return _aws_table(settings, "aws_salts_table", clock, read_only=False, for_requests=for_requests)
    return SecretTable(Path(settings.data_dir) / SALTS_FILE, clock=clock)


def salts(table: Table) -> Salts:
    """Return the visitors' salts."""
    return Salts(table, random_bytes=secrets.token_bytes)


def import_salts(table: Table) -> ImportSalts:
    """Return the salts of days that are imported."""
    return ImportSalts(table, random_bytes=secrets.token_bytes, scrub=lambda: forget_expired(table))


def forget_expired(table: Table) -> None:
    """Remove expired salts for good, where they lie in a file; DynamoDB leaves no trace that anybody can read."""
    if isinstance(table, SecretTable):
        table.forget_expired()


def brands(settings: Settings) -> Brands:
    """Return the brands that exist."""
    return Brands(settings.brands, any_brand=settings.dev)


@dataclass(frozen=True, slots=True)
class OpenedAccounts:
    """The register of brands and keys, and the table under it."""

    table: OpenTable
    register: Register

    def tidy(self) -> None:
        """Remove some of what has expired, where the ground does not do it by itself."""
        self.table.expire(TIDIED_AT_ONCE_MAX)

    def close(self) -> None:
        """Let go of the table."""
        self.table.close()


def open_accounts(
    settings: Settings, clock: Clock, *, read_only: bool = False, for_requests: bool = False
) -> OpenedAccounts:
    """Open the brands and keys."""
    table: OpenTable
    if settings.ground == "aws":
        table = _aws_table(settings, "aws_accounts_table", clock, read_only=read_only, for_requests=for_requests)
    else:
        table = SqliteTable(Path(settings.data_dir) / ACCOUNTS_FILE, clock=clock, read_only=read_only)
    keep_ms = settings.audit_keep_days * DAY_MS
    register = Register(table, clock=clock, random_bytes=secrets.token_bytes, audit_keep_ms=keep_ms)
    return OpenedAccounts(table, register)


class PeopleReader:
    """Those who have accounts, for whoever only looks them up; opened when somebody is first asked about."""

    def __init__(self, settings: Settings, clock: Clock) -> None:
        self._settings = settings
        self._clock = clock
        self._opened: OpenedAccounts | None = None

    def __call__(self) -> People:
        """Return them as they are."""
        if self._opened is None:
            self._opened = open_accounts(self._settings, self._clock, read_only=True)
        return self._opened.register.people

    def close(self) -> None:
        """Let go of the table."""
        if self._opened is not None:
            self._opened.close()


def open_nonces(settings: Settings, clock: Clock) -> tuple[OpenTable, Nonces]:
    """Open the nonces of signed requests in a directory: a file of their own, which is written at once and not synced.

    Whoever loses it with the power loses at most the last moments; a process that dies loses nothing.
    """
    table = SqliteTable(Path(settings.data_dir) / NONCES_FILE, clock=clock, durable=False)
    return table, Nonces(lambda: table, tidy=table.expire)


def brand_lookup(settings: Settings, clock: Clock) -> BrandLookup:
    """Return what a process that only reads may know of brands, as they are at each moment."""

    def opened() -> Register | None:
        if not has_table(settings, ACCOUNTS_FILE):
            return None  # An instance that was never started has stored no brand.
        return open_accounts(settings, clock, read_only=True).register

    refresh_ms = PAID_REFRESH_MS if settings.ground == "aws" else REFRESH_MS
    return BrandLookup(settings, opened, clock=clock, refresh_ms=refresh_ms)


def zone_of(settings: Settings, clock: Clock | None = None) -> Callable[[str], str]:
    """Return the function that tells a brand's zone; brands that were made up live in UTC."""
    return brand_lookup(settings, clock or SystemClock()).zone_of


def has_table(settings: Settings, file: str) -> bool:
    """Tell whether what lies in the file has been made; on AWS the tables are there before anything is started."""
    return settings.ground == "aws" or (Path(settings.data_dir) / file).exists()


def _aws_table(settings: Settings, name: str, clock: Clock, *, read_only: bool, for_requests: bool) -> OpenTable:
    from footfall.app import aws_wiring

    # Accounts and metrics alone write several items as one (docs/formats/table.md).
    transactions = name in ("aws_accounts_table", "aws_metrics_table")
    opened = aws_wiring.open_table_for_requests if for_requests else aws_wiring.open_table
    return opened(settings, name, clock, read_only=read_only, transactions=transactions)


def rate_limits(settings: Settings) -> Limits:
    """Return how often a key and an address may ask; with dev, as often as they like."""
    if settings.dev:
        return Limits(key=Rate(0, 0), address=Rate(0, 0))
    return Limits(
        key=Rate(settings.limit_key_per_s, settings.limit_key_burst),
        address=Rate(settings.limit_address_per_s, settings.limit_address_burst),
    )


def trusted_networks(settings: Settings) -> list[Network]:
    """Return the networks whose forwarded addresses are believed."""
    return [ipaddress.ip_network(text) for text in settings.http_trusted_proxies]


def metrics_networks(settings: Settings) -> list[Network]:
    """Return the networks that may read the gauges."""
    return [ipaddress.ip_network(text) for text in settings.http_metrics_networks]


def retention_ms(settings: Settings) -> dict[Grain, int]:
    """Return how long windows of each grain are kept."""
    return {
        Grain.MINUTE: settings.store_minutes_days * DAY_MS,
        Grain.FIVE: settings.store_minutes_days * DAY_MS,
        Grain.HOUR: settings.store_hours_days * DAY_MS,
        Grain.DAY: settings.store_days_days * DAY_MS,
    }


def kept_ms(settings: Settings) -> dict[Grain, int]:
    """Return how long after their end windows of each grain are there at least, for readers to rely on."""
    retention, periods = retention_ms(settings), settings.periods.values()
    lateness_ms = settings.count_lateness_hours * HOUR_MS
    expiries = {
        grain: expires_at_ms(Window(grain, 0, 0), retention_ms=retention, periods=periods, lateness_ms=lateness_ms)
        for grain in Grain
    }
    return {grain: expiry_ms - EXPIRY_GRACE_MS for grain, expiry_ms in expiries.items()}


def disk_bytes(settings: Settings) -> dict[str, int]:
    """Return the bytes that each file of the data directory takes."""
    sizes: dict[str, int] = {}
    with os.scandir(settings.data_dir) as found:
        for entry in found:
            with contextlib.suppress(FileNotFoundError):  # SQLite removes its logs when it closes a file.
                if entry.is_file():
                    sizes[entry.name] = entry.stat().st_size
    return sizes
