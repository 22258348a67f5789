"""What an operator does with the archive of an instance: on its table, whether or not a server runs beside it."""

import secrets
from collections.abc import Callable, Generator, Sequence
from contextlib import closing, contextmanager
from dataclasses import dataclass

from footfall.app.archive_admin import ArchiveAdmin
from footfall.app.archive_control import OPERATOR
from footfall.app.archive_opening import OpenedArchive, address_rule, open_archive
from footfall.app.archive_run import has_worker, tidy
from footfall.app.known_brand import require_brand
from footfall.app.settings import Settings
from footfall.archive import finding, keys, queueing, references, requests, verifying
from footfall.archive.addresses import Address
from footfall.archive.captures import Capture, Request, Tombstone
from footfall.archive.contents import Contents, contents
from footfall.archive.finding import Lines
from footfall.archive.indexing import rebuild
from footfall.archive.removing import NoSuchCapture
from footfall.archive.stored import new_id
from footfall.archive.verifying import Damage, Round
from footfall.ports.searching import Results
from footfall.values.clock import Clock

ID_RANDOM_BYTES = 10
VERIFIED_AT_ONCE = 100


@dataclass(frozen=True, slots=True)
class Options:
    """How a page is to be kept."""

    hide_banners: bool = False
    hide_sticky: bool = False


@dataclass(frozen=True, slots=True)
class ArchiveActs:
    """The acts of an operator, who sees what is the brand's and has no quota."""

    opened: OpenedArchive
    settings: Settings
    clock: Clock

    def ask(self, urls: Sequence[str], *, brand: str, options: Options) -> Sequence[Request]:
        """Ask for pages in the brand's name, all of them or none; all of its members see them."""
        require_brand(self.settings, self.clock, brand)
        addresses = [address_rule(self.settings)(url) for url in urls]
        return [self._ask(address, brand, options) for address in addresses]

    def _ask(self, address: Address, brand: str, options: Options) -> Request:
        now_ms = self.clock.now_ms()
        asked = Request(
            id=new_id(now_ms=now_ms, random=secrets.token_bytes(ID_RANDOM_BYTES)), brand=brand,
            space=keys.brand_space(brand), by=OPERATOR, typed=address.typed, url=address.url, key=address.key,
            at_us=now_ms * 1_000, hide_banners=options.hide_banners, hide_sticky=options.hide_sticky,
        )  # fmt: skip
        return requests.ask(self.opened.archive.table, asked, now_ms=now_ms)

    def why_it_waits(self) -> str:
        """Return, in a sentence, why a page that was asked for has not been begun."""
        if has_worker(self.settings):
            waiting = queueing.count_waiting(self.opened.archive.table)
            return f"A worker runs and is busy with others: {waiting:,} pages wait."
        return (
            "No worker has taken it: start one with `footfall archive worker`, or the server with archive = true. "
            "The page stays asked for."
        )

    def request(self, id: str) -> Request:
        """Return a request."""
        return requests.one(self.opened.archive.table, id)

    def requests(self, brand: str, *, limit: int) -> Sequence[Request]:
        """Return what was asked for in the brand's name, the newest first."""
        return requests.of(self.opened.archive.table, keys.brand_space(brand), limit=limit).items

    def retry(self, id: str) -> Request:
        """Let a request that failed wait again."""
        return requests.retry(self.opened.archive.table, id, now_ms=self.clock.now_ms())

    def captures(self, brand: str, *, limit: int) -> Lines:
        """Return the captures that all members of the brand see, the newest first."""
        return finding.library(self.opened.archive.table, keys.brand_space(brand), limit=limit)

    def capture(self, id: str) -> Capture | Tombstone:
        """Return a capture or its tombstone."""
        found = finding.capture(self.opened.archive.table, id)
        if found is None:
            raise NoSuchCapture("id", f"{id[:40]!r} is not a capture here")
        return found

    def search(self, brand: str, query: str, *, limit: int) -> Results:
        """Return captures that all members of the brand see, by words."""
        return self.opened.archive.searching.search(query, spaces=[keys.brand_space(brand)], limit=limit)

    def contents(self) -> Contents:
        """Count everything."""
        return contents(self.opened.archive.table, self.opened.archive.blobs)

    def verify(self, tell: Callable[[Round], None]) -> tuple[Round, Sequence[Damage]]:
        """Verify everything, from where the last round was stopped."""
        archive = self.opened.archive
        while True:
            now_ms = self.clock.now_ms()
            found = verifying.verify_some(archive.table, archive.blobs, now_ms=now_ms, limit=VERIFIED_AT_ONCE)
            if found.is_done:
                return found, verifying.damages(archive.table)
            tell(found)

    def sweep(self) -> tuple[int, int]:
        """Remove what is too old and what nothing refers to; return how many captures and how many objects."""
        return tidy(self.opened, self.settings, now_ms=self.clock.now_ms())

    def index(self) -> int:
        """Let everything be found by words anew; return how many captures there are."""
        archive = self.opened.archive

        def text(digest: str) -> bytes:
            return archive.blobs.get(references.name_of(digest)) or b""  # Verifying tells what is not there any more.

        return rebuild(archive.searching, finding.everything_kept(archive.table), text)

    def admin(self, *, user: object) -> ArchiveAdmin:
        """Return what an operator may do with captures, whoever they belong to."""
        return ArchiveAdmin(self.opened, self.settings, self.clock, user=user)


@contextmanager
def archive_acts(settings: Settings, clock: Clock) -> Generator[ArchiveActs]:
    """Open the archive for the block."""
    with closing(open_archive(settings, clock)) as opened:
        yield ArchiveActs(opened, settings, clock)
