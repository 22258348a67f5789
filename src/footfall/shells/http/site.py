"""What pages and routes may know of whatever serves them: an instance with its processes, or a function on AWS."""

from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractContextManager
from typing import TYPE_CHECKING, Protocol, TypeVar

from footfall.accounts.brands import Brands
from footfall.accounts.register import Register
from footfall.app.settings import Settings
from footfall.catalog.asset import Asset
from footfall.catalog.catalogue import Catalogue
from footfall.catalog.edits import Edits
from footfall.flow.serve.ledger import Ledger
from footfall.ports.stream import Appended, Entry
from footfall.ports.table import Table
from footfall.values.clock import Clock

if TYPE_CHECKING:
    from footfall.app.archive_control import Archive
    from footfall.app.audience_opening import Audience
    from footfall.app.audience_playing import Playing
    from footfall.app.metric_acts import Metrics
    from footfall.metrics.catalogue import MetricCatalogue
    from footfall.metrics.data import DataQuery, Form, MetricData, Told
    from footfall.shells.http.access import Access

T = TypeVar("T")


class ChangesAccounts(Protocol):
    """The writer of brands and keys."""

    async def change(self, name: str, do: Callable[[Register], T]) -> T:
        """Change a brand or its keys and return what came of it, once the site goes by it."""
        ...

    async def look(self, do: Callable[[Register], T]) -> T:
        """Return what the register says."""
        ...

    async def note_uses(self) -> None:
        """Write down the hours in which keys were used, those that are not written yet."""
        ...


class ChangesCatalogue(Protocol):
    """The writer and the reader of the catalogue."""

    def writing(self, brand: str) -> AbstractContextManager[None]:
        """Have a place among those who write, for as long as the block lasts; raise Throttled when there is none."""
        ...

    async def beside(self, work: Callable[[], T]) -> T:
        """Do what a write needs before it; inside `writing`."""
        ...

    async def put(self, brand: str, assets: Sequence[Asset]) -> int:
        """Write assets and return the catalogue's version then; inside `writing`."""
        ...

    async def delete(self, brand: str, ids: Sequence[str]) -> int:
        """Forget assets and return how many of them were known."""
        ...

    async def edit(self, change: Callable[[Edits], T]) -> T:
        """Change what editors have done to lists, and return what came of it; inside `writing`."""
        ...

    async def asked(self, brand: str, question: Callable[[Catalogue], T]) -> T:
        """Return what the catalogue answers to a brand's question."""
        ...


class CountsByName(Protocol):
    """The way of named counters into the stream, and the reader of what was counted of them."""

    @property
    def shards(self) -> int:
        """Return how many shards the stream has."""
        ...

    @property
    def reading_s_max(self) -> float:
        """Return how long one request may read the store."""
        ...

    async def beside(self, brand: str, work: Callable[[], T]) -> T:
        """Do some work for a brand where nobody else waits for it."""
        ...

    async def asked(self, brand: str, question: Callable[[Table], T]) -> T:
        """Return what the store answers to a brand's question."""
        ...

    async def append(self, entries: Sequence[Entry]) -> Sequence[Appended]:
        """Return what became of entries once the stream has them on disk, or raise why it has not."""
        ...


class KeepsMetrics(Protocol):
    """The writer and the reader of the metric catalogue."""

    async def asked(self, brand: str, question: "Callable[[Metrics], T]") -> T:
        """Return what the metrics answer to a brand's question."""
        ...

    async def change(self, brand: str, change: "Callable[[MetricCatalogue], T]") -> T:
        """Change a brand's metrics and return what came of it."""
        ...

    async def data(self, brand: str, query: "DataQuery") -> "Told":
        """Return the answer to a question about a metric's data."""
        ...

    async def table(self, brand: str, told: "Told") -> "Form":
        """Return an answer as a table: the one that is kept with it, else one that is made."""
        ...

    async def push(self, brand: str, push: "Callable[[MetricData], T]") -> T:
        """Take the points of a brand and return what came of it."""
        ...


class KeepsArchive(Protocol):
    """The readers and writers of the archive."""

    @property
    def replay_origin(self) -> str:
        """Return the origin that pages may show in a frame; empty where nothing is replayed."""
        ...

    @property
    def answer_bytes_max(self) -> int | None:
        """Return the most that one answer may hold, what is larger being fetched elsewhere; None where any may be."""
        ...

    @property
    def bytes_origin(self) -> str:
        """Return the origin that parts of pictures are fetched from when they are larger than an answer; else empty."""
        ...

    def replay_address(self, capture_id: str) -> str | None:
        """Return where a capture is replayed for a while; None where nothing is."""
        ...

    async def asked(self, brand: str, question: "Callable[[Archive], T]") -> T:
        """Return what the archive answers to a brand's question, or what came of a change."""
        ...

    async def made(self, brand: str, make: "Callable[[Archive], T]") -> T:
        """Return what takes long to make."""
        ...


class KeepsAudience(Protocol):
    """The readers and writers of what members do."""

    async def asked(self, brand: str, question: "Callable[[Audience], T]") -> T:
        """Return what the audience answers to a brand's question, or what came of a change."""
        ...

    def playing(self) -> "Playing":
        """Return what gives places to play, and answers in time."""
        ...


class Site(Protocol):
    """What the pages look at."""

    @property
    def clock(self) -> Clock:
        """Return the clock."""
        ...

    @property
    def settings(self) -> Settings:
        """Return what the operator chose."""
        ...

    @property
    def brands(self) -> Brands:
        """Return the brands as they are."""
        ...

    @property
    def access(self) -> "Access":
        """Return the doorkeeper."""
        ...

    @property
    def desk(self) -> ChangesAccounts:
        """Return the writer of brands and keys."""
        ...

    @property
    def catalogue(self) -> ChangesCatalogue:
        """Return the writer and reader of the catalogue."""
        ...

    @property
    def metrics(self) -> KeepsMetrics:
        """Return the writer and reader of the metric catalogue."""
        ...

    @property
    def archive(self) -> KeepsArchive:
        """Return the readers and writers of the archive."""
        ...

    @property
    def audience(self) -> KeepsAudience:
        """Return the readers and writers of what members do."""
        ...

    @property
    def counters(self) -> CountsByName:
        """Return the way to the named counters."""
        ...

    @property
    def assets_max(self) -> int:
        """Return how many assets one request may put."""
        ...

    def ledger(self, brand: str) -> Ledger:
        """Return a brand's ledger."""
        ...

    def raw_since_ms(self) -> int:
        """Return the moment before which raw hits may be gone; 0 when all are there."""
        ...

    def hits_of_brands(self) -> Mapping[str, int]:
        """Return how many hits each brand has sent that was ever heard of."""
        ...

    def reasons_not_ready(self) -> list[str]:
        """Return why hits are not taken or lists not served; none when both are."""
        ...
