"""Redis: a sorted set for each brand, section and window (ZINCRBY), and a HyperLogLog of the assets read (PFADD).

Equal hits of a group are added up first, and a group is one pipelined MULTI, so a kill leaves it whole or not at all.
Hits here bear no visitor, so PFADD counts different assets. `Always` syncs its log before it answers; `EverySecond`
does so once a second, which is its default and may lose what it acknowledged.
"""

from collections import Counter
from collections.abc import Sequence
from importlib import import_module
from pathlib import Path
from typing import Any

from bench.compare.protocol import CannotCountAgain, Question, by_window
from bench.compare.servers import HOST, Server, free_port
from bench.compare.traffic import BRANDS

UNITED = "united"  # where windows are added up for one list


class Redis:
    """One server with an append-only file."""

    group_bodies = 1_000
    sync = ""

    def __init__(self) -> None:
        self._redis: Any = import_module("redis")
        self._server: Server | None = None
        self._base: Any = None
        self._windows: dict[str, set[int]] = {brand: set() for brand in BRANDS}  # No list asks for them first.

    def start(self, folder: Path) -> None:
        """Start a server on the folder, which reads its log."""
        port = free_port()
        options = {"--port": str(port), "--bind": HOST, "--save": "", "--appendonly": "yes", "--appendfsync": self.sync}
        command = ["redis-server", *(word for pair in options.items() for word in pair), "--dir", str(folder)]
        self._server = Server(command, folder / "redis.log")
        self._base = self._redis.Redis(host=HOST, port=port)
        self._server.wait_for(self._base.ping)
        for brand in BRANDS:
            self._windows[brand] = {int(window) for window in self._base.zrange(f"windows:{brand}", 0, -1)}

    def load(self, bodies: Sequence[bytes], *, now_ms: int) -> None:
        """Add a group's sums in one transaction."""
        scores: Counter[tuple[str, int]] = Counter()
        assets: dict[str, set[int]] = {}
        windows: set[tuple[str, int]] = set()
        for window, counts in by_window(bodies, now_ms=now_ms).items():
            for hit, hits in counts.items():
                windows.add((hit.brand, window))
                scores[_key(hit.brand, window, None), hit.assetId] += hits
                scores[_key(hit.brand, window, hit.sectionId), hit.assetId] += hits
                assets.setdefault(f"read:{hit.brand}:{window}", set()).add(hit.assetId)
        pipeline = self._base.pipeline(transaction=True)
        for brand, window in windows:
            pipeline.zadd(f"windows:{brand}", {str(window): window})
        for (key, asset), hits in scores.items():
            pipeline.execute_command("ZINCRBY", key, hits, asset)
        for key, read in assets.items():
            pipeline.pfadd(key, *read)
        pipeline.execute()
        for brand, window in windows:
            self._windows[brand].add(window)

    def settle(self) -> None:
        """Do nothing: everything is counted."""

    def listed(self, question: Question) -> list[tuple[int, int]]:
        """Add windows up in the server, unless there is but one."""
        least = 0 if question.from_ms is None else question.from_ms
        most = float("inf") if question.to_ms is None else question.to_ms
        windows = [window for window in sorted(self._windows[question.brand]) if least <= window < most]
        if not windows:
            return []
        keys = [_key(question.brand, window, question.section) for window in windows]
        if len(keys) == 1:
            rows = self._base.zrevrange(keys[0], 0, question.limit - 1, withscores=True)
        else:
            pipeline = self._base.pipeline(transaction=True)
            pipeline.zunionstore(UNITED, keys)
            pipeline.zrevrange(UNITED, 0, question.limit - 1, withscores=True)
            pipeline.unlink(UNITED)
            rows = pipeline.execute()[1]
        return [(int(asset), int(hits)) for asset, hits in rows]

    def count_again(self) -> None:
        """Refuse."""
        raise CannotCountAgain("hits are not kept")

    def total(self) -> int:
        """Add all scores up."""
        total = 0.0
        for brand in BRANDS:
            for window in self._base.zrange(f"windows:{brand}", 0, -1):
                scored = self._base.zrange(_key(brand, int(window), None), 0, -1, withscores=True)
                total += sum(hits for _, hits in scored)
        return int(total)

    def stop(self) -> None:
        """Stop the server."""
        if self._server is not None:
            self._server.stop()


class Always(Redis):
    """The log is synced before the answer."""

    sync = "always"


class EverySecond(Redis):
    """The log is synced once a second."""

    sync = "everysec"


def _key(brand: str, window: int, section: int | None) -> str:
    return f"hits:{brand}:{window}" if section is None else f"hits:{brand}:{window}:{section}"
