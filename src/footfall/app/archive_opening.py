"""The archive as an instance or a function opens it for those who ask: its table, its bytes and its search."""

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from footfall.adapters.embedded.file_blobs import FileBlobs
from footfall.adapters.embedded.group_files import make_database, make_folders
from footfall.adapters.embedded.sqlite_table import SqliteTable
from footfall.app import wiring
from footfall.app.archive_capturing import policy_of
from footfall.app.archive_control import Archive
from footfall.app.archive_watching import Means
from footfall.app.kept_blobs import BLOBS_FOLDER
from footfall.app.settings import Settings, require_named
from footfall.archive.addresses import Address, address_from, require_reachable
from footfall.archive.quotas import Quotas
from footfall.values.clock import Clock

ARCHIVE_FOLDER = "archive"  # A worker of another user shares it with the server, and nothing else.
ARCHIVE_FILE, SEARCH_FILE = f"{ARCHIVE_FOLDER}/archive.db", f"{ARCHIVE_FOLDER}/archive-search.db"
FULL_TEXT, WORDS = "full-text", "words"


@dataclass(frozen=True, slots=True)
class OpenedArchive:
    """The archive, and what has to be closed of it."""

    table: wiring.OpenTable
    archive: Archive
    close_search: Callable[[], None]

    def close(self) -> None:
        """Let go of the files."""
        self.close_search()
        self.table.close()


def has_archive(settings: Settings) -> bool:
    """Tell whether anybody ever asked for a page to be kept, or for one to be watched."""
    if settings.ground == "aws":
        return bool(settings.aws_archive_table)
    return wiring.has_table(settings, ARCHIVE_FILE)


def open_archive(settings: Settings, clock: Clock, *, for_requests: bool = False) -> OpenedArchive:
    """Open it; in a directory, it is made when there is none."""
    if settings.ground == "aws":
        return _opened_on_aws(settings, clock, for_requests=for_requests)
    from footfall.adapters.embedded.fts_search import FtsSearch

    directory = Path(settings.data_dir)
    make_folders(directory / ARCHIVE_FOLDER)
    for file in (ARCHIVE_FILE, SEARCH_FILE):
        make_database(directory / file)
    table = SqliteTable(directory / ARCHIVE_FILE, clock=clock)
    search = FtsSearch(directory / SEARCH_FILE)
    blobs = FileBlobs(directory / ARCHIVE_FOLDER / BLOBS_FOLDER)
    archive = Archive(table, blobs, search, FULL_TEXT, quotas_of(settings))
    return OpenedArchive(table, archive, search.close)


def _opened_on_aws(settings: Settings, clock: Clock, *, for_requests: bool) -> OpenedArchive:
    from footfall.app import aws_wiring
    from footfall.archive.word_search import WordSearch

    opened = aws_wiring.open_table_for_requests if for_requests else aws_wiring.open_table
    table = opened(settings, "aws_archive_table", clock, transactions=True)
    blobs = aws_wiring.open_blobs(settings, require_named(settings, "aws_archive_bucket"))
    return OpenedArchive(table, Archive(table, blobs, WordSearch(table), WORDS, quotas_of(settings)), lambda: None)


def quotas_of(settings: Settings) -> Quotas:
    """Return how much may be asked for."""
    return Quotas(
        open_max=settings.archive_member_open_max,
        per_day_max=settings.archive_member_day_max,
        brand_open_max=settings.archive_brand_open_max,
        brand_per_day_max=settings.archive_brand_day_max,
    )


def address_rule(settings: Settings) -> Callable[[str], Address]:
    """Return what makes an address of what somebody typed, and refuses what could never be visited."""
    policy = policy_of(settings)

    def address_of(typed: str) -> Address:
        address = address_from(typed)
        require_reachable(address, policy)
        return address

    return address_of


def watching_means(settings: Settings, *, random_bytes: Callable[[int], bytes]) -> Means:
    """Return what a round of the watch list needs."""
    return Means(address_rule(settings), random_bytes, settings.archive_watch_captures_per_day, settings.people_url)
