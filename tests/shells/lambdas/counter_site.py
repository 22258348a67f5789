"""A function's site with named counters, and the counting beside it."""

import json
from collections.abc import Generator
from contextlib import closing, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from footfall.accounts.brands import Brand
from footfall.app import wiring
from footfall.app.counting import Counting
from footfall.app.settings import Settings
from footfall.values.clock import SetClock
from tests.shells.lambdas.api import Reply
from tests.shells.lambdas.sites import Staged, staged

NOON_MS = 1_794_744_000_000  # 2026-11-15T12:00Z


@dataclass(slots=True)
class Counted:
    """A site, and the counting beside it."""

    site: Staged
    settings: Settings
    clock: SetClock

    def post(self, name: str, content: object, **headers: str) -> Reply:
        body = content if isinstance(content, bytes) else json.dumps(content).encode()
        names = {word.replace("_", "-"): value for word, value in headers.items()}
        return self.site.call("POST", f"/v1/uniques/{name}?brand=abc", body, names)

    def get(self, target: str) -> Reply:
        return self.site.call("GET", f"{target}{'&' if '?' in target else '?'}brand=abc")

    def call(self, method: str, target: str, body: bytes = b"") -> Reply:
        return self.site.call(method, f"{target}{'&' if '?' in target else '?'}brand=abc", body)

    def count(self) -> None:
        with (
            closing(wiring.open_stream(self.settings, self.clock, read_only=True)) as stream,
            closing(wiring.open_store(self.settings, self.clock)) as store,
        ):
            Counting(self.settings, stream, store, clock=self.clock).drain()

    def estimate(self, name: str) -> int:
        reply = self.get(f"/v1/uniques/{name}")
        return told(reply)["estimate"] if reply.status == 200 else -reply.status


def told(reply: Reply) -> dict[str, Any]:
    return json.loads(reply.body)


@contextmanager
def counted(folder: Path) -> Generator[Counted]:
    settings = Settings(data_dir=str(folder), brands={"abc": Brand("abc", zone="Europe/Helsinki")}, stream_shards=2)
    clock = SetClock(NOON_MS)
    for opened in (wiring.open_stream(settings, clock), wiring.open_store(settings, clock)):
        opened.close()
    with staged(settings, clock) as site:
        yield Counted(site, settings, clock)
