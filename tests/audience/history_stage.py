"""What tests of histories and playbacks share: tables that count their calls, and short words for what happens."""

import time
from collections.abc import Sequence
from random import Random
from typing import cast

from footfall.adapters.embedded.sqlite_table import SqliteTable
from footfall.audience.history import Watching
from footfall.audience.history_rule import Progress
from footfall.audience.playbacks import Ask, Policy
from footfall.audience.playbacks_kept import Means
from footfall.ports.items import Item
from footfall.ports.table import Action, Delete, Index, Key, Page, Position, Put, Table, Update
from tests.simulation.grounds import TroubledTable

NOON_MS = 1_794_744_000_000
MINUTE_MS, HOUR_MS = 60_000, 3_600_000
INDEXES = (Index("followers", "to", "at_us", numeric=True), Index("recent", "viewer", "recent_ms", numeric=True))


class CountedTable(TroubledTable):
    """Passes every call on to a real table, and remembers which it was."""

    def __init__(self, inner: Table) -> None:
        super().__init__(cast("SqliteTable", inner))
        self.calls: list[str] = []

    def get(self, key: Key) -> Item | None:
        self.calls.append("get")
        return super().get(key)

    def put(self, put: Put) -> None:
        self.calls.append("put")
        super().put(put)

    def write(self, batch: Sequence[Put | Delete]) -> None:
        self.calls.append("write")
        super().write(batch)

    def update(self, update: Update) -> Item:
        self.calls.append("update")
        return super().update(update)

    def transact(self, actions: Sequence[Action]) -> None:
        self.calls.append("transact")
        super().transact(actions)

    def query(
        self,
        partition: str,
        *,
        at_least: Position | None = None,
        at_most: Position | None = None,
        backwards: bool = False,
        limit: int | None = None,
        after: Key | None = None,
        index: str | None = None,
    ) -> Page:
        self.calls.append("query" if index is None else f"query {index}")
        return super().query(
            partition, at_least=at_least, at_most=at_most, backwards=backwards, limit=limit, after=after, index=index
        )

    def taken_calls(self) -> list[str]:
        """Return what was asked since this was last called."""
        taken, self.calls = self.calls, []
        return taken


def watched(asset: str, percent: float, at_ms: int, **more: object) -> Watching:
    """Return that Ann was at some hundredths of an hour's asset."""
    told: dict[str, object] = {"member": "ann", "series": asset, "sequence": 0, "device": "tv", **more}
    progress = Progress(int(HOUR_MS * percent / 100), HOUR_MS, is_ended=bool(told.pop("is_ended", False)))
    return Watching(asset=asset, progress=progress, at_ms=at_ms, **told)  # pyright: ignore[reportArgumentType]


def ask(session: str, *, limit: int = 2, policy: Policy = Policy.STOP_OLDEST, device_id: str = "") -> Ask:
    """Return a playback that wants a place, on a device of its own unless one is named."""
    return Ask(session, f"device of {session}", device_id or f"id-{session}", "film", limit, policy)


def means(seed: int = 7) -> Means:
    """Return chance that is the same in every run, and real waiting."""
    return Means(Random(seed), time.sleep)
