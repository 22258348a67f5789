"""A front on real embedded parts, without its sockets and child processes: what the pages look at."""

import asyncio
from collections.abc import Generator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any
from urllib.parse import unquote

import msgspec
from starlette.types import ASGIApp, Message

from footfall.accounts.brands import Brand
from footfall.accounts.keyring import Keyring
from footfall.accounts.nonces import Nonces
from footfall.accounts.proofs import Proofs
from footfall.adapters.embedded.sqlite_table import SqliteTable
from footfall.app import wiring
from footfall.app.counting import Counting
from footfall.app.settings import Settings
from footfall.flow.collect.accept import Acceptance, Request
from footfall.flow.collect.parse import parse_hits
from footfall.flow.collect.senders import Salts, Sender
from footfall.ports.stream import Entry, Stream
from footfall.ports.table import Table
from footfall.shells.http.access import access_from
from footfall.shells.http.answers import Answers
from footfall.shells.http.archive_desk import ArchiveDesk
from footfall.shells.http.audience_desk import AudienceDesk
from footfall.shells.http.cataloguing import Cataloguing
from footfall.shells.http.children import Child
from footfall.shells.http.commits import Committer
from footfall.shells.http.counter_desk import CounterDesk
from footfall.shells.http.desk import Desk
from footfall.shells.http.judged import Judged
from footfall.shells.http.lane import Exchange, Lane, LaneLimits
from footfall.shells.http.metric_desk import MetricDesk
from footfall.shells.http.pages import pages
from footfall.shells.http.state import FrontState
from footfall.shells.http.totals import Totals
from footfall.values.clock import SetClock

NOW_MS = 1_794_753_000_000
LIMITS = LaneLimits(1_000, 1_000, 10, head_s_max=1, body_s_max=1, idle_s_max=1)


@dataclass(frozen=True, slots=True)
class Reply:
    """What the application answered."""

    status: int
    headers: dict[str, str]
    body: bytes
    raised: Exception | None = None

    @property
    def text(self) -> str:
        return self.body.decode()

    def json(self) -> dict[str, Any]:
        return msgspec.json.decode(self.body, type=dict[str, Any])


@dataclass(slots=True)
class Stage:
    """The front, and the writers of stream and store that the front itself only reads."""

    state: FrontState
    application: ASGIApp
    clock: SetClock
    stream: Stream
    counting: Counting
    acceptance: Acceptance
    runner: asyncio.Runner

    def ask(
        self, target: str, *, method: str = "GET", headers: dict[str, str] | None = None, body: bytes = b""
    ) -> Reply:
        """Send a request through the application; raise what it raises."""
        reply = self.runner.run(asked(self.application, target, method=method, headers=headers or {}, body=body))
        if reply.raised is not None:
            raise reply.raised
        return reply

    def send(self, *hits: Mapping[str, object]) -> None:
        """Append hits to the stream as the collecting route does."""
        parsed = parse_hits(msgspec.json.encode(hits), lines=False, hits_max=5_000)
        request = Request(self.clock.now_ms(), Sender("192.0.2.1", "test", wants_privacy=True), is_batch=True)
        self.stream.append(self.acceptance.entries(parsed, request))
        assert parsed.refused == []

    def append(self, brand: str, *, data: bytes = b"", weight: int = 1, shard: int = 0) -> None:
        """Append a record as it stands, good or bad."""
        self.stream.append([Entry(shard, brand, weight, data, self.clock.now_ms())])

    def count(self) -> None:
        """Count everything that the stream holds."""
        self.counting.drain()

    def make_ready(self) -> None:
        """Say that both processes are up."""
        self.state.counting.is_ready.set()
        self.state.answering.is_ready.set()


@contextmanager
def staged(folder: Path, **settings: Any) -> Generator[Stage]:
    """Open a front on a folder, with the brand abc unless the settings name others."""
    chosen = replace(Settings(data_dir=str(folder), brands={"abc": Brand("abc")}), **settings)
    clock = SetClock(NOW_MS)
    stream, store = wiring.open_stream(chosen, clock), wiring.open_store(chosen, clock)
    salt_table = wiring.open_salt_table(chosen, clock)
    read_stream = wiring.open_stream(chosen, clock, read_only=True)
    read_store = wiring.open_store(chosen, clock, read_only=True)
    with asyncio.Runner() as runner:
        state = runner.run(_state(chosen, clock, read_stream, read_store))
        yield Stage(
            state=state,
            application=pages(state),
            clock=clock,
            stream=stream,
            counting=Counting(chosen, stream, store, clock=clock),
            acceptance=Acceptance(
                state.brands, Salts(salt_table, random_bytes=lambda size: b"s" * size), shards=stream.shards
            ),
            runner=runner,
        )
        runner.run(state.desk.stop())
        runner.run(state.catalogue.stop())
        runner.run(state.counters.stop())
        runner.run(state.metrics.stop())
        runner.run(state.archive.stop())
        runner.run(state.audience.stop())
    for opened in (read_stream, read_store, stream, store, salt_table):
        opened.close()


async def _state(settings: Settings, clock: SetClock, stream: Stream, store: Table) -> FrontState:
    """Put the parts together; most of them want a running event loop."""
    brands, keyring = wiring.brands(settings), Keyring()
    proofs = Proofs(keyring, Nonces(lambda: SqliteTable(":memory:", clock=clock)), clock=clock)
    desk = Desk(lambda: wiring.open_accounts(settings, clock), brands, keyring, counts=proofs.counts, clock=clock)
    await desk.start(open_brands=tuple(settings.brands.values()))
    catalogue = Cataloguing(settings, brands, clock)
    await catalogue.start()
    committer = Committer(lambda: stream, chores=lambda *_: None)
    return FrontState(
        settings=settings,
        brands=brands,
        clock=clock,
        store=store,
        stream=stream,
        lane=Lane({}, _nothing, limits=LIMITS, clock=clock),
        committer=committer,
        answers=Answers(lambda _message: False, bytes_max=1_000_000),
        counting=Child("footfall.app.counting", "", lock=0, on_message=lambda _message: None),
        answering=Child("footfall.app.answering", "", lock=0, on_message=lambda _message: None),
        judging=Child("footfall.app.judging", "", lock=0, on_message=lambda _message: None),
        judged=Judged(desk),
        totals=Totals(),
        started_at_ms=NOW_MS,
        access=access_from(
            settings, brands, keyring, proofs=proofs, clock=clock, people=wiring.PeopleReader(settings, clock)
        ),
        desk=desk,
        catalogue=catalogue,
        counters=CounterDesk(settings, committer, shards=stream.shards, clock=clock),
        metrics=MetricDesk(settings, clock),
        archive=ArchiveDesk(settings, clock),
        audience=AudienceDesk(settings, clock),
    )


def _nothing(_exchange: Exchange) -> None:
    """Answer nothing: no connection is made here."""


async def asked(application: ASGIApp, target: str, *, method: str, headers: dict[str, str], body: bytes = b"") -> Reply:
    """Speak ASGI for one request."""
    path, _, query = target.partition("?")
    sent: list[Message] = []

    async def receive() -> Message:
        return {"type": "http.request", "body": body, "more_body": False}

    async def send(message: Message) -> None:
        sent.append(message)

    scope = {
        "type": "http",
        "asgi": {"version": "3.0"},
        "http_version": "1.1",
        "method": method,
        "scheme": "http",
        "path": unquote(path),
        "raw_path": path.encode(),
        "query_string": query.encode(),
        "root_path": "",
        "headers": [(name.encode(), value.encode()) for name, value in headers.items()],
        "server": None,
        "client": ("127.0.0.1", 0),
    }
    raised: Exception | None = None
    try:
        await application(scope, receive, send)
    except Exception as error:  # noqa: BLE001 - handed to the test beside the answer that was sent
        raised = error
    head = {name.decode(): value.decode() for name, value in sent[0]["headers"]}
    return Reply(sent[0]["status"], head, b"".join(message.get("body", b"") for message in sent[1:]), raised)
