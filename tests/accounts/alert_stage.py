"""A brand with alerts on a table: a simulated clock, hits that are made up, and processes that end in the middle."""

import secrets
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Any

from footfall.accounts.alert_evaluation import AssetHits, ListAsked
from footfall.accounts.alert_memory import Totals
from footfall.accounts.alert_store import AlertStore
from footfall.accounts.alerts import Alert
from footfall.accounts.audit import Trail
from footfall.adapters.embedded.sqlite_table import SqliteTable
from footfall.app.alerting import Evaluation, plan_of
from footfall.ports.items import Item
from footfall.ports.table import Action, Put, Table
from footfall.values.clock import SetClock

MINUTE_MS, HOUR_MS, DAY_MS = 60_000, 3_600_000, 86_400_000
NOW_MS = 1_794_744_000_000  # a full hour of UTC
HOOK = "https://hooks.example.com/secret/path"


class Ended(BaseException):
    """The process ends here."""


class EndingTable:
    """A table whose process ends at a write: before it is done, or right after it."""

    def __init__(self, table: SqliteTable) -> None:
        self.table = table
        self.ends_at: int | None = None  # the number of the write, and
        self.is_done = False  # whether it is done by then
        self._writes = 0

    def end_at(self, write: int, *, is_done: bool) -> None:
        self.ends_at, self.is_done, self._writes = write, is_done, 0

    def put(self, put: Put) -> None:
        self._write(lambda: self.table.put(put))

    def transact(self, actions: Sequence[Action]) -> None:
        self._write(lambda: self.table.transact(actions))

    def __getattr__(self, name: str) -> Any:
        return getattr(self.table, name)

    def _write(self, do: Callable[[], None]) -> None:
        self._writes += 1
        is_end = self.ends_at == self._writes
        if is_end and not self.is_done:
            raise Ended
        do()
        if is_end:
            raise Ended


def store_on(table: Table, clock: SetClock, *, by: str = "ann") -> AlertStore:
    """Return the alerts on a table."""
    trail = Trail(table, clock=clock)
    return AlertStore(table, trail, clock=clock, random_bytes=secrets.token_bytes, by=by)


def added(store: AlertStore, brand: str = "abc", **fields: Any) -> Alert:
    """Make an alert; whatever is not said is usual."""
    document = {"name": "An alert", "kind": "asset-passes", "webhooks": [HOOK], **fields}
    if document["kind"] == "asset-passes":
        document.setdefault("hits", 10)
    return store.add(brand, document, require_webhook=lambda _url: None, has_mail=True)


@dataclass(slots=True)
class World:
    """What happens to a brand, and whoever looks at its alerts."""

    clock: SetClock = field(default_factory=lambda: SetClock(NOW_MS))
    zone: str = "UTC"
    table: EndingTable = field(init=False)
    hits: list[tuple[int, str]] = field(default_factory=list[tuple[int, str]])  # when, and of which asset
    lost: int = 0
    counted: int = 0
    last_hit_ms: int = 0
    evaluation: Evaluation = field(default_factory=Evaluation)

    def __post_init__(self) -> None:
        self.table = EndingTable(SqliteTable(":memory:", clock=self.clock))

    @property
    def store(self) -> AlertStore:
        return store_on(self.table, self.clock)  # pyright: ignore[reportArgumentType] - all of a table, by name

    def hit(self, asset: str, times: int = 1) -> None:
        now_ms = self.clock.now_ms()
        self.hits += [(now_ms, asset)] * times
        self.counted += times
        self.last_hit_ms = now_ms

    def lose(self, hits: int) -> None:
        self.lost += hits

    def look(self) -> None:
        """Do a round."""
        plan = plan_of(self.store, zone_of=lambda _brand: self.zone, now_ms=self.clock.now_ms())
        lists = {asked: self.list_of(asked) for asked in plan.lists}
        totals = Totals(self.counted, self.lost, self.last_hit_ms)
        self.evaluation.run(self.store, plan, lists, lambda _brand: totals)

    def look_and_end(self, write: int, *, is_done: bool) -> None:
        """Do a round in a process that ends at a write, and go on with another."""
        self.table.end_at(write, is_done=is_done)
        with suppress(Ended):
            self.look()
        self.table.ends_at = None
        self.evaluation = Evaluation()

    def pass_time(self, minutes: float) -> None:
        self.clock.advance(round(minutes * MINUTE_MS))

    def list_of(self, asked: ListAsked) -> list[AssetHits]:
        found: dict[str, int] = {}
        for at_ms, asset in self.hits:
            if asked.from_ms <= at_ms < asked.to_ms:
                found[asset] = found.get(asset, 0) + 1
        return [AssetHits(asset, hits) for asset, hits in sorted(found.items())]

    def events(self, brand: str = "abc") -> list[Item]:
        """Return what was told, the oldest first."""
        return list(reversed(self.store.outbox.page(brand, limit=500)[0]))

    def types(self) -> list[str]:
        return [str(one["type"]) for one in self.events()]
