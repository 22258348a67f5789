"""What the pages, the gauges and the control socket may know of the running instance."""

from collections.abc import Mapping
from dataclasses import dataclass

from footfall.accounts.brands import Brands
from footfall.app import wiring
from footfall.app.settings import Settings
from footfall.flow.serve.ledger import Ledger, ledger
from footfall.flow.store import keys
from footfall.flow.store.checkpoints import Checkpoint, lines_item, load_checkpoint
from footfall.ports.stream import Stream
from footfall.ports.table import Table
from footfall.shells.http.access import Access
from footfall.shells.http.answers import Answers
from footfall.shells.http.archive_desk import ArchiveDesk
from footfall.shells.http.audience_desk import AudienceDesk
from footfall.shells.http.cataloguing import Cataloguing
from footfall.shells.http.children import Child
from footfall.shells.http.commits import Committer
from footfall.shells.http.counter_desk import CounterDesk
from footfall.shells.http.desk import Desk
from footfall.shells.http.judged import Judged
from footfall.shells.http.lane import Lane
from footfall.shells.http.metric_desk import MetricDesk
from footfall.shells.http.totals import Totals
from footfall.values.clock import Clock
from footfall.values.counter import brands_of_groups, is_of_counters


@dataclass(slots=True)
class FrontState:
    """The parts of the running front that others look at."""

    settings: Settings
    brands: Brands
    clock: Clock
    store: Table  # read only
    stream: Stream  # read only
    lane: Lane
    committer: Committer
    answers: Answers
    counting: Child
    answering: Child
    judging: Child
    judged: Judged
    totals: Totals
    started_at_ms: int
    access: Access
    desk: Desk
    catalogue: Cataloguing
    counters: CounterDesk
    metrics: MetricDesk
    archive: ArchiveDesk
    audience: AudienceDesk

    def checkpoints(self) -> Mapping[int, Checkpoint]:
        """Return how far each shard has counted."""
        shards = range(self.stream.shards)
        return {shard: load_checkpoint(self.store, shard) or Checkpoint() for shard in shards}

    def ledger(self, brand: str) -> Ledger:
        """Return a brand's ledger; its parts are read before the whole, so that nothing is ever missing."""
        checkpoints = self.checkpoints()
        handled = {
            keys.shard_name(shard): lines_item(one.lines[brand])
            for shard, one in checkpoints.items()
            if brand in one.lines
        }
        return ledger(brand, handled, appended=self.stream.appended().get(brand, 0))

    def last_hits(self) -> Mapping[str, int]:
        """Return when each brand was last heard of, as far as it is counted."""
        last: dict[str, int] = {}
        for one in self.checkpoints().values():
            for brand, lines in one.lines.items():
                last[brand] = max(last.get(brand, 0), lines.last_hit_ms)
        return last

    @property
    def assets_max(self) -> int:
        """Return how many assets one request may put."""
        return self.settings.http_batch_hits_max

    def raw_since_ms(self) -> int:
        """Return the moment before which raw hits may be gone; 0 when all are there."""
        return self.stream.kept_since_ms()

    def hits_of_brands(self) -> Mapping[str, int]:
        """Return how many hits each brand has sent that was ever heard of."""
        return {group: hits for group, hits in self.stream.appended().items() if not is_of_counters(group)}

    def known_brands(self) -> list[str]:
        """Return the brands that are set up or have been heard of."""
        return sorted({*self.brands.names(), *brands_of_groups(self.stream.appended())})

    def reasons_not_ready(self) -> list[str]:
        """Return why hits are not taken or lists not served; none when both are."""
        reasons: list[str] = []
        if self.lane.is_draining:
            reasons.append("the instance is stopping")
        if not self.counting.is_ready.is_set():
            reasons.append("the counting process is not up")
        if not self.answering.is_ready.is_set():
            reasons.append("the answering process is not up")
        return reasons

    def is_ready(self) -> bool:
        """Tell whether hits are taken and lists are served."""
        return not self.reasons_not_ready()

    def disk_bytes(self) -> Mapping[str, int]:
        """Return what each file takes."""
        return wiring.disk_bytes(self.settings)
