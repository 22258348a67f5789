"""An instance whose referrers are counted, on a clock that is set."""

from collections import Counter
from collections.abc import Mapping
from pathlib import Path

from footfall.accounts.brands import Brand
from footfall.adapters.embedded.file_blobs import FileBlobs
from footfall.app.referring import Referring, ReferringGround
from footfall.app.settings import Settings
from footfall.flow.count.referred import ReferredRules
from footfall.flow.count.timing import Rules
from footfall.flow.serve.referrers import ReferrersQuery, Sums, read_referrers, referrers_document
from footfall.flow.store.referrers import EVERYBODY
from footfall.flow.stream.minutes import ALL
from footfall.flow.stream.raw import StreamRaw
from footfall.flow.stream.records import RULES, VERSION, Pack, record_from_pack
from footfall.ports.blobs import Blobs
from footfall.ports.stream import Entry
from footfall.values.window import DAY_MS, HOUR_MS, Grain, walk
from tests.app.stage import NOON_MS, Instance

BRANDS = {"abc": Brand("abc", origins=("https://*.abc.example",)), "xyz": Brand("xyz", zone="Asia/Kolkata")}
KEEP_MS = 10 * DAY_MS
STEPS_MAX = 2_000


class Referred(Instance):
    """An instance and its objects; `referring` is what a new process begins with."""

    def __init__(self, folder: Path, *, shards: int = 1) -> None:
        super().__init__(Settings(brands=BRANDS, dev=True, stream_shards=shards))
        self.blobs: Blobs = FileBlobs(folder / "blobs")

    def referring(self, blobs: Blobs | None = None) -> Referring:
        ground = ReferringGround(
            blobs or self.blobs,
            StreamRaw(self.stream),
            self.table,
            readers=lambda: (ALL,),
            shards=self.settings.stream_shards,
        )
        rules = ReferredRules(
            Rules(),
            keep_ms=KEEP_MS,
            zone_of=lambda brand: BRANDS[brand].zone,
            sites_of=lambda brand: ("abc.example",) if brand == "abc" else (),
        )
        return Referring(ground, rules, clock=self.clock)

    def append(self, pack: Pack, *, brand: str = "abc", shard: int = 0) -> None:
        weight = sum(pack.weights) if pack.weights else len(pack.keys)
        self.stream.append([Entry(shard, brand, weight, record_from_pack(pack), pack.arrived_at_ms)])

    def came(self, asset: str, *referrers: str, brand: str = "abc", section: str = "news") -> None:
        """Have readers of an asset come from these pages, now."""
        keys = [(asset, section, "article", "free")] * len(referrers)
        pack = Pack(VERSION, RULES, self.clock.now_ms(), keys, referrers=list(referrers))
        self.append(pack, brand=brand)

    def sums(
        self, brand: str = "abc", *, asset: str | None = None, section: str | None = None, from_ms: int, to_ms: int
    ) -> Sums:
        return read_referrers(self.blobs, self._query(brand, asset, section, (from_ms, to_ms)))

    def told(self, brand: str = "abc", *, asset: str | None = None, section: str | None = None) -> Mapping[str, object]:
        """Return the answer for some hours around noon."""
        span = (NOON_MS - 2 * HOUR_MS, NOON_MS + 10 * HOUR_MS)
        return referrers_document(self.blobs, self._query(brand, asset, section, span), reader=EVERYBODY)

    def _query(self, brand: str, asset: str | None, section: str | None, span: tuple[int, int]) -> ReferrersQuery:
        hours = tuple(walk(Grain.HOUR, from_ms=span[0], to_ms=span[1], zone=BRANDS[brand].zone))
        return ReferrersQuery(brand, asset, section, None, hours, 100)


def finished(referring: Referring) -> None:
    """Let it read all there is, and write it."""
    for _ in range(STEPS_MAX):
        if not referring.step():
            referring.flush()
            return
    raise AssertionError(f"still busy after {STEPS_MAX} steps")


def counted(told: Mapping[str, object]) -> Counter[str]:
    """Return an answer's sources with their hits."""
    sources = told["sources"]
    assert isinstance(sources, list)
    return Counter({one["source"]: one["hits"] for one in sources})
